"""The analyses, by annotations in comments on source lines.

A snippet is the body of a function. `# live: a, b` says which names are live just before the line's
statement, `# unbound: a` which may be unbound there, `# stays` that the statement stays as it is. A
line without the comment is not looked at, but for `# stays`, which must be on every line that stays.
"""

from __future__ import annotations

import re
import textwrap

import gast
import pytest

from autograph_rs.converters.analysis import Activity, Facts, activity


def facts_of(snippet: str, params: str = "", kind: str = "def") -> Facts:
    body = textwrap.indent(textwrap.dedent(snippet), "    ")
    return Facts(gast.parse(f"{kind} f({params}):{body}").body[0])


def notes(snippet: str, word: str) -> dict[int, set[str]]:
    """The names in the comments `# word: names`, by line."""
    found = {}
    for number, line in enumerate(snippet.splitlines(), 1):
        comment = re.search(rf"#.*\b{word}:([^;]*)", line)
        if comment:
            found[number] = set(re.findall(r"\w+", comment[1]))
    return found


def statements(facts: Facts) -> dict[int, gast.stmt]:
    """The outermost statement that begins on each line, nested functions left out."""
    found: dict[int, gast.stmt] = {}
    stack = [*facts.function.body]
    while stack:
        node = stack.pop()
        if isinstance(node, gast.stmt):
            found.setdefault(node.lineno, node)
        if not isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            stack.extend(gast.iter_child_nodes(node))
    return found


def check_points(snippet: str, params: str, word: str) -> None:
    facts = facts_of(snippet, params)
    by_line = statements(facts)
    expected = notes(snippet, word)
    assert expected
    actual = {}
    for line in expected:
        node = by_line[line]
        point = facts.entry(node) if node in facts.graph.entries else facts.before(node)
        actual[line] = set(getattr(point, word))
    assert actual == expected


def check_liveness(snippet: str, params: str = "n, x, y, xs") -> None:
    check_points(snippet, params, "live")


def check_unbound(snippet: str, params: str = "n, x, xs") -> None:
    check_points(snippet, params, "unbound")


def check_stays(snippet: str, kind: str = "def") -> None:
    facts = facts_of(snippet, "n, x, xs", kind)
    expected = {n for n, line in enumerate(snippet.splitlines(), 1) if line.endswith("# stays")}
    assert {statement.lineno for statement in facts.staying} == expected


# Liveness --------------------------------------------------------------------------------------


def test_live_in_straight_line():
    check_liveness("""
        a = x        # live: x, y
        x = 1        # live: a, y
        b = a + y    # live: a, x, y
        b = x        # live: x
        return b     # live: b
    """)


def test_live_in_while():
    check_liveness("""
        total = 0           # live: n
        while n:            # live: n, total
            total += n      # live: n, total
            n -= 1          # live: n, total
        return total        # live: total
    """)


def test_live_in_if():
    check_liveness("""
        if n:               # live: n, x, y
            a = x           # live: x
        elif x:             # live: x, y
            a = y           # live: y
        else:
            return          # live:
        return a            # live: a
    """)


def test_live_in_for():
    check_liveness("""
        last = None         # live: xs
        for i in xs:        # live: xs, last
            last = i        # live: i
        else:
            n = last        # live: last
        return n            # live: n
    """)


def test_live_across_jumps():
    check_liveness("""
        for i in xs:        # live: xs, n, x, y
            if i:           # live: i, n, x, y
                n = 1       # live: y
                break       # live: n, y
            if x:           # live: i, n, x, y
                continue    # live: n, x, y
            return i        # live: i
        else:
            y = x           # live: x, n
        return n, y         # live: n, y
    """)


def test_live_in_handlers():
    """What a `try` binds may be lost to an exception, so what was there before stays live."""
    check_liveness("""
        a = 1               # live: x, y
        try:                # live: a, x, y
            a = x           # live: a, x, y
            b = y           # live: a, y
        except ValueError:
            b = a           # live: a
        return b            # live: b
    """)


def test_live_in_finally():
    check_liveness("""
        try:                # live: n, x, y
            if n:           # live: n, x, y
                return x    # live: x, y
            x = y
        finally:
            print(y)        # live: x, y
        return x            # live: x
    """)


def test_jumps_pass_through_finally():
    check_liveness("""
        while n:            # live: n, x, y
            try:            # live: x, y
                break       # live: x, y
            finally:
                n = y       # live: x, y
        return x            # live: x
    """)


def test_live_in_with():
    """A context manager may swallow, so every step of the block leads to what follows."""
    check_liveness("""
        a = 0               # live: x, y
        with x as c:        # live: a, x, y
            y()             # live: a, c, y
            a = c           # live: a, c
        return a            # live: a
    """)


def test_live_in_match():
    check_liveness("""
        match x:                    # live: n, x, y
            case 1:
                return y            # live: y
            case [a, *rest] if n:
                x = a               # live: a, rest
                return rest         # live: rest
        return x                    # live: x
    """)


def test_walrus_binds():
    check_liveness("""
        if (a := x):                # live: n, x
            return a                # live: a
        while (y := n):             # live: n
            x = y                   # live: n, y
        return y                    # live: y
    """)


def test_comprehension_scope_is_its_own():
    check_liveness("""
        i = 1                               # live: n, xs, y
        a = [i + n for i in xs if i]        # live: i, n, xs, y
        b = {k: [j for j in k] for k in y}  # live: a, i, y
        return a, b, i                      # live: a, b, i
    """)


def test_captures_are_always_live():
    """A closure may read what it takes at any later time, also before it is made again."""
    check_liveness("""
        a = 1                   # live: a, x, xs
        g = lambda: a + x       # live: a, x, xs
        a = 2                   # live: a, g, x, xs
        h = (x for y in xs)     # live: a, g, x, xs
        return g, h             # live: a, g, h, x
    """)


def test_class_bodies_capture():
    check_liveness("""
        a = x            # live: a, x
        class C:         # live: a
            b = a
        return C         # live: C, a
    """)


def test_nonlocal_and_global_are_always_live():
    check_liveness("""
        global g        # live: g, n
        g = n           # live: g, n
        n = 1           # live: g
        return          # live: g
    """)


def test_del_ends_a_life():
    check_liveness("""
        a = x            # live: x
        del a            # live: a
        a = 2            # live:
        return a         # live: a
    """)


def test_except_as_ends_a_life():
    check_liveness("""
        e = n                       # live: n, x
        try:                        # live: e, x
            x()                     # live: e, x
        except ValueError as e:
            return e                # live: e
        return e                    # live: e
    """)


def test_augmented_assignment_reads():
    check_liveness("""
        n += 1           # live: n, x, y
        x[n] += 1        # live: n, x, y
        y.a += n         # live: n, y
        return y         # live: y
    """)


# Names that may be unbound ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "snippet",
    [
        """
        if n:             # unbound: a, b
            a = b = 1
        else:
            b = 2         # unbound: a, b
        return a          # unbound: a
        """,
        """
        for i in xs:      # unbound: i, a
            a = i         # unbound: a
        else:
            n = 1         # unbound: i, a
        return i          # unbound: i, a
        """,
        """
        while True:       # unbound: a
            a = 1         # unbound: a
            if n:         # unbound:
                break
        return a          # unbound: a
        """,
        """
        try:              # unbound: a, e, b
            a = x()       # unbound: a, e, b
            b = 1         # unbound: e, b
        except ValueError as e:
            n = e         # unbound: a, b
        return a          # unbound: a, b, e
        """,
        """
        try:              # unbound: a
            a = x()
        except ValueError:
            return        # unbound: a
        return a          # unbound:
        """,
        """
        try:              # unbound: a
            a = x()
        finally:
            n = 1         # unbound: a
        return a          # unbound: a
        """,
        """
        with x as a:      # unbound: a, b
            b = 1         # unbound: b
        return b          # unbound: b
        """,
        """
        a = 1             # unbound: a, b, os, g
        del a             # unbound: b, os, g
        (b := 1)          # unbound: a, b, os, g
        import os.path    # unbound: a, os, g
        def g(): pass     # unbound: a, g
        return g          # unbound: a
        """,
        """
        match x:              # unbound: a, rest, k
            case [a, *rest]:
                return        # unbound: k
            case {"z": 1, **k}:
                return        # unbound: a, rest
            case _:
                a = 1         # unbound: a, rest, k
        return a              # unbound: rest, k
        """,
    ],
)  # fmt: skip
def test_unbound(snippet: str):
    if "finally" in snippet or "True" in snippet:
        check_at_least_unbound(snippet)
    else:
        check_unbound(snippet)


def check_at_least_unbound(snippet: str) -> None:
    """Where the graph has paths that do not exist, names may be said to be unbound in vain."""
    facts = facts_of(snippet, "n, x, xs")
    by_line = statements(facts)
    for line, expected in notes(snippet, "unbound").items():
        node = by_line[line]
        point = facts.entry(node) if node in facts.graph.entries else facts.before(node)
        assert expected <= point.unbound, line


# What stays as it is ---------------------------------------------------------------------------


def test_a_plain_function_has_nothing_that_stays():
    check_stays("""
        for i in xs:
            if i:
                return i
            while n:
                break
        with x: pass
    """)


def test_what_yields_stays_and_so_do_returns():
    check_stays("""
        for i in xs:  # stays
            if n:
                n = 1
            if i:  # stays
                yield i
        while n:  # stays
            if x:  # stays
                return
        for i in xs:
            if i:
                break
    """)


def test_what_awaits_stays():
    check_stays("""
        if n:  # stays
            await x
        async for i in xs:  # stays
            if i:  # stays
                break
            if n:
                i = 1
        while n:
            n -= 1
        if n:  # stays
            async with x: pass
    """, "async def")  # fmt: skip


@pytest.mark.parametrize("call", ["locals()", "vars()", "dir()", "eval('n')", "exec('')"])
def test_what_looks_at_the_frame_stays(call: str):
    facts = facts_of(f"""
        if n:
            return {call}
        while x:
            x = [{call} for y in xs]
        for i in xs:
            x = lambda: {call}
    """)
    assert {s.lineno for s in facts.staying} >= {2}


def test_a_jump_out_of_finally_stays():
    check_stays("""
        while n:  # stays
            try:
                n = 1
            finally:
                break
        while n:
            try:
                n = 1
            finally:
                for i in xs:
                    if i: break
    """)


def test_a_suspended_default_stays():
    """The defaults, decorators and bases of a definition run where it stands."""
    check_stays("""
        if n:  # stays
            def g(a=(yield 1)): pass
        if x:  # stays
            class C((yield 2)): pass
        while n:  # stays
            n = lambda a=(yield 3): a
        if xs:
            n = lambda: (yield 4)
    """)
