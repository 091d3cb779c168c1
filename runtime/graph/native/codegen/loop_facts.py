"""What is known of a loop before its body is compiled: bounds of integers, fixed shapes, valid indices.

These facts replace checks in every iteration by none, or by one before the loop. That a counter does not
overflow follows from time: it takes years to add a small number 2**61 times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...ir.graph import Graph, Node, Slot
from ...ir.subgraphs import Loop, argument_sources
from ..assembly.values import Array, Range, Scalar

if TYPE_CHECKING:
    from ..assembly.memory import MemoryEmitter

Bounds = tuple[int, int]
FAR = 2**61
_SMALL = 1024  # a step with which a counter takes years to overflow
MAX_ITERATIONS = FAR // _SMALL
"""The iterations after which a counter may exceed its bounds. LLVM can skip a loop that only counts."""


def range_bounds(value: Range) -> Bounds:
    """Return bounds for the elements of a range."""
    start, stop, step = value.start.interval, value.stop.interval, value.step.interval
    rising = max(start[0], -FAR), max(start[0], min(stop[1], FAR) - 1)
    falling = min(start[1], max(stop[0], -FAR) + 1), min(start[1], FAR)
    if step[0] > 0:
        return rising
    return falling if step[1] < 0 else (min(rising[0], falling[0]), max(rising[1], falling[1]))


# --- Counters -------------------------------------------------------------------------------------


def carried_bounds(
    emitter: MemoryEmitter, loop: Loop, initial: list[Any], source: Any
) -> list[Bounds | None]:
    """Return bounds for each carried integer, from its initial value and how an iteration changes it."""
    known = dict(zip(loop.captured, (emitter.values[o] for o in loop.operands), strict=True))
    if isinstance(source, Range):
        [element] = loop.elements
        known[element] = Scalar("", source.start.kind, bounds=range_bounds(source))
    bounds: list[Bounds | None] = []
    for value, argument, result in zip(initial, loop.carried, loop.results, strict=True):
        if not isinstance(value, Scalar) or value.kind.code not in "iu":
            bounds.append(None)
            continue
        change = _change(loop.body, result, argument, known, {})
        bounds.append(None if change is None else _after(emitter, value, change))
    return bounds


def _after(emitter: MemoryEmitter, initial: Scalar, change: Bounds) -> Bounds | None:
    """Return bounds for a number that each iteration changes by an amount between the bounds of `change`."""
    low, high = initial.interval
    lowest, highest = initial.kind.range
    is_wide = initial.kind.bits == 64 and initial.kind.code == "i"
    if is_wide and (low < -FAR or high > FAR):
        w = emitter.w
        shifted = w.op(f"add i64 {initial.register}, {FAR}")
        emitter.bail_if(w.op(f"icmp ugt i64 {shifted}, {2 * FAR}"))
        low, high = max(low, -FAR), min(high, FAR)
    if change[0] < 0:
        low = low - FAR if is_wide and change[0] >= -_SMALL else lowest
    if change[1] > 0:
        high = high + FAR if is_wide and change[1] <= _SMALL else highest
    return low, high


def _change(
    graph: Graph, node: Node, argument: Node, known: dict[Node, Any], outside: dict[Node, Node]
) -> Bounds | None:
    """Return bounds for the difference between a value and an argument of a loop's body, if they are known.

    `outside` maps the arguments of branches to the values that are passed to them.
    """
    while node in outside:
        node = outside[node]
    if node is argument:
        return 0, 0
    if node.op in ("add", "sub"):
        first, second = node.inputs
        change, step = _change(graph, first, argument, known, outside), _interval(second, known, outside)
        if change is None and node.op == "add":
            change, step = _change(graph, second, argument, known, outside), _interval(first, known, outside)
        if change is None or step is None:
            return None
        if node.op == "sub":
            step = -step[1], -step[0]
        return change[0] + step[0], change[1] + step[1]
    if node.op == "output" and node.inputs[0].op == "cond":
        cond, changes = node.inputs[0], []
        for inner in cond.graphs():
            inside = {a: o for _, o, a in argument_sources(cond, inner)}
            result = inner.results[node.attrs["index"]]
            changes.append(_change(inner, result, argument, known, {**outside, **inside}))
        found = [c for c in changes if c is not None]
        if len(found) == len(changes):
            return min(low for low, _ in found), max(high for _, high in found)
    return None


def _interval(node: Node, known: dict[Node, Any], outside: dict[Node, Node]) -> Bounds | None:
    while node in outside:
        node = outside[node]
    if node.op == "constant" and type(node.attrs["value"]) in (int, bool):
        return int(node.attrs["value"]), int(node.attrs["value"])
    value = known.get(node)
    if isinstance(value, Scalar) and value.kind.code in "iub":
        return value.interval
    return None


# --- Shapes ---------------------------------------------------------------------------------------


def keeps_shape(loop: Loop, index: int) -> bool:
    """Return whether a carried array has the same shape in every iteration."""
    return shape_origin(loop.results[index]) is loop.carried[index]


def shape_origin(node: Node) -> Node:
    """Return an earlier value of the same graph that is known to have the same shape."""
    while True:
        if node.op == "setitem" or node.op in (
            "numpy.zeros_like",
            "numpy.ones_like",
            "numpy.ndarray.copy",
            "numpy.empty_like",
        ):
            node = node.inputs[0]
        elif node.op == "output" and node.inputs[0].op in ("while", "for"):
            loop, index = Loop(node.inputs[0]), node.attrs["index"]
            if not keeps_shape(loop, index):
                return node
            node = loop.initial[index]
        elif node.op == "output" and node.inputs[0].op == "cond":
            origins = set()
            for inner in node.inputs[0].graphs():
                inside = {a: o for _, o, a in argument_sources(node.inputs[0], inner)}
                origin = shape_origin(inner.results[node.attrs["index"]])
                origins.add(inside.get(origin, origin))
            if len(origins) != 1:
                return node
            [node] = origins
        else:
            return node


# --- Indices --------------------------------------------------------------------------------------


def hoist_index_checks(emitter: MemoryEmitter, loop: Loop, source: Any, length: str, test: str) -> None:
    """Check before a loop over a range that the indices which each iteration uses are in bounds.

    If one is not, an iteration raises, and Python code runs the loop instead.
    """
    going = loop.body.results[0]
    if not isinstance(source, Range) or going.op != "constant" or going.attrs["value"] is not True:
        return
    is_rising, is_falling = source.step.interval[0] > 0, source.step.interval[1] < 0
    if not is_rising and not is_falling:
        return
    [element] = loop.elements
    low, _ = range_bounds(source)
    w = emitter.w
    last = ""
    for node, axis, dim, offset in _indices_from(emitter, loop, element):
        if low + offset < 0:
            continue
        if not last:
            last = w.add(source.start.register, w.mul(w.op(f"sub i64 {length}, 1"), source.step.register))
        largest = last if is_rising else source.start.register
        beyond = w.op(f"icmp sge i64 {w.add(largest, str(offset))}, {dim}")
        runs = w.op(f"and i1 {test}, {w.op(f'icmp sgt i64 {length}, 0')}")
        emitter.bail_if(w.op(f"and i1 {runs}, {beyond}"))
        emitter.unsafe_indices[node, axis] = "false"


def guard_index_checks(emitter: MemoryEmitter, loop: Loop, bounds: list[Bounds | None]) -> None:
    """Skip index checks in a loop `while i < n`, or `<=`, where all numbers that pass the test are in bounds.

    As the last of them may be out of bounds without being reached, each iteration checks its indices then.
    LLVM makes two loops of one.
    """
    first, following = loop.node.inputs[0], loop.body.results[0]
    if loop.node.op != "while" or following.op not in ("lt", "le") or first.op != following.op:
        return
    outside = {argument: operand for operand, argument in loop.captures()}
    counter, limit = following.inputs
    limit = outside.get(limit, limit)
    value = emitter.values.get(limit)
    if not isinstance(value, Scalar) or value.kind.code != "i" or value.kind.bits != 64:
        return
    w = emitter.w
    for (initial, argument, result), known in zip(loop.carries(), bounds, strict=True):
        if result is not counter or known is None or first.inputs != (initial, limit):
            continue
        for node, axis, dim, offset in _indices_from(emitter, loop, argument):
            if known[0] + offset >= 0:
                stop = w.op(f"sub i64 {dim}, {offset}")
                compared = "sge" if following.op == "le" else "sgt"
                emitter.unsafe_indices[node, axis] = w.op(f"icmp {compared} i64 {value.register}, {stop}")


def _indices_from(emitter: MemoryEmitter, loop: Loop, number: Node) -> Iterator[tuple[Node, int, str, int]]:
    """Yield the items whose index is a number plus a constant: node, axis, dimension and constant.

    Each iteration reads or writes them, in arrays whose shapes the loop does not change.
    """
    outer = {argument: operand for operand, argument in loop.captures()}
    outer |= {c: v for i, (v, c, _) in enumerate(loop.carries()) if keeps_shape(loop, i)}
    for node in loop.body.nodes:
        if node.op not in ("getitem", "setitem"):
            continue
        origin = outer.get(shape_origin(node.inputs[0]))
        array = None if origin is None else emitter.values.get(origin)
        key = node.attrs["args"][1] if node.op == "getitem" else node.attrs["key"]
        parts = key if type(key) is tuple else (key,)
        if not isinstance(array, Array) or not all(isinstance(p, (Slot, int)) for p in parts):
            continue
        for axis, part in enumerate(parts):
            offset = offset_from(node.inputs[part.index], number) if isinstance(part, Slot) else None
            if offset is not None:
                yield node, axis, array.dims[axis], offset


def offset_from(index: Node, element: Node) -> int | None:
    """Return the constant that an index adds to a number of the loop, or None."""
    if index is element:
        return 0
    if index.op in ("add", "sub"):
        first, second = index.inputs
        if first is element and second.op == "constant" and type(second.attrs["value"]) is int:
            value: int = second.attrs["value"]
            return value if index.op == "add" else -value
        if (
            index.op == "add"
            and second is element
            and first.op == "constant"
            and type(first.attrs["value"]) is int
        ):
            return int(first.attrs["value"])
    return None
