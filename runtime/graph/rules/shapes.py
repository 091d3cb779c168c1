"""Arithmetic of shapes that are partly known.

A *dimension* is an `int`, or `None` when only run time tells. A *shape* is a tuple of dimensions.
An argument is *staged* when a type stands in its place; `as_array` gives the array type that NumPy
would see in any argument, staged or not. A result whose type depends on data has no rule: it
raises `StagingError`, with the remedy.
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
from ..types import ArrayType, ListType, MaybeType, ScalarType, Shape

Dimension = int | None

STAGED = (ArrayType, ScalarType, ListType, MaybeType)
SCALARS = (bool, int, float, complex, str)


def is_staged(value: Any) -> bool:
    """Whether a type stands in `value`, at any depth of lists and tuples."""
    if isinstance(value, (list, tuple)):
        return any(map(is_staged, value))
    return isinstance(value, STAGED)


# --- dimensions ------------------------------------------------------------------------------


def lift(function: Callable[..., int], *dims: Dimension) -> Dimension:
    """`function(*dims)` if all are known."""
    return None if None in dims else int(function(*dims))


def total(dims: Sequence[Dimension]) -> Dimension:
    return lift(lambda *known: sum(known), *dims)


def product(dims: Sequence[Dimension]) -> Dimension:
    """The number of elements; an empty axis settles it whatever the others are."""
    return 0 if 0 in dims else lift(lambda *known: math.prod(known), *dims)


def dimension(value: Any) -> Dimension:
    """The dimension that an argument such as `num=` asks for."""
    if isinstance(value, ScalarType) and value.python in (int, bool):
        return None
    if isinstance(value, ArrayType) and value.shape == () and value.dtype.kind in "iu":
        return None
    if isinstance(value, STAGED):
        raise TypeError(f"'{value}' object cannot be interpreted as an integer")
    size = operator.index(value)
    if size < 0:
        raise ValueError("negative dimensions are not allowed")
    return size


def dimensions(value: Any) -> Shape:
    """The shape that an argument such as `shape=` asks for."""
    if isinstance(value, ArrayType) and value.shape:
        return (None,) * rank_from(value)
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) != 0:
        return tuple(map(dimension, value))
    return (dimension(value),)


def rank_from(vector: ArrayType) -> int:
    """How many dimensions, or places, a staged vector of them holds."""
    (length,) = vector.shape
    if length is None:
        raise ValueNeededError(
            "an array whose length is known only when the graph runs is used as a shape",
            why="it says how many dimensions the result has, which must be known before",
            remedy="give a tuple of numbers: (n, m)",
        )
    return length


def staged_size(dim: Dimension) -> int | ScalarType:
    """A dimension as a result: a plain number if it is known."""
    return ScalarType(int) if dim is None else dim


def shown(shape: Sequence[object], comma: str = ",") -> str:
    """A shape as NumPy's messages write it; those of its Python code have a space in it."""
    inner = comma.join("?" if d is None else str(d) for d in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


# --- axes ------------------------------------------------------------------------------------


def static(value: Any, name: str) -> Any:
    """`value`, which must not be staged."""
    if is_staged(value):
        raise ValueNeededError(
            f"the argument '{name}' is staged",
            why="the type of the result depends on it, and is known before the graph runs",
            remedy="give it a plain value: a Python number among the arguments, or one that "
            "is computed from shapes",
        )
    return value


def one_axis(axis: Any, ndim: int, name: str | None = None) -> int:
    return normalize_axis_index(operator.index(static(axis, "axis")), ndim, name)


def all_axes(axis: Any, ndim: int, name: str | None = None) -> tuple[int, ...]:
    """The axes that `axis=` names; `None` names all.

    An array without axes takes the axis 0 or -1 from many functions, for none.
    """
    if axis is None or (ndim == 0 and static(axis, "axis") in (0, -1)):
        return tuple(range(ndim))
    return normalize_axis_tuple(static(axis, "axis"), ndim, name)


def line(shape: Shape, axis: Any) -> tuple[Shape, int]:
    """The shape and the axis that most of NumPy's C functions work along.

    Without an axis, all elements are one line; a number is a line of one.
    """
    if axis is None:
        return (product(shape),), 0
    if not shape and static(axis, "axis") in (0, -1):
        return (1,), 0
    return shape, one_axis(axis, len(shape))


def replaced(shape: Shape, axis: int, *dims: Dimension) -> Shape:
    """`shape` with `dims`, none or more, in the place of one axis."""
    return (*shape[:axis], *dims, *shape[axis + 1 :])


def without(shape: Shape, axes: Sequence[int], keepdims: Any = False) -> Shape:
    """`shape` after `axes` were reduced."""
    keep = keepdims is not np._NoValue and bool(static(keepdims, "keepdims"))
    kept = [1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes]
    return tuple(kept)


# --- agreement -------------------------------------------------------------------------------


def same(dims: Sequence[Dimension]) -> tuple[Dimension, bool]:
    """The dimension that all `dims` must be, and whether those that are known agree."""
    known = {d for d in dims if d is not None}
    return (max(known) if known else None), len(known) <= 1


def broadcast(
    *shapes: Shape, error: str = "operands could not be broadcast together with shapes {}"
) -> Shape:
    """The common shape; `error` is NumPy's message, which depends on who broadcasts."""
    rank = max(map(len, shapes), default=0)
    result: list[Dimension] = []
    for column in zip(*((1,) * (rank - len(s)) + tuple(s) for s in shapes), strict=True):
        dim, agreed = same([d for d in column if d != 1] or [1])
        if not agreed:
            raise ValueError(error.format("".join(f"{shown(s)} " for s in shapes)))
        result.append(dim)
    return tuple(result)


def broadcast_to(shape: Shape, target: Shape, error: str) -> Shape:
    """`target`, made as known as both say; `error` if `shape` cannot be stretched to it."""
    surplus, padded = len(shape) - len(target), (1,) * (len(target) - len(shape)) + tuple(shape)
    fits = surplus <= 0 and all(d in (1, None) or t in (d, None) for d, t in zip(padded, target, strict=True))
    if not fits:
        raise ValueError(error)
    return target


# --- what NumPy sees in an argument ----------------------------------------------------------


def as_type(value: Any) -> Any:
    """The type of a plain result; containers keep their form."""
    if isinstance(value, STAGED):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(map(as_type, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return ArrayType(value.dtype, value.shape)
    return ScalarType(type(value)) if type(value) in SCALARS else value


def shape_of(value: Any) -> Shape:
    if isinstance(value, ArrayType):
        return value.shape
    return () if isinstance(value, ScalarType) else as_array(value).shape


def as_array(value: Any) -> ArrayType:
    """The type of `np.asarray(value)`."""
    if isinstance(value, ArrayType):
        return value
    if isinstance(value, ScalarType):
        if value.python is str:
            raise UnsupportedFunctionError(
                "a staged string is used as an array",
                why="its width is known only when the graph runs",
                remedy="use a plain string, or numbers",
            )
        return ArrayType(np.dtype(value.python))
    if isinstance(value, MaybeType):
        return as_array(value.held)
    if isinstance(value, ListType):
        if value.element is None:
            raise StagingError(
                "an empty staged list is used as an array",
                why="the type of its items is not known",
                remedy="append a number or an array to it first",
            )
        element = as_array(value.element)
        return ArrayType(element.dtype, (None, *element.shape))
    if is_staged(value):
        elements = [as_array(v) for v in value]
        sample = [np.ones((), e.dtype)[()] for e in elements]
        return ArrayType(np.array(sample).dtype, (len(elements), *stacked(elements)))
    array = np.asarray(value)
    return ArrayType(array.dtype, array.shape)


def stacked(elements: Sequence[ArrayType]) -> Shape:
    """The one shape of the elements of a nested list."""
    columns = zip(*(e.shape for e in elements), strict=False)
    agreed = [same(column)[0] for column in takewhile(lambda c: same(c)[1], columns)]
    if all(e.ndim == len(agreed) for e in elements):
        return tuple(agreed)
    detected = (len(elements), *agreed)
    raise ValueError(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape "
        f"after {len(detected)} dimensions. The detected shape was "
        f"{detected} + inhomogeneous part."
    )
