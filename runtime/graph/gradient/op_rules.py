"""Gradient rules for ops that are not NumPy functions: items, lists, conversions and checks.

`ct` is the cotangent of the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile.operations import has_distinct_indices
from ..compile.writer import may_view
from ..ir.graph import Node
from ..ir.types import ArrayType, ListType, ScalarType
from ..rules.methods import copy
from ..tracing import recording
from ..tracing.containers import lists
from ..tracing.tensor import wrap
from .cotangents import CotangentAt, add_at_index, as_array, shape_of, unbroadcast, zeros_like
from .reverse import LIST_OPERATORS, OP_RULES, Call, Reverse, no_cotangents
from .unsupported import no_rule


def _is_list(node: Node) -> bool:
    return isinstance(node.type, ListType)


def getitem(reverse: Reverse, node: Node, ct: Any) -> None:
    target = node.inputs[0]
    if _is_list(target):
        reverse.accumulate(target, _slice_cotangent(reverse, node, ct))
        return
    call = Call(reverse, node)
    reverse.accumulate(target, CotangentAt(call.values(node.attrs["args"][1]), ct))


def _slice_cotangent(reverse: Reverse, node: Node, ct: Any) -> Any:
    """Return the cotangent of a sliced list, computed with arrays in place of the lists."""
    target = node.inputs[0]
    if not isinstance(target.type.element, (ArrayType, ScalarType)):
        raise no_rule(node)
    key = Call(reverse, node).values(node.attrs["args"][1])
    items = zeros_like(recording.call(np.array, (reverse.value(target),), {}))
    total = recording.setitem(items, key, recording.call(np.array, (ct,), {}))
    return _as_list(total, target.type)


def _as_list(array: Any, kind: Any) -> Any:
    return recording.record("iterate", (array,), kind, function=list)


def _unaliased(part: Any) -> Any:
    """Return a part of a cotangent, copied if later writes to the cotangent could change it."""
    return recording.call(copy, (part,), {}) if may_view(recording.to_node(part)) else part


def setitem(reverse: Reverse, node: Node, ct: Any) -> None:
    target, value = node.inputs[0], node.inputs[-1]
    key = Call(reverse, node).values(node.attrs["key"])
    if value in reverse.active:
        items = recording.getitem(ct, key)
        if has_distinct_indices(node):
            items = _unaliased(items)
        else:
            items = np.where(_is_last_write(ct, key, items), items, 0)
        reverse.accumulate(value, unbroadcast(items, reverse.value(value)))
    if target in reverse.active:
        reverse.accumulate(target, recording.setitem(as_array(ct), key, np.zeros((), node.type.dtype)))


def _is_last_write(array: Any, key: Any, items: Any) -> Any:
    """Return a mask of the items that are not overwritten by a later item with the same index."""
    numbers = np.reshape(np.cumsum(np.ones_like(items, dtype=np.int64)), shape_of(items))
    order = recording.setitem(np.zeros_like(array, dtype=np.int64), key, numbers)
    return recording.getitem(order, key) == numbers


def add_at(reverse: Reverse, node: Node, ct: Any) -> None:
    target, value = node.inputs[0], node.inputs[-1]
    reverse.accumulate(target, ct)
    if value in reverse.active:
        key = Call(reverse, node).values(node.attrs["key"])
        reverse.accumulate(value, unbroadcast(_unaliased(recording.getitem(ct, key)), reverse.value(value)))


def identity(reverse: Reverse, node: Node, ct: Any) -> None:
    """Apply the rule of an op that returns its first input, possibly with another dtype."""
    reverse.accumulate(node.inputs[0], ct)


def to_number(reverse: Reverse, node: Node, ct: Any) -> None:
    """Apply the rule of a conversion to a Python number."""
    [source] = node.inputs
    if isinstance(source.type, ArrayType):
        ct = np.broadcast_to(
            recording.cast(ct, ArrayType(source.type.dtype)), shape_of(reverse.value(source))
        )
    reverse.accumulate(source, ct)


def complex_of(reverse: Reverse, node: Node, ct: Any) -> None:
    """Apply the rule of `complex(a, b)`, which is `a + 1j * b`. Each of them may be complex itself."""
    for part, part_ct in zip(node.inputs, (ct, ct * 1j), strict=True):
        if part in reverse.active:
            reverse.accumulate(part, part_ct)


def new_list(reverse: Reverse, node: Node, ct: Any) -> None:
    for i, part in enumerate(node.inputs):
        if part in reverse.active:
            reverse.accumulate(part, _item(ct, i))


def new_tuple(reverse: Reverse, node: Node, ct: Any) -> None:
    for part, part_ct in zip(node.inputs, ct, strict=True):
        reverse.accumulate(part, part_ct)


def _item(items: Any, index: Any) -> Any:
    return recording.record("list_get", (items, index), items.type.element)


def list_append(reverse: Reverse, node: Node, ct: Any) -> None:
    target, value = node.inputs
    _reverse_insertion(reverse, target, -1, value, ct)


def _reverse_insertion(reverse: Reverse, target: Node, index: Any, value: Node, ct: Any) -> None:
    """Split the cotangent of a list into the cotangents of the inserted item and of the original list."""
    popped = recording.add("list_pop", (ct, index), None)
    reverse.accumulate(target, wrap(recording.output(popped, 0, ct.type)))
    reverse.accumulate(value, wrap(recording.output(popped, 1, ct.type.element)))


def list_pop(reverse: Reverse, node: Node, cts: dict[int, Any]) -> None:
    target, index = node.inputs
    items, at = reverse.value(target), reverse.value(index)
    rest = cts[0] if 0 in cts else zeros_like(reverse.value(reverse.results[node][0]))
    value = cts.get(1)
    if value is None:
        value = zeros_like(_item(items, at))
    reverse.accumulate(
        target, recording.record("list_insert", (rest, at, lists.element_node(value)), items.type)
    )


def list_get(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index = node.inputs
    total = reverse.cotangent(target)
    if total is None:
        total = zeros_like(reverse.value(target))
    reverse.set_cotangent(target, add_at_index(total, reverse.value(index), ct))


def list_set(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index, value = node.inputs
    at = reverse.value(index)
    item = _item(ct, at)
    reverse.accumulate(value, item)
    zero = lists.element_node(zeros_like(item))
    reverse.accumulate(target, recording.record("list_set", (ct, at, zero), ct.type))


def list_add_at(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index, value = node.inputs
    reverse.accumulate(target, ct)
    reverse.accumulate(value, _item(ct, reverse.value(index)))


def list_insert(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index, value = node.inputs
    _reverse_insertion(reverse, target, reverse.value(index), value, ct)


def list_sum(reverse: Reverse, node: Node, ct: Any) -> None:
    for part in node.inputs:
        reverse.accumulate(part, ct)


def list_concatenation(reverse: Reverse, node: Node, ct: Any) -> None:
    first, second = node.inputs
    count = recording.record("len", (reverse.value(first),), ScalarType(int), function=len)
    reverse.accumulate(first, ct[:count])
    reverse.accumulate(second, ct[count:])


def iterate(reverse: Reverse, node: Node, ct: Any) -> None:
    """Apply the rule of `list(source)` for an array or list."""
    [source] = node.inputs
    if isinstance(source.type, ArrayType):
        reverse.accumulate(source, recording.call(np.array, (ct,), {}))
    elif _is_list(source):
        reverse.accumulate(source, ct)
    else:
        raise no_rule(node)


def builtin_sum(reverse: Reverse, node: Node, ct: Any) -> None:
    source, *start = node.inputs
    if isinstance(source.type, ArrayType):
        value = reverse.value(source)
        reverse.accumulate(source, np.broadcast_to(ct, shape_of(value)))
    elif _is_list(source) and isinstance(source.type.element, (ArrayType, ScalarType)):
        items = recording.call(np.array, (reverse.value(source),), {})
        reverse.accumulate(source, _as_list(np.broadcast_to(ct, shape_of(items)), source.type))
    else:
        raise no_rule(node)
    for part in start:
        reverse.accumulate(part, ct)


def extreme(reverse: Reverse, node: Node, ct: Any) -> None:
    """Apply the rule of Python's `min` and `max`: the first extreme operand receives the cotangent."""
    if len(node.inputs) == 1:
        [source] = node.inputs
        is_list = _is_list(source) and isinstance(source.type.element, (ArrayType, ScalarType))
        if not is_list and not isinstance(source.type, ArrayType):
            raise no_rule(node)
        value = reverse.value(source)
        value = recording.call(np.array, (value,), {}) if is_list else value
        is_result = value == reverse.value(node)
        cts = np.where(is_result & (np.cumsum(is_result) == 1), ct, 0)
        reverse.accumulate(source, _as_list(cts, source.type) if is_list else cts)
        return
    result = reverse.value(node)
    is_earlier: Any = False
    for part in node.inputs:
        is_equal = reverse.value(part) == result
        if part in reverse.active:
            is_first = (
                is_equal if is_earlier is False else np.logical_and(is_equal, np.logical_not(is_earlier))
            )
            reverse.accumulate(part, np.where(is_first, ct, 0) * 1.0)
        is_earlier = is_equal if is_earlier is False else np.logical_or(is_earlier, is_equal)


OP_RULES.update({
    "getitem": getitem,
    "setitem": setitem,
    "add_at": add_at,
    **dict.fromkeys(("convert", "check_bound", "some", "with_shape", "same", "_real"), identity),
    **dict.fromkeys(("list_copy", "list_some"), identity),
    **dict.fromkeys(("item", "float", "complex"), to_number),
    "complex_of": complex_of,
    "list": new_list,
    "tuple": new_tuple,
    "list_append": list_append,
    "list_pop": list_pop,
    "list_get": list_get,
    "list_set": list_set,
    "list_add_at": list_add_at,
    "list_insert": list_insert,
    "list_sum": list_sum,
    "list_zeros": no_cotangents,
    "iterate": iterate,
    "sum": builtin_sum,
    **dict.fromkeys(("min", "max"), extreme),
})  # fmt: skip
LIST_OPERATORS["add"] = list_concatenation
