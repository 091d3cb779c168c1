"""Functions of NumPy by JAX: what they give is what the embedded graph gives, dtype and shape included."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backends.support import required

jax = required("jax")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "runtime" / "graph"))
from jax_calls import WIDEST, results, spread, traced  # noqa: E402
from test_rules import TABLE, found  # noqa: E402
from test_rules_support import values  # noqa: E402

import autograph_rs as ag  # noqa: E402

REFUSED = frozenset(
    "amax amin argmax argmin argpartition argsort array_equiv array_split clip convolve cumprod cumsum "
    "cumulative_prod cumulative_sum histogram histogram_bin_edges kron max median meshgrid min nanargmax "
    "nanargmin nancumprod nancumsum nanmax nanmedian nanmin partition polyadd polysub ptp split squeeze "
    "trapezoid tril triu where".split()
)
"""Functions of which JAX does not take some arguments: no dimensions, complex or no numbers at all, or
lengths that depend on values."""
UNORDERED = ("argpartition", "partition", "unique_values")
"""Functions that may give their items in any order."""
NO_VALUES = ("empty", "empty_like", "asarray_chkfinite", "ix_")
"""Functions with nothing to compare: no values, or none for arguments that are staged or that JAX takes."""
TOLERANCES = {"f2": 5e-3, "f4": 2e-5, "c8": 2e-5}


@pytest.mark.parametrize(
    "name", [name for name in TABLE if found(name) is not None and name not in NO_VALUES]
)
def test_call(name: str) -> None:
    """A few calls of each function, of those that NumPy takes."""
    compared = 0
    for args, kwargs in spread(TABLE[name]):
        if compared == WIDEST:
            break
        given, named = values(args), {k: values(v) for k, v in kwargs.items()}
        with warnings.catch_warnings(action="ignore"):
            try:
                concrete, arrays = traced(found(name), given, named)
                concrete(*arrays)
            except Exception:
                continue
        try:
            pairs = list(results(concrete, arrays))
        except ag.AutographError:
            if name not in REFUSED:
                raise
            continue
        for actual, expected in pairs:
            if name in UNORDERED:
                actual, expected = np.sort(actual), np.sort(expected)
            check(actual, expected, f"np.{name}(*{args}, **{kwargs})")
        compared += 1
    assert compared


def check(actual: Any, expected: Any, call: str) -> None:
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), call
    tolerance = TOLERANCES.get(expected.dtype.str[1:], 1e-10)
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=call)


OPERATORS = "+ - * / // % ** < <= > >= == != & | ^ << >>".split()
OPERANDS = [
    np.array([[7, 2, 3]], "int32"), np.array([5, -2, 3], "int64"), np.array([1.5, 2, -0.5], "float32"),
    np.array([2.5, 0.5, 1]), np.array([1 + 2j, 0, 3]), np.array([True, False, True]), np.float32(2.5),
    np.int8(3), 2, 2.5, True,
]  # fmt: skip


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operator(sign: str) -> None:
    """Operators on operands of all dtypes, Python's numbers among them; whole numbers divided by 0 too."""
    text = f"lambda a, b: a {sign} b"
    apply: Any = eval(text)
    compared = 0
    for left in OPERANDS[:8]:
        for right in OPERANDS:
            function = ag.function(apply, source=text)
            try:
                concrete = function.get_concrete_function(left, right)
                expected = concrete(left, right)
            except (TypeError, ValueError):
                continue
            made = np.asarray(concrete.to_jax()(left, right))
            check(made, np.asarray(expected), f"{left!r} {sign} {right!r}")
            compared += 1
    assert compared >= 20


def test_whole_numbers_by_zero() -> None:
    """NumPy's integers give 0 there, and Python's raise, which the engine does too."""
    zero = np.array([4, -4]), np.array([0, 3])
    function = ag.function(lambda a, b: (a // b, a % b))
    with np.errstate(all="ignore"):
        concrete = function.get_concrete_function(*zero)
        expected = concrete(*zero)
    for actual, want in zip(concrete.to_jax()(*zero), expected, strict=True):
        np.testing.assert_array_equal(actual, want)
    inverse = ag.function(lambda x: 1 // int(x), engine="jax")
    assert inverse(np.float64(1)) == 1
    with pytest.raises(ZeroDivisionError):
        inverse(np.float64(0))
