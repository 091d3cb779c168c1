"""Loop-invariant code motion: move computations that use only captured values out of a loop.

If a loop runs no iterations, hoisted nodes must have no visible effect: no error, no warning, no time spent.
Unless a first iteration is certain, they go into a conditional that runs only if the loop does. A node that
may raise is hoisted only if no earlier node that stays in the body can raise or has an effect. A node that
creates an array is hoisted only if the array does not escape, since users could tell one array from several.
"""

from __future__ import annotations

from ..ir.alias_analysis import ELEMENTWISE, AliasAnalysis, is_elementwise, makes_new_memory
from ..ir.graph import Graph, Missing, Node
from ..ir.op_properties import is_single_number, is_speculatable
from ..ir.subgraphs import Loop
from ..ir.types import ArrayType, ListType, ScalarType
from .constant_conditions import trip_count
from .constant_folding import Replacements, is_constant


def hoist_invariants(graph: Graph) -> None:
    """Move invariant nodes out of loops, innermost first."""
    _hoist(graph, AliasAnalysis(graph))


def _hoist(graph: Graph, aliases: AliasAnalysis) -> None:
    nodes: list[Node] = []
    for node in graph.nodes:
        for inner in node.graphs():
            _hoist(inner, aliases)
        if node.op in ("while", "for"):
            nodes += _hoist_from_loop(node, aliases)
        nodes.append(node)
    graph.nodes[:] = nodes


def _hoist_from_loop(loop: Node, aliases: AliasAnalysis) -> list[Node]:
    """Remove invariant nodes from a loop, and return the nodes to insert before it."""
    is_certain = _surely_runs(loop)
    guard = None if is_certain else _guard(loop)
    body = loop.attrs["body"]
    outside = {argument: operand for operand, argument in Loop(loop).captures()}
    invariant: list[Node] = []
    remaining: list[Node] = []
    may_raise_before = False
    for node in body.nodes:
        is_free = is_speculatable(node)
        if (
            all(i in outside or is_constant(i) for i in node.inputs)
            and (is_free or not may_raise_before)
            and (is_certain or guard is not None or (is_free and is_single_number(node)))
            and _can_hoist(node, aliases)
        ):
            invariant.append(node)
            outside[node] = node
        else:
            remaining.append(node)
            may_raise_before = may_raise_before or not is_free
    if not invariant:
        return []
    body.nodes[:] = remaining
    used = {i for node in remaining for i in node.inputs}.union(body.results)
    needed = results = [node for node in invariant if node in used]
    hoisted: list[Node] = []
    for node in invariant:
        node.inputs = tuple([_outside_operand(i, outside, hoisted) for i in node.inputs])
        hoisted.append(node)
    if not (is_certain or all(is_speculatable(node) and is_single_number(node) for node in invariant)):
        assert guard is not None
        hoisted, results = _guarded(loop, guard, hoisted, needed)
    _capture(loop, body, needed, results, aliases)
    return hoisted


def _outside_operand(node: Node, outside: dict[Node, Node], hoisted: list[Node]) -> Node:
    """Return the node outside the loop for an operand, copying a constant of the body."""
    operand = outside.get(node)
    if operand is None:
        operand = outside[node] = Node("constant", (), dict(node.attrs), node.type, node.source)
        hoisted.append(operand)
    return operand


def _can_hoist(node: Node, aliases: AliasAnalysis) -> bool:
    if node.effect or any(node.graphs()) or is_constant(node):
        return False
    if not isinstance(node.type, (ArrayType, ScalarType)):
        return False
    if any(isinstance(i.type, ListType) or i.type is None for i in node.inputs):
        return False
    if node.op not in _OPS and not node.op.startswith(("numpy.", "math.", "autograph_rs.")):
        return False
    if (
        not makes_new_memory(node)
        or (is_single_number(node) and is_elementwise(node))
        or isinstance(node.type, ScalarType)
    ):
        return True
    return not (aliases.escapes(node) or aliases.is_in_list(node))


_OPS = ELEMENTWISE | frozenset(
    ("matmul", "not_", "either", "item", "dimension", "convert", "getitem", "int", "float", "bool", "complex",
     "round", "min", "max", "sum")
)  # fmt: skip


def _has_true_test(loop: Node) -> bool:
    """Return whether the extra test before the first iteration is constant and true."""
    test = loop.inputs[0]
    return is_constant(test) and bool(test.attrs["value"])


def _surely_runs(loop: Node) -> bool:
    """Return whether a loop certainly runs at least one iteration."""
    if not _has_true_test(loop) or loop.attrs.get("maximum_iterations") == 0:
        return False
    return loop.op == "while" or bool(trip_count(loop))


def _guard(loop: Node) -> Node | None:
    """Return a node that is true if the loop runs at least one iteration, or None if no such node exists."""
    if loop.op == "while":
        return loop.inputs[0]
    if not _has_true_test(loop):
        return None
    source = loop.inputs[1]
    if source.op == "range" or isinstance(source.type, ListType):
        return source
    if isinstance(source.type, ArrayType) and source.type.shape:
        return Node("dimension", (source,), {"axis": 0}, ScalarType(int), loop.source)
    return None


def _guarded(
    loop: Node, guard: Node, hoisted: list[Node], needed: list[Node]
) -> tuple[list[Node], list[Node]]:
    """Put hoisted nodes into a conditional; return the nodes to insert, and the needed outputs."""
    captures = Replacements()
    operands: list[Node] = []
    arguments: list[tuple[Node, Node]] = []
    inside = set(hoisted)
    for node in hoisted:
        for used in node.inputs:
            if used not in inside and used not in captures:
                operands.append(used)
                pair = [Node("argument", (), {"name": "captured"}, used.type) for _ in range(2)]
                captures[used] = pair[0]
                arguments.append((pair[0], pair[1]))
        captures.apply(node)
    then = Graph("if_true", [a for a, _ in arguments], hoisted, list(needed))
    unbound = [Node("constant", (), {"value": Missing.VALUE}, None, loop.source) for _ in needed]
    orelse = Graph("if_false", [a for _, a in arguments], unbound, list(unbound))
    attrs = {"then": then, "orelse": orelse}
    condition = Node("cond", (guard, *operands), attrs, None, loop.source)
    outputs = [
        Node("output", (condition,), {"index": i}, node.type, node.source) for i, node in enumerate(needed)
    ]
    new_guard = [guard] if guard.op == "dimension" and guard is not loop.inputs[0] else []
    return [*new_guard, condition, *outputs], outputs


def _capture(loop: Node, body: Graph, nodes: list[Node], results: list[Node], aliases: AliasAnalysis) -> None:
    """Make a loop capture `results` in place of nodes that its body computed."""
    replacements = Replacements()
    for node, result in zip(nodes, results, strict=True):
        argument = Node("argument", (), {"name": f"captured_{len(body.arguments)}"}, node.type)
        body.arguments.append(argument)
        aliases.union(node, argument)
        aliases.union(node, result)
        replacements[node] = argument
    replacements.apply_to_graph(body)
    loop.inputs = (*loop.inputs, *results)
