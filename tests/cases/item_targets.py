"""Items among the targets of one assignment: in tuples, lists and chains."""

import numpy as np

from autograph_rs.testing import samples

INTS = np.array([5, 3, 8, 1])


@samples((INTS, 1, 2), (INTS, 0, -1))
def swapped(xs, i, j):
    xs[i], xs[j] = xs[j], xs[i]
    return xs


@samples((INTS, 1), (INTS, 3))
def index_before_and_after(xs, i):
    xs[i], i = 7, 0
    i, xs[i] = 2, i
    return xs, i


@samples((INTS, 1), (INTS, 0))
def chain_of_targets(xs, i):
    first = xs[i] = last = xs[i + 1] + 1
    return xs, first, last


class Table:
    def __init__(self):
        self.cells = {}


@samples((3, 2), (0, 6), staged=())
def chain_after_item_of_attribute(x, limit):
    """Plain only: keys of a dict are plain."""
    table = Table()
    for i in range(2):
        table.cells[str(i)] = i
    for i in range(3):
        if i < limit:
            table.cells[i] = last = x + i
    return table.cells, last


@samples((INTS, 1), (INTS, 0))
def nested_targets(xs, i):
    (a, xs[i]), *rest, [xs[i + 1], b] = (1, 2), 3, 4, [5, 6]
    return xs, a, rest, b


@samples((INTS,), (INTS[::-1],))
def sorted_by_swaps(xs):
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


class Log(list):
    def __setitem__(self, key, value):
        print("set", key, value)
        super().__setitem__(key, value)


def noted(value):
    print("index", value)
    return value


@samples((3,), (0,), staged=())
def order_of_evaluation(x):
    """Plain only: the methods of a list of the user's print when they are called, at trace time."""
    items = Log([0, 0, 0])
    items[noted(0)], y, items[noted(1)] = x, x + 1, x + 2
    z = items[noted(2)] = y
    return list(items), y, z


@samples((3,), (0,), staged=())
def too_many_values(x):
    """Plain only: the error is raised while Python runs."""
    items = [0, 0]
    try:
        items[0], items[1] = x, x, x
    except ValueError as error:
        return str(error), items
