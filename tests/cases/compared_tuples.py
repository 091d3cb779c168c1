"""Comparisons of tuples and lists whose items may be staged."""

import collections
import heapq

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
GRID = np.array([[0, 0, 1], [1, 0, 0], [1, 1, 0]])
Point = collections.namedtuple("Point", "x y")


@samples((XS,), (XS[:1],), (XS[:0],), (np.array([2.0, np.nan, 1.0]),))
def best_pair(xs):
    best = (-np.inf, -1)
    ties = 0
    for i, x in enumerate(xs):
        pair = (x, i % 2)
        if pair == best:
            ties += 1
        elif pair > best:
            best = pair
    return best, ties


@samples((GRID, np.int64(2)), (GRID, np.int64(0)), (1 - GRID, np.int64(1)))
def steps_to_goal(grid, column):
    goal = (2, column)
    queue = collections.deque([(0, 0, 0)])
    seen = {(0, 0)}
    while queue:
        r, c, steps = queue.popleft()
        here = (r, c)
        if here == goal:
            return steps
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            there = (r + dr, c + dc)
            if 0 <= there[0] < 3 and 0 <= there[1] < 3 and grid[there] == 0 and there not in seen:
                seen.add(there)
                queue.append((*there, steps + 1))
    return -1


ONE, TWO = np.float64(1.0), np.float64(2.0)


@samples((ONE, TWO), (TWO, ONE), (ONE, ONE))
def orders(x, y):
    a, b = (x, y), (y, x)
    return a < b, a <= b, a > b, a >= b, a == b, a != b, (x, 1) < (x, 2), a < b <= (2, 2)


@samples((np.float64(1.0), np.int64(3)), (np.float64(0.5), np.int64(3)), (np.float64(1.0), np.int64(-1)))
def unlike_lengths(x, n):
    first, second = (1.0, n), (1.0, n, x)
    nested = ((x, n), [x, "a"])
    return first == second, first < second, second <= first, nested == ((1.0, 3), [x, "a"]), nested < ((1.0, n), [2.0])


@samples((np.float64(1.0),), (np.float64(-1.0),))
def named(x):
    first, second = Point(x, 2.0), Point(1.0, 2.0)
    pair = (x, 2.0)
    total = 0.0
    if pair == first:
        total += 1
    if pair != second:
        total += 2
    return total, pair >= second


@samples((XS,), (XS[::-1],))
def shortest_first(xs):
    heap = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, (x, i))
    previous, sorted_pairs = (-1.0, 0), 0
    while heap:
        item = heapq.heappop(heap)
        if item >= previous:
            sorted_pairs += 1
        previous = item
    return sorted_pairs, previous


@samples((XS, np.float64(4.0)), (XS, np.float64(9.0)))
def among_pairs(xs, wanted):
    pairs = [(x, k) for k, x in enumerate(xs)]
    target = (wanted, 2)
    found = -1
    for k, pair in enumerate(pairs):
        if pair == target:
            found = k
            break
    return found


@samples((np.array([1.0, 2.0]), np.int64(0)), (np.array([0.0, 2.0]), np.int64(1)))
def lists(xs, n):
    first, second = [xs[0], n], [1.0, 0]
    if first != second:
        first, second = second, first
    return first == second, first < second, first
