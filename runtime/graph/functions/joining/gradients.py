"""Gradients of functions that join and split arrays, or insert and delete elements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...gradient.cotangents import element_count, ndim_of, shape_of, zeros_like
from ...gradient.unsupported import unsupported_argument
from ...tracing import recording
from .types import INSERTS_BY_MASK, block_depth, block_rank


def _list_cotangent(ct: Any, arrays: Any, axis: Any) -> Any:
    """Return the cotangent of a concatenated staged list as one array, with a row for each item."""
    shape = shape_of(arrays)
    if axis is None or len(shape) == 2:
        return np.reshape(ct, shape)
    along = axis % (len(shape) - 1)
    items = shape[1:]
    split = np.reshape(ct, (*items[:along], shape[0], items[along], *items[along + 1 :]))
    return np.moveaxis(split, along, 0)


def concatenate_rule(ct: Any, y: Any, arrays: Any, /, axis: Any = 0, **_: Any) -> Any:
    if not isinstance(arrays, (list, tuple)):
        return (_list_cotangent(ct, arrays, axis),)
    parts, start = [], 0
    for array in arrays:
        shape = shape_of(array)
        if axis is None:
            size = element_count(shape)
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


def _join_items(items: Any, ndim: int, axis: int) -> Any:
    """Join the items of a staged list along one of their axes, with their rank raised to at least `ndim`."""
    shape = shape_of(items)
    each = (*(1,) * (ndim + 1 - len(shape)), *shape[1:])
    rows = np.moveaxis(np.reshape(items, (shape[0], *each)), 0, axis)
    return np.reshape(rows, (*each[:axis], shape[0] * each[axis], *each[axis + 1 :]))


def _vstack(tup: Any, **_: Any) -> Any:
    if not isinstance(tup, (list, tuple)):
        return _join_items(tup, 2, 0)
    return np.concatenate([np.atleast_2d(a) for a in tup], 0)


def _hstack(tup: Any, **_: Any) -> Any:
    if not isinstance(tup, (list, tuple)):
        return _join_items(tup, 1, 0 if ndim_of(tup) <= 2 else 1)
    arrays = [np.atleast_1d(a) for a in tup]
    return np.concatenate(arrays, 0 if ndim_of(arrays[0]) == 1 else 1)


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate([np.reshape(arr, (-1,)), np.reshape(values, (-1,))])
    return np.concatenate([arr, values], axis)


def _block(arrays: Any) -> Any:
    deepest = block_depth(arrays)
    ndim = max(block_rank(arrays, ndim_of), deepest)

    def joined(value: Any, level: int) -> Any:
        if isinstance(value, list):
            return np.concatenate([joined(part, level + 1) for part in value], level - deepest)
        return np.reshape(value, (1,) * (ndim - ndim_of(value)) + shape_of(value))

    return joined(arrays, 0)


def _part_cotangents(ct: Any, y: Any, count: int) -> list[Any]:
    return [zeros_like(y[i]) if ct.get(i) is None else ct[i] for i in range(count)]


def split_rule(ct: Any, y: Any, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(indices_or_sections, int):
        length = shape_of(ary)[axis]
        places = [0, *(np.asarray(indices_or_sections).tolist())]
        if any(b < a for a, b in itertools.pairwise(places)) or (
            isinstance(length, int) and places[-1] > length
        ):
            raise unsupported_argument("numpy.split", "positions that decrease or lie beyond the end")
    sections = indices_or_sections
    count = sections if isinstance(sections, int) else len(sections) + 1
    return (np.concatenate(_part_cotangents(ct, y, count), axis),)


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr, along = (np.reshape(arr, (-1,)), 0) if axis is None else (arr, axis % ndim_of(arr))
    n = shape_of(arr)[along]
    if recording.is_staged(obj):
        known = recording.to_node(obj)
        if known.op != "constant":
            raise unsupported_argument("numpy.insert", "staged positions")
        obj = known.attrs["value"]
    if not isinstance(obj, (int, slice)) and np.asarray(obj).dtype == bool:
        obj = np.flatnonzero(obj) if INSERTS_BY_MASK else np.asarray(obj, int)
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


RULES: dict[Any, Any] = {
    np.concatenate: concatenate_rule,
    np.stack: stack_rule,
    **dict.fromkeys((np.split, np.array_split), split_rule),
    np.vsplit: lambda ct, y, ary, indices_or_sections: split_rule(ct, y, ary, indices_or_sections, 0),
    np.dsplit: lambda ct, y, ary, indices_or_sections: split_rule(ct, y, ary, indices_or_sections, 2),
    np.hsplit: lambda ct, y, ary, indices_or_sections: split_rule(
        ct, y, ary, indices_or_sections, int(ndim_of(ary) > 1)
    ),
}
if hasattr(np, "unstack"):
    RULES[np.unstack] = lambda ct, y, x, /, *, axis=0: (
        np.stack(_part_cotangents(ct, y, shape_of(x)[axis]), axis),
    )

DEFINITIONS: dict[Any, Any] = {
    **dict.fromkeys((np.vstack, getattr(np, "row_stack", np.vstack)), _vstack),
    np.hstack: _hstack,
    np.dstack: lambda tup: np.concatenate([np.atleast_3d(a) for a in tup], 2),
    np.column_stack: lambda tup: np.concatenate(
        [np.reshape(a, (-1, 1)) if ndim_of(a) < 2 else a for a in tup], 1
    ),
    np.append: _append,
    np.block: _block,
    np.insert: _insert,
    np.delete: _delete,
}
