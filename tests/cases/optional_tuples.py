"""Tuples and frozen dataclasses that are None on some path, until the program runs."""

import dataclasses
from typing import NamedTuple

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, 5.0])
ONE, TWO = np.float64(1.0), np.float64(2.0)


@samples((TWO,), (-ONE,))
def pair_or_none(x):
    best = None
    if x > 0:
        best = (x, 1)
    if best is None:
        return -1.0
    return best[0] + best[1]


@samples((XS,), (-abs(XS),))
def greatest_and_index(xs):
    best = None
    for i, x in enumerate(xs):
        if x < 0:
            continue
        if best is None or x > best[0]:
            best = (x, i)
    return best


@samples((TWO,), (-ONE,))
def unpacked_while_none(x):
    best = None
    if x > 0:
        best = (x, x * 2)
    a, b = best
    return a + b


@samples((XS,))
def none_before_the_first(xs):
    best = None
    for x in xs:
        if best is None or x > best[0]:
            best = (x, x * 2)
    return best[1]


@samples((TWO,), (-ONE,))
def default_pair(x):
    pair = (x, x + 1) if x > 0 else None
    first, second = pair or (0.0, 0.0)
    return first + second


class Point(NamedTuple):
    x: float
    y: float


@samples((TWO,), (-ONE,))
def named_tuple_or_none(x):
    point = None
    if x > 0:
        point = Point(x, x + 1)
    if point is not None:
        return point.x * point.y
    return 0.0


class Search:
    def __init__(self):
        self.best = None

    def add(self, i, cost):
        if cost < 0:
            return
        if self.best is None or cost < self.best[1]:
            self.best = (i, cost)


@samples((XS,), (-abs(XS),))
def pair_in_an_attribute(xs):
    search = Search()
    for i in range(len(xs)):
        search.add(i, xs[i])
    if search.best is None:
        return -1, -1.0
    return search.best


@samples((TWO,), (-ONE,))
def nested_pair(x):
    pair = None
    if x > 0:
        pair = ((x, 1.0), x)
    return pair


@samples((TWO,), (-ONE,))
def none_within_a_pair(x):
    pair = (1.0, None)
    if x > 0:
        pair = (2.0, (x, x))
    first, second = pair
    return first if second is None else second[0]


@samples((np.float64(5.0),), (-ONE,))
def set_in_a_while(x):
    last = None
    while x > 0:
        if x < 3:
            last = (x, x * 2)
        x = x - 1
    return last


@samples((TWO,), (-ONE,))
def printed_pair(x):
    pair = (x, 1) if x > 0 else None
    print(pair)
    return x


@samples((TWO,), (ONE,), (-ONE,))
def compared_pair(x):
    pair = (x, x) if x > 0 else None
    count = len(pair) if pair else 0
    return count, 1.0 if pair == (2.0, 2.0) else 0.0, 1.0 if pair != None else 0.0  # noqa: E711


def found_at(xs, wanted):
    for i in range(len(xs)):
        if xs[i] == wanted:
            return i, xs[i] * 2
    return None


@samples((XS,), (-XS,))
def returned_by_a_function(xs):
    hit, miss = found_at(xs, 4.0), found_at(xs, 40.0)
    total = 0.0
    if hit:
        total += hit[1]
    if miss:
        total += miss[1]
    return total


@samples((TWO,), (-ONE,))
def loop_over_what_may_be_none(x):
    pair = (x, x + 1) if x > 0 else None
    total = 0.0
    for value in pair:
        total += value
    return total


@samples((TWO,), (-ONE,))
def matched_pair(x):
    pair = (x, x + 1) if x > 0 else None
    match pair:
        case None:
            return -1.0
        case (first, second):
            return first * second


@dataclasses.dataclass(frozen=True)
class Root:
    at: float
    steps: int


def bisected(f, low, high):
    if f(low) * f(high) > 0:
        return None
    steps = 0
    while high - low > 1e-3:
        middle = (low + high) / 2
        if f(low) * f(middle) <= 0:
            high = middle
        else:
            low = middle
        steps += 1
    return Root(low, steps)


@samples((TWO,), (-ONE,))
def frozen_dataclass_or_none(x):
    root = bisected(lambda t: t * t - x, 0.0, 3.0)
    if root is None:
        return -1.0
    return root.at + root.steps


@samples((XS,), (-XS,))
def none_again_in_a_loop(xs):
    previous, total = None, 0.0
    for x in xs:
        current = (x, x * x)
        if previous is not None:
            total += current[1] - previous[0]
        previous = current if x > 0 else None
    return total


@samples((TWO,), (np.float64(0.5),), (-ONE,))
def pairs_in_containers(x):
    found = {"a": None}
    if x > 0:
        found["a"] = (x, 1.0)
    rows = [None, (x, x)]
    if x > 1:
        rows[0] = (x, 2 * x)
    first = 0.0 if found["a"] is None else found["a"][0]
    return first if rows[0] is None else first + rows[0][1]


@samples((TWO,), (-ONE,))
def pair_with_text(x):
    pair = ("up", x) if x > 0 else None
    if pair is not None:
        key, value = pair
        return value if key == "up" else -value
    return 0.0


@samples((TWO,), (-ONE,))
def state_of_a_machine(x):
    state = None
    n = 0
    while n < 5:
        if state is None:
            state = (x, 0.0)
        else:
            a, b = state
            state = (b + 1, a) if a > 0 else None
        n += 1
    return -1.0 if state is None else state[0] + state[1]
