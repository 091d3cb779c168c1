"""Products of arrays: sums over axes that two arrays share, and their outer relatives."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ..types import ArrayType, Shape
from .probing import Rule, family, named, probe
from .shapes import (
    Dimension,
    as_array,
    broadcast,
    lift,
    one_axis,
    product,
    replaced,
    same,
    shown,
    static,
    without,
)
from .shaping import common_shape, flat
from .ufuncs import ufunc_type


def aligned(a: Shape, b: Shape, axis_a: int, axis_b: int) -> None:
    """Raise if the axes that a product sums over differ in length."""
    if not same((a[axis_a], b[axis_b]))[1]:
        raise ValueError(
            f"shapes {shown(a)} and {shown(b)} not aligned: {a[axis_a]} (dim {axis_a % len(a)}) "
            f"!= {b[axis_b]} (dim {axis_b % len(b)})"
        )


def dotted(a: ArrayType, b: ArrayType, **_: Any) -> Shape:
    """The last axis of `a` with the last but one of `b`, or with its only one."""
    if not a.shape or not b.shape:
        return broadcast(a.shape, b.shape)
    axis = max(b.ndim - 2, 0)
    aligned(a.shape, b.shape, a.ndim - 1, axis)
    return (*a.shape[:-1], *replaced(b.shape, axis))


def inner(a: ArrayType, b: ArrayType) -> Shape:
    """The dot product with the last two axes of `b` swapped."""
    swapped = (*b.shape[:-2], *b.shape[:-3:-1])
    return dotted(a, ArrayType(b.dtype, swapped))


def vdot(a: ArrayType, b: ArrayType) -> Shape:
    """Both are flattened; the words of the mismatch are those of NumPy's reshape."""
    sizes = product(a.shape), product(b.shape)
    if not same(sizes)[1]:
        raise ValueError(f"cannot reshape array of size {sizes[1]} into shape {shown(sizes[:1])}")
    return ()


def outer(a: ArrayType, b: ArrayType, **_: Any) -> Shape:
    return flat(a) + flat(b)


def vectors_outer(x1: ArrayType, x2: ArrayType) -> Shape:
    if (x1.ndim, x2.ndim) != (1, 1):
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}."
        )
    return outer(x1, x2)


def kron(a: ArrayType, b: ArrayType) -> Shape:
    rank = max(a.ndim, b.ndim)
    padded = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
    return tuple(map(product, zip(*padded, strict=True)))


def tensordot(a: ArrayType, b: ArrayType, axes: Any = 2) -> Shape:
    left, right = summed(axes)
    matched = len(left) == len(right) and all(
        same((a.shape[i], b.shape[j]))[1] for i, j in zip(left, right, strict=True)
    )
    if not matched:
        raise ValueError("shape-mismatch for sum")
    return (
        *without(a.shape, [i % a.ndim for i in left]),
        *without(b.shape, [i % b.ndim for i in right]),
    )


def summed(axes: Any) -> Sequence[Sequence[int]]:
    """The axes of either array that `axes` sums over: so many, or two lists."""
    try:
        left, right = static(axes, "axes")
    except TypeError:
        count = operator.index(axes)
        return range(-count, 0), range(count)
    return [[side] if np.ndim(side) == 0 else list(side) for side in (left, right)]


def tensordot_type(a: Any, b: Any, axes: Any = 2) -> ArrayType:
    left, right = as_array(a), as_array(b)
    dtype = np.dot(*(np.ones(1, x.dtype) for x in (left, right))).dtype
    return ArrayType(dtype, tensordot(left, right, axes))


def cross(
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
    axisa, axisb = one_axis(axisa, a.ndim, "axisa"), one_axis(axisb, b.ndim, "axisb")
    lengths = a.shape[axisa], b.shape[axisb]
    if any(n not in (2, 3, None) for n in lengths):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if None in lengths and 3 not in lengths:
        raise UnsupportedFunctionError(
            "np.cross of vectors whose length is known only when the graph runs",
            why="a length of 3 gives vectors, and one of 2 gives numbers",
            remedy="give the arrays a known last dimension: x.reshape(-1, 3)",
        )
    shape = common_shape([replaced(a.shape, axisa), replaced(b.shape, axisb)])
    if lengths == (2, 2):
        return shape
    axisc = one_axis(axisc, len(shape) + 1, "axisc")
    return (*shape[:axisc], 3, *shape[axisc:])


def vectors_cross(x1: ArrayType, x2: ArrayType, axis: int = -1) -> Shape:
    lengths = x1.shape[axis], x2.shape[axis]
    if any(n not in (3, None) for n in lengths):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {lengths[0]} and {lengths[1]} dimensional instead."
        )
    return cross(x1, x2, axis=axis)


def cross_type(a: Any, b: Any, *args: Any, formula: Any = cross, **options: Any) -> ArrayType:
    left, right = as_array(a), as_array(b)
    shape = formula(left, right, *args, **options)
    result = np.multiply(*(np.ones((), x.dtype) for x in (left, right)))
    # NumPy subtracts in place, and says so itself for truth values.
    np.subtract(result, result)
    return ArrayType(result.dtype, shape)


def linalg_cross_type(x1: Any, x2: Any, /, **options: Any) -> ArrayType:
    return cross_type(x1, x2, formula=vectors_cross, **options)


# --- chains -----------------------------------------------------------------------------------


def multi_dot_type(arrays: Any, *, out: Any = None) -> ArrayType:
    chain = [as_array(a) for a in arrays]
    result = probe(np.linalg.multi_dot, chain)
    shape = chain[0].shape
    for factor in chain[1:]:
        shape = dotted(ArrayType(factor.dtype, shape), factor)
    return ArrayType(result.dtype, shape)


def einsum_type(*operands: Any, out: Any = None, optimize: Any = False, **options: Any) -> ArrayType:
    """Run on dummies, NumPy checks the subscripts; what is left is to match the labels."""
    if isinstance(operands[0], str):
        subscripts, arrays = operands[0], list(map(as_array, operands[1:]))
    else:
        arrays = list(map(as_array, operands[: len(operands) // 2 * 2 : 2]))
        subscripts = spelled(operands)
    result = probe(np.einsum, subscripts, *arrays, **options)
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, output = subscripts.partition("->")
    sizes: dict[str, Dimension] = {}
    rests: list[Shape] = []
    for term, array in zip(inputs.split(","), arrays, strict=True):
        labels, rest = labelled(term, array.shape)
        rests.append(rest)
        for label, size in labels:
            merged, agreed = same([d for d in (sizes.get(label, 1), size) if d != 1] or [1])
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


def labelled(term: str, shape: Shape) -> tuple[list[tuple[str, Dimension]], Shape]:
    """The labels of one operand with their dimensions, and those that `...` stands for."""
    before, _, after = term.partition("...")
    end = len(shape) - len(after)
    pairs = [*zip(before, shape, strict=False), *zip(after, shape[end:], strict=True)]
    return pairs, shape[len(before) : end]


def spelled(operands: Sequence[Any]) -> str:
    """The subscripts as text, of a call that gives them as lists of numbers."""
    pairs = operands[1 : len(operands) // 2 * 2 : 2]
    lists = [*pairs, *operands[len(operands) // 2 * 2 :]]
    labels = {n: chr(ord("A") + n) if n < 26 else chr(ord("a") + n - 26) for n in range(52)}
    texts = ["".join("..." if n is Ellipsis else labels[n] for n in part) for part in lists]
    inputs = ",".join(texts[: len(pairs)])
    return f"{inputs}->{texts[-1]}" if len(texts) > len(pairs) else inputs


# --- sliding ----------------------------------------------------------------------------------


def slid(a: ArrayType, v: ArrayType, mode: str, *names: str) -> Shape:
    n, m = (x.shape[0] if x.shape else 1 for x in (a, v))
    for size, name in ((n, names[0]), (m, names[1])):
        if size == 0:
            raise ValueError(f"{name} cannot be empty")
    lengths: dict[str, Callable[[int, int], int]] = {
        "full": lambda n, m: n + m - 1,
        "same": max,
        "valid": lambda n, m: abs(n - m) + 1,
    }
    return (lift(lengths[mode], n, m),)


def convolved(a: ArrayType, v: ArrayType, mode: str = "full") -> Shape:
    return slid(a, v, mode, "a", "v")


def correlated(a: ArrayType, v: ArrayType, mode: str = "valid") -> Shape:
    return slid(a, v, mode, "first array argument", "second array argument")


def through(ufunc: str) -> Rule:
    """The rule of a function of `np.linalg` that only calls a ufunc."""

    def rule(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
        options = {"axis": axis} if ufunc == "vecdot" else {}
        return ufunc_type(getattr(np, ufunc), "__call__", (x1, x2), options)

    return rule


RULES: dict[Any, Rule] = {
    **family(dotted, "dot", arrays=("a", "b")),
    **family(inner, "inner", arrays=("a", "b")),
    **family(vdot, "vdot", arrays=("a", "b")),
    **family(outer, "outer", arrays=("a", "b")),
    **family(vectors_outer, "linalg.outer", arrays=("x1", "x2")),
    **family(kron, "kron", arrays=("a", "b")),
    **family(convolved, "convolve", arrays=("a", "v")),
    **family(correlated, "correlate", arrays=("a", "v")),
    **named(
        tensordot=tensordot_type,
        linalg__tensordot=tensordot_type,
        cross=cross_type,
        linalg__cross=linalg_cross_type,
        linalg__multi_dot=multi_dot_type,
        einsum=einsum_type,
        linalg__matmul=through("matmul"),
        linalg__vecdot=through("vecdot"),
    ),
}
