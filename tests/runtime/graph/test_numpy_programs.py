"""Programs with NumPy functions that only the graph stages. Results are exactly those of plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.testing.harness import check_same, run

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
V = np.array([1.0, -1.0, 0.5])
W = np.array([2.0, 3.0, 4.0])
I = np.array([0, 2, 0])  # noqa: E741 - indices

PROGRAMS: list[tuple[Callable[..., Any], tuple[tuple, ...]]] = []


def program(*arguments: tuple) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function to the programs, with the arguments of its calls."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, arguments))
        return function

    return add


@program((V, W, I), (W, V, I))
def add_at(xs, weights, places):
    np.add.at(xs, places, weights)
    np.maximum.at(xs, [1], 0.25)
    return xs


@program((V, W), (W, -V))
def copy_where(xs, ys):
    np.copyto(xs, ys, where=xs < ys)
    np.putmask(ys, ys > 3, 3)
    return xs, ys


@program((A, 5.0), (-A, 0.5))
def fill_diagonal_in_branch(a, v):
    if a[0, 0] > 0:
        np.fill_diagonal(a, v)
    else:
        np.put(a, [0, -1], v)
    return a


@program((V,), (W,))
def square_root_where_positive(xs):
    result = np.zeros_like(xs)
    np.sqrt(xs, where=xs > 0, out=result)
    return result


@program((A,), (A.T - 2,))
def rows_by_function(a):
    def spread(row):
        low, high = row.min(), row.max()
        if high - low > 3:
            return high
        return high - low

    return np.apply_along_axis(spread, 1, a), np.apply_over_axes(np.sum, a, [0])


@program((V,), (W,))
def vectorized_branch(xs):
    def step(x):
        if x > 1:
            return x * 2.0
        return x - 1.0

    return np.vectorize(step)(xs)


@program((V, W), (W, V))
def concatenated_by_subscript(xs, ys):
    return np.r_[xs, 0.0, ys], np.c_[xs, ys], np.r_[0:3, xs], np.r_["0,2", xs, ys]


@program((np.int64(3),), (np.int64(0),))
def grids(n):
    rows, columns = np.mgrid[0:n, 0:2]
    x, y = np.ogrid[0:n, 0:2]
    return rows * 2 + columns, x + y


@program((A,), (A * 2,))
def triangles(a):
    upper = a[np.triu_indices_from(a, 1)]
    a[np.diag_indices_from(a)] = 0.0
    return upper, a, np.tril_indices(2)


@program((V, W), (W, V))
def polynomials(p, q):
    quotient, rest = np.polydiv(p, q)
    return np.polymul(p, q), quotient, rest, np.polyint(p), np.polyval(p, q), np.poly(p)


@program((A,), (A + 1,))
def named_results(a):
    decomposition = np.linalg.eigh(a)
    if np.linalg.slogdet(a).sign > 0:
        return decomposition.eigenvalues
    return np.linalg.svd(a).S


@program((W,), (V,))
def moving_mean(xs):
    return np.lib.stride_tricks.sliding_window_view(xs, 2).mean(axis=1)


@program((V,), (W,))
def elements_with_indices(xs):
    total = 0.0
    for (i,), x in np.ndenumerate(xs):
        total += i * x
    return total


@program((V, W), (-V, W))
def array_namespace(xs, ys):
    xp = xs.__array_namespace__()
    return xp.sum(xp.where(xs > 0, xs, ys)), xp.astype(xs, xp.float32), xp.concat([xs, ys])


@program((A, np.int64(2)), (A.T, np.int64(5)))
def errors_of_writes(a, n):
    np.put(a, n, 9.0)
    np.put_along_axis(a, np.array([[0], [1], [n]]), 0.5, axis=1)
    return a


@program((V, W), (W, V))
def in_place_methods(xs, ys):
    xs.partition(1)
    ys.put([0, -1], xs[:2])
    np.place(ys, ys > 2, [7.0, 8.0])
    return xs.view(np.int64), ys


@program((V,), (W,))
def text(xs):
    return np.array2string(xs, precision=2), np.array_str(xs), np.format_float_positional(xs[0])


@program((A, V), (A + 1, W))
def along_the_other_axes(a, v):
    def scaled(row, factors):
        return np.cumsum(row * factors)[:2]

    stacked = np.stack([a, a * 2])
    return np.apply_along_axis(scaled, 0, a, v), np.apply_along_axis(np.sort, 1, stacked)


@program((V, A[0]), (W, V))
def vectorized_of_two(xs, ys):
    def both(x, y):
        if x > y:
            return x - y, 1
        return y - x, 0

    return np.vectorize(both)(xs, ys)


def clipped(x):
    """A function of the module, which is converted when NumPy's function is called with it."""
    if x > 1:
        return x - 1
    return x * 0.5


OUTSIDE = np.vectorize(clipped)


@np.vectorize
def decorated(x, low):
    if x > low:
        return x
    return low


@program((A,), (A - 2,))
def functions_of_the_module(a):
    rows = np.apply_along_axis(span, 0, a)
    return (
        OUTSIDE(a),
        np.vectorize(clipped, otypes=[np.float32])(a),
        decorated(a, 1.5),
        decorated(a[0, 0], a[0]),
        rows,
    )


def span(row):
    if row.sum() > 4:
        return row.max()
    return row.min()


@program((A,), (A - 2,))
def rows_of_unknown_length(a):
    return np.apply_along_axis(sorted, 0, a), np.apply_along_axis(lambda row: np.delete(row, row > 9), 1, a)


@program((A[:, :0],), (A[:0],))
def of_no_elements(a):
    return np.vectorize(clipped)(a)


@program((V,), (W,))
def reductions_with_where(xs):
    total = np.zeros(())
    np.add(xs, 1, out=xs, where=xs < 2)
    return np.clip(xs, 0, 2, out=xs, where=xs > 0), xs, np.sum(xs, where=xs > 1), total


@pytest.mark.parametrize(("function", "calls"), PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_program(function: Callable[..., Any], calls: tuple[tuple, ...]) -> None:
    """A staged call does what the plain call does, errors and written arguments included."""
    staged = ag.function(function)
    for arguments in calls:
        actual, expected = run(staged, arguments), run(function, arguments)
        if actual.error is not None and expected.error is None:
            raise actual.error
        assert (type(actual.error), str(actual.error)) == (type(expected.error), str(expected.error))
        check_same(actual.value, expected.value, "value", exact=True)
        if expected.error is None:
            check_same(actual.arguments, expected.arguments, "arguments", exact=True)


def test_a_write_to_a_plain_array() -> None:
    """A staged array takes the place of the plain one, unless something keeps the plain one."""

    def f(x):
        counts = np.zeros(3)
        np.add.at(counts, x, 1)
        return counts

    def g(x):
        np.add.at(kept, x, 1)

    kept = np.zeros(3)
    np.testing.assert_array_equal(ag.function(f)(I), f(I))
    with pytest.raises(ag.AliasError, match="into a plain array, and the variable 'kept' refers to it too"):
        ag.function(g)(I)


def test_a_graph_with_writes_can_be_saved(tmp_path: Any) -> None:
    """The functions that return a copy with new elements have names in files."""

    def f(x):
        np.put(x, [0, 2], 5.0)
        np.maximum.at(x, [1, 1], 2.0)
        return x, np.histogramdd((x, x * 2), 2)

    ag.save(ag.function(f).get_concrete_function(V), tmp_path / "f.json")
    actual, expected = run(ag.load(tmp_path / "f.json"), (V,)), run(f, (V,))
    check_same(actual.value, expected.value, "value", exact=True)


def test_a_mask_of_unknown_length_may_be_empty():
    """NumPy then assigns nothing, whatever the length of the mask and the rank of the values are."""

    def f(a, c):
        found = a[a == a]
        c[found == found] = a
        return c

    empty, filled = np.zeros((2, 0)), np.zeros((2, 1))
    c = np.array([-1, 1], np.int32)
    assert ag.function(f)(empty, c.copy()).tolist() == [-1, 1]
    with pytest.raises(TypeError, match="requires a 0 or 1-dimensional input"):
        ag.function(f)(filled, c.copy())
