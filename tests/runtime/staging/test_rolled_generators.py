"""Generator expressions over long plain ranges, and loops over them whose variable other code reads."""

# ruff: noqa: PLC3002 - a closure is called in the loop

import numpy as np
import pytest

import autograph_rs as ag

A, B = np.random.default_rng(5).normal(size=(2, 400))


def product(a, b):
    return sum(a[k] * b[k] for k in range(len(a)))


def any_large(a, b):
    return any(a[k] > 1e9 for k in range(len(a)))


def first_large(a, b):
    return next((k for k in range(len(a)) if a[k] > 1.5), -1)


def largest(a, b):
    return max(a[k] * b[k] for k in range(len(a)))


def listed(a, b):
    return np.array(list(a[k] * 2 for k in range(len(a))))  # noqa: C400


def filtered(a, b):
    return sum(a[k] for k in range(3, len(a), 2) if a[k] > b[k])


def matrix_product(a, b):
    a, b, c = a[:320].reshape(16, 20), b[:320].reshape(20, 16), np.zeros((16, 16))
    for i in range(16):
        for j in range(16):
            c[i, j] = sum(a[i, k] * b[k, j] for k in range(20))
    return c


def in_a_closure(a, b):
    total = 0.0
    for i in range(len(a)):
        total += (lambda: a[i])()
    return total


def read_afterwards(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total, i, b[i]


def read_by_a_function(a, b):
    total = 0.0
    for i in range(0, 100, 3):
        total += a[i]

    def last():
        return i

    return total, last()


FUNCTIONS = (
    product, any_large, first_large, largest, listed, filtered, matrix_product, in_a_closure, read_afterwards,
    read_by_a_function,
)  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_graph_has_a_loop(f):
    staged = ag.function(f)
    expected, actual = f(A, B), staged(A, B)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)
    assert type(actual) is type(expected)
    graph = staged.get_concrete_function(A, B).graph
    assert any(node.op in ("for", "while") for node in graph.walk())
    assert sum(1 for _ in graph.walk()) < 120


def test_the_variable_of_an_unrolled_loop_stays_plain():
    def f(a):
        for i in range(100):
            a = a + i
        return a, "x" * (i - 97)

    assert ag.function(f)(np.float64(1.0)) == f(np.float64(1.0))


def test_a_loop_that_ends_early():
    def f(a, limit):
        total = 0.0
        for i in range(100):
            total += a[i]
            if total > limit:
                break
        return total, i, (lambda: i + 1)()

    for limit in (-1.0, 3.0, 1e9):
        expected, actual = (g(A, np.float64(limit)) for g in (f, ag.function(f)))
        np.testing.assert_allclose(actual, expected, rtol=1e-12)
