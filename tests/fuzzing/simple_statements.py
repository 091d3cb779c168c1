"""The statements of plain programs that hold no others."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from .expressions import Scope, condition, number, sequence
from .writing import Writer

INTS = ["a", "b", "c", "d", "e"]
ERRORS = [
    "ValueError",
    "Oops",
    "ZeroDivisionError",
    "IndexError",
    "(ValueError, Oops)",
    "NameError",
    "Exception",
]


@dataclass(frozen=True)
class CodePosition:
    """Where a statement stands."""

    scope: Scope
    loop: bool = False  # whether `break` and `continue` mean something
    returns: bool = True
    handler: bool = False  # whether a bare `raise` does
    loops: int = 0
    depth: int = 0
    calm: bool = False  # a generator that may be left early: nothing in it runs when it is closed

    def within(self, **changes) -> CodePosition:
        return dataclasses.replace(self, depth=self.depth + 1, **changes)


def assign(w: Writer, p: CodePosition) -> None:
    s = p.scope
    forms = [
        "{0} = {2}", "{0} = {2}", "{0} = {1} = {2}", "{0}, {1} = {2}, {3}", "({0}, *ys) = {2}, *xs",
        "[{0}, {1}] = {4}", "z: int = {2}", "o.p = {2}", "o.r.q = {2}", "xs[0] = {2}", "m[{3}] = {2}",
        "xs[1:2] = [{2}]", "ys = {4}", "{0}, o.q = o.q, {2}", "xs[{3} % 3], m[2] = {2}, {3}",
        "o.p: int = {2}", "m = {{**m, {2}: {3}}}", "xs = [{2}, *xs][:5]", "z: 'unknown'", "*ys, {0} = {4}",
        "xs[(i := {2} % 3)] = i", "o.new = {2}",
    ]  # fmt: skip
    w.line(w.pick(forms).format(*targets(w, s), number(w, s), number(w, s, 1), sequence(w, s)))


def targets(w: Writer, s: Scope) -> tuple[str, str]:
    names = s.ints or ["u"]
    return w.pick(names), w.pick(names)


def augment(w: Writer, p: CodePosition) -> None:
    target = w.pick(
        [targets(w, p.scope)[0], "o.p", "xs[0]", "m[1]", f"xs[{number(w, p.scope, 1)} % 3]", "o.r.p"]
    )
    w.line(f"{target} {w.pick(['+=', '-=', '|=', '//='])} {number(w, p.scope)}")


def effect(w: Writer, p: CodePosition) -> None:
    s = p.scope
    forms = [
        "t({0}, {1})", "push(xs, {1})", "print({1}, *xs)", "print(f'{{{2}}}', end='')", "{1}", "xs.pop()",
        "fs.append(lambda: {2})", "fs.append(lambda x={1}: x + {2})", "t({0}, {3})", "m.pop(1, {1})",
        "t({0}, xs)", "m.update({{1: {1}}})", "t({0}, sorted(locals()))", "o.r, o.q = Box({1}), t({0})",
        "ys += [{1}]",
    ]  # fmt: skip
    text = w.pick(forms)
    if "locals" in text and not w.once_in(4):
        text = "t({0}, {1})"
    w.line(text.format(w.number(), number(w, s), w.pick([*s.sure, *s.ints]), condition(w, s)))


def delete(w: Writer, p: CodePosition) -> None:
    names = [name for name in p.scope.ints if name in ("c", "d", "e", "u", "v", "G")]
    places = [*names, "xs[0]", "m[1]", "o.q", "xs[1:]", "o.new", "ys[:]"]
    if names:
        places += [names[0], names[-1], f"{names[-1]}, xs[-1]"]
    w.line(f"del {w.pick(places)}")


def jump(w: Writer, p: CodePosition) -> None:
    if p.loop and w.below(4):
        w.line(w.pick(["break", "continue"]))
    elif p.returns:
        returned(w, p)
    else:
        raised(w, p)


def returned(w: Writer, p: CodePosition) -> None:
    s = p.scope
    w.line(
        w.pick(["return {}", "return {}", "return", "return {}, {}", "return {}, *xs"]).format(
            number(w, s), number(w, s)
        )
    )


def raised(w: Writer, p: CodePosition) -> None:
    forms = [
        "raise ValueError({})", "raise Oops({})", "raise Oops", "raise KeyError({}) from None",
        "fail(Oops({}))", "raise Oops({}) from ValueError(1)",
        "raise ExceptionGroup('g', [Oops({}), ValueError(1)])",
    ]  # fmt: skip
    if p.handler:
        forms += ["raise", "raise"]
    w.line(w.pick(forms).format(number(w, p.scope, 1)))


def asserted(w: Writer, p: CodePosition) -> None:
    w.line(
        w.pick(["assert {}", "assert {}, t({}, {})"]).format(
            condition(w, p.scope), w.number(), number(w, p.scope)
        )
    )


def scoped_yield(w: Writer, p: CodePosition) -> None:
    s = p.scope
    if s.kind == "generator":
        forms = ["yield {}", "{} = yield {}", "yield from {}", "{} = yield from {}", "t({}, (yield {}))"]
        form = w.pick(forms)
        value = sequence(w, s) if "from" in form else number(w, s)
        first = {"{": targets(w, s)[0], "t": w.number()}.get(form[0])
        w.line(form.format(value) if first is None else form.format(first, value))
    elif s.kind == "async":
        form = w.pick(
            ["{} = await step({})", "{} = [it async for it in steps(3) if it != {}][0]", "await step({1})"]
        )
        w.line(form.format(targets(w, s)[0], number(w, s, 1)))
    else:
        assign(w, p)


SIMPLE = [assign, assign, assign, effect, effect, effect, augment, augment, delete, scoped_yield]
FATAL = [jump, jump, jump, raised, asserted]
