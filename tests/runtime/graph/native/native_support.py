"""Run a function on the engines "numpy" and "native", and compare everything that a caller can observe."""

from __future__ import annotations

import copy
import importlib.util
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from whole_graphs import compile_whole

import autograph_rs as ag
from autograph_rs.runtime.graph.native.linking.keys import GraphText

needs_llvm = pytest.mark.skipif(
    importlib.util.find_spec("llvmlite") is None and not os.environ.get("AG_REQUIRE_BACKENDS"),
    reason="llvmlite is not installed",
)


def outcome(
    function: Callable[..., Any], arguments: tuple, errors: dict[str, Any] | None = None
) -> tuple[Any, ...]:
    """Return what a call does: its result, error, arguments afterwards and warnings, as comparable values."""
    arguments = copy.deepcopy(arguments)
    result = error = None
    with warnings.catch_warnings(record=True) as log, np.errstate(**errors or {}):
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ag.RetraceWarning)
        try:
            result = function(*arguments)
        except Exception as caught:
            error = type(caught), str(caught), _lines(caught, function)
    return described(result), error, described(arguments), [(w.category, str(w.message)) for w in log]


def _lines(error: BaseException, function: Callable[..., Any]) -> list[int]:
    """Return the last line of the user's function through which an error went."""
    code = getattr(function, "python_function", function).__code__
    lines, traceback = [], error.__traceback__
    while traceback is not None:
        if (
            traceback.tb_frame.f_code.co_filename == code.co_filename
            and traceback.tb_frame.f_code.co_name == code.co_name
        ):
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines[-1:]


def described(value: Any) -> Any:
    """Return a value that is equal to that of another value with the same type, dtype, shape and bits.

    The bits of NaN are left out: processors choose them.
    """
    if isinstance(value, (tuple, list)):
        return type(value), [described(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        bits = (
            np.where(np.isnan(value), np.nan, value).astype(value.dtype) if value.dtype.kind == "f" else value
        )
        flags = (value.flags.writeable, value.flags.c_contiguous) if isinstance(value, np.ndarray) else ()
        return type(value), value.dtype, value.shape, bits.tobytes(), flags
    return type(value), repr(value)


def engine_of(function: Any) -> Any:
    """Return the engine of the only trace of a function."""
    [concrete] = {id(c): c for c in function._traces.values()}.values()
    return concrete.engine


def check(
    function: Callable[..., Any],
    *calls: tuple,
    errors: dict[str, Any] | None = None,
    is_native: bool = True,
    plain: bool = True,
    **options: Any,
) -> Any:
    """Assert that calls do the same on both engines, and if `plain` in Python. Return the native function.

    The loops must be machine code if `is_native`. Graphs that can be are compiled as a whole, too.
    """
    numpy = ag.function(function, engine="numpy", **options)
    native, whole = (ag.function(function, engine="native", **options) for _ in range(2))
    for arguments in calls:
        expected, actual = outcome(numpy, arguments, errors), outcome(native, arguments, errors)
        python = outcome(function, arguments, errors)
        if plain:
            assert actual == python, arguments
        if actual[1] == python[1]:  # one expression of NumPy calls may come from several lines
            expected = expected[0], actual[1], *expected[2:]
        assert actual == expected, arguments
        outcome(whole, arguments, errors)
        if compile_whole(whole):
            assert outcome(whole, arguments, errors) == expected, arguments
    if is_native:
        for concrete in native._traces.values():
            assert [r.reason for r in concrete.engine.refused] == []
            assert concrete.engine.regions
            for region in concrete.engine.regions:
                assert GraphText(region.graph).text  # so that the cache keeps its machine code
    return native


def specs(*forms: tuple[tuple[int | None, ...], str]) -> list[Any]:
    """Return an input signature."""
    return [ag.TensorSpec(*form) for form in forms]


def draw(size: int, seed: int, dtype: str = "float64") -> np.ndarray:
    """Return random numbers with a few special ones."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(size) < 0.5
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return rng.integers(info.min, info.max, size, kind, endpoint=True)
    values = (rng.standard_normal(size) * 10.0 ** rng.integers(-30, 30, size)).astype(kind)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(kind).tiny / 2, 1.0]
    places = rng.random(size) < 0.2
    values[places] = rng.choice(special, places.sum())
    return values
