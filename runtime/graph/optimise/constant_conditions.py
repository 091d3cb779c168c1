"""Control flow simplification.

- A conditional with a constant predicate is replaced with the branch that it selects.
- A result that is the same in both branches replaces the output of the conditional.
- A loop that never runs yields its initial values.
- A carried value that the body never changes is captured instead.
"""

from __future__ import annotations

from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop, Pair
from ..ir.types import ArrayType
from .constant_folding import Replacements, is_constant, make_constant


def simplify_control_flow(graph: Graph) -> None:
    """Simplify the conditionals and loops of a graph, innermost first."""
    replacements = Replacements()
    nodes: list[Node] = []
    known_outputs: dict[tuple[Node, int], Node] = {}
    for node in graph.nodes:
        replacements.apply(node)
        if node.op == "output":
            value = known_outputs.get((node.inputs[0], node.attrs["index"]))
            if value is not None:
                replacements[node] = value
                continue
        for inner in node.graphs():
            simplify_control_flow(inner)
        if node.op == "cond":
            nodes += _simplify_condition(node, known_outputs, replacements)
        elif node.op in ("while", "for"):
            nodes += _simplify_loop(node, known_outputs)
        else:
            nodes.append(node)
    replacements.finish(graph, nodes)
    _renumber_outputs(graph)


def _simplify_condition(
    node: Node, known_outputs: dict[tuple[Node, int], Node], replacements: Replacements
) -> list[Node]:
    """Return the nodes that replace a conditional, and record its known outputs."""
    pred, *operands = node.inputs
    then, orelse = node.graphs()
    if not is_constant(pred):
        outside = [dict(zip(g.arguments, operands, strict=True)) for g in (then, orelse)]
        constants = []
        for i, pair in enumerate(zip(then.results, orelse.results, strict=True)):
            first, second = (operand_of.get(r) for operand_of, r in zip(outside, pair, strict=True))
            if first is not None and first is second:
                known_outputs[node, i] = first
            elif all(map(is_constant, pair)) and _are_equal_constants(*pair):
                value = make_constant(pair[0].attrs["value"], pair[0])
                constants.append(value)
                known_outputs[node, i] = value
        return [*constants, node]
    branch = then if pred.attrs["value"] else orelse
    replacements.update(zip(branch.arguments, operands, strict=True))
    for inner in branch.nodes:
        replacements.apply(inner)
    known_outputs.update(((node, i), replacements.resolve(r)) for i, r in enumerate(branch.results))
    return branch.nodes


def _are_equal_constants(first: Node, second: Node) -> bool:
    a, b = first.attrs["value"], second.attrs["value"]
    return a is b or (type(a) is type(b) and type(a) in (bool, int, str) and a == b)


def _simplify_loop(node: Node, known_outputs: dict[tuple[Node, int], Node]) -> list[Node]:
    """Return the nodes that replace a loop, and record its known outputs."""
    loop = Loop(node)
    if _never_runs(node):
        known_outputs.update(((node, i), value) for i, value in enumerate(loop.initial))
        return []
    varying: dict[int, tuple[Node, Node, Node]] = {}
    invariant: list[Pair] = []
    for i, (initial, argument, result) in enumerate(loop.carries()):
        if argument is result:
            known_outputs[node, i] = initial
            invariant.append((initial, argument))
        else:
            varying[i] = initial, argument, result
    if invariant:
        loop.rebuild(list(varying.values()), [*loop.captures(), *invariant])
        node.attrs["renumbered"] = {old: new for new, old in enumerate(varying)}
    return [node]


def _renumber_outputs(graph: Graph) -> None:
    """Update the indices of outputs of loops that lost carried values."""
    for node in graph.nodes:
        if node.op == "output":
            new_index = node.inputs[0].attrs.get("renumbered")
            if new_index is not None:
                node.attrs["index"] = new_index[node.attrs["index"]]
    for node in graph.nodes:
        node.attrs.pop("renumbered", None)


def _never_runs(loop: Node) -> bool:
    test = loop.inputs[0]
    if is_constant(test) and not test.attrs["value"]:
        return True
    return loop.attrs.get("maximum_iterations") == 0 or (loop.op == "for" and trip_count(loop) == 0)


def trip_count(loop: Node) -> int | None:
    """Return the number of iterations of a `for` loop without early exit, or None if it is unknown."""
    source = loop.inputs[1]
    if source.op == "range":
        if all(map(is_constant, source.inputs)):
            bounds = [i.attrs["value"] for i in source.inputs]
            return len(range(*bounds)) if bounds[2] else None
        return None
    if isinstance(source.type, ArrayType) and source.type.shape:
        return source.type.shape[0]
    return None
