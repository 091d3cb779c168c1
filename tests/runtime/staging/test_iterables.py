"""Staged arrays that Python iterates through `enumerate`, `zip` and `reversed`; plain items and loops."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, 2.0, 3.0])


def enumerated(xs):
    return {i + 1: x for i, x in enumerate(xs)}, dict(enumerate(xs, 5))


def zipped(xs):
    return dict(zip(["a", "b"], xs, strict=False)), dict(zip(range(2), xs, strict=False))


def backwards(xs):
    return {i: -x for i, x in enumerate(reversed(xs))}


def nested(xs):
    return {i: x * y for i, (x, y) in enumerate(zip(xs, xs, strict=True))}


def with_a_range(xs):
    total = 0.0
    for x, n in zip(xs, range(2, 20, 3), strict=False):
        total += x * n
    return total


@pytest.mark.parametrize("f", [enumerated, zipped, backwards, nested, with_a_range])
def test_gives_what_python_gives(f: Any) -> None:
    assert ag.function(f)(XS) == f(XS)


def test_is_used_up() -> None:
    @ag.function
    def f(xs):
        pairs = enumerate(xs)
        return dict(pairs), dict(pairs)

    with pytest.raises(ag.StagingError, match="is iterated twice"):
        f(XS)


def used_up_by_a_builtin(xs):
    pairs = enumerate(xs[xs > 1])
    return list(pairs), list(pairs)


def used_up_by_a_dict(xs):
    pairs = enumerate(xs[xs > 1])
    return dict(pairs), dict(pairs)


@pytest.mark.parametrize("f", [used_up_by_a_builtin, used_up_by_a_dict])
def test_is_used_up_by_what_the_graph_does(f: Any) -> None:
    with pytest.raises(ag.StagingError, match="is iterated twice"):
        ag.function(f)(XS)


def test_a_length_that_is_not_known() -> None:
    def f(xs):
        return dict(enumerate(xs[xs > 1]))

    assert ag.function(f)(XS) == f(XS)


def test_what_is_no_iterable() -> None:
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        ag.function(lambda xs: list(zip(xs, 3, strict=False)))(XS)


def filtered(n):
    return list(filter(lambda x: x < n, [1, 5, 9])), sum(x for x in filter(lambda x: x < n, range(9)))


def first_filtered(n):
    return next(filter(lambda x: x > n, {1: 2, 5: 3}), None), max(filter(n.__gt__, [1, 5]), default=-1)


def of_itertools(n):
    items = [1, 5, 9, 2]
    return (
        list(itertools.filterfalse(lambda x: x < n, items)),
        list(itertools.takewhile(lambda x: x < n, items)),
        sum(itertools.dropwhile(lambda x: x < n, items)),
    )


def grouped(n):
    runs = [list(run) for _, run in itertools.groupby([1, 5, 9, 2], lambda x: x < n)]
    return runs, [(k, len(list(run))) for k, run in itertools.groupby(range(9), key=lambda x: x // n)]


class Limit:
    def __init__(self, limit):
        self.limit = limit

    def admits(self, x):
        return x <= self.limit


def by_a_method(n):
    total = 0
    for x in filter(Limit(n).admits, (3, 6, 1)):
        total += x * n
    return total


@pytest.mark.parametrize("f", [filtered, first_filtered, of_itertools, grouped, by_a_method])
@pytest.mark.parametrize("n", np.array([1, 4, 5, 12]))
def test_plain_items_are_tested_by_functions_that_refer_to_staged_values(f: Any, n: Any) -> None:
    assert ag.function(f)(n) == f(n)


def test_a_filter_needs_two_arguments():
    with pytest.raises(TypeError, match="expected 2 arguments"):
        ag.function(lambda n: filter(lambda x: x < n))(np.int64(2))


def twice(n):
    kept = filter(lambda x: x < n, [0, 1, 2])
    return list(kept), list(kept)


def in_two_loops(n):
    kept, total = filter(lambda x: x < n, [0, 1, 2]), 0
    for x in kept:
        total += x
    for x in kept:
        total += 100 * x
    return total


@pytest.mark.parametrize("f", [twice, in_two_loops])
def test_a_filter_ends(f: Any) -> None:
    for n in np.array([1, 3]):
        assert ag.function(f)(n) == f(n)


def rest_of_a_generator(n):
    numbers = (i * n for i in range(5))
    for number in numbers:
        if number > 2:
            break
    return list(numbers)


def rest_of_enumerate(n):
    numbered = enumerate([1, 2, 3, 4])
    for _, number in numbered:
        if number > n:
            break
    return list(numbered)


def next_of_a_map(n):
    numbers = map(n.__add__, [0, 1, 2])
    for number in numbers:
        if number > 2:
            break
    return next(numbers, None)


@pytest.mark.parametrize("f", [rest_of_a_generator, rest_of_enumerate, next_of_a_map])
def test_an_iterator_cannot_be_continued_after_a_loop_that_a_staged_test_ends(f: Any) -> None:
    with pytest.raises(ag.StagingError, match="cannot be continued after a staged loop that may have ended"):
        ag.function(f)(np.int64(1))


@ag.do_not_convert
def each(items, f):
    for item in items:
        f(item)


@ag.do_not_convert
def map_each(items, f):
    for _ in map(f, items):
        pass


@ag.do_not_convert
def first_after_a_loop(items, f):
    for _ in items:
        pass
    f(items[0])


def count_with(loop):
    def count(x):
        found = [x, x + 1.0]

        def double(item):
            if item > 0.0 and len(found) < 4:
                found.append(item * 2.0)

        loop(found, double)
        return len(found)

    return count


@pytest.mark.parametrize("loop", [each, map_each])
def test_a_list_that_grows_in_a_loop_of_plain_python_is_refused(loop):
    with pytest.raises(ag.StagingError, match="while a Python loop iterates over it"):
        ag.function(count_with(loop))(np.float64(1.0))


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_a_list_may_grow_after_a_loop_of_plain_python(x):
    count = count_with(first_after_a_loop)
    assert ag.function(count)(np.float64(x)) == count(x)
