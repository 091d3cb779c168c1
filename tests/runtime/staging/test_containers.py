"""Lists and dicts mean what they do in Python where staged statements write them or choose among them."""

from __future__ import annotations

import linecache
import random

import numpy as np
import pytest
from container_functions import SAME, Box, plain, put

import autograph_rs as ag


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
def test_a_container_is_as_in_python(f, n):
    assert plain(ag.function(f)(np.int64(n))) == plain(f(n))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_callers_list_and_its_other_name_are_written(n):
    def f(b, n):
        c = b
        if n > 0:
            b[0] = n
        b[1] = 5
        c[n] += 2
        return c

    given, expected = [0, 0, 0], [0, 0, 0]
    assert plain(ag.function(f)(given, np.int64(n))) == plain(f(expected, n))
    assert plain(given) == plain(expected)


def row_written(n):
    rows = [[1, 2], [3, 4]]
    rows[n][0] += 5
    return rows


def row_appended(n):
    rows = [[1], [2]]
    rows[n].append(3)
    return rows


def row_of_an_array_written(n):
    rows = [np.zeros(2), np.ones(2)]
    rows[n][0] += 5
    return rows


def row_of_another_length_appended(n):
    rows = [[1], [2, 3]]
    rows[n].append(3)
    return rows


def record_written(n):
    records = [{"at": 1}, {"at": 2}]
    records[n]["at"] = 5
    return records


def chosen_written(n):
    a, b = [1, 2], [3, 4]
    c = a if n > 0 else b
    c[0] = 9
    return a, b


def chosen_by_a_branch_written(n):
    a, b = [1, 2], [3, 4]
    c = a
    if n > 0:
        c = b
    c.append(9)
    return a, b


def second_name_in_a_branch(n):
    a, b = [1, 2], [1, 2]
    if n > 0:
        a = b = [n, n]
    a[0] = 9
    return b


def second_name_in_a_round(n):
    a, b = [1, 2], [1, 2]
    for _ in range(n):
        a = b
    b[0] = 9
    return a


def argument_replaced(n):
    def inner(b):
        if n > 0:
            b = [n, n]
        b[0] = 9
        return b

    b = [0, 0]
    inner(b)
    return b


@pytest.mark.parametrize(
    "f",
    [
        row_of_an_array_written, chosen_written,
        chosen_by_a_branch_written, second_name_in_a_branch, second_name_in_a_round,
        argument_replaced,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_write_to_one_of_several_is_refused(f):
    with pytest.raises(ag.AliasError):
        ag.function(f)(np.int64(1))


@pytest.mark.parametrize("f", [row_appended, row_of_another_length_appended], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, -1])
def test_the_length_of_a_row_changes(f, n):
    assert ag.function(f)(np.int64(n)) == f(n)


def row_read_after_a_write(n):
    rows = [[1, 2], [3, 4]]
    row = rows[n]
    rows[0][0] = 9
    if n > 0:
        row[1] = 7
    return row[0], row[1], rows


def row_with_two_places(n):
    row = [0, 0]
    rows = [row, [5, 5], row]
    rows[n][0] = 1
    return rows, row


def row_of_nested_lists_written(n):
    cube = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    cube[n][n][0] += 10
    cube[n][0][n] = 0
    return cube


@pytest.mark.parametrize(
    "f",
    [row_written, record_written, row_read_after_a_write, row_with_two_places, row_of_nested_lists_written],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("n", [0, 1, -1, 2, 5])
def test_an_item_of_one_of_several_is_written(f, n):
    try:
        expected: object = f(n)
    except IndexError as error:
        with pytest.raises(IndexError, match=str(error)):
            ag.function(f)(np.int64(n))
    else:
        assert ag.function(f)(np.int64(n)) == expected


def test_one_of_several_is_not_read_after_one_of_them_was_written():
    def f(n):
        a, b = [1, 2], [3, 4]
        chosen = a if n > 0 else b
        a[0] = 9
        return chosen[0], a, b

    with pytest.raises(ag.AliasError, match="is read after one of the candidates has changed"):
        ag.function(f)(np.int64(0))


@pytest.mark.parametrize("rows", [[(1, 2), (3,)], [[1, [2]], [3]], [[1, 2], (3, 4)]])
def test_items_of_different_structure(rows):
    staged = ag.function(lambda n: rows[n])
    for n in (0, 1, -1, -2):
        assert staged(np.int64(n)) == rows[n]
    with pytest.raises(IndexError, match="list index out of range"):
        staged(np.int64(2))


class Programs:
    """Random functions that give lists names, write them, and choose among them."""

    PLACES = ("a", "b", "c", "r[0]", "r[1]", "d['k']", "o.held")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def value(self):
        return self.one(["n", "1", "i", f"{self.one(self.PLACES)}[0]", f"{self.one(self.PLACES)}[1] + n"])

    def statement(self, depth, indent):
        kind, name, space = self.random.random(), self.one("abc"), "    " * indent
        if depth and kind < 0.3:
            head = self.one(["if n > 0:", "if n > 1:", "for i in range(m):"])
            lines = [space + head, *self.block(depth - 1, indent + 1)]
            if head[0] == "i" and self.random.random() < 0.5:
                lines += [space + "else:", *self.block(depth - 1, indent + 1)]
            return lines
        place, other, value = self.one(self.PLACES), self.one(self.PLACES), self.value()
        simple = [
            *[f"{place}[{self.one('01')}] = {value}"] * 5, *[f"{name} = {place}"] * 2,
            f"{place}[0] += {value}", f"{self.one(self.PLACES)} = {place}", f"{name} = [{value}, n]",
            "a, b = b, a", f"{name} = r[j]", f"{name}[j] = {value}", f"put({place}, n)",
            f"{name} = {place} if n > 1 else {other}",
        ]  # fmt: skip
        return [space + self.one(simple)]

    def block(self, depth, indent):
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, indent)]

    def text(self):
        lines = [
            "def f(n, m, j, p, q):",
            "    i = 0",
            "    a, b, c = " + self.one(["p, p, q", "p, q, [9, 9]", "[*p], [*q], [9, 9]"]),
            "    r = " + self.one(["[[1, 2], [3, 4]]", "[a, [3, 4]]", "[b, c]"]),
            "    d = {'k': " + self.one(["a", "[0, 0]"]) + "}",
            "    o = Box(" + self.one(["c", "[0, 0]"]) + ")",
            *self.block(2, 1), *self.block(2, 1),
            "    return a, b, c, r, d, o.held",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_are_as_in_python_or_refused(seed):
    text, name = Programs(seed).text(), f"<containers {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope = {"Box": Box, "put": put, "__name__": __name__}
    exec(compile(text, name, "exec"), scope)
    f = scope["f"]
    staged = ag.function(f)
    for n, m, j in [(0, 0, 0), (1, 1, 1), (2, 3, 0)]:
        given, expected = ([10, 11], [12, 13]), ([10, 11], [12, 13])
        value = f(n, m, j, *expected)
        try:
            made = staged(np.int64(n), np.int64(m), np.int64(j), *given)
        except (ag.AliasError, ag.MismatchError, ag.StagingError):
            return
        assert plain(made) == plain(value), text
        assert plain(given) == plain(expected), text
