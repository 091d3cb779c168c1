"""Items of arrays: reading them by NumPy's rules, and arrays with other items in their place.

What a key means stands in one place, `selected`. A write uses it too: it selects among the numbers of all
items those that are written.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....graph.types import ScalarType
from ...calls import filled
from ..builder import BOOL, INT, Value
from ..call import Call
from .elementwise import Rule, array, converted, refuse_negative
from .functions import refuse_infinite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....graph.ir import Node
    from ..emitter import Emitter

_FAR = 2**62


def spread(c: Call, key: Any, ndim: int) -> list[Any]:
    """A key with a part for each axis, and None for each new one."""
    parts = [_part(c, p) for p in (key if type(key) is tuple else (key,))]
    used = sum(_axes(p) for p in parts)
    rest = [slice(None)] * (ndim - used)
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), None)
    return [*parts, *rest] if at is None else [*parts[:at], *rest, *parts[at + 1 :]]


def _part(c: Call, part: Any) -> Any:
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, (bool, np.bool_)):
        raise c.unsupported("a truth value as a key")
    made = array(c, part)
    if made.dtype == BOOL and not made.ndim:
        raise c.unsupported("a truth value as a key")
    return made if made.dtype == BOOL else c.b.cast(made, INT)


def _axes(part: Any) -> int:
    """How many axes of the array a part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, Value) and part.dtype == BOOL else 1


def selected(c: Call, x: Value, key: Any) -> Value:
    """What a key selects."""
    b = c.b
    parts = spread(c, key, x.ndim)
    new, axis = [], 0
    for part in parts:
        if part is None:
            new.append(axis)
        axis += 1 if part is None else _axes(part)
    x = b.unsqueeze(x, *new)
    parts = [slice(None) if p is None else p for p in parts]
    x = _sliced(c, x, parts)
    fancy = [p for p in parts if isinstance(p, Value) and (p.ndim or p.dtype == BOOL)]
    if fancy:
        return _gathered(c, x, parts)
    axis = len(parts)
    for part in reversed(parts):
        axis -= 1
        if isinstance(part, Value):
            x = b.gather(x, part, axis)
    return x


def _sliced(c: Call, x: Value, parts: Sequence[Any]) -> Value:
    """An array cut by the slices of a key."""
    b = c.b
    columns: list[list[Any]] = [[], [], [], []]
    axis = 0
    for part in parts:
        if isinstance(part, slice) and part != slice(None):
            for column, value in zip(columns, (*_bounds(c, part), axis), strict=True):
                column.append(value)
        axis += _axes(part)
    if not columns[0]:
        return x
    starts, ends, steps, axes = columns
    return b.slice(x, b.vector(starts), b.vector(ends), b.ints(*axes), b.vector(steps))


def _bounds(c: Call, part: slice) -> tuple[Any, Any, Any]:
    b = c.b
    start, stop, step = (c_number(c, v) for v in (part.start, part.stop, part.step))
    step = 1 if step is None else step
    if isinstance(step, Value):
        b.check(b.equal(step, 0), "ValueError: slice step cannot be zero")
        down = b.less(step, 0)
        start = b.where(down, b.constant(_FAR, INT), b.constant(0, INT)) if start is None else start
        stop = b.where(down, b.constant(-_FAR, INT), b.constant(_FAR, INT)) if stop is None else stop
        return start, stop, step
    start = (0 if step > 0 else _FAR) if start is None else start
    stop = (_FAR if step > 0 else -_FAR) if stop is None else stop
    return start, stop, step


def c_number(c: Call, value: Any) -> Any:
    """A bound of a slice: None, an int, or a value."""
    if isinstance(value, Value):
        return int(value.constant.item()) if value.constant is not None else c.b.cast(c.b.scalar(value), INT)
    return None if value is None else int(value)


def _gathered(c: Call, x: Value, parts: Sequence[Any]) -> Value:
    """An array indexed by arrays, after its slices are taken: their axes come first, all of them at once, and
    go where NumPy has them.
    """
    b = c.b
    indices: list[Value] = []
    axes: list[int] = []
    runs, axis, before = 0, 0, False
    for part in parts:
        is_index = isinstance(part, Value)
        runs += is_index and not before
        before = is_index
        if is_index and part.dtype == BOOL:
            _check_mask(c, x, part, axis)
            places = b.node("NonZero", [part], INT, 2)
            indices += [b.gather(places, b.constant(n, INT)) for n in range(part.ndim)]
            axes += range(axis, axis + part.ndim)
        elif is_index:
            indices.append(part)
            axes.append(axis)
        axis += _axes(part)
    if len(indices) == 1:
        return b.gather(x, indices[0], axes[0])
    rest = [n for n in range(x.ndim) if n not in axes]
    moved = b.transpose(x, [*axes, *rest])
    total = indices[0]
    for other in indices[1:]:
        total = b.plus(b.times(0, total), b.times(0, other))
    shape, ndim = b.shape(total), total.ndim
    joined = b.concat([b.unsqueeze(b.expand(i, shape, ndim), ndim) for i in indices], ndim)
    made = b.op("GatherND", moved, rest=[joined], ndim=ndim + len(rest))
    if runs > 1 or not axes[0]:
        return made
    front = axes[0]
    order = [*range(ndim, ndim + front), *range(ndim), *range(ndim + front, made.ndim)]
    return b.transpose(made, order)


def _check_mask(c: Call, x: Value, mask: Value, axis: int) -> None:
    b = c.b
    shape = b.node("Shape", [x], INT, 1, start=axis, end=axis + mask.ndim)
    fits = b.either(b.all(b.equal(shape, b.shape(mask))), b.equal(b.size(mask), 0))
    b.check(b.negated(fits), "IndexError: boolean index did not match the shape of the indexed array")


# The ops


def getitem(c: Call, target: Any, key: Any) -> Value:
    return selected(c, array(c, target), key)


def _leading(c: Call, x: Value, key: Any) -> list[Value] | None:
    """The numbers of a key that has nothing else, for the first axes."""
    parts = key if type(key) is tuple else (key,)
    if len(parts) > x.ndim or any(p is None or p is Ellipsis or isinstance(p, slice) for p in parts):
        return None
    made = [_part(c, p) for p in parts]
    return None if any(p.ndim or p.dtype == BOOL for p in made) else made


def written(c: Call, x: Value, key: Any, given: Value, *, adds: bool = False) -> Value:
    """An array with other items where a key selects, or with more added to them."""
    b = c.b
    given = converted(c, given, x.dtype)
    attrs: dict[str, Any] = {"reduction": "add"} if adds else {}
    numbers = _leading(c, x, key)
    if numbers and not adds:
        rest = x.ndim - len(numbers)
        where = b.unsqueeze(b.vector(numbers), 0)
        shape = b.node("Shape", [x], INT, 1, start=len(numbers)) if rest else b.ints()
        value = b.unsqueeze(_fitted(c, given, shape, rest), 0)
        return b.op("ScatterND", x, rest=[where, value], ndim=x.ndim)
    every = b.reshape(b.count(b.size(x)), b.shape(x), x.ndim)
    places = selected(c, every, key)
    value = b.flat(_fitted(c, given, b.shape(places), places.ndim))
    made = b.op("ScatterElements", b.flat(x), rest=[b.flat(places), value], ndim=1, axis=0, **attrs)
    return b.reshape(made, b.shape(x), x.ndim)


def _fitted(c: Call, value: Value, shape: Value, ndim: int) -> Value:
    """A value that is written, in the shape of the place. Expand makes it greater if the place is too small,
    which the reshape does not let pass. To no items it comes by a slice: onnxruntime drops an Expand of one
    item to none.
    """
    b = c.b
    if value.ndim > ndim:
        value = b.squeeze(value, *range(value.ndim - ndim))
    if not ndim:
        return value
    some = b.expand(value, b.op("Max", shape, b.ints(1)), ndim)
    last = b.where(b.equal(shape, 0), 0, b.constant(_FAR, INT))
    return b.reshape(b.slice(some, b.ints(*[0] * ndim), last, b.ints(*range(ndim))), shape, ndim)


def emit_setitem(e: Emitter, node: Node) -> Value:
    return _write(e, node, adds=False)


def emit_add_at(e: Emitter, node: Node) -> Value:
    return _write(e, node, adds=True)


def _write(e: Emitter, node: Node, *, adds: bool) -> Value:
    inputs = [e.value(i) for i in node.inputs]
    c = Call(e.b, node)
    key, x, value = filled(node.attrs["key"], inputs), array(c, inputs[0]), array(c, inputs[-1])
    if node.inputs[-1].type == ScalarType(float) and x.dtype.kind in "iu":
        refuse_infinite(c, value)
    return written(c, x, key, value, adds=adds)


def take(c: Call, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Value:
    b, x = c.b, array(c, a)
    along = 0 if axis is None else axis % x.ndim
    source = b.flat(x) if axis is None else x
    number = b.cast(array(c, indices), INT)
    size = b.dim(source, along)
    if mode == "wrap":
        number = b.op("Mod", number, b.op("Max", size, b.constant(1, INT)))
    elif mode == "clip":
        number = b.op("Max", b.op("Min", number, b.minus(size, 1)), b.constant(0, INT))
    return b.gather(source, number, along)


def take_along_axis(c: Call, arr: Any, indices: Any, axis: Any = -1) -> Value:
    b, x, number = c.b, array(c, arr), b_int(c, indices)
    if axis is None:
        return b.op("GatherElements", b.flat(x), rest=[number], ndim=1, axis=0)
    along = axis % x.ndim
    shapes = [
        b.concat([b.node("Shape", [v], INT, 1, start=0, end=along), b.ints(1),
                  b.node("Shape", [v], INT, 1, start=along + 1)], 0) for v in (x, number)
    ]  # fmt: skip
    number = b.expand(number, shapes[0], x.ndim)
    x = b.expand(x, shapes[1], x.ndim)
    return b.op("GatherElements", x, rest=[number], ndim=x.ndim, axis=along)


def repeat(c: Call, a: Any, repeats: Any, axis: Any = None) -> Value:
    """Each item as often as is said: the number of the first item whose repeats end behind a place."""
    b, x = c.b, array(c, a)
    along = 0 if axis is None else axis % x.ndim
    source = b.flat(x) if axis is None else x
    given = b_int(c, repeats)
    what = "repeats may not contain negative values." if given.ndim else "negative dimensions are not allowed"
    refuse_negative(b, given, f"ValueError: {what}")
    counts = b.expand(b.flat(given), b.vector([b.dim(source, along)]), 1)
    ends = b.op("CumSum", counts, rest=[b.constant(0, INT)], ndim=1)
    place = b.unsqueeze(b.count(b.reduce("ReduceSum", counts)), 1)
    passed = b.op("LessOrEqual", ends, place, dtype=BOOL)
    return b.gather(source, b.reduce("ReduceSum", b.cast(passed, INT), [1]), along)


def b_int(c: Call, given: Any) -> Value:
    return c.b.cast(array(c, given), INT)


FUNCTIONS: dict[Any, Rule] = {
    operator.getitem: getitem,
    np.take: take,
    np.repeat: repeat,
    np.take_along_axis: take_along_axis,
}
