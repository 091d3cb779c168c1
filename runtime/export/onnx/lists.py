"""ONNX rules for lists: a rule is called with the emitter and a node that takes or returns a list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.ir.graph import Node
from ...graph.ir.types import ListType
from .builder import unsupported
from .builder.builder import BOOL, INT, Value
from .builder.call import Call
from .builder.values import Columns, Empty, Items, coerce, length, to_list
from .indexing import select
from .iterables import gather_items, list_item

if TYPE_CHECKING:
    from .emitter import Emitter


def emit_list(e: Emitter, node: Node) -> Any:
    return to_list(e.b, e.inputs(node), node.type)


def emit_tuple(e: Emitter, node: Node) -> Any:
    """Emit a tuple of values, or a list if the node has a list type."""
    return emit_list(e, node) if isinstance(node.type, ListType) else tuple(e.inputs(node))


def copy_as_type(e: Emitter, node: Node, index: int = 0) -> Any:
    return coerce(e.b, e.values[node.inputs[index]], node.type)


def map_columns(values: Any, change: Any, item: Any = None) -> Any:
    """Apply `change` to a list, or to each column of a list of tuples with the matching part of `item`."""
    if isinstance(values, Columns):
        item = item.parts if isinstance(item, Columns) else item
        items = item if isinstance(item, tuple) else [item] * len(values.parts)
        return Columns(tuple([map_columns(p, change, i) for p, i in zip(values.parts, items, strict=True)]))
    return change(values, item)


def append(e: Emitter, node: Node) -> Any:
    b = e.b
    item = coerce(b, e.values[node.inputs[1]], node.type.element)

    def append_value(values: Any, value: Value) -> Any:
        if isinstance(values, Items):
            return Items(b.concat([values.tensor, b.unsqueeze(value, 0)], 0))
        return b.sequence("SequenceInsert", [values, value], values.dtype, values.ndim)

    return map_columns(copy_as_type(e, node), append_value, item)


def get(e: Emitter, node: Node) -> Any:
    values, index = e.inputs(node)
    if isinstance(values, Empty):
        raise unsupported.unsupported_node(
            node, "nothing was added to the list", "test its length first", "an item of a list"
        )
    return coerce(e.b, list_item(e.b, values, e.b.cast(e.b.scalar(index), INT)), node.type)


def normalized_index(e: Emitter, values: Any, index: Any, what: str = "list assignment") -> Value:
    """Return an index counted from the start of a list, and make the run fail if it is out of range."""
    b = e.b
    size, number = length(b, values), b.cast(b.scalar(index), INT)
    result = b.where(b.less(number, 0), b.add(number, size), number)
    outside = b.logical_or(b.less(result, 0), b.op("GreaterOrEqual", result, size, dtype=BOOL))
    b.check(outside, f"IndexError: {what} index out of range")
    return result


def items_before(e: Emitter, values: Items, end: Value) -> Value:
    return e.b.slice(values.tensor, e.b.ints(0), e.b.vector([end]), e.b.ints(0))


def items_from(e: Emitter, values: Items, start: Value) -> Value:
    return e.b.slice(values.tensor, e.b.vector([start]), e.b.ints(2**62), e.b.ints(0))


def set_item(e: Emitter, node: Node, *, adds: bool = False) -> Any:
    """Replace one item of a list or, for gradients, add to it."""
    b = e.b
    values = copy_as_type(e, node)
    item = coerce(b, e.values[node.inputs[2]], node.type.element)
    index = normalized_index(e, values, e.values[node.inputs[1]])
    attrs: dict[str, Any] = {"reduction": "add"} if adds else {}

    def replace_value(part: Any, value: Value) -> Any:
        if isinstance(part, Items):
            rest, tensor = [b.reshape(index, b.ints(1, 1), 2), b.unsqueeze(value, 0)], part.tensor
            return Items(b.op("ScatterND", tensor, rest=rest, ndim=tensor.ndim, **attrs))
        if adds:
            raise unsupported.unsupported_options(node, "arrays of different shapes")
        shorter = b.sequence("SequenceErase", [part, index], part.dtype, part.ndim)
        return b.sequence("SequenceInsert", [shorter, value, index], part.dtype, part.ndim)

    return map_columns(values, replace_value, item)


def pop(e: Emitter, node: Node) -> tuple[Any, Any]:
    b = e.b
    values, operand = e.inputs(node)
    b.check(b.equal(length(b, values), 0), "IndexError: pop from empty list")
    index = normalized_index(e, values, operand, "pop")

    def erase(part: Any, _: Any) -> Any:
        if isinstance(part, Items):
            return Items(b.concat([items_before(e, part, index), items_from(e, part, b.add(index, 1))], 0))
        return b.sequence("SequenceErase", [part, index], part.dtype, part.ndim)

    return map_columns(values, erase), list_item(b, values, index)


def insert(e: Emitter, node: Node) -> Any:
    """Insert a value at the position from which `pop(index)` would return it."""
    b = e.b
    values, operand, value = e.inputs(node)
    values = copy_as_type(e, node)
    item = coerce(b, value, node.type.element)
    number = b.cast(b.scalar(operand), INT)
    size = length(b, values)
    place = b.where(b.less(number, 0), b.add(b.add(size, 1), number), number)

    def insert_value(part: Any, new: Value) -> Any:
        if isinstance(part, Items):
            return Items(
                b.concat([items_before(e, part, place), b.unsqueeze(new, 0), items_from(e, part, place)], 0)
            )
        return b.sequence("SequenceInsert", [part, new, place], part.dtype, part.ndim)

    return map_columns(values, insert_value, item)


def pairwise(combine: Any, unsupported_lists: str) -> Any:
    """Return a rule that combines the tensors of two lists, and raises an error for `unsupported_lists`."""

    def rule(e: Emitter, node: Node) -> Any:
        first, second = copy_as_type(e, node), copy_as_type(e, node, 1)

        def join(x: Any, y: Any) -> Any:
            if isinstance(x, Items):
                return Items(combine(e.b, x.tensor, y.tensor))
            raise unsupported.unsupported_options(node, unsupported_lists)

        return first if isinstance(first, Empty) else map_columns(first, join, second)

    return rule


def repeat(e: Emitter, node: Node) -> Any:
    b = e.b
    values, times = e.inputs(node)
    if isinstance(times, (Items, Columns, Empty)):
        values, times = times, values
    if isinstance(values, Empty):
        return values
    size = length(b, values)
    count = b.op("Max", b.cast(times, INT), b.constant(0, INT))
    number = b.arange(b.mul(size, count))
    return gather_items(b, values, b.op("Mod", number, b.op("Max", size, b.constant(1, INT))))


def slice_list(e: Emitter, node: Node) -> Any:
    values, key = e.values[node.inputs[0]], e.arguments(node)[0][1]
    if isinstance(values, Empty):
        return values
    c, b = Call(e.b, node), e.b
    if isinstance(values, Items):
        return Items(select(c, values.tensor, key))
    return gather_items(b, values, select(c, b.arange(length(b, values)), key))


def equal(*, negated: bool) -> Any:
    def rule(e: Emitter, node: Node) -> Value:
        b = e.b
        first, second = e.inputs(node)
        size, other = length(b, first), length(b, second)
        result = b.equal(size, other)
        if isinstance(first, Items) and isinstance(second, Items):
            number = b.arange(b.op("Min", size, other))
            x, y = b.promote(*(b.gather(v.tensor, number) for v in (first, second)))
            result = b.logical_and(result, b.all(b.equal(x, y)))
        elif not isinstance(first, Empty) and not isinstance(second, Empty):
            raise unsupported.unsupported_options(node, "lists of tuples or arrays")
        return b.logical_not(result) if negated else result

    return rule


def zeros(e: Emitter, node: Node) -> Any:
    b = e.b

    def clear(part: Any, _: Any) -> Any:
        if isinstance(part, Items):
            zero = b.constant(np.zeros((), part.tensor.dtype))
            return Items(b.expand(zero, b.shape(part.tensor), part.tensor.ndim))
        raise unsupported.unsupported_options(node, "arrays of different shapes")

    return map_columns(e.values[node.inputs[0]], clear)


LISTS: dict[str, Any] = {
    "add": pairwise(lambda b, x, y: b.concat([x, y], 0), "lists of arrays of different shapes"),
    "list_sum": pairwise(lambda b, x, y: b.add(x, y), "arrays of different shapes"),
    "list_copy": copy_as_type, "list_append": append, "list_get": get, "list_set": set_item, "list_pop": pop,
    "list_add_at": partial(set_item, adds=True), "list_insert": insert, "list_zeros": zeros, "mul": repeat,
    "getitem": slice_list,
    "eq": equal(negated=False), "ne": equal(negated=True), "list": emit_list, "tuple": emit_tuple,
}  # fmt: skip
"""Rules for nodes with a list among their inputs."""

OPS: dict[str, Any] = {"list": emit_list, "tuple": emit_tuple}
