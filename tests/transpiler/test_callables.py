"""Conversion of each kind of callable, including callables that are already converted."""

from __future__ import annotations

import asyncio
import functools
import sys
import threading
import types
from typing import Any

import pytest

import autograph_rs as ag


def sign(x):
    if x > 0:
        return 1
    return -1


class Model:
    def __init__(self, low=0):
        self.low = low

    def method(self, x):
        return 1 if x > self.low else -1

    @classmethod
    def of_class(cls, x):
        return 1 if x > 0 else -1

    @staticmethod
    def static(x):
        return 1 if x > 0 else -1

    def __call__(self, x):
        return 1 if x > self.low else -1


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) if args else None

    return wrapper


@traced
def wrapped(x):
    return 1 if x > 0 else -1


async def coroutine(x):
    if x > 0:
        return 1
    return -1


def generator(x):
    if x > 0:
        yield 1
    else:
        yield -1


async def async_generator(x):
    if x > 0:
        yield 1
    else:
        yield -1


def maker():
    def inner(x):
        if x > 0:
            return 1
        return -1

    return inner


async def first_of(items):
    return await anext(items)


KINDS: dict[str, tuple[Any, types.FunctionType]] = {
    "function": (sign, sign),
    "lambda": (made := lambda x: 1 if x > 0 else -1, made),
    "closure": (made := maker(), made),
    "wrapped": (wrapped, wrapped),
    "method": (Model().method, Model.method),
    "class method": (Model.of_class, Model.of_class.__func__),
    "class method of an instance": (Model().of_class, Model.of_class.__func__),
    "static method": (Model.static, Model.static),
    "callable object": (Model(), Model.__call__),
    "partial": (functools.partial(sign), sign),
    "partial of a method": (functools.partial(Model().method), Model.method),
    "partial of a callable object": (functools.partial(Model(2)), Model.__call__),
    "coroutine": (coroutine, coroutine),
    "generator": (generator, generator),
    "async generator": (async_generator, async_generator),
}


def outcome(result: Any) -> Any:
    """Return the result of a call, awaited or iterated if necessary."""
    if isinstance(result, types.GeneratorType):
        return next(result)
    if isinstance(result, types.AsyncGeneratorType):
        return asyncio.run(first_of(result))
    return asyncio.run(result) if isinstance(result, types.CoroutineType) else result


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> tuple[Any, types.FunctionType]:
    return KINDS[request.param]


@pytest.mark.parametrize("way", ["convert", "to_graph"])
def test_results(kind: tuple[Any, types.FunctionType], way: str) -> None:
    f, inside = kind
    mine = ag.Transpiler()
    assert not mine.has_converted(f)
    made = getattr(mine, way)(f)
    assert [outcome(made(x)) for x in (3, -3)] == [outcome(f(x)) for x in (3, -3)] == [1, -1]
    assert mine.original(made) is mine.original(f) is inside
    assert getattr(mine, way)(made) == made


def test_code(kind: tuple[Any, types.FunctionType]) -> None:
    """A converted callable has the code of the callable that it was converted from."""
    f, inside = kind
    mine, other = ag.Transpiler(), ag.Transpiler()
    code = mine.to_code(f)
    assert code == mine.to_code(mine.to_graph(f)) == mine.to_code(other.to_graph(f)) == ag.to_code(inside)
    assert mine.source_map(f) == mine.source_map(mine.convert(f))
    assert mine.has_converted(f) and mine.has_converted(mine.convert(f))


@pytest.mark.parametrize(
    "wrong", [Model, int, abs, functools.partial(Model), functools.partial(abs), 3, None]
)
def test_what_is_refused(wrong: Any) -> None:
    mine = ag.Transpiler()
    for use in (mine.to_graph, mine.to_code, mine.source_map, mine.original, mine.has_converted):
        with pytest.raises(TypeError, match="is not a Python function, method, partial or object with"):
            use(wrong)


def test_a_class_is_refused_with_a_remedy() -> None:
    with pytest.raises(TypeError, match="pass the methods to convert"):
        ag.convert(Model)


# Several transpilers, one function --------------------------------------------------------------


def spy(log: list[str], name: str) -> ag.Transpiler:
    def if_stmt(cond, body, orelse, *rest):
        log.append(name)
        (body if cond else orelse)()

    return ag.Transpiler(operators=types.SimpleNamespace(if_stmt=if_stmt), name=name)


@pytest.mark.parametrize(
    "given",
    [
        lambda other: other.to_graph(sign),
        lambda other: other.convert(sign),
        lambda other: other.to_graph(maker)(),
        lambda other: functools.partial(other.to_graph(sign)),
    ],
)
@pytest.mark.parametrize("way", ["to_graph", "convert"])
def test_each_transpiler_converts_for_itself(given: Any, way: str) -> None:
    """A transpiler converts another's result anew, and leaves that result unchanged."""
    log: list[str] = []
    mine, other = spy(log, "mine"), spy(log, "other")
    theirs = given(other)
    ours = mine.to_graph(getattr(mine, way)(theirs))
    assert ours(2) == 1
    assert log == ["mine"]
    assert mine.to_code(ours) == other.to_code(theirs)
    log.clear()
    other.to_graph(theirs)(2)
    assert log == ["other"]


def test_what_another_has_made_is_called_as_it_is() -> None:
    log: list[str] = []
    mine, other = spy(log, "mine"), spy(log, "other")
    theirs = other.to_graph(sign)

    def f(x):
        if x:
            return theirs(x)
        return 0

    assert mine.to_graph(f)(2) == 1
    assert log == ["mine", "other"]


def test_threads_and_transpilers_on_one_function() -> None:
    f = maker()
    transpilers = [ag.Transpiler() for _ in range(2)]
    start, made = threading.Barrier(8), []

    def work(transpiler: ag.Transpiler) -> None:
        start.wait(300)
        made.append((transpiler, transpiler.to_graph(f)))

    threads = [threading.Thread(target=work, args=(transpilers[i % 2],)) for i in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    finally:
        sys.setswitchinterval(interval)
    assert [g(2) for _, g in made] == [1] * 8
    for transpiler in transpilers:
        assert len({g.__code__ for owner, g in made if owner is transpiler}) == 1
    assert len({g.__code__ for _, g in made}) <= 2


AHEAD_OF_TIME = """
from autograph_rs import runtime as ag__
def f(x):
    return ag__.if_exp(x, lambda: 1, lambda: 2, 'x')
"""


def test_what_was_converted_ahead_of_time_stays() -> None:
    names: dict[str, Any] = {}
    exec(AHEAD_OF_TIME, names)
    f, mine = names["f"], ag.Transpiler()
    text = AHEAD_OF_TIME.partition("runtime as ag__\n")[2]
    assert mine.to_graph(f) is mine.convert(f) is mine.original(f) is f
    assert not mine.has_converted(f)
    with pytest.raises(ag.ConversionError, match="already converted ahead of time, do not convert it again"):
        mine.to_code(f, source=text)


def test_the_code_of_a_staged_function_is_that_of_its_python_function():
    def magnitude(x):
        if x < 0:
            x = -x
        return x

    class Norm:
        def of(self, x):
            if x < 0:
                x = -x
            return x

        staged = ag.function(of)

    assert ag.to_code(ag.function(magnitude)) == ag.to_code(magnitude)
    assert ag.to_code(Norm().staged) == ag.to_code(Norm.staged) == ag.to_code(Norm.of)
    assert ag.Transpiler().original(ag.function(magnitude)) is magnitude


def test_an_attribute_of_another_meaning_is_not_followed():
    class Counter:
        python_function = 3

        def __call__(self, x):
            return x + self.python_function

    assert "x + self.python_function" in ag.to_code(Counter())
