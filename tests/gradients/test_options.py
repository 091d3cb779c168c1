"""Options that are values too, and those of which there is no rule."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from test_differences import differences

import autograph_rs as ag

S = np.array([1.5, 2.0, 3.0])
M = np.array([[0.5, 1.0, -0.3], [3.0, 4.0, 0.7], [0.2, -1.0, 2.0]])
MASK = np.array([True, False, True])
W = np.arange(12.0).reshape(3, 4)

GIVEN = {
    "sum initial": lambda s: np.sum(np.array([1.0, 2.0]) * s[0], initial=s[1] ** 2),
    "sum initial of rows": lambda s: np.sum(np.outer(s, s), 0, initial=s[1]) @ s,
    "sum method": lambda s: s.sum(initial=s[1] ** 2),
    "prod initial": lambda s: np.prod(s, initial=s[1] ** 2),
    "prod initial where": lambda s: np.prod(s, initial=s[1] ** 2, where=s > 1.7),
    "prod initial keepdims": lambda s: np.sum(np.prod(np.outer(s, s), 1, keepdims=True, initial=s[1]) * s),
    "max initial": lambda s: np.max(s, initial=s[1] ** 2),
    "max initial below": lambda s: np.max(s, initial=s[1]) * s[0],
    "min initial of rows": lambda s: np.min(np.outer(s, s), 0, initial=s[0] * 1.9) @ s,
    "add.reduce": lambda s: np.add.reduce(s, initial=s[1]),
    "maximum.reduce": lambda s: np.maximum.reduce(s, initial=s[1] ** 2),
    "multiply.reduce": lambda s: np.multiply.reduce(s, initial=s[1]),
    "var mean": lambda s: np.var(s, mean=np.array([0.0])),
    "var mean of itself": lambda s: np.var(s, mean=s[:1]),
    "std mean": lambda s: np.std(s, mean=np.array([0.0])),
    "nanvar correction": lambda s: np.nanvar(s, correction=1),
    "nanvar ddof": lambda s: np.nanvar(np.where([False, True, False], np.nan, s), ddof=1),
    "insert columns": lambda s: np.sum(np.insert(M * s, 1, s, axis=1) * W),
    "insert a block": lambda s: np.sum(np.insert(M * s, 1, (M * s)[:1], axis=1) * W[:, :4]),
    "insert a number": lambda s: np.sum(np.insert(M * s, 2, s[0], axis=0) ** 2),
    "insert into one row": lambda s: np.sum(np.insert(s, 1, s[:2] * 2) * np.arange(5.0)),
    "nextafter": lambda s: np.sum(np.nextafter(s, 5.0) * s),
    "heaviside": lambda s: np.sum(np.heaviside(np.array([0.0, 1.0, 0.0]), s) * s),
    "linspace of one": lambda s: np.sum(np.linspace(s[0], 2.0, 1)) * s[0],
    "interp of one": lambda s: np.interp(1.0, [1.0], s[:1]) * s[1],
    "reshape F": lambda s: np.sum(np.reshape(np.outer(s, s), (9,), order="F") * np.arange(9.0)),
    "solve by a list": lambda s: np.sum(np.linalg.solve([[1.0, 2.0], [3.0, 1.0]], s[:2]) * s[1:]),
    "convolve a list": lambda s: np.convolve([1.0, 2.0, 3.0], s) @ np.arange(5.0),
    "einsum of a list": lambda s: np.einsum("i,i", [1.0, 2.0, 3.0], s),
    "arctan2 of a list": lambda s: np.sum(np.arctan2([1.0, 2.0, 4.0], s)),
    "power of a list": lambda s: np.sum(np.power(s, [1, 2, 3])),
    "dot with a list": lambda s: np.dot([1, 2, 3], s) * s[0],
    "trapezoid of a list": lambda s: np.trapezoid(s * s, [0.0, 1.0, 3.0]),
    "gradient of a list": lambda s: np.gradient(s * s, [1.0, 2.0, 4.0]) @ s,
    "interp of lists": lambda s: np.sum(np.interp(s, [0.0, 5.0], [0.0, 10.0]) * s),
    "array of dimensions": lambda s: np.sum(np.array([s, s * s], ndmin=4) ** 2),
    "where of lists": lambda s: np.sum(np.where([True, False, True], s, [1.0, 2.0, 3.0]) * s),
    "det of a singular matrix": lambda s: np.linalg.det(np.outer(s, s)) + np.linalg.det(M * s),
    "det of a larger matrix": lambda s: np.linalg.det(np.eye(5) * s[0] + np.ones((5, 5)) * s[1]),
    "einsum of three": lambda s: np.sum(np.einsum("ij,jk,kl->il", M * s, M, M.T * s, optimize=True)),
    "pad of edges": lambda s: np.sum(np.pad(M * s, ((1, 2), (2, 0)), "edge") ** 2),
    "pad of mirrors": lambda s: np.sum(np.pad(s, (2, 1), "symmetric") ** 2 * np.arange(6.0)),
    "nanvar of NaN": lambda s: np.nanvar(np.where([False, True, False], np.nan, s)),
    "flat item": lambda s: np.outer(s, s).item(5) * s[0],
    "ill-conditioned polyfit": lambda s: np.polyfit(np.arange(1950.0, 1953.0), s, 1)[0],
}


@pytest.mark.parametrize("name", GIVEN)
def test_given(name):
    f = GIVEN[name]
    np.testing.assert_allclose(ag.grad(f)(S), differences(f, [S], 1e-3)[0], rtol=1e-6, atol=1e-6)


def rows_of_two(s):
    total = 0.0
    for a, b in list(zip(s, s)):  # noqa: B905
        total += a * b
    return total


def test_insert_by_truth_values():
    """They are a mask, or positions in older versions of NumPy, which warn."""
    f = lambda s: np.sum(np.insert(s, MASK, s[0] ** 2)[:5] * np.arange(5.0))  # noqa: E731
    with warnings.catch_warnings(action="ignore", category=FutureWarning):
        np.testing.assert_allclose(ag.function(f)(S), f(S))
        np.testing.assert_allclose(ag.grad(f)(S), differences(f, [S], 1e-3)[0], rtol=1e-6, atol=1e-6)


REFUSED = {
    "pad": lambda s: np.sum(np.pad(s, 1, constant_values=s[0])),
    "nan_to_num": lambda s: np.sum(np.nan_to_num(s, posinf=s[1])),
    "reshape A": lambda s: np.sum(np.reshape(s, (3, 1), order="A")),
    "reshape method A": lambda s: np.sum(s.reshape(3, 1, order="A")),
    "matmul axes": lambda s: np.sum(np.matmul(M * s, M, axes=[(0, 1), (1, 0), (0, 1)])),
    "vecdot axes": lambda s: np.sum(np.vecdot(M * s, M, axes=[0, 0])),
    "ufunc where": lambda s: np.sum(np.exp(s, where=s > 1)),
    "quantile weights": lambda s: np.quantile(s, 0.5, weights=np.ones(3), method="inverted_cdf"),
    "var where": lambda s: np.var(s, where=s > 1),
    "cov weights": lambda s: np.sum(np.cov(s, aweights=np.ones(3))),
    "interp period": lambda s: np.sum(np.interp(s, [0.0, 1.0], [0.0, 2.0], period=2.0)),
    "split out of order": lambda s: np.sum(np.split(s, [2, 1])[0]),
    "complex qr": lambda s: np.sum(np.abs(np.linalg.qr(M * s + 1j)[1])),
    "sign of complex determinants": lambda s: np.real(np.linalg.slogdet(M * s + 1j)[0]),
    "rows of two arrays": rows_of_two,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(
        ag.GradientError, match=r"has no gradient|the gradient of [\w. ]+ does not support"
    ) as raised:
        ag.grad(REFUSED[name])(S)
    assert "test_options.py" in str(raised.value)


def test_nan_stays():
    with np.errstate(all="ignore"):
        assert np.isnan(ag.grad(np.max)(np.array([1.0, np.nan]))).all()


@pytest.mark.parametrize("a", [np.eye(2), np.array([[1.0, 2.0], [2.0, 4.0]])], ids=["eye", "singular"])
def test_second_derivatives_of_a_determinant(a):
    slope = ag.grad(np.linalg.det)
    assert ag.grad(lambda a: slope(a)[0, 0])(a).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("x", [0.0, 0.01, 0.29, 0.31, 2.0])
def test_derivatives_of_sinc(x):
    slope = ag.grad(np.sinc)
    np.testing.assert_allclose(slope(x), differences(np.sinc, [np.array(x)], 1e-3)[0], atol=1e-9)
    np.testing.assert_allclose(ag.grad(slope)(x), differences(slope, [np.array(x)], 1e-3)[0], atol=1e-8)
