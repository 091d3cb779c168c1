"""`update` and `subtract` of Counters, dicts and sets: which arguments stay plain, and the order of keys."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

import autograph_rs as ag

PAIRS = np.array([[1, 2], [2, 3], [1, 1]])


def counted_in_turn(pairs):
    counts = Counter([1, 2])
    counts.update(pairs[0].tolist())
    counts.subtract(pairs[-1].tolist())
    counts.update(range(int(pairs[0, 0])))
    counts.subtract(Counter(pairs[:, 0].tolist()))
    return list(counts.items()), counts.total()


def nothing_to_count(pairs):
    counts = Counter()
    counts.update(None)
    counts.update([])
    counts.subtract()
    counts.update(int(v) for v in pairs[:, 0])
    counts.update(v for v in pairs[:, 1].tolist() if v > 1)
    counts.update([], **{"a": 1} if len(pairs) > 9 else {})
    return dict(counts)


def plain_keys(pairs):
    counts, names = Counter({1: 1}), {1: 2}
    counts.update({1: pairs[0, 0], 5: pairs[0, 1]})
    counts.subtract({1: pairs[0, 1]})
    names.update({1: pairs[0, 0]})
    names.update([("a", pairs[0, 1])], b=3)
    return dict(counts), names


def of_tuples(pairs):
    counts = Counter()
    for u, v in pairs:
        if u > 1:
            counts.update([(u, v)])
        else:
            counts.subtract([(u, v)])
    return dict(counts)


def by_two_names(pairs):
    counts = Counter()
    same = counts
    for u, v in pairs:
        counts.update([u])
        same.subtract([v])
    return dict(counts), dict(same)


def dicts_of_other_kinds(pairs):
    found = defaultdict(int)
    found.update([(pairs[0, 0], 1)])
    found[pairs[0, 1]] += 2
    found.update((int(a), int(b)) for a, b in pairs)
    found.update(zip(pairs[:, 1].tolist(), pairs[:, 0].tolist(), strict=True))
    return dict(found)


def other_containers_of_generators(pairs):
    members, items = {1}, []
    members.add(pairs[0, 0])
    members.update(v for v in pairs[:, 1].tolist() if v > 1)
    for v in pairs[:, 0]:
        if v > 1:
            items.append(v)
    items.extend(v for v in pairs[:, 1] if v > 1)
    return members, items


@pytest.mark.parametrize(
    "f",
    [
        counted_in_turn, nothing_to_count, plain_keys, of_tuples, by_two_names, dicts_of_other_kinds,
        other_containers_of_generators,
    ],
)  # fmt: skip
def test_updates_are_those_of_python(f):
    function = ag.function(f)
    for pairs in (PAIRS, PAIRS[:1], PAIRS[::-1] + 1):
        np.testing.assert_equal(function(pairs), f(pairs))


def test_a_member_that_cannot_be_hashed():
    @ag.function
    def f(xs):
        counts = Counter()
        counts.update([[xs[1]]])
        return counts

    with pytest.raises(TypeError, match="unhashable"):
        f(np.array([1, 2]))


def test_only_counters_subtract():
    @ag.function
    def f(xs):
        counts = {xs[0]: 1}
        counts.subtract([xs[1]])
        return counts

    with pytest.raises(AttributeError, match="'dict' object has no attribute 'subtract'"):
        f(np.array([1, 2]))


def either_set_changes(x):
    first, second = {1, 2}, {3}
    chosen = first if x > 0 else second
    chosen.add(5)
    return chosen, first, second


def another_name_of_the_set(x):
    members = {1, 2}
    kept = members
    if x > 0:
        members = members - {x}
    members.add(7)
    return members, kept


def the_selected_set_changes(x):
    first, second = {1, 2}, {3}
    chosen = first if x > 0 else second
    first.add(9)
    return chosen, first


@pytest.mark.parametrize("f", [either_set_changes, another_name_of_the_set, the_selected_set_changes])
def test_changes_of_a_set_with_several_names_are_refused(f):
    with pytest.raises(ag.AliasError):
        ag.function(f)(np.int64(1))


def test_sets_of_two_paths():
    def f(x):
        members = {1, 2}
        if x > 0:
            members = members | {x}
        else:
            members = {0}
        same = members
        same.add(7)
        empty = set()
        if x > 3:
            empty = {x}
        for step in range(3):
            if x > step:
                empty = empty | {step}
        return members, same, empty, len(empty)

    function = ag.function(f)
    for x in (5, 1, -1):
        assert function(np.int64(x)) == f(np.int64(x))
