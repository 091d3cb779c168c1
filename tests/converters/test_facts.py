"""Names that may be unbound, and statements that stay, by annotations; see snippets.py."""

from __future__ import annotations

import pytest
from snippets import check_at_least_unbound, check_stays, check_unbound, facts_of


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
    assert {s.lineno for s in facts.unconverted} >= {2}


def test_what_stays_says_on_whose_account():
    facts = facts_of("""
        if n:
            return x
        for i in xs:
            if i:
                break
            yield i
    """)
    assert {s.lineno: type(anchor).__name__ for s, anchor in facts.unconverted.items()} == {
        2: "Yield",
        4: "Yield",
        5: "Yield",
    }


def test_a_jump_out_of_finally_stays():
    check_stays("""
        while n:  # stays
            try:  # stays
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
