"""Conditionals and loops in machine code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...ir.graph import Graph, Missing, Node
from ...ir.subgraphs import Loop
from ...ir.types import NULLABLE_TYPES, ArrayType, ListType, bound_type
from ..assembly.kinds import INT
from ..assembly.statuses import Mode, UnsupportedError
from ..assembly.values import Array, Enumerate, Expression, List, Range, Reversed, Scalar, Tuple, Zip
from ..operations.places import DIFFERENT_TYPES, Place, block_of, empty_value, make_place
from .bailouts import Checkpoint, Frame
from .graphs import GraphEmitter, Scope
from .loop_facts import (
    FAR,
    MAX_ITERATIONS,
    carried_bounds,
    guard_index_checks,
    hoist_index_checks,
    keeps_shape,
    range_bounds,
)
from .recurrences import load_first, recurrences

POLL_INTERVAL = 1 << 20  # iterations between two checks for Ctrl-C


@dataclass
class Side:
    """One branch of a conditional, as emitted."""

    graph: Graph
    results: list[Any]
    scope: Scope
    blocks: list[str]
    lines: list[str]


class ControlFlowEmitter(GraphEmitter):
    """Emitter of conditionals and loops."""

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode)
        self.part_lengths: dict[int, str] = {}
        """The lengths of the parts of `zip`, by their ids."""

    # --- Conditionals -----------------------------------------------------------------------------

    def condition(self, node: Node) -> str:
        return self.condition_of(self.value(node))

    def condition_of(self, value: Any) -> str:
        if isinstance(value, Scalar):
            return self.truth(value)
        if isinstance(value, List):
            return self.w.op(f"icmp sgt i64 {value.length}, 0")
        if isinstance(value, (Range, Enumerate, Zip, Reversed)):
            return self.w.op(f"icmp sgt i64 {self.length(value)}, 0")
        raise UnsupportedError("the truth of this value is not compiled")

    def cond(self, node: Node) -> Tuple:
        w, scope = self.w, self.scopes[-1]
        predicate, *operands = node.inputs
        condition = self.condition(predicate)
        graphs = node.attrs["then"], node.attrs["orelse"]
        self.settle_all()
        names = w.fresh("then"), w.fresh("else")
        end = w.fresh("end")
        w.branch(condition, *names)
        checkpoint, sides = self.checkpoint, []
        kept: Checkpoint | None = checkpoint
        takeable = [self.may_take(o, tuple(operands)) for o in operands]
        for name, graph in zip(names, graphs, strict=True):
            w.label(name)
            self.checkpoint = checkpoint
            owned = {a for a, free in zip(graph.arguments, takeable, strict=True) if free}
            for argument, operand in zip(graph.arguments, operands, strict=True):
                self.values[argument] = self._passed(operand)
            self.frames.append(Frame(node, graph, scope.index))
            results, inner, blocks = self.graph(graph, owned)
            self.frames.pop()
            sides.append(Side(graph, results, inner, blocks, w.lines))
            if self.checkpoint is not checkpoint:
                kept = None
            w.lines = []
        kinds = self._output_types(node)
        merged = [self._merge(sides, i, kinds.get(i)) for i in range(len(graphs[0].results))]
        for side, other in zip(sides, range(2), strict=True):
            w.lines = side.lines if not other else w.lines + side.lines
            for part in merged:
                if isinstance(part, Place):
                    value = side.results[merged.index(part)]
                    self.retain(block_of(value))
                    part.store(value)
            for block in side.blocks:
                self.release(block)
            w.jump(end)
        w.label(end)
        self.checkpoint = kept
        parts = []
        for i, part in enumerate(merged):
            if isinstance(part, Place):
                part = part.load()
                self.own(part)
            parts.append(part)
            if all(
                s.graph.results[i] in s.scope.owned and s.graph.results.count(s.graph.results[i]) == 1
                for s in sides
            ):
                scope.owned.add((node, i))
        return Tuple(tuple(parts))

    def _passed(self, operand: Node) -> Any:
        value = self.value(operand)
        return self.materialize(value) if isinstance(value, Expression) else value

    def _output_types(self, node: Node) -> dict[int, Any]:
        """Return the types of the results of a conditional that are used, by index."""
        nodes = self.scopes[-1].graph.nodes[self.scopes[-1].index :]
        return {n.attrs["index"]: n.type for n in nodes if n.op == "output" and n.inputs[0] is node}

    def _merge(self, sides: list[Side], index: int, kind: Any) -> Any:
        """Return the value that both branches give, or the place where they store their values."""
        if kind is None:
            return Missing.VALUE  # unused
        first, second = (side.results[index] for side in sides)
        if first == second:
            return first
        if not isinstance(kind, NULLABLE_TYPES):
            for side in sides:
                if side.results[index] is Missing.VALUE:  # never read, as the type says
                    side.results[index] = empty_value(kind)
            types = {
                bound_type(side.graph.results[index].type) for side in sides if side.graph.results[index].type
            }
            if len({_signature(t) for t in types}) > 1:
                raise UnsupportedError(DIFFERENT_TYPES)
        return make_place(self, kind, tuple(side.results[index] for side in sides))

    def own(self, value: Any) -> None:
        """Release the reference that a value holds when the current graph ends."""
        if block_of(value) != "null":
            self.own_blocks.append(block_of(value))

    # --- Loops ------------------------------------------------------------------------------------

    def length(self, iterable: Any) -> str:
        w = self.w
        if isinstance(iterable, (Array, Expression)):
            return iterable.dims[0]
        if isinstance(iterable, List):
            return iterable.length
        if isinstance(iterable, Range):
            return self._range_length(iterable)
        if isinstance(iterable, Zip):
            lengths = [self.length(part) for part in iterable.parts]
            self.part_lengths.update(zip(map(id, iterable.parts), lengths, strict=True))
            length = lengths[0]
            for other in lengths[1:]:
                length = w.call("i64", "llvm.smin.i64", ("i64", length), ("i64", other))
            return length
        if isinstance(iterable, Enumerate):
            self._require_moderate(iterable.start)
            return self.length(iterable.source)
        if isinstance(iterable, Reversed):
            return self.length(iterable.source)
        raise UnsupportedError("a loop over this value is not compiled")

    def _range_length(self, value: Range) -> str:
        w = self.w
        start, stop, step = value.start.register, value.stop.register, value.step.register
        least, most = value.step.interval
        for number in (value.start, value.stop, value.step):
            self._require_moderate(number)
        if least <= 0 <= most:
            self.bail_if(w.op(f"icmp eq i64 {step}, 0"))
        if least < 0 < most:
            rises = w.op(f"icmp sgt i64 {step}, 0")
            distance = w.op(f"sub i64 {stop}, {start}")
            distance, step = (
                w.op(f"select i1 {rises}, i64 {n}, i64 {w.op(f'sub i64 0, {n}')}") for n in (distance, step)
            )
        elif least >= 0:
            distance = w.op(f"sub i64 {stop}, {start}")
        else:
            distance, step = w.op(f"sub i64 {start}, {stop}"), w.mul(step, "-1")
        distance = w.call("i64", "llvm.smax.i64", ("i64", distance), ("i64", "0"))
        if step == "1":
            return distance
        return w.op(f"udiv i64 {w.add(distance, w.add(step, '-1'))}, {step}")

    def _require_moderate(self, number: Scalar) -> None:
        """Bail out if sums with a number may overflow."""
        if number.interval[0] < -FAR or number.interval[1] > FAR:
            shifted = self.w.op(f"add i64 {number.register}, {FAR}")
            self.bail_if(self.w.op(f"icmp ugt i64 {shifted}, {2 * FAR}"))

    def elements(self, iterable: Any, index: str, length: str) -> list[Any]:
        """Emit the elements at an index: one for each loop variable."""
        w = self.w
        if isinstance(iterable, Array):
            if len(iterable.dims) == 1:
                return [self.load_element(iterable, (index,))]
            address = self.step(iterable, 0, index, iterable.address)
            rest = None if iterable.strides is None else iterable.strides[1:]
            return [Array(iterable.kind, address, iterable.dims[1:], iterable.block, rest, iterable.root)]
        if isinstance(iterable, List):
            return [self.list_element(iterable, index)]
        if isinstance(iterable, Range):
            register = w.add(iterable.start.register, w.mul(index, iterable.step.register))
            return [Scalar(register, INT, bounds=range_bounds(iterable))]
        if isinstance(iterable, Zip):
            return [
                e for part in iterable.parts for e in self.elements(part, index, self.part_lengths[id(part)])
            ]
        if isinstance(iterable, Enumerate):
            low = iterable.start.interval[0]
            count = Scalar(w.add(iterable.start.register, index), INT, bounds=(low, max(low, 2**62)))
            return [count, *self.elements(iterable.source, index, length)]
        if isinstance(iterable, Reversed):
            last = w.op(f"sub i64 {length}, 1")
            return self.elements(iterable.source, w.op(f"sub i64 {last}, {index}"), length)
        raise UnsupportedError("a loop over this value is not compiled")

    def loop(self, node: Node) -> Tuple:
        """Emit a loop."""
        if node.attrs.get("maximum_iterations") is not None:
            raise UnsupportedError("a loop with maximum_iterations is not compiled")
        w, scope, loop = self.w, self.scopes[-1], Loop(node)
        source = self.value(node.inputs[1]) if node.op == "for" else None
        if isinstance(source, Expression):
            source = self.values[node.inputs[1]] = self.materialize(source)
        self.settle_all()
        test = self.condition(node.inputs[0])
        length = "" if source is None else self.length(source)
        if length and not length.isdigit():
            self.bail_if(w.op(f"icmp sgt i64 {length}, {MAX_ITERATIONS}"))
        written = self.written_in(loop.body)
        hoist_index_checks(self, loop, source, length, test)
        initial = [
            self._initial(v, a, written, node) for v, a in zip(loop.initial, loop.carried, strict=True)
        ]
        for operand, argument in loop.captures():
            self.values[argument] = self._passed(operand)
        self.settle_all()
        return self.loop_from(node, loop, source, test, length, initial, written, scope)

    def _initial(self, value: Node, argument: Node, written: set[Node], node: Node) -> Any:
        result = self.in_one_piece(self._passed(value), value)
        if argument in written and not self.may_take(value, node.inputs):
            result = self.copied(result)
        return self.conform(result, argument.type)

    def loop_from(
        self, node: Node, loop: Loop, source: Any, test: str, length: str, initial: list[Any],
        written: set[Node], scope: Scope,
    ) -> Tuple:  # fmt: skip
        w = self.w
        bounds = carried_bounds(self, loop, initial, source)
        guard_index_checks(self, loop, bounds)
        places = [
            make_place(self, a.type, (v,), bounds=b, has_fixed_shape=keeps_shape(loop, i))
            for i, (v, a, b) in enumerate(zip(initial, loop.carried, bounds, strict=True))
        ]
        for place, value in zip(places, initial, strict=True):
            self.retain(block_of(value))
            place.store(value)
        counter = w.alloca("i64")
        w.line(f"store i64 0, ptr {counter}")
        if node.op == "for":
            has_elements = w.op(f"icmp sgt i64 {length}, 0")
            test = w.op(f"and i1 {test}, {has_elements}")
            self.poll(length)
        head, end = w.fresh("loop"), w.fresh("after")
        found = [*recurrences(self, loop, source)]
        if found:
            first = w.fresh("first")
            w.branch(test, first, end)
            w.label(first)
            for recurrence in found:
                load_first(self, recurrence, initial[recurrence.index], source)
            w.jump(head)
        else:
            w.branch(test, head, end)
        w.label(head)
        arguments = [place.load() for place in places]
        for argument, value in zip(loop.carried, arguments, strict=True):
            self.values[argument] = value
        done = following = None
        index = w.op(f"load i64, ptr {counter}")
        if node.op == "for":
            done = Scalar(w.add(index, "1"), INT)
            if isinstance(source, Range):
                passed = w.mul(done.register, source.step.register)
                following = Scalar(w.add(source.start.register, passed), INT)
        frame = Frame(node, loop.body, scope.index, done, following)
        self.frames.append(frame)
        self.checkpoint = None
        if node.op == "for":
            elements = self.elements(source, index, length)
            if len(elements) != len(loop.elements):
                raise UnsupportedError("the elements of this loop are not compiled")
            self.values.update(zip(loop.elements, elements, strict=True))
        else:
            self.poll(None)
        owned = {a for a in loop.carried if a in written}

        def finish(results: list[Any], inner: Scope) -> None:
            results[0] = self.condition_of(results[0])
            for i, (result, argument) in enumerate(zip(loop.results, loop.carried, strict=True), 1):
                if argument in written and (result not in inner.owned or loop.body.results.count(result) > 1):
                    results[i] = self.copied(results[i])

        (again, *results), _, blocks = self.graph(loop.body, owned, finish)
        self.frames.pop()
        fixed = [self._is_same(a, r) for a, r in zip(arguments, results, strict=True)]
        for value, is_fixed in zip(results, fixed, strict=True):
            if not is_fixed:
                self.retain(block_of(value))
        for block in blocks:
            self.release(block)
        for place, value, old, is_fixed in zip(places, results, arguments, fixed, strict=True):
            if not is_fixed:
                self.release(block_of(old))
                place.store(value)
        if done is not None:
            w.line(f"store i64 {done.register}, ptr {counter}")
            more = w.op(f"icmp slt i64 {done.register}, {length}")
            again = w.op(f"and i1 {again}, {more}")
        w.branch(again, head, end)
        w.label(end)
        self.checkpoint = None
        parts = []
        for i, (place, value, is_fixed) in enumerate(zip(places, initial, fixed, strict=True)):
            part = value if is_fixed else place.load()
            self.own(part)
            parts.append(part)
            if loop.carried[i] in written:
                scope.owned.add((node, i))
        return Tuple(tuple(parts))

    @staticmethod
    def _is_same(argument: Any, result: Any) -> bool:
        return not isinstance(argument, Scalar) and argument == result

    def poll(self, count: str | None) -> None:
        """Emit a check for Ctrl-C: once in many iterations, or ahead of a loop of `count` iterations."""
        raise NotImplementedError


def _signature(kind: Any) -> Any:
    """Return what two types must share to be merged: the dtype and the rank."""
    if isinstance(kind, ArrayType):
        return kind.dtype, len(kind.shape)
    if isinstance(kind, ListType):
        return list
    return kind
