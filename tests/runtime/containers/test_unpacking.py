"""Unpacking of staged lists and arrays, repetition, runs of equal items, and lists as NumPy's operands."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([3, 1, 1, 3, 3, 4])


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error)


def check(function: Any, *arguments: Any) -> None:
    np.testing.assert_equal(outcome(ag.function(function), *arguments), outcome(function, *arguments))


# Unpacking


@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_number_of_items(limit: int):
    def one(xs, limit):
        (a,) = [x for x in xs if x > limit]
        return a

    def two(xs, limit):
        a, b = xs[xs > limit]
        return a, b

    def none(xs, limit):
        [] = [x for x in xs if x > limit]
        return limit

    def pairs(xs, limit):
        (a, b), c = [[x, limit] for x in xs if x > limit]
        return a, b, c

    for function in (one, two, none, pairs):
        check(function, XS, np.int64(limit))


def test_unpacked_by_other_code():
    with pytest.raises(ag.ValueNeededError, match="cannot be iterated by Python"):
        ag.function(lambda xs: dict.fromkeys([x for x in xs if x > 1]))(XS)


def test_tuples_in_a_list():
    def found(xs):
        cells = [(xs[0], xs[1]), (1, 2), (xs[2],)]
        return (xs[0], 1) in cells, (xs[1],) in cells, (4, 2) not in cells, 3 in cells

    check(found, XS)


# Repetition


@pytest.mark.parametrize("n", [3, 0, -2])
def test_lists_and_text(n: int):
    def f(n):
        zeros = [0.0] * n
        zeros += [1.5] * int(n)
        return zeros, n * [1, 2], "ab" * n, "-" * len(zeros) + ">", [None] * n

    check(f, np.int64(n))


def test_what_cannot_be_repeated():
    check(lambda x: [1] * x, np.float64(2))
    check(lambda x: "a" * (x > 1), np.int64(2))
    for function in (lambda n: (1, 2) * n, lambda n: [[1]] * n, lambda n: [np.zeros(2)] * n):
        with pytest.raises(ag.ValueNeededError, match="cannot repeat"):
            ag.function(function)(np.int64(2))


@pytest.mark.parametrize("n", [-1, 0, 1, 3])
def test_staged_text_is_repeated(n: int):
    def text(n):
        mark = "+" if n > 1 else "-"
        return mark * n, mark * 2, mark * 0, n * mark

    check(text, np.int64(n))


def test_the_repeated_list_is_not_changed():
    def f(n):
        base = [1, 2]
        longer = base * n
        longer[0] = 7
        base.append(3)
        return base, longer

    check(f, np.int64(2))


# Runs of equal items


@dataclass(frozen=True)
class Item:
    kind: int
    size: float


def test_groups_by_attribute():
    def sizes(xs):
        items = []
        for x in xs:
            if x < 4:
                items.append(Item(x, x * 0.5))
        return [(kind, [item.size for item in run]) for kind, run in groupby(items, key=lambda i: i.kind)]

    check(sizes, XS)
    check(sizes, XS[:0])


def test_plain_groups_stay_pythons():
    def f(x):
        runs = groupby([1, 1, 2], key=lambda v: v)
        first = next(runs)[0]
        return x + first, [key for key, _ in runs]

    check(f, np.int64(1))


@pytest.mark.parametrize(
    "function",
    [
        lambda xs: list(groupby(xs)),
        lambda xs: [run for _, run in groupby(xs)],
        lambda xs: [(i, k) for i, (k, _) in enumerate(groupby(xs))],
        lambda xs: [(len(list(run)), len(list(run))) for _, run in groupby(xs)],
        lambda xs: sorted(groupby(xs)),
    ],
)
def test_groups_that_would_have_ended(function: Any):
    """Python's groups end when the next one begins, so that a list of them has no items."""
    with pytest.raises(ag.StagingError):
        ag.function(function)(XS)


# Counts, defaults, None


def test_most_common_of_other_dicts():
    def f(xs):
        counts = {}
        for x in xs:
            counts[x] = 1
        return counts.most_common()

    check(f, XS)
    check(lambda xs: Counter(xs).most_common(0), XS)


def test_none_has_no_items():
    def f(xs):
        found = {}
        for x in xs:
            found[x] = None
        return found[xs[0]][0]

    check(f, XS)


@pytest.mark.parametrize("depth", [1, 2])
def test_nested_tuples_that_may_be_none(depth: int):
    def f(xs):
        found = [None]
        for x in xs:
            found.append((x, (x + 1, (x * 2, "a"))))
        best = None
        for pair in found:
            if pair is not None and (best is None or pair[1][1][0] > best[1][1][0]):
                best = pair
        return best, found[0], found[depth]

    check(f, XS)


@pytest.mark.parametrize("part", [lambda x: [x, 2], lambda x: Item(x, 1.0)])
def test_lists_and_objects_in_tuples_that_may_be_none(part: Any):
    def f(xs):
        found = [None]
        for x in xs:
            found.append((x, part(x)))
        return found[1]

    with pytest.raises(ag.StagingError, match=r"a tuple that may be None holds a value of type (list|Item)"):
        ag.function(f)(XS)


# Operands of NumPy's functions


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.linalg.norm([x, y]),
        lambda x, y: np.max([[x, 1.0], [y, 2.0]], axis=1),
        lambda x, y: np.einsum("i,i", [x, y], [1.0, 2.0]),
        lambda x, y: np.maximum.reduce((x, y, 2.0)),
        lambda x, y: np.eye(4)[np.ix_([int(x), 1], [0, int(y)])],
        lambda x, y: np.histogram([x, y], bins=3, range=(0, x))[0],
        lambda x, y: np.reshape([x, y], (2, 1)),
        lambda x, y: np.tile([x, y], (2, 1)),
        lambda x, y: np.sqrt([x, y]),
        lambda x, y: np.column_stack([[x, y], [y, x]]),
        lambda x, y: np.append([x, y], 1.0),
        lambda x, y: np.roll([x, y], 1, axis=0),
        lambda x, y: np.average([x, y], weights=[y, 1.0]),
        lambda x, y: np.histogramdd((np.array([x, y]), np.array([y, y])), 2)[0],
        lambda x, y: np.histogram2d([x, y], [y, x], bins=[[0.0, 1.6, 3.0], [0.0, 2.0, 4.0]])[0],
        lambda x, y: np.lexsort(([x, y], [y, x])),
        lambda x, y: np.resize([x, y], (4, 1)),
        lambda x, y: np.choose([0, 1], [[x, y], [y, x]]),
        lambda x, y: np.pad([x, y], (1, 2), constant_values=(x, y)),
    ],
)
def test_lists_as_operands(function: Any):
    check(function, np.float64(2.5), np.float64(1.5))


def test_stacked_lists_of_staged_length():
    def f(xs):
        kept = [np.array([x, x + 1]) for x in xs if x > 1]
        return np.stack(kept), np.concatenate(kept), np.vstack(kept) if kept else np.empty((0, 2))

    check(f, XS)


def test_writes_in_branches():
    def counted(xs):
        counts = np.zeros(5, int)
        other = np.zeros(5)
        if xs[0] > 1:
            np.add.at(counts, [x for x in xs if x < 4], 1)
            np.put(other, [0, 1], xs[0])
        return counts, other

    check(counted, XS)
    check(counted, XS[1:])


# Loops


def test_lists_that_are_empty_at_first():
    def f(xs):
        seen, total, last = [], 0.0, []
        for x in xs:
            for item in seen:
                total += item.size
            for item, other in zip(seen, xs):  # noqa: B905 - any length
                total += item.kind * other
            last = [item.size for item in seen]
            if x > 1:
                seen.append(Item(x, x * 0.5))
        return total, last

    check(f, XS)
    check(f, XS[:0])


def test_objects_beside_arrays():
    class Mutable:
        def __init__(self, x):
            self.x = x

    def f(xs):
        items = [Mutable(1.0), Mutable(2.0)]
        for item, x in zip(items, xs):  # noqa: B905
            if x > 1:
                item.x += x
        names = [f"{name}{x}" for name, x in zip(("a", "b", "c"), xs[xs > 1])]  # noqa: B905
        return [item.x for item in items], names

    check(f, XS)


def test_generator_expressions():
    def f(xs, limit):
        kept, peaks = [], []
        for x in xs:
            if x <= limit:
                kept.append((x, 2 * x))
            if len(kept) > 2:
                a, b, c = (pair[1] for pair in kept[-3:])
                if a < b > c:
                    peaks.append(kept[-2][0])
        first, *others = (x * 2 for x in xs if x > 1)
        low, high = (xs[mask] for mask in (xs < 2, xs >= 2))
        return peaks, first, others, low.sum(), high.sum(), np.hypot(*(x for x in xs[:2]))

    for limit in (1.5, 9.0):
        check(f, np.array([1.0, 3.0, 2.0, 4.0, 1.5]), limit)

    def too_many(xs):
        a, b = (x for x in xs if x > 1)
        return a + b

    staged = ag.function(too_many)
    assert staged(np.array([1.0, 3.0, 2.0])) == 5
    with pytest.raises(ValueError, match=r"too many values to unpack \(expected 2"):
        staged(np.array([4.0, 3.0, 2.0]))


def test_an_endless_generator_expression():
    """Python takes one item more than there are targets."""

    def f(xs):
        a, b = (k for k in itertools.count())
        return a + b + xs[0]

    with pytest.raises(ValueError, match="too many values to unpack"):
        ag.function(f)(XS)
