"""Functions whose staged statements modify aliased lists and dicts, or choose between them."""

from __future__ import annotations

import numpy as np


class Box:
    def __init__(self, held):
        self.held = held


def put(buffer, n):
    if n > 0:
        buffer[0] = n
    buffer[1] = 50


def grow(buffer, n):
    if n > 0:
        buffer[0] = n
    buffer.append(n)


def by_a_helper(n):
    b = [0, 0]
    put(b, n)
    return b


def appended_by_a_helper(n):
    b = [0]
    grow(b, n)
    grow(b, n)
    return b, len(b)


def two_names(n):
    b = [0, 0]
    c = b
    if n > 0:
        b[0] = n
        c[1] = b[0] + 1
    b[1] += 50
    return b, c


def two_names_in_a_loop(n):
    b = [0, 0]
    c = b
    for i in range(n):
        b[0] += i
        c[1] += b[0]
    c[0] += 1
    return b, c


def dict_with_two_names(n):
    d = {"a": 0, "b": 0}
    e = d
    for i in range(n):
        d["a"] += i
    d["b"] += 7
    return d, e


def list_in_a_list(n):
    rows = [[0, 0], [0, 0]]
    row = rows[0]
    if n > 0:
        rows[0][1] = n
        rows[1] = [n, n]
    row[0] = 9
    rows[1][0] = 8
    return rows, row


def list_in_a_dict(n):
    d = {"k": [0, 0]}
    held = d["k"]
    while n > 0:
        d["k"][0] += n
        held[1] += d["k"][0]
        n -= 1
    held[0] = 4
    return d, held


def list_of_an_attribute(n):
    box = Box([0, 0])
    held = box.held
    if n > 0:
        box.held[0] = n
    held[1] = 4
    box.held[0] += 1
    return box.held, held


def list_of_an_argument(n):
    return written(Box([1, 2]), n)


def written(box, n):
    for i in range(n):
        box.held[0] += i
    box.held[1] = 5
    return box.held


def rows_swapped(n):
    old = [1, 2]
    new = [0, 0]
    for _ in range(n):
        new[0] = old[1]
        new[1] = old[0] + old[1]
        old, new = new, old
    old[0] += 1
    return old, new


def swapped_under_a_condition(n):
    a = [1, 2]
    b = [3, 4]
    if n > 1:
        a, b = b, a
    a[0] = 9
    return a, b


def chosen_and_read(n):
    a = [1, 2]
    b = [3, 4]
    c = a if n > 0 else b
    return c, c + b, c * 2, len(c), c[0] < 2


def chosen_dict_and_read(n):
    found = {"x": 1, "y": n}
    other = {"x": 3, "y": 4}
    best = found
    if n > 1:
        best = other
    return best["x"], best.get("y"), len(sorted(best)), found, other


def set_by_a_staged_index(n):
    b = [1, 2, 3]
    c = b
    b[n] = 7
    c[0] += 1
    return b, c


def set_in_an_attribute_by_a_staged_index(n):
    box = Box([1, 2, 3])
    box.held[n] = 7
    return box.held


def set_in_a_row_by_a_staged_index(n):
    rows = [[1, 2, 3], [4, 5, 6]]
    rows[0][n] = 7
    return rows


def row_by_a_staged_index(n):
    rows = [[1, 2], [3, 4], [5, 6]]
    row = rows[n]
    other = rows[n - 1]
    return row, row * 2, row + other, len(row), [v + 1 for v in row], rows[n][0] < 3


def tuple_by_a_staged_index(n):
    pairs = ((1, 2.5), (3, 4.5), (5, 6.5))
    first, second = pairs[n]
    return pairs[n], pairs[n] + (1,), pairs[n] * 2, first, second


def record_by_a_staged_index(n):
    records = [{"at": [1, 2], "of": (3, 4)}, {"at": [5, 6], "of": (7, 8)}, {"at": [0, 0], "of": (9, n)}]
    found = records[n]
    return found["at"] + [1], found["of"], found


def truth_of_a_row(n):
    rows = [[0], [0], [5]]
    return 1 if rows[n] else 2


def rows_of_different_lengths(n):
    near = [[1, 2], [], [0]]
    total = 0
    for j in near[n]:
        total = total * 10 + j + 1
    return total, near[n] + [5]


def row_of_a_row(n):
    cube = [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 1]], [[2, 2], [3, 3], [4, 4]]]
    return cube[n][n], cube[n][n][n - 1]


def copy_of_a_row_written(n):
    rows = [[1, 2], [3, 4], [5, 6]]
    row = list(rows[n])
    row[0] += 5
    return row, rows


def row_after_a_change(n):
    rows = [[1, 2], [3, 4], [5, 6]]
    rows[0][0] = n
    return rows[n]


def rows_exchanged_and_written(n):
    rows = [[1, 2], [3, 4], [5, 6]]
    if n > 0:
        rows[0], rows[2] = rows[2], rows[0]
    rows[0][0] = 9
    return rows


def builtins_of_a_row(n):
    rows = [[1, 2], [3, 4], [6, 5]]
    return sum(rows[n]), max(rows[n]), rows[n][1:], 3 in rows[n], sorted(rows[n]), list(enumerate(rows[n]))


SAME = [
    by_a_helper, appended_by_a_helper, two_names, two_names_in_a_loop, dict_with_two_names, list_in_a_list,
    list_in_a_dict, list_of_an_attribute, list_of_an_argument, rows_swapped, swapped_under_a_condition,
    chosen_and_read, chosen_dict_and_read, set_by_a_staged_index, set_in_an_attribute_by_a_staged_index,
    set_in_a_row_by_a_staged_index, row_by_a_staged_index, tuple_by_a_staged_index, record_by_a_staged_index,
    truth_of_a_row, rows_of_different_lengths, row_of_a_row, copy_of_a_row_written, row_after_a_change,
    rows_exchanged_and_written, builtins_of_a_row,
]  # fmt: skip


def plain(value):
    """Return a result as comparable Python values, with the type name of each container."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(v) for v in value]
    if isinstance(value, dict):
        return type(value).__name__, {k: plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.ndim:
        return "ndarray", value.tolist()
    return value if isinstance(value, str) else value.item() if hasattr(value, "item") else value
