"""Views and arrays that staged branches leave, and what writes to them reach."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, 2.0, 4.0])
KEPT: list[np.ndarray] = []


class LeftError(Exception):
    pass


def is_same(first, second):
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(is_same, first, second))
    return np.array_equal(first, second)


# Views to which nothing else refers


def of_an_array_that_ends(x, n):
    def drawn():
        curve = x + 1
        for i in range(1, len(x)):
            curve[i] = x[i] * n
            if curve[i] > 10:
                raise LeftError(i)
        return curve[1:]

    try:
        found = drawn()
    except LeftError as error:
        return x * error.args[0]
    found[0] = 5.0
    return found


def written_unless_it_has_returned(x, n):
    try:
        if n > 3:
            raise LeftError
        found = x + 1
    except LeftError:
        return x
    found[0] = 5.0
    return found


def a_whole_view(x, n):
    array = x + 1
    found = array[...] if n > 0 else array
    found[0] = 7.0
    return found, array


@pytest.mark.parametrize("n", [2.0, -1.0, 5.0])
@pytest.mark.parametrize("f", [of_an_array_that_ends, written_unless_it_has_returned, a_whole_view])
def test_nothing_else_refers_to_the_array(f, n):
    assert is_same(ag.function(f)(XS, np.float64(n)), f(XS, n))


# Views of arrays to which something else refers


def of_an_attribute(x, n):
    held = SimpleNamespace(array=x + 1)

    def part():
        return held.array[1:] if n > 0 else x[1:] * 1

    found = part()
    found[0] = 7.0
    return found, held.array


def of_an_item(x, n):
    held = [x + 1, x + 2]

    def part():
        if n > 0:
            return held[0][1:]
        return x[1:] * 1

    found = part()
    found[0] = 7.0
    return found, held[0]


def twice(x):
    array = x + 1
    yield array
    yield array


def part_of(array, n):
    if n > 0:
        return array[1:]
    return array[1:] * 1


def of_what_a_generator_holds(x, n):
    arrays = twice(x)
    found = part_of(next(arrays), n)
    found[0] = 7.0
    return found, next(arrays)


def of_a_default(x, n):
    array = x + 1

    def total(array=array):
        return array.sum()

    found = part_of(array, n)
    del array
    found[0] = 7.0
    return found, total()


def of_an_array_with_another_view(x, n):
    array = np.stack([x, x + 1])
    other = array.T
    found = part_of(array, n)
    del array
    found[0] = 7.0
    return found, other


def of_a_global(x, n):
    array = x + 1
    KEPT[:] = [array]
    found = part_of(array, n)
    del array
    found[0] = 7.0
    return found, KEPT[0] * 1


def of_the_array_that_an_exception_holds(x, n):
    array, other = x + 1, x * 2
    try:
        if n > 0:
            raise LeftError(array)
        array[0] = 7.0
    except LeftError as error:
        other = error.args[0]
    array[1] = 5.0
    return array, other


@pytest.mark.parametrize("n", [2.0, -1.0])
@pytest.mark.parametrize(
    "f",
    [
        of_an_attribute, of_an_item, of_what_a_generator_holds, of_a_default, of_an_array_with_another_view,
        of_a_global, of_the_array_that_an_exception_holds,
    ],
)  # fmt: skip
def test_a_write_that_others_would_have_to_see_is_refused(f, n):
    with pytest.raises(ag.AliasError, match=r"may (be|hold) another name"):
        ag.function(f)(XS, np.float64(n))


# Arrays that an exception takes out of a loop


def flight(position, n):
    time, highest = 0.0, position[1]
    while time < n:
        moved, speed = position + 1.0, position * 2
        time += 1
        if moved[0] > 100:
            raise LeftError(time, moved)
        if moved[1] > 3:
            moved[1] = -moved[1]
            speed = np.array([0.5 * speed[0], speed[1]])
            if abs(speed[1]) < 0.5:
                position = moved
                break
        highest = max(highest, moved[1])
        position = moved
    return time, position, highest


def end_of_the_flight(position, n):
    try:
        time, position, highest = flight(position, n)
    except LeftError as error:
        return error.args[0], error.args[1], 0.0
    return time, position, highest


@pytest.mark.parametrize("start", [[1.0, 2.0], [98.0, 0.0]])
@pytest.mark.parametrize("n", [2.0, 5.0])
def test_arrays_that_exceptions_hold_are_written_before(start, n):
    arguments = np.array(start), np.float64(n)
    assert is_same(ag.function(end_of_the_flight)(*arguments), end_of_the_flight(*arguments))


# Arrays that a handler returns


def returned_by_a_handler(array, x):
    try:
        if x < 0:
            raise LeftError
        y = x * 2
    except LeftError:
        return array
    array[0] = y
    return array


def in_a_dict(x):
    array = np.zeros(3)
    try:
        if x < 0:
            raise LeftError
        y = x * 2
    except LeftError:
        return {"array": array, "y": 0.0}
    array[0] = y
    return {"array": array, "y": y}


def in_a_loop(x):
    array, i = np.zeros(3), 0.0
    while i < x + 3:
        i += 1
        try:
            if i > 3:
                raise LeftError
            y = x * 2
        except LeftError:
            return array
        array[0] += y
    return array * 2


@pytest.mark.parametrize("x", [1.5, -1.5])
@pytest.mark.parametrize("f", [in_a_dict, in_a_loop, lambda x: returned_by_a_handler(np.zeros(3), x)])
def test_arrays_that_a_handler_returns_change_on_the_other_path(f, x):
    np.testing.assert_equal(ag.function(f)(np.float64(x)), f(np.float64(x)))


def returned_to_a_caller_with_the_array(x):
    array = np.zeros(3)
    found = returned_by_a_handler(array, x)
    array[2] = 9.0
    return array, found


def left_in_a_global(x):
    KEPT[:] = [np.zeros(3)]
    return returned_by_a_handler(KEPT[0], x)


@pytest.mark.parametrize("f", [returned_to_a_caller_with_the_array, left_in_a_global])
def test_others_would_have_to_see_the_change(f):
    with pytest.raises(ag.AliasError, match="that a staged condition selects is changed"):
        ag.function(f)(np.float64(1.5))
