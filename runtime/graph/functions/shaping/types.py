"""Functions that rearrange elements within one array.

A function that returns a *view* with rearranged axes is run on a view whose strides are labels:
axis k strides k + 1 bytes, so the strides of the result tell where its axes come from. An axis
of length one there is new.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...errors import UnsupportedFunctionError
from ..types import ArrayType, Shape
from .elementwise import like
from .probing import SAME, Rule, family, functions, named, signature
from .shapes import (
    Dimension,
    all_axes,
    as_array,
    broadcast,
    broadcast_to,
    dimension,
    dimensions,
    is_staged,
    lift,
    line,
    one_axis,
    product,
    replaced,
    shown,
    static,
    total,
    without,
)

# --- views -----------------------------------------------------------------------------------


def view(function: Callable[..., Any]) -> Rule:
    """The rule of a function that rearranges axes, may add some, and copies nothing."""
    parameters = signature(function, rearranged)
    first = next(iter(parameters.parameters))

    def rule(*args: Any, **kwargs: Any) -> ArrayType:
        call = parameters.bind(*args, **kwargs).arguments
        array = as_array(call.pop(first))
        options = {name: static(value, name) for name, value in call.items()}
        return rearranged(array, lambda labelled: function(labelled, **options))

    return rule


def view_of_each(function: Callable[..., Any]) -> Rule:
    """The rule of a function that makes such a view of each of its arguments."""

    def rule(*arrays: Any) -> Any:
        views = tuple(rearranged(as_array(array), function) for array in arrays)
        return views[0] if len(views) == 1 else views

    return rule


def rearranged(array: ArrayType, function: Callable[..., Any]) -> ArrayType:
    labels = range(1, array.ndim + 1)
    seen = function(as_strided(np.zeros((), np.int8), (2,) * array.ndim, labels))
    pairs = zip(seen.shape, seen.strides, strict=True)
    shape = (array.shape[abs(stride) - 1] if size == 2 else 1 for size, stride in pairs)
    return ArrayType(array.dtype, tuple(shape))


# --- one array in another shape ----------------------------------------------------------------


def reshaped(a: ArrayType, shape: Any = None, *_: Any, newshape: Any = None, **__: Any) -> Shape:
    wanted = requested(newshape if shape is None else shape)
    if wanted.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    size, rest = product(a.shape), product([d for d in wanted if d not in (-1, None)])
    free = sum(d in (-1, None) for d in wanted)
    if not free:
        fits = size in (None, rest)
    elif rest == 0:
        fits = -1 not in wanted
    else:
        fits = lift(operator.mod, size, rest) in (None, 0)
    if not fits:
        said = shown(["newaxis" if d == -1 else d for d in wanted])
        raise ValueError(f"cannot reshape array of size {size} into shape {said}")
    inferred = lift(operator.floordiv, size, rest) if free == 1 and rest != 0 else None
    return tuple(inferred if d in (-1, None) else d for d in wanted)


def requested(shape: Any) -> Shape:
    """A shape in which -1 may stand for the dimension that follows from the others."""
    if isinstance(shape, (list, tuple)):
        return tuple(-1 if not is_staged(d) and d < 0 else dimension(d) for d in shape)
    return dimensions(shape) if is_staged(shape) or np.ndim(shape) or shape >= 0 else (-1,)


def flat(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return (product(a.shape),)


def squeezed(a: ArrayType, axis: Any = None) -> Shape:
    if axis is not None:
        axes = all_axes(axis, a.ndim)
        if any(a.shape[i] not in (1, None) for i in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return without(a.shape, axes)
    if None in a.shape:
        raise UnsupportedFunctionError(
            "np.squeeze without an axis, of an array with a length that is known only when the graph runs",
            why="it drops every axis of length one, and the number of dimensions must be known before",
            remedy="name the axes: np.squeeze(x, axis=0)",
        )
    return tuple(d for d in a.shape if d != 1)


def resized(a: ArrayType, new_shape: Any) -> Shape:
    return dimensions(new_shape)


def tiled(A: ArrayType, reps: Any) -> Shape:
    times = dimensions(reps)
    rank = max(A.ndim, len(times))
    shape = (1,) * (rank - A.ndim) + A.shape
    times = (1,) * (rank - len(times)) + times
    return tuple(product(pair) for pair in zip(shape, times, strict=True))


def repeated(a: ArrayType, repeats: Any, axis: Any = None) -> Shape:
    shape, axis = line(a.shape, axis)
    length = shape[axis]
    if is_staged(repeats):
        return replaced(shape, axis, None)
    counts = np.asarray(repeats)
    if counts.size == 1:
        return replaced(shape, axis, product((length, dimension(counts.reshape(())[()]))))
    broadcast_to(
        counts.shape,
        (length,),
        f"operands could not be broadcast together with shape {shown((length,))} {shown(counts.shape)}",
    )
    return replaced(shape, axis, int(counts.sum()))


def padded(array: ArrayType, pad_width: Any, mode: Any = "constant", **_: Any) -> Shape:
    if is_staged(pad_width):
        return (None,) * array.ndim
    if isinstance(pad_width, dict):
        widths = np.zeros((array.ndim, 2), int)
        for axis, width in pad_width.items():
            widths[axis] = width
        pad_width = widths
    else:
        widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2))
    if (np.asarray(pad_width) < 0).any():
        raise ValueError("index can't contain negative values")
    for axis, (size, width) in enumerate(zip(array.shape, widths, strict=True)):
        if size == 0 and width.any() and mode not in ("constant", "empty"):
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    return tuple(total((d, *map(int, w))) for d, w in zip(array.shape, widths, strict=True))


def stretched(array: ArrayType, shape: Any, subok: bool = False) -> Shape:
    target = dimensions(shape)
    if array.ndim > len(target):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    return broadcast_to(
        array.shape,
        target,
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{shown(array.shape)}  and requested shape {shown(target)}",
    )


def triangle(m: ArrayType, k: Any = 0) -> Shape:
    """Like a matrix, or a stack of them; a vector is broadcast to a square first."""
    return m.shape * 2 if m.ndim == 1 else m.shape


# --- diagonals --------------------------------------------------------------------------------


def diagonal_length(rows: Dimension, columns: Dimension, offset: Any) -> Dimension:
    if is_staged(offset):
        return None
    return lift(lambda n, m: max(0, min(n + min(offset, 0), m - max(offset, 0))), rows, columns)


def diagonal(a: ArrayType, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, **_: Any) -> Shape:
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axes = one_axis(axis1, a.ndim, "axis1"), one_axis(axis2, a.ndim, "axis2")
    if axes[0] == axes[1]:
        raise ValueError("axis1 and axis2 cannot be the same")
    rows, columns = (a.shape[i] for i in axes)
    return (*without(a.shape, axes), diagonal_length(rows, columns, offset))


def diagonal_of_matrices(x: ArrayType, offset: Any = 0) -> Shape:
    return diagonal(x, offset, -2, -1)


def diag(v: ArrayType, k: Any = 0) -> Shape:
    """A vector becomes a matrix, and a matrix its diagonal."""
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    side = None if is_staged(k) else total((v.shape[0], abs(k)))
    return (side, side)


def diagflat(v: ArrayType, k: Any = 0) -> Shape:
    return diag(ArrayType(v.dtype, flat(v)), k)


# --- several arrays ---------------------------------------------------------------------------


def broadcast_arrays_type(*args: Any, subok: bool = False) -> tuple[ArrayType, ...]:
    arrays = [as_array(a) for a in args]
    shape = common_shape([a.shape for a in arrays])
    return tuple(ArrayType(a.dtype, shape) for a in arrays)


def common_shape(shapes: Sequence[Shape]) -> Shape:
    """The broadcast shape, with the error of those functions that name the two at odds."""
    for last in range(1, len(shapes) + 1):
        try:
            shape = broadcast(*shapes[:last])
        except ValueError:
            break
    else:
        return shape if shapes else ()
    first = next(i for i in range(last) if not compatible(shapes[i], shapes[last - 1]))
    raise ValueError(
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg "
        f"{first} with shape {shown(shapes[first], ', ')} and arg {last - 1} with shape "
        f"{shown(shapes[last - 1], ', ')}."
    )


def compatible(*shapes: Shape) -> bool:
    try:
        broadcast(*shapes)
    except ValueError:
        return False
    return True


RULES: dict[Any, Rule] = {
    **{
        f: view(f)
        for f in functions(
            "transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis expand_dims rot90 "
            "flip fliplr flipud linalg.matrix_transpose"
        )
    },
    **family(reshaped, "reshape", dtype=SAME),
    **family(flat, "ravel", dtype=SAME),
    **family(squeezed, "squeeze", dtype=SAME),
    **family(resized, "resize", dtype=SAME),
    **family(tiled, "tile", dtype=SAME),
    **family(repeated, "repeat", dtype=SAME),
    **family(padded, "pad", dtype=SAME),
    **family(stretched, "broadcast_to", dtype=SAME),
    **family(like, "roll fft.fftshift fft.ifftshift"),
    **family(triangle, "tril triu"),
    **family(diagonal, "diagonal", dtype=SAME),
    **family(diagonal_of_matrices, "linalg.diagonal", dtype=SAME),
    **family(diag, "diag", dtype=SAME),
    **family(diagflat, "diagflat", dtype=SAME),
    **named(
        atleast_1d=view_of_each(np.atleast_1d),
        atleast_2d=view_of_each(np.atleast_2d),
        atleast_3d=view_of_each(np.atleast_3d),
    ),
    **named(broadcast_arrays=broadcast_arrays_type),
}
