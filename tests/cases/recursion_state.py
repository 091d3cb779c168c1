"""Recursion that reads and changes what its callers refer to: variables, attributes, lists, sets and dicts."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, 1, 4, 1, 5, 9, 2, 6])
N = np.int64(4)


@samples((N,), (np.int64(0),))
def depth_of_a_tree(n):
    depth, deepest = 0, 0

    def visit(n):
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        if n > 0:
            visit(n - 1)
            visit(n - 2)
        depth -= 1

    visit(n)
    return depth, deepest


@samples((N,), (np.int64(1),))
def remaining_room(n):
    free, best = [3, 5, 7], 0

    def place(n, total):
        nonlocal best
        best = max(best, total)
        if n == 0:
            return
        for i, room in enumerate(free):
            if room >= n:
                free[i] -= n
                place(n - 1, total + room)
                free[i] += n

    place(n, 0)
    return best, free


@samples((XS,), (XS[:2],))
def paths(xs):
    found, path = [], []

    def go(i, total):
        if total == 8:
            found.append(len(path))
            return
        if i == len(xs) or total > 8:
            return
        path.append(i)
        go(i + 1, total + xs[i])
        path.pop()
        go(i + 1, total)

    go(0, 0)
    return found, path


@samples((XS,), (XS[:2],))
def chosen_items(xs):
    found = []

    def go(i, total, chosen):
        if total == 9:
            found.append(chosen)
            return
        if i == len(xs) or total > 9:
            return
        go(i + 1, total + xs[i], [*chosen, i])
        go(i + 1, total, chosen)

    go(0, 0, [])
    return found


@samples((N,), (np.int64(9),))
def memo_among_the_arguments(n):
    memo = {}

    def fibonacci(n, memo):
        if n < 2:
            return n
        if n in memo:
            return memo[n]
        memo[n] = fibonacci(n - 1, memo) + fibonacci(n - 2, memo)
        return memo[n]

    return fibonacci(n, memo), sorted(memo.items())


@samples((N,), (np.int64(9),))
def visited_numbers(n):
    seen, order = set(), []

    def visit(n):
        if n in seen or n < 0:
            return
        seen.add(n)
        order.append(n)
        visit(n - 3)
        visit(n - 2)

    visit(n)
    return sorted(seen), order


@samples((XS, np.int64(8)), (XS, np.int64(40)))
def first_solution(xs, wanted):
    class Found(Exception):
        pass

    def search(i, total):
        if total == wanted:
            raise Found(i)
        if i == len(xs) or total > wanted:
            return
        search(i + 1, total + xs[i])
        search(i + 1, total)

    try:
        search(0, 0)
    except Found as found:
        return found.args[0]
    return None


class Solved(Exception):
    def __init__(self, columns):
        super().__init__()
        self.columns = columns


@samples((np.zeros((4, 4), bool),), (np.eye(4, dtype=bool),), (np.ones((2, 2), bool),), (np.zeros((3, 3), bool),))
def solved_by_an_exception(blocked):
    n = len(blocked)

    def place(columns):
        row = len(columns)
        if row == n:
            raise Solved(list(columns))
        for column in range(n):
            if blocked[row, column]:
                continue
            if any(c == column or abs(c - column) == row - r for r, c in enumerate(columns)):
                continue
            columns.append(column)
            place(columns)
            columns.pop()

    try:
        place([])
    except Solved as found:
        return found.columns
    return None
