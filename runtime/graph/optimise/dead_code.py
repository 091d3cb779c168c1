"""Dead code: nodes that no result and no effect needs, with the results of conditions and loops that
nobody takes, and the operands that then nobody uses. One walk from the end: when it comes to a node,
it has seen all its users.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir import Graph, Node


def dead(graph: Graph) -> None:
    """Drop what nobody needs."""
    needed = set(graph.results)
    taken: dict[Node, list[Node]] = {}
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if not (node.effect or node in needed):
            continue
        kept.append(node)
        if node.op == "output":
            taken.setdefault(node.inputs[0], []).append(node)
        elif node.op == "cond":
            _shrink_condition(node, taken.get(node, ()))
        elif any(node.graphs()):
            _shrink_loop(node, taken.get(node, ()))
        needed.update(node.inputs)
    graph.nodes[:] = kept[::-1]


def _renumber(outputs: Iterable[Node], kept: Sequence[int]) -> None:
    place = {old: new for new, old in enumerate(kept)}
    for output in outputs:
        output.attrs["index"] = place[output.attrs["index"]]


def _used(graph: Graph) -> set[Node]:
    found = set(graph.results)
    for node in graph.nodes:
        found.update(node.inputs)
    return found


def _shrink_condition(node: Node, outputs: Sequence[Node]) -> None:
    """A condition leaves the results that someone takes, and takes the operands that a branch uses."""
    branches = list(node.graphs())
    kept = sorted({output.attrs["index"] for output in outputs})
    for branch in branches:
        branch.results[:] = [branch.results[i] for i in kept]
        dead(branch)
    _renumber(outputs, kept)
    used = [_used(branch) for branch in branches]
    wanted = [
        any(argument in seen for argument, seen in zip(arguments, used, strict=True))
        for arguments in zip(*(branch.arguments for branch in branches), strict=True)
    ]
    for branch in branches:
        branch.arguments[:] = [a for a, keep in zip(branch.arguments, wanted, strict=True) if keep]
    operands = [o for o, keep in zip(node.inputs[1:], wanted, strict=True) if keep]
    node.inputs = (node.inputs[0], *operands)


def _shrink_loop(node: Node, outputs: Sequence[Node]) -> None:
    """A loop carries the values that someone takes or that the body needs, and captures what it uses."""
    [body] = node.graphs()
    count, size = node.attrs["carried"], node.attrs.get("elements", 0)
    own, first = size + count, len(node.inputs) - (len(body.arguments) - size)
    kept = _needed_values(body, size, count, {output.attrs["index"] for output in outputs})
    body.results[:] = [body.results[0], *(body.results[1 + i] for i in kept)]
    carried = [body.arguments[size + i] for i in kept]
    values = [node.inputs[first + i] for i in kept]
    captured, operands = body.arguments[own:], node.inputs[first + count :]
    dead(body)
    used = _used(body)
    pairs = [(a, o) for a, o in zip(captured, operands, strict=True) if a in used]
    body.arguments[:] = [*body.arguments[:size], *carried, *(a for a, _ in pairs)]
    node.inputs = (*node.inputs[:first], *values, *(o for _, o in pairs))
    node.attrs["carried"] = len(kept)
    _renumber(outputs, kept)


def _needed_values(body: Graph, size: int, count: int, taken: set[int]) -> list[int]:
    """The places of the carried values that are taken, or from which another round follows."""
    place = {argument: i for i, argument in enumerate(body.arguments[size : size + count])}
    wanted: set[int] = set()
    seen: set[Node] = set()
    pending = [body.results[0], *(node for node in body.nodes if node.effect)]
    pending += [body.results[1 + i] for i in taken]
    wanted.update(taken)
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending.extend(node.inputs)
        i = place.get(node)
        if i is not None and i not in wanted:
            wanted.add(i)
            pending.append(body.results[1 + i])
    return sorted(wanted)
