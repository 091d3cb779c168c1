"""List comprehensions over staged arrays are staged maps; dicts, sets and generators stay plain."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([3, -1, 4, -1, 5])


@samples((XS,), (-XS,))
def squares(xs):
    return [x * x for x in xs]


@samples((XS,), (-XS,))
def filtered(xs):
    return [x * 10 for x in xs if x > 0]


@samples((XS, 2), (XS, 10))
def filtered_sum(xs, limit):
    return sum([x for x in xs if x > limit]), len([x for x in xs if x > 0 if x < limit])


@samples((XS,))
def conditional_element(xs):
    return np.array([x if x > 0 else 0 for x in xs])


@samples((5,), (0,))
def over_range(n):
    return [i * i for i in range(n) if i % 2 == 1]


@samples((np.array([[1, 2], [3, 4]]),))
def over_rows(rows):
    return np.stack([row / row.sum() for row in rows])


@samples((np.array([[1, 2], [3, 4]]),))
def flattened(rows):
    return [x + 1 for row in rows for x in row]


@samples((np.array([1, 2, 3]), np.array([10, 20])))
def nested(xs, ys):
    return [[x * y for y in ys] for x in xs]


@samples((2,), (-2,))
def over_list(x):
    return [x * factor for factor in [1, 2, 3]], [x + i for i in (10, 20) if i > 10]


@samples((2,), (-2,))
def dict_and_set(x):
    table = {name: x * len(name) for name in ("a", "bb")}
    return table, sorted({len(name) % 2 for name in table})


@samples((2,), (-2,))
def sum_of_generator(x):
    return sum(x * weight for weight in [1, 2, 3])


@samples((2,), (0,))
def any_of_generator(x):
    return any(item == x for item in [1, 2, 3]), all(x < item for item in [1, 2, 3])


@samples((XS, 1), (XS, 2))
def with_zip_and_enumerate(xs, step):
    return [x * i for i, x in enumerate(xs, step)], [a - b for a, b in zip(xs, xs[1:])]


@samples((3,), (4,))
def name_does_not_leak(x):
    i = x * 100
    squares = [i * i for i in range(4)]
    return i, squares


@samples((3,), (4,))
def captures_variable(n):
    scale = n * 2
    functions = [lambda v, k=k: v * scale + k for k in range(3)]
    scale = scale + 1
    return [f(1) for f in functions]


@samples(([3, 1, 2], 2), ([], 2), staged=())
def over_plain_list(items, k):
    """Plain only: sets and dicts of the data's own values."""
    pairs = [(i, j) for i in items for j in items if i < j]
    return pairs, {item: item % k for item in items}, {item % k for item in items}


@samples(("a-b--c",), ("",))
def over_strings(text):
    return "".join(part.upper() for part in text.split("-") if part)


@samples((XS, 2), (XS, 3))
def helper_in_element(xs, n):
    def power(x):
        result = 1
        for _ in range(n):
            result = result * x
        return result

    return [power(x) for x in xs]


@samples((XS, 3), (XS, 30))
def in_condition(xs, limit):
    if sum([x for x in xs if x > 0]) > limit:
        return max([abs(x) for x in xs])
    return -1


@samples((3,), (0,))
def range_of_ranges(n):
    return [[j for j in range(i)] for i in range(n)]


@samples((2,), (0,), (9,))
def staged_condition_over_plain_values(x):
    below = [a for a in (1, 2, 3) if x > a]
    below.append(10)
    return below, len(below)


@samples((2, XS), (0, -XS))
def mixed_conditions_over_plain_values(x, xs):
    found = [v * x for v in [*xs, 2, 3] if v > 1]
    pairs = [(i, name * 2) for i, name in enumerate("abc") if i != 1 if x > i]
    return found, pairs, [[j + x for j in range(4) if j * x > i] for i in (0, 2)]


@samples((2, True), (0, False))
def staged_condition_in_a_branch(x, flag):
    total = 0
    for i in range(3):
        if flag:
            total += sum([k for k in (1, 2, 3) if k > x + i])
        else:
            total -= len([k for k in range(i) if k != x])
    return total


BOARD = np.array([[0, 3, 0], [2, 0, -1]])


@samples((BOARD, 0), (-BOARD, 9))
def places_on_a_board(board, low):
    rows, columns = board.shape
    return [(i, j) for i in range(rows) for j in range(columns) if board[i, j] > low]


@samples((XS, 0), (XS, 100))
def pairs_with_conditions(xs, low):
    return [x * y for x in xs if x > low for y in xs if y > x if y < 9]


@samples((XS,), (-XS,))
def set_of_pairs(xs):
    return sorted({x + y for x in xs for y in xs if x > y})


@samples((XS, 3), (XS, 30))
def rows_of_pairs(xs, limit):
    rows = [[x * y for y in xs for _ in range(2) if y > x] for x in xs]
    return [len(row) for row in rows], sum([v for row in rows for v in row if v > limit])


@samples((BOARD,), (-BOARD,))
def comprehension_in_a_loop(board):
    total, rounds = 0, 0
    while sum([v for row in board for v in row if v > total]) > total:
        total += 2
        rounds += 1
    return total, rounds


@samples((BOARD, 0), (-BOARD, 9))
def consumed_pairs(board, low):
    rows, columns = board.shape
    total = sum(board[i, j] for i in range(rows) for j in range(columns) if board[i, j] > low)
    best = max((v * v for row in board for v in row if v != low), default=-1)
    return total, best, any(v > low + 1 for row in board for v in row), all(v < 9 for row in board for v in row)


@samples((XS, 2), (XS, 9))
def first_pair(xs, limit):
    for pair in ((x, y) for x in xs for y in xs if x < y):
        if pair[1] - pair[0] > limit:
            return pair
    return (0, 0)
