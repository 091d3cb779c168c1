"""Functions of converted files in two forms: the user's own body, and the staged form beside it."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases_support import ALL, CASES, check_plain, check_staged
from convert_support import convert_source
from two_forms import Load, staged

import autograph_rs as ag
from autograph_rs.testing import Sample
from autograph_rs.testing.harness import files, load, run

ORIGINALS = {(sample.file.stem, sample.name): sample for sample in ALL}


# Samples --------------------------------------------------------------------------------------------


FILES = [file for file in files(CASES) if file.name != "generator_loops.py"]  # driven in memory only


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
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
            def if_body_1(x): return x + 1 if x > 0 else x
            if_body = if_body_1(x)
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
