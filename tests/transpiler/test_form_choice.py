"""When a function of a converted file runs its own body, and when its staged form."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import textwrap
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest
from two_forms import Load, staged

import autograph_rs as ag
from autograph_rs import runtime

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
