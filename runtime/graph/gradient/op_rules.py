"""The rules of ops that are no functions of NumPy: items, lists, conversions, checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lists, record
from ..compile.operations import takes_once
from ..compile.writer import may_view
from ..ir import Node
from ..rules.methods import copy
from ..staged import wrap
from ..types import ArrayType, ListType, ScalarType
from .refused import no_rule
from .reverse import LISTS, STRUCTURAL, Call, Reverse
from .values import At, put, shape_of, unbroadcast, writable, zeros_like


def _is_list(node: Node) -> bool:
    return isinstance(node.type, ListType)


def getitem(reverse: Reverse, node: Node, ct: Any) -> None:
    target = node.inputs[0]
    if _is_list(target):
        reverse.give(target, _of_slice(reverse, node, ct))
        return
    call = Call(reverse, node)
    reverse.give(target, At(call.values(node.attrs["args"][1]), ct))


def _of_slice(reverse: Reverse, node: Node, ct: Any) -> Any:
    """The cotangent of a list of which a slice was taken: by way of arrays."""
    target = node.inputs[0]
    if not isinstance(target.type.element, (ArrayType, ScalarType)):
        raise no_rule(node)
    key = Call(reverse, node).values(node.attrs["args"][1])
    items = zeros_like(record.call(np.array, (reverse.value(target),), {}))
    made = record.setitem(items, key, record.call(np.array, (ct,), {}))
    return _as_list(made, target.type)


def _as_list(array: Any, kind: Any) -> Any:
    return wrap(record.add("iterate", (array,), kind, function=list))


def _apart(part: Any) -> Any:
    """A part of a cotangent, of which other parts are written later."""
    return record.call(copy, (part,), {}) if may_view(record.to_node(part)) else part


def setitem(reverse: Reverse, node: Node, ct: Any) -> None:
    target, value = node.inputs[0], node.inputs[-1]
    key = Call(reverse, node).values(node.attrs["key"])
    if value in reverse.active:
        given = record.getitem(ct, key)
        if not takes_once(node):
            given = np.where(_are_last(ct, key, given), given, 0)
        else:
            given = _apart(given)
        reverse.give(value, unbroadcast(given, reverse.value(value)))
    if target in reverse.active:
        reverse.give(target, record.setitem(writable(ct), key, np.zeros((), node.type.dtype)))


def _are_last(array: Any, key: Any, items: Any) -> Any:
    """Whether of several items with one place each is the one that is written last."""
    numbers = np.reshape(np.cumsum(np.ones_like(items, dtype=np.int64)), shape_of(items))
    order = record.setitem(np.zeros_like(array, dtype=np.int64), key, numbers)
    return record.getitem(order, key) == numbers


def add_at(reverse: Reverse, node: Node, ct: Any) -> None:
    target, value = node.inputs[0], node.inputs[-1]
    reverse.give(target, ct)
    if value in reverse.active:
        key = Call(reverse, node).values(node.attrs["key"])
        reverse.give(value, unbroadcast(_apart(record.getitem(ct, key)), reverse.value(value)))


def passed_on(reverse: Reverse, node: Node, ct: Any) -> None:
    """What gives its first input as it is, or with another dtype."""
    reverse.give(node.inputs[0], ct)


def to_number(reverse: Reverse, node: Node, ct: Any) -> None:
    """A Python number of an array of one element, or of another number."""
    [source] = node.inputs
    if isinstance(source.type, ArrayType):
        ct = np.broadcast_to(
            record.converted(ct, ArrayType(source.type.dtype)), shape_of(reverse.value(source))
        )
    reverse.give(source, ct)


def new_list(reverse: Reverse, node: Node, ct: Any) -> None:
    for i, part in enumerate(node.inputs):
        if part in reverse.active:
            reverse.give(part, _item(ct, i))


def new_tuple(reverse: Reverse, node: Node, ct: Any) -> None:
    for part, given in zip(node.inputs, ct, strict=True):
        reverse.give(part, given)


def _item(items: Any, index: Any) -> Any:
    return wrap(record.add("list_get", (items, index), items.type.element))


def list_append(reverse: Reverse, node: Node, ct: Any) -> None:
    target, value = node.inputs
    rest = record.add("list_pop", (ct, -1), None)
    reverse.give(target, wrap(record.output(rest, 0, ct.type)))
    reverse.give(value, wrap(record.output(rest, 1, ct.type.element)))


def list_pop(reverse: Reverse, node: Node, cts: dict[int, Any]) -> None:
    target, index = node.inputs
    items, at = reverse.value(target), reverse.value(index)
    rest = cts[0] if 0 in cts else zeros_like(reverse.value(reverse.results[node][0]))
    value = cts.get(1)
    if value is None:
        value = zeros_like(_item(items, at))
    made = record.add("list_insert", (rest, at, lists.element_node(value)), items.type)
    reverse.give(target, wrap(made))


def list_get(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index = node.inputs
    total = reverse.cotangent(target)
    if total is None:
        total = zeros_like(reverse.value(target))
    reverse.seed(target, put(total, reverse.value(index), ct))


def list_set(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index, value = node.inputs
    at = reverse.value(index)
    given = _item(ct, at)
    reverse.give(value, given)
    nothing = lists.element_node(zeros_like(given))
    reverse.give(target, wrap(record.add("list_set", (ct, at, nothing), ct.type)))


def list_add_at(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index, value = node.inputs
    reverse.give(target, ct)
    reverse.give(value, _item(ct, reverse.value(index)))


def list_insert(reverse: Reverse, node: Node, ct: Any) -> None:
    target, index, value = node.inputs
    rest = record.add("list_pop", (ct, reverse.value(index)), None)
    reverse.give(target, wrap(record.output(rest, 0, ct.type)))
    reverse.give(value, wrap(record.output(rest, 1, ct.type.element)))


def list_sum(reverse: Reverse, node: Node, ct: Any) -> None:
    for part in node.inputs:
        reverse.give(part, ct)


def concatenated(reverse: Reverse, node: Node, ct: Any) -> None:
    """Two lists, one behind the other."""
    first, second = node.inputs
    count = wrap(record.add("len", (reverse.value(first),), ScalarType(int), function=len))
    reverse.give(first, ct[:count])
    reverse.give(second, ct[count:])


def nothing(reverse: Reverse, node: Node, ct: Any) -> None:
    """What does not depend on the values that it is given."""


def iterate(reverse: Reverse, node: Node, ct: Any) -> None:
    """A list of an array's rows; a copy of a list."""
    [source] = node.inputs
    if isinstance(source.type, ArrayType):
        reverse.give(source, record.call(np.array, (ct,), {}))
    elif _is_list(source):
        reverse.give(source, ct)
    else:
        raise no_rule(node)


def builtin_sum(reverse: Reverse, node: Node, ct: Any) -> None:
    source, *start = node.inputs
    if isinstance(source.type, ArrayType):
        value = reverse.value(source)
        reverse.give(source, np.broadcast_to(ct, shape_of(value)))
    elif _is_list(source) and isinstance(source.type.element, (ArrayType, ScalarType)):
        items = record.call(np.array, (reverse.value(source),), {})
        reverse.give(source, _as_list(np.broadcast_to(ct, shape_of(items)), source.type))
    else:
        raise no_rule(node)
    for part in start:
        reverse.give(part, ct)


def extreme(reverse: Reverse, node: Node, ct: Any) -> None:
    """Python's `min` and `max` of values: the first that is equal to the result has the cotangent."""
    if len(node.inputs) == 1:
        [source] = node.inputs
        is_list = _is_list(source) and isinstance(source.type.element, (ArrayType, ScalarType))
        if not is_list and not isinstance(source.type, ArrayType):
            raise no_rule(node)
        value = reverse.value(source)
        value = record.call(np.array, (value,), {}) if is_list else value
        chosen = value == reverse.value(node)
        made = np.where(chosen & (np.cumsum(chosen) == 1), ct, 0)
        reverse.give(source, _as_list(made, source.type) if is_list else made)
        return
    result = reverse.value(node)
    before: Any = False
    for part in node.inputs:
        value = reverse.value(part)
        is_it = value == result
        if part in reverse.active:
            mine = is_it if before is False else np.logical_and(is_it, np.logical_not(before))
            reverse.give(part, np.where(mine, ct, 0) * 1.0)
        before = is_it if before is False else np.logical_or(before, is_it)


STRUCTURAL.update({
    "getitem": getitem,
    "setitem": setitem,
    "add_at": add_at,
    **dict.fromkeys(("convert", "check_bound", "with_shape", "same", "list_copy", "_real"), passed_on),
    **dict.fromkeys(("item", "float", "complex"), to_number),
    "list": new_list,
    "tuple": new_tuple,
    "list_append": list_append,
    "list_pop": list_pop,
    "list_get": list_get,
    "list_set": list_set,
    "list_add_at": list_add_at,
    "list_insert": list_insert,
    "list_sum": list_sum,
    "list_zeros": nothing,
    "iterate": iterate,
    "sum": builtin_sum,
    **dict.fromkeys(("min", "max"), extreme),
})  # fmt: skip
LISTS["add"] = concatenated
