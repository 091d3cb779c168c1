"""Gradients of reductions and scans along axes, and of norms and statistics composed of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of, shape_of
from ...gradient.unsupported import unsupported_argument
from ...rules.methods import sum_to


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that `axis` names, sorted and non-negative."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(a % ndim for a in (axis if isinstance(axis, tuple) else (axis,))))


def restore_axes(value: Any, axis: Any, keepdims: Any, ndim: int) -> Any:
    """Reinsert the reduced axes into a result, with length 1, unless broadcasting does so."""
    axes = axes_of(axis, ndim)
    return value if keepdims is True or axes == tuple(range(len(axes))) else np.expand_dims(value, axes)


def broadcast_cotangent(ct: Any, array: Any, axis: Any, keepdims: Any) -> Any:
    """Broadcast the cotangent of a reduction to the shape of its operand."""
    return np.broadcast_to(restore_axes(ct, axis, keepdims, ndim_of(array)), shape_of(array))


def reduced_count(array: Any, axis: Any) -> Any:
    """Return the number of elements that each element of a reduction combines."""
    shape = shape_of(array)
    count: Any = 1
    for a in axes_of(axis, len(shape)):
        count = count * shape[a]
    return count


def sum_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
             keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    expanded = broadcast_cotangent(ct, a, axis, keepdims)
    return (expanded if where is True else np.where(where, expanded, 0), *_NO_COTANGENTS, lambda: np.sum(ct))


_NO_COTANGENTS = (None, None, None, None)
"""Cotangents of the parameters between the array and `initial`: axis, dtype, out and keepdims."""


def mean_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, *, where: Any = True) -> Any:  # fmt: skip
    if where is True:
        return (broadcast_cotangent(ct / reduced_count(a, axis), a, axis, keepdims),)
    count = np.sum(np.broadcast_to(where, shape_of(a)), axis=axis, keepdims=keepdims is True)
    return (np.where(where, broadcast_cotangent(ct / count, a, axis, keepdims), 0),)


def prod_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Multiply the products of the elements before and after each one, to avoid dividing by zero."""
    factors = a if where is True else np.where(where, a, 1)
    shape, axes = shape_of(a), axes_of(axis, ndim_of(a))
    rest = [i for i in range(len(shape)) if i not in axes]
    moved = np.transpose(factors, (*rest, *axes))
    flat = np.reshape(moved, (*(shape[i] for i in rest), reduced_count(a, axis)))
    ones = np.ones_like(flat[..., :1])
    before = np.cumprod(np.concatenate([ones, flat[..., :-1]], -1), -1)
    after = np.flip(np.cumprod(np.concatenate([ones, np.flip(flat, -1)[..., :-1]], -1), -1), -1)
    others = np.reshape(before * after, shape_of(moved))
    order = (*rest, *axes)
    others = np.transpose(others, tuple(map(order.index, range(len(order)))))
    if initial is not None and initial is not np._NoValue:
        others = others * initial
    result = broadcast_cotangent(ct, a, axis, keepdims) * others
    return (
        result if where is True else np.where(where, result, 0),
        *_NO_COTANGENTS,
        lambda: np.sum(ct * np.prod(factors, axis, keepdims=keepdims is True)),
    )


def extreme_rule(ct: Any, y: Any, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False,
                 initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Split the cotangent between the elements that are equal to the extreme."""
    ndim = ndim_of(a)
    extreme, expanded = restore_axes(y, axis, keepdims, ndim), restore_axes(ct, axis, keepdims, ndim)
    is_extreme = a == extreme
    if where is not True:
        is_extreme = is_extreme & where
    dtype = np.result_type(ct.dtype, np.float32) if hasattr(ct, "dtype") else None
    count = np.sum(is_extreme, axis if axis is None else axes_of(axis, ndim), dtype=dtype, keepdims=True)
    if initial is None or initial is np._NoValue:
        return is_extreme * (expanded / count), None, None, None, None
    first = extreme == initial
    share = expanded / (count + first)
    return is_extreme * share, None, None, None, lambda: np.sum(share * first)


def _reduce_rule(rule: Any) -> Any:
    """Return the gradient of `ufunc.reduce`, whose default axis is the first."""

    def reduced(ct: Any, y: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
                keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
        expanded, *_, first = rule(ct, y, array, axis=axis, keepdims=keepdims, initial=initial, where=where)
        return expanded, *_NO_COTANGENTS, first

    return reduced


def _accumulate_rule(rule: Any) -> Any:
    """Return the gradient of `ufunc.accumulate`, whose default axis is the first."""
    return lambda ct, y, array, axis=0, dtype=None, out=None: rule(ct, y, array, axis)


def _reverse_cumsum(values: Any, axis: Any) -> Any:
    return np.flip(np.cumsum(np.flip(values, axis), axis), axis)


def cumsum_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    result = _reverse_cumsum(ct, axis)
    return (np.reshape(result, shape_of(a)) if axis is None else result,)


def cumprod_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Divide by each factor before the first zero. For that zero, use the products of the other factors."""
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    zeros = np.cumsum(flat == 0, along)
    is_first = (flat == 0) & (zeros == 1)
    without = np.where(is_first, 1, flat)
    through = _reverse_cumsum(ct * np.cumprod(without, along), along)
    before = _reverse_cumsum(ct * y, along) / np.where(flat == 0, 1, flat)
    result = np.where(is_first, through, np.where(zeros == 0, before, 0))
    return (np.reshape(result, shape_of(a)) if axis is None else result,)


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False,
             *, keepdims: Any = False) -> Any:  # fmt: skip
    keepdims = keepdims is True
    if weights is None:
        result = np.mean(a, axis, keepdims=keepdims)
        return (result, np.ones_like(result)) if returned else result
    if ndim_of(weights) != ndim_of(a):
        axes = axes_of(axis, ndim_of(a))
        weights = np.reshape(weights, tuple([n if i in axes else 1 for i, n in enumerate(shape_of(a))]))
    weights = np.broadcast_to(weights, shape_of(a))
    scale = np.sum(weights, axis, keepdims=keepdims)
    result = np.sum(a * weights, axis, keepdims=keepdims) / scale
    return (result, scale) if returned else result


def _with_nan_replaced(function: Any, instead: float) -> Any:
    """Return a function that replaces NaNs with `instead` and then calls `function`."""

    def defined(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(np.where(np.isnan(a), instead, a), *args, **kwargs)

    return defined


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
             *, where: Any = True) -> Any:  # fmt: skip
    if where is not True:
        raise unsupported_argument("numpy.nanmean", "where=")
    keepdims = keepdims is True
    count = np.sum(~np.isnan(a), axis, keepdims=keepdims)
    return np.sum(np.where(np.isnan(a), 0, a), axis, keepdims=keepdims) / count


def _variance(name: str, *, ignores_nan: bool = False, root: bool = False) -> Any:
    """Return the definition of a variance or standard deviation."""

    def defined(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
                keepdims: Any = False, *, where: Any = True, mean: Any = None,
                correction: Any = None) -> Any:  # fmt: skip
        if where is not True:
            raise unsupported_argument(f"numpy.{name}", "where=")
        if mean in (None, np._NoValue):
            mean = (_nanmean if ignores_nan else np.mean)(a, axis=axis, keepdims=True)
        deviations, count = a - mean, reduced_count(a, axis)
        if ignores_nan:
            count = np.sum(~np.isnan(a), axis, keepdims=keepdims is True)
            deviations = np.where(np.isnan(a), 0, deviations)
        squares = deviations * deviations
        if np.iscomplexobj(deviations):
            squares = np.real(deviations * np.conj(deviations))
        dof = count - (ddof if correction in (None, np._NoValue) else correction)
        result = np.sum(squares, axis=axis, keepdims=keepdims is True) / dof
        return np.sqrt(result) if root else result

    return defined


_QUANTILE_NEIGHBORS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "linear": lambda place: (np.floor(place), np.ceil(place)),
    "midpoint": lambda place: (np.floor(place), np.ceil(place)),
    "lower": lambda place: (np.floor(place),) * 2,
    "higher": lambda place: (np.ceil(place),) * 2,
    "nearest": lambda place: (np.rint(place),) * 2,
}
"""Functions that return the indices of the elements around a quantile, by method."""


def _quantile(
    name: str, fixed: float | None = None, *, scale: float = 1.0, ignores_nan: bool = False
) -> Callable[..., Any]:
    """Return the definition of a quantile function, which has no parameter `q` if `fixed` is given."""

    def defined(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
                method: str = "linear", keepdims: Any = False, *, weights: Any = None) -> Any:  # fmt: skip
        if method not in _QUANTILE_NEIGHBORS or weights is not None:
            raise unsupported_argument(
                f"numpy.{name}", "weights, or a method other than " + ", ".join(_QUANTILE_NEIGHBORS)
            )
        axes = axes_of(axis, ndim_of(a))
        rest = [length for n, length in enumerate(shape_of(a)) if n not in axes]
        first = np.moveaxis(a, axes, tuple(range(len(axes))))
        ordered = np.sort(np.reshape(first, (-1, *rest)), 0)
        count = np.sum(~np.isnan(ordered), 0) if ignores_nan else shape_of(ordered)[0]
        q = np.asarray(q) if isinstance(q, (list, tuple)) else q
        place = np.reshape(q, (*shape_of(q), *(1,) * len(rest))) / scale * (count - 1)
        place = np.reshape(np.broadcast_to(place, (*shape_of(q), *rest)), (-1, *rest))
        low, high = (p.astype(np.int64) for p in _QUANTILE_NEIGHBORS[method](place))
        share = 0.5 if method == "midpoint" else place - low
        below, above = (np.take_along_axis(ordered, p, 0) for p in (low, high))
        result = np.reshape(below + (above - below) * share, (*shape_of(q), *rest))
        return np.expand_dims(result, tuple(ndim_of(q) + i for i in axes)) if keepdims is True else result

    if fixed is not None:
        return lambda a, axis=None, out=None, overwrite_input=False, keepdims=False: defined(
            a, fixed, axis, keepdims=keepdims
        )
    return defined


def _cumulative_with_initial(function: Any, start: float) -> Any:
    def defined(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
                include_initial: bool = False) -> Any:  # fmt: skip
        along = 0 if axis is None else axis
        result = function(x, along)
        if not include_initial:
            return result
        first = np.full_like(np.take(result, np.arange(1), along), start)
        return np.concatenate([first, result], along)

    return defined


def _vector_norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False) -> Any:
    size = np.abs(x)
    if ord == 2:
        squares = np.real(x * np.conj(x)) if np.iscomplexobj(x) else x * x
        return np.sqrt(np.sum(squares, axis, keepdims=keepdims))
    if ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(size, axis, keepdims=keepdims)
    if ord == 0:
        return 0.0 * np.sum(size, axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis, keepdims=keepdims)
    return np.sum(size**ord, axis, keepdims=keepdims) ** (1.0 / ord)


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    rows, columns = axes
    if ord in (None, "fro"):
        return _vector_norm(x, 2, axes, keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        along, other = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = np.sum(np.abs(x), along, keepdims=True)
        result = (np.max if ord > 0 else np.min)(sums, other, keepdims=True)
    else:
        values = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), compute_uv=False)
        reduce: Any = {"nuc": np.sum, 2: np.max, -2: np.min}[ord]
        result = np.expand_dims(reduce(values, -1), axes_of(axes, ndim_of(x)))
    return result if keepdims else np.squeeze(result, axes_of(axes, ndim_of(x)))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    ndim = ndim_of(x)
    if axis is None and (ord is None or (ord == 2 and ndim == 1)):
        result = _vector_norm(np.reshape(x, (-1,)), 2)
        return np.reshape(result, (1,) * ndim) if keepdims else result
    axes = axes_of(None, ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes[0], keepdims)
    return _matrix_norm(x, ord, (axes[0] % ndim, axes[1] % ndim), keepdims)


RULES: dict[Any, Any] = {
    np.sum: sum_rule,
    np.mean: mean_rule,
    np.prod: prod_rule,
    **dict.fromkeys((np.max, np.min, np.amax, np.amin), extreme_rule),
    **dict.fromkeys((np.nanmax, np.nanmin), extreme_rule),
    np.cumsum: cumsum_rule,
    np.cumprod: cumprod_rule,
    sum_to: lambda ct, y, array, shape: (np.broadcast_to(ct, shape_of(array)),),
}

UFUNC_METHODS: dict[tuple[str, Any], Any] = {
    ("reduce", np.add): _reduce_rule(sum_rule),
    ("reduce", np.multiply): _reduce_rule(prod_rule),
    **{("reduce", ufunc): _reduce_rule(extreme_rule) for ufunc in (np.maximum, np.minimum, np.fmax, np.fmin)},
    ("accumulate", np.add): _accumulate_rule(cumsum_rule),
    ("accumulate", np.multiply): _accumulate_rule(cumprod_rule),
}
"""Gradients of ufunc methods."""

DEFINITIONS: dict[Any, Any] = {
    np.var: _variance("var"),
    np.std: _variance("var", root=True),
    np.ptp: lambda a, axis=None, out=None, keepdims=False: (
        np.max(a, axis, keepdims=keepdims is True) - np.min(a, axis, keepdims=keepdims is True)
    ),
    np.average: _average,
    np.trace: lambda a, offset=0, axis1=0, axis2=1, dtype=None, out=None: np.sum(
        np.diagonal(a, offset, axis1, axis2), -1
    ),
    np.linalg.trace: lambda x, /, *, offset=0, dtype=None: np.sum(np.diagonal(x, offset, -2, -1), -1),
    np.median: _quantile("median", 0.5),
    np.quantile: _quantile("quantile"),
    np.percentile: _quantile("percentile", scale=100),
    np.nanmedian: _quantile("nanmedian", 0.5, ignores_nan=True),
    np.nanquantile: _quantile("nanquantile", ignores_nan=True),
    np.nanpercentile: _quantile("nanpercentile", scale=100, ignores_nan=True),
    np.nansum: _with_nan_replaced(np.sum, 0),
    np.nanprod: _with_nan_replaced(np.prod, 1),
    np.nancumsum: _with_nan_replaced(np.cumsum, 0),
    np.nancumprod: _with_nan_replaced(np.cumprod, 1),
    np.nanmean: _nanmean,
    np.nanvar: _variance("nanvar", ignores_nan=True),
    np.nanstd: _variance("nanvar", ignores_nan=True, root=True),
    np.linalg.norm: _norm,
    np.linalg.vector_norm: lambda x, /, *, axis=None, keepdims=False, ord=2: _vector_norm(
        x, ord, axis, keepdims
    ),
    np.linalg.matrix_norm: lambda x, /, *, keepdims=False, ord="fro": _matrix_norm(
        x, ord, (ndim_of(x) - 2, ndim_of(x) - 1), keepdims
    ),
}
if hasattr(np, "cumulative_sum"):
    DEFINITIONS[np.cumulative_sum] = _cumulative_with_initial(np.cumsum, 0)
    DEFINITIONS[np.cumulative_prod] = _cumulative_with_initial(np.cumprod, 1)
