"""Tests of conversion: which functions, when, how often, with which operators, and what is cached."""

from __future__ import annotations

import functools
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from modules import executed

import autograph_rs as ag
from autograph_rs.transpiler.default import DEFAULT


def running() -> types.CodeType:
    """The code of the caller, below the frames of branches."""
    return sys._getframe(1).f_code


def helper(x):
    return running(), x or 0


def caller(x):
    return helper(x)


# The plain road --------------------------------------------------------------------------------


def test_convert_runs_the_original_while_nothing_is_staged():
    def f(x):
        return running() if x else 0

    assert ag.convert(f)(1) is f.__code__
    assert ag.to_graph(f)(1) is not f.__code__


def test_convert_needs_no_source_before_something_is_staged():
    f = executed("def f(x):\n  if x > 0: return x\n  return -x\n", "<no source>", keep=False).f
    made = ag.convert(f)
    assert made(-3) == 3
    with pytest.raises(ag.ConversionError, match="source="):
        ag.function(made)(np.float64(1))


def test_convert_runs_converted_code_while_something_is_staged():
    seen = []

    @ag.convert
    def f(x):
        seen.append(running())
        if x > 0:
            return x
        return -x

    assert ag.function(f)(np.float64(-3)) == 3
    assert seen and seen[-1] is not f.__wrapped__.__code__


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n  def g(): return g.__code__ if g else 0\n  return g",
        "def f(): return lambda: 1 if f else 0",
        "def f():\n  class A:\n    def m(self): return self if self else 0\n  return A.m",
    ],
)
def test_what_outlives_its_call_is_converted_at_once(text: str):
    f = executed(text, f"<outlives {hash(text)}>").f
    assert "ag__" not in f().__code__.co_freevars
    assert "ag__" in ag.convert(f)().__code__.co_freevars


def test_converted_functions_are_left_as_they_are():
    made, thin = ag.to_graph(caller), ag.convert(caller)
    assert ag.to_graph(made) is made
    assert ag.convert(made) is made
    assert ag.convert(thin) is thin
    assert ag.to_graph(thin).__wrapped__ is caller
    assert DEFAULT.is_converted(made) and DEFAULT.is_converted(thin) and not DEFAULT.is_converted(caller)


def test_functions_made_by_converted_functions_are_converted():
    def make():
        def plain_test(x):
            if x is None:
                return 1
            return 2

        def staged_test(x):
            return 1 if x else 2

        def simple(x):
            return x

        return plain_test, staged_test, simple

    for f in ag.to_graph(make)():
        assert ag.to_graph(f) is f or ag.to_graph(f)(5) == f(5)
        assert ag.convert(f)(5) == f(5)
        assert ag.to_code(f).startswith(f"def ag__{f.__name__}(x)")


@pytest.mark.parametrize(
    "thing", [5, None, len, int, dict, functools.lru_cache(caller), property(caller), "f"]
)
def test_what_is_no_function_is_refused(thing: object):
    for use in (ag.to_graph, ag.to_code) if thing is None else (ag.convert, ag.to_graph, ag.to_code):
        with pytest.raises(TypeError, match="not a Python function"):
            use(thing)


# Which calls are converted ---------------------------------------------------------------------


def test_callees_are_converted():
    assert ag.to_graph(caller)(1)[0] is not helper.__code__


def test_not_recursive():
    for made in (ag.to_graph(caller, recursive=False), ag.Transpiler(recursive=False).to_graph(caller)):
        assert made(1)[0] is helper.__code__


def test_do_not_convert():
    @ag.do_not_convert
    def left(x):
        return running() if x else 0

    @ag.do_not_convert()
    def also_left(x):
        return running() if x else 0

    def f(x):
        return left(x), also_left(x)

    assert ag.to_graph(f)(1) == (left.__code__, also_left.__code__)
    with pytest.raises(TypeError):
        ag.do_not_convert(5)


def test_do_not_convert_after_the_first_call():
    def late(x):
        return running() if x else 0

    def f(x):
        return late(x)

    made = ag.to_graph(f)
    assert made(1) is not late.__code__
    ag.do_not_convert(late)
    assert made(1) is late.__code__


def test_do_not_convert_of_a_package_after_the_first_call(tmp_path, monkeypatch):
    (tmp_path / "left_package").mkdir()
    (tmp_path / "left_package/__init__.py").touch()
    (tmp_path / "left_package/inner.py").write_text(
        "import sys\ndef late(x):\n    return sys._getframe().f_code if x else 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import left_package.inner

    late = left_package.inner.late
    made = ag.to_graph(lambda x: late(x))  # noqa: PLW0108 - a call
    assert made(1) is not late.__code__
    assert ag.do_not_convert(left_package) is left_package
    assert made(1) is late.__code__
    _, rule = ag.Transpiler().policy.verdict(late)
    assert rule == "module left_package.inner is marked do_not_convert"


def test_do_not_convert_above_convert():
    @ag.do_not_convert
    @ag.convert
    def left(x):
        return running() if x else 0

    @ag.convert
    def other(x):
        return running() if x else 0

    def f(x):
        return left(x), other(x)

    first, second = ag.to_graph(f)(1)
    assert first is left.__code__
    assert second is not other.__wrapped__.__code__


def test_exclude_and_include(module):
    import colorsys

    made = module("def user(x): return x if x else 1\n")

    def f(x):
        return made.user(x), colorsys.rgb_to_hsv(x, x, x)

    def converted(transpiler: ag.Transpiler) -> tuple[bool, bool]:
        transpiler.to_graph(f)(1.0)
        codes = made.user.__code__, colorsys.rgb_to_hsv.__code__
        return tuple(transpiler._entries[id(code)] is not None for code in codes)

    assert converted(ag.Transpiler()) == (True, False)
    assert converted(ag.Transpiler(exclude=["made_*"])) == (False, False)
    assert converted(ag.Transpiler(include=["color*"])) == (True, True)
    assert converted(ag.Transpiler(include=["*"], exclude=["made_*"])) == (False, True)


def test_callees_without_source_are_left():
    g = executed("def g(x): return x if x else 1", "<no source for g>", keep=False).g

    def f(x):
        return g(x)

    assert ag.to_graph(f)(0) == 1


# Operators of one's own ------------------------------------------------------------------------


def spies(log: list) -> types.SimpleNamespace:
    """Operators as TensorFlow's and malt's are written: positional, over closures."""

    def if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts):
        log.append(("if", symbol_names, nouts, len(get_state())))
        return body() if cond else orelse()

    def while_stmt(test, body, get_state, set_state, symbol_names, opts):
        log.append(("while", symbol_names, opts, len(get_state())))
        while test():
            body()

    def for_stmt(iter_, extra_test, body, get_state, set_state, symbol_names, opts):
        log.append(("for", symbol_names, opts, len(get_state())))
        if extra_test is None or extra_test():
            for item in iter_:
                body(item)
                if extra_test is not None and not extra_test():
                    break

    def converted_call(f, args, kwargs):
        log.append(("call", f, args, kwargs or {}))
        return f(*args, **(kwargs or {}))

    return types.SimpleNamespace(
        if_stmt=if_stmt, while_stmt=while_stmt, for_stmt=for_stmt, converted_call=converted_call
    )


def operated(n):
    total = 0
    for i in range(n):
        if i > 1:
            total += i
        if i > 3:
            break
    while total > 5:
        total -= 1
    return max(total, 2, key=abs)


def test_own_operators():
    log: list = []
    assert ag.Transpiler(operators=spies(log)).to_graph(operated)(9) == operated(9)
    assert {entry[:3] for entry in log if entry[0] == "if"} == {
        ("if", ("total",), 1),
        ("if", ("broken",), 1),
    }
    assert ("while", ("total",), {}, 1) in log
    assert ("for", ("broken", "total"), {"iterate_names": "i"}, 2) in log
    assert ("call", range, (9,), {}) in log
    assert [entry[3] for entry in log if entry[:2] == ("call", max)] == [{"key": abs}]


def test_operators_of_a_module_and_a_class(module):
    made = module("def if_stmt(cond, body, orelse, *rest): (orelse if cond else body)()\n")

    class Operators:
        if_stmt = staticmethod(made.if_stmt)

    def f(x):
        if x > 0:
            return "positive"
        return "other"

    assert ag.Transpiler(operators=made).to_graph(f)(1) == "other"
    assert ag.Transpiler(operators=Operators).to_graph(f)(1) == "other"
    assert ag.to_graph(f)(1) == "positive"


def test_transpilers_are_apart():
    log: list = []
    own = ag.Transpiler(operators=spies(log))
    first, second = own.to_graph(operated), ag.to_graph(operated)
    assert first.__wrapped__ is second.__wrapped__ is operated
    second(9)
    assert log == []


@pytest.mark.parametrize("change", [os.unlink, lambda file: Path(file).write_text("# another text\n")])
def test_what_runs_is_shown_though_its_file_is_another_by_now(module, change):
    made = module("def f(x):\n    if x: return 1\n    return 2\n")
    mine = ag.Transpiler()
    before = mine.to_graph(made.f), mine.to_code(made.f)
    change(made.__file__)
    assert mine.to_code(made.f) == mine.to_code(before[0]) == before[1]
    assert mine.source_map(made.f)
    assert mine.to_graph(made.f)(0) == 2


def test_what_has_been_shown_is_converted(module):
    made = module("def f(x):\n    return 1 if x else 2\n")
    mine = ag.Transpiler()
    mine.to_code(made.f)
    os.unlink(made.__file__)
    assert mine.has_converted(made.f)
    assert mine.to_graph(made.f)(0) == 2
