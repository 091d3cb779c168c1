"""References to lists and arrays that no variable holds: Python's stack, iterators, context managers."""

from __future__ import annotations

import contextlib
import functools
import itertools

import numpy as np
import pytest

import autograph_rs as ag

X = np.array([1.0, 2.0])


@contextlib.contextmanager
def filled(array):
    kept = (array,)
    yield
    kept[0][1] = kept[0][0] * 2


def held_by_a_context_manager(x):
    array = np.zeros(2)
    with filled(array):
        if x[0] > 0:
            array[0] = x[0]
    return array


class Thrice:
    count = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        if self.count > 3:
            raise StopIteration
        return self.item()


class Appending(Thrice):
    def __init__(self, found):
        self.found = (found,)

    def item(self):
        self.found[0].append(0.5)
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


def accepted(found, x):
    if x > 0:
        found.append(x)
    return x > 0


def held_by_the_function_of_takewhile(x):
    found = []
    for item in itertools.takewhile(functools.partial(accepted, found), x):
        found.append(item)  # noqa: PERF402
    return found


class Noting:
    def __init__(self, found):
        self.found = (found,)

    def __getitem__(self, index):
        if index > 2:
            raise IndexError
        self.found[0].append(0.5)
        return index


def held_by_a_sequence(x):
    found = []
    for i in Noting(found):
        if x[0] > i:
            found.append(x[0])  # noqa: PERF401
    return found


def held_by_the_sequence_of_a_comprehension(x):
    found = []
    return found, [found.append(x[0]) for _ in Noting(found) if x[0] > 0]


def held_by_a_sentinel_iterator(x):
    found = []
    for count in iter(functools.partial(next, Appending(found)), 2):
        if x[0] > count:
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "f",
    [
        held_by_a_context_manager, held_by_an_iterator, held_by_the_function_of_a_map,
        held_by_the_function_of_takewhile, held_by_the_sequence_of_a_comprehension,
        held_by_a_sentinel_iterator,
        in_a_tuple_that_is_not_finished, in_a_dict_that_is_not_finished,
    ],
)  # fmt: skip
def test_what_no_variable_refers_to_is_refused(f):
    with pytest.raises(ag.AliasError):
        ag.function(f)(X)


class Sums(Thrice):
    def __init__(self, array):
        self.array = array

    def item(self):
        return self.array.sum()


def in_an_attribute_of_an_iterator(x):
    array, total = np.zeros(2), 0.0
    for value in Sums(array):
        if x[0] > 0:
            array[0] += x[0]
        total = total + value
    return total


def test_an_iterator_follows_what_replaces_its_attribute():
    f = ag.function(in_an_attribute_of_an_iterator)
    assert f(X) == in_an_attribute_of_an_iterator(X) == 3.0


@contextlib.contextmanager
def closed(log):
    yield
    log.append(7.0)


def in_a_suspended_generator(x):
    log = []
    with closed(log):
        if x[0] > 0:
            log.append(x[0])
    return len(log), log[-1]


class Log:
    def __init__(self, items):
        self.items = items

    def close(self):
        self.items.append(7.0)


def in_an_object(x):
    items = []
    log = Log(items)
    if x[0] > 0:
        items.append(x[0])
    log.close()
    return len(items), items[-1]


def in_two_lists(x):
    row = [0.0]
    rows = [row, row]
    if x[0] > 0:
        rows[0].append(x[0])
    rows[1].append(7.0)
    return len(row), len(rows[0]), rows[1][-1]


def as_a_list_of_arrays(x):
    table = np.zeros(2)
    tables = {"a": [table]}
    fill(table, x)
    return tables["a"][0] + table


def in_a_closure(x):
    items = []
    count = counter(items)
    if x[0] > 0:
        items.append(x[0])
    return count()


def counter(items):
    return lambda: len(items)


def several_attributes(x):
    items = []
    log, other = Log(items), Log(items)
    for i in range(3):
        if x[0] > i:
            log.items.append(x[0] * i)
    other.close()
    return len(items), log.items[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "f",
    [
        in_a_suspended_generator, in_an_object, in_two_lists, as_a_list_of_arrays, in_a_closure,
        several_attributes, held_by_a_sequence,
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [X, -X])
@pytest.mark.filterwarnings("error")
def test_what_can_refer_to_the_staged_one(f, x):
    np.testing.assert_array_equal(ag.function(f)(x), f(x))


KEPT = []


def kept_by_a_global(x):
    items = []
    KEPT.append(items)
    if x[0] > 0:
        items.append(x[0])
    return len(KEPT[-1])


def test_what_outlives_the_trace_does_not_change():
    with pytest.raises(ag.StagingError):
        ag.function(kept_by_a_global)(X)
    assert all(type(items) is list for items in KEPT)
