"""Array methods: the function that does the same, with the array as its first argument.

Where NumPy's function takes its arguments otherwise, an *adapter* here calls the method itself;
it has its own rule in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import StagingError
from ..types import ArrayType, ScalarType
from . import elementwise, searching
from .probing import Rule, probe
from .shapes import as_array, product
from .shaping import flat, rearranged, reshaped

PYTHON = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "U": str}


def reshape(array: Any, *shape: Any, **options: Any) -> Any:
    return array.reshape(*shape, **options)


def transpose(array: Any, *axes: Any) -> Any:
    return array.transpose(*axes)


def astype(array: Any, dtype: Any, *args: Any, **options: Any) -> Any:
    return array.astype(dtype, *args, **options)


def flatten(array: Any, order: str = "C") -> Any:
    return array.flatten(order)


def copy(array: Any, *args: Any, **options: Any) -> Any:
    return array.copy(*args, **options)  # a NumPy scalar stays one, which numpy.copy makes an array


def compress(array: Any, condition: Any, axis: Any = None) -> Any:
    return array.compress(condition, axis)


def clip(array: Any, min: Any = None, max: Any = None, **options: Any) -> Any:
    return array.clip(min, max, **options)


def item(array: Any, *index: Any) -> Any:
    return array.item(*index)


# --- their rules ------------------------------------------------------------------------------


def reshape_type(array: Any, *shape: Any, **options: Any) -> ArrayType:
    array = as_array(array)
    wanted = shape[0] if len(shape) == 1 else shape
    return ArrayType(array.dtype, reshaped(array, wanted))


def transpose_type(array: Any, *axes: Any) -> ArrayType:
    return rearranged(as_array(array), lambda labelled: labelled.transpose(*axes))


def astype_type(array: Any, dtype: Any, *args: Any, **options: Any) -> ArrayType:
    array = as_array(array)
    return ArrayType(probe(astype, array, dtype, *args, **options).dtype, array.shape)


def flatten_type(array: Any, order: str = "C") -> ArrayType:
    return ArrayType(as_array(array).dtype, flat(as_array(array)))


def copy_type(array: Any, *_: Any, **__: Any) -> ArrayType:
    return as_array(array)


def compress_type(array: Any, condition: Any, axis: Any = None) -> ArrayType:
    return searching.compress_type(condition, array, axis)


def item_type(array: Any, *index: Any) -> ScalarType:
    array = as_array(array)
    if not index and product(array.shape) not in (1, None):
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if array.dtype.kind not in PYTHON:
        raise StagingError(
            f"item() is asked of an array of dtype {array.dtype}",
            why="an element of it is no Python number, truth value or string",
            remedy="index the array, as in x[0], or convert it with astype",
        )
    return ScalarType(PYTHON[array.dtype.kind])


RULES: dict[Any, Rule] = {
    reshape: reshape_type,
    transpose: transpose_type,
    astype: astype_type,
    flatten: flatten_type,
    copy: copy_type,
    clip: elementwise.clip_type,
    compress: compress_type,
    item: item_type,
}

METHODS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(np, name)
        for name in (
            "sum prod min max any all mean std var argmin argmax cumsum cumprod trace diagonal "
            "ravel squeeze swapaxes repeat take choose nonzero searchsorted argsort argpartition "
            "round dot conj conjugate"
        ).split()
    },
    **{f.__name__: f for f in (reshape, transpose, astype, flatten, copy, clip, compress, item)},
}
for _adapter in (reshape, transpose, astype, flatten, copy, clip, compress, item):
    _adapter.__module__ = "numpy.ndarray"  # under which a graph shows it
