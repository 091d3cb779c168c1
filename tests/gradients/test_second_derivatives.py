"""Second derivatives, and pullbacks whose cotangents the function reads too, against differences.

The weights of the sums are drawn: with ones, what is written to the wrong array often cancels.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_differences import differences

import autograph_rs as ag

X = np.array([0.5, -0.3, 0.8, 0.2])
N = np.int64(3)


def shifted(x, n):
    v = x * 1.0
    for _ in range(n):
        v[1:] += v[:-1] * x[1:]
    return np.sum(v)


def whole(x, n):
    v = x * 1.0
    for _ in range(n):
        v[:] = v * x
    return np.sum(v)


def chosen(x, n):
    v = x * 1.0
    for _ in range(n):
        v[[0, 2]] = v[[0, 2]] * x[1:3]
    return np.sum(np.sin(v))


def masked(x, n):
    v = x.copy()
    i = 0
    while i < n:
        v[v > 0.1] *= np.cos(x[0])
        i += 1
    return np.sum(v * v)


def part_of_a_copy(x, n):
    a, y = x[:n], x.copy()
    y[n - 1] = 10.0
    y[:n] *= a * a
    return np.sum(y)


def one_side_writes(x, n):
    v, u = x.copy(), x.copy()
    if np.sum(x) > 5 * n:
        v = v * 1.0
    else:
        v[::2] = u[1:3]
    u[u > -0.44] = np.sin(x[0]) * x[1]
    top = np.max(np.maximum(np.tanh(u - v), np.concatenate([u[1:], v[:1]])))
    return np.sum((v + x[3] * top) * np.arange(1.0, 5.0))


def branch_in_a_loop(x, n):
    for i in range(n):
        if i > 0:
            x = np.sin(x) * x
    return np.sum(x)


def loop_in_a_branch(x, n):
    y = x * x
    if n > 10:
        for _ in range(n):
            y = y * y
    return np.sum(y * x)


def branch_of_unknown_length(x, n):
    if x[0] > 5:
        a = x[x > 0]
        return np.sum(a * a * a)
    return np.sum(x**3) * n


def list_twice(x, n):
    found = []
    for v in x:
        found.append(v * v)  # noqa: PERF401
    both = found + found
    both.extend(found[1:])
    return sum(both) * both[0]


PROGRAMS = [
    shifted, whole, chosen, masked, part_of_a_copy, one_side_writes, branch_in_a_loop, loop_in_a_branch,
    branch_of_unknown_length, list_twice,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("optimise", [True, False], ids=["optimised", "traced"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(f, optimise):
    slope = ag.grad(f)
    weights = np.random.default_rng(7).normal(size=4)

    def total(x):
        return np.sum(weights * slope(x, N))

    np.testing.assert_allclose(slope(X, N), differences(lambda x: f(x.copy(), N), [X], 1e-3)[0], atol=1e-8)
    second = ag.function(ag.grad(total), optimise=optimise)(X)
    np.testing.assert_allclose(second, differences(total, [X], 1e-3)[0], rtol=1e-6, atol=1e-7)


def test_a_product_with_what_the_loop_read():
    def f(x, w0, n):
        w = w0 * 2
        v = x * 1.0
        for _ in range(n):
            v[:] = v * w
        return v @ w

    found = ag.grad(f)(np.ones(2), np.array([0.5, 1.0]), np.int64(1))
    assert found.tolist() == [1.0, 4.0]


@pytest.mark.parametrize("n", [0, 2])
def test_a_result_that_may_be_an_operand_keeps_its_value(n):
    """The second name of an array is the result of a conditional or loop, and then the array is written."""

    def pull(x, ct, n):
        def f(x):
            v = x * 1.0
            for _ in range(n):
                v = v * x
            return v

        back = ag.vjp(f, x)[1](ct * 2)[0]
        return back @ ct, back

    x, ct = np.array([0.5, 2.0]), np.array([3.0, -1.0])
    expected = (n + 1) * x**n * ct * 2
    total, back = ag.function(pull)(x, ct, np.int64(n))
    np.testing.assert_allclose(back, expected)
    np.testing.assert_allclose(total, expected @ ct)
