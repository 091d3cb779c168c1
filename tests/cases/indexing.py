"""Reading by a staged index: arrays, constants, lists, tuples, slices."""

import numpy as np

from autograph_rs.testing import samples

INTS = np.array([5, 3, 8, 1])
GRID = np.arange(12).reshape(3, 4)
TABLE = np.array([10.0, 20.0, 30.0])
WEIGHTS = [2, 3, 5]
NAMES = ("zero", "one", "two")


@samples((INTS, 0), (INTS, 2), (INTS, -1), (INTS, 4))
def element(xs, i):
    return xs[i]


@samples((GRID, 1, 2), (GRID, -1, 0))
def two_indices(grid, i, j):
    return grid[i, j] + grid[i][j] + grid[j][i]


@samples((GRID, 1), (GRID, 0))
def row_and_column(grid, i):
    return grid[i].sum() - grid[:, i].sum()


@samples((INTS, 1, 3), (INTS, 0, 4), (INTS, 3, 1), (INTS, -2, 9))
def slice_with_bounds(xs, a, b):
    return xs[a:b]


@samples((INTS, 2), (INTS, 0))
def halves(xs, n):
    return xs[:n].sum(), xs[n:].sum(), xs[::-1][n]


@samples((INTS, 1), (INTS, 2))
def slice_with_step(xs, step):
    return xs[::step]


@samples((0,), (2,), (-1,), (3,))
def constant_array(i):
    return TABLE[i] * 2


@samples((0,), (2,), (-1,))
def constant_list(i):
    return WEIGHTS[i] + 1


@samples((1,), (3,))
def constant_tuple(i):
    return NAMES[i]


@samples((0,), (1,), (2,))
def local_tuple_of_staged(i):
    choices = (i * 10, i + 5, -i)
    return choices[i]


@samples((1,), (5,))
def list_out_of_range(i):
    return [1, 2, 3][i]


@samples((INTS,), (np.array([0, 3, 0, 1]),))
def index_from_array(xs):
    total = 0
    for x in xs:
        total += TABLE[x % 3] + xs[x % 4]
    return total


@samples((np.array([1, 2, 3, 0]),), (np.array([0, 1, 2, 3]),))
def follow(links):
    i = links[0]
    steps = 0
    while i != 0:
        i = links[i]
        steps += 1
    return steps


@samples(
    (INTS, np.array([0, 0, 3])),
)
def index_array(xs, where):
    return xs[where], xs[where + 0].sum()


@samples((INTS, 4), (INTS, 0))
def mask(xs, limit):
    return xs[xs > limit]


@samples((INTS, 4), (INTS, 0))
def masked_sum(xs, limit):
    chosen = xs[xs > limit]
    return chosen.sum(), len(chosen)


@samples((GRID,))
def shapes_and_axes(grid):
    return grid.T[1], grid[..., -1], grid[:, None, 1:3].shape, grid[1:, ::2]


@samples((INTS, 3), (INTS, 1))
def windows(xs, n):
    best = 0
    for i in range(len(xs) - n + 1):
        total = xs[i : i + n].sum()
        if total > best:
            best = total
    return best


@samples((np.arange(3), 0), (np.arange(3), 2))
def dict_by_static_key(xs, i):
    table = {"first": xs[0], "chosen": xs[i]}
    return table["first"] + table["chosen"]


@samples((INTS,), (INTS[:2],))
def first_and_rest(xs):
    first, *rest = xs
    a, b = xs[:2]
    return first + len(rest), a - b


@samples((INTS,), (INTS[:3],))
def wrong_length_raises(xs):
    a, b, c = xs
    return a + b + c
