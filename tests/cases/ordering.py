"""Sorting, minima and maxima by keys, and lists that are searched and changed in order."""

import bisect

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])


@samples((XS,), (-XS,))
def sorted_by_key(xs):
    return sorted(xs, key=abs)


@samples((XS,), (-XS,))
def sorted_by_key_in_reverse(xs):
    return sorted([xs[0], xs[1], xs[2]], key=lambda x: x * x, reverse=True)


@samples((XS,), (-XS,))
def order_of_positions(xs):
    order = sorted(range(len(xs)), key=lambda i: xs[i])
    return order[0], order[-1]


@samples((np.array([1, 1, 0, 1, 0]),), (np.array([0, 0, 0, 0, 1]),))
def sorting_is_stable(keys):
    return sorted(range(5), key=lambda i: keys[i], reverse=True)


@samples((XS,), (-XS,))
def sorted_pairs(xs):
    points = [(xs[i], xs[i + 1]) for i in range(3)]
    points.sort(key=lambda p: p[1])
    return points


@samples((XS,), (-XS,))
def sorted_by_two_keys(xs):
    rows = [(i, x) for i, x in enumerate([xs[0], xs[1], xs[2], xs[3]])]
    rows.sort(key=lambda row: (row[1] > 0, -row[1]))
    return rows


@samples((XS,), (-XS,))
def nearest(xs):
    return min(range(len(xs)), key=lambda i: abs(xs[i] - 2.0))


@samples((2.0, 5.0), (5.0, 2.0))
def largest_pair(a, b):
    _, value = max([(1, a), (2, b), (3, 4.0)], key=lambda pair: pair[1])
    return value


@samples((XS,), (-XS,))
def sorted_list_of_staged_length(xs):
    found = []
    for x in xs:
        if x > 0:
            found.append(x)
    found.sort(key=lambda x: -x)
    return found


@samples((XS,), (-XS,))
def inserted_removed_and_reversed(xs):
    found = [0.0]
    for x in xs:
        if x > 0:
            found.insert(0, x)
        else:
            found.insert(len(found), x)
    found.remove(1.0 if 1.0 in found else -1.0)
    found.reverse()
    return found, found.index(0.0), found.count(4.0)


@samples((XS,), (-XS,))
def removed_where_missing(xs):
    found = []
    for x in xs:
        if x > 0:
            found.append(x)
    found.remove(9.0)
    return found


@samples((4.0,), (7.0,))
def position_in_a_plain_list(x):
    return [1.0, 4.0, 5.0].index(x)


@samples((4,), (1,))
def count_in_a_plain_list(x):
    return [1, 4, 4, 2].count(x)


@samples((1,), (-1,), (3,))
def popped_at_an_index(i):
    items = [1.0, 4.0, 5.0]
    return items.pop(i), items


@samples((1,), (-1,), (7,))
def inserted_at_an_index(i):
    items = [1.0, 4.0, 5.0]
    items.insert(i, 9.0)
    return items


@samples((76.0,), (90.0,), (12.0,))
def grade(score):
    return bisect.bisect([60, 70, 80, 90], score)


@samples((XS,), (-XS,))
def running_median(xs):
    seen, medians = [], []
    for x in xs:
        bisect.insort(seen, x)
        medians.append(seen[len(seen) // 2])
    return medians


@samples((4,), (0,))
def extended_by_a_range(n):
    items = []
    for i in range(n):
        items.append(i)
    items.extend(range(n))
    count = len(items)
    items.clear()
    items.extend(range(n, 2 * n))
    return items, count


@samples((2.0, 0, 3), (4.0, 2, -1), (3.0, 3, 1))
def searched_between_bounds(x, low, high):
    values = [1.0, 3.0, 3.0, 4.0]
    return bisect.bisect_left(values, x, low, high), bisect.bisect_right(values, x, low)


@samples((XS, 4), (-XS, 0))
def compatible_predecessors(xs, n):
    ends = []
    for x in xs:
        if x > 0:
            ends.append(x)
    ends.sort()
    ends = ends[:n]
    return [bisect.bisect_right(ends, x + 2.0, 0, k) for k, x in enumerate(ends)]


@samples((50, 10), (0, 3), (1000, 5), (7, 0))
def searched_by_key(x, n):
    return bisect.bisect_left(range(n), x, key=lambda k: k * k), bisect.bisect(range(2, 40, 3), x)


@samples((XS,), (-XS,))
def inserted_by_key(xs):
    found = []
    for x in xs:
        bisect.insort(found, x, key=abs)
    bisect.insort_left(found, 2.0, 0, len(found) - 1)
    return found
