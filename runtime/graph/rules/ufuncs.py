"""Type rules for ufuncs: one rule per method, shared by all ufuncs.

A ufunc applies to single elements, and its inputs broadcast. A *generalized* ufunc applies to *core*
dimensions, which its signature names; the other dimensions, the *loop* dimensions, broadcast.
"""

from __future__ import annotations

import builtins
import functools
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ..ir.types import SAMPLES, ArrayType, ScalarType, Shape, StagedType
from .probing import probe, type_of_result, weak_type
from .shapes import (
    Dimension,
    broadcast,
    format_shape,
    normalize_axes,
    normalize_axis,
    reduce_axes,
    replace_axis,
    require_plain,
    shape_of,
    unify,
)

UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "lshift": np.left_shift, "rshift": np.right_shift, "and_": np.bitwise_and, "or_": np.bitwise_or,
    "xor": np.bitwise_xor, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "neg": np.negative, "pos": np.positive, "abs": np.absolute,
    "invert": np.invert,
}  # fmt: skip
OPERATOR_OF = {ufunc: name for name, ufunc in UFUNCS.items()}
UFUNCS["mul_in_place"] = np.multiply


def ufunc_type(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the type of `getattr(ufunc, method)(*inputs, **kwargs)`, a tuple for several outputs."""
    kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    inputs = tuple(map(weak_type, inputs[: ufunc.nin if method == "__call__" else None]))
    # The indices of `reduceat` address the real array, so the probe uses others.
    sample = (inputs[0], [0]) if method == "reduceat" else inputs
    result = probe(getattr(ufunc, method), *sample, **kwargs)
    shape = SHAPES[method](ufunc, *inputs, **kwargs)
    if isinstance(result, tuple):
        return type_of_result(result, shape if ufunc.signature else [shape] * ufunc.nout)
    if result.dtype.kind in "US" and ScalarType(str) in inputs:
        raise UnsupportedFunctionError(
            "a staged string cannot be passed to a NumPy function",
            why="the result's dtype depends on the string's length, which is known only when the graph runs",
            remedy="use a plain string",
        )
    return type_of_result(result, shape[0] if ufunc.signature else shape)


def call_shape(ufunc: np.ufunc, *inputs: Any, where: Any = True, **options: Any) -> Any:
    if ufunc.signature:
        return generalized_shapes(ufunc, [shape_of(i) for i in inputs], **options)
    if where is not True:
        inputs = (*inputs, where)
    return broadcast(*map(shape_of, inputs))


def reduce_shape(
    ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False, **_: Any
) -> Shape:
    shape = shape_of(array)
    if axis == 0 and not shape:
        return ()
    return reduce_axes(shape, normalize_axes(axis, len(shape)), keepdims)


SHAPES: dict[str, Callable[..., Any]] = {
    "__call__": call_shape,
    "reduce": reduce_shape,
    "accumulate": lambda ufunc, array, axis=0, dtype=None: shape_of(array),
    "outer": lambda ufunc, left, right, **_: (*shape_of(left), *shape_of(right)),
    "reduceat": lambda ufunc, array, indices, axis=0, dtype=None: replace_axis(
        shape_of(array), normalize_axis(axis, len(shape_of(array))), *shape_of(indices)
    ),
}


def core_dimensions(signature: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the names of the core dimensions of each input and each output."""
    left, right = (re.findall(r"\(([^)]*)\)", side) for side in signature.split("->"))
    return [re.findall(r"\w+\??", c) for c in left], [re.findall(r"\w+\??", c) for c in right]


def generalized_shapes(
    ufunc: np.ufunc,
    shapes: list[Shape],
    axis: Any = None,
    axes: Any = None,
    keepdims: bool = False,
    **_: Any,
) -> list[Shape]:
    """Return the output shapes of a generalized ufunc, whose core axes may be anywhere."""
    signature = str(ufunc.signature)
    inputs, outputs = core_dimensions(signature)
    if axis is not None:
        axes = [(require_plain(axis, "axis"),) if core else () for core in inputs]
    axes = [a if isinstance(a, tuple) else (a,) for a in require_plain(axes, "axes") or ()]
    for number, core_axes in enumerate(axes[: len(inputs)]):
        shape = shapes[number]
        check_rank(ufunc.__name__, signature, number, shape, inputs[number])
        core_axes = normalize_axes(core_axes, len(shape))
        shapes[number] = (*reduce_axes(shape, core_axes), *(shape[i] for i in core_axes))
    results = gufunc_shapes(ufunc.__name__, signature, shapes)
    if keepdims:
        # NumPy allows this only if all inputs have the same core and the outputs have none.
        results = [(*shape, *(1 for _ in inputs[0])) for shape in results]
        outputs, axes = [inputs[0]] * len(outputs), axes + axes[:1]
    for number, core_axes in enumerate(axes[len(inputs) :]):
        results[number] = move_core_axes(results[number], len(outputs[number]), core_axes)
    return results


def gufunc_shapes(name: str, signature: str, shapes: list[Shape]) -> list[Shape]:
    """Return the output shapes for inputs whose core dimensions come last."""
    inputs, outputs = core_dimensions(signature)
    sizes: dict[str, Dimension] = {}
    absent: set[str] = set()
    loops: list[Shape] = []
    for number, (core, shape) in enumerate(zip(inputs, shapes, strict=True)):
        names = list(core)
        while len(names) > len(shape) and any(n.endswith("?") for n in names):
            absent.add(dropped := next(n for n in names if n.endswith("?")))
            names.remove(dropped)
        check_rank(name, signature, number, shape, names)
        split = len(shape) - len(names)
        loops.append(shape[:split])
        for position, (label, size) in enumerate(zip(names, shape[split:], strict=True)):
            merged, agreed = unify((sizes.get(label), size))
            if not agreed:
                raise ValueError(
                    f"{name}: Input operand {number} has a mismatch in its core dimension "
                    f"{position}, with gufunc signature {signature} "
                    f"(size {size} is different from {sizes[label]})"
                )
            sizes[label] = merged
    core_shapes = [tuple(sizes[n] for n in core if n not in absent) for core in outputs]
    loop = loop_shape(shapes, loops, core_shapes[0])
    return [(*loop, *core) for core in core_shapes]


def check_rank(name: str, signature: str, number: int, shape: Shape, core: list[str]) -> None:
    needed = sum(not label.endswith("?") for label in core)
    if needed > len(shape):
        raise ValueError(
            f"{name}: Input operand {number} does not have enough dimensions (has {len(shape)}, "
            f"gufunc core with signature {signature} requires {needed})"
        )


def loop_shape(shapes: list[Shape], loops: list[Shape], core: Shape) -> Shape:
    """Broadcast the loop dimensions, or raise NumPy's error, which shows each operand's aligned shape."""
    try:
        return broadcast(*loops)
    except ValueError:
        pass
    # NumPy writes `(3,)` here only if it iterates over a single dimension, else `(3)`.
    rank = max(map(len, loops)) + len(core)

    def show(shape: Sequence[object]) -> str:
        return format_shape(shape) if rank == 1 else format_shape(shape).replace(",)", ")")

    gaps = ("newaxis",) * len(core)
    remapped = [f"{format_shape(s)}->{show((*loop, *gaps))}" for s, loop in zip(shapes, loops, strict=True)]
    raise ValueError(
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{' '.join(remapped)}  and requested shape {show(core)}"
    )


def move_core_axes(shape: Shape, core_dimensions: int, axes: tuple[int, ...]) -> Shape:
    """Move the core dimensions of `shape` from the end to `axes`."""
    split = len(shape) - core_dimensions
    result = list(shape[:split])
    for axis, size in sorted(zip(normalize_axes(axes, len(shape)), shape[split:], strict=True)):
        result.insert(axis, size)
    return tuple(result)


@functools.lru_cache(maxsize=4096)
def operator_type(name: str, kinds: tuple[Any, ...]) -> StagedType:
    """Infer an operator's result type from its operands' types, or from a string itself beside an array."""
    if any(isinstance(k, ArrayType) for k in kinds):
        try:
            return ufunc_type(UFUNCS[name], "__call__", kinds, {})
        except TypeError:
            if name not in ("eq", "ne"):
                raise
        bools = [ArrayType(np.dtype(bool), getattr(k, "shape", ())) for k in kinds]
        return ufunc_type(UFUNCS[name], "__call__", tuple(bools), {})  # a number equals no text
    function = builtins.abs if name == "abs" else getattr(operator, name)
    return ScalarType(type(function(*[SAMPLES[k.python] for k in kinds])))
