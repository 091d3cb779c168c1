"""Functions that put arrays together and take them apart."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ... import record
from ..refused import refusing
from ..values import ndim_of, shape_of, unbroadcast, zeros_like


def _of_list(ct: Any, arrays: Any, axis: Any) -> Any:
    """The cotangent of a list whose items were put side by side, as one array with an item a row."""
    shape = shape_of(arrays)
    if axis is None or len(shape) == 2:
        return np.reshape(ct, shape)
    along = axis % (len(shape) - 1)
    items = shape[1:]
    apart = np.reshape(ct, (*items[:along], shape[0], items[along], *items[along + 1 :]))
    return np.moveaxis(apart, along, 0)


def concatenate_rule(ct: Any, y: Any, arrays: Any, /, axis: Any = 0, **_: Any) -> Any:
    if not isinstance(arrays, (list, tuple)):
        return (_of_list(ct, arrays, axis),)
    parts, start = [], 0
    for array in arrays:
        shape = shape_of(array)
        if axis is None:
            size: Any = 1
            for n in shape:
                size = size * n
            parts.append(np.reshape(ct[start : start + size], shape))
            start = start + size
            continue
        along = axis % len(shape)
        parts.append(ct[(slice(None),) * along + (slice(start, start + shape[along]),)])
        start = start + shape[along]
    return (parts,)


def stack_rule(ct: Any, y: Any, arrays: Any, axis: int = 0, **_: Any) -> Any:
    along = axis % ndim_of(y)
    if not isinstance(arrays, (list, tuple)):
        return (np.moveaxis(ct, along, 0),)
    return ([ct[(slice(None),) * along + (i,)] for i in range(len(arrays))],)


def _side_by_side(items: Any, ndim: int, axis: int) -> Any:
    """The items of a staged list, with at least so many dimensions, joined along an axis of theirs."""
    shape = shape_of(items)
    each = (*(1,) * (ndim + 1 - len(shape)), *shape[1:])
    rows = np.moveaxis(np.reshape(items, (shape[0], *each)), 0, axis)
    return np.reshape(rows, (*each[:axis], shape[0] * each[axis], *each[axis + 1 :]))


def _vstack(tup: Any, **_: Any) -> Any:
    if not isinstance(tup, (list, tuple)):
        return _side_by_side(tup, 2, 0)
    return np.concatenate([np.atleast_2d(a) for a in tup], 0)


def _hstack(tup: Any, **_: Any) -> Any:
    if not isinstance(tup, (list, tuple)):
        return _side_by_side(tup, 1, 0 if ndim_of(tup) <= 2 else 1)
    arrays = [np.atleast_1d(a) for a in tup]
    return np.concatenate(arrays, 0 if ndim_of(arrays[0]) == 1 else 1)


def _dstack(tup: Any) -> Any:
    return np.concatenate([np.atleast_3d(a) for a in tup], 2)


def _column_stack(tup: Any) -> Any:
    return np.concatenate([np.reshape(a, (-1, 1)) if ndim_of(a) < 2 else a for a in tup], 1)


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate([np.reshape(arr, (-1,)), np.reshape(values, (-1,))])
    return np.concatenate([arr, values], axis)


def _block(arrays: Any) -> Any:
    def depth(value: Any) -> int:
        return 1 + max(map(depth, value)) if isinstance(value, list) else 0

    def most(value: Any) -> int:
        return max(map(most, value)) if isinstance(value, list) else ndim_of(value)

    deepest = depth(arrays)
    ndim = max(most(arrays), deepest)

    def joined(value: Any, level: int) -> Any:
        if isinstance(value, list):
            return np.concatenate([joined(part, level + 1) for part in value], level - deepest)
        return np.reshape(value, (1,) * (ndim - ndim_of(value)) + shape_of(value))

    return joined(arrays, 0)


def array_rule(ct: Any, y: Any, object: Any, dtype: Any = None, *, ndmin: int = 0, **_: Any) -> Any:
    def parts(ct: Any, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [parts(ct[i], part) for i, part in enumerate(value)]
        return ct

    while ndim_of(ct) > _ndim(object):
        ct = ct[0]
    return (parts(ct, object),)


def _ndim(value: Any) -> int:
    """The number of dimensions of an array, or of what is made of a nested list."""
    return 1 + max(map(_ndim, value), default=0) if isinstance(value, (list, tuple)) else ndim_of(value)


def same_rule(ct: Any, y: Any, a: Any, *_: Any, **__: Any) -> Any:
    return (ct,)


def _pieces(ct: Any, y: Any, count: int, axis: int) -> Any:
    given = [zeros_like(y[i]) if ct.get(i) is None else ct[i] for i in range(count)]
    return np.concatenate(given, axis)


def _count_of(ary: Any, indices_or_sections: Any) -> int:
    return indices_or_sections if isinstance(indices_or_sections, int) else len(indices_or_sections) + 1


def split_rule(ct: Any, y: Any, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(indices_or_sections, int):
        length = shape_of(ary)[axis]
        places = [0, *(np.asarray(indices_or_sections).tolist())]
        if any(b < a for a, b in itertools.pairwise(places)) or (
            isinstance(length, int) and places[-1] > length
        ):
            raise refusing("numpy.split", "places that are not in order, or behind the end")
    return (_pieces(ct, y, _count_of(ary, indices_or_sections), axis),)


def hsplit_rule(ct: Any, y: Any, ary: Any, indices_or_sections: Any) -> Any:
    return split_rule(ct, y, ary, indices_or_sections, 0 if ndim_of(ary) == 1 else 1)


def unstack_rule(ct: Any, y: Any, x: Any, /, *, axis: int = 0) -> Any:
    given = [zeros_like(y[i]) if ct.get(i) is None else ct[i] for i in range(shape_of(x)[axis])]
    return (np.stack(given, axis),)


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr, along = (np.reshape(arr, (-1,)), 0) if axis is None else (arr, axis % ndim_of(arr))
    n = shape_of(arr)[along]
    if record.is_staged(obj):
        known = record.to_node(obj)
        if known.op != "constant":
            raise refusing("numpy.insert", "places that are staged")
        obj = known.attrs["value"]
    if not isinstance(obj, (int, slice)) and np.asarray(obj).dtype == bool:
        obj = np.flatnonzero(obj)
    count = 1 if isinstance(obj, int) else len(np.arange(n)[obj] if isinstance(obj, slice) else obj)
    if isinstance(obj, int) and ndim_of(values):
        if ndim_of(values) < ndim_of(arr):
            values = np.reshape(values, (1,) * (ndim_of(arr) - ndim_of(values)) + shape_of(values))
        values = np.moveaxis(values, 0, along)
        count = shape_of(values)[along]
    shape = tuple(count if i == along else m for i, m in enumerate(shape_of(arr)))
    both = np.concatenate([arr, np.broadcast_to(values, shape)], along)
    places = np.insert(np.arange(n), obj, n + np.arange(count))
    return np.take(both, places, along)


def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    arr, along = (np.reshape(arr, (-1,)), 0) if axis is None else (arr, axis)
    return np.take(arr, np.delete(np.arange(shape_of(arr)[along]), obj), along)


def full_rule(
    ct: Any, y: Any, shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", **_: Any
) -> Any:
    return None, unbroadcast(ct, fill_value)


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
              dtype: Any = None, axis: int = 0) -> Any:  # fmt: skip
    parts = (num - 1) if endpoint else num
    step = (stop - start) / parts if parts else (stop - start) * np.nan
    ndim = max(ndim_of(start), ndim_of(stop))
    ramp = np.reshape(np.arange(num), (num,) + (1,) * ndim)
    made = start + ramp * (step if parts else 0.0 * (stop - start))
    made = np.moveaxis(made, 0, axis) if axis else made
    return (made, step) if retstep else made


def _logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
              dtype: Any = None, axis: int = 0) -> Any:  # fmt: skip
    return np.power(base, _linspace(start, stop, num, endpoint, axis=axis))


def _geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None,
               axis: int = 0) -> Any:  # fmt: skip
    sign = np.sign(start)
    return sign * np.exp(_linspace(np.log(start * sign), np.log(stop * sign), num, endpoint, axis=axis))


def arange_rule(ct: Any, y: Any, *bounds: Any, dtype: Any = None, **_: Any) -> Any:
    """Item n is `start + n * step`, and how many there are does not depend on the bounds."""
    steps = np.cumsum(np.ones_like(ct)) - 1
    start, step = np.sum(ct), np.sum(ct * steps)
    return ((None,) if len(bounds) == 1 else (start, None, step)[: len(bounds)],)


def _meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    ndim = len(xi)
    made = [np.reshape(x, (1,) * i + (-1,) + (1,) * (ndim - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and ndim > 1:
        made[0] = np.swapaxes(made[0], 0, 1)
        made[1] = np.swapaxes(made[1], 0, 1)
    return tuple(made) if sparse else tuple(np.broadcast_arrays(*made))


def _vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    count = shape_of(x)[0] if N is None else N
    powers = np.arange(count) if increasing else np.arange(count - 1, -1, -1)
    return np.reshape(x, (-1, 1)) ** powers


RULES: dict[Any, Any] = {
    np.concatenate: concatenate_rule,
    np.stack: stack_rule,
    np.array: array_rule,
    **dict.fromkeys((np.split, np.array_split), split_rule),
    np.vsplit: lambda ct, y, ary, indices_or_sections: split_rule(ct, y, ary, indices_or_sections, 0),
    np.dsplit: lambda ct, y, ary, indices_or_sections: split_rule(ct, y, ary, indices_or_sections, 2),
    np.hsplit: hsplit_rule,
    np.full: full_rule,
    np.full_like: full_rule,
    np.arange: arange_rule,
}
if hasattr(np, "unstack"):
    RULES[np.unstack] = unstack_rule

DEFINITIONS: dict[Any, Any] = {
    **dict.fromkeys((np.vstack, getattr(np, "row_stack", np.vstack)), _vstack),
    np.hstack: _hstack,
    np.dstack: _dstack,
    np.column_stack: _column_stack,
    np.append: _append,
    np.block: _block,
    np.insert: _insert,
    np.delete: _delete,
    np.linspace: _linspace,
    np.logspace: _logspace,
    np.geomspace: _geomspace,
    np.meshgrid: _meshgrid,
    np.vander: _vander,
}
