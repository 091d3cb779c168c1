"""Iterators over arrays and lists of which `islice`, `takewhile` and `zip` leave items."""

# ruff: noqa: B905, C417 - as people write it

from itertools import chain, count, islice, takewhile, zip_longest

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


def mapped_twice(xs, n):
    items = map(lambda x: x * 2, xs)
    return sum(items), sum(items), len(list(items))


def filtered_in_parts(xs, n):
    items, total = filter(lambda x: x > 1, xs), 0.0
    for x in items:
        total += x
        if total > n:
            break
    return total, sum(items)


def next_of_filter(xs, n):
    items = filter(lambda x: x > 1, xs)
    return next(items), next(items, -1.0), list(items)


def first_found(xs, n):
    return next(filter(lambda x: x > n, xs), None)


def in_conditions(xs, n):
    items = map(abs, xs)
    first = next(items) if n > 2 else 0.0
    return first + sum(items)


def nested(xs, n):
    items, total = map(abs, xs), 0.0
    for x in items:
        for y in items:
            total += x * y
    return total


def membership(xs, n):
    items = map(abs, xs)
    return 2.0 in items, 3.0 in map(abs, xs)


def unpacked(xs, n):
    first, *rest = map(abs, xs)
    return first, len(rest), max(*map(abs, xs)), [*map(abs, xs), n]


def paired(xs, n):
    items = iter(xs)
    return list(zip(items, items)), list(zip(*[iter(xs)] * 2))


MAPS = (
    mapped_twice, filtered_in_parts, next_of_filter, first_found, in_conditions, nested, membership, unpacked,
    paired,
)  # fmt: skip


@pytest.mark.parametrize("n", [0, 3, 9])
@pytest.mark.parametrize("f", MAPS, ids=lambda f: f.__name__)
def test_map_and_filter_give_each_item_once(f, n):
    assert ag.function(f)(XS, np.int64(n)) == f(XS, np.int64(n))


def test_a_result_is_an_iterator():
    items = ag.function(lambda xs: map(abs, xs))(XS)
    assert next(items) == 1.0
    assert list(items) == [2.0, 3.0, 4.0, 5.0]


def test_an_exhausted_part_of_zip_longest():
    def f(xs, n):
        items, total = zip_longest((x * 2 for x in xs), [1.0], fillvalue=0.5), 0.0
        first = next(items)
        for x, y in items:
            total += x * y
            if total > n:
                break
        return first, total

    assert ag.function(f)(XS, np.int64(3)) == f(XS, np.int64(3))


class Pairs:
    def __init__(self):
        self.items = zip([1, 2, 3, 4], [5, 6, 7, 8])

    def take(self, n):
        total = 0
        for x, _ in self.items:
            total += x
            if total > n:
                break
        return total


def of_an_object(n):
    pairs = Pairs()
    return pairs.take(n), len(list(pairs.items))


def of_a_list(n):
    kept, total = [enumerate([1, 2, 3, 4])], 0
    for _, x in kept[0]:
        total += x
        if total > n:
            break
    return total, len(list(kept[0]))


def of_another_iterator(n):
    items, total = zip([1, 2, 3], [4, 5, 6]), 0
    following = chain(items, [(7, 8)])
    for x, _ in items:
        total += x
        if total > n:
            break
    return total, next(following)


@pytest.mark.parametrize("f", [of_an_object, of_a_list, of_another_iterator], ids=lambda f: f.__name__)
def test_python_iterators_that_may_be_continued_are_refused(f):
    with pytest.raises(ag.StagingError, match="cannot be continued after a staged loop"):
        ag.function(f)(np.int64(2))
