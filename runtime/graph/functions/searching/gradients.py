"""Gradients of selecting and sorting elements: the indices have none, the selected elements do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import CotangentAt, index_range, ndim_of, shape_of, unbroadcast
from ...rules import methods


def take_rule(ct: Any, y: Any, a: Any, indices: Any, axis: Any = None, out: Any = None,
              mode: str = "raise") -> Any:  # fmt: skip
    shape = shape_of(a)
    if axis is None:
        length: Any = 1
        for n in shape:
            length = length * n
    else:
        length = shape[axis]
    if mode == "wrap":
        indices = np.remainder(indices, length)
    elif mode == "clip":
        indices = np.clip(indices, 0, length - 1)
    if axis is None:
        flat = CotangentAt(indices, ct).add_to(
            np.zeros((length,), ct.dtype) if isinstance(length, int) else np.zeros_like(np.reshape(a, (-1,)))
        )
        return (np.reshape(flat, shape),)
    return (CotangentAt((slice(None),) * (axis % len(shape)) + (indices,), ct),)


def _open_grid(indices: Any, axis: int) -> tuple[Any, ...]:
    shape = shape_of(indices)
    return tuple([
        indices if i == axis else np.reshape(index_range(n), (1,) * i + (n,) + (1,) * (len(shape) - 1 - i))
        for i, n in enumerate(shape)
    ])  # fmt: skip


def take_along_axis_rule(ct: Any, y: Any, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        shape = shape_of(arr)
        return (np.reshape(CotangentAt(indices, ct).add_to(np.zeros_like(np.reshape(arr, (-1,)))), shape),)
    return (CotangentAt(_open_grid(indices, axis % ndim_of(arr)), ct),)


def sort_rule(ct: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **_: Any) -> Any:
    """Move each cotangent back to where its element was."""
    return _undo_sort(ct, a, axis, lambda flat, along: np.argsort(flat, along, kind=kind))


def partition_rule(ct: Any, y: Any, a: Any, kth: Any, axis: Any = -1, kind: str = "introselect",
                   order: Any = None) -> Any:  # fmt: skip
    return _undo_sort(ct, a, axis, lambda flat, along: np.argpartition(flat, kth, along))


def _undo_sort(ct: Any, a: Any, axis: Any, index_range: Any) -> Any:
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    result = np.take_along_axis(ct, np.argsort(index_range(flat, along), along), along)
    return (np.reshape(result, shape_of(a)) if axis is None else result,)


def where_rule(ct: Any, y: Any, condition: Any, x: Any = None, y_: Any = None, /) -> Any:
    return (
        None,
        lambda: unbroadcast(np.where(condition, ct, 0), x),
        lambda: unbroadcast(np.where(condition, 0, ct), y_),
    )


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    result = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        result = np.where(condition, choice, result)
    return result


def _choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    choices = (
        list(choices) if isinstance(choices, (list, tuple)) else [choices[i] for i in range(len(choices))]
    )
    a = np.asarray(a) if isinstance(a, (list, tuple)) else a
    if mode == "wrap":
        a = np.remainder(a, len(choices))
    result = choices[-1]
    for i in range(len(choices) - 2, -1, -1):
        result = np.where(a <= i, choices[i], result)
    return result


def _compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    return np.take(flat, np.flatnonzero(condition), along)


def _compress_method(array: Any, condition: Any, axis: Any = None) -> Any:
    return _compress(condition, array, axis)


def _extract(condition: Any, arr: Any) -> Any:
    return np.take(np.reshape(arr, (-1,)), np.flatnonzero(condition))


def bincount_rule(ct: Any, y: Any, x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    return None, np.take(ct, x)


RULES: dict[Any, Any] = {
    np.take: take_rule,
    np.take_along_axis: take_along_axis_rule,
    np.sort: sort_rule,
    np.partition: partition_rule,
    np.where: where_rule,
    np.bincount: bincount_rule,
}

DEFINITIONS: dict[Any, Any] = {
    np.select: _select,
    np.choose: _choose,
    np.compress: _compress,
    methods.compress: _compress_method,
    np.extract: _extract,
}
