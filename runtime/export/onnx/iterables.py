"""What a `for` loops over, as a length and an item by its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...graph.ir import Node
from .builder import BOOL, INT, Builder, Value
from .subgraphs import looped
from .truth import length
from .values import Columns, Empty, Items, Iterable

if TYPE_CHECKING:
    from .emitter import Emitter


def list_item(b: Builder, values: Any, index: Value) -> Any:
    """An item of a list. An index that is out of range makes the run fail, as both operators say."""
    if isinstance(values, Columns):
        return tuple([list_item(b, part, index) for part in values.parts])
    if isinstance(values, Items):
        return b.gather(values.tensor, index)
    return b.node("SequenceAt", [values, index], values.dtype, values.ndim)


def iterable(b: Builder, value: Any) -> Iterable:
    """An array, list or iterable as one that a loop can go over."""
    if isinstance(value, Iterable):
        return value
    if isinstance(value, Empty):
        return Iterable(b.constant(0, INT), lambda inner, _: [inner.constant(0, INT)], lambda _: value)
    held = Items(value) if isinstance(value, Value) and not value.is_sequence else value
    return Iterable(length(b, held), lambda inner, number: [list_item(inner, held, number)], lambda _: held)


def as_list(b: Builder, value: Any) -> Any:
    """The items of an array, list or iterable as a list."""
    return iterable(b, value).listed(b)


# The ops


def emit_range(e: Emitter, node: Node) -> Iterable:
    b = e.b
    start, stop, step = (b.cast(v, INT) for v in e.inputs(node))
    unit = step.constant is not None and step.constant.item() == 1
    if unit:
        count = b.minus(stop, start)
    else:
        if step.constant is None:
            b.check(b.equal(step, 0), "ValueError: range() arg 3 must not be zero")
        down = b.less(step, 0)
        span = b.where(down, b.minus(start, stop), b.minus(stop, start))
        size = b.op("Max", b.op("Abs", step), b.constant(1, INT))
        count = b.over(b.plus(b.op("Max", span, b.constant(0, INT)), b.minus(size, 1)), size)
    rounds = b.op("Max", count, b.constant(0, INT))

    def item(inner: Builder, number: Value) -> Sequence[Value]:
        return [inner.plus(start, number if unit else inner.times(number, step))]

    return Iterable(rounds, item, lambda inner: Items(item(inner, inner.count(rounds))[0]))


def emit_enumerate(e: Emitter, node: Node) -> Iterable:
    source, start = iterable(e.b, e.values[node.inputs[0]]), e.b.cast(e.values[node.inputs[1]], INT)

    def listed(inner: Builder) -> Any:
        return Columns((Items(inner.plus(start, inner.count(source.length))), source.listed(inner)))

    return Iterable(source.length, lambda b, n: [b.plus(start, n), *source.item(b, n)], listed)


def emit_zip(e: Emitter, node: Node) -> Iterable:
    b = e.b
    sources = [iterable(b, v) for v in e.inputs(node)]
    rounds = sources[0].length
    for other in sources[1:]:
        if node.attrs["strict"]:
            b.check(
                b.negated(b.equal(rounds, other.length)), "ValueError: zip() arguments have different lengths"
            )
        rounds = b.op("Min", rounds, other.length)

    def listed(inner: Builder) -> Any:
        return Columns(tuple([cut(inner, s.listed(inner), rounds) for s in sources]))

    return Iterable(rounds, lambda inner, n: [v for s in sources for v in s.item(inner, n)], listed)


def emit_reversed(e: Emitter, node: Node) -> Iterable:
    source = iterable(e.b, e.values[node.inputs[0]])

    def number(b: Builder, n: Value) -> Value:
        return b.minus(b.minus(source.length, 1), n)

    def listed(b: Builder) -> Any:
        return taken(b, source.listed(b), number(b, b.count(source.length)))

    return Iterable(source.length, lambda b, n: source.item(b, number(b, n)), listed)


def taken(b: Builder, values: Any, numbers: Value) -> Any:
    """The items of a list at several places."""
    if isinstance(values, Columns):
        return Columns(tuple([taken(b, part, numbers) for part in values.parts]))
    if isinstance(values, Items):
        return Items(b.gather(values.tensor, numbers))
    if isinstance(values, Empty):
        return values
    return gathered(b, values, numbers)


def gathered(b: Builder, values: Value, numbers: Value) -> Value:
    """The items of a sequence at several places: one by one."""

    def body(inner: Builder, number: Value, carried: list[Value]) -> tuple[Value, Sequence[Value]]:
        item = list_item(inner, values, inner.gather(numbers, number))
        grown = inner.sequence("SequenceInsert", [carried[0], item], values.dtype, values.ndim)
        return inner.constant(True, BOOL), [grown]

    empty = b.no_items(values.dtype, values.ndim)
    [made] = looped(b, b.dim(numbers, 0), b.constant(True, BOOL), [empty], body)
    return made


def cut(b: Builder, values: Any, count: Value) -> Any:
    """The first items of a list."""
    return taken(b, values, b.count(count))
