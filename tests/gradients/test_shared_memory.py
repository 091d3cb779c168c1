"""Gradients where names share memory, or lists and results are taken again: what might be wrong silently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from test_differences import differences

import autograph_rs as ag

X = np.array([0.5, -1.5, 2.1])
M = np.array([[1.0, 2.0, 0.5], [0.3, 0.2, -0.4], [1.0, 1.0, 2.0]])
N = np.int64(3)


def row_read_and_written(m, n):
    y = np.zeros((3, 2)) * m[0]
    for i in range(n):
        y[i] = m[i]
        y[i] = y[i] * m[i]
    return np.sum(y)


def part_written_twice(x, n):
    y = x * 1.0
    for i in range(n):
        y[:2] = y[:2] + 1.0
        y[:2] = y[:2] * x[i]
    return np.sum(y)


def indices_in_rows(m, n):
    k = np.zeros((3, 1), dtype=int)
    total = 0.0
    for i in range(n):
        k[i] = i
        row = k[i]
        total += m[row][0] ** 2
        k[i] = 0
    return total


def rows_written_in_a_branch(m):
    y, s = m * 1.0, 0.0
    if m[0, 0] > 0:
        y[0] += m[1]
        y[0] *= y[1]
        s = np.sum(y[0] * y[0])
    y[0] *= 3
    return s * np.sum(y)


def repeated_indices(x):
    y = np.zeros(2) * x[0]
    y[np.array([0, 0, 1])] = x
    return np.sum(y * np.array([2.0, 3.0]))


def stacked_lists(x, n):
    rows, flat = [], []
    for i in range(n):
        if x[i] > 0:
            rows.append(x * x[i])
        flat.append(x[i] ** 2)
    a, b, c, d = np.stack(rows), np.vstack(rows), np.concatenate(rows), np.hstack(rows)
    return np.sum(a * b) + np.sum(c * d) + np.sum(np.array(flat) * np.stack(flat))


def stacked_matrices(x, n):
    rows = []
    for i in range(n):
        rows.append(np.outer(x, x[:2]) * x[i])
    a, b, c, d = np.stack(rows, 1), np.vstack(rows), np.concatenate(rows, 1), np.hstack(rows)
    return np.sum(a**2) + np.sum(b**3) + np.sum((c * d) ** 2 * x[0])


def reduced_lists(x, n):
    found = []
    for i in range(n):
        found.append(x[i] * x[0])
    return sum(found) * max(found) + min(found) + sum(found[1:]) + found[-1]


def chosen_lists(x, n):
    total = 0.0
    for i in range(n):
        total += np.choose(i % 2, [x[i], x[i] ** 2])
    return total


def unknown_lengths(x, n):
    y = np.repeat(x[x > 0], 2) if n > 0 else x
    return np.sum(y**2)


def tails(x, n):
    part = x[:n]
    return np.sum(np.abs(np.fft.fft(part * part)) ** 2)


OVERLAP = np.array([[0.5, 1.2, -0.7], [2.0, 0.3, 1.1]])


def row_scaled_and_set(x):
    u = x * 1
    for r in range(2):
        u[r] = u[r] * x[r, 0]
        u[r, 0] = 1.0
    return np.sum(u**3)


def views_of_views(x):
    u = x * 1
    for i in range(2):
        v = u[i][::-1]
        w = v[1:]
        w[...] = w * x[i, 0]
        w[::-1][0] = v[0]
    return np.sum(u**3)


def filled_and_scaled(x):
    u = np.zeros((3, 2, 3))
    u[:] = x
    u[..., -1] = x[:, 0] ** 2
    u[1] *= x
    return np.sum(u**2)


def row_view_scaled_and_set(x):
    u = x * 1
    for i in range(2):
        v = u[i]
        v *= x[i, 0]
        v[0] = 1.0
    return np.sum(u**3)


def row_view_copied_within(x):
    u = x * 1
    for i in range(2):
        w = u[i]
        w[...] = w * x[i, 0]
        w[0] = w[1]
    return np.sum(u**3)


def stacked_and_turned(x):
    u = np.stack([x, x])
    u[..., -1] = x[:, 0]
    u[1][::-1] *= x
    return np.sum(u**2)


def column_set_and_turned(x):
    u = x * 1
    u[:, -1] = x[:, 0]
    u[...][::-1] *= x
    return np.sum(u**2)


CASES = {
    row_scaled_and_set: (OVERLAP,),
    views_of_views: (OVERLAP,),
    filled_and_scaled: (OVERLAP,),
    row_view_scaled_and_set: (OVERLAP,),
    row_view_copied_within: (OVERLAP,),
    stacked_and_turned: (OVERLAP,),
    column_set_and_turned: (OVERLAP,),
    row_read_and_written: (X, N),
    part_written_twice: (X, np.int64(2)),
    indices_in_rows: (X, N),
    rows_written_in_a_branch: (M,),
    repeated_indices: (X,),
    stacked_lists: (X, N),
    stacked_matrices: (X, N),
    reduced_lists: (X, N),
    chosen_lists: (X, N),
    unknown_lengths: (X, N),
    tails: (X, np.int64(2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimise", [True, False])
def test_against_differences(f, optimise):
    x, *rest = CASES[f]
    slope = ag.grad(f)
    slope.optimisations = slope.optimisations if optimise else ()
    [expected] = differences(lambda x: f(x.copy(), *rest), [x], 1e-4)
    np.testing.assert_allclose(slope(x.copy(), *rest), expected, rtol=1e-6, atol=1e-8)


def test_functions_that_run_eagerly():
    ag.run_functions_eagerly(True)
    try:
        assert ag.grad(lambda x: x**3)(2.0) == 12.0
        assert ag.vjp(lambda x: x * x, 3.0)[1](1.0) == (6.0,)
    finally:
        ag.run_functions_eagerly(False)


def test_the_second_derivative_of_a_complex_modulus():
    slope = ag.grad(lambda x: np.abs(x[0] + 1j * x[1]) ** 2)
    found = ag.grad(lambda x: np.sum(slope(x) * np.array([1.0, 2.0, 3.0])))(X)
    np.testing.assert_allclose(found, [2.0, 4.0, 0.0], atol=1e-12)


def test_the_distance_of_nothing():
    assert ag.grad(np.hypot, (0, 1))(0.0, 0.0) == (0.0, 0.0)
    assert ag.grad(np.hypot, (0, 1))(3.0, 4.0) == (0.6, 0.8)


def test_a_tape_asked_in_a_branch():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = x**3
        if x > 0:
            return tape.gradient(y, x)
        return x

    assert (f(np.float64(2)), f(np.float64(-2))) == (12.0, -2.0)


def test_what_was_made_in_another_branch_is_refused():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = x**3
        g = x
        if x > 0:
            z = y * 2
            g = tape.gradient(z, x)
        return g

    with pytest.raises(ag.GradientError, match="a different branch or iteration"):
        f(np.float64(2))


def test_a_source_that_is_written_after_the_block():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = np.sum(x * x)
        x[0] = 100.0
        return tape.gradient(y, x)

    np.testing.assert_array_equal(f(np.array([1.0, 2.0])), [2.0, 4.0])


def test_gradients_have_memory_of_their_own():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    first, second = ag.grad(lambda x, y: np.sum(x + y), (0, 1))(x, y)
    first[0] = 7.0
    assert second.tolist() == [1.0, 1.0]
    cotangent = np.array([5.0, 6.0])
    _, pull = ag.vjp(lambda x: x, x)
    [found] = pull(cotangent)
    found[0] = 9.0
    assert cotangent.tolist() == [5.0, 6.0]


def test_pullbacks_of_what_cannot_be_done_twice():
    w = ag.Variable(1.0)

    def printing(x):
        ag.print(x)
        return x * 2

    def assigning(x):
        w.assign_add(x)
        return x * w

    def writing(x):
        x[0] = 0.0
        return x * 2

    for f, x in ((printing, 1.0), (assigning, 1.0), (writing, np.ones(2))):
        with pytest.raises(ag.GradientError, match=r"(?s)ag\.vjp cannot .*ag\.function"):
            ag.vjp(f, x)
    assert float(w) == 1.0


def test_lists_and_dicts_that_the_function_changes():
    def grown(xs):
        xs.append(xs[0] * 2)
        return xs[0] * xs[-1]

    def renamed(d):
        d["b"] = d.pop("a")
        return d["b"] * 2

    for f, x in ((grown, [1.0, 2.0]), (renamed, {"a": 1.0})):
        with pytest.raises(ag.GradientError, match="changes a list, dict or object"):
            ag.grad(f)(x)


@pytest.mark.parametrize("cotangent", [np.ones(3), np.ones((2, 1)), 1.0])
def test_cotangents_of_another_shape(cotangent):
    _, pull = ag.vjp(lambda x: x * 2, np.ones(2))
    with pytest.raises(ag.GradientError, match="a cotangent of shape"):
        pull(cotangent)


def test_dataclasses_and_none_among_arguments():
    @dataclass
    class Weights:
        w: np.ndarray
        b: object = None

    made = ag.grad(lambda weights, x: np.sum((weights.w * x) ** 2))(Weights(np.array([1.0, 2.0])), 3.0)
    assert type(made) is Weights and made.b is None
    np.testing.assert_array_equal(made.w, [18.0, 36.0])


def test_sources_that_a_tape_does_not_know():
    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = 3.0 * x
        return tape.gradient(y, 3.0)

    with pytest.raises(ag.GradientError, match=r"with respect to 3\.0, which it did not record"):
        f(np.float64(1))


@pytest.mark.parametrize("outer", [np.multiply.outer, np.add.outer, np.power.outer])
def test_outer_methods_of_ufuncs(outer):
    a, b = np.array([[1.0, 2.0]]), np.array([3.0, 0.5, 1.5])
    f = lambda a, b: np.sum(outer(a, b) ** 2)  # noqa: E731
    for found, expected in zip(ag.grad(f, (0, 1))(a, b), differences(f, [a, b], 1e-4), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
