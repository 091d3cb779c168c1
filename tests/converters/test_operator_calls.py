# ruff: noqa: E501 - texts of programs
"""Tests of the passes that create operator calls, Operators and ControlFlow, on small functions."""

from __future__ import annotations

import gast
import pytest
from pairs import check, text

from autograph_rs import converters
from autograph_rs.converters.passes.control_flow import ControlFlow
from autograph_rs.converters.pipeline import Operators

# Operators -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a and b", "ag__.and_(lambda: a, lambda: b)"),
        ("a or b or c", "ag__.or_(lambda: a, lambda: ag__.or_(lambda: b, lambda: c))"),
        ("not a", "ag__.not_(a)"),
        ("not a is b", "ag__.not_(ag__.is_(a, b))"),
        ("a is None and b is None", "ag__.and_(lambda: ag__.is_none(a), lambda: ag__.is_none(b))"),
        ("a if b else c", "ag__.if_exp(b, lambda: a, lambda: c, 'b')"),
        ("a if b is c else d", "ag__.if_exp(ag__.is_(b, c), lambda: a, lambda: d, 'b is c')"),
        ("a is not b, a is True, a is ...", "(ag__.not_(ag__.is_(a, b)), ag__.is_(a, True), a is ...)"),
        ("a is not False", "ag__.not_(ag__.is_(a, False))"),
        ("type(a) is b", "ag__.callee(type)(a) is b"),
        ("a < b < c", "ag__.and_(lambda: a < b, lambda: b < c)"),
        ("a in b", "ag__.in_(a, b)"),
        ("a not in b", "ag__.not_in(a, b)"),
        ("a == b, a == 1, a < b", "ag__.compare(a, '==', b), a == 1, a < b"),
        ("a[b]", "ag__.get_item(a, b)"),
        ("a[b, 1:c]", "ag__.get_item(a, (b, ag__.slice(1, c, None)))"),
        ("a[0], a[-1], a[1:2], a[...]", "a[0], a[-1], a[1:2], a[...]"),
        ("a(b, *c, d=e, **g)", "ag__.callee(a)(b, *ag__.unpacked(c), d=e, **g)"),
        ("a.b(c)", "ag__.callee(a.b)(c)"),
        ("a.warn(c)", "ag__.callee(ag__.framed(a.warn))(c)"),
        ("_getframe(c).f_back.x", "ag__.caller(ag__.callee(ag__.framed(_getframe))(c)).x"),
        ("a.f_back = c", "a.f_back = c"),
        ("locals(), issubclass(a, b)", "(ag__.visible(locals(), ()), issubclass(a, b))"),
        ("[a for b in c]", "ag__.list_comp(c, lambda items: [a for b in items])"),
        ("[a for b in c if b]", "ag__.list_comp(c, lambda items: [a for b in items if ag__.keep(b)])"),
        ("[a for b in c for d in b]", "[a for b in c for d in b]"),
        (
            "{a for b in c if b}",
            "ag__.set_of(ag__.list_comp(c, lambda items: [a for b in items if ag__.keep(b)]))",
        ),
    ],
)
def test_operators(before: str, after: str):
    check(Operators, f"def f(a, c):\n  {before}", f"def f(a, c):\n  {after}")


def test_an_operand_that_binds_becomes_a_function():
    check(
        Operators,
        """
        def f(a):
            a and (b := a)
        """,
        """
        def f(a):
            b: ...
            def and_operand():
                nonlocal b
                return (b := a)
            ag__.and_(lambda: a, and_operand)
        """,
    )


def test_item_of_a_variable_rebinds_it():
    """The variable is bound again where a staged value takes the place of the old one."""
    tree = gast.parse("def f(a, g):\n  a[0] = g\n  h[0] = g").body[0]
    converters.convert_tree(tree, passes=(Operators,), verify=True)
    assert text(tree) == "def f(a, g):\n    a = ag__.set_item(a, 0, g)\n    ag__.set_item(h, 0, g)"


# ControlFlow -----------------------------------------------------------------------------------


def test_an_item_among_targets_after_another():
    """The first gives its value a name, which is no variable where the second asks what the variables are."""
    check(
        Operators,
        """
        def f(a, b, c):
            if c:
                a.x[b()], d = c
            a.y[0], d = c
        """,
        """
        def f(a, b, c):
            if c:
                ag__value, ag__value_1 = ag__.unpacked(c)
                ag__base = a.x
                ag__key = ag__.callee(b)()
                ag__.set_item(ag__base, ag__key, ag__value)
                d = ag__value_1
            ag__value, ag__value_1 = ag__.unpacked(c)
            ag__.set_item(a.y, 0, ag__value)
            d = ag__value_1
        """,
    )


def test_if_over_closures():
    check(
        ControlFlow,
        """
        def f(x):
            if x > 0:
                y = 1
                z = 2
            else:
                y = 2
            return y
        """,
        """
        def f(x):
            y: ...
            z: ...
            def if_body():
                nonlocal y, z
                y = 1
                z = 2
            def else_body():
                nonlocal y
                y = 2
            def get_state():
                return (ag__.ldu(lambda: y, 'y'),)
            def set_state(values):
                nonlocal y
                y, = values
            ag__.if_stmt(x > 0, if_body, else_body, get_state, set_state, ('y',), 1)
            return y
        """,
    )


def test_closures_of_a_loop_are_made_once():
    check(
        ControlFlow,
        """
        def f(n):
            while n:
                if n > 1:
                    n -= 1
            return n
        """,
        """
        def f(n):
            def loop_test():
                return n
            def if_body():
                nonlocal n
                n -= 1
            def get_state():
                return (n,)
            def set_state(values):
                nonlocal n
                n, = values
            def loop_body():
                ag__.if_stmt(n > 1, if_body, ag__.nothing, get_state, set_state, ('n',), 1)
            ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('n',), {})
            return n
        """,
    )


def test_for_over_a_closure():
    check(
        ControlFlow,
        """
        def f(xs):
            for i, self.x in xs:
                a
        """,
        """
        def f(xs):
            i: ...
            def loop_body(item):
                nonlocal i
                i, self.x = item
                a
            def get_state():
                return (ag__.ldu(lambda: self.x, 'self.x'),)
            def set_state(values):
                self_x, = values
                ag__.set_attr(self, 'x', self_x)
            ag__.for_stmt(xs, None, loop_body, get_state, set_state, ('self.x',), {'iterate_names': '(i, self.x)'})
        """,
    )


def test_what_may_be_unbound_is_read_through_ld():
    check(
        ControlFlow,
        """
        def f(x):
            if x is True:
                y = 1
            y
            x
            y += 1
        """,
        """
        def f(x):
            if x is True:
                y = 1
            ag__.ld(y)
            x
            ag__.ld(y)
            y += 1
        """,
    )


def test_a_condition_may_be_a_comprehension_that_reads_what_may_be_unbound():
    check(
        ControlFlow,
        """
        def f(x):
            if x:
                y = 1
            return ag__.if_exp({i: y for i in x}, lambda: 1, lambda: 2, '')
        """,
        """
        def f(x):
            y: ...
            def if_body():
                nonlocal y
                y = 1
            def get_state():
                return (ag__.ldu(lambda: y, 'y'),)
            def set_state(values):
                nonlocal y
                y, = values
            ag__.if_stmt(x, if_body, ag__.nothing, get_state, set_state, ('y',), 1)
            return ag__.if_exp({i: ag__.ld(y) for i in x}, lambda: 1, lambda: 2, '')
        """,
    )


def test_conditions_that_stay_are_guarded():
    check(
        ControlFlow,
        """
        def f(x):
            if x > 0:
                yield x
        """,
        """
        def f(x):
            if ag__.guard(x > 0, 'if', 'AG001', 'yield'):
                yield x
        """,
    )
