"""Type rules for functions that rearrange the elements of one array.

The rule for a function that returns a *view* calls it on a view whose axis k has length 2 and stride k + 1.
The strides of the result identify the original axes. Axes of length 1 in the result are new.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from ....errors import UnsupportedFunctionError
from ...ir.types import ArrayType, Shape
from ...rules import methods
from ...rules.probing import (
    SAME_DTYPE,
    Rule,
    formula_rules,
    named_rules,
    numpy_functions,
    probe,
    rule_from_formula,
    signature,
)
from ...rules.shapes import (
    as_array,
    broadcast,
    broadcast_to,
    element_count,
    format_shape,
    is_staged,
    map_known,
    normalize_axes,
    normalize_axis,
    reduce_axes,
    replace_axis,
    requested_dimension,
    requested_shape,
    require_plain,
    shape_and_axis,
    total,
)
from ..elementwise.types import same_shape


def view_rule(function: Callable[..., Any]) -> Rule:
    """Return the rule for a function that permutes or inserts axes without copying."""
    parameters = signature(function, view_type)
    first = next(iter(parameters.parameters))

    def rule(*args: Any, **kwargs: Any) -> ArrayType:
        call = parameters.bind(*args, **kwargs).arguments
        array = as_array(call.pop(first))
        options = {name: require_plain(value, name) for name, value in call.items()}
        return view_type(array, lambda split_labels: function(split_labels, **options))

    return rule


def views_rule(function: Callable[..., Any]) -> Rule:
    """Return the rule for a function that permutes or inserts axes of each argument without copying."""

    def rule(*arrays: Any) -> Any:
        views = tuple(view_type(as_array(array), function) for array in arrays)
        return views[0] if len(views) == 1 else views

    return rule


def view_type(array: ArrayType, function: Callable[..., Any]) -> ArrayType:
    labels = range(1, array.ndim + 1)
    result = function(as_strided(np.zeros((), np.int8), (2,) * array.ndim, labels))
    pairs = zip(result.shape, result.strides, strict=True)
    shape = (array.shape[abs(stride) - 1] if size == 2 else 1 for size, stride in pairs)
    return ArrayType(array.dtype, tuple(shape))


def reshape_shape(a: ArrayType, shape: Any = None, *_: Any, newshape: Any = None, **__: Any) -> Shape:
    requested = normalize_reshape(newshape if shape is None else shape)
    if requested.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    size, rest = element_count(a.shape), element_count([d for d in requested if d not in (-1, None)])
    free = sum(d in (-1, None) for d in requested)
    if not free:
        fits = size in (None, rest)
    elif rest == 0:
        fits = -1 not in requested
    else:
        fits = map_known(operator.mod, size, rest) in (None, 0)
    if not fits:
        said = format_shape(["newaxis" if d == -1 else d for d in requested])
        raise ValueError(f"cannot reshape array of size {size} into shape {said}")
    inferred = map_known(operator.floordiv, size, rest) if free == 1 and rest != 0 else None
    return tuple(inferred if d in (-1, None) else d for d in requested)


def normalize_reshape(shape: Any) -> Shape:
    """Return a shape in which -1 stands for a dimension to infer."""
    if isinstance(shape, (list, tuple)):
        return tuple(-1 if not is_staged(d) and d < 0 else requested_dimension(d) for d in shape)
    return requested_shape(shape) if is_staged(shape) or np.ndim(shape) or shape >= 0 else (-1,)


def flattened_shape(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return (element_count(a.shape),)


def squeeze_shape(a: ArrayType, axis: Any = None) -> Shape:
    if axis is not None:
        axes = normalize_axes(axis, a.ndim)
        if any(a.shape[i] not in (1, None) for i in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return reduce_axes(a.shape, axes)
    if None in a.shape:
        raise UnsupportedFunctionError(
            "np.squeeze is called without an axis on an array with a dimension that is known only when the "
            "graph runs",
            why="it removes every axis of length one, but the rank of the result must be known before the "
            "graph runs",
            remedy="pass the axes: np.squeeze(x, axis=0)",
        )
    return tuple(d for d in a.shape if d != 1)


def tile_shape(A: ArrayType, reps: Any) -> Shape:
    times = requested_shape(reps)
    rank = max(A.ndim, len(times))
    shape = (1,) * (rank - A.ndim) + A.shape
    times = (1,) * (rank - len(times)) + times
    return tuple(element_count(pair) for pair in zip(shape, times, strict=True))


def repeat_shape(a: ArrayType, repeats: Any, axis: Any = None) -> Shape:
    shape, axis = shape_and_axis(a.shape, axis)
    length = shape[axis]
    if is_staged(repeats):
        return replace_axis(shape, axis, None)
    counts = np.asarray(repeats)
    if counts.size == 1:
        return replace_axis(shape, axis, element_count((length, requested_dimension(counts.reshape(())[()]))))
    broadcast_to(
        counts.shape,
        (length,),
        "operands could not be broadcast together with shape "
        f"{format_shape((length,))} {format_shape(counts.shape)}",
    )
    return replace_axis(shape, axis, int(counts.sum()))


def pad_shape(array: ArrayType, pad_width: Any, mode: Any = "constant", **_: Any) -> Shape:
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


def reinterpreted_type(array: Any, dtype: Any = None) -> ArrayType:
    """Return the type of an array whose memory is read as another dtype."""
    array = as_array(array)
    target = array.dtype if dtype is None else np.dtype(dtype)
    if target.itemsize != array.dtype.itemsize:
        raise UnsupportedFunctionError(
            f"a staged array of {array.dtype} is viewed as {target}",
            why="the graph has a rule only for dtypes of the same size",
            remedy="convert the values with astype, or call view through ag.py_function",
        )
    return ArrayType(probe(methods.view, array, target).dtype, array.shape)


BITS = 8


def packed_shape(a: ArrayType, axis: Any = None, bitorder: str = "big") -> Shape:
    shape, axis = shape_and_axis(a.shape, axis)
    return replace_axis(shape, axis, map_known(lambda n: -(-n // BITS), shape[axis]))


def unpacked_shape(a: ArrayType, axis: Any = None, count: Any = None, bitorder: str = "big") -> Shape:
    shape, axis = shape_and_axis(a.shape, axis)
    if count is None or (not is_staged(count) and count < 0):
        return replace_axis(shape, axis, map_known(lambda n: n * BITS + (count or 0), shape[axis]))
    return replace_axis(shape, axis, None if is_staged(count) else count)


def window_shape(x: ArrayType, window_shape: Any, axis: Any = None, **_: Any) -> Shape:
    """Return the shape of all windows of an array, whose lengths come last."""
    sample = np.broadcast_to(np.int8(1), [LONG if n is None else n for n in x.shape])
    window, axis = require_plain(window_shape, "window_shape"), require_plain(axis, "axis")
    shape = sliding_window_view(sample, window, axis).shape
    return tuple(None if x.shape[i : i + 1] == (None,) else n for i, n in enumerate(shape))


LONG = 2**15  # stands for an unknown length


def broadcast_to_shape(array: ArrayType, shape: Any, subok: bool = False) -> Shape:
    target = requested_shape(shape)
    if array.ndim > len(target):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    return broadcast_to(
        array.shape,
        target,
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{format_shape(array.shape)}  and requested shape {format_shape(target)}",
    )


def diagonal_shape(a: ArrayType, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, **_: Any) -> Shape:
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axes = normalize_axis(axis1, a.ndim, "axis1"), normalize_axis(axis2, a.ndim, "axis2")
    if axes[0] == axes[1]:
        raise ValueError("axis1 and axis2 cannot be the same")
    length = None
    if not is_staged(offset):
        sides = (a.shape[i] for i in axes)
        length = map_known(lambda n, m: max(0, min(n + min(offset, 0), m - max(offset, 0))), *sides)
    return (*reduce_axes(a.shape, axes), length)


def diag_shape(v: ArrayType, k: Any = 0) -> Shape:
    """Return the shape of the matrix that has a vector as its diagonal, or of the diagonal of a matrix."""
    if v.ndim == 2:
        return diagonal_shape(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    side = None if is_staged(k) else total((v.shape[0], abs(k)))
    return (side, side)


def broadcast_arrays_type(*args: Any, subok: bool = False) -> tuple[ArrayType, ...]:
    arrays = [as_array(a) for a in args]
    shape = broadcast_shapes([a.shape for a in arrays])
    return tuple(ArrayType(a.dtype, shape) for a in arrays)


def are_broadcastable(*shapes: Shape) -> bool:
    with suppress(ValueError):
        return broadcast(*shapes) is not None
    return False


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """Broadcast shapes. The error names the two arguments that do not match, as in some NumPy functions."""
    last = next((n for n in range(1, len(shapes) + 1) if not are_broadcastable(*shapes[:n])), 0)
    if not last:
        return broadcast(*shapes)
    first = next(i for i in range(last) if not are_broadcastable(shapes[i], shapes[last - 1]))
    raise ValueError(
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg "
        f"{first} with shape {format_shape(shapes[first], ', ')} and arg {last - 1} with shape "
        f"{format_shape(shapes[last - 1], ', ')}."
    )


RULES: dict[Any, Rule] = {
    **{
        f: view_rule(f)
        for f in numpy_functions(
            "transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis expand_dims rot90 "
            "flip fliplr flipud linalg.matrix_transpose"
        )
    },
    **formula_rules(reshape_shape, "reshape", dtype=SAME_DTYPE),
    **formula_rules(flattened_shape, "ravel", dtype=SAME_DTYPE),
    **formula_rules(squeeze_shape, "squeeze", dtype=SAME_DTYPE),
    **formula_rules(lambda a, new_shape: requested_shape(new_shape), "resize", dtype=SAME_DTYPE),
    **formula_rules(tile_shape, "tile", dtype=SAME_DTYPE),
    **formula_rules(repeat_shape, "repeat", dtype=SAME_DTYPE),
    **formula_rules(packed_shape, "packbits"),
    **formula_rules(unpacked_shape, "unpackbits"),
    **formula_rules(window_shape, "lib.stride_tricks.sliding_window_view", dtype=SAME_DTYPE),
    **formula_rules(pad_shape, "pad", dtype=SAME_DTYPE),
    **formula_rules(broadcast_to_shape, "broadcast_to", dtype=SAME_DTYPE),
    **formula_rules(same_shape, "roll fft.fftshift fft.ifftshift"),
    **formula_rules(lambda m, k=0: m.shape * 2 if m.ndim == 1 else m.shape, "tril triu"),
    **formula_rules(diagonal_shape, "diagonal", dtype=SAME_DTYPE),
    **formula_rules(
        lambda x, offset=0: diagonal_shape(x, offset, -2, -1), "linalg.diagonal", dtype=SAME_DTYPE
    ),
    **formula_rules(diag_shape, "diag", dtype=SAME_DTYPE),
    **formula_rules(
        lambda v, k=0: diag_shape(ArrayType(v.dtype, flattened_shape(v)), k), "diagflat", dtype=SAME_DTYPE
    ),
    **{f: views_rule(f) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d)},
    **named_rules(broadcast_arrays=broadcast_arrays_type),
    methods.reshape: lambda array, *shape, **options: ArrayType(
        as_array(array).dtype, reshape_shape(as_array(array), shape[0] if len(shape) == 1 else shape)
    ),
    methods.transpose: lambda array, *axes: view_type(as_array(array), lambda view: view.transpose(*axes)),
    methods.view: reinterpreted_type,
    methods.flatten: rule_from_formula(methods.flatten, flattened_shape, dtype=SAME_DTYPE),
}
