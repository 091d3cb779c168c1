"""Iterables of `for` loops, as a length and a function from an index to an item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...graph.ir.graph import Node
from .builder.builder import BOOL, INT, Builder, Value
from .builder.subgraphs import emit_loop
from .builder.values import Columns, Empty, Items, Iterable, length

if TYPE_CHECKING:
    from .emitter import Emitter


def list_item(b: Builder, values: Any, index: Value) -> Any:
    """Return an item of a list. The run fails if the index is out of range."""
    if isinstance(values, Columns):
        return tuple([list_item(b, part, index) for part in values.parts])
    if isinstance(values, Items):
        return b.gather(values.tensor, index)
    return b.node("SequenceAt", [values, index], values.dtype, values.ndim)


def iterable(b: Builder, value: Any) -> Iterable:
    """Return an array, list or iterable as an `Iterable`."""
    if isinstance(value, Iterable):
        return value
    if isinstance(value, Empty):
        return Iterable(b.constant(0, INT), lambda inner, _: [inner.constant(0, INT)], lambda _: value)
    container = Items(value) if isinstance(value, Value) and not value.is_sequence else value
    return Iterable(
        length(b, container), lambda inner, number: [list_item(inner, container, number)], lambda _: container
    )


def as_list(b: Builder, value: Any) -> Any:
    """Return the items of an array, list or iterable as a list."""
    return iterable(b, value).to_list(b)


def emit_range(e: Emitter, node: Node) -> Iterable:
    b = e.b
    start, stop, step = (b.cast(v, INT) for v in e.inputs(node))
    unit = step.constant is not None and step.constant.item() == 1
    if unit:
        count = b.sub(stop, start)
    else:
        if step.constant is None:
            b.check(b.equal(step, 0), "ValueError: range() arg 3 must not be zero")
        down = b.less(step, 0)
        span = b.where(down, b.sub(start, stop), b.sub(stop, start))
        size = b.op("Max", b.op("Abs", step), b.constant(1, INT))
        count = b.div(b.add(b.op("Max", span, b.constant(0, INT)), b.sub(size, 1)), size)
    rounds = b.op("Max", count, b.constant(0, INT))

    def item(inner: Builder, number: Value) -> Sequence[Value]:
        return [inner.add(start, number if unit else inner.mul(number, step))]

    return Iterable(rounds, item, lambda inner: Items(item(inner, inner.arange(rounds))[0]))


def emit_enumerate(e: Emitter, node: Node) -> Iterable:
    source, start = iterable(e.b, e.values[node.inputs[0]]), e.b.cast(e.values[node.inputs[1]], INT)

    def to_list(inner: Builder) -> Any:
        return Columns((Items(inner.add(start, inner.arange(source.length))), source.to_list(inner)))

    return Iterable(source.length, lambda b, n: [b.add(start, n), *source.item(b, n)], to_list)


def emit_zip(e: Emitter, node: Node) -> Iterable:
    b = e.b
    sources = [iterable(b, v) for v in e.inputs(node)]
    rounds = sources[0].length
    for other in sources[1:]:
        if node.attrs["strict"]:
            b.check(
                b.logical_not(b.equal(rounds, other.length)),
                "ValueError: zip() arguments have different lengths",
            )
        rounds = b.op("Min", rounds, other.length)

    def to_list(inner: Builder) -> Any:
        numbers = inner.arange(rounds)
        return Columns(tuple([gather_items(inner, s.to_list(inner), numbers) for s in sources]))

    return Iterable(rounds, lambda inner, n: [v for s in sources for v in s.item(inner, n)], to_list)


def emit_reversed(e: Emitter, node: Node) -> Iterable:
    source = iterable(e.b, e.values[node.inputs[0]])

    def number(b: Builder, n: Value) -> Value:
        return b.sub(b.sub(source.length, 1), n)

    def to_list(b: Builder) -> Any:
        return gather_items(b, source.to_list(b), number(b, b.arange(source.length)))

    return Iterable(source.length, lambda b, n: source.item(b, number(b, n)), to_list)


def gather_items(b: Builder, values: Any, numbers: Value) -> Any:
    """Return the items of a list at several indices."""
    if isinstance(values, Columns):
        return Columns(tuple([gather_items(b, part, numbers) for part in values.parts]))
    if isinstance(values, Items):
        return Items(b.gather(values.tensor, numbers))
    if isinstance(values, Empty):
        return values
    return gather_sequence(b, values, numbers)


def gather_sequence(b: Builder, values: Value, numbers: Value) -> Value:
    """Return the items of a sequence at several indices, in a loop."""

    def body(inner: Builder, number: Value, carried: list[Value]) -> tuple[Value, Sequence[Value]]:
        item = list_item(inner, values, inner.gather(numbers, number))
        extended = inner.sequence("SequenceInsert", [carried[0], item], values.dtype, values.ndim)
        return inner.constant(True, BOOL), [extended]

    empty = b.empty_sequence(values.dtype, values.ndim)
    [result] = emit_loop(b, b.dim(numbers, 0), b.constant(True, BOOL), [empty], body)
    return result
