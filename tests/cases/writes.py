"""Arrays written in place: `x[i] = v`, which the caller of the function sees."""

import numpy as np

from autograph_rs.testing import samples

INTS = np.array([5, 3, 8, 1])
GRID = np.arange(6).reshape(2, 3)


@samples((INTS, 1, 100), (INTS, -1, 7), (INTS, 9, 7))
def one_element(xs, i, value):
    xs[i] = value
    return xs.sum()


@samples((INTS,))
def every_element(xs):
    for i in range(len(xs)):
        xs[i] = xs[i] * 2 + i


@samples((INTS, 3), (INTS, 0))
def add_in_place(xs, n):
    for i in range(n):
        xs[i] += 10
    return xs


@samples((INTS, 4), (INTS, 2))
def on_copy(xs, limit):
    ys = xs.copy()
    for i in range(len(ys)):
        if ys[i] > limit:
            ys[i] = limit
    return xs, ys


@samples((GRID, 1), (GRID, 10))
def two_indices(grid, value):
    for i in range(2):
        for j in range(3):
            grid[i, j] = grid[i, j] * value + i - j
    return grid


@samples((GRID, 0), (GRID, 1))
def row(grid, i):
    grid[i] = grid[i] * 100
    return grid


@samples((INTS, 1, 3), (INTS, 2, 2))
def slice_with_bounds(xs, a, b):
    xs[a:b] = 0
    return xs


@samples((INTS, 4), (INTS, 0))
def mask(xs, limit):
    xs[xs < limit] = -1
    return xs


@samples((INTS, 0, 3), (INTS, 2, 2))
def swap(xs, i, j):
    xs[i], xs[j] = xs[j], xs[i]
    return xs


@samples((INTS, 5), (INTS, -5))
def in_branch(xs, x):
    if x > 0:
        xs[0] = x
    else:
        xs[1] += x
    return xs


@samples((5,), (2,))
def fill_new_array(n):
    out = np.zeros(6)
    for i in range(n):
        out[i] = i * 0.5
    return out


@samples((np.array([0.1, 0.2, 0.3]),))
def fill_zeros_like(xs):
    out = np.zeros_like(xs)
    total = 0.0
    for i, x in enumerate(xs):
        total += x
        out[i] = total
    return out


@samples((INTS, 2.75), (INTS, -2.75))
def value_takes_array_type(xs, value):
    xs[0] = value
    return xs


@samples((INTS, 1), (INTS, -1))
def aug_assign_whole(xs, x):
    if x > 0:
        xs += 10
    else:
        xs *= 2
    return xs


@samples((INTS, 1), (INTS, -1))
def rebind_is_no_write(xs, x):
    if x > 0:
        xs = xs + 10
    xs = xs * 2
    return xs


@samples((GRID,))
def through_view(grid):
    first = grid[0]
    first += 100
    grid[1][2] = -1
    return grid


@samples((INTS, 8), (INTS, 4))
def until_break(xs, stop):
    for i in range(len(xs)):
        if xs[i] == stop:
            break
        xs[i] = 0
    return xs


@samples((INTS, 6), (INTS, 2))
def out_of_range(xs, n):
    for i in range(n):
        xs[i] = 0
    return xs


@samples((np.array([0, 1, 1, 3]),))
def count_into_bins(xs):
    bins = np.zeros(4, dtype=int)
    for x in xs:
        bins[x] += 1
    return bins


@samples((GRID, 1, 2), (GRID, 0, 0))
def column(grid, i, j):
    grid[:, j] = 0
    grid[i, :] += 5
    return grid


def clear_first(xs):
    xs[0] = 0


@samples((INTS, 1), (INTS, -1))
def by_helper(xs, x):
    if x > 0:
        clear_first(xs)
    return xs.sum()


@samples((INTS, 3), (INTS, 1))
def shift_in_while(xs, n):
    i = len(xs) - 1
    while i >= n:
        xs[i] = xs[i - 1]
        i -= 1
    xs[n - 1] = 0
    return xs


@samples((INTS, 1), (INTS, -1))
def equal_arrays_of_which_one_is_written(xs, n):
    a, b, c, seen = xs * 2, xs * 2, xs * 2, 0
    for x, y in zip(xs * 2, xs):
        a[n] = 0
        seen += x
    for x in (xs * 2)[1:]:
        b[n] += y
        seen += x
    for _, x in enumerate(reversed(xs * 2)):
        c[n] -= 1
        seen += x
    return seen, a, b, c


@samples((2.0, True), (-2.0, False))
def plain_arrays_changed_in_place(x, flag):
    scaled = np.ones(3)
    if flag:
        scaled *= 0.5
    else:
        scaled += x
    for _ in range(2):
        if x > 0:
            scaled -= x
    total = np.zeros(2)
    while x > 0:
        total += x
        x = x - 1
    return scaled, total


@samples((np.array([2.0, -1.0, 3.0]),), (np.array([-1.0, 0.5, 0.0]),))
def sums_in_place(xs):
    total, largest = np.zeros(3), np.full(3, -9.0)
    for x in xs:
        if x > 0:
            total += xs * x
        largest[0] = max(largest[0], x)
    total *= 2
    total[1:] -= xs[:2]
    return total, largest


@samples((np.array([2.0, -1.0, 3.0]), 3), (np.array([-1.0, 0.5, 0.0]), 0))
def gradients_of_named_parameters(xs, n):
    sums = {"w": np.zeros(3), "b": np.zeros(1)}
    for i in range(n):
        sums["w"] += xs * i
        sums["b"] += xs[:1]
    return sums
