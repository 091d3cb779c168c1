"""SciPy's functions are staged where SciPy is imported: their results are exactly SciPy's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.testing.harness import check_same

linalg = pytest.importorskip("scipy.linalg")
special = pytest.importorskip("scipy.special")

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
TALL = np.arange(12.0).reshape(4, 3) % 5


def elementwise(a):
    return (
        special.gamma(a), special.erf(a), special.jv(1, a), special.gammaln(a), special.xlogy(a, a),
        special.expit(a), special.expm1(a), special.hyp2f1(1.0, 2.0, 3.0, a / 10), special.ndtri(a / 10),
    )  # fmt: skip


def several_outputs(a):
    return special.airy(a), special.sici(a), special.ellipj(a, 0.5)


def of_integers(a):
    return special.comb(a, 2), special.factorial(a), special.perm(a, 1), special.polygamma(1, a + 1)


def sums(a):
    return special.logsumexp(a), special.logsumexp(a, axis=0, keepdims=True), special.softmax(a, axis=1)


def square(a):
    return (
        linalg.inv(a), linalg.det(a), linalg.expm(a), linalg.cholesky(a, lower=True), linalg.sinm(a),
        linalg.eigvals(a), linalg.eigvalsh(a), linalg.eigh(a), linalg.eigh(a, eigvals_only=True),
    )  # fmt: skip


def factors(a):
    lower, upper = linalg.lu(a, permute_l=True)
    return linalg.lu(a), lower @ upper, linalg.qr(a), linalg.qr(a, mode="economic"), linalg.svd(a)


def solutions(a):
    b = a[0]
    return (
        linalg.solve(a, b), linalg.solve_triangular(a, a, lower=True), linalg.solve_banded((1, 1), a, b),
        linalg.lu_solve(linalg.lu_factor(a), b), linalg.cho_solve(linalg.cho_factor(a), b),
    )  # fmt: skip


def of_any_shape(a):
    return linalg.pinv(a), linalg.svdvals(a), linalg.norm(a), linalg.norm(a, axis=0), linalg.orth(a)


def special_matrices(a):
    return (
        linalg.toeplitz(a[0]),
        linalg.hankel(a[0], a[1]),
        linalg.circulant(a[0]),
        linalg.block_diag(a, a[0]),
    )


def in_control_flow(a):
    total = 0.0
    for row in a:
        if special.logsumexp(row) > 3:
            total += special.gammaln(row + 1).sum()
    return total


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("function", "array"),
    [
        *((f, A) for f in (elementwise, several_outputs, of_integers, sums, square, factors, solutions)),
        *((f, A) for f in (special_matrices, in_control_flow)),
        *((f, TALL) for f in (sums, factors, of_any_shape, special_matrices)),
    ],
)
def test_results_are_those_of_scipy(function: Callable[..., Any], array: np.ndarray, dtype: Any) -> None:
    """Values, dtypes and structure."""
    array = array.astype(dtype)
    check_same(ag.function(function)(array), function(array), "value", exact=True)
    spec = ag.TensorSpec((None, array.shape[1]), dtype)
    if function is not factors:
        check_same(ag.function(function, input_signature=[spec])(array), function(array), "value", exact=True)


def test_a_graph_with_scipy_can_be_saved(tmp_path: Any) -> None:
    """The file names the function, and reading it does not import SciPy."""
    ag.save(ag.function(sums).get_concrete_function(A), tmp_path / "f.json")
    check_same(ag.load(tmp_path / "f.json")(A), sums(A), "value", exact=True)
    script = f"import autograph_rs as ag\nag.load({str(tmp_path / 'f.json')!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "scipy.special.logsumexp" in done.stderr


def test_scipy_is_not_imported() -> None:
    """A program that does not use SciPy does not import it."""
    script = "import sys, autograph_rs.runtime.graph\nprint('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
