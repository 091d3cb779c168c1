"""Slices of lists that are replaced or deleted, with bounds that Python adjusts."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, -1, 4, 1, -5, 9])
BOUNDS = [(np.int64(a), np.int64(b)) for a, b in ((0, 2), (1, 1), (2, 1), (-2, 9), (-9, -1), (7, 3))]


@samples(*((XS, *bounds) for bounds in BOUNDS))
def replaced(xs, start, stop):
    items = [x for x in xs if x > 0]
    items[start:stop] = [7, 8, 9]
    return items


@samples(*((XS, *bounds) for bounds in BOUNDS))
def deleted(xs, start, stop):
    items = [x for x in xs if x > 0]
    del items[start:stop]
    return items


@samples(*((XS, *bounds) for bounds in BOUNDS))
def open_bounds(xs, start, stop):
    first, second = [x for x in xs if x > 0], [x for x in xs if x > 0]
    first[start:] = [7]
    second[:stop] = (8,)
    return first, second


@samples(*((XS, *bounds) for bounds in BOUNDS))
def of_a_plain_list(xs, start, stop):
    items = [1, 2, 3, 4]
    other = items
    items[start:stop] = [5]
    return items, other


@samples((XS,), (-XS,))
def one_item_in_a_loop(xs):
    items, place = [0] * 8, 0
    for x in xs:
        if x > 2:
            items[place : place + 1] = [x]
            place += 1
    return items, place


@samples((XS,))
def by_itself(xs):
    items = [x for x in xs if x > 0]
    items[1:2] = items
    return items


@samples((XS,))
def by_a_number(xs):
    items = [x for x in xs if x > 0]
    items[0:1] = 5
    return items
