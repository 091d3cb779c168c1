"""Universal functions: every ufunc has the same few rules.

A ufunc's loops apply to elements, and its inputs broadcast; a *generalised* ufunc's loops apply
to *core* dimensions, which its signature names, and the rest, the *loop* dimensions, broadcast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ..types import ScalarType, Shape
from .probing import probe, typed, weak
from .shapes import (
    Dimension,
    all_axes,
    broadcast,
    one_axis,
    replaced,
    same,
    shape_of,
    shown,
    static,
    without,
)


def ufunc_type(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The type of `getattr(ufunc, method)(*inputs, **kwargs)`; a tuple if it has several outputs."""
    kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    inputs = tuple(map(weak, inputs[: ufunc.nin if method == "__call__" else None]))
    # The indices of `reduceat` are positions in the real array.
    sample = (inputs[0], [0]) if method == "reduceat" else inputs
    result = probe(getattr(ufunc, method), *sample, **kwargs)
    shape = SHAPES[method](ufunc, *inputs, **kwargs)
    if isinstance(result, tuple):
        return typed(result, shape if ufunc.signature else [shape] * ufunc.nout)
    if result.dtype.kind in "US" and ScalarType(str) in inputs:
        raise UnsupportedFunctionError(
            "a staged string is used with a NumPy function",
            why="it makes an array whose width is known only when the graph runs",
            remedy="use a plain string",
        )
    return typed(result, shape[0] if ufunc.signature else shape)


def called(ufunc: np.ufunc, *inputs: Any, where: Any = True, **options: Any) -> Any:
    if ufunc.signature:
        return generalised(ufunc, [shape_of(i) for i in inputs], **options)
    if where is not True:
        inputs = (*inputs, where)
    return broadcast(*map(shape_of, inputs))


def reduced(
    ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False, **_: Any
) -> Shape:
    shape = shape_of(array)
    if axis == 0 and not shape:
        return ()
    return without(shape, all_axes(axis, len(shape)), keepdims)


def accumulated(ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None) -> Shape:
    return shape_of(array)


def paired(ufunc: np.ufunc, left: Any, right: Any, **_: Any) -> Shape:
    return (*shape_of(left), *shape_of(right))


def sliced(ufunc: np.ufunc, array: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> Shape:
    shape = shape_of(array)
    return replaced(shape, one_axis(axis, len(shape)), *shape_of(indices))


SHAPES: dict[str, Callable[..., Any]] = {
    "__call__": called,
    "reduce": reduced,
    "accumulate": accumulated,
    "outer": paired,
    "reduceat": sliced,
}


# --- generalised ufuncs ----------------------------------------------------------------------


def cores(signature: str) -> tuple[list[list[str]], list[list[str]]]:
    """The names of the core dimensions of each input and each output."""
    left, right = (re.findall(r"\(([^)]*)\)", side) for side in signature.split("->"))
    return [re.findall(r"\w+\??", c) for c in left], [re.findall(r"\w+\??", c) for c in right]


def generalised(
    ufunc: np.ufunc,
    shapes: list[Shape],
    axis: Any = None,
    axes: Any = None,
    keepdims: bool = False,
    **_: Any,
) -> list[Shape]:
    """The shapes of the outputs of a generalised ufunc, whose core axes may be anywhere."""
    signature = str(ufunc.signature)
    inputs, outputs = cores(signature)
    if axis is not None:
        axes = [(static(axis, "axis"),) if core else () for core in inputs]
    axes = [a if isinstance(a, tuple) else (a,) for a in static(axes, "axes") or ()]
    for number, chosen in enumerate(axes[: len(inputs)]):
        shape = shapes[number]
        check_rank(ufunc.__name__, signature, number, shape, inputs[number])
        chosen = all_axes(chosen, len(shape))
        shapes[number] = (*without(shape, chosen), *(shape[i] for i in chosen))
    results = stacked_shapes(ufunc.__name__, signature, shapes)
    if keepdims:
        # Only a ufunc whose inputs have one kind of core, and whose outputs have none, keeps them.
        results = [(*shape, *(1 for _ in inputs[0])) for shape in results]
        outputs, axes = [inputs[0]] * len(outputs), axes + axes[:1]
    for number, chosen in enumerate(axes[len(inputs) :]):
        results[number] = placed(results[number], len(outputs[number]), chosen)
    return results


def stacked_shapes(name: str, signature: str, shapes: list[Shape]) -> list[Shape]:
    """The shapes of the outputs for inputs whose core dimensions are their last."""
    inputs, outputs = cores(signature)
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
            merged, agreed = same((sizes.get(label), size))
            if not agreed:
                raise ValueError(
                    f"{name}: Input operand {number} has a mismatch in its core dimension "
                    f"{position}, with gufunc signature {signature} "
                    f"(size {size} is different from {sizes[label]})"
                )
            sizes[label] = merged
    made = [tuple(sizes[n] for n in core if n not in absent) for core in outputs]
    loop = loop_shape(shapes, loops, made[0])
    return [(*loop, *core) for core in made]


def check_rank(name: str, signature: str, number: int, shape: Shape, core: list[str]) -> None:
    needed = sum(not label.endswith("?") for label in core)
    if needed > len(shape):
        raise ValueError(
            f"{name}: Input operand {number} does not have enough dimensions (has {len(shape)}, "
            f"gufunc core with signature {signature} requires {needed})"
        )


def loop_shape(shapes: list[Shape], loops: list[Shape], core: Shape) -> Shape:
    """The broadcast loop dimensions; the error shows how each operand was set against the output."""
    try:
        return broadcast(*loops)
    except ValueError:
        pass
    # NumPy writes `(3,)` here only where it iterates over one dimension in all, else `(3)`.
    rank = max(map(len, loops)) + len(core)

    def show(shape: Sequence[object]) -> str:
        return shown(shape) if rank == 1 else shown(shape).replace(",)", ")")

    gaps = ("newaxis",) * len(core)
    remapped = [f"{shown(s)}->{show((*loop, *gaps))}" for s, loop in zip(shapes, loops, strict=True)]
    raise ValueError(
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{' '.join(remapped)}  and requested shape {show(core)}"
    )


def placed(shape: Shape, cores: int, axes: tuple[int, ...]) -> Shape:
    """`shape`, with its core dimensions moved from the end to `axes`."""
    split = len(shape) - cores
    result = list(shape[:split])
    for axis, size in sorted(zip(all_axes(axes, len(shape)), shape[split:], strict=True)):
        result.insert(axis, size)
    return tuple(result)
