"""Plain programs: every statement of Python, over ints, a list, a dict and a box.

A program is the text of a module whose function `f(p, q)` is run. Loops are bounded, and what is called
is defined before, so that every program ends.
"""

from __future__ import annotations

import dataclasses

from .expressions import Scope, condition, number, sequence
from .simple_statements import ERRORS, FATAL, INTS, SIMPLE, CodePosition, assign, targets
from .writing import Writer, programs


def program(w: Writer) -> None:
    w.line("G = 1")
    for _ in range(w.below(2)):
        function(w, CodePosition(Scope("def", [], ["G"])), f"g{w.number()}", top=True)
    w.line("")
    scope = Scope("def", [*INTS, "z"], ["p", "q", "a", "b"])
    with w.block("def f(p, q):"):
        if w.once_in(6):
            w.line("global G")
            scope.ints.append("G")
            scope.sure.append("G")
        w.line("a = b = 1")
        w.line("xs, ys, m, o, fs = [3, 1, 2], [4], {1: 2, 3: 4}, Box(5), []")
        w.line("o.r = Box(p, q)")
        unbound = w.pick(
            ["if q > 1: c = d = e = 2", "c = d = e = 0", "c = 3\n    if p: e = 4\n    else: d = 5"]
        )
        w.line(unbound)
        block(w, CodePosition(scope), most=7)
        w.line(
            w.pick(
                ["return a, b, xs, ys, m, o", "return a, b, c, xs, m, o, [h() for h in fs]", "return e, d"]
            )
        )


def plain_programs(statements: int = 12):
    return programs(program, statements)


def block(w: Writer, place: CodePosition, most: int = 3) -> None:
    w.statements(statement, place, most=most)


def statement(w: Writer, place: CodePosition) -> None:
    kinds = [*SIMPLE, *(COMPOUND if place.depth < 5 else []), *(FATAL if place.depth > w.below(3) else [])]
    w.pick(kinds)(w, place)


# Compound statements


def if_(w: Writer, p: CodePosition) -> None:
    with w.block(f"if {condition(w, p.scope)}:"):
        block(w, p.within())
    while w.once_in(4):
        with w.block(f"elif {condition(w, p.scope)}:"):
            block(w, p.within())
    if w.once_in(3):
        with w.block("else:"):
            block(w, p.within())


def while_(w: Writer, p: CodePosition) -> None:
    if p.loops > 1:
        return if_(w, p)
    count = f"w{w.number()}"
    w.line(f"{count} = 0")
    form = w.pick(
        ["while {0} < 3 and {1}:", "while ({0} := {0} + 1) < 4 and {1}:", "while {1}:", "while True:"]
    )
    with w.block(form.format(count, condition(w, p.scope))):
        if ":=" not in form:
            w.line(f"{count} += 1")
        if form.count("{0}") == 0:
            w.line(f"if {count} > 2: break")
        block(w, p.within(loop=p.returns or p.loop or True, loops=p.loops + 1))
    if w.once_in(3):
        with w.block("else:"):
            block(w, p.within())
    return None


def for_(w: Writer, p: CodePosition) -> None:
    if p.loops > 1:
        return if_(w, p)
    s = p.scope
    target, form = w.pick([
        ("i", "range({} % 4)"), ("i", "xs"), ("{0}", "range(3)"), ("i, {0}", "enumerate({1})"),
        ("i, j", "zip({1}, {1})"), ("i, j", "m.items()"), ("i, j", "list(m.items())"), ("o.p", "range(2)"),
        ("xs[0]", "{1}"), ("i, *ys", "[(1, 2), (3,)]"), ("(i, (j, {0}))", "enumerate([(1, 2), (3, 4)])"),
        ("i", "{1}"), ("m[1]", "(4, 5)"), ("i", "reversed({1})"),
    ])  # fmt: skip
    target = target.format(targets(w, s)[0])
    form = form.replace("{}", "{0}").format(number(w, s, 1), sequence(w, s))
    if s.generators and w.once_in(5):
        target, form = "i", f"{w.pick(s.generators)}({number(w, s, 1)})"
    word = "for"
    if s.kind == "async" and w.once_in(3):
        word, target, form = "async for", "i", "steps(3)"
    with w.block(f"{word} {target} in {form}:"):
        if target in ("i", "i, j"):
            p = dataclasses.replace(p, scope=with_sure(s, "i"))
        block(w, p.within(loop=True, loops=p.loops + 1))
    if w.once_in(3):
        with w.block("else:"):
            block(w, p.within(scope=s))
    return None


def with_sure(s: Scope, *names: str) -> Scope:
    """The same scope, its lists shared, with names that are bound here."""
    return dataclasses.replace(s, sure=[*s.sure, *names])


def try_(w: Writer, p: CodePosition) -> None:
    with w.block("try:"):
        block(w, p.within())
    star = "*" if w.once_in(8) else ""
    handlers = w.below(3)
    inside = p.within(handler=True)
    if star:
        handlers = max(handlers, 1)
        inside = p.within(handler=True, loop=False, returns=False)
    for i in range(handlers):
        caught = w.pick(ERRORS[:6] if star else ERRORS)
        bare = i == handlers - 1 and not star and w.once_in(8)
        with w.block("except:" if bare else f"except{star} {caught}{w.pick(['', ' as e', ' as err'])}:"):
            if w.once_in(3):
                w.line(f"t({w.number()}, {w.pick(['str(e)', 'str(err)'])})" if not bare else "a += 1")
            block(w, inside)
    if handlers and w.once_in(4):
        with w.block("else:"):
            block(w, p.within())
    if not handlers or w.once_in(3):
        with w.block("finally:"):
            block(w, p.within())


def with_(w: Writer, p: CodePosition) -> None:
    s = p.scope
    managers = []
    word = "async with" if s.kind == "async" and w.once_in(3) else "with"
    for _ in range(1 + w.once_in(4)):
        form = w.pick(
            ["entered({0}, {1})", "Manager({0}, {1})", "entered({0}, {1}, {2})", "Manager({0}, {1}, {2})"]
        )
        target = w.pick(["", f" as {targets(w, s)[0]}", " as o.p", " as xs[0]"])
        if word == "async with":
            form = form.replace("entered", "Manager")
        managers.append(form.format(w.number(), number(w, s, 1), w.pick(ERRORS)) + target)
    text = ", ".join(managers)
    with w.block(f"{word} ({text}):" if len(managers) > 1 and w.once_in(2) else f"{word} {text}:"):
        block(w, p.within())


def match(w: Writer, p: CodePosition) -> None:
    s = p.scope
    subject = w.pick(
        [number(w, s), f"({number(w, s)}, {number(w, s, 1)})", "xs", "m", "o", sequence(w, s), "o, xs"]
    )
    with w.block(f"match {subject}:"):
        for _ in range(1 + w.below(3)):
            guard = f" if {condition(w, s)}" if w.once_in(4) else ""
            with w.block(f"case {pattern(w, s, 2)}{guard}:"):
                block(w, p.within())
        if w.once_in(3):
            with w.block(w.pick(["case _:", f"case {targets(w, s)[0]}:"])):
                block(w, p.within())


def pattern(w: Writer, s: Scope, depth: int) -> str:
    name = targets(w, s)[0]
    flat = [
        "1", "0 | 2", "-1", f"int() as {name}", f"(1 | 2 | 3) as {name}", "True", "None", "[_, *_]",
        f"[{name}, *_]", f"({name}, _)", "[1, *ys]", f"{{1: {name}}}", "{1: _, **rest}", f"Box(p={name})",
        "Box(5, _)", "o.p", "int() | str()",
    ]  # fmt: skip
    if depth and w.once_in(4):
        inner = pattern(w, s, 0)
        if name not in inner:
            return w.pick(["[{}, _]", "(_, {})", "Box(q={})", "{{3: {}}}", "[*_, {}]"]).format(inner)
    return w.pick(flat)


def function(w: Writer, p: CodePosition, name: str = "", *, top: bool = False) -> None:
    """A function of its own, and perhaps a call of it."""
    outer = p.scope
    if p.loops > 1 or (p.depth > 3 and not top):
        return assign(w, p)
    name = name or f"h{w.number()}"
    kind = w.pick(["def", "def", "def", "generator", "async", "recursive"])
    arguments = (
        f"x, y={number(w, outer, 0)}" if not top else w.pick(["x, y=2", "x, y=2, *rest", "x, /, y=3, **more"])
    )
    if arguments.startswith("x, /") or kind in ("generator", "async", "recursive"):
        arguments = "x, y=2"
    scope = Scope(
        kind if kind != "recursive" else "def",
        ["x", "u", "v", "z"],
        ["x", "y", "u", *(["G"] if top else ["p"])],
    )
    scope.outer = [] if top else [n for n in [*outer.sure, *outer.ints] if n not in ("x", "y", "u", "v", "G")]
    scope.functions, scope.generators = list(outer.functions), list(outer.generators)
    if top:
        scope.outer = ["G"]
    if kind == "def" and w.once_in(6):
        w.line(
            w.pick(
                [f"@logged({w.number()})", f"@logged({w.number()})\n{'    ' * w.depth}@logged({w.number()})"]
            )
        )
    with w.block(f"{'async ' if kind == 'async' else ''}def {name}({arguments}):"):
        if w.once_in(8):
            w.line("'''What it does.'''")
        shared = [n for n in dict.fromkeys([*outer.sure, *outer.ints]) if n in INTS]
        if shared and not top and w.once_in(2):
            chosen = w.pick(shared)
            w.line(f"nonlocal {chosen}")
            scope.ints.append(chosen)
        elif w.once_in(6):
            w.line("global G")
            scope.ints.append("G")
        w.line("u = x")
        if top:
            w.line("xs, ys, m, o, fs = [1, 2], [], {1: y}, Box(x), []")
            w.line("o.r = o")
        elif w.once_in(5):
            w.line("xs = [u, 2]")
        if w.once_in(4):
            w.line("if y > 1: v = 3")
        if kind == "generator":
            w.line("yield u")
        inner = CodePosition(scope, loops=min(p.loops + 1, 2), depth=p.depth + 1, calm=kind == "generator")
        if kind == "recursive":
            w.line("deeper = x % 4 - 1")
            w.line(f"if x <= 0: return {number(w, scope, 1)}")
        block(w, inner)
        if kind == "recursive":
            w.line(f"return {name}(deeper) + {number(w, scope, 1)}")
        elif w.below(3):
            w.line(f"return {number(w, scope)}")
    {"generator": outer.generators, "async": outer.coroutines}.get(kind, outer.functions).append(name)
    if not top:
        used(w, p, kind, name)
    return None


def used(w: Writer, p: CodePosition, kind: str, name: str) -> None:
    argument, label = number(w, dataclasses.replace(p.scope, plain=True), 1), w.number()
    if kind == "async":
        form = "t({0}, await {1}({2}))" if p.scope.kind == "async" else "t({0}, drive({1}({2})))"
    elif kind == "generator":
        form = w.pick(
            ["t({0}, list({1}({2})))", "gen = {1}({2}); t({0}, next(gen)); gen.send({2})", "ys = [*{1}({2})]"]
        )
    else:
        form = w.pick(
            ["t({0}, {1}({2}))", "fs.append({1})", "fs.append(lambda: {1}({2}))", "xs.sort(key={1})"]
        )
    w.line(form.format(label, name, argument))


def class_(w: Writer, p: CodePosition) -> None:
    if p.loops > 1 or p.depth > 3:
        return assign(w, p)
    name = f"C{w.number()}"
    outer = p.scope
    scope = Scope("class", ["k", "n", "z"], list(outer.sure), functions=list(outer.functions))
    with w.block(f"class {name}(Box):"):
        w.line(f"k = {number(w, scope, 1)}")
        block(w, CodePosition(scope, returns=False, depth=p.depth + 1, loops=1), most=2)
        decorator = w.pick(["", "@property", "@staticmethod", "@classmethod", f"@logged({w.number()})"])
        first = {"@staticmethod": "x"}.get(decorator, "self")
        if decorator:
            w.line(decorator)
        with w.block(f"def run({first}{'' if decorator in ('@property', '@staticmethod') else ', x=1'}):"):
            if w.once_in(3) and decorator not in ("@staticmethod", "@classmethod"):
                w.line("u = super().__repr__() and self.p")
            else:
                w.line(f"u = {first}{'' if first == 'x' else '.k'}")
            inner = Scope("def", ["u", "v", "z"], ["u"], outer=[n for n in outer.sure if n != "G"])
            inner.functions = list(outer.functions)
            block(w, CodePosition(inner, depth=p.depth + 1, loops=1))
            w.line(f"return {number(w, inner, 1)}")
    call = "" if decorator == "@property" else "(2)"
    w.line(
        w.pick([f"t({w.number()}, {name}({number(w, outer, 1)}).run{call})", f"o = {name}(o.p); o.r = Box()"])
    )
    return None


COMPOUND = [if_, if_, if_, while_, for_, for_, try_, try_, with_, match, function, class_]
