"""ONNX rules for indexing: reading and writing elements by NumPy's rules.

Only `select` interprets keys. Writes use it too, to select the flat indices of the elements to replace.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.functions.elementwise.onnx_arithmetic import Rule, array, checked_cast
from ...graph.functions.elementwise.onnx_functions import check_finite
from ...graph.ir.graph import fill_slots
from ...graph.ir.types import ScalarType
from .builder.builder import BOOL, INT, Value
from .builder.call import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graph.ir.graph import Node
    from .emitter import Emitter

UNBOUNDED = 2**62


def expand_key(c: Call, key: Any, ndim: int) -> list[Any]:
    """Expand a key to one part for each axis, with None for each new axis."""
    parts = [key_part(c, p) for p in (key if type(key) is tuple else (key,))]
    used = sum(axis_count(p) for p in parts)
    rest = [slice(None)] * (ndim - used)
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), None)
    return [*parts, *rest] if at is None else [*parts[:at], *rest, *parts[at + 1 :]]


def key_part(c: Call, part: Any) -> Any:
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, (bool, np.bool_)):
        raise c.unsupported("a bool as a key")
    result = array(c, part)
    if result.dtype == BOOL and not result.ndim:
        raise c.unsupported("a bool as a key")
    return result if result.dtype == BOOL else c.b.cast(result, INT)


def axis_count(part: Any) -> int:
    """Return the number of axes that a part of a key consumes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, Value) and part.dtype == BOOL else 1


def select(c: Call, x: Value, key: Any) -> Value:
    """Return the elements of `x` that a key selects."""
    b = c.b
    parts = expand_key(c, key, x.ndim)
    new, axis = [], 0
    for part in parts:
        if part is None:
            new.append(axis)
        axis += 1 if part is None else axis_count(part)
    x = b.unsqueeze(x, *new)
    parts = [slice(None) if p is None else p for p in parts]
    x = apply_slices(c, x, parts)
    fancy = [p for p in parts if isinstance(p, Value) and (p.ndim or p.dtype == BOOL)]
    if fancy:
        return apply_index_arrays(c, x, parts)
    axis = len(parts)
    for part in reversed(parts):
        axis -= 1
        if isinstance(part, Value):
            x = b.gather(x, part, axis)
    return x


def apply_slices(c: Call, x: Value, parts: Sequence[Any]) -> Value:
    """Apply the slices of a key."""
    b = c.b
    columns: list[list[Any]] = [[], [], [], []]
    axis = 0
    for part in parts:
        if isinstance(part, slice) and part != slice(None):
            for column, value in zip(columns, (*slice_bounds(c, part), axis), strict=True):
                column.append(value)
        axis += axis_count(part)
    if not columns[0]:
        return x
    starts, ends, steps, axes = columns
    return b.slice(x, b.vector(starts), b.vector(ends), b.ints(*axes), b.vector(steps))


def slice_bounds(c: Call, part: slice) -> tuple[Any, Any, Any]:
    b = c.b
    start, stop, step = (slice_bound(c, v) for v in (part.start, part.stop, part.step))
    step = 1 if step is None else step
    down: Any = None
    if isinstance(step, Value):
        b.check(b.equal(step, 0), "ValueError: slice step cannot be zero")
        down = b.less(step, 0)

    def default(falling: int, rising: int) -> Any:
        if down is None:
            return falling if step < 0 else rising
        return b.where(down, b.constant(falling, INT), b.constant(rising, INT))

    start = default(UNBOUNDED, 0) if start is None else start
    return start, default(-UNBOUNDED, UNBOUNDED) if stop is None else stop, step


def slice_bound(c: Call, value: Any) -> Any:
    """Return a bound of a slice as None, an int or a value."""
    if isinstance(value, Value):
        return int(value.constant.item()) if value.constant is not None else c.b.cast(c.b.scalar(value), INT)
    return None if value is None else int(value)


def apply_index_arrays(c: Call, x: Value, parts: Sequence[Any]) -> Value:
    """Index by the arrays of a key after applying its slices, and place their axes as NumPy does."""
    b = c.b
    indices: list[Value] = []
    axes: list[int] = []
    runs, axis, before = 0, 0, False
    for part in parts:
        is_index = isinstance(part, Value)
        runs += is_index and not before
        before = is_index
        if is_index and part.dtype == BOOL:
            check_mask(c, x, part, axis)
            places = b.node("NonZero", [part], INT, 2)
            indices += [b.gather(places, b.constant(n, INT)) for n in range(part.ndim)]
            axes += range(axis, axis + part.ndim)
        elif is_index:
            indices.append(part)
            axes.append(axis)
        axis += axis_count(part)
    if len(indices) == 1:
        return b.gather(x, indices[0], axes[0])
    rest = [n for n in range(x.ndim) if n not in axes]
    moved = b.transpose(x, [*axes, *rest])
    total = indices[0]
    for other in indices[1:]:
        total = b.add(b.mul(0, total), b.mul(0, other))
    shape, ndim = b.shape(total), total.ndim
    joined = b.concat([b.unsqueeze(b.expand(i, shape, ndim), ndim) for i in indices], ndim)
    result = b.op("GatherND", moved, rest=[joined], ndim=ndim + len(rest))
    if runs > 1 or not axes[0]:
        return result
    front = axes[0]
    order = [*range(ndim, ndim + front), *range(ndim), *range(ndim + front, result.ndim)]
    return b.transpose(result, order)


def check_mask(c: Call, x: Value, mask: Value, axis: int) -> None:
    b = c.b
    shape = b.node("Shape", [x], INT, 1, start=axis, end=axis + mask.ndim)
    fits = b.logical_or(b.all(b.equal(shape, b.shape(mask))), b.equal(b.size(mask), 0))
    b.check(b.logical_not(fits), "IndexError: boolean index did not match the shape of the indexed array")


def leading_integers(c: Call, x: Value, key: Any) -> list[Value] | None:
    """Return the parts of a key that consists only of integers for the first axes, or None for other keys."""
    parts = key if type(key) is tuple else (key,)
    if len(parts) > x.ndim or any(p is None or p is Ellipsis or isinstance(p, slice) for p in parts):
        return None
    result = [key_part(c, p) for p in parts]
    return None if any(p.ndim or p.dtype == BOOL for p in result) else result


def write(c: Call, x: Value, key: Any, value: Value, *, adds: bool = False) -> Value:
    """Return a copy of an array with the selected elements replaced, or increased if `adds`."""
    b = c.b
    value = checked_cast(c, value, x.dtype)
    attrs: dict[str, Any] = {"reduction": "add"} if adds else {}
    numbers = leading_integers(c, x, key)
    if numbers and not adds:
        rest = x.ndim - len(numbers)
        where = b.unsqueeze(b.vector(numbers), 0)
        shape = b.node("Shape", [x], INT, 1, start=len(numbers)) if rest else b.ints()
        value = b.unsqueeze(broadcast_to_selection(c, value, shape, rest), 0)
        return b.op("ScatterND", x, rest=[where, value], ndim=x.ndim)
    every = b.reshape(b.arange(b.size(x)), b.shape(x), x.ndim)
    places = select(c, every, key)
    value = b.flatten(broadcast_to_selection(c, value, b.shape(places), places.ndim))
    result = b.op("ScatterElements", b.flatten(x), rest=[b.flatten(places), value], ndim=1, axis=0, **attrs)
    return b.reshape(result, b.shape(x), x.ndim)


def broadcast_to_selection(c: Call, value: Value, shape: Value, ndim: int) -> Value:
    """Broadcast a value to the shape of the selection.

    If the selection is smaller than the value, the final reshape fails. An empty selection needs a slice,
    because onnxruntime ignores an Expand from one element to zero.
    """
    b = c.b
    if value.ndim > ndim:
        value = b.squeeze(value, *range(value.ndim - ndim))
    if not ndim:
        return value
    some = b.expand(value, b.op("Max", shape, b.ints(1)), ndim)
    last = b.where(b.equal(shape, 0), 0, b.constant(UNBOUNDED, INT))
    return b.reshape(b.slice(some, b.ints(*[0] * ndim), last, b.ints(*range(ndim))), shape, ndim)


def emit_write(e: Emitter, node: Node, *, adds: bool) -> Value:
    inputs = [e.argument(i) for i in node.inputs]
    c = Call(e.b, node)
    key, x, value = fill_slots(node.attrs["key"], inputs), array(c, inputs[0]), array(c, inputs[-1])
    if node.inputs[-1].type == ScalarType(float) and x.dtype.kind in "iu":
        check_finite(c, value)
    return write(c, x, key, value, adds=adds)


FUNCTIONS: dict[Any, Rule] = {operator.getitem: lambda c, target, key: select(c, array(c, target), key)}
