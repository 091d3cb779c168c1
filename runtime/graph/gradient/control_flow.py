"""Gradient rules for conditionals and loops.

The reverse of a conditional is a conditional with the same predicate. The reverse of a loop is a loop over
the iterations in reverse order. It carries the cotangents of the carried values, and the accumulated
cotangents of the captured values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...backends import BACKENDS
from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop, Pair, captures_of, has_effect
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, ListType, ScalarType
from ..tracing import recording
from ..tracing.tensor import Tensor, wrap
from ..tracing.trace import current_builder, join_branches, tracing_into
from .cotangents import add_at_index, add_cotangents, is_differentiable, zeros_like
from .residuals import INT, ForwardBody, ForwardBranch, ReverseBuilder
from .reverse import ACTIVE_RESULTS, OP_RULES, Reverse
from .unsupported import no_rule


def active_branch_results(reverse: Reverse, node: Node) -> set[int]:
    active: set[int] = set()
    for graph, captures in captures_of(node):
        active_nodes = _active_nodes(graph, [a for _, a in _active_captures(reverse, captures)])
        active.update(i for i, r in enumerate(graph.results) if r in active_nodes)
    return active


def _active_captures(reverse: Reverse, captures: list[Pair]) -> list[Pair]:
    return [(o, a) for o, a in captures if o in reverse.active and is_differentiable(a.type)]


def reverse_condition(reverse: Reverse, node: Node, cotangents: dict[int, Any]) -> None:
    (then, captures), (orelse, _) = captures_of(node)
    sources = list(dict.fromkeys(o for o, _ in _active_captures(reverse, captures)))
    sides: list[tuple[ReverseBuilder, list[Any]]] = []
    for graph, other in ((then, orelse), (orelse, then)):
        pairs = list(zip(node.inputs[1:], graph.arguments, strict=True))
        groups = [[a for operand, a in pairs if operand is o] for o in sources]
        builder = ReverseBuilder("branch", ForwardBranch(graph, other, node, reverse.owner))
        with tracing_into(builder, BACKENDS[Tensor]):
            inner = Reverse(builder.forward, graph.nodes, [a for group in groups for a in group])
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
    for builder, totals in sides:
        builder.open = True
        with tracing_into(builder, BACKENDS[Tensor]):
            zeros = {i: zeros_like(reverse.value(sources[i])) for i in reached if totals[i] is None}
            builder.graph.results = [recording.to_node(zeros.get(i, totals[i])) for i in reached]
    branches, operands = join_branches([builder for builder, _ in sides])
    pred = recording.to_node(wrap(node.inputs[0], reverse.owner))
    effect = any(map(has_effect, branches.values()))
    merged = current_builder().add("cond", [pred, *operands], branches, None, effect=effect)
    results = [graph.results for graph in branches.values()]
    kinds = [merge_types(a.type, b.type) for a, b in zip(*results, strict=True)]
    for i, total in zip(reached, recording.outputs(merged, kinds), strict=True):
        reverse.set_cotangent(sources[i], total)


def _sum_cotangents(reverse: Reverse, nodes: Iterable[Node]) -> Any:
    """Return the sum of the cotangents of the arguments that capture one value."""
    total = None
    for node in nodes:
        total = add_cotangents(total, reverse.cotangent(node))
    return total


def _current_cotangent(reverse: Reverse, node: Node) -> Any:
    """Return the cotangent accumulated so far for a node, or zeros."""
    total = reverse.cotangent(node)
    return zeros_like(reverse.value(node)) if total is None else total


def _active_nodes(graph: Graph, sources: Iterable[Node]) -> set[Node]:
    """Return the nodes of a graph that depend on the given sources."""
    return Reverse(None, graph.nodes, sources).active


class _LoopReverse(Loop):
    """The reverse of one loop."""

    def __init__(self, reverse: Reverse, node: Node):
        super().__init__(node)
        self.reverse = reverse
        parts = _iterated_parts(node.inputs[1], reverse) if node.op == "for" else []
        self.iterated = {i: part for i, part in enumerate(parts) if part is not None}
        self.active_captures = _active_captures(reverse, self.captures())
        fixed = [*(self.elements[i] for i in self.iterated), *(a for _, a in self.active_captures)]
        differentiable = {i for i, a in enumerate(self.carried) if is_differentiable(a.type)}
        self.active_carried = {i for i in differentiable if self.initial[i] in reverse.active}
        while True:
            sources = [*fixed, *(self.carried[i] for i in self.active_carried)]
            self.active_nodes = _active_nodes(self.body, sources)
            more = {i for i in differentiable if self.results[i] in self.active_nodes}
            if more <= self.active_carried:
                break
            self.active_carried |= more

    def run(self, cotangents: dict[int, Any]) -> None:
        reverse, node, body = self.reverse, self.node, self.body
        used = self._used_carried(cotangents)
        forward = ForwardBody(body, node, reverse.owner)
        arguments = [self.carried[i] for i in used]
        starts = [cotangents[i] if i in cotangents else zeros_like(self._output(i)) for i in used]
        elements = [i for i in self.iterated if self.elements[i] in self.active_nodes]
        sources = list(
            dict.fromkeys([*(o for o, _ in self.active_captures), *(self.iterated[i][0] for i in elements)])
        )
        carried = [
            recording.to_node(v) for v in (*starts, *(_current_cotangent(reverse, o) for o in sources))
        ]
        count = forward.iteration_count()
        builder = ReverseBuilder("body", forward)
        with tracing_into(builder, BACKENDS[Tensor]):
            builder.index = builder.argument(INT, "round")
            own = [wrap(builder.argument(c.type, f"carried_{i}"), builder) for i, c in enumerate(carried)]
            incoming = own[: len(used)]
            inner = Reverse(forward, body.nodes, [
                *arguments, *(a for _, a in self.active_captures), *(self.elements[i] for i in elements)
            ])  # fmt: skip
            groups = {o: [a for outer, a in self.active_captures if outer is o] for o in sources}
            totals = dict(zip(sources, own[len(used) :], strict=True))
            for o, group in groups.items():
                if group:
                    inner.set_cotangent(group[0], totals[o])
            for i, cotangent in zip(used, incoming, strict=True):
                inner.accumulate(self.results[i], cotangent)
            inner.run()
            outgoing: list[Any] = []
            for argument, cotangent in zip(arguments, incoming, strict=True):
                new = inner.cotangent(argument)
                outgoing.append(zeros_like(cotangent) if new is None else new)
            for o, group in groups.items():
                if group:
                    totals[o] = _sum_cotangents(inner, group)
            for i in elements:
                cotangent = inner.cotangent(self.elements[i])
                if cotangent is not None:
                    o, is_reversed = self.iterated[i]
                    index = wrap(builder.index, builder)
                    totals[o] = add_at_index(totals[o], -1 - index if is_reversed else index, cotangent)
            outgoing += totals.values()
            test = builder.constant(True, ScalarType(bool))
            builder.graph.results = [test, *map(recording.to_node, outgoing)]
        loop = self._record_loop(builder, count, carried)
        outputs = recording.outputs(loop, [c.type for c in carried])
        for operand, total in zip(sources, outputs[len(used) :], strict=True):
            reverse.set_cotangent(operand, total)
        for i, cotangent in zip(used, outputs, strict=False):
            reverse.accumulate(self.initial[i], cotangent)

    def _output(self, i: int) -> Any:
        return self.reverse.result(self.node, i, lambda: self.carried[i].type)

    def _used_carried(self, cotangents: dict[int, Any]) -> list[int]:
        """Return the indices of carried values whose cotangents the reverse loop reads or computes."""
        used = set(cotangents) & self.active_carried
        while True:
            reached = _dependencies([self.results[i] for i in used], self.active_nodes)
            more = {i for i in self.active_carried if self.carried[i] in reached}
            if more <= used:
                return sorted(used)
            used |= more

    def _record_loop(self, builder: ReverseBuilder, count: Node, carried: list[Node]) -> Node:
        operands = builder.close_body(1 + len(carried))
        last = recording.add("sub", (wrap(count, self.reverse.owner), 1), INT)
        source = recording.add("range", (last, -1, -1), None)
        inputs = [recording.to_node(True), source, *carried, *operands]
        attrs = {"body": builder.graph, "carried": len(carried), "elements": 1, "structure": 0}
        loop = current_builder().add("for", inputs, attrs, None, effect=has_effect(builder.graph))
        loop.source = loop.source or self.node.source
        return loop


def _dependencies(results: list[Node], among: set[Node]) -> set[Node]:
    """Return the nodes of `among` that the results depend on, following only nodes of `among`."""
    seen: set[Node] = set()
    pending = [result for result in results if result in among]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += [i for i in node.inputs if i in among]
    return seen


def _iterated_parts(
    source: Node, reverse: Reverse, *, is_reversed: bool = False
) -> list[tuple[Node, bool] | None]:
    """Return a pair (source, is_reversed) for each part of an element, or None for an inactive part."""
    if isinstance(source.type, (ArrayType, ListType)):
        return [(source, is_reversed) if source in reverse.active else None]
    if source.op == "zip":
        return [part for i in source.inputs for part in _iterated_parts(i, reverse)]
    if source.op == "enumerate":
        return [None, *_iterated_parts(source.inputs[0], reverse)]
    if source.op == "reversed":
        return _iterated_parts(source.inputs[0], reverse, is_reversed=True)
    if any(i in reverse.active for i in source.inputs) or source in reverse.active:
        raise no_rule(source)
    return [None]


ACTIVE_RESULTS["cond"] = active_branch_results
OP_RULES["cond"] = reverse_condition
for _op in ("while", "for"):
    ACTIVE_RESULTS[_op] = lambda reverse, node: _LoopReverse(reverse, node).active_carried
    OP_RULES[_op] = lambda reverse, node, cotangents: _LoopReverse(reverse, node).run(cotangents)
