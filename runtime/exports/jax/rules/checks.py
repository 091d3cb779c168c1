"""What the running program raises for values, as Python and NumPy do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ....graph.types import ScalarType
from .. import refused
from ..run import Run
from ..values import INT, is_known

TOO_LARGE = "a Python int needs more than 64 bits"


def check_fits(run: Run, value: Any, dtype: np.dtype) -> None:
    """Raise as NumPy does of a Python int that an array's dtype does not hold."""
    if run.checked and not is_known(value) and dtype.kind in "iu" and dtype != np.int64:
        bounds = np.iinfo(dtype)
        outside = value < max(bounds.min, -(2**63))
        if bounds.max < 2**63:
            outside = outside | (value > bounds.max)
        run.fail(
            outside,
            lambda number: OverflowError(f"Python integer {number} out of bounds for {dtype}"),
            [(value, INT)],
        )


def check_sign(run: Run, value: Any) -> None:
    """Raise where an int of 64 bits has none of the other sign."""
    run.check(value == -(2**63), OverflowError, TOO_LARGE)


def check_whole(run: Run, value: Any) -> None:
    """Raise where a number cannot be made an int: of NaN and infinity Python makes none, JAX of 64 bits."""
    if value.dtype == np.uint64:
        run.check(value >= np.uint64(2**63), OverflowError, TOO_LARGE)
    if value.dtype.kind != "f":
        return
    run.check(jnp.isnan(value), ValueError, "cannot convert float NaN to integer")
    run.check(jnp.isinf(value), OverflowError, "cannot convert float infinity to integer")
    run.check(jnp.abs(value) >= 2.0**63, OverflowError, TOO_LARGE)


def check_finite(run: Run, function: Callable[..., Any], given: Sequence[Any], made: Any) -> None:
    """Raise what a function of Python's floats raises: for what it has no finite result, or none at all."""
    if not run.checked:
        return
    node = run.node

    def error(*numbers: Any) -> BaseException:
        try:
            result = function(*numbers)
        except (ValueError, ArithmeticError) as found:
            return found
        if isinstance(result, complex):
            return refused.unsupported(node, f"it gives the complex number {result}")
        return ValueError("math domain error")

    numbers = jnp.stack([_as_float(v) for v in given])
    none = jnp.isnan(made) & ~jnp.any(jnp.isnan(numbers))
    infinite = jnp.isinf(made) & jnp.all(jnp.isfinite(numbers))
    run.fail(none | infinite, error, [(v, ScalarType(float)) for v in given])


def check_64_bits(run: Run, name: str, first: Any, second: Any, made: Any) -> None:
    """Raise where the result of an operator of Python's ints needs more than 64 bits.

    What a loop counts by small numbers needs no check: it would take centuries.
    """
    if not run.checked:
        return
    if name in ("add", "sub"):
        if any(_is_small(v) for v in (first, second)) and any(i.op == "argument" for i in run.node.inputs):
            return
        other = second if name == "add" else ~second
        beyond = ((first ^ made) & (other ^ made)) < 0
    elif name in ("mul", "pow"):
        estimate = getattr(jnp, {"mul": "multiply", "pow": "power"}[name])(*map(_as_float, (first, second)))
        beyond = is_large(estimate)
    elif name == "floordiv":
        beyond = (first == -(2**63)) & (second == -1)
    elif name == "lshift":
        beyond = (second > 63) | ((made >> jnp.clip(second, 0, 63)) != first)
    else:
        return
    run.check(beyond, OverflowError, TOO_LARGE)


def is_large(estimate: Any) -> Any:
    """Whether a float is no int of 64 bits, or so near the end that its rounding hides it."""
    return jnp.abs(estimate) >= 2.0**63 - 1024


def _is_small(value: Any) -> bool:
    return is_known(value) and abs(value) < 2**20


def _as_float(value: Any) -> jax.Array:
    return jnp.asarray(value, float)


def check_bounds(run: Run, parts: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    """Raise where an index is out of bounds."""
    taken = [_axes(part) for part in parts]
    axis = 0
    for part, count in zip(parts, taken, strict=True):
        if _is_index(part):
            size = shape[axis]
            text = f"index {{}} is out of bounds for axis {axis} with size {size}"
            _check_each(run, _outside(part, size), part, text)
        axis += len(shape) - sum(taken) if part is Ellipsis else count


def _outside(places: Any, size: int) -> Any:
    if getattr(places, "dtype", np.dtype(int)).kind == "u":
        return places >= size
    return (places < -size) | (places >= size)


def _is_index(part: Any) -> bool:
    kinds = (int, np.integer, np.ndarray, jax.Array)
    return isinstance(part, kinds) and getattr(part, "dtype", np.dtype(type(part))).kind in "iu"


def _axes(part: Any) -> int:
    """How many axes a part of a key is about; an ellipsis is about those that are left."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return np.ndim(part) if getattr(part, "dtype", np.dtype(int)).kind == "b" else 1


def _check_each(run: Run, outside: Any, given: Any, text: str, kind: type[Exception] = IndexError) -> None:
    """Raise with the first number that is outside in the place of `{}`."""
    if run.checked and jnp.size(given) and not (is_known(outside) and not np.any(outside)):
        first = jnp.ravel(given)[jnp.argmax(jnp.ravel(outside))]
        run.fail_at(jnp.any(outside), lambda index: kind(text.format(index)), first)


# Functions of NumPy


def _along_axis(run: Run, arr: Any, indices: Any, axis: Any = -1) -> None:
    places, shape = jnp.asarray(indices), (jnp.size(arr),) if axis is None else jnp.shape(arr)
    at = range(len(shape))[0 if axis is None else axis]
    text = f"index {{}} is out of bounds for axis {at} with size {shape[at]}"
    _check_each(run, _outside(places, shape[at]), places, text)


def _unravelled(run: Run, indices: Any, shape: Any, order: str = "C") -> None:
    size, places = math.prod(np.atleast_1d(shape).tolist()), jnp.asarray(indices)
    text = f"index {{}} is out of bounds for array with size {size}"
    _check_each(run, (places < 0) | (places >= size), places, text, ValueError)


def _ravelled(run: Run, multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> None:
    modes = (mode,) * len(multi_index) if isinstance(mode, str) else mode
    for places, size, how in zip(multi_index, np.atleast_1d(dims).tolist(), modes, strict=True):
        if how == "raise":
            outside = (jnp.asarray(places) < 0) | (jnp.asarray(places) >= size)
            run.check(jnp.any(outside), ValueError, "invalid entry in coordinates array")


def _chosen(run: Run, a: Any, choices: Any, out: Any = None, mode: str = "raise") -> None:
    if mode == "raise":
        outside = (jnp.asarray(a) < 0) | (jnp.asarray(a) >= len(choices))
        run.check(jnp.any(outside), ValueError, "invalid entry in choice array")


def _not_all_nan(run: Run, a: Any, axis: Any = None, **_: Any) -> None:
    nothing = jnp.any(jnp.all(jnp.isnan(jnp.asarray(a)), axis))
    run.check(nothing, ValueError, "All-NaN slice encountered")


def _within(most: int, text: str) -> Callable[..., None]:
    def check(run: Run, a: Any, q: Any, *_: Any, **__: Any) -> None:
        run.check(jnp.any(~((jnp.asarray(q) >= 0) & (jnp.asarray(q) <= most))), ValueError, text)

    return check


_PERCENTS = _within(100, "Percentiles must be in the range [0, 100]")
_PARTS = _within(1, "Quantiles must be in the range [0, 1]")

CHECKS: dict[str, Callable[..., None]] = {
    "numpy.take_along_axis": _along_axis,
    "numpy.unravel_index": _unravelled,
    "numpy.ravel_multi_index": _ravelled,
    "numpy.choose": _chosen,
    "numpy.ndarray.choose": _chosen,
    "numpy.nanargmax": _not_all_nan,
    "numpy.nanargmin": _not_all_nan,
    "numpy.percentile": _PERCENTS,
    "numpy.nanpercentile": _PERCENTS,
    "numpy.quantile": _PARTS,
    "numpy.nanquantile": _PARTS,
}
"""For functions of NumPy that raise for values, what does so in the running program."""
