"""Calls in which onnxruntime has another convention than NumPy, or another precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag

required("onnx")
required("onnxruntime")

SMALL = np.array([[3, 1, 3], [1, 1, 0], [0, 3, 2]], "int8")


def listed(x):
    found = []
    for v in x:
        found.append(v * 2)  # noqa: PERF401
    return np.array(found)


CALLS = {
    "divmod by zero": (np.divmod, np.array([5, -7]), np.array([0, 3])),
    "reciprocal of zero": (np.reciprocal, np.array([0, 1, 2, -1])),
    "reciprocal of bytes": (np.reciprocal, np.array([0, 1, 2], "uint8")),
    "modf of infinity": (np.modf, np.array([np.inf, -np.inf, 1.5, -2.25])),
    "std of bytes": (lambda x: np.std(x, axis=0), SMALL),
    "var of ints": (np.var, SMALL.astype("int32")),
    "average of bytes": (np.average, SMALL),
    "median of ints": (np.median, SMALL.astype("int32")),
    "cov of halves": (np.cov, np.arange(6.0).reshape(2, 3).astype("float16") ** 2),
    "quantile of singles": (lambda x: np.quantile(x, [0.1, 0.5]), np.arange(5, dtype="float32") ** 2),
    "interp of singles": (lambda x: np.interp(x, [0, 1, 2], [0, 2, 1]), np.array([0.3, 1.6], "float32")),
    "argmax": (np.argmax, np.arange(3.0)),
    "take of rows": (lambda x, k: np.take(x, k, axis=1), SMALL, np.array([[0, -1], [2, 1]])),
    "take along an axis": (lambda x, k: np.take_along_axis(x, k, 1), SMALL, np.array([[0], [-1], [2]])),
    "list of nothing": (listed, np.zeros(0)),
}
REFUSED = {"reciprocal of zero", "reciprocal of bytes"}


def check(actual: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        for a, e in zip(actual, expected, strict=True):
            check(a, e)
        return
    assert type(actual) is type(expected)
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    given, *arguments = CALLS[name]

    def f(*values):
        return given(*values)

    function = ag.function(f, engine="onnxruntime")
    if name in REFUSED:
        with pytest.raises(ag.SaveError, match="cannot be run by onnxruntime"):
            function(*arguments)
    else:
        with np.errstate(all="ignore"):
            check(function(*arguments), ag.function(f)(*arguments))


def counted(x):
    k = 0
    for _ in x:
        k -= 100
    return x + k


RAISED = {
    "a plain int beyond the dtype": (
        lambda x: x + 300,
        np.zeros(2, "uint8"),
        OverflowError,
        "300 out of bounds",
    ),
    "an int beyond the dtype": (counted, np.array([1, 2], "int8"), OverflowError, "out of bounds for int8"),
    "NaN as an int": (int, np.float64("nan"), ValueError, "NaN to integer"),
    "infinity as an int": (int, np.float64("inf"), OverflowError, "float"),
    "long doubles": (lambda x: x[:1], np.longdouble([1.5]), ag.AutographError, "cannot be run by"),
    "another byte order": (lambda x: x[:1], np.zeros(3, ">f8"), ag.AutographError, "cannot be run by"),
}


@pytest.mark.parametrize("name", RAISED)
def test_raised(name):
    given, argument, kind, text = RAISED[name]

    def f(x):
        return given(x)

    with pytest.raises(kind, match=text):
        ag.function(f, engine="onnxruntime")(argument)
