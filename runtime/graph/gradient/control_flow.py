"""Gradient rules of conditionals and loops.

The reverse of a conditional is a conditional with the same predicate. The reverse of a loop is a loop over
the iterations in reverse order. It carries the cotangents of the carried values, and the accumulated
cotangents of the captured values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...backends import BACKENDS
from ..ir.graph import Graph, Node
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, ListType, ScalarType
from ..tracing import recording
from ..tracing.tensor import Tensor, wrap
from ..tracing.trace import Builder, current_builder, tracing_into
from .cotangents import add_at_index, add_cotangents, is_differentiable, zeros_like
from .residuals import INT, ForwardBody, ForwardBranch, ReverseBuilder
from .reverse import CONTROL_FLOW, ControlFlowRule, Reverse
from .unsupported import no_rule


class CondRule(ControlFlowRule):
    @staticmethod
    def active_results(reverse: Reverse, node: Node) -> frozenset[int]:
        active: set[int] = set()
        for graph in node.graphs():
            sources = [
                a for a, o in zip(graph.arguments, node.inputs[1:], strict=True)
                if o in reverse.active and is_differentiable(a.type)
            ]  # fmt: skip
            active_nodes = _active_nodes(graph, sources)
            active.update(i for i, r in enumerate(graph.results) if r in active_nodes)
        return frozenset(active)

    @staticmethod
    def apply(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
        then, orelse = node.attrs["then"], node.attrs["orelse"]
        operands = [
            i for i, o in enumerate(node.inputs[1:]) if o in reverse.active and is_differentiable(o.type)
        ]
        sources = list(dict.fromkeys(node.inputs[1 + i] for i in operands))
        sides: list[tuple[ReverseBuilder, list[Any]]] = []
        for graph, other in ((then, orelse), (orelse, then)):
            builder = ReverseBuilder("branch", ForwardBranch(graph, other, node, reverse.owner))
            with tracing_into(builder, BACKENDS[Tensor]):
                inner = Reverse(builder.forward, graph.nodes, [graph.arguments[i] for i in operands])
                groups = [[graph.arguments[i] for i in operands if node.inputs[1 + i] is o] for o in sources]
                for operand, group in zip(sources, groups, strict=True):
                    total = reverse.cotangent(operand)
                    if total is not None:
                        inner.set_cotangent(group[0], wrap(recording.to_node(total)))
                for index, cotangent in cotangents.items():
                    if graph.results[index] in inner.active:
                        inner.accumulate(graph.results[index], wrap(recording.to_node(cotangent)))
                inner.run()
                sides.append((builder, [_sum_cotangents(inner, group) for group in groups]))
        reached = [i for i in range(len(sources)) if any(totals[i] is not None for _, totals in sides)]
        results: list[list[Node]] = []
        for builder, totals in sides:
            builder.open = True
            with tracing_into(builder, BACKENDS[Tensor]):
                zeros = {i: zeros_like(reverse.value(sources[i])) for i in reached if totals[i] is None}
                results.append([recording.to_node(zeros.get(i, totals[i])) for i in reached])
        kinds = [merge_types(a.type, b.type) for a, b in zip(*results, strict=True)]
        pred = wrap(node.inputs[0], reverse.owner)
        merged = _record_condition(pred, [builder for builder, _ in sides], results, kinds)
        for i, total in zip(reached, merged, strict=True):
            reverse.set_cotangent(sources[i], total)


def _sum_cotangents(reverse: Reverse, nodes: Iterable[Node]) -> Any:
    """Return the sum of the cotangents of the arguments that capture one value."""
    total = None
    for node in nodes:
        total = add_cotangents(total, reverse.cotangent(node))
    return total


def _current_cotangent(reverse: Reverse, node: Node) -> Any:
    """Return the cotangent of a node so far, or zeros."""
    total = reverse.cotangent(node)
    return zeros_like(reverse.value(node)) if total is None else total


def _record_condition(
    pred: Any, builders: Sequence[Builder], results: list[list[Node]], kinds: list[Any]
) -> list[Any]:
    """Record a conditional whose branches two builders hold, and return its results."""
    captures = [dict(b.operands()) for b in builders]
    operands = list({**captures[0], **captures[1]})
    for builder, argument_of, values in zip(builders, captures, results, strict=True):
        builder.graph.arguments[:] = [
            argument_of.get(o) or Node("argument", (), {"name": "unused"}, o.type) for o in operands
        ]
        builder.graph.results = values
    then, orelse = (b.graph for b in builders)
    then.name, orelse.name = "if_true", "if_false"
    node = current_builder().add(
        "cond", [recording.to_node(pred), *operands], {"then": then, "orelse": orelse}, None
    )
    return recording.outputs(node, kinds)


def _active_nodes(graph: Graph, sources: Iterable[Node]) -> set[Node]:
    """Return the nodes of a graph that depend on sources."""
    return Reverse(None, graph.nodes, sources).active


class LoopRule(ControlFlowRule):
    @staticmethod
    def active_results(reverse: Reverse, node: Node) -> frozenset[int]:
        return frozenset(_LoopReverse(reverse, node).active_carried)

    @staticmethod
    def apply(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
        _LoopReverse(reverse, node).run(cotangents)


class _LoopReverse:
    """The reverse of one loop."""

    def __init__(self, reverse: Reverse, node: Node):
        self.reverse, self.node = reverse, node
        [self.body] = node.graphs()
        self.size = node.attrs.get("elements", 0)
        self.count = node.attrs["carried"]
        self.start = 2 if node.op == "for" else 1
        self.iterated = self._active_iterated()
        elements = [e for i, e in enumerate(self.body.arguments[: self.size]) if i in self.iterated]
        values = node.inputs[self.start : self.start + self.count]
        self.captured = [
            (a, o)
            for a, o in zip(
                self.body.arguments[self.size + self.count :],
                node.inputs[self.start + self.count :],
                strict=True,
            )
            if o in reverse.active and is_differentiable(a.type)
        ]
        fixed = [*elements, *(a for a, _ in self.captured)]
        self.active_carried = {i for i, v in enumerate(values) if v in reverse.active}
        self.active_carried = {i for i in self.active_carried if is_differentiable(self.argument(i).type)}
        while True:
            self.active_nodes = _active_nodes(self.body, [*fixed, *map(self.argument, self.active_carried)])
            more = {i for i, r in enumerate(self.body.results[1:]) if r in self.active_nodes}
            more = {i for i in more if is_differentiable(self.argument(i).type)}
            if more <= self.active_carried:
                break
            self.active_carried |= more

    def argument(self, i: int) -> Node:
        """Return the argument of the body for a carried value."""
        argument: Node = self.body.arguments[self.size + i]
        return argument

    def _active_iterated(self) -> dict[int, tuple[Node, bool]]:
        """Map each loop element to its active source, and to whether the loop reads it from the end."""
        if self.node.op != "for":
            return {}
        iterated: dict[int, tuple[Node, bool]] = {}
        _collect_iterated(self.node.inputs[1], iterated, self.reverse, [0])
        return iterated

    def run(self, cotangents: dict[int, Any]) -> None:
        reverse, node, body = self.reverse, self.node, self.body
        used = self._used_carried(cotangents)
        forward = ForwardBody(body, node, reverse.owner)
        arguments = [self.argument(i) for i in used]
        starts = [cotangents[i] if i in cotangents else zeros_like(self._output(i)) for i in used]
        elements = [i for i in self.iterated if body.arguments[i] in self.active_nodes]
        sources = list(
            dict.fromkeys([*(o for _, o in self.captured), *(self.iterated[i][0] for i in elements)])
        )
        carried = [
            recording.to_node(v) for v in (*starts, *(_current_cotangent(reverse, o) for o in sources))
        ]
        results = [body.results[1 + i] for i in used]
        count = forward.iteration_count()
        builder = ReverseBuilder("body", forward)
        with tracing_into(builder, BACKENDS[Tensor]):
            builder.index = builder.argument(INT, "round")
            own = [wrap(builder.argument(c.type, f"carried_{i}"), builder) for i, c in enumerate(carried)]
            incoming = own[: len(used)]
            inner = Reverse(forward, body.nodes, [
                *arguments, *(a for a, _ in self.captured), *(body.arguments[i] for i in elements)
            ])  # fmt: skip
            groups = {o: [a for a, outer in self.captured if outer is o] for o in sources}
            totals = dict(zip(sources, own[len(used) :], strict=True))
            for o, group in groups.items():
                if group:
                    inner.set_cotangent(group[0], totals[o])
            for result, cotangent in zip(results, incoming, strict=True):
                inner.accumulate(result, cotangent)
            inner.run()
            outgoing: list[Any] = []
            for argument, cotangent in zip(arguments, incoming, strict=True):
                new = inner.cotangent(argument)
                outgoing.append(zeros_like(cotangent) if new is None else new)
            for o, group in groups.items():
                if group:
                    totals[o] = _sum_cotangents(inner, group)
            for i in elements:
                cotangent = inner.cotangent(body.arguments[i])
                if cotangent is not None:
                    o, is_reversed = self.iterated[i]
                    index = wrap(builder.index, builder)
                    totals[o] = add_at_index(totals[o], -1 - index if is_reversed else index, cotangent)
            outgoing += totals.values()
            test = builder.constant(True, ScalarType(bool))
            builder.graph.results = [test, *map(recording.to_node, outgoing)]
        loop = self._record_loop(builder, count, carried)
        outputs = recording.outputs(loop, [c.type for c in carried])
        values = node.inputs[self.start : self.start + self.count]
        for operand, total in zip(sources, outputs[len(used) :], strict=True):
            reverse.set_cotangent(operand, total)
        for i, cotangent in zip(used, outputs, strict=False):
            reverse.accumulate(values[i], cotangent)

    def _output(self, i: int) -> Any:
        return self.reverse.result(self.node, i, lambda: self.argument(i).type)

    def _used_carried(self, cotangents: dict[int, Any]) -> list[int]:
        """Return the carried values whose cotangents an iteration of the reverse reads or computes."""
        used = set(cotangents) & self.active_carried
        while True:
            reached = _dependencies([self.body.results[1 + i] for i in used], self.active_nodes)
            more = {i for i in self.active_carried if self.argument(i) in reached}
            if more <= used:
                return sorted(used)
            used |= more

    def _record_loop(self, builder: ReverseBuilder, count: Node, carried: list[Node]) -> Node:
        pairs = builder.operands()
        arguments = builder.graph.arguments
        arguments[1 + len(carried) :] = [i for _, i in pairs]
        builder.graph.name = "body"
        last = recording.add("sub", (wrap(count, self.reverse.owner), 1), INT)
        source = recording.add("range", (last, -1, -1), None)
        inputs = [recording.to_node(True), source, *carried, *(o for o, _ in pairs)]
        attrs = {"body": builder.graph, "carried": len(carried), "elements": 1, "structure": 0}
        return current_builder().add("for", inputs, attrs, None)


def _dependencies(results: list[Node], among: set[Node]) -> set[Node]:
    """Return the nodes of `among` that the results depend on through nodes of `among`."""
    seen: set[Node] = set()
    pending = [result for result in results if result in among]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += [i for i in node.inputs if i in among]
    return seen


def _collect_iterated(
    source: Node,
    iterated: dict[int, tuple[Node, bool]],
    reverse: Reverse,
    position: list[int],
    *,
    is_reversed: bool = False,
) -> None:
    """Collect the active arrays and lists that a loop iterates over, by the position of the element."""
    if isinstance(source.type, (ArrayType, ListType)):
        if source in reverse.active:
            iterated[position[0]] = source, is_reversed
        position[0] += 1
    elif source.op == "zip":
        for part in source.inputs:
            _collect_iterated(part, iterated, reverse, position)
    elif source.op == "enumerate":
        position[0] += 1
        _collect_iterated(source.inputs[0], iterated, reverse, position)
    elif source.op == "reversed":
        _collect_iterated(source.inputs[0], iterated, reverse, position, is_reversed=True)
    elif any(i in reverse.active for i in source.inputs) or source in reverse.active:
        raise no_rule(source)
    else:
        position[0] += 1


CONTROL_FLOW.update({"cond": CondRule, "while": LoopRule, "for": LoopRule})
