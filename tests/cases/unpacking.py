"""Lists, sets and arrays of staged length that are unpacked into targets, and tuples made of iterables."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, 1, 2])
YS = np.array([1, 3, 1])


@samples((XS,), (YS,))
def two_that_are_left(xs):
    try:
        first, second = [x for x in xs if x > 1]
    except ValueError as error:
        return str(error)
    return f"{first} and {second}"


@samples((YS,))
def only_member(xs):
    members = set(xs)
    members.discard(3)
    (only,) = members
    return only


@samples((XS,), (YS,))
def several_parts(xs):
    low, high, last, count = *sorted(xs[:2]), xs[-1], len(xs)
    a, b, c = *[x for x in xs if x > 2], *xs[1:]
    return low, high, last, count, a, b, c


@samples((XS,), (YS,))
def tuple_of_generator(xs):
    cell = tuple(int(x) for x in xs[:2])
    row, column = map(int, xs[:2])
    grid = np.arange(16).reshape(4, 4)
    return grid[cell], grid[row, column], {cell: 1}, isinstance(cell, tuple)


@samples((XS,))
def builtins_of_map(xs):
    return list(map(int, [xs[0], xs[1]])), list(map(float, xs)), max([-4, xs[0]], key=abs)
