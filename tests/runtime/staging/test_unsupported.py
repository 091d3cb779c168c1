# ruff: noqa: B007, PLC3002, UP028 - what is refused is written as users write it
"""Code that cannot be staged raises at its line, with the reason and a remedy.

Each function runs on plain values; on staged ones it raises a `StagingError` whose text is matched.
"""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

STAYS = r"'{}' depends on a staged value, but cannot be staged\n.*test_unsupported\.py\", line .*\(AG00\d\)\n"
UNCONVERTED = r"decides a branch that was not converted.*(the body of a class|patterns of 'match')"
REFUSED: list[Any] = []


def refused(text: str, argument: Any = None):
    def attach(function):
        given = np.int64(3) if argument is None else argument
        REFUSED.append(pytest.param(function, given, text, id=function.__name__))
        return function

    return attach


def of_async(*values: Any):
    async def items():
        for value in values:
            yield value

    return items()


@refused(STAYS.format("if"))
def yield_in_if(x):
    def g():
        if x > 0:
            yield 1

    made = g()
    return next(made), next(made, None)


@refused(STAYS.format("while"))
def yield_in_while(x):
    def g():
        i = 0
        while i < x:
            yield i
            i += 1

    made = g()
    return next(made), next(made)


@refused("Python cannot iterate over a staged range.*use a 'for' loop")
def yield_in_for(x):
    def g():
        for i in range(x):
            yield i

    made = g()
    return next(made), next(made)


@refused(STAYS.format("if else"))
def yield_in_conditional(x):
    def g():
        _ = (yield 1) if x > 0 else 2

    return list(g())


@refused(STAYS.format("and"))
def yield_in_and(x):
    def g():
        _ = x > 0 and (yield 1)

    return list(g())


@refused(STAYS.format("if"))
def await_in_if(x):
    async def f():
        if x > 0:
            await asyncio.sleep(0)

    return asyncio.run(f())


@refused(STAYS.format("if in a comprehension"))
def condition_of_async_comprehension(x):
    async def f():
        return [i async for i in of_async(1, 2) if i < x]

    return asyncio.run(f())


@refused(STAYS.format("if in a comprehension"))
def condition_of_generator_expression(x):
    made = (k for k in range(3) if x > k)
    return next(made), next(made)


@refused(STAYS.format("if in a comprehension"))
def comprehension_in_a_lambda(x):
    return (lambda n: {k: j for k in range(n) for j in range(2) if x > k})(3)


@refused("has items of two types, int and str.*strings have no common type with other values")
def values_of_two_types(x):
    return [v for v in (1, "a") if x > 1]


@refused(STAYS.format("if in a comprehension"), np.array([1, 2]))
def walrus_in_comprehension(x):
    return [y for i in x if (y := i) > 1]


@refused("is used as a dict key or a set member.*use a plain value", np.array([1, 2]))
def set_in_a_lambda(x):
    return (lambda n: {i + j for i in x for j in range(n)})(2)


@refused(STAYS.format("match"))
def sequence_pattern(x):
    positive = [y for y in (x, x + 1) if y > 0]
    match (positive, 1):
        case [[], _]:
            return 1
        case _:
            return 2


@refused(STAYS.format("match"))
def class_pattern(x):
    match x:
        case np.generic(ndim=0):
            return 1
        case _:
            return 2


@refused(UNCONVERTED)
def condition_in_a_class_body(x):
    class A:
        if x > 0:
            y = 1

    return A


@refused("whether the attribute 'y' exists depends on a staged value.*assign the attribute 'y'")
def presence_of_an_attribute(x):
    class Box:
        pass

    box = Box()
    box.z = 1
    if x > 0:
        box.y = 1
    assert hasattr(box, "z")
    assert not hasattr(box, "v")
    assert getattr(box, "v", 5) == 5
    return hasattr(box, "y")


@refused("whether the attribute 'w' exists depends on a staged value")
def default_of_an_attribute(x):
    class Box:
        pass

    box = Box()
    if x > 0:
        box.w = 2
    return getattr(box, "w", 5)


@refused("has a slice with a step that is replaced")
def slice_with_a_step(x):
    items = [1, 2, 3]
    if x > 0:
        del items[0]
    items[::2] = [4]
    return items


@refused("is used where Python needs an int", np.int64(1))
def deleted_staged_index(x):
    items = [1, 2, 3]
    del items[x]
    return items


@refused("a tuple is sliced with staged bounds.*use an array")
def slice_of_a_tuple(x):
    return (1, 2, 3, 4)[1:x]


@refused("a list is sliced with staged bounds.*use an array")
def slice_of_a_list_of_lists(x):
    rows = [[1], [2], [3]]
    rows[:x][0].append(4)
    return rows


@refused(STAYS.format("if"))
def locals_in_branch(x):
    y = 0
    if x > 0:
        y = len(locals())
    return y


@refused(STAYS.format("if"))
def eval_in_branch(x):
    y = 0
    if x > 0:
        y = eval("2")
    return y


@refused(STAYS.format("if"))
def break_in_finally(x):
    for i in range(3):
        try:
            pass
        finally:
            if x > 0:
                break  # noqa: B012
    return i


@refused(STAYS.format("if"))
def return_in_finally(x):
    try:
        pass
    finally:
        if x > 0:
            return 1  # noqa: B012
    return 2


@refused(STAYS.format("and"))
def walrus_in_lambda(x):
    return (lambda: (y := x) > 0 and y)()


@refused("Python cannot iterate over a staged range")
def star_of_a_staged_range(x):
    return (*range(x),)


@refused("a plain width and precision")
def width_in_f_string(x):
    return f"{5:>{x}}"


@refused(r"the result is int8 for a power of 2 and int64 for others.*\n.*x.astype\(int\) \*\* k")
def power_of_truths(x):
    return np.array([True, False]) ** int(x)


@pytest.mark.parametrize(("function", "argument", "text"), REFUSED)
def test_refused(function, argument: Any, text: str):
    function(argument)
    with pytest.raises(ag.StagingError, match=f"(?s){text}"):
        ag.function(function)(argument)
