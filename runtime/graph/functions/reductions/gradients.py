"""Functions along axes: sums, products, extremes, and those that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..refused import refusing
from ..values import ndim_of, shape_of


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that `axis` names, counted from the front."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(a % ndim for a in (axis if isinstance(axis, tuple) else (axis,))))


def kept(value: Any, axis: Any, keepdims: Any, ndim: int) -> Any:
    """A result along axes, with these axes in their places again."""
    if keepdims is True or not ndim:
        return value
    return np.expand_dims(value, axes_of(axis, ndim))


def spread(ct: Any, array: Any, axis: Any, keepdims: Any) -> Any:
    """The cotangent of a result along axes, for each element of what it was made of."""
    return np.broadcast_to(kept(ct, axis, keepdims, ndim_of(array)), shape_of(array))


def count_of(array: Any, axis: Any) -> Any:
    """How many elements each element of a result along axes is made of."""
    shape = shape_of(array)
    count: Any = 1
    for a in axes_of(axis, len(shape)):
        count = count * shape[a]
    return count


def sum_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
             keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    given = spread(ct, a, axis, keepdims)
    return (given if where is True else np.where(where, given, 0), *_NO_OPTIONS, lambda: np.sum(ct))


_NO_OPTIONS = (None, None, None, None)
"""What stands between an array and `initial`: axis, dtype, out and keepdims."""


def mean_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, *, where: Any = True) -> Any:  # fmt: skip
    if where is True:
        return (spread(ct / count_of(a, axis), a, axis, keepdims),)
    count = np.sum(np.broadcast_to(where, shape_of(a)), axis=axis, keepdims=keepdims is True)
    return (np.where(where, spread(ct / count, a, axis, keepdims), 0),)


def prod_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
              keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """The product of the others, from both sides, so that a zero does no harm."""
    factors = a if where is True else np.where(where, a, 1)
    shape, axes = shape_of(a), axes_of(axis, ndim_of(a))
    rest = [i for i in range(len(shape)) if i not in axes]
    moved = np.transpose(factors, (*rest, *axes))
    flat = np.reshape(moved, (*(shape[i] for i in rest), count_of(a, axis)))
    ones = np.ones_like(flat[..., :1])
    before = np.cumprod(np.concatenate([ones, flat[..., :-1]], -1), -1)
    after = np.flip(np.cumprod(np.concatenate([ones, np.flip(flat, -1)[..., :-1]], -1), -1), -1)
    others = np.reshape(before * after, shape_of(moved))
    order = (*rest, *axes)
    others = np.transpose(others, tuple(map(order.index, range(len(order)))))
    if initial is not None and initial is not np._NoValue:
        others = others * initial
    made = spread(ct, a, axis, keepdims) * others
    return (
        made if where is True else np.where(where, made, 0),
        *_NO_OPTIONS,
        lambda: np.sum(ct * np.prod(factors, axis, keepdims=keepdims is True)),
    )


def extreme_rule(ct: Any, y: Any, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False,
                 initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Elements that are equal to the extreme share its cotangent."""
    ndim = ndim_of(a)
    extreme, given = kept(y, axis, keepdims, ndim), kept(ct, axis, keepdims, ndim)
    chosen = a == extreme
    if where is not True:
        chosen = chosen & where
    count = np.sum(chosen, axis=axis if axis is None else axes_of(axis, ndim), keepdims=True)
    first = 0 if initial is None or initial is np._NoValue else extreme == initial
    share = given / (count + first)
    return chosen * share, None, None, None, lambda: np.sum(share * first)


def _reduce(rule: Any) -> Any:
    """The rule of `ufunc.reduce`, whose axis is the first if none is given."""

    def reduced(ct: Any, y: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
                keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
        given, *_, first = rule(ct, y, array, axis=axis, keepdims=keepdims, initial=initial, where=where)
        return given, *_NO_OPTIONS, first

    return reduced


def _accumulate(rule: Any) -> Any:
    """The rule of `ufunc.accumulate`, whose axis is the first if none is given."""
    return lambda ct, y, array, axis=0, dtype=None, out=None: rule(ct, y, array, axis)


def cumsum_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if axis is None:
        return (np.reshape(np.flip(np.cumsum(np.flip(ct))), shape_of(a)),)
    return (np.flip(np.cumsum(np.flip(ct, axis), axis), axis),)


def cumprod_rule(ct: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Up to the first zero as a sum over quotients; that zero gets what the product is without it."""
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    zeros = np.cumsum(flat == 0, along)
    is_first = (flat == 0) & (zeros == 1)
    without = np.where(is_first, 1, flat)
    through = _sums_from_here(ct * np.cumprod(without, along), along)
    before = _sums_from_here(ct * y, along) / np.where(flat == 0, 1, flat)
    made = np.where(is_first, through, np.where(zeros == 0, before, 0))
    return (np.reshape(made, shape_of(a)) if axis is None else made,)


def _sums_from_here(values: Any, axis: int) -> Any:
    return np.flip(np.cumsum(np.flip(values, axis), axis), axis)


def _var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False,
         *, where: Any = True, mean: Any = None, correction: Any = None) -> Any:  # fmt: skip
    if where is not True:
        raise refusing("numpy.var", "where=")
    middle = np.mean(a, axis=axis, keepdims=True) if mean in (None, np._NoValue) else mean
    return _spread_of(a - middle, axis, keepdims, count_of(a, axis), ddof, correction)


def _spread_of(apart: Any, axis: Any, keepdims: Any, count: Any, ddof: Any, correction: Any) -> Any:
    """The mean square, of so many as are free."""
    squares = np.real(apart * np.conj(apart)) if np.iscomplexobj(apart) else apart * apart
    free = count - (ddof if correction in (None, np._NoValue) else correction)
    return np.sum(squares, axis=axis, keepdims=keepdims is True) / free


def _std(*args: Any, **kwargs: Any) -> Any:
    return np.sqrt(_var(*args, **kwargs))


def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    keepdims = keepdims is True
    return np.max(a, axis, keepdims=keepdims) - np.min(a, axis, keepdims=keepdims)


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False,
             *, keepdims: Any = False) -> Any:  # fmt: skip
    keepdims = keepdims is True
    if weights is None:
        made = np.mean(a, axis, keepdims=keepdims)
        return (made, np.ones_like(made)) if returned else made
    if ndim_of(weights) != ndim_of(a):
        axes = axes_of(axis, ndim_of(a))
        weights = np.reshape(weights, tuple([n if i in axes else 1 for i, n in enumerate(shape_of(a))]))
    weights = np.broadcast_to(weights, shape_of(a))
    scale = np.sum(weights, axis, keepdims=keepdims)
    made = np.sum(a * weights, axis, keepdims=keepdims) / scale
    return (made, scale) if returned else made


def _trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), -1)


def _linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return np.sum(np.diagonal(x, offset, -2, -1), -1)


def _without_nan(function: Any, instead: float) -> Any:
    """A function of what is no NaN."""

    def defined(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(np.where(np.isnan(a), instead, a), *args, **kwargs)

    return defined


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
             *, where: Any = True) -> Any:  # fmt: skip
    if where is not True:
        raise refusing("numpy.nanmean", "where=")
    keepdims = keepdims is True
    count = np.sum(~np.isnan(a), axis, keepdims=keepdims)
    return np.sum(np.where(np.isnan(a), 0, a), axis, keepdims=keepdims) / count


def _nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
            keepdims: Any = False, *, where: Any = True, mean: Any = None,
            correction: Any = None) -> Any:  # fmt: skip
    if where is not True:
        raise refusing("numpy.nanvar", "where=")
    middle = _nanmean(a, axis, keepdims=True) if mean in (None, np._NoValue) else mean
    count = np.sum(~np.isnan(a), axis, keepdims=keepdims is True)
    return _spread_of(np.where(np.isnan(a), 0, a - middle), axis, keepdims, count, ddof, correction)


def _nanstd(*args: Any, **kwargs: Any) -> Any:
    return np.sqrt(_nanvar(*args, **kwargs))


_PLACES: dict[str, Callable[[Any], tuple[Any, Any]]] = {  # of the items between which a quantile lies
    "linear": lambda place: (np.floor(place), np.ceil(place)),
    "midpoint": lambda place: (np.floor(place), np.ceil(place)),
    "lower": lambda place: (np.floor(place),) * 2,
    "higher": lambda place: (np.ceil(place),) * 2,
    "nearest": lambda place: (np.rint(place),) * 2,
}


def _quantile(name: str, *, scale: float = 1.0, ignores_nan: bool = False) -> Callable[..., Any]:
    def defined(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
                method: str = "linear", keepdims: Any = False, *, weights: Any = None) -> Any:  # fmt: skip
        if method not in _PLACES or weights is not None:
            raise refusing(f"numpy.{name}", "weights, or a method that is none of " + ", ".join(_PLACES))
        axes = axes_of(axis, ndim_of(a))
        rest = [length for n, length in enumerate(shape_of(a)) if n not in axes]
        first = np.moveaxis(a, axes, tuple(range(len(axes))))
        ordered = np.sort(np.reshape(first, (-1, *rest)), 0)
        count = np.sum(~np.isnan(ordered), 0) if ignores_nan else shape_of(ordered)[0]
        q = np.asarray(q) if isinstance(q, (list, tuple)) else q
        place = np.reshape(q, (*shape_of(q), *(1,) * len(rest))) / scale * (count - 1)
        place = np.reshape(np.broadcast_to(place, (*shape_of(q), *rest)), (-1, *rest))
        low, high = (p.astype(np.int64) for p in _PLACES[method](place))
        share = 0.5 if method == "midpoint" else place - low
        below, above = (np.take_along_axis(ordered, p, 0) for p in (low, high))
        made = np.reshape(below + (above - below) * share, (*shape_of(q), *rest))
        return np.expand_dims(made, tuple(ndim_of(q) + i for i in axes)) if keepdims is True else made

    return defined


def _median(quantile: Callable[..., Any]) -> Callable[..., Any]:
    def defined(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
                keepdims: Any = False) -> Any:  # fmt: skip
        return quantile(a, 0.5, axis, keepdims=keepdims)

    return defined


def _cumulative(function: Any, start: float) -> Any:
    def defined(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
                include_initial: bool = False) -> Any:  # fmt: skip
        along = 0 if axis is None else axis
        made = function(x, along)
        if not include_initial:
            return made
        first = np.full_like(np.take(made, np.arange(1), along), start)
        return np.concatenate([first, made], along)

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
        made = (np.max if ord > 0 else np.min)(sums, other, keepdims=True)
    else:
        values = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), compute_uv=False)
        reduce: Any = {"nuc": np.sum, 2: np.max, -2: np.min}[ord]
        made = np.expand_dims(reduce(values, -1), axes_of(axes, ndim_of(x)))
    return made if keepdims else np.squeeze(made, axes_of(axes, ndim_of(x)))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    ndim = ndim_of(x)
    if axis is None and (ord is None or (ord == 2 and ndim == 1)):
        made = _vector_norm(np.reshape(x, (-1,)), 2)
        return np.reshape(made, (1,) * ndim) if keepdims else made
    axes = axes_of(None, ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes[0], keepdims)
    return _matrix_norm(x, ord, (axes[0] % ndim, axes[1] % ndim), keepdims)


def _linalg_vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    return _vector_norm(x, ord, axis, keepdims)


def _linalg_matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return _matrix_norm(x, ord, (ndim_of(x) - 2, ndim_of(x) - 1), keepdims)


RULES: dict[Any, Any] = {
    np.sum: sum_rule,
    np.mean: mean_rule,
    np.prod: prod_rule,
    **dict.fromkeys((np.max, np.min, np.amax, np.amin), extreme_rule),
    **dict.fromkeys((np.nanmax, np.nanmin), extreme_rule),
    np.cumsum: cumsum_rule,
    np.cumprod: cumprod_rule,
}

REDUCTIONS: dict[tuple[str, Any], Any] = {
    ("reduce", np.add): _reduce(sum_rule),
    ("reduce", np.multiply): _reduce(prod_rule),
    **{("reduce", ufunc): _reduce(extreme_rule) for ufunc in (np.maximum, np.minimum, np.fmax, np.fmin)},
    ("accumulate", np.add): _accumulate(cumsum_rule),
    ("accumulate", np.multiply): _accumulate(cumprod_rule),
}
"""The rules of methods of ufuncs."""

DEFINITIONS: dict[Any, Any] = {
    np.var: _var,
    np.std: _std,
    np.ptp: _ptp,
    np.average: _average,
    np.trace: _trace,
    np.linalg.trace: _linalg_trace,
    np.median: _median(_quantile("median")),
    np.quantile: _quantile("quantile"),
    np.percentile: _quantile("percentile", scale=100),
    np.nanmedian: _median(_quantile("nanmedian", ignores_nan=True)),
    np.nanquantile: _quantile("nanquantile", ignores_nan=True),
    np.nanpercentile: _quantile("nanpercentile", scale=100, ignores_nan=True),
    np.nansum: _without_nan(np.sum, 0),
    np.nanprod: _without_nan(np.prod, 1),
    np.nancumsum: _without_nan(np.cumsum, 0),
    np.nancumprod: _without_nan(np.cumprod, 1),
    np.nanmean: _nanmean,
    np.nanvar: _nanvar,
    np.nanstd: _nanstd,
    np.linalg.norm: _norm,
    np.linalg.vector_norm: _linalg_vector_norm,
    np.linalg.matrix_norm: _linalg_matrix_norm,
    np.cumulative_sum: _cumulative(np.cumsum, 0),
    np.cumulative_prod: _cumulative(np.cumprod, 1),
}
