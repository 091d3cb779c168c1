"""Tests of the names that code reads and binds, and of the edges of the control flow graph."""

from __future__ import annotations

import re
import textwrap

import gast
import pytest

from autograph_rs.converters.analysis import activity, cfg, declarations, dotted_name

KINDS = (
    "uses",
    "bindings",
    "deletions",
    "captures",
    "nonlocal_bindings",
    "mutations",
    "declared",
    "attributes",
    "conditional_bindings",
)


def shown(source: str) -> str:
    """The fields of an activity that are not empty, as `field: names; ...`."""
    found = activity(gast.parse(textwrap.dedent(source)).body)
    fields = [(name, sorted(getattr(found, name))) for name in KINDS]
    return "; ".join(f"{name}: {' '.join(names)}" for name, names in fields if names)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a", "uses: a"),
        ("a = b", "uses: b; bindings: a"),
        ("a = b = (c, *d) = e", "uses: e; bindings: a b c d"),
        ("a += b", "uses: a b; bindings: a"),
        ("a: int = b", "uses: b int; bindings: a"),
        ("a: int", "declared: a"),
        ("a.b = c", "uses: a c; attributes: a.b"),
        ("a.b.c += d", "uses: a d; attributes: a.b.c"),
        ("a().b = c", "uses: a c"),
        ("del a.b", "uses: a; attributes: a.b"),
        ("a[b] = c", "uses: a b c"),
        ("a[b] += c", "uses: a b c"),
        ("del a, b[c]", "uses: a b c; deletions: a; mutations: b"),
        ("a.append(b)", "uses: a b; mutations: a"),
        ("a.b.append(c)", "uses: a c"),
        ("a.append", "uses: a; mutations: a"),
        ("(a := b)", "uses: b; bindings: a"),
        ("import a.b, c as d", "bindings: a d"),
        ("from a import b, c as d", "bindings: b d"),
        ("if a: b = c\nelse: d = e", "uses: a c e; bindings: b d"),
        ("while a: b", "uses: a b"),
        ("for a, (b, c.d) in e: f", "uses: c e f; bindings: a b; attributes: c.d"),
        ("with a as b, c: d", "uses: a c d; bindings: b"),
        ("try: a\nexcept b as c: d", "uses: a b d; bindings: c; deletions: c"),
        ("try: a\nexcept b: c\nelse: d\nfinally: e", "uses: a b c d e"),
        ("match a:\n  case [b, *c] if d: e", "uses: a d e; bindings: b c"),
        ("match a:\n  case {'k': b, **c} | (b, c): pass", "uses: a; bindings: b c"),
        ("match a:\n  case b(c=d) as e: pass", "uses: a b; bindings: d e"),
        ("match a:\n  case b.c | 1: pass", "uses: a b"),
        ("[a for b in c if d]", "uses: a c d"),
        ("[a for a in a]", "uses: a"),
        ("{a: b for a, b in c}", "uses: c"),
        ("[a for b in c for d in b for e in f]", "uses: a c f"),
        ("[(a := b) for b in c]", "uses: c; bindings: a; conditional_bindings: a"),
        ("x and (y or (a if z else (b := 1)))", "uses: a x y z; bindings: b; conditional_bindings: b"),
        ("(x and (a := 1)) and (b := 2 < (c := 3))", "uses: x; bindings: a b c; conditional_bindings: a b c"),
        ("((a := x) and y) or z", "uses: x y z; bindings: a"),
        ("(a for b in c)", "uses: a c; captures: a"),
        ("[b for a.b in c]", "uses: a b c"),
        ("lambda a, b=c: a + d", "uses: c; captures: d"),
        ("lambda: (a := b)", "captures: b"),
        ("lambda a: lambda b: a + b + c", "captures: c"),
        ("def a(b, c=d, *, e: f = g) -> h: i", "uses: d f g h; bindings: a; captures: i"),
        ("@a\ndef b(): b()", "uses: a; bindings: b; captures: b"),
        ("def a():\n  b = c\n  b", "bindings: a; captures: c"),
        ("def a():\n  nonlocal b\n  b = c", "bindings: a; captures: b c; nonlocal_bindings: b"),
        ("def a():\n  nonlocal b\n  b", "bindings: a; captures: b"),
        ("def a():\n  nonlocal b\n  del b", "bindings: a; captures: b; nonlocal_bindings: b"),
        ("def a():\n  global b\n  b = c", "bindings: a; captures: c"),
        ("def a():\n  b: int\n  b", "bindings: a"),
        ("def a():\n  def b():\n    nonlocal c\n    c = 1", "bindings: a; captures: c; nonlocal_bindings: c"),
        ("def a():\n  c = 0\n  def b():\n    nonlocal c\n    c = 1", "bindings: a"),
        ("class a(b, c=d):\n  e = f", "uses: b d; bindings: a; captures: f"),
        ("class a:\n  def b(self): return c", "bindings: a; captures: c"),
        ("class a:\n  nonlocal b\n  b = c", "bindings: a; captures: b c; nonlocal_bindings: b"),
        ("async def a(): await b", "bindings: a; captures: b"),
        ("f'{a!r:{b}}'", "uses: a b"),
        ("ag__.and_(lambda: a, lambda: b)", "uses: a b"),
        ("a(lambda: b)", "uses: a; captures: b"),
        ("global a\na = b", "uses: b; bindings: a"),
    ],
)
def test_activity(source: str, expected: str):
    assert shown(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = b(c)\nif a: d = a", False),
        ("a = ag__.and_(lambda: b, lambda: c)", False),
        ("if a:\n  def b(): pass", True),
        ("a(lambda: 1)", True),
        ("class a: pass", True),
        ("a([b for b in c])", True),
        ("sum(a for a in b)", True),
    ],
)
def test_defines(source: str, *, expected: bool):
    assert activity(gast.parse(source).body).has_inner_scopes is expected


def test_what_functions_take_is_left_out_where_nobody_asks():
    found = activity(gast.parse("def a(b=c):\n  nonlocal d\n  d = e\nf = lambda: g").body, captures=False)
    assert (found.bindings, found.uses) == ({"a", "f"}, {"c"})
    assert not found.captures and not found.nonlocal_bindings


def test_declarations_are_those_of_the_function_itself():
    body = gast.parse("""
if a:
    nonlocal b
    def g():
        nonlocal c
    while a:
        global d, e
""").body
    assert declarations(body) == ({"b"}, {"d", "e"})


@pytest.mark.parametrize(
    ("text", "expected"), [("a.b.c", "a.b.c"), ("a", "a"), ("a().b", None), ("a[0].b", None)]
)
def test_dotted(text: str, expected: str | None):
    assert dotted_name(gast.parse(text).body[0].value) == expected


# The graph: `# -> lines` says which lines may run next, `! line` where an exception leads -------


def check_edges(snippet: str) -> None:
    body = textwrap.indent(textwrap.dedent(snippet), "    ")
    graph = cfg.build(gast.parse(f"def f():{body}").body[0])

    def line_of(node: int) -> int | None:
        trees = [getattr(tree, "context_expr", tree) for tree in graph.nodes[node]]
        return min((tree.lineno for tree in trees if hasattr(tree, "lineno")), default=None)

    def reached(starts: list[int]) -> set[str]:
        """The first lines on the way from some nodes; steps without a line are passed."""
        found, seen, stack = set(), set(), list(starts)
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node == graph.exit:
                found.add("end")
            elif line_of(node) is not None:
                found.add(str(line_of(node)))
            else:
                stack.extend(graph.successors[node])
        return found

    for number, line in enumerate(snippet.splitlines(), 1):
        comment = re.search(r"# ->([^!]*)(?:! (.*))?$", line)
        if comment is None:
            continue
        nodes = [n for n in range(len(graph.nodes)) if line_of(n) == number]
        follows = set().union(*(reached(graph.successors[n]) for n in nodes)) - {str(number)}
        raises = set().union(*(reached(graph.exception_edges[n]) for n in nodes))
        assert follows == set(comment[1].split()), number
        assert raises == set((comment[2] or "").split()), number


def test_edges_of_branches_and_loops():
    check_edges("""
        if a:               # -> 3 5
            b = 1           # -> 6
        else:
            c = 1           # -> 6
        for i in x:         # -> 7 14
            if i:           # -> 8 9
                continue    # -> 6 14
            if b:           # -> 10 11
                break       # -> 15
            while c:        # -> 12 6 14
                c = 1       # -> 11
        else:
            d = 1           # -> 15
        raise a             # ->
    """)


def test_edges_of_try():
    check_edges("""
        try:
            a = 1           # -> 9 ! 4
        except b:           # -> 5 6
            c = 1           # -> 10
        except d:           # -> 7
            return          # -> end
        else:
            e = 1           # -> 10
        f = 1               # -> end
    """)


def test_edges_of_finally():
    """After a `finally` the jump that led there goes on; where it leads is known up to its targets."""
    check_edges("""
        for i in x:         # -> 4 10
            try:
                if i:       # -> 5 6 ! 8
                    break   # -> 8 10 ! 8
                return      # -> 8 ! 8
            finally:
                c = 1       # -> 9 end
            e = 1           # -> 2 10
        f = 1               # -> end
    """)


def test_edges_of_with_and_match():
    check_edges("""
        with a as b:        # -> 3
            c = 1           # -> 4 ! 4
        match d:            # -> 5
            case 1:         # -> 6 ! 7
                e = 1       # -> 9
            case [g]:       # -> 8 ! 9
                return      # -> end
        f = 1               # -> end
    """)
