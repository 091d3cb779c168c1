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


def shown_in_a_loop(n):
    """Return a list that has had another name, which nothing reads any more."""
    found = [1, 2]
    other = found
    count = len(other)
    for i in range(n):
        found.append(i)
        found.append(-i)
    return found, count


@pytest.mark.parametrize("function", [first_above, taken_once, shown_in_a_loop])
def test_a_variable_that_nothing_reads_any_more_keeps_nothing_alive(function):
    for n in np.array([2, 5]):
        assert ag.function(function)(n) == function(n)


def test_a_variable_that_is_read_again_keeps_its_generator():
    with pytest.raises(ag.StagingError, match="if in a comprehension"):
        ag.function(taken_twice)(np.int64(2))
