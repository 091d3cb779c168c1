"""Objects that may be None and go into lists where they are not None."""

from dataclasses import dataclass

import numpy as np
import pytest

import autograph_rs as ag


@dataclass
class Record:
    x: float
    i: int


class Item:
    def __init__(self, x, i):
        self.x, self.i = x, i


def asked_first(xs, kind):
    current, stack = None, []
    for i, x in enumerate(xs):
        if current is None:
            current = kind(x, i)
        elif x < 0:
            stack.append(current)
            current = None
        else:
            current.x += x
    return stack


def asked_with_and(xs, kind):
    current, stack = None, []
    for i, x in enumerate(xs):
        if current is not None and x < 0:
            stack.append(current)
            current = None
        elif current is not None:
            current.x += x
        else:
            current = kind(x, i)
    return stack


def truth_with_and(xs, kind):
    current, stack = None, []
    for i, x in enumerate(xs):
        if not (not current or x >= 0):
            stack.append(current)
            current = None
        elif current:
            current.x += x
        else:
            current = kind(x, i)
    return stack


def left_early(xs, kind):
    current, stack = None, []
    for i, x in enumerate(xs):
        if current is None:
            current = kind(x, i)
            continue
        current.x += x
        if x < 0:
            stack.append(current)
            current = None
    return stack


def changed_afterwards(xs, kind):
    """The item of the list is the object that changes."""
    current, stack = None, []
    for i, x in enumerate(xs):
        if current is None:
            current = kind(x, i)
        elif x < 0:
            stack.append(current)
            current.x += 10
            if x < -1:
                current = None
        else:
            current.x += x
    return stack


def at_an_index(xs, kind):
    current, places = None, [None] * 3
    for i, x in enumerate(xs):
        if current is None:
            current = kind(x, i)
        elif x < 0:
            places[i % 3] = current
            current = None
    return [place for place in places if place is not None]


@pytest.mark.parametrize("kind", [Record, Item])
@pytest.mark.parametrize(
    "f",
    [asked_first, asked_with_and, truth_with_and, left_early, changed_afterwards, at_an_index],
)
def test_items(f, kind):
    def values(xs):
        return [(item.x, item.i) for item in f(xs, kind)]

    staged = ag.function(values)
    for xs in ([1.0, 2.0, -1.0, 3.0, -2.0], [1.0, -2.0, 1.0, 3.0, -2.0], [1.0, 1.0, 1.0, 1.0, 1.0]):
        assert staged(np.array(xs)) == values(np.array(xs))


def numbers_with_and(xs, limit):
    best, total = None, 0.0
    for x in xs:
        if best is not None and x > limit:
            total += best * x
        if not (best is None or x < best):
            total += abs(best)
        if best is None or x > best:
            best = x
    return total if best is not None and best > limit else -total


@pytest.mark.parametrize("limit", [0.0, 1.5])
def test_numbers(limit):
    xs = np.array([1.0, 3.0, -2.0, 3.5])
    assert ag.function(numbers_with_and)(xs, np.float64(limit)) == numbers_with_and(xs, limit)


@dataclass
class Burst:
    start: int
    end: int = -1
    peak: float = 0.0


def bursts(levels, limit):
    """An object that may be None changes, goes into a list, and is None again."""
    found, current, quiet = [], None, 0
    for i, level in enumerate(levels):
        if current is None:
            if level > limit:
                current, quiet = Burst(i, peak=level), 0
            continue
        current.peak = max(current.peak, level)
        quiet = quiet + 1 if level < limit / 2 else 0
        if quiet >= 2:
            current.end = i - 1
            found.append(current)
            current = None
    if current is not None:
        current.end = len(levels)
        found.append(current)
    return [(b.start, b.end, float(b.peak)) for b in found]


@pytest.mark.parametrize("limit", [0.5, 2.5, 9.0])
def test_a_list_of_objects_that_were_none_before(limit):
    levels = np.array([0.0, 1.0, 3.0, 0.1, 0.0, 0.0, 4.0, 1.0, 0.0, 5.0])
    assert ag.function(bursts)(levels, np.float64(limit)) == bursts(levels, limit)
