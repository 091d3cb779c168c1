"""Structures that may be None, and lists that grow in objects: what cannot be exact is refused."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph_rs as ag


class Bag:
    def __init__(self):
        self.items = []


def in_a_tuple(x):
    bag = Bag()
    bag.view = (bag.items, 1.0)
    if x > 0:
        bag.items.append(x)
    return len(bag.view[0])


def in_a_deque(x):
    bag = Bag()
    bag.queue = collections.deque([bag.items])
    if x > 0:
        bag.items.append(x)
    return len(bag.queue[0])


def in_a_partial(x):
    bag = Bag()
    bag.count = functools.partial(len, bag.items)
    if x > 0:
        bag.items.append(x)
    return bag.count()


def in_a_method(x):
    bag = Bag()
    bag.push = bag.items.append
    if x > 0:
        bag.items.append(x)
    bag.push(1.0)
    return len(bag.items)


def counter_of(items):
    return lambda: len(items)


def in_a_closure(x):
    bag = Bag()
    count = counter_of(bag.items)
    if x > 0:
        bag.items.append(x)
    return count()


def variable_in_a_closure(x):
    items = []
    count = counter_of(items)
    if x > 0:
        items.append(x)
    return count()


def in_an_iterator(x):
    bag = Bag()
    bag.rest = iter(bag.items)
    if x > 0:
        bag.items.append(x)
    return sum(bag.rest)


def in_a_view(x):
    bag = Bag()
    bag.values = {"a": bag.items}.values()
    if x > 0:
        bag.items.append(x)
    return len(next(iter(bag.values)))


REGISTERED = []


def register(bag):
    REGISTERED.append(bag)


def of_a_registered_object(x):
    bag = Bag()
    register(bag)
    if x > 0:
        bag.items.append(x)
    return len(bag.items)


class Node:
    every = []

    def __init__(self):
        self.items = []
        Node.every.append(self)


def of_an_object_in_its_class(x):
    node = Node()
    if x > 0:
        node.items.append(x)
    return len(node.items)


@dataclasses.dataclass(frozen=True)
class Buffer:
    items: list


def list_in_a_dataclass(x):
    buffer = None
    if x > 0:
        buffer = Buffer([x])
    if buffer is not None:
        buffer.items[0] = 9.0
    return buffer.items[0] if buffer is not None else -1.0


def list_in_a_pair(x):
    items, pair = [x], None
    if x > 0:
        pair = (items, 2.0)
    if pair is not None:
        pair[0][0] = 5.0
    return items


@dataclasses.dataclass(frozen=True)
class Falsy:
    a: float

    def __bool__(self):
        return False


def truth_of_the_users(x):
    value = None
    if x > 0:
        value = Falsy(x)
    return 1.0 if value else 0.0


def class_of_what_may_be_none(x):
    value = x if x > 0 else None
    return 1.0 if isinstance(value, float) else 0.0


def attribute_of_what_may_be_none(x):
    point = Point(x, 1.0) if x > 0 else None
    return 1.0 if hasattr(point, "x") else 0.0


def key_that_may_be_none(x):
    pair = (1.0, x) if x > 0 else None
    return {(1.0, 2.5): 1.0, None: 2.0}[pair]


REFUSED = [
    in_a_tuple, in_a_deque, in_a_partial, in_a_method, in_an_iterator, in_a_view, of_an_object_in_its_class,
    class_of_what_may_be_none, attribute_of_what_may_be_none, key_that_may_be_none,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_cannot_be_exact_is_refused(function: Any):
    with pytest.raises(ag.StagingError):
        ag.function(function)(np.float64(2.5))
    assert all(type(node.items) is list for node in Node.every if type(node) is Node)


def test_an_object_that_is_registered_elsewhere():
    """A global that refers to it gets what stands for it in the trace."""
    assert ag.function(of_a_registered_object)(np.float64(2.5)) == 1
    with pytest.raises(ag.LeakError, match="it leaked through a list"):
        len(REGISTERED[-1].items)


@pytest.mark.parametrize("function", [list_in_a_dataclass, list_in_a_pair, truth_of_the_users])
@pytest.mark.parametrize("x", [2.5, -1.0])
def test_what_each_outcome_tells(function: Any, x: float):
    assert ag.function(function)(np.float64(x)) == function(np.float64(x))


class Point(NamedTuple):
    x: float
    y: float


def object_in_a_pair(x):
    class Cell:
        pass

    cell, pair = Cell(), None
    cell.value = x
    if x > 0:
        pair = (cell, 2.0)
    if pair is not None:
        pair[0].value = 100.0
    return cell.value


def none_in_a_pair_or_none(x):
    pair = (x, x if x > 1 else None) if x > 0 else None
    first = pair or (9.0, None)
    return 50.0 if first[1] is None else first[1]


def pair_in_a_pair_or_none(x):
    return (x, (x, 1.0) if x > 1 else None) if x > 0 else None


def named_tuple_and_tuple(x):
    point = Point(x, 1.0) if x > 0 else None
    return 1.0 if point == (x, 1.0) else 0.0


def two_pairs(x):
    first = (x, 1.0) if x > 0 else None
    second = (x, 1.0) if x > 1 else None
    return 1.0 if first == second else 0.0, 1.0 if first != second else 0.0


def pairs_of_other_lengths(x):
    first = (x, 1.0) if x > 0 else None
    second = (x, 1.0, 2.0) if x > 0 else None
    return 1.0 if first == second else 0.0


def two_numbers(x):
    first = x if x > 0 else None
    second = x if x > 1 else None
    return 1.0 if first == second else 0.0, 1.0 if first != second else 0.0


@dataclasses.dataclass(frozen=True)
class Model:
    parts: float
    marker: float

    @property
    def backend(self):
        return self.parts * self.marker


def fields_of_any_name(x):
    model = Model(x, 2.0) if x > 0 else None
    return model.parts + model.marker + model.backend if model is not None else -1.0


def longer_pair(x):
    pair = (x,) if x > 0 else None
    return (*pair, *(pair + (1.0,))) if pair is not None else (0.0, 0.0, 0.0)  # noqa: RUF005


def truth_by_bool(x):
    value = x if x > 0 else None
    return 1.0 if bool(value) else 0.0


def closure_over_the_object(x):
    bag = Bag()
    count = lambda: len(bag.items)  # noqa: E731
    if x > 0:
        bag.items.append(x)
    return count()


EXACT = [
    in_a_closure, variable_in_a_closure, object_in_a_pair,
    none_in_a_pair_or_none, pair_in_a_pair_or_none, named_tuple_and_tuple, two_pairs,
    pairs_of_other_lengths, two_numbers, fields_of_any_name, longer_pair, truth_by_bool,
    closure_over_the_object,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("x", [2.5, 0.5, -1.5])
@pytest.mark.parametrize("function", EXACT, ids=lambda f: f.__name__)
def test_what_is_exact(function: Any, x: float):
    assert ag.function(function)(np.float64(x)) == function(np.float64(x))


def previous_of_a_later_item(xs):
    is_first, total = True, 0.0
    for x in xs:
        if not is_first:
            total += previous * x  # noqa: F821
        previous = x  # noqa: F841
        is_first = False
    return total


def previous_by_number(xs):
    total = 0.0
    for i, x in enumerate(xs):
        if i > 0:
            total += previous[0] * x  # noqa: F821
        previous = x, i  # noqa: F841
    return total


def previous_where_there_may_be_none(xs):
    total = 0.0
    for x in xs:
        if x > 1:
            total += previous * x  # noqa: F821
        previous = x  # noqa: F841
    return total


def read_in_the_first_iteration(xs):
    total = 0.0
    for x in xs:
        total += previous  # noqa: F821
        previous = x  # noqa: F841
    return total


@pytest.mark.parametrize(
    "f",
    [
        previous_of_a_later_item, previous_by_number, previous_where_there_may_be_none,
        read_in_the_first_iteration,
    ],
)  # fmt: skip
def test_a_name_that_an_earlier_iteration_binds(f):
    """A branch that reads it is captured before the type is known, and counts for nothing then."""

    def outcome(g, xs):
        try:
            return g(xs)
        except UnboundLocalError as error:
            return str(error)

    function = ag.function(f)
    for xs in (np.arange(4.0), np.arange(4.0) + 2, np.zeros(0), np.array([1.0, -1.0])):
        assert outcome(function, xs) == outcome(f, xs)
