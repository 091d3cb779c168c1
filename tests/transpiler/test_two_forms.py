"""Functions of converted files in two forms: the user's own body, and the staged form beside it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import itertools
import pickle
import textwrap
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from cases_support import ALL, CASES, check_plain, check_staged
from convert_support import convert_source

import autograph_rs as ag
from autograph_rs import runtime
from autograph_rs.testing import Sample
from autograph_rs.testing.harness import files, load, run

ORIGINALS = {(sample.file.stem, sample.name): sample for sample in ALL}
Load: TypeAlias = Callable[[str], types.ModuleType]
_numbers = itertools.count()


@pytest.fixture
def converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """A function that converts the text of a module, and imports the result."""
    monkeypatch.syspath_prepend(tmp_path)

    def load_text(text: str) -> types.ModuleType:
        name = f"two_forms_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(convert_source(textwrap.dedent(text)), encoding="utf-8")
        return importlib.import_module(name)

    return load_text


def staged(function: Callable[..., Any], *arguments: float) -> Any:
    """Call a function while a graph is built, with staged arguments."""
    return ag.function(function)(*map(np.float64, arguments))


# Samples --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", files(CASES), ids=lambda file: file.name)
@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")  # some samples set globals
def test_samples(file: Path, tmp_path: Path) -> None:
    """The samples of a converted file do what the originals do, on plain and on staged values."""
    target = tmp_path / f"two_forms_{file.name}"
    target.write_text(convert_source(file.read_text(encoding="utf-8")), encoding="utf-8")
    found: list[Sample] = load(target)
    assert found
    for sample in found:
        original = ORIGINALS[file.stem, sample.name]
        for own, arguments in zip(sample.plain, original.plain, strict=True):
            check_plain(run(sample.function, own), run(original.function, arguments))
        function = ag.function(sample.function)
        for own, arguments in zip(sample.staged, original.staged, strict=True):
            check_staged(run(function, own), run(original.function, arguments))


# One meaning in both forms --------------------------------------------------------------------------

PROGRAMS = {
    "closure cells": """
        def counter():
            total, calls = 0.0, 0
            def add(x):
                nonlocal total, calls
                calls += 1
                if x > 0:
                    total = total + x
                return total, calls
            return add

        def f(x):
            add = counter()
            add(1.5)
            add(x)
            return add(-x)
    """,
    "super and private names": """
        class Base:
            def __init__(self, scale):
                self.__scale = scale
            def step(self, x):
                return x * self.__scale if x > 0 else -x

        class Own(Base):
            def step(self, x, *, __twice=2):
                y = super().step(x)
                return __class__.__name__, self.__double(y) if y > 1 else y * __twice
            def __double(self, y):
                return y + y

        def f(x):
            return Own(3.0).step(x)[1]
    """,
    "parameters": """
        made = []
        def default():
            made.append(1)
            return 2.0

        def g(a, b=default(), /, c=default(), *args, d=default(), **rest):
            if a > 0:
                a = a + b
            return a + c + d + sum(args) + sum(rest.values()) + len(made)

        def f(x):
            return g(x) + g(x, 1.0, 1.0, 5.0, d=0.5, e=7.0)
    """,
    "decorators": """
        import functools
        calls = []
        def traced(function):
            calls.append(function.__name__)
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)
            return wrapper

        @traced
        def clamp(x):
            return x if x > 0 else 0.0

        class Model:
            def __init__(self, x): self.x = x
            @property
            def positive(self): return self.x if self.x > 0 else -self.x
            @staticmethod
            def half(x): return x / 2 if x > 1 else x
            @classmethod
            def make(cls, x): return cls(x if x > 2 else x + 1)

        def f(x):
            return clamp(x) + Model.make(x).positive + Model.half(x) + len(calls)
    """,
    "recursion": """
        def power(x, n):
            if n == 0:
                return 1.0
            y = power(x, n - 1)
            if y > 100:
                y = 100.0
            return y * x

        def f(x):
            return power(x, 5)
    """,
    "lambdas": """
        clamp = [lambda x: x if x > 0 else 0.0]
        def make(limit):
            return lambda x, low=-limit: (lambda y: y if y > low else low)(x if x < limit else
                limit)

        bounded = make(2.0)

        def f(x):
            return bounded(x) + bounded(3 * x) + sum(map(lambda y: y if y > x else x, [1.0, 2.0]))
    """,
    "classes in functions": """
        def model(scale):
            class Model:
                factor = scale or 1.0
                double = lambda self, x: 2 * x
                def run(self, x):
                    def inner(y):
                        return y * self.factor if y > 0 else y
                    return inner(self.double(x))
            return Model()

        shared = model(3.0)

        def f(x):
            return shared.run(x) + model(0.0).run(x)
    """,
    "generators": """
        def halves(x, limit=4):
            for n in range(limit):
                got = yield x if x > n else -x
                if got is not None:
                    x = x + got
            return x * 10 if x > 0 else x

        def outer(x):
            last = yield from halves(x)
            yield last if last > 0 else 1.0

        def f(x):
            total = 0.0
            for item in outer(x):
                total = total + item
            values = halves(x)
            next(values)
            return total + values.send(1.0)
    """,
    "generator expressions": """
        def lazily(xs, x):
            return (y + x if x > 0 else y - x for y in xs if y > 1 for _ in range(2 if y > 2 else 1))

        def f(x):
            return sum(lazily([1.0, 2.0, 3.0], x)) + max(y if x > 0 else -y for y in [1.0, 2.0])
    """,
    "what a function reads of its frame": """
        def f(x):
            y = x * 2 if x > 0 else x
            return y + len(locals()) + eval("y") + sorted(locals()).index("x")
    """,
    "globals": """
        last = 0.0
        def remember(x):
            global last
            last = last + (x if x > 0 else 0.0)
            return last

        def f(x):
            global last
            last = 0.0
            return remember(x) + remember(x)
    """,
    "names as those that are added": """
        def f(x):
            def ag__f(x): return x + 1 if x > 0 else x
            if_body = ag__f(x)
            return if_body if x > 1 else -if_body
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")  # one program sets a global
def test_both_forms_mean_the_same(name: str, converted: Load) -> None:
    original: dict[str, Any] = {"__name__": "original"}
    exec(textwrap.dedent(PROGRAMS[name]), original)
    module = converted(PROGRAMS[name])
    for x in (-3.0, 0.5, 1.0, 4.0):
        expected = original["f"](x)
        assert module.f(x) == expected
        assert staged(module.f, x) == pytest.approx(expected)
        assert module.f(x) == expected


def test_one_trace_serves_both_branches(converted: Load) -> None:
    module = converted("def f(x):\n    if x > 0:\n        return x\n    return -x\n")
    function = ag.function(module.f)
    assert [function(np.float64(x)) for x in (2, -2)] == [2, 2]
    assert "if" in function.get_concrete_function(np.float64(2)).python_source


def test_cells_are_shared(converted: Load) -> None:
    """What one form writes, the other reads."""
    module = converted(PROGRAMS["closure cells"])
    add = module.counter()
    assert add(1.0) == (1.0, 1)
    assert staged(lambda x: x + add(2.0)[0], 4.0) == 7.0
    assert add(-1.0) == (3.0, 3)


# When a function chooses ----------------------------------------------------------------------------


def test_what_is_created_before_staging(converted: Load) -> None:
    """Lambdas, methods, generators and generator expressions choose when they run."""
    module = converted("""
        def generator(xs):
            x = yield
            for y in xs:
                yield y if x > 0 else -y

        def expression(box, xs):
            return (y if box[0] > 0 else -y for y in xs)

        def function(limit):
            def inner(x):
                return x if x < limit else limit
            return inner, lambda x: x if x < limit else limit
    """)
    box: list[Any] = [None]
    xs = [1.0, 2.0]
    generator, expression = module.generator(xs), module.expression(box, xs)
    inner, short = module.function(3.0)

    def f(x: Any) -> Any:
        box[0] = x
        next(generator)
        first = generator.send(x)
        return first + sum(generator) + sum(expression) + inner(x) + short(x)

    with warnings.catch_warnings(action="ignore", category=ag.SideEffectWarning):
        assert staged(f, 5.0) == 3 + 3 + 3 + 3


def test_a_generator_in_its_staged_form(converted: Load) -> None:
    """It is sent values, raised errors, closed and returns as itself."""
    module = converted("""
        log = []
        def generator(x):
            try:
                while True:
                    try:
                        x = (yield x if x > 0 else -x)
                    except KeyError as error:
                        x = x + 1
            finally:
                log.append("closed")
    """)

    def f(x: Any) -> Any:
        generator = module.generator(x)
        values = [next(generator), generator.send(x * 2), generator.throw(KeyError())]
        generator.close()
        return values

    assert staged(f, -1.5) == [1.5, 3.0, 2.0]
    assert module.log == ["closed"]
    assert f(-1.5) == [1.5, 3.0, 2.0]


def test_coroutines(converted: Load) -> None:
    module = converted("""
        async def absolute(x):
            return x if x > 0 else -x

        async def each(x):
            for n in range(3):
                y = x + n if x > 9 else x - n
                yield await absolute(y)

        async def total(x):
            result = 0.0
            async for item in each(x):
                result = result + item
            return result
    """)
    assert inspect.iscoroutinefunction(module.total)
    assert inspect.isasyncgenfunction(module.each)
    assert asyncio.run(module.total(1.5)) == 2.5
    assert staged(lambda x: asyncio.run(module.total(x)), 1.5) == 2.5


def test_blocks_that_do_not_convert(converted: Load) -> None:
    """As in memory, the user's own body runs."""
    module = converted("def g(x):\n    return not x\n")

    def f(x: Any) -> Any:
        with ag.do_not_convert():
            return module.g(x)

    with pytest.raises(ag.StagingError):
        staged(f, 1.0)
    assert not staged(module.g, 1.0)


def test_shadowed_builtins(converted: Load) -> None:
    """A generator expression that a function named like a builtin receives may run later."""
    module = converted("""
        def any(items):
            return items

        def later(box):
            return any(y if box[0] > 0 else -y for y in [1.0, 2.0])
    """)
    box: list[Any] = [1.0]
    items = module.later(box)

    def f(x: Any) -> Any:
        box[0] = x
        return sum(items)

    with warnings.catch_warnings(action="ignore", category=ag.SideEffectWarning):
        assert staged(f, -5.0) == -3


# The user's own body --------------------------------------------------------------------------------

PLAIN = """
    def f(xs, limit=3, *rest, key=None):
        \"\"\"Add those above a limit.\"\"\"
        total = 0
        for x in xs:
            if x > limit or not x:
                total += x if key is None else key(x)
        while total > 100:
            total -= 1
        return [total, *map(str, rest)], {x: x for x in xs if x}, total
"""


def test_plain_calls_run_no_operator(converted: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    module = converted(PLAIN)
    for name in {*runtime.OPERATORS, "callee"}:
        monkeypatch.setattr(runtime, name, None)
    assert module.f([1, 0, 5], 2, 7, key=lambda x: 2 * x) == ([10, "7"], {1: 1, 5: 5}, 10)


def test_local_variables_stay_local(converted: Load) -> None:
    """The staged form has its own, so none becomes a cell, which would be slower to read."""
    module = converted(PLAIN)
    original: dict[str, Any] = {}
    exec(textwrap.dedent(PLAIN), original)
    one, other = module.f.__code__, original["f"].__code__
    assert (one.co_cellvars, one.co_freevars) == (other.co_cellvars, other.co_freevars)
    assert {*one.co_varnames} == {*other.co_varnames, "ag__f"}


def test_metadata(converted: Load) -> None:
    module = converted(PLAIN + "    async def g(x: int = 3) -> None:\n        return not x\n")
    assert str(inspect.signature(module.f)) == "(xs, limit=3, *rest, key=None)"
    assert (module.f.__doc__, module.f.__qualname__) == ("Add those above a limit.", "f")
    assert pickle.loads(pickle.dumps(module.f)) is module.f
    assert module.g.__annotations__ == {"x": int, "return": None}
    assert inspect.iscoroutinefunction(module.g)
    assert ag.to_graph(module.f) is module.f


def test_tracebacks(converted: Load) -> None:
    """One entry for each function, on the line of the user's statement; while staging, of the staged one."""
    module = converted("""
        def g(x):
            if x > 0:
                raise ValueError("no")
            return x

        def f(x):
            y = g(x) or 1
            return y
    """)
    with pytest.raises(ValueError, match="no") as caught:
        module.f(1)
    entries = [e for e in traceback.extract_tb(caught.value.__traceback__) if e.filename == module.__file__]
    assert [(e.name, e.line) for e in entries] == [
        ("f", "y = g(x) or 1"), ("g", 'raise ValueError("no")'),
    ]  # fmt: skip

    def h(n: Any) -> Any:
        return module.f(1) + n

    with pytest.raises(ValueError, match="no") as caught:
        staged(h, 1.0)
    entries = [e for e in traceback.extract_tb(caught.value.__traceback__) if e.filename == module.__file__]
    assert [(e.name, e.line) for e in entries] == [
        ("ag__f", "y = ag__.or_(lambda: ag__.callee(g)(x), lambda: 1)"),
        ("<lambda>", "y = ag__.or_(lambda: ag__.callee(g)(x), lambda: 1)"),
        ("ag__g", "ag__.if_stmt(x > 0, if_body, ag__.nothing, ag__.get_nothing, ag__.set_nothing, (), 0)"),
        ("if_body", "raise ag__.callee(ValueError)('no')"),
    ]


def test_warnings_of_a_staged_form(converted: Load) -> None:
    """Their `stacklevel` counts the user's functions."""
    module = converted("""
        import warnings
        def warn(x):
            if x is not None:
                warnings.warn("careful", stacklevel=2)
            return x

        def f(x):
            return warn(x)  # here
    """)
    with pytest.warns(UserWarning, match="careful") as found:
        staged(module.f, 1.0)
    line = Path(module.__file__ or "").read_text(encoding="utf-8").splitlines()[found[0].lineno - 1]
    assert (found[0].filename, line.strip()) == (module.__file__, "return ag__.callee(ag__.framed(warn))(x)")


def test_lists_that_the_caller_passes(converted: Load) -> None:
    """The parameters of the function around a staged form are no other references to them."""
    module = converted("""
        def add(items, x):
            if x > 0:
                items.append(x)
            return len(items)

        def f(x):
            return add([1.0], x)
    """)
    assert [staged(module.f, x) for x in (1.0, -1.0)] == [2, 1]


def test_mutable_defaults(converted: Load) -> None:
    """They outlive the call, whichever form runs."""
    module = converted("def f(x, items=[]):\n    if x > 0:\n        items.append(x)\n    return len(items)\n")
    with pytest.raises(ag.AliasError, match="the default of a parameter"):
        staged(module.f, 1.0)
