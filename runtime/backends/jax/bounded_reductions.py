"""Functions of bounded arrays that combine their items: sums, extrema, sorting, products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .bounded_arrays import (
    BoundedArray,
    buffer_of,
    check_lengths,
    padded,
    require,
    resized,
    unsupported,
)
from .bounded_items import get_item

Function = Callable[..., Any]


def reduces_rows(x: BoundedArray, axis: Any) -> bool:
    """Return whether a reduction over some axes is one over the items too."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return any(a % x.ndim == 0 for a in axes)


def mask_of(x: BoundedArray) -> Any:
    """Return an array with the dimensions of the buffer that is true for the items."""
    return x.mask.reshape((-1,) + (1,) * (x.ndim - 1))


def filled(x: BoundedArray, value: Any) -> Any:
    """Return the buffer with a value in the padding."""
    mask = jnp.broadcast_to(mask_of(x), x.data.shape)
    return lax.select(mask, x.data, lax.full_like(x.data, value))


def _reduction(name: str) -> Function:
    """Return a reduction that JAX computes over the items where a mask is true."""
    function = getattr(jnp, name)

    def call(x: BoundedArray, axis: Any = None, **rest: Any) -> Any:
        if "where" in rest:
            raise unsupported(f"the argument 'where' of {name}()")
        if not reduces_rows(x, axis):
            return padded(function(x.data, axis=axis, **rest), x.length, x.key)
        return function(x.data, axis=axis, where=mask_of(x), **rest)

    return call


def lowest(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.bool_):
        return False
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def highest(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.bool_):
        return True
    return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def _extremum(name: str, identity: Function, message: str) -> Function:
    function = getattr(jnp, name)

    def call(x: BoundedArray, axis: Any = None, **rest: Any) -> Any:
        if "where" in rest or jnp.issubdtype(x.dtype, jnp.complexfloating):
            raise unsupported(f"{name}() with a condition or complex numbers")
        if not reduces_rows(x, axis):
            return padded(function(x.data, axis=axis, **rest), x.length, x.key)
        if "initial" not in rest:
            require(x.length > 0, lambda: ValueError(message))
        return function(filled(x, identity(x.dtype)), axis=axis, **rest)

    return call


def count_nonzero(x: BoundedArray, axis: Any = None, **rest: Any) -> Any:
    return _reduction("sum")(_like(x, x.data != 0), axis, **rest)


def _like(x: BoundedArray, data: Any) -> BoundedArray:
    return padded(data, x.length, x.key)


def ptp(x: BoundedArray, axis: Any = None) -> Any:
    return REDUCTIONS["max"](x, axis) - REDUCTIONS["min"](x, axis)


def average(x: BoundedArray, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return REDUCTIONS["mean"](x, axis)
    if np.ndim(buffer_of(weights)) != x.ndim:
        raise unsupported("average() with weights of other dimensions")
    return _sum(x * weights, axis) / _sum(weights, axis)


def _sum(x: Any, axis: Any) -> Any:
    return REDUCTIONS["sum"](x, axis) if isinstance(x, BoundedArray) else jnp.sum(x, axis)


def norm(x: BoundedArray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if not reduces_rows(x, axis):
        return _like(x, jnp.linalg.norm(x.data, ord, axis, keepdims))
    if isinstance(ord, (int, float)) and ord < 0:
        raise unsupported("a norm of negative order")
    return jnp.linalg.norm(filled(x, 0), ord, axis, keepdims)


def _accumulation(name: str, identity: int) -> Function:
    function = getattr(jnp, name)

    def call(x: BoundedArray, axis: Any = None, **rest: Any) -> Any:
        if axis is None and x.ndim > 1:
            raise unsupported(f"{name}() of several dimensions without an axis")
        return _like(x, function(filled(x, identity), axis=axis or 0, **rest))

    return call


# Order


def argsort(x: BoundedArray, axis: int = -1, **_: Any) -> BoundedArray:
    _check_one_axis(x, axis, "argsort")
    return _like(x, jnp.lexsort((x.data, ~x.mask)))


def sort(x: BoundedArray, axis: int = -1, **_: Any) -> BoundedArray:
    if x.ndim > 1 and axis % x.ndim:
        return _like(x, jnp.sort(x.data, axis))
    _check_one_axis(x, axis, "sort")
    return _like(x, x.data[argsort(x).data * x.mask])


def _check_one_axis(x: BoundedArray, axis: Any, name: str) -> None:
    if x.ndim != 1 or axis not in (0, -1):
        raise unsupported(f"{name}() along the items of an array of several dimensions")


def median(x: BoundedArray, axis: Any = None) -> Any:
    if not reduces_rows(x, axis):
        return _like(x, jnp.median(x.data, axis))
    _check_one_axis(x, -1 if axis is None else axis, "median")
    ordered = sort(x).data
    last = jnp.maximum(x.length - 1, 0)
    middle = (ordered[last // 2] + ordered[x.length // 2]) / 2
    return jnp.where((x.length == 0) | jnp.isnan(ordered[last]), jnp.nan, middle)


def searchsorted(x: Any, v: Any, side: str = "left", **_: Any) -> Any:
    if isinstance(v, BoundedArray):
        return _like(v, searchsorted(x, v.data, side))
    if not isinstance(x, BoundedArray):
        return jnp.searchsorted(x, v, side)
    v = jnp.asarray(v)[..., None]
    is_before = (x.data < v) if side == "left" else (x.data <= v)
    return jnp.sum(is_before & x.mask, axis=-1)


def flip(x: BoundedArray, axis: Any = None) -> Any:
    if not reduces_rows(x, axis):
        return _like(x, jnp.flip(x.data, axis))
    if axis is None and x.ndim > 1:
        raise unsupported("flip() of several dimensions without an axis")
    return get_item(x, slice(None, None, -1))


def diff(x: BoundedArray, n: int = 1, axis: int = -1) -> Any:
    if axis % x.ndim:
        return _like(x, jnp.diff(x.data, n, axis))
    for _ in range(n):
        x = get_item(x, slice(1, None)) - get_item(x, slice(None, -1))
    return x


# Products


def matmul(a: Any, b: Any) -> Any:
    """`a @ b`, where the items of a bounded operand are rows of the result or are summed."""
    if not all(isinstance(v, BoundedArray) or np.ndim(v) in (1, 2) for v in (a, b)) or np.ndim(b) > 2:
        raise unsupported("a product of matrices with these dimensions")
    a, b = (v if isinstance(v, BoundedArray) else jnp.asarray(v) for v in (a, b))
    if isinstance(a, BoundedArray) and a.ndim > 1:
        if isinstance(b, BoundedArray):
            raise unsupported("a product that sums over the second axis of the first operand")
        return _like(a, a.data @ b)
    bound = min(
        v.shape[axis] if not isinstance(v, BoundedArray) else v.bound for v, axis in ((a, -1), (b, 0))
    )
    if isinstance(a, BoundedArray):
        check_lengths([a, b], "matmul: operands have different numbers of items")
    else:
        require(
            b.length == a.shape[-1], lambda: ValueError("matmul: operands have different numbers of items")
        )
        a = a[..., :bound]
    return _summed(a, bound) @ _summed(b, bound)


def _summed(x: Any, bound: int) -> Any:
    return (
        filled(x, 0)[:bound]
        if isinstance(x, BoundedArray)
        else x
        if x.shape[-1] == bound
        else resized(x, bound)
    )


def dot(a: Any, b: Any) -> Any:
    return a * b if np.ndim(buffer_of(a)) == 0 or np.ndim(buffer_of(b)) == 0 else matmul(a, b)


def vdot(a: Any, b: Any) -> Any:
    if any(np.ndim(buffer_of(v)) != 1 for v in (a, b)):
        raise unsupported("vdot() of several dimensions")
    return matmul(a.conj() if jnp.iscomplexobj(buffer_of(a)) else a, b)


_EMPTY = "zero-size array to reduction operation {} which has no identity"
_NONE = "attempt to get {} of an empty sequence"
REDUCTIONS: dict[str, Function] = {
    **{name: _reduction(name) for name in ("sum", "prod", "mean", "var", "std", "any", "all")},
    **dict.fromkeys(("max", "amax"), _extremum("max", lowest, _EMPTY.format("maximum"))),
    **dict.fromkeys(("min", "amin"), _extremum("min", highest, _EMPTY.format("minimum"))),
    "argmax": _extremum("argmax", lowest, _NONE.format("argmax")),
    "argmin": _extremum("argmin", highest, _NONE.format("argmin")),
    "cumsum": _accumulation("cumsum", 0),
    "cumprod": _accumulation("cumprod", 1),
    **{
        f.__name__: f
        for f in (
            count_nonzero, ptp, average, norm, argsort, sort, median, searchsorted, flip, diff, matmul, dot,
            vdot,
        )
    },
}  # fmt: skip
"""The functions by their names in NumPy, for arrays of which at least one is bounded."""
