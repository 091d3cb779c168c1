"""Sums, other reductions and matrix products in machine code: the order of NumPy's additions."""

from __future__ import annotations

import numpy as np
import pytest
from breadth import some
from native_support import check, draw, needs_llvm, specs

pytestmark = needs_llvm
N, F = np.int64, np.float64
SIZES = (0, 1, 2, 3, 7, 8, 9, 31, 64, 1000)
VECTOR = ((None,), "float64")
COUNT = ((), "int64")


def sums(a, n):
    s = 0.0
    m = 0.0
    for i in range(n):
        s = s * 0.5 + (a + i).sum()
        m = m + a.mean()
    return s, m


def column_sums(m, n):
    s = 0.0
    for j in range(n):
        s = s + m[:, j].sum() * j
    return s


def all_sums(m, n):
    s = 0.0
    for i in range(n):
        s = s + m.sum() * i + np.mean(m)
    return s


def reductions_of_rows(m, n):
    s = m.sum(axis=1)
    t = m.mean(axis=0)
    u = m.mean(axis=1)
    for i in range(n):
        s = s * 0.5 + m.sum(axis=1)
        t = t * i + m.sum(axis=0) + m.mean(axis=0)
        u = u + m.mean(axis=1) + np.argmax(m, axis=1) - np.argmin(m, axis=1)
    return s, t, u


def test_reductions_along_an_axis():
    """Sums and means along an axis add in NumPy's order, and warn where a mean is empty."""
    rng = np.random.default_rng(5)
    shapes = [(1, 1), (3, 1), (1, 9), (4, 130), (130, 4), (7, 8)]
    calls = [(rng.standard_normal(shape), N(3)) for shape in shapes]
    check(reductions_of_rows, *calls, input_signature=specs(((None, None), "float64"), COUNT), plain=False)


def test_sums():
    """Sums add in NumPy's order: pairwise, in blocks that depend on the size."""
    sizes = some(
        (0, 1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 130, 255, 256, 257, 1000, 2000), tuple(range(2001))
    )
    rng = np.random.default_rng(3)
    check(
        sums,
        *[(rng.standard_normal(s), N(2)) for s in sizes],
        input_signature=specs(VECTOR, COUNT),
        plain=False,
    )
    calls = [(rng.standard_normal((s, 3)), N(3)) for s in sizes[::3]]
    matrix = ((None, None), "float64")
    check(column_sums, *calls, input_signature=specs(matrix, COUNT), plain=False)
    calls = [(rng.standard_normal((s, w)), N(3)) for s in (0, 1, 3, 8, 50, 129) for w in (1, 2, 7, 130)]
    check(all_sums, *calls, input_signature=specs(matrix, COUNT), plain=False)


def reductions(a, n):
    k, c, big = 0, 0, False
    low, high = a[0], a[0]
    for i in range(1, n):
        k = k + np.argmax(a[:i]) + a.argmin()
        c = c + np.count_nonzero(a)
        big = big or bool((a > 2).any()) or bool((a == a).all())
        low, high = a[:i].min(), a.max()
    return k, c, big, low, high


@pytest.mark.parametrize(
    "dtype", some(("float64", "int32"), ("float64", "float32", "int32", "uint8", "int64"))
)
def test_reductions(dtype):
    """Reductions without a rounding, with NaN, zeros of both signs and equal elements."""
    given = [
        [1, np.nan, 3],
        [np.nan, 1, 2],
        [0.0, -0.0, 0.0],
        [-0.0, 0.0, 1],
        [3, 3, 1, 1],
        [5],
        [np.inf, -np.inf, 1],
    ]
    calls = [(np.array(v).astype(dtype), N(len(v))) for v in given if dtype[0] == "f" or np.isfinite(v).all()]
    calls += [(draw(s, s, dtype), N(min(s, 9))) for s in SIZES if s]
    check(reductions, *calls, input_signature=specs(((None,), dtype), COUNT), plain=False, is_native=False)


def products(a, b, v, n):
    c, w = a @ b, a @ v
    for _ in range(n):
        c = (a @ b) * 0.5 + c
        w = a @ (v * 0.5) + w
    return c, w, v @ v


def test_products():
    """Products of matrices and vectors of all shapes."""
    rng = np.random.default_rng(5)
    shapes = [(p, q, r) for p in (0, 1, 3, 8) for q in (0, 1, 4, 9) for r in (0, 1, 5)]
    calls = [(rng.random((p, q)), rng.random((q, r)), rng.random(q), N(2)) for p, q, r in shapes]
    calls.append((rng.random((2, 3)), rng.random((4, 2)), rng.random(3), N(2)))
    matrix = ((None, None), "float64")
    check(products, *calls, input_signature=specs(matrix, matrix, VECTOR, COUNT))
