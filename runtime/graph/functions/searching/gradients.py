"""Gradients of functions that select or sort elements. The indices of elements have no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import CotangentAt, element_count, index_range, ndim_of, shape_of, unbroadcast
from ...rules import methods


def take_rule(ct: Any, y: Any, a: Any, indices: Any, axis: Any = None, out: Any = None,
              mode: str = "raise") -> Any:  # fmt: skip
    shape = shape_of(a)
    if axis is None:
        length = element_count(shape)
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


def _undo_sort(ct: Any, a: Any, axis: Any, order: Any) -> Any:
    """Move each cotangent back to the position of its element before sorting."""
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    result = np.take_along_axis(ct, np.argsort(order(flat, along), along), along)
    return (np.reshape(result, shape_of(a)) if axis is None else result,)


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


RULES: dict[Any, Any] = {
    np.take: take_rule,
    np.take_along_axis: take_along_axis_rule,
    np.sort: lambda ct, y, a, axis=-1, kind=None, order=None, **_: _undo_sort(
        ct, a, axis, lambda flat, along: np.argsort(flat, along, kind=kind)
    ),
    np.partition: lambda ct, y, a, kth, axis=-1, kind="introselect", order=None: _undo_sort(
        ct, a, axis, lambda flat, along: np.argpartition(flat, kth, along)
    ),
    np.where: lambda ct, y, condition, x=None, y_=None, /: (
        None,
        lambda: unbroadcast(np.where(condition, ct, 0), x),
        lambda: unbroadcast(np.where(condition, 0, ct), y_),
    ),
    np.bincount: lambda ct, y, x, /, weights=None, minlength=0: (None, np.take(ct, x)),
}

DEFINITIONS: dict[Any, Any] = {
    np.select: _select,
    np.choose: _choose,
    np.compress: _compress,
    methods.compress: lambda array, condition, axis=None: _compress(condition, array, axis),
    np.extract: lambda condition, arr: np.take(np.reshape(arr, (-1,)), np.flatnonzero(condition)),
}
