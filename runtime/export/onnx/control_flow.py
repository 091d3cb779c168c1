"""Conditions and loops of the user's, and the exceptions that are raised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...graph.ir import Graph, Node
from ...graph.types import ScalarType
from . import iterables, refused
from .builder import INT, Builder, Value
from .subgraphs import closed, looped, received
from .truth import truth
from .values import coerced, flatten, unflatten

if TYPE_CHECKING:
    from .emitter import Emitter


def emit_cond(e: Emitter, node: Node) -> tuple[Any, ...]:
    b = e.b
    pred = truth(b, e.values[node.inputs[0]])
    wanted = e.result_types(node)
    operands = [e.values[i] for i in node.inputs[1:]]
    branches: list[tuple[Builder, dict[int, Any]]] = []
    for graph, alive in ((node.attrs["then"], pred), (node.attrs["orelse"], b.negated(pred))):
        e.values.update(zip(graph.arguments, operands, strict=True))
        branch = e.b = Builder(b.model, b, alive, b.token)
        results = e.graph(graph)
        branches.append((branch, {k: coerced(branch, results[k], t) for k, t in wanted.items()}))
        e.b = b
    checks = any(branch.token is not b.token for branch, _ in branches)
    inner = []
    for (branch, made), name in zip(branches, ("then", "else"), strict=True):
        parts = [part for k in wanted for part in flatten(made[k])]
        inner.append(closed(branch, name, [], [*parts, branch.token] if checks else parts))
    like = branches[0][1]
    parts = [part for k in wanted for part in flatten(like[k])]
    outputs = received(b, "If", [*parts, b.token] if checks else parts)
    if outputs:
        b.add("If", [pred], [o.name for o in outputs], then_branch=inner[0], else_branch=inner[1])
    if checks:
        b.token = outputs.pop()
    rest = iter(outputs)
    settled = {k: unflatten(like[k], rest) for k in wanted}
    return tuple([settled.get(k) for k in range(len(node.attrs["then"].results))])


def _body(
    e: Emitter,
    node: Node,
    graph: Graph,
    items: Callable[[Builder, Value], Sequence[Any]],
    like: Sequence[Any],
) -> Callable[[Builder, Value, list[Value]], tuple[Value, Sequence[Value]]]:
    """The body of a `while` or `for`."""
    count = len(like)

    def body(inner: Builder, number: Value, values: list[Value]) -> tuple[Value, Sequence[Value]]:
        outer, e.b = e.b, inner
        rest = iter(values)
        taken = [*items(inner, number), *(unflatten(v, rest) for v in like)]
        captured = [e.values[i] for i in node.inputs[len(node.inputs) - len(graph.arguments) + len(taken) :]]
        e.values.update(zip(graph.arguments, [*taken, *captured], strict=True))
        again, *results = e.graph(graph)
        kinds = [a.type for a in graph.arguments[len(taken) - count : len(taken)]]
        made = [coerced(inner, r, k) for r, k in zip(results, kinds, strict=True)]
        going = truth(inner, again)
        e.b = outer
        return going, [part for value in made for part in flatten(value)]

    return body


def _carried(e: Emitter, values: Sequence[Node], arguments: Sequence[Node]) -> list[Any]:
    return [coerced(e.b, e.values[v], a.type) for v, a in zip(values, arguments, strict=True)]


def _finished(like: Sequence[Any], results: Sequence[Value]) -> tuple[Any, ...]:
    rest = iter(results)
    return tuple([unflatten(v, rest) for v in like])


def emit_while(e: Emitter, node: Node) -> tuple[Any, ...]:
    count, graph = node.attrs["carried"], node.attrs["body"]
    init = _carried(e, node.inputs[1 : 1 + count], graph.arguments[:count])
    limit = node.attrs.get("maximum_iterations")
    going = truth(e.b, e.values[node.inputs[0]])
    rounds = None if limit is None else e.b.constant(limit, INT)
    body = _body(e, node, graph, lambda *_: (), init)
    return _finished(init, looped(e.b, rounds, going, [p for v in init for p in flatten(v)], body))


def emit_for(e: Emitter, node: Node) -> tuple[Any, ...]:
    count, size, graph = node.attrs["carried"], node.attrs["elements"], node.attrs["body"]
    init = _carried(e, node.inputs[2 : 2 + count], graph.arguments[size : size + count])
    source = iterables.iterable(e.b, e.values[node.inputs[1]])
    rounds = source.length
    limit = node.attrs.get("maximum_iterations")
    if limit is not None:
        rounds = e.b.op("Min", rounds, e.b.constant(limit, INT))
    going = truth(e.b, e.values[node.inputs[0]])
    body = _body(e, node, graph, source.item, init)
    carried = [p for v in init for p in flatten(v)]
    return _finished(init, looped(e.b, rounds, going, carried, body, _rows(e, node)))


def _rows(e: Emitter, node: Node) -> Value | None:
    """The array that a loop goes over, row by row to the end, with values whose shapes stay.

    It has a row at least: onnxruntime scans no array that has none.
    """
    count, size, graph = node.attrs["carried"], node.attrs["elements"], node.attrs["body"]
    array, length = e.values[node.inputs[1]], getattr(node.inputs[1].type, "shape", ())[:1]
    kinds = [a.type for a in graph.arguments[size : size + count]]
    is_steady = all(
        (isinstance(k, ScalarType) and k.python is not str) or None not in getattr(k, "shape", (None,))
        for k in kinds
    )
    ends = [node.inputs[0], graph.results[0]]
    goes_on = all(end.op == "constant" and end.attrs["value"] is True for end in ends)
    if length in ((), (None,), (0,)) or not is_steady or not goes_on or "maximum_iterations" in node.attrs:
        return None
    return array if isinstance(array, Value) and not array.is_sequence and array.dtype.kind != "U" else None


# Errors of the running program


def emit_raise(e: Emitter, node: Node) -> None:
    kind, args, _ = node.attrs["args"]
    text = ", ".join(str(a) for a in args if isinstance(a, (str, int, float)))
    e.b.fail(f"{kind.__name__}: {text}" if text else kind.__name__)


def refuse(why: str, remedy: str) -> Callable[[Emitter, Node], Any]:
    def rule(_: Emitter, node: Node) -> Any:
        raise refused.unsayable(node, why, remedy)

    return rule
