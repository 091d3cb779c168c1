"""Whether the iterations of a loop are independent, so that several threads may run them.

They are if the loop goes over a range to its end, and each carried value is either an array of which an
iteration reads and writes only the row at the loop's counter, or a Python integer to which each iteration
adds. Counters of both signs may count one row twice; that is known only at run time.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from ..ir.graph import Graph, Node, Slot
from ..ir.subgraphs import Loop, argument_sources
from ..ir.types import ArrayType, ScalarType


@dataclass(frozen=True)
class Independence:
    """The carried values of a loop with independent iterations, by index: arrays, and sums that are read."""

    arrays: tuple[int, ...]
    sums: tuple[int, ...]


def independence(node: Node, read: Container[int]) -> Independence | None:
    """Return how the iterations of a loop are independent, or None.

    `read` has the indices of the results that are needed.
    """
    loop = Loop(node)
    going = loop.body.results[0]
    if node.op != "for" or node.inputs[1].op != "range" or node.inputs[1].inputs[2].op != "constant":
        return None
    if going.op != "constant" or going.attrs["value"] is not True or any(n.effect for n in loop.body.walk()):
        return None
    arrays = [i for i, a in enumerate(loop.carried) if isinstance(a.type, ArrayType) and a.type.shape]
    sums = [i for i in range(len(loop.carried)) if i not in arrays]
    if not all(_is_sum(loop.body, loop.results[i], loop.carried[i]) for i in sums):
        return None
    for i in arrays:
        found = _rows(loop.body, {loop.carried[i]}, set(loop.elements))
        if found != {i + 1}:
            return None
    return Independence(tuple(arrays), tuple([i for i in sums if i in read]))


def _is_sum(body: Graph, result: Node, argument: Node) -> bool:
    """Return whether a body adds to a Python integer, and uses it for nothing else."""
    if argument.type != ScalarType(int):
        return False
    if result.op == "add" and argument in result.inputs:
        users = [n for n in body.nodes if argument in n.inputs]
        return users == [result] and result.inputs.count(argument) == 1 and _ends_in(body, result)
    if result.op == "output" and result.inputs[0].op == "cond":
        cond = result.inputs[0]
        users = [n for n in body.nodes if argument in n.inputs]
        if users != [cond] or cond.inputs[0] is argument or not _ends_in(body, result):
            return False
        return all(_adds_in_branch(cond, inner, result.attrs["index"], argument) for inner in cond.graphs())
    return False


def _ends_in(body: Graph, result: Node) -> bool:
    """Return whether a value is one result of a graph and nothing else uses it."""
    return body.results.count(result) == 1 and not any(result in n.inputs for n in body.nodes)


def _adds_in_branch(cond: Node, inner: Graph, index: int, argument: Node) -> bool:
    passed = [a for _, operand, a in argument_sources(cond, inner) if operand is argument]
    if len(passed) != 1:
        return False
    if inner.results[index] is passed[0]:
        return inner.results.count(passed[0]) == 1 and not any(passed[0] in n.inputs for n in inner.nodes)
    return _is_sum(inner, inner.results[index], passed[0])


def _rows(graph: Graph, arrays: set[Node], counters: set[Node]) -> set[int] | None:
    """Return the indices of the results that are versions of an array, of which a graph uses one row only.

    `arrays` are the arguments that are the array, and `counters` those that are the index of the row. Return
    None if the graph uses the array in another way.
    """
    versions: set[Node] = set(arrays)
    outputs: dict[Node, set[int]] = {}
    for node in graph.nodes:
        if node.op == "output" and node.inputs[0] in outputs:
            if node.attrs["index"] in outputs[node.inputs[0]]:
                versions.add(node)
            continue
        used = [i for i in node.inputs if i in versions]
        if not used:
            continue
        if node.op == "dimension":
            continue
        if node.op in ("getitem", "setitem"):
            key = node.attrs["args"][1] if node.op == "getitem" else node.attrs["key"]
            first = key[0] if type(key) is tuple else key
            if (
                used != [node.inputs[0]]
                or not isinstance(first, Slot)
                or node.inputs[first.index] not in counters
            ):
                return None
            if node.op == "setitem":
                versions.add(node)
            elif isinstance(node.type, ArrayType) and node.type.shape:
                return None  # a view, which a later write could change
            continue
        found = _rows_of_inner(node, versions, counters)
        if found is None:
            return None
        outputs[node] = found
    return {i for i, result in enumerate(graph.results) if result in versions}


def _rows_of_inner(node: Node, versions: set[Node], counters: set[Node]) -> set[int] | None:
    """Return the results of a conditional or loop that are versions of the array."""
    inner_graphs = list(node.graphs())
    if not inner_graphs:
        return None
    found: list[set[int]] = []
    for inner in inner_graphs:
        sources = argument_sources(node, inner)
        if any(relation == "in" and operand in versions for relation, operand, _ in sources):
            return None
        inside = {a for _, operand, a in sources if operand in versions}
        same = {a for relation, operand, a in sources if relation == "=" and operand in counters}
        results = _rows(inner, inside, same)
        if results is None:
            return None
        if node.op == "cond":
            found.append(results)
            continue
        carried = {i for i, a in enumerate(Loop(node).carried) if a in inside}
        if not {i + 1 for i in carried} <= results or results - {i + 1 for i in carried}:
            return None
        found.append(carried)
    return set.intersection(*found) if set.union(*found) == set.intersection(*found) else None
