"""torch's operators on graphs: `cond`, `while_loop` and `scan` of captured programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.fx.experimental.proxy_tensor as px  # for the tracer, as in `capture`
from torch.utils import _pytree as pytree  # torch flattens the arguments of nodes with it

from .capture import Program, can_add_nodes, examples_like, track, untraced
from .graphs import operands_of, register_module, with_operands

# The public functions of these names run Dynamo, which rejects writes of branches to outer values.
operators = torch.ops.higher_order


def _add_operator(
    operator: Any, graphs: dict[str, Any], arguments_of: Callable[..., tuple], results: Sequence[Any]
) -> list[Any]:
    """Add a node of an operator; `arguments_of` builds its arguments, `results` are example results."""
    tracer = px.get_proxy_mode().tracer
    inner = [
        tracer.create_proxy("get_attr", register_module(tracer, n, g), (), {}) for n, g in graphs.items()
    ]
    values = arguments_of(*inner)
    arguments = pytree.tree_map(tracer.unwrap_proxy, values)
    proxy = tracer.create_proxy("call_function", operator, arguments, {})
    return list(track(tuple(examples_like(results, pytree.tree_leaves(values))), proxy, tracer))


@contextlib.contextmanager
def _without_write_check() -> Iterator[None]:
    """Skip torch's check for writes, which runs the graphs once more on uninitialized memory."""
    higher_order = (operators.cond, operators.while_loop, operators.scan)
    before = [op._supports_training_input_mutation for op in higher_order]
    for op in higher_order:
        op._supports_training_input_mutation = True
    try:
        yield
    finally:
        for op, value in zip(higher_order, before, strict=True):
            op._supports_training_input_mutation = value


def cond(pred: Any, programs: Sequence[Program]) -> list[Any]:
    operands = operands_of(programs)
    graphs = [with_operands(p, 0, operands) for p in programs]
    if can_add_nodes([pred, *operands]):
        names = dict(zip(("true_graph_0", "false_graph_0"), graphs, strict=True))
        return _add_operator(
            operators.cond, names, lambda *g: (pred, *g, tuple(operands)), programs[0].values
        )
    with _without_write_check():
        return list(operators.cond(pred, *graphs, tuple(operands)))


def while_loop(test: Program, body: Program, carried: Sequence[Any]) -> list[Any]:
    operands = operands_of([test, body])
    test_graph = with_operands(test, len(carried), operands, first_only=True)
    body_graph = with_operands(body, len(carried), operands)
    if can_add_nodes([*carried, *operands]):
        names = {"while_loop_cond_graph_0": test_graph, "while_loop_body_graph_0": body_graph}
        return _add_operator(
            operators.while_loop, names, lambda *g: (*g, tuple(carried), tuple(operands)), carried
        )
    with _without_write_check():
        return list(operators.while_loop(test_graph, body_graph, tuple(carried), tuple(operands)))


def scan(body: Program, carried: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
    operands = operands_of([body])
    graph = with_operands(body, len(carried) + len(rows), operands)
    if can_add_nodes([*carried, *rows, *operands]):
        count = len(rows[0])
        with untraced():
            stacked = [v.new_empty((count, *v.shape)) for v in body.values[len(carried) :]]
        return _add_operator(
            operators.scan,
            {"scan_combine_graph_0": graph},
            lambda g: (g, list(carried), list(rows), tuple(operands)),
            [*carried, *stacked],
        )
    with _without_write_check():
        return list(operators.scan(graph, list(carried), list(rows), tuple(operands)))
