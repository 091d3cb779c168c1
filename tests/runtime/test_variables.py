"""Which variables of a running function its rest can read, and what staging concludes from it."""

import sys

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.core.operands import is_read_later

SEEN: list[str] = []


def note():
    frame = sys._getframe(1)
    names = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars}
    SEEN.append("".join(sorted(name for name in names if is_read_later(frame, name))))


def straight(a, b):
    x = a
    note()
    y = x  # noqa: F841 - nothing reads it
    note()
    return b


def with_a_loop(a, b):
    x = a
    while a:
        y = x
        note()
        z = y
        a, b = b, z - 2
    return b


def with_a_closure(a, b):
    x = a
    y = lambda: x  # noqa: E731, F841 - the closure is what is tested
    note()
    return b


def with_locals(a, b):
    x = a
    note()
    return locals()


@pytest.mark.parametrize(
    ("function", "found"),
    [(straight, ["bx", "b"]), (with_a_loop, ["abxyz", "abxyz"]), (with_a_closure, ["bx"])],
)
def test_variables_that_are_read_later(function, found):
    SEEN.clear()
    function(2, 1)
    assert found == SEEN


def test_all_variables_are_read_by_locals():
    SEEN.clear()
    with_locals(1, 2)
    assert set("abx") <= set(SEEN[0])


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def first_above(n):
    numbers = fibonacci()
    for number in numbers:
        if number > n:
            break
    return number


def taken_once(n):
    numbers = (k for k in range(10) if k > n)
    return next(numbers)


def taken_twice(n):
    numbers = (k for k in range(10) if k > n)
    return next(numbers), next(numbers)


@pytest.mark.parametrize("function", [first_above, taken_once])
def test_a_variable_that_nothing_reads_any_more_keeps_nothing_alive(function):
    for n in np.array([2, 5]):
        assert ag.function(function)(n) == function(n)


def taken_from_a_tuple(n):
    numbers = (k for k in range(10) if k > n)
    held = (numbers,)
    return list(zip(held[0], [next(numbers)], strict=False))


def taken_from_a_map(n):
    numbers = (k for k in range(10) if k > n)
    texts = map(str, numbers)
    return next(numbers), list(texts)


def added_to_what_a_call_changes(items, n):
    def grow(items):
        if n > 0:
            items.append(5)
        return [7]

    items = [items]
    held = (items,)
    return held[0] + grow(items)


@pytest.mark.parametrize("function", [taken_twice, taken_from_a_tuple, taken_from_a_map])
def test_a_generator_that_something_else_holds_stays_in_python(function):
    with pytest.raises(ag.StagingError, match="if in a comprehension"):
        ag.function(function)(np.int64(2))


def test_a_list_in_a_variable_that_nothing_reads_any_more_is_another_name():
    """Its item is an operand when the list changes."""
    with pytest.raises(ag.AliasError, match="'held'"):
        ag.function(added_to_what_a_call_changes)(np.int64(1), np.int64(1))
