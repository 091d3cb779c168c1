"""Control flow that is settled: a condition on a constant becomes its branch, one whose branches leave
the same value leaves that, a loop that never starts leaves what it was given, and what a loop carries
but never changes is captured instead.
"""

from __future__ import annotations

from ..ir import Graph, Node
from ..types import ArrayType
from .fold import captures
from .rewriting import Replacements, constant, is_constant


def branches(graph: Graph) -> None:
    """Settle what can be settled, the innermost first."""
    gone = Replacements()
    kept: list[Node] = []
    taken: dict[tuple[Node, int], Node] = {}
    for node in graph.nodes:
        gone.apply(node)
        if node.op == "output":
            value = taken.get((node.inputs[0], node.attrs["index"]))
            if value is not None:
                gone[node] = value
                continue
        for inner in node.graphs():
            branches(inner)
        if node.op == "cond":
            made = _condition(node, taken, gone)
        elif node.op in ("while", "for"):
            made = _loop(node, taken)
        else:
            made = [node]
        kept += made
    gone.finish(graph, kept)
    _renumber_carried(graph)


def _condition(node: Node, taken: dict[tuple[Node, int], Node], gone: Replacements) -> list[Node]:
    pred, *operands = node.inputs
    then, orelse = node.graphs()
    if not is_constant(pred):
        outside = [dict(zip(g.arguments, operands, strict=True)) for g in (then, orelse)]
        made = []
        for i, pair in enumerate(zip(then.results, orelse.results, strict=True)):
            first, second = (known.get(r) for known, r in zip(outside, pair, strict=True))
            if first is not None and first is second:
                taken[node, i] = first
            elif all(map(is_constant, pair)) and _same_constant(*pair):
                value = constant(pair[0].attrs["value"], pair[0])
                made.append(value)
                taken[node, i] = value
        return [*made, node]
    graph = then if pred.attrs["value"] else orelse
    gone.update(zip(graph.arguments, operands, strict=True))
    for inner in graph.nodes:
        gone.apply(inner)
    taken.update(((node, i), gone.of(r)) for i, r in enumerate(graph.results))
    return graph.nodes


def _same_constant(first: Node, second: Node) -> bool:
    a, b = first.attrs["value"], second.attrs["value"]
    return a is b or (type(a) is type(b) and type(a) in (bool, int, str) and a == b)


def _loop(node: Node, taken: dict[tuple[Node, int], Node]) -> list[Node]:
    [body] = node.graphs()
    count, size = node.attrs["carried"], node.attrs.get("elements", 0)
    first = 2 if node.op == "for" else 1
    values = node.inputs[first : first + count]
    if _never_runs(node):
        taken.update(((node, i), value) for i, value in enumerate(values))
        return []
    carried = body.arguments[size : size + count]
    same = [i for i, (a, r) in enumerate(zip(carried, body.results[1:], strict=True)) if a is r]
    if same:
        for i in same:
            taken[node, i] = values[i]
        changed = [i for i in range(count) if i not in set(same)]
        body.arguments[:] = [
            *body.arguments[:size],
            *(carried[i] for i in changed),
            *body.arguments[size + count :],
            *(carried[i] for i in same),
        ]
        body.results[:] = [body.results[0], *(body.results[1 + i] for i in changed)]
        node.inputs = (
            *node.inputs[:first],
            *(values[i] for i in changed),
            *node.inputs[first + count :],
            *(values[i] for i in same),
        )
        node.attrs["carried"] = len(changed)
        node.attrs["renumbered"] = {old: new for new, old in enumerate(changed)}
    return [node]


def _renumber_carried(graph: Graph) -> None:
    for node in graph.nodes:
        if node.op == "output":
            places = node.inputs[0].attrs.get("renumbered")
            if places is not None:
                node.attrs["index"] = places[node.attrs["index"]]
    for node in graph.nodes:
        node.attrs.pop("renumbered", None)


def _never_runs(node: Node) -> bool:
    going = node.inputs[0]
    if is_constant(going) and not going.attrs["value"]:
        return True
    if node.attrs.get("maximum_iterations") == 0:
        return True
    return node.op == "for" and trips(node) == 0


def trips(node: Node) -> int | None:
    """How often a `for` loop that is not left early runs, if that is known."""
    source = node.inputs[1]
    if source.op == "range":
        if all(map(is_constant, source.inputs)):
            bounds = [i.attrs["value"] for i in source.inputs]
            return len(range(*bounds)) if bounds[2] else None
        return None
    if isinstance(source.type, ArrayType) and source.type.shape:
        return source.type.shape[0]
    return None


__all__ = ["branches", "captures", "trips"]
