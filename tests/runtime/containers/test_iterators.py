"""Iterators over staged lengths: snapshots, laziness, iterators that are used twice, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from iterator_programs import in_branches

import autograph_rs as ag

XS = np.array([3.0, -1.0, 4.0, 1.0, 5.0])
FUNCTIONS = []


def equal(f):
    FUNCTIONS.append(f)
    return f


def positive(xs):
    return [x for x in xs if x > 0]


@equal
def used_twice(xs, n):
    pairs, sliced = itertools.combinations(positive(xs), 2), itertools.islice(positive(xs), 2)
    return list(pairs), list(pairs), list(sliced) + list(sliced)


@equal
def pools_are_made_at_once(xs, n):
    kept = positive(xs)
    pairs, joined = itertools.combinations(kept, 2), itertools.chain(kept, [0.0])
    kept.append(7.0)
    found = list(pairs), list(joined)
    for a, _ in itertools.product(kept, kept):
        kept.append(a)
    return found, kept


@equal
def pools_of_a_written_array(xs, n):
    for i, (a, b) in enumerate(itertools.combinations(xs, 2)):
        xs[i % len(xs)] = a - b
    return xs


@equal
def generators_run_as_far_as_needed(xs, n):
    log, found = [], []

    def numbers(k):
        log.append(k)
        yield k
        log.append(k + 1)
        yield k + 1
        log.append(k + 2)

    sliced = list(itertools.islice(numbers(20), n))
    for v in itertools.chain(numbers(0), numbers(10), [20], numbers(30)):
        found.append(v)
        if v >= n * 3:
            break
    return sliced, found, log


@equal
def without_items(xs, n):
    return [
        list(itertools.combinations(range(n), 0)),
        list(itertools.combinations(range(n), 5)),
        list(itertools.product(range(n), repeat=0)),
        list(itertools.permutations(range(n), 1)),
        list(itertools.repeat(3, n - 4)),
    ]


@equal
def left_early(xs, n):
    total = 0
    for k in range(n):
        for i, j in itertools.combinations(range(k), 2):
            if i + j == 3:
                break
            total += i * j
    for a, b in itertools.pairwise(positive(xs)):
        if b < a:
            break
    else:
        return total, 0.0
    return total, a + b


@equal
def consumed_by_builtins(xs, n):
    kept = positive(xs)
    return (
        sum(a * b for a, b in itertools.combinations(kept, 2)),
        max((abs(a - b) for a, b in itertools.combinations(kept, 2)), default=0.0),
        any(a > b for a, b in itertools.pairwise(kept)),
        sorted(itertools.product(range(n), [2, 1])),
        set(itertools.chain(range(n), [9, 1])),
        dict(itertools.pairwise(range(n))),
        [(i, a, b) for i, (a, b) in enumerate(itertools.pairwise(kept))],
        [(a, b, w) for (a, b), w in zip(itertools.pairwise(kept), kept, strict=False)],
        list(zip(range(n), itertools.accumulate(kept), strict=False)),
    )


@equal
def accumulated(xs, n):
    kept = positive(xs)
    return (
        list(itertools.accumulate(kept, func=lambda a, b: a * b, initial=2.0)),
        list(itertools.accumulate(kept, initial=None)),
        list(itertools.accumulate(range(n), lambda a, b: a + b / 2)),
        [v for v in itertools.accumulate(range(n), initial=100) if v > 101],
    )


@equal
def bounds_of_islice(xs, n):
    kept = positive(xs)
    try:
        return list(itertools.islice(kept, n - 2)), list(itertools.islice(kept, 1, n - 3, 2))
    except ValueError as error:
        return str(error)


@equal
def counts(xs, n):
    found = -1
    for k in itertools.count(2, 3):
        if k > n * n:
            break
        found = k
    for k in itertools.count():
        if k * k >= n:
            return k, found
    return None


@equal
def of_generators(xs, n):
    def powers():
        k = 1
        while k < n * 3:
            yield k
            k *= 2

    return [
        list(itertools.pairwise(powers())),
        list(itertools.takewhile(lambda v: v < 3, powers())),
        list(itertools.combinations(powers(), 2)),
        list(itertools.chain.from_iterable(range(k) for k in powers())),
        list(itertools.starmap(pow, itertools.pairwise(powers()))),
        list(itertools.filterfalse(None, (k % 4 for k in powers()))),
    ]


@equal
def rows_and_lists(xs, n):
    rows = xs.reshape(-1, 1)[:n]
    return (
        [float(a[0] * b[0]) for a, b in itertools.combinations(rows, 2)],
        list(itertools.chain.from_iterable([positive(xs), positive(-xs)])),
        list(itertools.combinations_with_replacement(range(n), 3)),
        list(itertools.compress("abcd", [v > 0 for v in xs.tolist()])),
    )


@equal
def next_and_the_rest(xs, n):
    items = iter(positive(xs))
    return next(items, 0.0), next(items, 0.0), [v * 2 for v in items], list(items), next(items, 5)


@equal
def first_of_each(xs, n):
    kept = positive(xs)
    found = {int(v): v for v in kept}
    try:
        first = next(iter(kept)), next(v for v in xs if v > 3)
    except StopIteration:
        first = None, None
    return first, next(iter(found), -1), next(iter(found.items()), None), next(iter(range(n)), -1)


@equal
def first_in_a_loop(xs, n):
    found = []
    for v in xs:
        larger = [w for w in xs if w > v]
        if larger:
            found.append(next(iter(larger)))
        found.append(next(iter(larger), 0.0))
    return found


@pytest.mark.parametrize("f", FUNCTIONS)
def test_items_are_those_of_python(f):
    function = ag.function(f)
    for xs, n in ((XS, 4), (XS, 0), (-XS, 1), (XS[:1], 1), (XS[::-1], 3)):
        expected, actual = (g(xs.copy(), np.int64(n)) for g in (f, function))
        np.testing.assert_equal(actual, expected)


def stopped(xs):
    return next(iter(positive(xs)))


def stopped_expression(xs):
    return next(x for x in xs if x > 9)


@pytest.mark.parametrize("f", [stopped, stopped_expression])
def test_next_of_no_items(f):
    with pytest.raises(StopIteration):
        ag.function(f)(-np.abs(XS))


def in_a_staged_loop(xs):
    items, total = iter(positive(xs)), 0.0
    for _ in xs:
        total += next(items, 0.0)
    return total


def after_a_change(xs):
    kept = positive(xs)
    items = iter(kept)
    first = next(items, 0.0)
    kept.append(9.0)
    return first, list(items)


def parsed(xs):
    """A number that is followed by how many, and these."""
    rest, groups = iter(xs), []
    for x in rest:
        if x > 2:
            groups.append([x, next(rest, 0.0)])
        else:
            groups.append([x])
    return groups


def continued(xs):
    items, found = iter(range(10)), []
    for x in xs:
        for i in items:
            if i > x:
                found.append(i)
                break
    return found, list(items)


def counted(xs):
    ids, found = itertools.count(10, 5), {}
    for x in positive(xs):
        if x not in found:
            found[x] = next(ids)
    for i in ids:
        if i > 40 + xs[0]:
            break
    return [*found.values()], i, next(ids)


def letters(xs):
    text, kept = iter(("a", "b")), []
    for x in xs:
        if x > 0:
            kept.append(next(text, "-"))
    return kept


@pytest.mark.parametrize(
    "f", [in_a_staged_loop, after_a_change, in_branches, parsed, continued, counted, letters]
)
def test_iterators_advance_in_branches_and_loops(f):
    for xs in (XS, -np.abs(XS), np.abs(XS), XS[:1]):
        assert ag.function(f)(xs) == f(xs)


def in_a_generator(xs):
    def first():
        yield next(iter(positive(xs)))

    return list(first())


def after_a_break(xs):
    pairs = itertools.combinations(positive(xs), 2)
    for a, _ in pairs:
        if a > 3:
            break
    return list(pairs)


def by_two_zipped_names(xs):
    items = iter(positive(xs))
    return list(zip(items, items, strict=False))


def of_staged_length(xs):
    return list(itertools.combinations(range(5), int(xs[0])))


def of_all_items(xs):
    return list(itertools.permutations(positive(xs)))


def next_of_reversed(xs):
    return next(reversed(positive(xs)), 0.0)


@pytest.mark.parametrize(
    "f",
    [
        in_a_generator, after_a_break, by_two_zipped_names, of_staged_length, of_all_items, next_of_reversed,
    ],
)  # fmt: skip
def test_refused(f):
    with pytest.raises(ag.ValueNeededError):
        ag.function(f)(XS)


def test_errors_are_those_of_python():
    def negative_length(n):
        return list(itertools.combinations(range(n), -1))

    def negative_repeat(n):
        return list(itertools.product(range(n), repeat=-1))

    for f in (negative_length, negative_repeat):
        with pytest.raises(ValueError, match="negative") as expected:
            f(3)
        with pytest.raises(ValueError, match="negative") as actual:
            ag.function(f)(np.int64(3))
        assert str(actual.value) == str(expected.value)


def test_a_range_is_no_iterator():
    with pytest.raises(TypeError, match="'range' object is not an iterator"):
        ag.function(lambda n: next(range(n)))(np.int64(3))


def test_the_order_of_computed_sets_is_that_of_python():
    def computed(a, b):
        first, second = set(a.tolist()), set(b.tolist())
        found = [first - second, first & second, first | second, first ^ second]
        found += [first.difference(b.tolist()), first.symmetric_difference(b.tolist())]
        found += [first.intersection(b.tolist()), first.intersection(second, [1, 2, 3, 64])]
        found += [{1, 2, 3, 70} - second, first.difference(second, {3})]
        return [list(members) for members in found]

    function = ag.function(computed, input_signature=[ag.TensorSpec((None,), np.int64)] * 2)
    rng = np.random.default_rng(0)
    for size in range(60):
        a, b = rng.integers(0, 120, size), rng.integers(0, 120, 60 - size)
        assert function(a, b) == computed(a, b)
