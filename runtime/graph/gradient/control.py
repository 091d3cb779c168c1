"""The reverse of conditions and loops, as conditions and loops.

The reverse of a condition takes the side that was taken. The reverse of a loop runs over the rounds
backwards; it carries the cotangents of what the loop carries, and the sums for what its body captures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...backends import BACKENDS
from .. import record
from ..ir import Graph, Node
from ..merging import merge_types
from ..staged import Tensor, wrap
from ..trace import Builder, building, current
from ..types import ArrayType, ListType, ScalarType
from .refused import no_rule
from .regions import INT, Body, Branch, Reader
from .reverse import CONTROL, Control, Reverse
from .values import added, is_differentiable, put, zeros_like


class Cond(Control):
    @staticmethod
    def active(reverse: Reverse, node: Node) -> frozenset[int]:
        found: set[int] = set()
        for graph in node.graphs():
            depends = _dependent(graph, _arguments(reverse, node, graph, 1))
            found.update(i for i, r in enumerate(graph.results) if r in depends)
        return frozenset(found)

    @staticmethod
    def reverse(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
        then, orelse = node.attrs["then"], node.attrs["orelse"]
        operands = [
            i for i, o in enumerate(node.inputs[1:]) if o in reverse.active and is_differentiable(o.type)
        ]
        outside = list(dict.fromkeys(node.inputs[1 + i] for i in operands))
        sides = []
        for graph, other in ((then, orelse), (orelse, then)):
            reader = Reader("branch", Branch(graph, other, node, reverse.owner))
            with building(reader, BACKENDS[Tensor]):
                inner = Reverse(reader.region, graph.nodes, [graph.arguments[i] for i in operands])
                groups = [[graph.arguments[i] for i in operands if node.inputs[1 + i] is o] for o in outside]
                for operand, group in zip(outside, groups, strict=True):
                    total = reverse.cotangent(operand)
                    if total is not None:
                        inner.seed(group[0], wrap(record.to_node(total)))
                for index, cotangent in cotangents.items():
                    if graph.results[index] in inner.active:
                        inner.give(graph.results[index], wrap(record.to_node(cotangent)))
                inner.run()
                sides.append((reader, [_sum_of(inner, group) for group in groups]))
        given = [i for i in range(len(outside)) if any(found[i] is not None for _, found in sides)]
        results: list[list[Node]] = []
        for reader, found in sides:
            reader.open = True
            with building(reader, BACKENDS[Tensor]):
                missing = {i: zeros_like(reverse.value(outside[i])) for i in given if found[i] is None}
                results.append([record.to_node(missing.get(i, found[i])) for i in given])
        kinds = [_merged_type(results, n) for n in range(len(given))]
        pred = wrap(node.inputs[0], reverse.owner)
        made = _condition(pred, [reader for reader, _ in sides], results, kinds)
        for i, total in zip(given, made, strict=True):
            reverse.seed(outside[i], total)


def _merged_type(results: list[list[Node]], place: int) -> Any:
    one, other = (side[place].type for side in results)
    return merge_types(one, other)


def _sum_of(reverse: Reverse, nodes: Iterable[Node]) -> Any:
    """The sum of the cotangents of some nodes, which stand for one value outside."""
    total = None
    for node in nodes:
        total = added(total, reverse.cotangent(node))
    return total


def _total(reverse: Reverse, node: Node) -> Any:
    """The cotangent that a node has so far."""
    total = reverse.cotangent(node)
    return zeros_like(reverse.value(node)) if total is None else total


def _condition(
    pred: Any, builders: Sequence[Builder], results: list[list[Node]], kinds: list[Any]
) -> list[Any]:
    maps = [dict(b.operands()) for b in builders]
    operands = list({**maps[0], **maps[1]})
    for builder, taken, values in zip(builders, maps, results, strict=True):
        builder.graph.arguments[:] = [
            taken.get(o) or Node("argument", (), {"name": "unused"}, o.type) for o in operands
        ]
        builder.graph.results = values
    then, orelse = (b.graph for b in builders)
    then.name, orelse.name = "if_true", "if_false"
    node = current().add("cond", [record.to_node(pred), *operands], {"then": then, "orelse": orelse}, None)
    return [wrap(record.output(node, i, kind)) for i, kind in enumerate(kinds)]


def _arguments(reverse: Reverse, node: Node, graph: Graph, first: int) -> list[Node]:
    """The arguments of an inner graph whose operands are active."""
    return [
        a for a, o in zip(graph.arguments, node.inputs[first:], strict=True)
        if o in reverse.active and is_differentiable(a.type)
    ]  # fmt: skip


def _dependent(graph: Graph, sources: Iterable[Node]) -> set[Node]:
    return Reverse(None, graph.nodes, sources).active


class Loop(Control):
    @staticmethod
    def active(reverse: Reverse, node: Node) -> frozenset[int]:
        return frozenset(_Loop(reverse, node).changing)

    @staticmethod
    def reverse(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
        _Loop(reverse, node).run(cotangents)


class _Loop:
    def __init__(self, reverse: Reverse, node: Node):
        self.reverse, self.node = reverse, node
        [self.body] = node.graphs()
        self.size = node.attrs.get("elements", 0)
        self.count = node.attrs["carried"]
        self.first = 2 if node.op == "for" else 1
        self.sources = self._sources()
        elements = [e for i, e in enumerate(self.body.arguments[: self.size]) if i in self.sources]
        values = node.inputs[self.first : self.first + self.count]
        self.captured = [
            (a, o)
            for a, o in zip(
                self.body.arguments[self.size + self.count :],
                node.inputs[self.first + self.count :],
                strict=True,
            )
            if o in reverse.active and is_differentiable(a.type)
        ]
        fixed = [*elements, *(a for a, _ in self.captured)]
        self.changing = {i for i, v in enumerate(values) if v in reverse.active}
        self.changing = {i for i in self.changing if is_differentiable(self.argument(i).type)}
        while True:
            self.depends = _dependent(self.body, [*fixed, *map(self.argument, self.changing)])
            more = {i for i, r in enumerate(self.body.results[1:]) if r in self.depends}
            more = {i for i in more if is_differentiable(self.argument(i).type)}
            if more <= self.changing:
                break
            self.changing |= more

    def argument(self, i: int) -> Node:
        found: Node = self.body.arguments[self.size + i]
        return found

    def _sources(self) -> dict[int, tuple[Node, bool]]:
        """The active arrays and lists that elements are of, and whether from the end, by the element."""
        if self.node.op != "for":
            return {}
        found: dict[int, tuple[Node, bool]] = {}
        _collect(self.node.inputs[1], found, self.reverse, [0])
        return found

    def run(self, cotangents: dict[int, Any]) -> None:
        reverse, node, body = self.reverse, self.node, self.body
        used = self._used(cotangents)
        region = Body(body, node, reverse.owner)
        arguments = [self.argument(i) for i in used]
        outputs = {i: self._after(i) for i in used}
        starts = [cotangents[i] if i in cotangents else zeros_like(outputs[i]()) for i in used]
        places = [i for i in self.sources if body.arguments[i] in self.depends]
        outside = list(dict.fromkeys([*(o for _, o in self.captured), *(self.sources[i][0] for i in places)]))
        carried = [record.to_node(v) for v in (*starts, *(_total(reverse, o) for o in outside))]
        results_of = body.results[1:]
        rounds = region.rounds()
        reader = Reader("body", region)
        with building(reader, BACKENDS[Tensor]):
            reader.index = reader.argument(INT, "round")
            own = [wrap(reader.argument(c.type, f"carried_{i}"), reader) for i, c in enumerate(carried)]
            given = dict(zip(used, own, strict=False))
            inner = Reverse(region, body.nodes, [
                *arguments, *(a for a, _ in self.captured), *(body.arguments[i] for i in places)
            ])  # fmt: skip
            groups = {o: [a for a, outer in self.captured if outer is o] for o in outside}
            totals = dict(zip(outside, own[len(used) :], strict=True))
            for o, group in groups.items():
                if group:
                    inner.seed(group[0], totals[o])
            ends = [results_of[i] for i in used]
            for i, end in zip(used, ends, strict=True):
                inner.give(end, given[i])
            inner.run()
            after: list[Any] = []
            for i, argument in zip(used, arguments, strict=True):
                made = inner.cotangent(argument)
                after.append(zeros_like(given[i]) if made is None else made)
            for o, group in groups.items():
                if group:
                    totals[o] = _sum_of(inner, group)
            for i in places:
                made = inner.cotangent(body.arguments[i])
                if made is not None:
                    o, is_reversed = self.sources[i]
                    index = wrap(reader.index, reader)
                    totals[o] = put(totals[o], -1 - index if is_reversed else index, made)
            after += totals.values()
            going = reader.constant(True, ScalarType(bool))
            reader.graph.results = [going, *map(record.to_node, after)]
        loop = self._loop(reader, rounds, carried)
        made_after = [wrap(record.output(loop, i, c.type)) for i, c in enumerate(carried)]
        values = node.inputs[self.first : self.first + self.count]
        for operand, total in zip(outside, made_after[len(used) :], strict=True):
            reverse.seed(operand, total)
        for i, made in zip(used, made_after, strict=False):
            reverse.give(values[i], made)

    def _after(self, i: int) -> Any:
        return lambda: self.reverse.result(self.node, i, lambda: self.argument(i).type)

    def _used(self, cotangents: dict[int, Any]) -> list[int]:
        """The carried values whose cotangents a round needs or gives."""
        used = set(cotangents) & self.changing
        while True:
            reached = _reached(self.body, [self.body.results[1 + i] for i in used], self.depends)
            more = {i for i in self.changing if self.argument(i) in reached}
            if more <= used:
                return sorted(used)
            used |= more

    def _loop(self, reader: Reader, rounds: Node, carried: list[Node]) -> Node:
        pairs = reader.operands()
        own = 1 + len(carried)
        arguments = reader.graph.arguments
        arguments[:] = [*arguments[:own], *(i for _, i in pairs)]
        reader.graph.name = "body"
        last = record.add("sub", (wrap(rounds, self.reverse.owner), 1), INT)
        source = record.add("range", (last, -1, -1), None)
        inputs = [record.to_node(True), source, *carried, *(o for o, _ in pairs)]
        attrs = {"body": reader.graph, "carried": len(carried), "elements": 1, "structure": 0}
        return current().add("for", inputs, attrs, None)


def _reached(graph: Graph, ends: list[Node], among: set[Node]) -> set[Node]:
    """What some results are made of, among the nodes that count."""
    seen: set[Node] = set()
    pending = [end for end in ends if end in among]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += [i for i in node.inputs if i in among]
    return seen


def _collect(
    source: Node,
    found: dict[int, tuple[Node, bool]],
    reverse: Reverse,
    place: list[int],
    *,
    is_reversed: bool = False,
) -> None:
    """Note what a loop takes elements of, by the place of the element."""
    if isinstance(source.type, (ArrayType, ListType)):
        if source in reverse.active:
            found[place[0]] = source, is_reversed
        place[0] += 1
    elif source.op == "zip":
        for part in source.inputs:
            _collect(part, found, reverse, place)
    elif source.op == "enumerate":
        place[0] += 1
        _collect(source.inputs[0], found, reverse, place)
    elif source.op == "reversed":
        _collect(source.inputs[0], found, reverse, place, is_reversed=True)
    elif any(i in reverse.active for i in source.inputs) or source in reverse.active:
        raise no_rule(source)
    else:
        place[0] += 1


CONTROL.update({"cond": Cond, "while": Loop, "for": Loop})
