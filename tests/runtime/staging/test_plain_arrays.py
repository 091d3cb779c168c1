"""Staged values written into plain arrays: each name, container and view sees the write, or it is refused."""

# ruff: noqa: B007 - programs as users write them

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag

X = np.array([1.0, 2.0, 3.0])
TABLE = np.zeros(3)


def every_operator(x):
    y = np.zeros(3)
    y += x
    y -= 1
    y *= x
    y /= 2
    y **= 2
    y //= 1
    y %= 3
    return y


def of_bools(x):
    y = np.zeros(3, dtype=bool)
    y |= x > 0
    y &= x > 1
    y ^= x > 2
    return y


def in_another_name(x):
    y = np.zeros(3)
    z = y
    y += x
    return z, y is z


def in_branches_and_loops(x):
    y, z = np.zeros(3), np.ones(3)
    first = z
    if x[0] > 0:
        y += x
    for v in x:
        z += v
        z[0] -= y[1]
    return y, z, first


def in_containers(x):
    rows, named = [np.zeros(3), np.ones(3)], {"w": np.zeros(3), "b": np.ones(3)}
    for row in rows:
        row += x
    for k, (name, row) in enumerate(named.items()):
        row -= x * k
    rows[0] += named["w"]
    rows.append(rows[-1])
    rows[-1] *= 2
    return rows, named


def in_attributes_and_closures(x):
    class Sums:
        def __init__(self):
            self.total = np.zeros(3)

        def add(self, v):
            self.total += v

    sums = Sums()
    seen = sums.total

    def step():
        sums.add(x)

    step()
    if x[0] > 0:
        step()
    return sums.total, seen


def rows_of_a_matrix(x):
    rows = np.zeros((2, 3))
    for row in rows:
        row += x
        rows[1] = row
        for j in range(3):
            row[j] += j
    return rows


def numbered_rows(x):
    rows, sums = np.zeros((3, 3)), []
    for i, row in enumerate(rows):
        row += x
        if i < 2:
            rows[i + 1] = row
        sums.append(row.sum())
    return rows, sums


def rows_side_by_side(x):
    first, second = np.zeros((2, 3)), np.ones((2, 3))
    for a, b in zip(first, second, strict=True):
        a += x
        b -= a
    return first, second


def rows_from_the_end(x):
    rows = np.zeros((2, 3))
    for k, row in enumerate(rows[::-1]):
        row += x * k
    return rows


def elements_written_ahead(x):
    y, seen = np.zeros(3), []
    for i, v in enumerate(y):
        seen.append(v)
        y[2] = x[2]
    return seen


def one_array_twice(x):
    y, z, sums = np.zeros(3), np.ones(3), []
    for each in (y, z, y):
        each += x
        sums.append(each.sum())
    return y, z, sums


def items_of_a_view(x):
    z = np.zeros((2, 2))
    row = z[0]
    for i in range(2):
        row[i] = x[i]
    return z


def parts_of_arrays(x):
    y, z = np.zeros((3, 3)), np.arange(6.0).reshape(2, 3)
    y[1] += x
    y[:, 0] *= x
    y[::-2] -= 1
    part = y[1:, 1]
    part += x[1:]
    z += x
    z[0] *= 2
    return y, part, z


def out_arguments(x):
    y, z, s, c = np.zeros((2, 3)), np.zeros(3), np.zeros(3), np.zeros(3)
    np.add(x, 1, out=y)
    np.divmod(x, 2, out=(z, s))
    np.cumsum(x, out=c)
    np.clip(c, 0, 4, out=c)
    np.multiply(x, 2, out=s, where=x > 1)
    return y, z, s, c


def functions_that_write(x):
    y, z = np.zeros(3), np.zeros(3)
    np.add.at(y, [0, 0], x[0])
    np.copyto(y[1:], x[:2])
    np.put(z, [0, 2], x[1])
    return y, z


def without_dimensions(x):
    y = np.zeros(())
    z = y
    y += x.sum()
    return y, z


def of_another_dtype(x):
    y = np.zeros(3, dtype=np.float32)
    y += x
    y[0] /= 3
    return y


STAGED = [f for n, f in list(globals().items()) if callable(f) and getattr(f, "__module__", "") == __name__]


@pytest.mark.parametrize("function", STAGED, ids=lambda f: f.__name__)
def test_what_python_computes(function):
    np.testing.assert_equal(ag.function(function)(X), function(X.copy()))


def a_global(x):
    y = TABLE
    for v in x:
        y += v
    return y


def a_tuple(x):
    parts = (np.zeros(3), np.ones(3))
    part = parts[0]
    part += x
    return parts


def a_default(x, y=np.zeros(3)):  # noqa: B008 - which is the case
    y += x
    return y


def a_transposed_view(x):
    rows = np.zeros((3, 3))
    rows.T[...] += x
    return rows


def a_view_in_a_loop(x):
    rows = np.zeros(3)
    part = rows[1:]
    for v in x:
        part += v
    return rows


def a_view_in_a_branch(x):
    rows = np.zeros((2, 3))
    for row in rows:
        if x[0] > 0:
            row += x
    return rows


def an_unpacked_view(x):
    rows = np.zeros((2, 3))
    first, second = rows
    first += x
    return rows, second


def a_kept_iterator(x):
    rows = np.zeros((2, 3))
    items = iter(rows)
    first = next(items)
    first += x
    return next(items)


def a_flat_iterator(x):
    y, total = np.zeros((2, 3)), 0
    for v in y.flat:
        y[1, 2] = x[2]
        total = total + v
    return total


def numbered_elements(x):
    y = np.zeros((2, 3))
    for index, v in np.ndenumerate(y):
        y[index] = v + x[0]
        y[1, 2] = x[2]
    return y


def rows_of_a_transposed_view(x):
    rows = np.zeros((2, 3))
    for row in rows.T:
        row += x[:2]
    return rows


REFUSED = [
    a_global, a_tuple, a_default, a_transposed_view, a_view_in_a_loop, a_view_in_a_branch, an_unpacked_view,
    a_kept_iterator, a_flat_iterator, numbered_elements, rows_of_a_transposed_view,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_other_references(function):
    """What the trace cannot make refer to the staged array is named."""
    with pytest.raises(ag.AliasError, match=r"refers to|view of a plain array"):
        ag.function(function)(X)
    assert not TABLE.any()


@pytest.mark.parametrize("write", [lambda y, x: y.__iadd__(x), lambda y, x: np.add(x, 1, out=y)])
@pytest.mark.parametrize("shape", [(3, 1), (2,)])
def test_operands_that_do_not_fit(write, shape):
    def f(x):
        y = np.zeros(shape)
        write(y, x)
        return y

    for run in (f, ag.function(f)):
        with pytest.raises(ValueError, match="broadcast"):
            run(X)


def test_a_dtype_that_does_not_fit():
    def f(x):
        y = np.zeros(3, dtype=int)
        y += x
        return y

    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output from dtype"):
        ag.function(f)(X)
