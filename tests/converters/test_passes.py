"""Tests of the statement passes on small functions: Normalise, LowerMatch, LowerJumps."""

from __future__ import annotations

import ast

import gast
import pytest
from pairs import check, text, unchanged

from autograph_rs import converters
from autograph_rs.converters.passes.jumps import LowerJumps
from autograph_rs.converters.passes.match import LowerMatch
from autograph_rs.converters.passes.normalise import Normalise

# Normalise -------------------------------------------------------------------------------------


def test_declarations_go_to_the_top_and_annotations_go():
    check(
        Normalise,
        """
        def f(a: int) -> str:
            "doc"
            x: int = a
            if a:
                global g
                y: nowhere
            a.b: nowhere = x
        """,
        """
        def f(a: int) -> str:
            "doc"
            global g
            y: ...
            x = a
            if a:
                pass
            a.b = x
        """,
    )


def test_assert_becomes_a_call_that_the_compiler_can_drop():
    check(
        Normalise,
        """
        def f(a):
            assert a
            assert a, f(a)
        """,
        """
        def f(a):
            if __debug__:
                ag__.assert_stmt(a, None)
            if __debug__:
                ag__.assert_stmt(a, lambda: f(a))
        """,
    )


def test_super_gets_its_arguments():
    check(
        Normalise,
        """
        def f(me, x):
            super().f(x)
            super(A, me).f()
            lambda a: super().f
        """,
        """
        def f(me, x):
            super(__class__, me).f(x)
            super(A, me).f()
            lambda a: super().f
        """,
    )


@pytest.mark.parametrize(
    ("class_name", "before", "after"),
    [
        ("A", "def f(__x): self.__y.__z__(__k=__x)", "def f(_A__x): self._A__y.__z__(__k=_A__x)"),
        ("__A", "def f(): __x = _x = x__", "def f(): _A__x = _x = x__"),
        ("__", "def f(): __x", "def f(): __x"),
        ("A", "def f():\n class B:\n  __x = 1", "def f():\n class B:\n  __x = 1"),
        (
            "A",
            "def f():\n nonlocal __x\n import __m, __n.p",
            "def f():\n nonlocal _A__x\n import _A__m, __n.p",
        ),
    ],
)
def test_mangle(class_name: str, before: str, after: str):
    tree = gast.parse(before).body[0]
    converters.mangle(tree, class_name)
    assert text(tree) == ast.unparse(ast.parse(after))


# LowerMatch ------------------------------------------------------------------------------------


def test_match_without_captures_under_guards():
    check(
        LowerMatch,
        """
        def f(x):
            match x:
                case 1 | -2: a
                case None: b
                case A.b as y: c
                case _ if x: d
                case _: e
        """,
        """
        def f(x):
            subject = x
            if subject == 1 or subject == -2: a
            elif subject is None: b
            elif subject == A.b:
                y = subject
                c
            elif x: d
            else: e
        """,
    )


def test_a_capture_is_bound_before_its_guard():
    check(
        LowerMatch,
        """
        def f(x):
            match x:
                case 1: a
                case y if y > 2: b
        """,
        """
        def f(x):
            subject = x
            if subject == 1:
                a
            else:
                y = subject
                if y > 2:
                    b
        """,
    )


# LowerJumps ------------------------------------------------------------------------------------


def test_returns_become_nesting():
    check(
        LowerJumps,
        """
        def f(x):
            if x > 0:
                return 1
            y = x
            if y:
                return y
            return 2
        """,
        """
        def f(x):
            if x > 0:
                ag__return_value = 1
            else:
                y = x
                if y:
                    ag__return_value = y
                else:
                    ag__return_value = 2
            return ag__return_value
        """,
    )


def test_continue_becomes_nesting_and_break_a_test():
    check(
        LowerJumps,
        """
        def f(xs):
            for x in xs:
                if x:
                    continue
                a
                if b:
                    break
                c
            else:
                d
            while True:
                if a:
                    break
                c
        """,
        """
        def f(xs):
            broken = False
            for x in ag__.until(xs, lambda: not broken):
                broken = False
                if x:
                    pass
                else:
                    a
                    if b:
                        broken = True
                    else:
                        c
            if not broken:
                d
            broken_1 = False
            while not broken_1:
                broken_1 = False
                if a:
                    broken_1 = True
                else:
                    c
        """,
    )


def test_return_in_a_loop_is_part_of_its_test():
    check(
        LowerJumps,
        """
        def f(n):
            while n:
                if a:
                    return n
                n -= 1
        """,
        """
        def f(n):
            returned = False
            while not returned and n:
                returned = False
                if a:
                    returned = True
                else:
                    n -= 1
            if returned:
                ag__return_value = n
            else:
                ag__return_value = None
            return ag__return_value
        """,
    )


def test_return_of_what_ends_with_the_loop_is_made_in_it():
    check(
        LowerJumps,
        """
        def f(xs):
            for x in xs:
                if a:
                    return x
        """,
        """
        def f(xs):
            returned = False
            for x in ag__.until(xs, lambda: not returned):
                returned = False
                if a:
                    ag__return_value = x
                    returned = True
            if not returned:
                ag__return_value = None
            return ag__return_value
        """,
    )


def test_return_of_what_follows_the_loop_too_is_a_break():
    check(
        LowerJumps,
        """
        def f(n):
            for i in range(n):
                while n:
                    if a:
                        return n
                    n -= i
            return n
        """,
        """
        def f(n):
            returned_1 = False
            for i in ag__.until(range(n), lambda: not returned_1):
                returned_1 = False
                returned = False
                while not returned and n:
                    returned = False
                    if a:
                        returned = True
                    else:
                        n -= i
                if returned:
                    returned_1 = True
            return n
        """,
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n return x",
        "def f(x):\n for y in x:\n  if y: break\n  yield y",
        "def f(x):\n if x: return\n yield x",
        "def f(x):\n while x:\n  try: a\n  finally: break",
    ],
)
def test_jumps_that_stay(source: str):
    unchanged(LowerJumps, source)
