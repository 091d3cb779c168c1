"""Opened operators: blocks stand in the function itself, which calls operators for what is not plain."""

from __future__ import annotations

import ast
import dis
import sys
import textwrap
import weakref

import gast
import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.converters import Pipeline, convert_tree
from autograph_rs.converters.passes.inlining import inline_operators
from autograph_rs.converters.trees.python_trees import python_tree


def text(source: str) -> str:
    tree = gast.parse(textwrap.dedent(source)).body[0]
    return ast.unparse(python_tree(inline_operators(tree, convert_tree(tree))))


def test_a_branch_is_taken_where_it_stands():
    made = text("""
        def f(x):
            if x > 0:
                y = 1
            else:
                y = 2
            return y
    """)
    assert made.startswith(
        textwrap.dedent("""\
        def f(x):
            y: ...
            match x > 0:
                case True:
                    y = 1
                case False:
                    y = 2
                case ag__test:

                    def if_body():
        """)
    )
    assert made.endswith("get_state, set_state, ('y',), 1)\n            ag__test = None\n    return y")


def test_a_return_is_made_at_once():
    made = text("""
        def f(x):
            if not x:
                return 1
            return g(x)
    """)
    assert (
        "case True:\n            return ag__.callee(g)(x)\n        case False:\n            return 1" in made
    )


def test_loops():
    made = text("""
        def f(xs, n):
            for x in xs:
                while n > x:
                    n -= x
                if n == 3:
                    break
            return n
    """)
    assert "for x in (ag__items_0 := ag__.for_items(xs, loop_test, loop_body" in made
    assert "ag__.while_rest(ag__test, loop_test_1, loop_body," in made
    assert "ag__.for_rest(ag__.not_(ag__test), ag__items_0, loop_test" in made
    assert "    ag__items_0 = None\n" in made


def test_closures_that_only_a_staged_value_needs_are_not_made():
    tree = ast.parse(
        text("""
        def f(x):
            if x > 0:
                x = -x
            elif x < -5:
                x = 5
            return x
        """)
    )
    plain = [case for node in ast.walk(tree) if isinstance(node, ast.Match) for case in node.cases[:2]]
    assert len(plain) == 4
    own = [*tree.body[0].body, *(s for case in plain for s in case.body)]
    assert not [s for s in own if isinstance(s, ast.FunctionDef)]


def chain(arms: int, *, loop: bool) -> str:
    indent = "        " if loop else "    "
    lines = ["def f(x):", "    for _ in range(2):" if loop else "    pass"]
    lines += [f"{indent}{'if' if i == 0 else 'elif'} x == {i}:\n{indent}    x = {i + 1}" for i in range(arms)]
    return "\n".join([*lines, "    return x"]) + "\n"


@pytest.mark.parametrize("loop", [False, True])
def test_the_code_grows_with_the_function_alone(*, loop: bool):
    """Twice the arms are about twice the text: no branch is written again and again."""
    short, long = len(text(chain(30, loop=loop))), len(text(chain(60, loop=loop)).replace("  ", ""))
    assert long < 3 * short


@pytest.mark.parametrize("loop", [False, True])
def test_long_chains(tmp_path, monkeypatch, *, loop: bool):
    name = f"chain_of_{'loop' if loop else 'branches'}"
    (tmp_path / f"{name}.py").write_text(chain(150, loop=loop), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    f = __import__(name).f
    made = ag.to_graph(f)
    assert [made(x) for x in (0, 148, 200)] == [f(x) for x in (0, 148, 200)]


def truths(x, items):
    found = []
    if x and items:
        found.append("both")
    if items:
        found.append("items")
    while x:
        x -= 1
        found.append(x or "zero")
        if not items or x == 1:
            break
    for item in items:
        if item:
            continue
        found.append("last" if x else "empty")
        if x == 0 and found:
            return found, item
    return found, None


@pytest.mark.parametrize("x", [0, 1, 3, True, 2.0, np.int64(2)])
@pytest.mark.parametrize("items", [[], [0], (1, 0, 2), "ab", {1: 2, 0: 3}])
def test_values_that_are_neither_true_nor_false(x, items):
    assert repr(ag.to_graph(truths)(x, items)) == repr(truths(x, items))


def test_variables_of_ours_are_not_seen():
    def f(xs):
        for x in xs:
            if x > 1 and x:
                break
        return sorted(locals()), dir()

    assert ag.to_graph(f)([1, 2]) == (["x", "xs"], ["x", "xs"])


def test_variables_of_ours_are_no_other_names_of_a_list():
    @ag.function
    def f(x, n):
        xs, items = [1, 2, 3], [x]
        for y in xs:
            if y == 2:
                break
        if items and x > 0:
            items[0] = x + 1
        i = 0
        while i < n:
            xs.append(4)
            i += 1
        return len(xs), items

    length, items = f(np.float64(1), np.int64(2))
    assert (length, items) == (5, [2.0])


def test_operators_of_others_are_called_for_every_statement():
    calls = []

    class Counting:
        def if_stmt(self, cond, body, orelse, *_state):
            calls.append(cond)
            (body if cond else orelse)()

    def f(x):
        if x > 0:
            x = -x
        return x

    assert ag.Transpiler(operators=Counting()).to_graph(f)(1) == -1
    assert calls == [True]
    closed = ag.Transpiler(passes=Pipeline()).to_graph(f)
    assert closed(1) == -1 and "if_body" in closed.__code__.co_varnames + closed.__code__.co_cellvars


def halve(n):
    steps = 0
    while n > 0:
        n = n / 2 if n % 3 else n + 1
        steps += 1
        if n < 1:
            n = 7 - steps // 10_000
    return steps


def nested(n):
    while n > 0:
        for i in range(3):
            n = n - i // 2
        while n < 0:
            n += 1
    return n


def codes_of(code):
    """A code object and those in it."""
    inner = [const for const in code.co_consts if hasattr(const, "co_code")]
    return [code, *(found for const in inner for found in codes_of(const))]


HEAR = ("RESUME", "JUMP_BACKWARD", "CALL", "CALL_KW", "CALL_FUNCTION_EX")  # signals, on some Python


@pytest.mark.parametrize("f", [halve, nested])
def test_what_interrupts_a_loop_finds_a_line(f):
    """A signal is heard where a round ends, too."""
    made = ag.to_graph(f).__code__
    lines = {at: line for start, end, line in made.co_lines() for at in range(start, end, 2)}
    heard = [(i.opname, lines[i.offset]) for i in dis.get_instructions(made) if i.opname in HEAR]
    assert sum(name == "JUMP_BACKWARD" for name, _ in heard) >= sum(
        i.opname == "JUMP_BACKWARD" for i in dis.get_instructions(f)
    )
    first, last = f.__code__.co_firstlineno, max(line for *_, line in f.__code__.co_lines() if line)
    assert not [each for each in heard if each[1] is None or not first <= each[1] <= last]


@pytest.mark.parametrize("f", [halve, nested])
def test_what_interrupts_a_loop_ends_it(f):
    """After any number of steps, at a line of the function."""
    lines = {line for code in codes_of(f.__code__) for *_, line in code.co_lines() if line}

    class StoppedError(Exception):
        pass

    made = ag.to_graph(f)
    for steps in (*range(1, 60), 1000, 5000):
        left = steps

        def stop(frame, _event, _argument):
            nonlocal left
            if frame.f_code.co_name != f.__name__:
                return None
            frame.f_trace_opcodes = True
            left -= 1
            if left <= 0:
                raise StoppedError
            return stop

        before = sys.gettrace()
        sys._getframe().f_trace_opcodes = True  # before settrace: CPython 3.12 asks for opcodes only there
        sys.settrace(stop)
        try:
            with pytest.raises(StoppedError) as caught:
                made(10_000)  # which ends some time, though nothing stops it
        finally:
            sys.settrace(before)
        assert {entry.lineno + 1 for entry in caught.traceback if entry.name == f.__name__} <= lines


def test_no_frame_of_ours_where_a_truth_fails():
    class Bad:
        def __bool__(self):
            raise ValueError("no truth")

    def f(a, b):
        return a and b, a or b

    with pytest.raises(ValueError, match="no truth") as caught:
        ag.to_graph(f)(Bad(), 1)
    assert [entry.name for entry in caught.traceback[1:]] == ["f", "__bool__"]


def test_a_condition_is_let_go_of_after_its_statement():
    dropped = []

    class Truth:
        def __bool__(self):
            return True

        def __del__(self):
            dropped.append("dropped")

    def f():
        if Truth():
            dropped.append("branch")
        dropped.append("after")

    ag.to_graph(f)()
    assert dropped == ["branch", "dropped", "after"]


def test_a_test_is_asked_for_its_truth_where_it_is_no_comparison():
    made = text("""
        def f(x, y):
            if x > 1 or x in y:
                return 1
            if g(x):
                return 2
            return y
    """)
    assert made.count("ag__.truth(") == 1
    assert "or ag__test is False else (ag__.truth(ag__test), (ag__test := None))[0]:" in made


class Box:
    pass


def dead_by_then(take):
    boxes = [Box(), Box(), Box()]
    seen = [weakref.ref(box) for box in boxes]
    found = []
    if [boxes.pop()]:
        found.append(seen[2]())
    if take and [boxes.pop()] and take:
        found.append(seen[1]())
    while not [boxes.pop()] or take:
        found.append(seen[0]())
        break
    return found


def test_what_a_test_holds_is_let_go_before_the_branch():
    assert ag.to_graph(dead_by_then)(1) == dead_by_then(1) == [None, None, None]
