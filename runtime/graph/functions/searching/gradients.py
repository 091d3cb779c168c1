"""Functions that choose elements: a choice has no derivative, what is chosen has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import methods
from ..values import At, ndim_of, places, shape_of, unbroadcast


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
        flat = At(indices, ct).added_to(
            np.zeros((length,), ct.dtype) if isinstance(length, int) else np.zeros_like(np.reshape(a, (-1,)))
        )
        return (np.reshape(flat, shape),)
    return (At((slice(None),) * (axis % len(shape)) + (indices,), ct),)


def _open_grid(indices: Any, axis: int) -> tuple[Any, ...]:
    shape = shape_of(indices)
    return tuple([
        indices if i == axis else np.reshape(places(n), (1,) * i + (n,) + (1,) * (len(shape) - 1 - i))
        for i, n in enumerate(shape)
    ])  # fmt: skip


def take_along_axis_rule(ct: Any, y: Any, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        shape = shape_of(arr)
        return (np.reshape(At(indices, ct).added_to(np.zeros_like(np.reshape(arr, (-1,)))), shape),)
    return (At(_open_grid(indices, axis % ndim_of(arr)), ct),)


def sort_rule(ct: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **_: Any) -> Any:
    """Each element's cotangent from the place that it went to."""
    return _unsorted(ct, a, axis, lambda flat, along: np.argsort(flat, along, kind=kind))


def partition_rule(ct: Any, y: Any, a: Any, kth: Any, axis: Any = -1, kind: str = "introselect",
                   order: Any = None) -> Any:  # fmt: skip
    return _unsorted(ct, a, axis, lambda flat, along: np.argpartition(flat, kth, along))


def _unsorted(ct: Any, a: Any, axis: Any, places: Any) -> Any:
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    made = np.take_along_axis(ct, np.argsort(places(flat, along), along), along)
    return (np.reshape(made, shape_of(a)) if axis is None else made,)


def where_rule(ct: Any, y: Any, condition: Any, x: Any = None, y_: Any = None, /) -> Any:
    return (
        None,
        lambda: unbroadcast(np.where(condition, ct, 0), x),
        lambda: unbroadcast(np.where(condition, 0, ct), y_),
    )


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    made = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        made = np.where(condition, choice, made)
    return made


def _choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    choices = (
        list(choices) if isinstance(choices, (list, tuple)) else [choices[i] for i in range(len(choices))]
    )
    a = np.asarray(a) if isinstance(a, (list, tuple)) else a
    if mode == "wrap":
        a = np.remainder(a, len(choices))
    made = choices[-1]
    for i in range(len(choices) - 2, -1, -1):
        made = np.where(a <= i, choices[i], made)
    return made


def _compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    return np.take(flat, np.flatnonzero(condition), along)


def _compress_method(array: Any, condition: Any, axis: Any = None) -> Any:
    return _compress(condition, array, axis)


def _extract(condition: Any, arr: Any) -> Any:
    return np.take(np.reshape(arr, (-1,)), np.flatnonzero(condition))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    low, high = options.get("min", a_min), options.get("max", a_max)
    made = a if low is None or low is np._NoValue else np.maximum(a, low)
    return made if high is None or high is np._NoValue else np.minimum(made, high)


def _clip_method(array: Any, min: Any = None, max: Any = None, **_: Any) -> Any:
    return _clip(array, min, max)


RULES: dict[Any, Any] = {
    np.take: take_rule,
    np.take_along_axis: take_along_axis_rule,
    np.sort: sort_rule,
    np.partition: partition_rule,
    np.where: where_rule,
}

DEFINITIONS: dict[Any, Any] = {
    np.select: _select,
    np.choose: _choose,
    np.compress: _compress,
    methods.compress: _compress_method,
    np.extract: _extract,
    np.clip: _clip,
    methods.clip: _clip_method,
}
