"""Containers and arrays that a staged condition selects, and that change afterwards.

The code after the condition is captured once for each outcome, where the choice is known, as Python's is.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag

KINDS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "lists": lambda: ([3, 1], [5, 4, 2]),
    "empty lists": lambda: ([], []),
    "dicts": lambda: ({1: 2}, {1: 3}),
    "unlike dicts": lambda: ({1: 2}, {2: 1, 3: 1}),
    "sets": lambda: ({1}, {2, 3}),
    "deques": lambda: (deque([1, 5]), deque([2])),
    "counters": lambda: (Counter("ab"), Counter("bb")),
    "defaultdicts": lambda: (defaultdict(int, {1: 2}), defaultdict(int, {1: 3, 4: 1})),
    "arrays": lambda: (np.array([3.0, 1.0]), np.array([5.0, 2.0])),
    "bytearrays": lambda: (bytearray(b"a"), bytearray(b"bc")),
}


def appended(own):
    own.append(7)


def extended(own):
    own += [6, 7]


def pushed(own):
    heapq.heappush(own, 0)


def heap(own):
    heapq.heapify(own)


def inserted(own):
    insort(own, 3)


def ordered(own):
    own.sort()


def replaced(own):
    own[:] = [1, 2, 3]


def shortened(own):
    own.pop()
    del own[0]


def item_set(own):
    own[1] = 9


def item_added(own):
    own[1] += 1


def counted(own):
    own.update(["b", "c"])


def letter_counted(own):
    own["b"] += 1


def merged(own):
    own.update({1: 8, 9: 9})


def emptied(own):
    own.clear()


def removed(own):
    del own[1]


def default_set(own):
    own.setdefault(5, 6)


def member_added(own):
    own.add(2)


CHANGES = {
    "lists": [appended, extended, pushed, heap, inserted, ordered, replaced, shortened, item_set, emptied],
    "empty lists": [appended, extended, pushed, heap, inserted, replaced],
    "dicts": [item_set, item_added, merged, emptied, removed, default_set],
    "unlike dicts": [item_set, merged, emptied, default_set],
    "sets": [member_added, emptied],
    "deques": [appended, extended, emptied],
    "counters": [counted, letter_counted, emptied],
    "defaultdicts": [item_set, item_added, merged, emptied, removed, default_set],
    "arrays": [item_set, item_added, ordered],
    "bytearrays": [appended, emptied],
}


def by_expression(make, change, x):
    first, second = make()
    own = first if x > 0 else second
    change(own)
    return first, second, own is first, len(own)


def by_statement(make, change, x):
    first, second = make()
    if x > 0:
        own, other = first, second
    else:
        own, other = second, first
    change(own)
    return first, second, len(own), len(other)


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second


def in_attributes(make, change, x):
    pair = Pair(*make())
    change(pair.first if x > 0 else pair.second)
    return pair.first, pair.second


@pytest.mark.parametrize("x", [1.0, -1.0])
@pytest.mark.parametrize("f", [by_expression, by_statement, in_attributes])
@pytest.mark.parametrize(
    ("kind", "change"), [(kind, c) for kind, changes in CHANGES.items() for c in changes]
)
def test_changes(kind, change, f, x):
    make = KINDS[kind]
    staged = ag.function(lambda x: f(make, change, x))
    assert repr(staged(np.float64(x))) == repr(f(make, change, x))


def test_reading_after_a_candidate_has_changed():
    def f(x):
        first, second = [3, 1], [2]
        own = first if x > 0 else second
        first.append(5)
        return sum(own), sorted(own), max(own), [*own], own[-1], [*own, 1], ",".join(map(str, own))

    for x in (1.0, -1.0):
        assert ag.function(f)(np.float64(x)) == f(x)


def test_in_loops():
    def f(xs):
        low, high = [], []
        sizes = 0
        for x in xs:
            own = high if x > 2 else low
            own.append(x)
            heapq.heapify(own)
            if x > 0:
                heapq.heappush(own, -x)
            sizes += len(own)
        return low, high, sizes

    xs = np.array([1.0, 5.0, 2.0, 3.0, -1.0])
    assert ag.function(f)(xs) == f(xs)


def test_in_a_branch():
    def f(x, y):
        low, high = Counter("a"), Counter("b")
        own = high if x > 2 else low
        if y > 0:
            own["a"] += 1
        return low["a"], high["a"]

    for x, y in ((1, 1), (3, 1), (3, -1)):
        assert ag.function(f)(np.int64(x), np.int64(y)) == f(x, y)


def test_where_the_choice_is_in_a_try():
    """Nothing can be captured once for each outcome there."""

    def f(xs, x):
        low, high = [1], [2]
        try:
            own = high if xs[x] > 2 else low
            heapq.heappush(own, 3)
        except IndexError:
            return None
        return low, high

    with pytest.raises(ag.AliasError, match="a list selected by a staged condition cannot be modified"):
        ag.function(f)(np.array([1.0, 3.0]), np.int64(1))
