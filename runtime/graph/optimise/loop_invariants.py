"""Loop-invariant motion: what a loop's body computes from captured values alone is computed before it.

A loop may run no round at all, and then nothing of its body may be seen: no error, no warning, no time
spent. So what goes out of the body goes under a condition of its own, the one under which there is a
first round, unless a first round is certain. What may raise goes only if nothing that stays in the body
comes before it that could raise, or has an effect. What makes an array goes only if that array stays
inside the graph: each round makes one of its own for those who could tell.
"""

from __future__ import annotations

from ..facts import is_cheap, is_silent
from ..ir import Graph, Missing, Node
from ..sharing import Sharing, is_elementwise, makes
from ..types import ArrayType, ListType, ScalarType
from .branches import trips
from .fold import captures
from .rewriting import Replacements, is_constant


def hoist(graph: Graph) -> None:
    """Move what does not change out of loops, the innermost first."""
    _hoist(graph, Sharing(graph))


def _hoist(graph: Graph, sharing: Sharing) -> None:
    kept: list[Node] = []
    for node in graph.nodes:
        for inner in node.graphs():
            _hoist(inner, sharing)
        if node.op in ("while", "for"):
            kept += _before(node, sharing)
        kept.append(node)
    graph.nodes[:] = kept


def _before(loop: Node, sharing: Sharing) -> list[Node]:
    """Take invariant nodes out of a loop; the nodes that stand before it instead."""
    certain = _certain(loop)
    guard = None if certain else _guard(loop)
    [(body, pairs)] = captures(loop)
    outside = {argument: operand for operand, argument in pairs}
    moved: list[Node] = []
    stays: list[Node] = []
    blocked = False
    for node in body.nodes:
        constants = all(i in outside or is_constant(i) for i in node.inputs)
        free = is_silent(node) or not blocked
        allowed = certain or guard is not None or (is_silent(node) and is_cheap(node))
        if constants and free and allowed and _movable(node, sharing):
            moved.append(node)
            outside[node] = node
        else:
            stays.append(node)
            blocked = blocked or not is_silent(node)
    if not moved:
        return []
    body.nodes[:] = stays
    used = {i for node in stays for i in node.inputs}.union(body.results)
    wanted = [node for node in moved if node in used]
    made: list[Node] = []
    for node in moved:
        node.inputs = tuple([_outer(i, outside, made) for i in node.inputs])
        made.append(node)
    silent = all(is_silent(node) and is_cheap(node) for node in moved)
    if certain or silent:
        results = wanted
    else:
        assert guard is not None
        made, results = _guarded(loop, guard, made, wanted)
    _capture(loop, body, wanted, results, sharing)
    return made


def _outer(node: Node, outside: dict[Node, Node], made: list[Node]) -> Node:
    found = outside.get(node)
    if found is None:  # a constant of the body
        found = outside[node] = Node("constant", (), dict(node.attrs), node.type, node.source)
        made.append(found)
    return found


def _movable(node: Node, sharing: Sharing) -> bool:
    if node.effect or any(node.graphs()) or is_constant(node):
        return False
    if not isinstance(node.type, (ArrayType, ScalarType)):
        return False
    if any(isinstance(i.type, ListType) or i.type is None for i in node.inputs):
        return False
    if node.op not in _OPS and not node.op.startswith(("numpy.", "math.", "autograph_rs.")):
        return False
    if not makes(node) or (is_cheap(node) and is_elementwise(node)) or isinstance(node.type, ScalarType):
        return True
    return not (sharing.escapes(node) or sharing.listed(node))


_OPS = frozenset(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and_", "or_",
     "xor", "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert", "not_", "either", "item",
     "dimension", "convert", "getitem", "int", "float", "bool", "complex", "round", "min", "max", "sum")
)  # fmt: skip


def _certain(loop: Node) -> bool:
    """Whether a loop certainly runs a first round."""
    going = loop.inputs[0]
    if not (is_constant(going) and going.attrs["value"]) or loop.attrs.get("maximum_iterations") == 0:
        return False
    return loop.op == "while" or bool(trips(loop))


def _guard(loop: Node) -> Node | None:
    """A value that is true if a loop runs a first round."""
    going = loop.inputs[0]
    if loop.op == "while":
        return going
    if not (is_constant(going) and going.attrs["value"]):
        return None
    source = loop.inputs[1]
    if source.op == "range" or isinstance(source.type, ListType):
        return source
    if isinstance(source.type, ArrayType) and source.type.shape:
        return Node("dimension", (source,), {"axis": 0}, ScalarType(int), loop.source)
    return None


def _guarded(loop: Node, guard: Node, moved: list[Node], wanted: list[Node]) -> tuple[list[Node], list[Node]]:
    """The moved nodes under the condition that the loop runs; what gives the values wanted of them."""
    inside = Replacements()
    operands: list[Node] = []
    arguments: list[tuple[Node, Node]] = []
    here = set(moved)
    for node in moved:
        for used in node.inputs:
            if used not in here and used not in inside:
                operands.append(used)
                pair = [Node("argument", (), {"name": "captured"}, used.type) for _ in range(2)]
                inside[used] = pair[0]
                arguments.append((pair[0], pair[1]))
        inside.apply(node)
    then = Graph("if_true", [a for a, _ in arguments], moved, list(wanted))
    nothing = [Node("constant", (), {"value": Missing.VALUE}, None, loop.source) for _ in wanted]
    orelse = Graph("if_false", [a for _, a in arguments], nothing, list(nothing))
    attrs = {"then": then, "orelse": orelse}
    condition = Node("cond", (guard, *operands), attrs, None, loop.source)
    outputs = [
        Node("output", (condition,), {"index": i}, node.type, node.source) for i, node in enumerate(wanted)
    ]
    before = [guard] if guard.op == "dimension" and guard is not loop.inputs[0] else []
    return [*before, condition, *outputs], outputs


def _capture(loop: Node, body: Graph, nodes: list[Node], results: list[Node], sharing: Sharing) -> None:
    """Let a loop's body get the values of nodes that it held from outside."""
    gone = Replacements()
    for node, result in zip(nodes, results, strict=True):
        argument = Node("argument", (), {"name": f"captured_{len(body.arguments)}"}, node.type)
        body.arguments.append(argument)
        sharing.join(node, argument)
        sharing.join(node, result)
        gone[node] = argument
    for node in body.nodes:
        gone.apply(node)
    gone.finish(body, body.nodes)
    loop.inputs = (*loop.inputs, *results)
