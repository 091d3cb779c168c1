"""Each public function of NumPy is staged, or a sentence says why not. So is the array API standard."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph.backend.builtins import IMPLEMENTATIONS
from autograph_rs.runtime.graph.rules import COMPOSITIONS, TYPE_RULES
from autograph_rs.runtime.graph.rules.reasons import NAMES_BY_REASON, REASONS
from autograph_rs.testing.harness import check_same

MODULES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}


def functions_of(module: types.ModuleType) -> dict[str, Any]:
    """The public functions of a module, other than ufuncs and classes."""
    names = [name for name in dir(module) if not name.startswith("_")]
    members = {name: getattr(module, name) for name in names if name != "row_stack"}
    return {
        name: value
        for name, value in members.items()
        if callable(value) and not isinstance(value, np.ufunc | type | types.ModuleType)
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", MODULES)
def test_every_function_has_a_rule_or_a_reason(name: str) -> None:
    """A function that a new NumPy adds fails here."""
    known = (TYPE_RULES, COMPOSITIONS, IMPLEMENTATIONS, REASONS)
    functions = functions_of(MODULES[name])
    assert {n for n, f in functions.items() if not any(f in table for table in known)} == set()
    assert not {n for n, f in functions.items() if f in REASONS and (f in TYPE_RULES or f in COMPOSITIONS)}


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (np.save, lambda x: np.save("x.npy", x)),
        (np.shares_memory, lambda x: np.shares_memory(x, x)),
        (np.roots, lambda x: np.roots(x * 2)),
        (np.asmatrix, lambda x: np.asmatrix(x * 2)),
        (np.poly1d, lambda x: np.poly1d(x * 2)),
        (np.emath.sqrt, lambda x: np.emath.sqrt(x * 2)),
    ],
    ids=lambda function: function.__name__,
)
def test_the_reason_is_in_the_error(function: Any, call: Callable[..., Any]) -> None:
    """The error says why a function cannot be staged."""
    with pytest.raises(ag.UnsupportedFunctionError) as caught:
        ag.function(call)(np.ones(3))
    assert REASONS[function] in str(caught.value)


def test_the_documentation_has_each_reason() -> None:
    """docs/numpy.md lists the functions that cannot be staged, with the sentences of the errors."""
    page = (Path(__file__).parents[3] / "docs" / "numpy.md").read_text(encoding="utf-8")
    rows = dict(reversed(row.strip("| ").split(" | ")) for row in page.splitlines() if row.startswith("| `"))
    assert {why: names.replace("`", "").split(", ") for why, names in rows.items()} == {
        why: names.split() for why, names in NAMES_BY_REASON.items()
    }


# The array API standard, version 2024.12, by the kinds of arguments that its functions take. `x` is an array
# of floats, `y` another, `i` of ints, `b` of bools, `m` a matrix and `z` of complex numbers.

CALLS = {
    "x": (
        "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan "
        "log log10 log1p log2 logical_not negative positive reciprocal round sign signbit sin "
        "sinh sqrt square tan tanh trunc all any argmax argmin argsort sort cumulative_prod "
        "cumulative_sum diff max min mean prod std sum var count_nonzero nonzero flip squeeze "
        "zeros_like ones_like empty_like unique_all unique_counts unique_inverse unique_values "
        "unstack asarray fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft fft.fftshift "
        "fft.ifftshift linalg.vector_norm"
    ),
    "x y": (
        "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal "
        "logaddexp maximum minimum multiply nextafter not_equal pow remainder subtract matmul "
        "vecdot broadcast_arrays searchsorted isin linalg.outer linalg.vecdot result_type"
    ),
    "i i": "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor",
    "i": "bitwise_invert",
    "b b": "logical_and logical_or logical_xor",
    "m": (
        "matrix_transpose tril triu fft.fftn fft.ifftn fft.rfftn fft.irfftn linalg.cholesky "
        "linalg.det linalg.diagonal linalg.eigh linalg.eigvalsh linalg.inv linalg.matrix_norm "
        "linalg.matrix_rank linalg.matrix_transpose linalg.pinv linalg.qr linalg.slogdet "
        "linalg.svd linalg.svdvals linalg.trace"
    ),
    "m m": "tensordot linalg.matmul linalg.solve linalg.tensordot linalg.cross",
    "z": "conj imag real",
}
OTHERS: dict[str, Callable[[Any, Any], Any]] = {
    "astype": lambda xp, x: xp.astype(x, xp.float32),
    "clip": lambda xp, x: xp.clip(x, 1.0, 2.0),
    "where": lambda xp, x: xp.where(x > 1, x, 0.0),
    "take": lambda xp, x: xp.take(x, xp.asarray([0, 2])),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, xp.argsort(x), axis=0),
    "reshape": lambda xp, x: xp.reshape(x, (3, 1)),
    "expand_dims": lambda xp, x: xp.expand_dims(x, axis=0),
    "permute_dims": lambda xp, x: xp.permute_dims(xp.stack([x, x]), (1, 0)),
    "moveaxis": lambda xp, x: xp.moveaxis(xp.stack([x, x]), 0, 1),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3)),
    "concat": lambda xp, x: xp.concat([x, x]),
    "stack": lambda xp, x: xp.stack([x, x], axis=1),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "roll": lambda xp, x: xp.roll(x, 1),
    "tile": lambda xp, x: xp.tile(x, (2,)),
    "full": lambda xp, x: xp.full((2,), x[0]),
    "full_like": lambda xp, x: xp.full_like(x, 2.0),
    "linspace": lambda xp, x: xp.linspace(0.0, x[0], 4),
    "arange": lambda xp, x: xp.arange(0.0, x[0], 0.5),
    "eye": lambda xp, x: xp.eye(3) * x,
    "ones": lambda xp, x: xp.ones(x.shape) + x,
    "zeros": lambda xp, x: xp.zeros(x.shape) + x,
    "meshgrid": lambda xp, x: xp.meshgrid(x, x),
    "can_cast": lambda xp, x: xp.can_cast(x.dtype, xp.float32),
    "isdtype": lambda xp, x: xp.isdtype(x.dtype, "real floating"),
    "finfo": lambda xp, x: x + float(xp.finfo(x.dtype).eps),
    "iinfo": lambda xp, x: x + float(xp.iinfo(xp.int8).max),
    "fft.fftfreq": lambda xp, x: xp.fft.fftfreq(4, d=x[0]),
    "fft.rfftfreq": lambda xp, x: xp.fft.rfftfreq(4, d=x[0]),
    "linalg.matrix_power": lambda xp, x: xp.linalg.matrix_power(x * xp.eye(3), 2),
    "operators": lambda xp, x: (x + 1, -x, abs(x), x @ x, x // 2, x % 2, x**2, x < 2, x.T, x.device, x.size),
    "to_device": lambda xp, x: x.to_device("cpu").mT if x.ndim > 1 else x.to_device("cpu"),
}
ARRAYS = {
    "x": np.array([1.0, 3.0, 2.0]),
    "y": np.array([0.5, 2.0, 2.0]),
    "i": np.array([3, 1, 2]),
    "b": np.array([True, False, True]),
    "m": np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]),
    "z": np.array([1 + 2j, 3 - 1j]),
}


def call_of(name: str) -> Callable[..., Any]:
    def call(*arrays: Any) -> Any:
        xp = arrays[0].__array_namespace__()
        for part in name.split("."):
            xp = getattr(xp, part)
        return xp(*arrays)

    return call


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="the standard needs a newer NumPy")
@pytest.mark.parametrize(
    ("name", "arguments"), [(name, args) for args, names in CALLS.items() for name in names.split()]
)
def test_functions_of_the_array_api(name: str, arguments: str) -> None:
    """The namespace of a staged array has the functions of the standard."""
    call, arrays = call_of(name), [ARRAYS[letter] for letter in arguments.split()]
    expected = call(*arrays)
    if name != "empty_like":
        check_same(ag.function(call)(*arrays), expected, "value", exact=True)


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="the standard needs a newer NumPy")
@pytest.mark.parametrize("name", OTHERS)
def test_calls_of_the_array_api(name: str) -> None:
    """The same for functions with other arguments, and for the attributes and operators of arrays."""
    function = OTHERS[name]

    def call(x):
        return function(x.__array_namespace__(api_version="2023.12"), x)

    check_same(ag.function(call)(ARRAYS["x"]), call(ARRAYS["x"]), "value", exact=True)


def test_another_device_or_version_is_an_error() -> None:
    """The errors are NumPy's."""
    for wrong in (lambda x: x.to_device("gpu"), lambda x: x.__array_namespace__(api_version="1999.01")):
        with pytest.raises(ValueError, match=r"gpu|1999\.01") as plain:
            wrong(np.ones(2))
        with pytest.raises(ValueError, match=r"gpu|1999\.01") as staged:
            ag.function(wrong)(np.ones(2))
        assert str(staged.value).partition("\n")[0] == str(plain.value)
