"""Programs that can be staged: each variable has one type, whichever path is taken.

What is documented as different when staged is left out: nothing is raised in a `with` of a generator, an
array is not written under two names, numbers stay small, what is printed is printed of staged values.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field

from .writing import Writer, programs

PARAMETERS = "n, k, x, y, xs, ks, flag"
EVERYTHING = "return i0, i1, f0, f1, b0, s, a0, l0, o.p, o.q, d, m0, t0, also, pair.x, pair.y, sorted(g0), q0"

LEAVES = {
    "I": ["1", "n", "k", "{i}", "{i}", "{i}", "0", "3", "2"],
    "F": ["0.5", "x", "y", "{f}", "{f}", "{f}", "1.5", "-2.5"],
    "B": ["flag", "{I} < {I}", "{F} > {F}", "{b}", "n > 0", "not {b}"],
    "A": ["{a} * 1.0", "xs.copy()", "np.zeros(3)"],
    "L": ["[{F}]", "[]", "[{F}, {F}]"],
    "M": ["{F}", "None", "{m}"],
}
FORMS = {
    "I": [
        "({I} + {I}) % 11", "({I} - {I}) % 7", "({I} * {I}) % 13", "{I} // 3", "{I} % 5", "-{I}", "abs({I})",
        "int({F})", "min({I}, {I})", "max({I}, 2)", "({I} if {B} else {I})", "({i} := {I})", "len(xs)",
        "ks[{I} % 3]", "int({B})", "round({F})", "({I} and {I})", "({I} or {I})", "int(np.argmax(xs))",
        "sum(ks) % 9", "len({l})", "ks.sum() % 10", "sum([e % 5 for e in ks if {I} < e])",
        "divmod({I}, 4)[1]", "9 // (abs({I}) + 1)", "o.q", "d['m']", "{h}({I})", "(lambda z: z - {I})({I})",
        "(2, 3, 5)[{I} % 3]", "ks[-1]", "sum(ks > {I})", "max(ks)", "{h}(z={I})", "{I} & 3",
        "int({F} > {F})", "(1 << {I} % 4)", "sum([1 for e in range({I} % 4)])", "pow({I} % 3, 2)",
        "int('12')", "factorial({I} % 5)", "({t}[1] if {t} is not None else {I})",
        "sum([1 for e in upto(xs, {F})])", "len(also)", "(1 if pair else 2)", "len({g})", "len({q})",
        "sum({g}) % 9", "max({g} | {{{c}}})",
    ],
    "F": [
        "({F} + {F}) * 0.5", "({F} - {F}) * 0.5", "({F} * {F}) % 7.5", "{F} / (abs({F}) + 1.0)",
        "np.tanh({F})", "math.sin({F})", "np.sqrt(abs({F}))", "abs({F})", "min({F}, {F})", "max({F}, 0.5)",
        "float({I})", "{I} / 4", "xs[{I} % 3]", "xs.sum() * 0.25", "xs.mean()", "np.max({a})",
        "sum(xs) * 0.5", "({F} if {B} else {F})", "({f} := {F})", "({l}[-1] if {l} else 0.5)",
        "sum({l}, 0.0) * 0.125", "o.p", "d['f']", "{a}[{I} % 3]", "({F} and {F})", "xs @ {a} % 7.5",
        "float(round({F}, 2))", "-{F}", "{F} // 2.0", "sum([e * 0.5 for e in xs if {F} < e], 0.0)",
        "float(np.dot(xs, xs)) % 7.5", "max([{F}, {F}])", "math.floor({F}) * 0.5", "np.abs({F})",
        "float({B})", "o.half()", "{A}[0]", "np.minimum({F}, {F})", "({m} if {m} is not None else {F})",
        "({m} or {F})", "halved({I} % 4, {F})", "sum(upto(xs, {F}), 0.5)", "take(also)", "put({l}, {F})",
        "{q}.get({I}, {F})", "sum({q}.values(), 0.5) % 7.5",
        "(0.5 if {t} is None else {t}[0])", "pair[{I} % 2]", "float(pair)", "checked({F}, 9.0)",
    ],
    "B": [
        "{I} == {I}", "{I} < {I} <= {I}", "{F} >= {F}", "({B} and {B})", "({B} or {B})", "(not {B})",
        "bool({I})", "{I} in (1, 2)", "{I} in ks", "np.any(xs > {F})", "(ks > {I}).all()", "any(ks)",
        "({b} := {B})", "({B} if {B} else {B})", "bool({l})", "{F} < {F} < {F}", "{I} not in [0, {I}]",
        "({I} and {B})", "all([e > {I} for e in ks])", "{I} != {I} == {I}", "{B} == {B}",
        "any([e > {F} for e in xs])", "{I} % 2 == 1", "bool({F})", "({i} := {I}) > 2", "not ks[0]",
        "{m} is None", "({m} is not None and {m} > {F})", "{t} is not None", "{F} in pair", "bool(pair)",
        "pair < Pair({F}, {F})", "{m} == {F}", "{I} in {g}", "{I} not in {g}", "{I} in {q}", "bool({g})",
    ],
    "A": [
        "xs * {F}", "xs + {a}", "np.where(xs > {F}, xs, {F})", "np.cumsum({a}) % 7.5", "{a}[::-1].copy()",
        "np.sort({a})", "np.clip({a}, -1.0, {F})", "np.array([{F}, {F}, {F}])", "np.full(3, {F})",
        "np.arange(3) * {F}", "np.maximum({a}, {F})", "np.concatenate([{a}[:1], xs[1:]])",
        "({A} if {B} else {A})", "np.array([e * {F} for e in xs])", "-{a}", "np.stack([{F}, {F}, 0.5])",
        "ks / 4", "xs[ks % 3]", "np.roll({a}, {I})", "np.abs({A})", "np.outer({a}, xs)[0] % 5.0",
    ],
    "L": [
        "[e * {F} for e in xs]", "[e for e in xs if e > {F}]", "[{F}, *[{F}]]",
        "[{F} for e in range({I} % 4)]", "{l} + [{F}]",
    ],
    "M": ["({F} if {B} else None)", "(None if {B} else {m})", "first_above(xs, {F})",
          "first_above({a}, {F})"],
}  # fmt: skip
SIMPLE = [
    "{i} = {I}", "{i} = {I}", "{f} = {F}", "{f} = {F}", "{b} = {B}", "{a} = {A}", "{l} = {L}", "{i} += {c}",
    "{i} -= 1", "{f} += 0.5", "{f} *= 0.5", "{f}, {i} = {F}, {I}", "{i}, {f}, {b} = {I}, {f} * 0.5, {B}",
    "{a}[{I} % 3] = {F}", "{a} *= 0.5", "{a}[1:] = {F}", "{a}[{a} > {F}] = 0.0", "{a}[{I} % 3] += {F}",
    "xs[{I} % 3] = {F}", "{l}.append({F})", "{l}.append({F})", "o.p = {F}", "o.q = {I}", "o.p += 0.5",
    "d['f'] = {F}", "d['m'] = {I}", "d['m'] += 1", "print(f'{{{i}}} {{k}} {{{f}:.3f}}')",
    "print('at', {I}, n)", "s += f'{{{i}}},'", "i0 = i1 = {I}", "i0, i1 = i1, i0", "u = {F}",
    "{i}: int = {I}", "o.grow({F})", "{a} = {a} + {F}", "note({I})", "{m} = {M}", "{m} = {M}",
    "put({l}, {F})", "put(also, {F})", "fill({a}, {I}, {F})", "{f} = take({l})", "also.append({F})",
    "pair = pair + {F}", "pair.y = {F}",
    "{g}.add({I})", "{g}.add({I})", "{g}.discard({I})", "{q}[{I}] = {F}", "{q}[{I}] = {F}",
    "{q}[{i}] = {q}.get({i}, 0.5) + {F}", "{q}.pop({I}, {F})", "{g} |= {{1, 2}}",
    "{m} = None", "{t} = ({F}, {I})", "{t} = None", "pair = Pair({F}, {F}) + pair",
]  # fmt: skip
RARE = [
    "assert {B}", "assert {B}, f'no {{k}}'", "raise ValueError(f'{{k}}')", "raise KeyError(k)", "{f} = u",
    "if flag: del u", "return", "if {l}: {l}.pop()", "if {l}: {l}[-1] = {F}", "{l} += [{F}]",
    "{l}.extend([{F}, {F}])", "{f} = sum({l})", "if {m} is None or {F} > {m}: {m} = {F}",
    "if {t} is None or {F} > {t}[0]: {t} = ({F}, {I})", "{f} = checked({F}, {F})",
    "{g}.clear()",
]  # fmt: skip
RISKY = [
    "if {B}: raise ValueError({I})", "if {B}: raise KeyError({I})", "if {B}: raise ZeroDivisionError",
    "print('at', {l}[{I}], n)", "print('pop', {l}.pop(), n)", "print('of', {q}[{I}], n)",
    "print('max', max({l}), n)", "print('quotient', 1.5 / {I}, n)", "print('index', {l}.index({F}), n)",
    "print('float', float({m}), n)", "print('sum', {m} + 0.5, n)", "del {q}[{I}]", "{g}.remove({I})",
]  # fmt: skip
"""Statements that may raise an exception."""
HANDLERS = [
    "except ValueError:", "except (KeyError, ValueError):", "except Exception:", "except LookupError:",
    "except (ZeroDivisionError, TypeError):", "except IndexError:",
]  # fmt: skip


@dataclass
class Scope:
    """The variables of each type, and the functions, that can be used here."""

    names: dict[str, list[str]]
    functions: list[str] = field(default_factory=list)
    writes: bool = True  # whether variables can be assigned here
    inner: bool = False  # whether this is a function inside `f`


@dataclass(frozen=True)
class CodePosition:
    scope: Scope
    returns: str
    loop: bool = False
    loops: int = 0
    depth: int = 0
    guarded: bool = False  # inside a `with`, where nothing is raised under a staged condition

    def within(self, **changes) -> CodePosition:
        return dataclasses.replace(self, depth=self.depth + 1, **changes)


def filled(w: Writer, s: Scope, form: str, depth: int) -> str:
    """`form` with each hole filled: a capital is an expression of a type, a small letter a variable."""

    def fill(match: re.Match) -> str:
        hole = match[1]
        if hole is None:
            return match[0][0]
        if hole == "c":
            return w.pick(["1", "2", "k % 3"])
        if hole == "h":
            return w.pick(s.functions) if s.functions else "int"
        if hole in s.names:
            return w.pick(s.names[hole])
        return expression(w, s, hole, depth - 1)

    return re.sub(r"{{|}}|{(\w)}", fill, form)


def expression(w: Writer, s: Scope, kind: str, depth: int) -> str:
    if depth <= 0:
        form = w.pick(LEAVES[kind]) if depth > -2 else LEAVES[kind][0]
    else:
        form = w.pick(FORMS[kind] if w.below(3) else LEAVES[kind])
    if ("z=" in form and not s.functions) or (":=" in form and not s.writes):
        form = LEAVES[kind][0]
    text = filled(w, s, form, depth)
    return text if re.fullmatch(r"[\w.]+", text) else f"({text})"


def program(w: Writer) -> None:
    names = {"i": ["i0", "i1"], "f": ["f0", "f1"], "b": ["b0"], "a": ["a0"], "l": ["l0"]}
    names |= {"m": ["m0"], "t": ["t0"], "g": ["g0"], "q": ["q0"]}
    scope = Scope(names)
    returns = w.pick(
        [
            EVERYTHING,
            EVERYTHING,
            "return {I}, {F}",
            "return {F}",
            "return {i}, {f}, {A}",
            "return {L}",
            "return {{'a': {I}, 'b': {F}}}",
        ]
    )
    with w.block(f"def f({PARAMETERS}):"):
        w.line(w.pick(["i0, i1 = 0, n", "i0, i1 = k, 2"]))
        w.line(w.pick(["f0, f1, b0, s = 0.5, x, flag, ''", "f0, f1, b0, s = y, 1.5, False, f'{n}'"]))
        w.line(
            w.pick(
                [
                    "a0, l0 = xs * 0.5, []",
                    "a0, l0 = np.ones(3), [x]",
                    "a0, l0 = np.array([0.5, 1.5, -0.5]), [0.5, 2.5]",
                ]
            )
        )
        w.line("o, d = Thing(0.5, 1), {'f': x, 'm': 0}")
        w.line(w.pick(["also, m0, t0 = l0, y, (x, n)", "also, m0, t0 = [0.5], x, (y, k)"]))
        w.line(w.pick(["if k > 1: m0 = t0 = None", "if n > k: m0 = None"]))
        w.line("pair = Pair(x, 1.5)")
        w.line(w.pick(["g0, q0 = set(), {}", "g0, q0 = {3, 1}, {2: 0.5}", "g0, q0 = set(ks), {}"]))
        w.line("if k > 1: u = 1.5")
        w.line("def note(z): print('note', z, n)")
        w.line("@contextmanager")
        with w.block("def said(z):"):
            w.line("print('enter', z, n)")
            w.line("yield")
            w.line("print('leave', z, n)")
        w.line("@contextmanager")
        with w.block("def kept(thing, log):"):
            w.line("try: yield len(log)")
            w.line("except (ValueError, LookupError): thing.q += 1")
            w.line("else: log.append(thing.p)")
            w.line(w.pick(["finally: thing.p += 0.5", "finally: pass"]))
        block(w, CodePosition(scope, returns), most=7)
        w.line(filled(w, scope, returns, 2))


def staged_programs(statements: int = 10):
    return programs(program, statements)


def block(w: Writer, place: CodePosition, most: int = 3) -> None:
    w.statements(statement, place, most=most)


def statement(w: Writer, p: CodePosition) -> None:
    kinds = [simple] * 12 + (
        [if_, if_, if_, while_, for_, for_, for_, try_, with_, match, function] if p.depth < 4 else []
    )
    if p.depth and p.returns:
        kinds += [jump, rare]
    w.pick(kinds)(w, p)


def simple(w: Writer, p: CodePosition) -> None:
    w.line(filled(w, p.scope, w.pick(SIMPLE if not p.scope.inner else SIMPLE[:13]), 2))


def rare(w: Writer, p: CodePosition) -> None:
    form = w.pick(RARE)
    if p.scope.inner or (p.guarded and form.startswith(("assert", "raise", "{f} = u"))):
        form = SIMPLE[0]
    if form == "return":
        form = p.returns
    w.line(filled(w, p.scope, form, 2))


def jump(w: Writer, p: CodePosition) -> None:
    w.line(w.pick(["break", "continue"]) if p.loop and w.below(3) else filled(w, p.scope, p.returns, 2))


def condition(w: Writer, p: CodePosition) -> str:
    return expression(w, p.scope, "B", 2)


def if_(w: Writer, p: CodePosition) -> None:
    with w.block(f"if {condition(w, p)}:"):
        block(w, p.within())
    while w.once_in(4):
        with w.block(f"elif {condition(w, p)}:"):
            block(w, p.within())
    if w.once_in(2):
        with w.block("else:"):
            block(w, p.within())


def while_(w: Writer, p: CodePosition) -> None:
    if p.loops > 1:
        return if_(w, p)
    count = f"w{w.number()}"
    limit = expression(w, p.scope, "I", 1)
    w.line(f"{count} = {w.pick(['0', 'n * 0'])}")
    form = w.pick(
        [
            "while {0} < {1} % 4:",
            "while {0} < 3 and {2}:",
            "while ({0} := {0} + 1) < 4 and {2}:",
            "while True:",
        ]
    )
    with w.block(form.format(count, limit, condition(w, p))):
        if ":=" not in form:
            w.line(f"{count} += 1")
        if form == "while True:":
            w.line(f"if {count} > {limit} % 4: break")
        block(w, p.within(loop=True, loops=p.loops + 1))
    if w.once_in(4):
        with w.block("else:"):
            block(w, p.within())
    return None


LOOPS = [
    ("{i}", "range({I} % 4)"), ("e", "ks"), ("e", "xs * 1.0"), ("{i}", "range(3)"),
    ("j, e", "enumerate(ks)"), ("e, j", "zip(xs * 0.5, ks)"), ("{i}", "[1, 2, n]"), ("e", "reversed(ks)"),
    ("j", "range(1, {I} % 5, 2)"), ("e", "{l}[:]"), ("e", "[x, 0.5]"), ("{f}", "{A}"),
    ("j", "range(3, {I} % 3, -1)"), ("e", "[g * 0.5 for g in xs]"), ("j", "range(16)"),
    ("j", "sorted({g})"), ("j, e", "{q}.items()"),
]  # fmt: skip


def for_(w: Writer, p: CodePosition) -> None:
    if p.loops > 1:
        return if_(w, p)
    target, iterated = (filled(w, p.scope, text, 1) for text in w.pick(LOOPS))
    inner = p.scope
    ints, floats = list(inner.names["i"]), list(inner.names["f"])
    with w.block(f"for {target} in {iterated}:"):
        block(w, p.within(loop=True, loops=p.loops + 1, scope=inner))
        if "j" in target.split(", ") and w.once_in(2):
            w.line(f"{ints[0]} = (i0 + int(j)) % 9")
        if "e" in target.split(", ") and w.once_in(2):
            w.line(f"{floats[0]} = (e + {floats[-1]}) * 0.5")
    if w.once_in(4):
        with w.block("else:"):
            block(w, p.within())
    return None


def try_(w: Writer, p: CodePosition) -> None:
    inside = p.within()
    with w.block("try:"):
        block(w, inside)
        for _ in range(0 if p.guarded or p.scope.inner else w.below(3)):
            w.line(filled(w, p.scope, w.pick(RISKY), 1))
            block(w, inside, most=1)
    if w.once_in(2):
        for header in dict.fromkeys([w.pick(HANDLERS), w.pick(HANDLERS)]):
            with w.block(header):
                block(w, inside)
                if p.returns and w.once_in(3):
                    w.line(filled(w, p.scope, p.returns, 1))
        if w.once_in(2):
            with w.block("else:"):
                block(w, inside)
        if w.once_in(2):
            return
    with w.block("finally:"):
        block(w, dataclasses.replace(inside, returns="", loop=False), most=2)


def with_(w: Writer, p: CodePosition) -> None:
    form = w.pick(
        [
            "with nullcontext({F}) as {f}:",
            "with said(n):",
            "with said(k), nullcontext({I}) as {i}:",
            "with kept(o, l0) as {i}:",
            "with kept(Thing({F}, 2), also):",
        ]
    )
    with w.block(filled(w, p.scope, form, 1)):
        block(w, p.within(guarded=True))


def match(w: Writer, p: CodePosition) -> None:
    with w.block(f"match {expression(w, p.scope, 'I', 2)}:"):
        for _ in range(1 + w.below(3)):
            guard = f" if {condition(w, p)}" if w.once_in(3) else ""
            with w.block(f"case {w.pick(['0', '1 | 2', '-1', '3', '2 as i0', '4'])}{guard}:"):
                block(w, p.within())
        if w.once_in(2):
            with w.block(w.pick(["case _:", "case i1:"])):
                block(w, p.within())


def function(w: Writer, p: CodePosition) -> None:
    """A function of an int that gives an int, called later."""
    if p.depth:
        return simple(w, p)
    name = f"h{w.number()}"
    names = {**p.scope.names, "i": ["z", "v"]}
    scope = Scope(names, list(p.scope.functions), inner=True)
    with w.block(f"def {name}(z):"):
        shared = w.pick(["", "i0", "f0, a0", "f1"])
        own = [n for kind in "fbal" for n in p.scope.names[kind] if n not in shared.split(", ")]
        names.update({kind: [n + "_" if n in own else n for n in names[kind]] for kind in "fbal"})
        if shared:
            w.line(f"nonlocal {shared}")
            if shared == "i0":
                scope.names["i"].append("i0")
        w.line(
            "v, f0_, f1_, b0_, a0_, l0_ = z, f0 * 0.5, x, flag, xs + 1.0, [x]"
            if shared != "f0, a0"
            else "v, f0_, f1_, b0_, a0_, l0_ = 1, y, x, flag, xs + 1.0, [x]"
        )
        block(w, CodePosition(scope, "return {I}", loops=1, depth=p.depth + 1))
        w.line(f"return {expression(w, scope, 'I', 2)}")
    p.scope.functions.append(name)
    return None
