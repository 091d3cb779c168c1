"""The expressions of plain programs. Names say what they hold: an int, a list `xs`, a dict `m`, a box `o`.

So that most programs go far, an expression raises seldom; but a variable may be unbound, an index out
of range, a divisor 0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

from .writing import Writer


@dataclass
class Scope:
    """A function that is being written."""

    kind: str  # "def", "generator", "async" or "class"
    ints: list[str]  # the variables that it assigns
    sure: list[str]  # what it can read without fail
    outer: list[str] = field(default_factory=list)  # variables of functions around it
    functions: list[str] = field(default_factory=list)  # of two arguments, the second with a default
    generators: list[str] = field(default_factory=list)  # of one argument
    coroutines: list[str] = field(default_factory=list)  # of one argument
    plain: bool = False  # no walrus, no await: the inside of a comprehension or lambda

    def inside(self, *names: str) -> Scope:
        """An expression that has a scope of its own, with some names."""
        return dataclasses.replace(self, kind="def", sure=[*names, *self.sure], plain=True)


Expression = Callable[[Writer, Scope, int], str]


def number(w: Writer, s: Scope, depth: int = 2) -> str:
    """An int, or now and then another thing that compares and adds as one."""
    if depth <= 0 or w.left <= 0:
        return w.pick(LEAVES)(w, s, 0)
    return w.pick(NUMBERS)(w, s, depth - 1)


def condition(w: Writer, s: Scope, depth: int = 2) -> str:
    return w.pick(TESTS)(w, s, depth - 1)


def sequence(w: Writer, s: Scope, depth: int = 1) -> str:
    return w.pick(SEQUENCES)(w, s, depth - 1)


# Numbers


def constant(w: Writer, s: Scope, depth: int) -> str:
    return str(w.below(4))


def variable(w: Writer, s: Scope, depth: int) -> str:
    """Mostly a bound one."""
    names = [*s.sure, *s.ints, *s.outer]
    if s.plain or w.below(12) < 10:
        return w.pick(s.sure)
    return w.pick(names)


def any_variable(w: Writer, s: Scope, depth: int) -> str:
    return w.pick(s.sure if s.plain else [*s.sure, *s.ints])


def traced(w: Writer, s: Scope, depth: int) -> str:
    return f"t({w.number()}, {number(w, s, depth)})"


def arithmetic(w: Writer, s: Scope, depth: int) -> str:
    left, right = number(w, s, depth), number(w, s, depth)
    shape = w.pick(["({} + {})", "({} - {})", "({} * {}) % 7", "({} | {})", "({} // {})", "(-{} % 5 + {})"])
    return f"({shape.format(left, right)})"


def choice(w: Writer, s: Scope, depth: int) -> str:
    return f"({number(w, s, depth)} if {condition(w, s, depth)} else {number(w, s, depth)})"


def walrus(w: Writer, s: Scope, depth: int) -> str:
    if s.plain or not s.ints:
        return number(w, s, depth)
    return f"({w.pick(s.ints)} := {number(w, s, depth)})"


def item(w: Writer, s: Scope, depth: int) -> str:
    return w.pick(["xs[0]", "xs[-1]", "m[1]", "xs[{} % 4]", "m.get({}, 5)", "[3, 4, 5][{} % 3]"]).format(
        number(w, s, depth)
    )


def attribute(w: Writer, s: Scope, depth: int) -> str:
    return w.pick(["o.p", "o.q", "o.r.p"])


def measured(w: Writer, s: Scope, depth: int) -> str:
    form = w.pick(["len({})", "sum({})", "max({}, default=9)", "sum(1 for it in {} if it)", "len({{*{}}})"])
    return form.format(sequence(w, dataclasses.replace(s, plain=True), depth))


def text(w: Writer, s: Scope, depth: int) -> str:
    form = w.pick(
        [
            "f'{%s}'",
            "f'a{%s!r:>3}b'",
            "f'{%s:02d}{{}}'",
            "f'''{%s + 1}\"{o.p=}'''",
            "f'{%s:{xs[0]}}'",
            "'b' f'{%s}'",
        ]
    )
    return f"len({form % any_variable(w, s, depth)})"


def called_lambda(w: Writer, s: Scope, depth: int) -> str:
    inner = s.inside("x", "y")
    return f"(lambda x, y={number(w, s, 0)}: {number(w, inner, depth)})({number(w, s, depth)})"


def call(w: Writer, s: Scope, depth: int) -> str:
    if not s.functions:
        return number(w, s, depth)
    form = w.pick(
        ["{}({})", "{}({}, {})", "{}(x={})", "{}(*[{}, {}])", "{}({}, **{{'y': {}}})", "{}({}, *xs[:1])"]
    )
    return form.format(w.pick(s.functions), number(w, s, depth), number(w, s, depth))


def generated(w: Writer, s: Scope, depth: int) -> str:
    if not s.generators:
        return number(w, s, depth)
    form = w.pick(["sum({}({}))", "next({}({}), 7)", "len([*{}({})])"])
    return form.format(w.pick(s.generators), number(w, s, depth))


def awaited(w: Writer, s: Scope, depth: int) -> str:
    if s.kind != "async" or s.plain:
        return number(w, s, depth)
    if s.coroutines and w.once_in(2):
        return f"(await {w.pick(s.coroutines)}({number(w, s, depth)}))"
    return f"(await step({number(w, s, depth)}))"


def truth(w: Writer, s: Scope, depth: int) -> str:
    return f"({condition(w, s, depth)})"


# Conditions


def compared(w: Writer, s: Scope, depth: int) -> str:
    op = w.pick(["<", ">", "==", "!=", "<=", "is not", "%"])
    return f"{number(w, s, depth)} {op} {number(w, s, 0)}"


def chained(w: Writer, s: Scope, depth: int) -> str:
    first, second = w.pick(["<", "<=", "!=", "=="]), w.pick(["<", ">", "!=", "in"])
    last = sequence(w, s, depth) if second == "in" else number(w, s, depth)
    return f"{number(w, s, depth)} {first} {number(w, s, depth)} {second} {last}"


def both(w: Writer, s: Scope, depth: int) -> str:
    op = w.pick(["and", "or", "and not", "or not"])
    return f"({number(w, s, depth)} {op} {condition(w, s, depth)})"


def negated(w: Writer, s: Scope, depth: int) -> str:
    return f"(not {condition(w, s, depth)})"


def member(w: Writer, s: Scope, depth: int) -> str:
    op = w.pick(["in", "not in"])
    return f"{number(w, s, depth)} {op} {w.pick(['xs', 'm', '(1, 2)', sequence(w, s, depth)])}"


def several(w: Writer, s: Scope, depth: int) -> str:
    form = w.pick(["any({} for it in xs)", "all([{} for it in xs])", "any(it for it in xs if {})"])
    return form.format(condition(w, s.inside("it"), depth))


# Sequences


def named(w: Writer, s: Scope, depth: int) -> str:
    return w.pick(["xs", "ys", "xs[:2]", "xs[::-1]", "m.values()"])


def ranged(w: Writer, s: Scope, depth: int) -> str:
    return w.pick(["range({} % 4)", "range(1, 4)", "range(3, 0, -1)"]).format(number(w, s, depth))


def listed(w: Writer, s: Scope, depth: int) -> str:
    form = w.pick(["[{}]", "({}, {})", "[*xs, {}]", "[{}, *ys, {}]", "{{{}, 1}}", "{{**m, {}: 2}}"])
    return form.format(number(w, s, depth), number(w, s, depth))


def comprehension(w: Writer, s: Scope, depth: int) -> str:
    inner = s.inside("it")
    form = w.pick(
        [
            "[{} for it in {}{}]",
            "{{{} for it in {}{}}}",
            "[*({} for it in {}{})]",
            "{{{}: it for it in {}{}}}",
        ]
    )
    kept = w.pick(["", f" if {condition(w, inner, depth)}", " for w in range(it % 3)", " if it if it != 2"])
    iterated = sequence(w, dataclasses.replace(s, plain=True), depth)
    if form.startswith("[") and not s.plain and s.ints and s.kind != "class" and w.once_in(3):
        kept = f" if ({w.pick(s.ints)} := {number(w, inner, depth)})"
    return form.format(number(w, inner, depth), iterated, kept)


LEAVES: list[Expression] = [constant, variable, variable, variable, any_variable, attribute]
NUMBERS: list[Expression] = [
    constant, variable, variable, variable, traced, traced, traced, any_variable, arithmetic, arithmetic,
    choice, walrus, item, attribute, measured, text, called_lambda, call, call, generated, awaited, awaited,
    truth,
]  # fmt: skip
TESTS: list[Expression] = [
    number,
    compared,
    compared,
    compared,
    chained,
    both,
    both,
    negated,
    member,
    several,
]
SEQUENCES: list[Expression] = [named, ranged, listed, comprehension]
