"""What each pass makes of a small function, and that all of them keep their promises."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import ClassVar

import gast
import pytest
from cases_support import ALL, Sample

from autograph_rs import converters
from autograph_rs.converters.names import Namer, names_in
from autograph_rs.converters.passes import Normalise, Operators
from autograph_rs.converters.passes.control_flow import ControlFlow
from autograph_rs.converters.passes.jumps import LowerJumps
from autograph_rs.converters.passes.match import LowerMatch
from autograph_rs.converters.templates import Template, template
from autograph_rs.converters.trees import load


def text(tree: gast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(tree)))


def check(passes: type | tuple, before: str, after: str) -> None:
    """The passes turn one function's text into another's; the layout of both is Python's own."""
    tree = gast.parse(textwrap.dedent(before)).body[0]
    converters.convert_tree(tree, passes=passes if isinstance(passes, tuple) else (passes,), verify=True)
    assert text(tree) == ast.unparse(ast.parse(textwrap.dedent(after)))


def unchanged(passes: type | tuple, source: str) -> None:
    check(passes, source, source)


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
            x = a
            if a:
                y: ...
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
        ("A", "def f(__x): self.__y.__z__(__k=__x)", "def f(_A__x): self._A__y.__z__(_A__k=_A__x)"),
        ("__A", "def f(): __x = _x = x__", "def f(): _A__x = _x = x__"),
        ("__", "def f(): __x", "def f(): __x"),
        ("A", "def f():\n class B:\n  __x = 1", "def f():\n class B:\n  __x = 1"),
        ("A", "def f():\n nonlocal __x\n import __m, __n.p", "def f():\n nonlocal _A__x\n import _A__m, __n.p"),
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
            unmatched = True
            if unmatched:
                if subject == 1:
                    unmatched = False
                    a
            if unmatched:
                y = subject
                if y > 2:
                    unmatched = False
                    b
        """,
    )


@pytest.mark.parametrize("pattern", ["[a]", "{'k': 1}", "A()", "(1, 2)", "[1] | 2"])
def test_match_on_structure_stays(pattern: str):
    unchanged(LowerMatch, f"def f(x):\n match x:\n  case {pattern}: a\n  case 3: b")


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
                return_value = 1
            else:
                y = x
                if y:
                    return_value = y
                else:
                    return_value = 2
            return return_value
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
                if a:
                    return_value = n
                    returned = True
                else:
                    n -= 1
            if not returned:
                return_value = None
            return return_value
        """,
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n return x",
        "def f(x):\n try:\n  return x\n finally:\n  a",
        "def f(x):\n with x:\n  return x",
        "def f(x):\n for y in x:\n  if y: break\n  yield y",
        "def f(x):\n if x: return\n yield x",
        "def f(x):\n while x:\n  try: a\n  finally: break",
    ],
)
def test_jumps_that_stay(source: str):
    unchanged(LowerJumps, source)


# Operators -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a and b", "ag__.and_(lambda: a, lambda: b)"),
        ("a or b or c", "ag__.or_(lambda: a, lambda: ag__.or_(lambda: b, lambda: c))"),
        ("not a", "ag__.not_(a)"),
        ("not a is b", "not a is b"),
        ("a is None and b is None", "a is None and b is None"),
        ("a if b else c", "ag__.if_exp(b, lambda: a, lambda: c, 'b')"),
        ("a if b is None else c", "a if b is None else c"),
        ("a < b < c", "ag__.and_(lambda: a < b, lambda: b < c)"),
        ("a in b", "ag__.in_(a, b)"),
        ("a not in b", "ag__.not_in(a, b)"),
        ("a == b", "a == b"),
        ("a[b]", "ag__.get_item(a, b)"),
        ("a[b, 1:c]", "ag__.get_item(a, (b, ag__.slice(1, c, None)))"),
        ("a[0], a[-1], a[1:2], a[...]", "a[0], a[-1], a[1:2], a[...]"),
        ("a(b, *c, d=e, **g)", "ag__.callee(a)(b, *c, d=e, **g)"),
        ("a.b(c)", "ag__.callee(a.b)(c)"),
        ("locals(), type(a), isinstance(a, b)", "locals(), type(a), isinstance(a, b)"),
        ("[a for b in c]", "ag__.list_comp(c, lambda items: [a for b in items])"),
        ("[a for b in c if b]", "ag__.list_comp(c, lambda items: [a for b in items if ag__.keep(b)])"),
        ("[a for b in c for d in b]", "[a for b in c for d in b]"),
        ("{a for b in c if b}", "{a for b in c if ag__.guard(b, 'if in a comprehension')}"),
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
            if x is None:
                y = 1
            y
            x
            y += 1
        """,
        """
        def f(x):
            if x is None:
                y = 1
            ag__.ld(y)
            x
            ag__.ld(y)
            y += 1
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
            if ag__.guard(x > 0, 'if'):
                yield x
        """,
    )


# All of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [pytest.param(sample, id=sample.id) for sample in ALL])
def test_samples_verified(sample: Sample):
    tree = gast.parse(textwrap.dedent(inspect.getsource(sample.function))).body[0]
    converters.convert_tree(tree, verify=True)


class KeepsAssert(Normalise):
    """A bad pass: it says that it removes what it leaves."""

    def run(self, function: gast.AST) -> None:
        pass


class BreaksTree(converters.Pass):
    """A bad pass: what it makes does not compile."""

    removes: ClassVar = ()

    def run(self, function: gast.AST) -> None:
        function.body = [gast.Break()]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (KeepsAssert, "KeepsAssert left a Assert at line 2"),
        (BreaksTree, "BreaksTree made a tree that does not compile: 'break' outside loop"),
    ],
)
def test_a_bad_pass_is_named(bad: type, message: str):
    tree = gast.parse("def f(x):\n  assert x").body[0]
    with pytest.raises(converters.PassError, match=message):
        converters.convert_tree(tree, passes=(bad,), verify=True)


def test_a_pass_says_how_it_runs():
    tree = gast.parse("def f(): pass").body[0]
    with pytest.raises(TypeError, match="Pass does not say how it runs"):
        converters.convert_tree(tree, passes=(converters.Pass,))


# Templates and names ---------------------------------------------------------------------------


def test_template_fills_every_kind_of_hole():
    made = template("""
        def $name($arg):
            nonlocal x
            $body
            $target = $value
    """)(name="g", arg="a", body=gast.parse("b\nc").body, target="t", value=load("v"))
    assert text(made[0]) == "def g(a):\n    nonlocal x\n    b\n    c\n    t = v"


@pytest.mark.parametrize("fill", [{}, {"a": load("x")}, {"a": load("x"), "b": load("y"), "c": load("z")}])
def test_template_wants_exactly_its_holes(fill: dict):
    wrong = {"a", "b"} ^ fill.keys()
    with pytest.raises(TypeError, match="differ in " + ", ".join(sorted(wrong))):
        Template("$a + $b")(**fill)


def test_template_builds_fresh_trees():
    made = template("a = $b")
    first, second = made(b=load("x"))[0], made(b=load("x"))[0]
    assert first is not second and first.targets[0] is not second.targets[0]


def test_namer_keeps_clear_of_what_is_taken():
    namer = Namer({"a", "a_1", "b"})
    assert [namer.fresh(s) for s in ("a", "a", "b", "c", "c")] == ["a_2", "a_3", "b_1", "c", "c_1"]


def test_names_in_finds_names_in_every_role():
    source = """
def f(a, *b, c=d, **e):
    global g
    import h.i as j
    k.l(m=n)
    class o: pass
    try: pass
    except p as q: pass
    match r:
        case s(t=u, **v): pass
"""
    source = source.replace("s(t=u, **v)", "{'z': s, **v}")
    expected = {"f", "a", "b", "c", "d", "e", "g", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "v"}
    assert expected <= names_in(gast.parse(source))
