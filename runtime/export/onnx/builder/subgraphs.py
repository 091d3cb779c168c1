"""Graphs of branches and loops, which hold the captured values by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from onnx import helper

from .builder import BOOL, INT, Builder, Value, value_info


def closed(b: Builder, name: str, inputs: Sequence[Value], results: Sequence[Value]) -> Any:
    """A finished graph. Each of its outputs is made in it and has a name of its own."""
    outputs = [b.node("Identity", [r], r.dtype, r.ndim) for r in results]
    return helper.make_graph(
        b.nodes,
        b.model.fresh(name),
        [value_info(i, i.name) for i in inputs],
        [value_info(replace(r, name=o.name), o.name) for r, o in zip(results, outputs, strict=True)],
    )


def received(b: Builder, kind: str, like: Sequence[Value]) -> list[Value]:
    """Names for the results of a node that has as many as there are values."""
    return [Value(b.model.fresh(kind.lower()), v.dtype, v.ndim, is_sequence=v.is_sequence) for v in like]


def looped(
    b: Builder,
    count: Value | None,
    going: Value,
    carried: Sequence[Value],
    body: Callable[[Builder, Value, list[Value]], tuple[Value, Sequence[Value]]],
    rows: Value | None = None,
) -> list[Value]:
    """A `Loop`, or a `Scan` where that does: what it leaves in the values that it carries.

    Args:
        b: the graph around it.
        count: how many rounds there are at most.
        going: whether there is a first round.
        carried: what the values are at first.
        body: given the round's number and the carried values, whether there is another round, and new values.
        rows: the array whose rows the rounds take, if it alone ends the loop and all values keep their shape.
    """
    model = b.model
    number, test = (Value(model.fresh(n), d, 0) for n, d in (("round", INT), ("going", BOOL)))
    inner = Builder(model, b)
    token = Value(model.fresh("token"), INT, 1)
    inner.token = token
    inner.alive = inner.op("GreaterOrEqual", number, inner.constant(0, INT), dtype=BOOL)
    values = received(inner, "carried", carried)
    again, results = body(inner, number, values)
    inputs, first = [number, test, *values], list(carried)
    if inner.token is not token:
        inputs.append(token)
        results, first = [*results, inner.token], [*first, b.token]
    outputs = received(b, "Loop", first)
    if not outputs:
        return []
    names = [o.name for o in outputs]
    row = None if rows is None or inner.token is not token else _row(inner, number, rows, results)
    if row is None:
        b.add("Loop", [count, going, *first], names, body=closed(inner, "body", inputs, [again, *results]))
    else:
        body_of_scan = closed(inner, "body", [*values, row], results)
        b.add("Scan", [*first, rows], names, body=body_of_scan, num_scan_inputs=1)
    if len(first) > len(carried):
        b.token = outputs.pop()
    return outputs


def _row(inner: Builder, number: Value, rows: Value, results: Sequence[Value]) -> Value | None:
    """The row that a round takes, no longer looked up; None if the round's number has another use."""
    users = [node for node in inner.nodes if number.name in node.input]
    if inner.model.used[number.name] != len(users):  # a condition or loop in the body uses it too
        return None
    given = {value.name for value in results}
    needed = [node for node in users if inner.model.used[node.output[0]] or node.output[0] in given]
    if any(node.op_type != "Gather" or node.input[0] != rows.name for node in needed) or len(needed) > 1:
        return None
    [name] = [node.output[0] for node in needed] or [inner.model.fresh("row")]
    inner.nodes = [node for node in inner.nodes if number.name not in node.input]
    inner.model.used.subtract(name for node in users for name in node.input)
    return Value(name, rows.dtype, rows.ndim - 1)
