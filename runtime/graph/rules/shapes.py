"""Arithmetic of partially known shapes.

A *dimension* is an `int`, or `None` if it is known only at run time. A *shape* is a tuple of dimensions.
An argument is *staged* if it is or contains a type. `as_array` returns the array type that NumPy would see in
any argument, staged or not. A function whose result type depends on data has no rule: it raises
`StagingError`, with a remedy.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ...errors import StagingError, UnsupportedFunctionError, ValueNeededError
from ..ir.types import NULLABLE_TYPES, ArrayType, ListType, MaybeType, OptionalType, ScalarType, Shape

Dimension = int | None

STAGED_TYPES = (ArrayType, ScalarType, ListType, MaybeType, OptionalType)
PYTHON_SCALARS = (bool, int, float, complex, str)


def is_staged(value: Any) -> bool:
    """Return whether `value` is or contains a type, at any depth of lists and tuples."""
    if isinstance(value, (list, tuple)):
        return any(map(is_staged, value))
    return isinstance(value, STAGED_TYPES)


def map_known(function: Callable[..., int], *dims: Dimension) -> Dimension:
    """Return `function(*dims)`, or None if a dimension is unknown."""
    return None if None in dims else int(function(*dims))


def total(dims: Sequence[Dimension]) -> Dimension:
    return map_known(lambda *known: sum(known), *dims)


def element_count(dims: Sequence[Dimension]) -> Dimension:
    """Return the number of elements. It is 0 if any axis is empty, even if others are unknown."""
    return 0 if 0 in dims else map_known(lambda *known: math.prod(known), *dims)


def requested_dimension(value: Any) -> Dimension:
    """Return the dimension that an argument such as `num=` requests."""
    if isinstance(value, ScalarType) and value.python in (int, bool):
        return None
    if isinstance(value, ArrayType) and value.shape == () and value.dtype.kind in "iu":
        return None
    if isinstance(value, STAGED_TYPES):
        raise TypeError(f"'{value}' object cannot be interpreted as an integer")
    size = operator.index(value)
    if size < 0:
        raise ValueError("negative dimensions are not allowed")
    return size


def requested_shape(value: Any) -> Shape:
    """Return the shape that an argument such as `shape=` requests."""
    if isinstance(value, ArrayType) and value.shape:
        return (None,) * rank_of_shape_vector(value)
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) != 0:
        return tuple(map(requested_dimension, value))
    return (requested_dimension(value),)


def rank_of_shape_vector(vector: ArrayType) -> int:
    """Return the length of a staged shape vector, which is the rank of the result."""
    (length,) = vector.shape
    if length is None:
        raise ValueNeededError(
            "an array of unknown length cannot be used as a shape",
            why="its length is the rank of the result, which must be known before the graph runs",
            remedy="pass a tuple of numbers: (n, m)",
        )
    return length


def dimension_result(dim: Dimension) -> int | ScalarType:
    """Return a known dimension as a plain int, and an unknown one as the type of a staged int."""
    return ScalarType(int) if dim is None else dim


def format_shape(shape: Sequence[object], comma: str = ",") -> str:
    """Format a shape as NumPy's messages do. In messages from NumPy's Python code, `comma` is ", "."""
    inner = comma.join("?" if d is None else str(d) for d in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def require_plain(value: Any, name: str) -> Any:
    """Return `value`, or raise `ValueNeededError` if it is staged."""
    if is_staged(value):
        raise ValueNeededError(
            f"the argument '{name}' cannot be staged",
            why="the type of the result depends on it and must be known before the graph runs",
            remedy="pass a plain value, such as a Python number or a value computed from shapes",
        )
    return value


def normalize_axis(axis: Any, ndim: int, name: str | None = None) -> int:
    return normalize_axis_index(operator.index(require_plain(axis, "axis")), ndim, name)


def normalize_axes(axis: Any, ndim: int, name: str | None = None) -> tuple[int, ...]:
    """Return the axes that `axis=` names; `None` names all.

    For a 0-d array, many functions accept the axis 0 or -1, which then names no axis.
    """
    if axis is None or (ndim == 0 and require_plain(axis, "axis") in (0, -1)):
        return tuple(range(ndim))
    return normalize_axis_tuple(require_plain(axis, "axis"), ndim, name)


def shape_and_axis(shape: Shape, axis: Any) -> tuple[Shape, int]:
    """Return the shape and axis on which most of NumPy's C functions operate.

    If `axis` is None, they operate on the flattened array. A scalar counts as an array of one element.
    """
    if axis is None:
        return (element_count(shape),), 0
    if not shape and require_plain(axis, "axis") in (0, -1):
        return (1,), 0
    return shape, normalize_axis(axis, len(shape))


def replace_axis(shape: Shape, axis: int, *dims: Dimension) -> Shape:
    """Replace one axis of `shape` with any number of `dims`."""
    return (*shape[:axis], *dims, *shape[axis + 1 :])


def reduce_axes(shape: Shape, axes: Sequence[int], keepdims: Any = False) -> Shape:
    """Remove the reduced `axes` from `shape`, or make them 1 if `keepdims` is set."""
    keep = keepdims is not np._NoValue and bool(require_plain(keepdims, "keepdims"))
    return tuple([1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes])


def unify(dims: Sequence[Dimension]) -> tuple[Dimension, bool]:
    """Return the dimension that all `dims` must have, and whether the known ones agree."""
    known = {d for d in dims if d is not None}
    return (max(known) if known else None), len(known) <= 1


def unify_shapes(shapes: Sequence[Shape]) -> Shape | None:
    """Return the shape that all `shapes` must have, or None if they differ."""
    if len(set(map(len, shapes))) > 1:
        return None
    dims = [unify(column) for column in zip(*shapes, strict=True)]
    return tuple([dim for dim, _ in dims]) if all(agreed for _, agreed in dims) else None


def broadcast(
    *shapes: Shape, error: str = "operands could not be broadcast together with shapes {}"
) -> Shape:
    """Return the broadcast shape. `error` is NumPy's message, which differs between functions."""
    rank = max(map(len, shapes), default=0)
    result: list[Dimension] = []
    for column in zip(*((1,) * (rank - len(s)) + tuple(s) for s in shapes), strict=True):
        dim, agreed = unify([d for d in column if d != 1] or [1])
        if not agreed:
            raise ValueError(error.format("".join(f"{format_shape(s)} " for s in shapes)))
        result.append(dim)
    return tuple(result)


def broadcast_to(shape: Shape, target: Shape, error: str) -> Shape:
    """Return `target`, or raise `error` if `shape` cannot be broadcast to it."""
    surplus, padded = len(shape) - len(target), (1,) * (len(target) - len(shape)) + tuple(shape)
    fits = surplus <= 0 and all(d in (1, None) or t in (d, None) for d, t in zip(padded, target, strict=True))
    if not fits:
        raise ValueError(error)
    return target


def as_type(value: Any) -> Any:
    """Return the type of a plain result. Containers keep their structure."""
    if isinstance(value, STAGED_TYPES):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(map(as_type, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return ArrayType(value.dtype, value.shape)
    return ScalarType(type(value)) if type(value) in PYTHON_SCALARS else value


def shape_of(value: Any) -> Shape:
    if isinstance(value, ArrayType):
        return value.shape
    return () if isinstance(value, ScalarType) else as_array(value).shape


def as_array(value: Any) -> ArrayType:
    """Return the type of `np.asarray(value)`."""
    if isinstance(value, ArrayType):
        return value
    if isinstance(value, ScalarType):
        if value.python is str:
            raise UnsupportedFunctionError(
                "a staged string cannot be used as an array",
                why="its dtype depends on the string's length, which is known only when the graph runs",
                remedy="use a plain string, or numbers",
            )
        return ArrayType(np.dtype(value.python))
    if isinstance(value, NULLABLE_TYPES):
        return as_array(value.held)
    if isinstance(value, ListType):
        if value.element is None:
            raise StagingError(
                "an empty staged list cannot be used as an array",
                why="the type of its items is unknown",
                remedy="append a number or an array to it first",
            )
        element = as_array(value.element)
        return ArrayType(element.dtype, (None, *element.shape))
    if is_staged(value):
        elements = [as_array(v) for v in value]
        sample = [np.ones((), e.dtype)[()] for e in elements]
        return ArrayType(np.array(sample).dtype, (len(elements), *nested_list_shape(elements)))
    array = np.asarray(value)
    return ArrayType(array.dtype, array.shape)


def nested_list_shape(elements: Sequence[ArrayType]) -> Shape:
    """Return the common shape of the elements of a nested list."""
    columns = zip(*(e.shape for e in elements), strict=False)
    agreed = [unify(column)[0] for column in takewhile(lambda c: unify(c)[1], columns)]
    if all(e.ndim == len(agreed) for e in elements):
        return tuple(agreed)
    detected = (len(elements), *agreed)
    raise ValueError(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape "
        f"after {len(detected)} dimensions. The detected shape was "
        f"{detected} + inhomogeneous part."
    )
