"""Dead code elimination.

Removes nodes that no result or effect needs, unused results of conditionals and loops, and operands that are
then unused. One backward walk suffices: it reaches a node after all its users.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop


def eliminate_dead_code(graph: Graph) -> None:
    """Remove unused nodes, inner graphs included."""
    needed = set(graph.results)
    outputs: dict[Node, list[Node]] = {}
    live: list[Node] = []
    for node in reversed(graph.nodes):
        if not (node.effect or node in needed):
            continue
        live.append(node)
        if node.op == "output":
            outputs.setdefault(node.inputs[0], []).append(node)
        elif node.op == "cond":
            _shrink_condition(node, outputs.get(node, ()))
        elif any(node.graphs()):
            _shrink_loop(node, outputs.get(node, ()))
        needed.update(node.inputs)
    graph.nodes[:] = live[::-1]


def _renumber(outputs: Iterable[Node], remaining: Sequence[int]) -> None:
    new_index = {old: new for new, old in enumerate(remaining)}
    for output in outputs:
        output.attrs["index"] = new_index[output.attrs["index"]]


def _used_nodes(graph: Graph) -> set[Node]:
    return {*graph.results, *(i for node in graph.nodes for i in node.inputs)}


def _shrink_condition(node: Node, outputs: Sequence[Node]) -> None:
    """Remove the unused results and operands of a conditional."""
    branches = list(node.graphs())
    remaining = sorted({output.attrs["index"] for output in outputs})
    for branch in branches:
        branch.results[:] = [branch.results[i] for i in remaining]
        eliminate_dead_code(branch)
    _renumber(outputs, remaining)
    used: set[Node] = set().union(*map(_used_nodes, branches))
    is_used = [
        not used.isdisjoint(arguments)
        for arguments in zip(*(branch.arguments for branch in branches), strict=True)
    ]
    for branch in branches:
        branch.arguments[:] = [a for a, keep in zip(branch.arguments, is_used, strict=True) if keep]
    operands = [o for o, keep in zip(node.inputs[1:], is_used, strict=True) if keep]
    node.inputs = (node.inputs[0], *operands)


def _shrink_loop(node: Node, outputs: Sequence[Node]) -> None:
    """Remove the unused carried values and captures of a loop."""
    loop = Loop(node)
    remaining = _needed_carried(loop, {output.attrs["index"] for output in outputs})
    carries = [loop.carries()[i] for i in remaining]
    loop.rebuild(carries, loop.captures())
    eliminate_dead_code(loop.body)
    used = _used_nodes(loop.body)
    loop.rebuild(carries, [(o, a) for o, a in loop.captures() if a in used])
    _renumber(outputs, remaining)


def _needed_carried(loop: Loop, used_outputs: set[int]) -> list[int]:
    """Return the indices of the carried values that are used after the loop or by a later iteration."""
    index_of = {argument: i for i, argument in enumerate(loop.carried)}
    needed = set(used_outputs)
    seen: set[Node] = set()
    pending = [loop.body.results[0], *(node for node in loop.body.nodes if node.effect)]
    pending += [loop.results[i] for i in used_outputs]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending.extend(node.inputs)
        i = index_of.get(node)
        if i is not None and i not in needed:
            needed.add(i)
            pending.append(loop.results[i])
    return sorted(needed)
