"""Lists: a rule gets the emitter and a node that has a list among its inputs, or makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....graph.ir import Node
from ....graph.types import ListType
from .. import refused
from ..builder import BOOL, INT, Value
from ..call import Call
from ..iterables import list_item, taken
from ..truth import length
from ..values import Columns, Empty, Items, coerced, listed
from .indexing import selected

if TYPE_CHECKING:
    from ..emitter import Emitter


def make(e: Emitter, node: Node) -> Any:
    return listed(e.b, e.inputs(node), node.type)


def make_tuple(e: Emitter, node: Node) -> Any:
    """A tuple as an item of a list; as what an index is taken of, its items."""
    return make(e, node) if isinstance(node.type, ListType) else tuple(e.inputs(node))


def _same_type(e: Emitter, node: Node, index: int = 0) -> Any:
    return coerced(e.b, e.values[node.inputs[index]], node.type)


def _each(values: Any, change: Any, item: Any = None) -> Any:
    """A list changed, place by place for one of tuples."""
    if isinstance(values, Columns):
        items = item if isinstance(item, tuple) else [item] * len(values.parts)
        return Columns(tuple([_each(p, change, i) for p, i in zip(values.parts, items, strict=True)]))
    return change(values, item)


def append(e: Emitter, node: Node) -> Any:
    b = e.b
    item = coerced(b, e.values[node.inputs[1]], node.type.element)

    def added(values: Any, value: Value) -> Any:
        if isinstance(values, Items):
            return Items(b.concat([values.tensor, b.unsqueeze(value, 0)], 0))
        return b.sequence("SequenceInsert", [values, value], values.dtype, values.ndim)

    return _each(_same_type(e, node), added, item)


def get(e: Emitter, node: Node) -> Any:
    values, index = e.inputs(node)
    if isinstance(values, Empty):
        raise refused.unsayable(
            node, "nothing was put into the list", "test its length first", "an item of a list"
        )
    return coerced(e.b, list_item(e.b, values, e.b.cast(e.b.scalar(index), INT)), node.type)


def _index(e: Emitter, values: Any, index: Any, what: str = "list assignment") -> Value:
    """An index from the start of a list; the run fails where there is no such item."""
    b = e.b
    size, number = length(b, values), b.cast(b.scalar(index), INT)
    made = b.where(b.less(number, 0), b.plus(number, size), number)
    outside = b.either(b.less(made, 0), b.op("GreaterOrEqual", made, size, dtype=BOOL))
    b.check(outside, f"IndexError: {what} index out of range")
    return made


def _before(e: Emitter, values: Items, end: Value) -> Value:
    return e.b.slice(values.tensor, e.b.ints(0), e.b.vector([end]), e.b.ints(0))


def _behind(e: Emitter, values: Items, start: Value) -> Value:
    return e.b.slice(values.tensor, e.b.vector([start]), e.b.ints(2**62), e.b.ints(0))


def set_item(e: Emitter, node: Node) -> Any:
    b = e.b
    values = _same_type(e, node)
    item = coerced(b, e.values[node.inputs[2]], node.type.element)
    index = _index(e, values, e.values[node.inputs[1]])

    def changed(part: Any, value: Value) -> Any:
        if isinstance(part, Items):
            where = b.reshape(index, b.ints(1, 1), 2)
            return Items(
                b.op("ScatterND", part.tensor, rest=[where, b.unsqueeze(value, 0)], ndim=part.tensor.ndim)
            )
        shorter = b.sequence("SequenceErase", [part, index], part.dtype, part.ndim)
        return b.sequence("SequenceInsert", [shorter, value, index], part.dtype, part.ndim)

    return _each(values, changed, item)


def pop(e: Emitter, node: Node) -> tuple[Any, Any]:
    b = e.b
    values, given = e.inputs(node)
    b.check(b.equal(length(b, values), 0), "IndexError: pop from empty list")
    index = _index(e, values, given, "pop")

    def shorter(part: Any, _: Any) -> Any:
        if isinstance(part, Items):
            return Items(b.concat([_before(e, part, index), _behind(e, part, b.plus(index, 1))], 0))
        return b.sequence("SequenceErase", [part, index], part.dtype, part.ndim)

    return _each(values, shorter), list_item(b, values, index)


def insert(e: Emitter, node: Node) -> Any:
    """The list from which `pop(index)` would take the value."""
    b = e.b
    values, given, value = e.inputs(node)
    values = _same_type(e, node)
    item = coerced(b, value, node.type.element)
    number = b.cast(b.scalar(given), INT)
    size = length(b, values)
    place = b.where(b.less(number, 0), b.plus(b.plus(size, 1), number), number)

    def longer(part: Any, new: Value) -> Any:
        if isinstance(part, Items):
            return Items(b.concat([_before(e, part, place), b.unsqueeze(new, 0), _behind(e, part, place)], 0))
        return b.sequence("SequenceInsert", [part, new, place], part.dtype, part.ndim)

    return _each(values, longer, item)


def concatenated(e: Emitter, node: Node) -> Any:
    b = e.b
    first, second = _same_type(e, node), coerced(b, e.values[node.inputs[1]], node.type)

    def joined(x: Any, y: Any) -> Any:
        if isinstance(x, Columns):
            return Columns(tuple(map(joined, x.parts, y.parts)))
        if isinstance(x, Items):
            return Items(b.concat([x.tensor, y.tensor], 0))
        raise refused.with_options(node, "lists of arrays whose shapes differ")

    return first if isinstance(first, Empty) else joined(first, second)


def repeated(e: Emitter, node: Node) -> Any:
    b = e.b
    values, times = e.inputs(node)
    if isinstance(times, (Items, Columns, Empty)):
        values, times = times, values
    if isinstance(values, Empty):
        return values
    size = length(b, values)
    count = b.op("Max", b.cast(times, INT), b.constant(0, INT))
    number = b.count(b.times(size, count))
    return taken(b, values, b.op("Mod", number, b.op("Max", size, b.constant(1, INT))))


def sliced(e: Emitter, node: Node) -> Any:
    values, key = e.values[node.inputs[0]], e.arguments(node)[0][1]
    if isinstance(values, Empty):
        return values
    c, b = Call(e.b, node), e.b
    if isinstance(values, Items):
        return Items(selected(c, values.tensor, key))
    return taken(b, values, selected(c, b.count(length(b, values)), key))


def equal(*, negated: bool) -> Any:
    def rule(e: Emitter, node: Node) -> Value:
        b = e.b
        first, second = e.inputs(node)
        size, other = length(b, first), length(b, second)
        made = b.equal(size, other)
        if isinstance(first, Items) and isinstance(second, Items):
            number = b.count(b.op("Min", size, other))
            x, y = b.common(*(b.gather(v.tensor, number) for v in (first, second)))
            made = b.both(made, b.all(b.equal(x, y)))
        elif not isinstance(first, Empty) and not isinstance(second, Empty):
            raise refused.with_options(node, "lists of tuples or arrays")
        return b.negated(made) if negated else made

    return rule


def zeros(e: Emitter, node: Node) -> Any:
    b = e.b

    def cleared(part: Any, _: Any) -> Any:
        if isinstance(part, Items):
            zero = b.constant(np.zeros((), part.tensor.dtype))
            return Items(b.expand(zero, b.shape(part.tensor), part.tensor.ndim))
        raise refused.with_options(node, "arrays whose shapes differ")

    return _each(e.values[node.inputs[0]], cleared)


def add_at(e: Emitter, node: Node) -> Any:
    """A list with more added to one of its items, as gradients do."""
    b = e.b
    values = _same_type(e, node)
    index = _index(e, values, e.values[node.inputs[1]])
    item = coerced(b, e.values[node.inputs[2]], node.type.element)

    def grown(part: Any, more: Value) -> Any:
        if not isinstance(part, Items):
            raise refused.with_options(node, "arrays whose shapes differ")
        where = b.reshape(index, b.ints(1, 1), 2)
        rest, tensor = [where, b.unsqueeze(more, 0)], part.tensor
        return Items(b.op("ScatterND", tensor, rest=rest, ndim=tensor.ndim, reduction="add"))

    return _each(values, grown, item)


def item_sums(e: Emitter, node: Node) -> Any:
    """The sums of the items of two lists."""
    second = coerced(e.b, e.values[node.inputs[1]], node.type)

    def joined(x: Any, y: Any) -> Any:
        if isinstance(x, Columns):
            return Columns(tuple(map(joined, x.parts, y.parts)))
        if not isinstance(x, Items):
            raise refused.with_options(node, "arrays whose shapes differ")
        return Items(e.b.plus(x.tensor, y.tensor))

    return joined(_same_type(e, node), second)


LISTS: dict[str, Any] = {
    "list_add_at": add_at, "list_sum": item_sums,
    "list_copy": _same_type, "list_append": append, "list_get": get, "list_set": set_item, "list_pop": pop,
    "list_insert": insert, "list_zeros": zeros, "add": concatenated, "mul": repeated, "getitem": sliced,
    "eq": equal(negated=False), "ne": equal(negated=True), "list": make, "tuple": make_tuple,
}  # fmt: skip
"""Rules of nodes that have a list among their inputs."""

OPS: dict[str, Any] = {"list": make, "tuple": make_tuple}
