"""References to lists and arrays that no variable holds: Python's stack, iterators, context managers."""

from __future__ import annotations

import contextlib
import functools

import numpy as np
import pytest

import autograph_rs as ag

X = np.array([1.0, 2.0])


@contextlib.contextmanager
def filled(array):
    kept = [array]
    yield
    kept[0][1] = kept[0][0] * 2


def held_by_a_context_manager(x):
    array = np.zeros(2)
    with filled(array):
        if x[0] > 0:
            array[0] = x[0]
    return array


class Appending:
    def __init__(self, found):
        self.found, self.count = found, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        if self.count > 3:
            raise StopIteration
        self.found.append(0.5)
        return self.count


def held_by_an_iterator(x):
    found = []
    for i in Appending(found):
        if x[0] > i:
            found.append(x[0])  # noqa: PERF401
    return found


def noted(found, x):
    if x > 0:
        found.append(x)
    return found


def held_by_the_function_of_a_map(x):
    found = []
    for made in map(functools.partial(noted, found), [1.0, 2.0]):
        if x[0] > made[0]:
            found.append(x[0])  # noqa: PERF401
    return found


def fill(array, x):
    if x[0] > 0:
        array[0] = 1


def in_a_tuple_that_is_not_finished(x):
    found = []
    return found, len(noted(found, x[0]))


def in_a_dict_that_is_not_finished(x):
    table = np.zeros(2)
    return {"before": table, "after": fill(table, x)}


@pytest.mark.parametrize(
    "f",
    [
        held_by_a_context_manager, held_by_an_iterator, held_by_the_function_of_a_map,
        in_a_tuple_that_is_not_finished, in_a_dict_that_is_not_finished,
    ],
)  # fmt: skip
def test_what_no_variable_refers_to_is_refused(f):
    with pytest.raises(ag.AliasError):
        ag.function(f)(X)
