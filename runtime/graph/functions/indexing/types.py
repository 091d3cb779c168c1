"""Index arrays of triangles and diagonals, grids and concatenations by subscript, and writes at indices."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...backend.builtins import IMPLEMENTATIONS
from ...ir.types import ArrayType
from ...rules.probing import Rule, named_rules, probe
from ...rules.shapes import (
    Dimension,
    as_array,
    is_staged,
    map_known,
    requested_dimension,
    shape_of,
    unify,
)
from ...rules.writes import WRITES, WRITES_AT
from ...tracing import recording
from ...tracing.numpy_writes import record_at, record_write

INDEX = np.dtype(np.int64)


def triangle_count(rows: Dimension, columns: Dimension, k: Any) -> Dimension:
    """Return how many elements of a matrix lie on or below the diagonal `k`."""
    if is_staged(k) or rows is None or columns is None:
        return None
    return int(np.clip(np.arange(rows) + k + 1, 0, columns).sum())


def lower_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[ArrayType, ...]:
    rows, columns = requested_dimension(n), requested_dimension(n if m is None else m)
    return (ArrayType(INDEX, (triangle_count(rows, columns, k),)),) * 2


def upper_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[ArrayType, ...]:
    rows, columns = requested_dimension(n), requested_dimension(n if m is None else m)
    below = None if is_staged(k) else triangle_count(rows, columns, k - 1)
    count = None if below is None else map_known(lambda r, c: r * c - below, rows, columns)
    return (ArrayType(INDEX, (count,)),) * 2


def of_matrix(function: Callable[..., Any], rule: Rule) -> Rule:
    """Return the rule of a function that takes the sides of a triangle from a matrix."""

    def matrix_rule(arr: Any, k: Any = 0) -> Any:
        shape = shape_of(arr)
        if len(shape) != 2:
            probe(function, arr)
        return tuple(
            ArrayType(part.dtype, (None,) if None in shape else part.shape)
            for part in rule(shape[0] or 0, k, shape[1] or 0)
        )

    return matrix_rule


def diagonal_indices_from(arr: Any) -> tuple[ArrayType, ...]:
    shape = shape_of(arr)
    side, agreed = unify(shape)
    if len(shape) < 2 or not agreed:
        np.diag_indices_from(np.empty([0 if d is None else min(d, 1 + i) for i, d in enumerate(shape)]))
        raise ValueError("All dimensions of input must be of equal length")
    return (ArrayType(INDEX, (side,)),) * len(shape)


def written_type(array: Any, *_: Any, **__: Any) -> ArrayType:
    return as_array(array)


RULES: dict[Any, Rule] = {
    **named_rules(
        tril_indices=lower_indices,
        triu_indices=upper_indices,
        tril_indices_from=of_matrix(np.tril_indices_from, lower_indices),
        triu_indices_from=of_matrix(np.triu_indices_from, upper_indices),
        diag_indices=lambda n, ndim=2: (ArrayType(INDEX, (requested_dimension(n),)),) * ndim,
        diag_indices_from=diagonal_indices_from,
    ),
    **dict.fromkeys((*WRITES.values(), *WRITES_AT.values()), written_type),
}


# Subscripts of `np.r_`, `np.c_`, `np.mgrid` and `np.ogrid`


def concatenated(concatenator: Any, key: Any) -> Any:
    """Return `np.r_[key]` or `np.c_[key]`."""
    axis, rank, position = concatenator.axis, concatenator.ndmin, concatenator.trans1d
    parts: list[Any] = []
    for number, part in enumerate(key if isinstance(key, tuple) else (key,)):
        if isinstance(part, str):
            if number:
                raise ValueError("special directives must be the first entry.")
            if "," in part:
                axis, rank, *place = map(int, part.split(","))
                position = place[0] if place else position
            else:
                axis = int(part)
            continue
        if isinstance(part, slice):
            part = spaced(part)
        parts.append(part)
    dtype = np.result_type(*parts)
    arrays = [with_rank(part, rank, position, dtype) for part in parts]
    return recording.call(np.concatenate, (arrays,), {"axis": axis})


def with_rank(part: Any, rank: int, position: int, dtype: Any) -> Any:
    """Return an array of at least `rank` dimensions, the first of its own axes at `position`."""
    array = recording.call(np.array, (part,), {"ndmin": rank, "dtype": dtype})
    own = np.ndim(part)
    if not 0 < own < rank or position == -1:
        return array
    added = rank - own
    start = position if position >= 0 else position + added + 1
    axes = list(range(rank))
    return np.transpose(array, axes[:start] + axes[added:] + axes[start:added])


def spaced(part: slice) -> Any:
    start = 0 if part.start is None else part.start
    if isinstance(part.step, complex):
        return recording.call(np.linspace, (start, part.stop), {"num": int(abs(part.step))})
    return recording.call(np.arange, (start, part.stop, 1 if part.step is None else part.step), {})


def grid(maker: Any, key: Any) -> Any:
    """Return `np.mgrid[key]` or `np.ogrid[key]`."""
    if isinstance(key, slice):
        return spaced_alone(key)
    bounds, sizes, steps = [], [], []
    for part in key:
        start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
        if isinstance(step, complex):
            step = abs(step)
            sizes.append(int(step))
            steps.append((part.stop - start) / float(int(step) - 1) if int(step) != 1 else 1)
        else:
            sizes.append(IMPLEMENTATIONS[math.ceil]((part.stop - start) / step))
            steps.append(step)
        bounds += [start, part.stop, step]
    dtype = np.result_type(0, *bounds)
    starts = bounds[::3]
    if not maker.sparse:
        result = recording.call(np.indices, (sizes, dtype), {})
        for i, (start, step) in enumerate(zip(starts, steps, strict=True)):
            result[i] = result[i] * step + start
        return result
    axes = [recording.call(np.arange, (size,), {"dtype": dtype}) for size in sizes]
    shapes = [[1] * i + [-1] + [1] * (len(axes) - i - 1) for i in range(len(axes))]
    return tuple(
        np.reshape(axis * step + start, shape)
        for axis, step, start, shape in zip(axes, steps, starts, shapes, strict=True)
    )


def spaced_alone(part: slice) -> Any:
    if not isinstance(part.step, complex):
        return spaced(part)
    start, length = 0 if part.start is None else part.start, int(abs(part.step))
    step = (part.stop - start) / float(length - 1) if length != 1 else 1
    dtype = np.result_type(start, part.stop, abs(part.step))
    return recording.call(np.arange, (0, length, 1), {"dtype": dtype}) * step + start


def mask_indices(n: Any, mask_func: Callable[..., Any], k: Any = 0) -> Any:
    return np.nonzero(mask_func(recording.call(np.ones, ((n, n), int), {}), k) != 0)


COMPOSITIONS: dict[Any, Callable[..., Any]] = {
    **{f: partial(record_write, f, written) for f, written in WRITES.items()},
    np.ufunc.at: record_at,
    type(np.r_).__getitem__: concatenated,
    type(np.mgrid).__getitem__: grid,
    np.mask_indices: mask_indices,
}
