"""Subgraphs of branches and loops. They refer to captured values by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from onnx import helper

from .builder import BOOL, INT, Builder, Value, value_info


def make_subgraph(b: Builder, name: str, inputs: Sequence[Value], results: Sequence[Value]) -> Any:
    """Return a finished subgraph. An Identity operator gives each output its own name."""
    outputs = [b.node("Identity", [r], r.dtype, r.ndim) for r in results]
    return helper.make_graph(
        b.nodes,
        b.model.fresh(name),
        [value_info(i, i.name) for i in inputs],
        [value_info(replace(r, name=o.name), o.name) for r, o in zip(results, outputs, strict=True)],
    )


def new_results(b: Builder, kind: str, like: Sequence[Value]) -> list[Value]:
    """Return new values for the results of a node, with the types of `like`."""
    return [Value(b.model.fresh(kind.lower()), v.dtype, v.ndim, is_sequence=v.is_sequence) for v in like]


def emit_loop(
    b: Builder,
    count: Value | None,
    condition: Value,
    carried: Sequence[Value],
    body: Callable[[Builder, Value, list[Value]], tuple[Value, Sequence[Value]]],
    rows: Value | None = None,
) -> list[Value]:
    """Emit a `Loop`, or a `Scan` where possible, and return the final carried values.

    `body` maps the iteration number and the carried values to the condition for continuing and the new
    values. `rows` is the array to iterate over, if only its end stops the loop and all shapes are fixed.
    """
    model = b.model
    number, test = (Value(model.fresh(n), d, 0) for n, d in (("round", INT), ("continue", BOOL)))
    inner = Builder(model, b)
    token = Value(model.fresh("token"), INT, 1)
    inner.token = token
    inner.alive = inner.op("GreaterOrEqual", number, inner.constant(0, INT), dtype=BOOL)
    values = new_results(inner, "carried", carried)
    next_condition, results = body(inner, number, values)
    inputs, first = [number, test, *values], list(carried)
    if inner.token is not token:
        inputs.append(token)
        results, first = [*results, inner.token], [*first, b.token]
    outputs = new_results(b, "Loop", first)
    if not outputs:
        return []
    names = [o.name for o in outputs]
    row = None if rows is None or inner.token is not token else scan_row(inner, number, rows, results)
    if row is None:
        b.emit(
            "Loop",
            [count, condition, *first],
            names,
            body=make_subgraph(inner, "body", inputs, [next_condition, *results]),
        )
    else:
        body_of_scan = make_subgraph(inner, "body", [*values, row], results)
        b.emit("Scan", [*first, rows], names, body=body_of_scan, num_scan_inputs=1)
    if len(first) > len(carried):
        b.token = outputs.pop()
    return outputs


def scan_row(inner: Builder, number: Value, rows: Value, results: Sequence[Value]) -> Value | None:
    """Return the row of an iteration as a Scan input, or None if the iteration number has another use."""
    users = [node for node in inner.nodes if number.name in node.input]
    if inner.model.used[number.name] != len(users):  # a nested subgraph uses it too
        return None
    result_names = {value.name for value in results}
    needed = [node for node in users if inner.model.used[node.output[0]] or node.output[0] in result_names]
    if any(node.op_type != "Gather" or node.input[0] != rows.name for node in needed) or len(needed) > 1:
        return None
    [name] = [node.output[0] for node in needed] or [inner.model.fresh("row")]
    inner.nodes = [node for node in inner.nodes if number.name not in node.input]
    inner.model.used.subtract(name for node in users for name in node.input)
    return Value(name, rows.dtype, rows.ndim - 1)
