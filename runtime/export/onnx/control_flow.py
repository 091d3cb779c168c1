"""ONNX rules for conditionals, loops and raised exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...graph.ir.graph import Node
from ...graph.ir.subgraphs import Loop
from ...graph.ir.types import ScalarType
from . import iterables
from .builder import unsupported
from .builder.builder import INT, Builder, Value
from .builder.subgraphs import emit_loop, make_subgraph, new_results
from .builder.values import coerce, flatten, truth, unflatten

if TYPE_CHECKING:
    from .emitter import Emitter


def emit_cond(e: Emitter, node: Node) -> tuple[Any, ...]:
    b = e.b
    pred = truth(b, e.values[node.inputs[0]])
    used_types = e.result_types(node)
    operands = [e.values[i] for i in node.inputs[1:]]
    branches: list[tuple[Builder, dict[int, Any]]] = []
    for graph, alive in ((node.attrs["then"], pred), (node.attrs["orelse"], b.logical_not(pred))):
        e.values.update(zip(graph.arguments, operands, strict=True))
        branch = e.b = Builder(b.model, b, alive, b.token)
        results = e.graph(graph)
        branches.append((branch, {k: coerce(branch, results[k], t) for k, t in used_types.items()}))
        e.b = b
    checks = any(branch.token is not b.token for branch, _ in branches)
    inner = []
    for (branch, converted), name in zip(branches, ("then", "else"), strict=True):
        parts = [part for k in used_types for part in flatten(converted[k])]
        inner.append(make_subgraph(branch, name, [], [*parts, branch.token] if checks else parts))
    like = branches[0][1]
    parts = [part for k in used_types for part in flatten(like[k])]
    outputs = new_results(b, "If", [*parts, b.token] if checks else parts)
    if outputs:
        b.emit("If", [pred], [o.name for o in outputs], then_branch=inner[0], else_branch=inner[1])
    if checks:
        b.token = outputs.pop()
    rest = iter(outputs)
    used_results = {k: unflatten(like[k], rest) for k in used_types}
    return tuple([used_results.get(k) for k in range(len(node.attrs["then"].results))])


def loop_body(
    e: Emitter,
    node: Node,
    items: Callable[[Builder, Value], Sequence[Any]],
    like: Sequence[Any],
) -> Callable[[Builder, Value, list[Value]], tuple[Value, Sequence[Value]]]:
    """Return the body of a `while` or `for` loop."""
    loop = Loop(node)

    def body(inner: Builder, number: Value, values: list[Value]) -> tuple[Value, Sequence[Value]]:
        outer, e.b = e.b, inner
        rest = iter(values)
        elements = [*items(inner, number), *(unflatten(v, rest) for v in like)]
        captured = [e.values[i] for i in loop.operands]
        e.values.update(zip(loop.body.arguments, [*elements, *captured], strict=True))
        next_condition, *results = e.graph(loop.body)
        converted = [coerce(inner, r, a.type) for r, a in zip(results, loop.carried, strict=True)]
        condition = truth(inner, next_condition)
        e.b = outer
        return condition, [part for value in converted for part in flatten(value)]

    return body


def initial_values(e: Emitter, node: Node) -> list[Any]:
    return [coerce(e.b, e.values[initial], a.type) for initial, a, _ in Loop(node).carries()]


def run_loop(
    e: Emitter, count: Value | None, condition: Value, init: Sequence[Any], *body: Any
) -> tuple[Any, ...]:
    carried = [part for value in init for part in flatten(value)]
    results = iter(emit_loop(e.b, count, condition, carried, *body))
    return tuple([unflatten(value, results) for value in init])


def emit_while(e: Emitter, node: Node) -> tuple[Any, ...]:
    init = initial_values(e, node)
    limit = node.attrs.get("maximum_iterations")
    condition = truth(e.b, e.values[node.inputs[0]])
    iterations = None if limit is None else e.b.constant(limit, INT)
    return run_loop(e, iterations, condition, init, loop_body(e, node, lambda *_: (), init))


def emit_for(e: Emitter, node: Node) -> tuple[Any, ...]:
    init = initial_values(e, node)
    source = iterables.iterable(e.b, e.values[node.inputs[1]])
    iterations = source.length
    limit = node.attrs.get("maximum_iterations")
    if limit is not None:
        iterations = e.b.op("Min", iterations, e.b.constant(limit, INT))
    condition = truth(e.b, e.values[node.inputs[0]])
    body = loop_body(e, node, source.item, init)
    return run_loop(e, iterations, condition, init, body, scan_rows(e, node))


def scan_rows(e: Emitter, node: Node) -> Value | None:
    """Return the array that a loop can `Scan`, or None.

    The loop must visit all rows, and its carried values must have fixed shapes. The array must have at least
    one row, since onnxruntime cannot scan an empty array.
    """
    loop = Loop(node)
    array, length = e.values[node.inputs[1]], getattr(node.inputs[1].type, "shape", ())[:1]
    kinds = [a.type for a in loop.carried]
    is_steady = all(
        (isinstance(k, ScalarType) and k.python is not str) or None not in getattr(k, "shape", (None,))
        for k in kinds
    )
    ends = [node.inputs[0], loop.body.results[0]]
    is_endless = all(end.op == "constant" and end.attrs["value"] is True for end in ends)
    if length in ((), (None,), (0,)) or not is_steady or not is_endless or "maximum_iterations" in node.attrs:
        return None
    return array if isinstance(array, Value) and not array.is_sequence and array.dtype.kind != "U" else None


def emit_raise(e: Emitter, node: Node) -> None:
    kind, args, _ = node.attrs["args"]
    text = ", ".join(str(a) for a in args if isinstance(a, (str, int, float)))
    e.b.fail(f"{kind.__name__}: {text}" if text else kind.__name__)


def unsupported_op(why: str, remedy: str) -> Callable[[Emitter, Node], Any]:
    def rule(_: Emitter, node: Node) -> Any:
        raise unsupported.unsupported_node(node, why, remedy)

    return rule
