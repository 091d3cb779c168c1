"""torch's operators on graphs: `cond`, `while_loop` and `scan` of captured programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.fx.experimental.proxy_tensor as px  # for the tracer, as in `capture`
from torch.utils import _pytree as pytree  # torch flattens the arguments of nodes with this module

from .capture import Program, can_add_nodes, examples_like, track, untraced
from .graphs import operands_of, register_module, with_operands

# The public functions with these names run Dynamo, which rejects branches that write to outer values.
operators = torch.ops.higher_order


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


def _apply(
    operator: Any,
    graphs: dict[str, Any],
    arguments_of: Callable[..., tuple],
    results: Callable[[], Sequence[Any]],
) -> list[Any]:
    """Add a node for an operator, or call the operator if nodes cannot be added.

    `arguments_of` builds its arguments from the graphs, `results` returns example results.
    """
    values = pytree.tree_leaves(arguments_of(*graphs.values()))
    if not can_add_nodes(values):
        with _without_write_check():
            return list(operator(*arguments_of(*graphs.values())))
    tracer = px.get_proxy_mode().tracer
    inner = [
        tracer.create_proxy("get_attr", register_module(tracer, n, g), (), {}) for n, g in graphs.items()
    ]
    arguments = pytree.tree_map(tracer.unwrap_proxy, arguments_of(*inner))
    proxy = tracer.create_proxy("call_function", operator, arguments, {})
    return list(track(tuple(examples_like(results(), values)), proxy, tracer))


def cond(pred: Any, programs: Sequence[Program]) -> list[Any]:
    operands = operands_of(programs)
    names = ("true_graph_0", "false_graph_0")
    graphs = {n: with_operands(p, 0, operands) for n, p in zip(names, programs, strict=True)}
    return _apply(operators.cond, graphs, lambda *g: (pred, *g, tuple(operands)), lambda: programs[0].values)


def while_loop(test: Program, body: Program, carried: Sequence[Any]) -> list[Any]:
    operands = operands_of([test, body])
    graphs = {
        "while_loop_cond_graph_0": with_operands(test, len(carried), operands, first_only=True),
        "while_loop_body_graph_0": with_operands(body, len(carried), operands),
    }
    return _apply(
        operators.while_loop, graphs, lambda *g: (*g, tuple(carried), tuple(operands)), lambda: carried
    )


def scan(body: Program, carried: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
    operands = operands_of([body])
    graph = with_operands(body, len(carried) + len(rows), operands)

    def results() -> list[Any]:
        with untraced():
            return [*carried, *[v.new_empty((len(rows[0]), *v.shape)) for v in body.values[len(carried) :]]]

    return _apply(
        operators.scan,
        {"scan_combine_graph_0": graph},
        lambda g: (g, list(carried), list(rows), tuple(operands)),
        results,
    )
