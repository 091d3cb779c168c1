"""Iterators over arrays and lists of which `islice`, `takewhile` and `zip` leave items."""

# ruff: noqa: B905 - as people write it

from itertools import count, islice, takewhile

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


def listed(xs, n):
    items = iter([xs[0], xs[1], xs[2]])
    return list(islice(items, 2)), list(items)


def summed(xs, n):
    items = iter(xs)
    return sum(islice(items, 2)), sum(items)


def to_a_staged_number(xs, n):
    items, total = iter(xs), 0.0
    for x in islice(items, n):
        total += x
    return total, sum(items)


def from_a_staged_number(xs, n):
    items, total = iter(xs), 0.0
    for x in islice(items, n, None):
        total += x
    return total, next(items, -1.0)


def looped_over_again(xs, n):
    items, total = iter(xs), 0.0
    for x in islice(items, n):
        total += x
    for x in items:
        total += 10 * x
    return total


def while_small(xs, n):
    items, total = iter(xs), 0.0
    for x in takewhile(lambda x: x < n, items):
        total += x
    return total, next(items, -1.0)


def zipped_with_a_range(xs, n):
    items, total = iter(xs), 0.0
    for x, k in zip(items, range(n)):
        total += x * k
    return total, sum(items)


def zipped_after_a_range(xs, n):
    items, total = iter(xs), 0.0
    for k, x in zip(range(n), items):
        total += x * k
    return total, sum(items)


def counted(xs, n):
    numbers, total = count(3), 0
    for k in islice(numbers, n):
        total += k
    return total, next(numbers)


def zipped_with_a_count(xs, n):
    numbers, total = count(1), 0.0
    for k, x in zip(numbers, xs[:n]):
        total += x * k
    return total, next(numbers)


FUNCTIONS = (
    listed, summed, to_a_staged_number, from_a_staged_number, looped_over_again, while_small,
    zipped_with_a_range, zipped_after_a_range, counted, zipped_with_a_count,
)  # fmt: skip


@pytest.mark.parametrize("n", [0, 2, 3, 9])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_later_code_gets_the_items_that_are_left(f, n):
    assert ag.function(f)(XS, np.int64(n)) == f(XS, np.int64(n))
