"""Type rules for products of arrays: contractions of shared axes, and outer products."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError
from ...ir.types import ArrayType, Shape
from ...rules.probing import Rule, formula_rules, named_rules, probe
from ...rules.shapes import (
    Dimension,
    as_array,
    broadcast,
    dimension_result,
    element_count,
    format_shape,
    map_known,
    normalize_axis,
    reduce_axes,
    replace_axis,
    require_plain,
    unify,
)
from ...rules.ufuncs import ufunc_type
from ..shaping.types import broadcast_shapes, flattened_shape


def check_aligned(a: Shape, b: Shape, axis_a: int, axis_b: int) -> None:
    """Raise NumPy's error if the contracted axes differ in length."""
    if not unify((a[axis_a], b[axis_b]))[1]:
        raise ValueError(
            f"shapes {format_shape(a)} and {format_shape(b)} not aligned: "
            f"{a[axis_a]} (dim {axis_a % len(a)}) "
            f"!= {b[axis_b]} (dim {axis_b % len(b)})"
        )


def dot_shape(a: ArrayType, b: ArrayType, **_: Any) -> Shape:
    """Contract the last axis of `a` with the second-to-last axis of `b`, or the only axis of a vector `b`."""
    if not a.shape or not b.shape:
        return broadcast(a.shape, b.shape)
    axis = max(b.ndim - 2, 0)
    check_aligned(a.shape, b.shape, a.ndim - 1, axis)
    return (*a.shape[:-1], *replace_axis(b.shape, axis))


def linalg_outer_shape(x1: ArrayType, x2: ArrayType) -> Shape:
    if (x1.ndim, x2.ndim) != (1, 1):
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}."
        )
    return x1.shape + x2.shape


def vdot_shape(a: ArrayType, b: ArrayType) -> Shape:
    """Check that both arrays have the same size. NumPy reports a mismatch as an error from `reshape`."""
    sizes = element_count(a.shape), element_count(b.shape)
    if not unify(sizes)[1]:
        raise ValueError(f"cannot reshape array of size {sizes[1]} into shape {format_shape(sizes[:1])}")
    return ()


def kron_shape(a: ArrayType, b: ArrayType) -> Shape:
    rank = max(a.ndim, b.ndim)
    pad_shape = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
    return tuple(map(element_count, zip(*pad_shape, strict=True)))


def tensordot_type(a: Any, b: Any, axes: Any = 2) -> ArrayType:
    a, b = as_array(a), as_array(b)
    left, right = contracted_axes(axes)
    matched = len(left) == len(right) and all(
        unify((a.shape[i], b.shape[j]))[1] for i, j in zip(left, right, strict=True)
    )
    if not matched:
        raise ValueError("shape-mismatch for sum")
    free = (
        *reduce_axes(a.shape, [i % a.ndim for i in left]),
        *reduce_axes(b.shape, [i % b.ndim for i in right]),
    )
    return ArrayType(np.dot(np.ones(1, a.dtype), np.ones(1, b.dtype)).dtype, free)


def contracted_axes(axes: Any) -> Sequence[Sequence[int]]:
    """Return the contracted axes of each array, given their number or two lists."""
    try:
        left, right = require_plain(axes, "axes")
    except TypeError:
        count = operator.index(axes)
        return range(-count, 0), range(count)
    return [[side] if np.ndim(side) == 0 else list(side) for side in (left, right)]


def cross_shape(
    a: ArrayType,
    b: ArrayType,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Shape:
    if axis is not None:
        axisa = axisb = axisc = axis
    if not a.shape or not b.shape:
        raise ValueError("At least one array has zero dimension")
    axisa, axisb = normalize_axis(axisa, a.ndim, "axisa"), normalize_axis(axisb, b.ndim, "axisb")
    part_lengths = a.shape[axisa], b.shape[axisb]
    if any(n not in (2, 3, None) for n in part_lengths):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if None in part_lengths and 3 not in part_lengths:
        raise UnsupportedFunctionError(
            "np.cross is called on vectors whose length is known only when the graph runs",
            why="the cross product is a vector for vectors of length 3, but a number for length 2",
            remedy="give the arrays a known last dimension: x.reshape(-1, 3)",
        )
    shape = broadcast_shapes([replace_axis(a.shape, axisa), replace_axis(b.shape, axisb)])
    if part_lengths == (2, 2):
        return shape
    axisc = normalize_axis(axisc, len(shape) + 1, "axisc")
    return (*shape[:axisc], 3, *shape[axisc:])


def linalg_cross_shape(x1: ArrayType, x2: ArrayType, axis: int = -1) -> Shape:
    part_lengths = x1.shape[axis], x2.shape[axis]
    if any(n not in (3, None) for n in part_lengths):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {part_lengths[0]} and {part_lengths[1]} dimensional instead."
        )
    return cross_shape(x1, x2, axis=axis)


def cross_type(a: Any, b: Any, *args: Any, formula: Any = cross_shape, **options: Any) -> ArrayType:
    left, right = as_array(a), as_array(b)
    shape = formula(left, right, *args, **options)
    result = np.multiply(*(np.ones((), x.dtype) for x in (left, right)))
    # NumPy subtracts in place and raises its own error for booleans.
    np.subtract(result, result)
    return ArrayType(result.dtype, shape)


def multi_dot_type(arrays: Any, *, out: Any = None) -> ArrayType:
    chain = [as_array(a) for a in arrays]
    result = probe(np.linalg.multi_dot, chain)
    shape = chain[0].shape
    for factor in chain[1:]:
        shape = dot_shape(ArrayType(factor.dtype, shape), factor)
    return ArrayType(result.dtype, shape)


def einsum_type(*operands: Any, out: Any = None, optimize: Any = False, **options: Any) -> ArrayType:
    """Let NumPy check the subscripts in a probe, then compute the shape from the labels."""
    if isinstance(operands[0], str):
        subscripts, arrays = operands[0], list(map(as_array, operands[1:]))
    else:
        arrays = list(map(as_array, operands[: len(operands) // 2 * 2 : 2]))
        subscripts = subscripts_from_lists(operands)
    result = probe(np.einsum, subscripts, *arrays, **options)
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, output = subscripts.partition("->")
    sizes: dict[str, Dimension] = {}
    rests: list[Shape] = []
    for term, array in zip(inputs.split(","), arrays, strict=True):
        labels, rest = split_labels(term, array.shape)
        rests.append(rest)
        for label, size in labels:
            merged, agreed = unify([d for d in (sizes.get(label, 1), size) if d != 1] or [1])
            if not agreed:
                raise ValueError(
                    "operands could not be broadcast together: einsum label "
                    f"{label!r} is {sizes[label]} and {size}"
                )
            sizes[label] = merged
    if not arrow:
        single_labels = sorted(c for c in sizes if inputs.count(c) == 1)
        output = ("..." if "..." in inputs else "") + "".join(single_labels)
    before, dots, after = output.partition("...")
    rest = broadcast(*rests) if dots else ()
    shape = (*(sizes[c] for c in before), *rest, *(sizes[c] for c in after))
    return ArrayType(result.dtype, shape)


def split_labels(term: str, shape: Shape) -> tuple[list[tuple[str, Dimension]], Shape]:
    """Return the labels of one operand with their dimensions, and the dimensions of its `...`."""
    before, _, after = term.partition("...")
    end = len(shape) - len(after)
    pairs = [*zip(before, shape, strict=False), *zip(after, shape[end:], strict=True)]
    return pairs, shape[len(before) : end]


def subscripts_from_lists(operands: Sequence[Any]) -> str:
    """Return the subscripts as text for a call that passes lists of numbers."""
    pairs = operands[1 : len(operands) // 2 * 2 : 2]
    lists = [*pairs, *operands[len(operands) // 2 * 2 :]]
    labels = {n: chr(ord("A") + n) if n < 26 else chr(ord("a") + n - 26) for n in range(52)}
    texts = ["".join("..." if n is Ellipsis else labels[n] for n in part) for part in lists]
    inputs = ",".join(texts[: len(pairs)])
    return f"{inputs}->{texts[-1]}" if len(texts) > len(pairs) else inputs


def sliding_shape(names: tuple[str, str], a: ArrayType, v: ArrayType, *, mode: str) -> Shape:
    """Return the shape of a convolution or correlation. `names` are the arrays' names in errors."""
    sizes = [x.shape[0] if x.shape else 1 for x in (a, v)]
    for size, name in zip(sizes, names, strict=True):
        if size == 0:
            raise ValueError(f"{name} cannot be empty")
    part_lengths: dict[str, Callable[[int, int], int]] = {
        "full": lambda n, m: n + m - 1,
        "same": max,
        "valid": lambda n, m: abs(n - m) + 1,
    }
    return (map_known(part_lengths[mode], *sizes),)


def einsum_path_result(*operands: Any, **options: Any) -> Any:
    """Return the order of contractions, which depends on the shapes alone."""

    def sample(operand: Any) -> Any:
        if not isinstance(operand, ArrayType):
            return operand
        lengths = [require_plain(dimension_result(n), "the shape of an operand") for n in operand.shape]
        return np.broadcast_to(np.ones((), operand.dtype), lengths)

    return np.einsum_path(*map(sample, operands), **options)


RULES: dict[Any, Rule] = {
    **formula_rules(dot_shape, "dot", arrays=("a", "b")),
    # The dot product with the last two axes of `b` swapped.
    **formula_rules(
        lambda a, b, /: dot_shape(a, ArrayType(b.dtype, (*b.shape[:-2], *b.shape[:-3:-1]))),
        "inner",
        arrays=("a", "b"),
    ),
    **formula_rules(vdot_shape, "vdot", arrays=("a", "b")),
    **formula_rules(lambda a, b, **_: flattened_shape(a) + flattened_shape(b), "outer", arrays=("a", "b")),
    **formula_rules(linalg_outer_shape, "linalg.outer", arrays=("x1", "x2")),
    **formula_rules(kron_shape, "kron", arrays=("a", "b")),
    **formula_rules(partial(sliding_shape, ("a", "v"), mode="full"), "convolve", arrays=("a", "v")),
    **formula_rules(
        partial(sliding_shape, ("first array argument", "second array argument"), mode="valid"),
        "correlate",
        arrays=("a", "v"),
    ),
    **named_rules(
        tensordot=tensordot_type,
        linalg__tensordot=tensordot_type,
        cross=cross_type,
        linalg__cross=partial(cross_type, formula=linalg_cross_shape),
        linalg__multi_dot=multi_dot_type,
        einsum=einsum_type,
        einsum_path=einsum_path_result,
        linalg__matmul=lambda x1, x2, /: ufunc_type(np.matmul, "__call__", (x1, x2), {}),
        linalg__vecdot=lambda x1, x2, /, *, axis=-1: ufunc_type(
            np.vecdot, "__call__", (x1, x2), {"axis": axis}
        ),
    ),
}
