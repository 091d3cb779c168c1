"""A part of the fuzzer's programs, and what it found once."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from breadth import some
from graph_fuzzing import difference, fuzz, outcome
from graph_programs import program

import autograph_rs as ag


@pytest.mark.slow
def test_random_programs():
    """Each gives the same plain, as traced and optimised; few are refused."""
    count = some(150, 1000)
    verdicts, found = fuzz(first=0, count=count)
    if found:
        raise found[0]
    assert verdicts["same"] > 0.85 * count


def test_a_seed_is_one_program():
    """The same seed makes the same program again."""
    assert program(7).source == program(7).source


def power_of_a_negative_constant(x):
    return (-2) ** x, (-1.5) ** x


def copy_of_a_scalar(x):
    return x.copy(), x * 2


def view_of_a_view(a, n):
    b = a.T.T
    a -= n
    return a, b


def one_element_as_a_view(a, n):
    b = a[..., 0]
    a += n
    return a, b


def written_part_of_a_scalar(n):
    b = n[..., None]
    b[-1] = 7
    return n, b


def empty_mask(a, mask):
    return a[mask]


def value_beside_an_empty_mask(a, b):
    a[b == b] = b
    return a


def array_as_an_element(a):
    a[0] = a[:1]
    return a


def written_without_dimensions(a, n):
    a *= n
    return a


def in_place_after_a_loop(rows, a):
    for x in rows:  # noqa: B007 - is read after the loop
        pass
    y = x.copy()
    y += a
    return y


def seen_through_a_branch(a, n):
    b = a.squeeze()
    if n > 0:
        a[0] += n
    return b * 1


def found_among(x):
    return x in (1, 2)


def indexed_by_a_constant_array(a):
    return a[np.zeros((2, 0), np.int64)], a[()] + 1


def view_that_a_loop_may_leave(a, n):
    v = a[0]
    k = 0
    while k < n:
        v = v.flatten()
        k = k + 1
    return v + a


def view_of_an_array_without_dimensions(a, n):
    b = a.T.T
    a *= n
    return a, b


def square_of_truths(a):
    return a**2, np.power(a, 2)


def mask_of_nothing(a, v):
    a[a[..., 0] > 0] = v
    return a


def functions_that_are_no_operators(x, y):
    return np.power(x, x), x**x, np.add(y, np.nan), y + np.nan


def view_of_a_variable_that_may_be_unbound(a, n):
    if n > 0:
        x = a * 2
    v = x[::-1]
    v += 1
    return x, v


ONE = np.int64(3)
FOUND = [
    (power_of_a_negative_constant, (np.float64(3),)),
    (copy_of_a_scalar, (ONE,)),
    (view_of_a_view, (np.ones((2, 3)), ONE)),
    (one_element_as_a_view, (np.ones(2), ONE)),
    (written_part_of_a_scalar, (ONE,)),
    (empty_mask, (np.ones(3), np.zeros(0, bool))),
    (value_beside_an_empty_mask, (np.ones((2, 3), bool), np.zeros((2, 0)))),
    (array_as_an_element, (np.array([True, False]),)),
    (written_without_dimensions, (np.array(2), ONE)),
    (in_place_after_a_loop, (np.ones((2, 2), np.int32), np.ones(2, np.int32))),
    (seen_through_a_branch, (np.ones(1), ONE)),
    (found_among, (ONE,)),
    (indexed_by_a_constant_array, (np.ones(3),)),
    (view_that_a_loop_may_leave, (np.ones((2, 2)), np.int64(0))),
    (view_of_an_array_without_dimensions, (np.array(-7.25 + 0j), ONE)),
    (square_of_truths, (np.ones(2, bool),)),
    (mask_of_nothing, (np.zeros((2, 0, 1)), np.zeros((2, 0, 1)))),
    (functions_that_are_no_operators, (np.tanh(np.float64(0.5)) * 2, np.copysign(np.nan, -1.0))),
    (view_of_a_variable_that_may_be_unbound, (np.arange(3.0), ONE)),
]


def reshaped_then_written(a):
    b = a[::-1].reshape(-1)
    a[0] = 9
    return b


def item_after_a_loop(a):
    for x in a:  # noqa: B007 - is written after the loop
        a = a * 2
    x += 1
    return x


def carried_view_of_what_is_written(a, n):
    v = a.reshape((2, 3)).squeeze()
    for _ in range(n):
        a -= v
        v = v * 2
    return v


@pytest.mark.parametrize(
    "function", [reshaped_then_written, item_after_a_loop, carried_view_of_what_is_written]
)
def test_what_may_be_another_name_is_refused(function):
    """NumPy may make a view or a copy, or the array is one that the caller sees."""
    arguments = (np.ones((2, 3)), ONE)[: function.__code__.co_argcount]
    with pytest.raises(ag.StagingError, match="copy first"):
        ag.function(function)(*arguments)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("optimise", [False, True])
@pytest.mark.parametrize(("function", "arguments"), FOUND, ids=lambda v: getattr(v, "__name__", ""))
def test_found(function, arguments, optimise):
    """Programs on which the fuzzer once found a fault."""

    def results(*given):
        value = made(*given)
        return value if isinstance(value, tuple) else (value,)

    made = function
    expected = outcome(results, copy.deepcopy(arguments))
    made = ag.function(function, optimise=optimise)
    assert difference(outcome(results, arguments), expected, lenient=False) == ""


def conditional_alias(a, n):
    a += n
    if n == 7:
        a = a * 2
    a[0] = 9
    return a


def iterated_and_written(a, n):
    view = a.T
    for row in view:  # noqa: B007 - the write is what counts
        a += n
    return a


def item_that_outlives(a, n):
    for row in a:
        n = row.sum()
    a += 1
    return row, n


@pytest.mark.parametrize("function", [conditional_alias, iterated_and_written, item_that_outlives])
def test_writes_that_aliases_would_miss_are_refused(function):
    """A write that NumPy would show under two names, of which the graph knows one, raises."""
    with pytest.raises(ag.StagingError, match=r"may be another name|iterates|outlives|item of what"):
        ag.function(function)(np.ones((2, 2)), np.float64(2))
