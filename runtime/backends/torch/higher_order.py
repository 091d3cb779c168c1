"""torch's operators on graphs: `cond`, `while_loop` and `scan` of captured programs, which share operands.

`torch.cond` takes about a hundred microseconds per run, and adding two small tensors takes one. So a
conditional between existing small tensors becomes a selection. Inside loops, branches and operators, so does
a conditional whose branches add, compare and reduce them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..functional.abstract_values import is_small
from .capture import Program, can_add_nodes, examples_like, register_module
from .private import (
    COND,
    SCAN,
    WHILE_LOOP,
    current_mode,
    pytree,
    storage_key,
    track,
    untraced,
    without_write_check,
)


def remove_first_argument(program: Any) -> None:
    """Remove the unused first argument and the first result of a program."""
    graph = program.graph.graph
    output = graph.output_node()
    output.args = (tuple(output.args[0][1:]),)
    graph.eliminate_dead_code()
    graph.erase_node(next(n for n in graph.nodes if n.op == "placeholder"))
    program.graph.recompile()
    del program.values[0], program.shared[0]


def operands_of(programs: Sequence[Any]) -> list[Any]:
    """Return the distinct operands of several programs."""
    operands = {_identity(v): v for program in programs for v in program.operands}
    return list(operands.values())


def _identity(value: Any) -> Any:
    return value.node.expr if isinstance(value, torch.SymInt) else id(value)


def with_operands(
    program: Any, count: int, operands: Sequence[Any], *, first_only: bool = False
) -> torch.fx.GraphModule:
    """Return a program's graph with `operands` in place of its own, which follow `count` arguments."""
    graph = torch.fx.Graph()
    placeholders = [n for n in program.graph.graph.nodes if n.op == "placeholder"]
    copies = {}
    for i, node in enumerate(placeholders[:count]):
        copies[node] = graph.placeholder(f"argument_{i}")
        copies[node].meta = dict(node.meta)
    identities = [_identity(v) for v in program.operands]
    for i, operand in enumerate(operands):
        node = graph.placeholder(f"operand_{i}")
        node.meta = {"val": operand}
        for old, identity in zip(placeholders[count:], identities, strict=True):
            if identity == _identity(operand):
                copies[old] = node
    results = graph.graph_copy(program.graph.graph, copies)
    graph.output(results[0] if first_only else results)
    return torch.fx.GraphModule(program.graph, graph)


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
        with without_write_check():
            return list(operator(*arguments_of(*graphs.values())))
    tracer = current_mode().tracer
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
    return _apply(COND, graphs, lambda *g: (pred, *g, tuple(operands)), lambda: programs[0].values)


def while_loop(test: Program, body: Program, carried: Sequence[Any]) -> list[Any]:
    operands = operands_of([test, body])
    graphs = {
        "while_loop_cond_graph_0": with_operands(test, len(carried), operands, first_only=True),
        "while_loop_body_graph_0": with_operands(body, len(carried), operands),
    }
    return _apply(WHILE_LOOP, graphs, lambda *g: (*g, tuple(carried), tuple(operands)), lambda: carried)


def scan(body: Program, carried: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
    operands = operands_of([body])
    graph = with_operands(body, len(carried) + len(rows), operands)

    def results() -> list[Any]:
        with untraced():
            return [*carried, *[v.new_empty((len(rows[0]), *v.shape)) for v in body.values[len(carried) :]]]

    return _apply(
        SCAN,
        {"scan_combine_graph_0": graph},
        lambda g: (g, list(carried), list(rows), tuple(operands)),
        results,
    )


def separate_operands(module: torch.fx.GraphModule) -> None:
    """Copy operands of `cond` and `while_loop` that share memory with others, or are written to later.

    Dynamo rejects the first. Autograd keeps the operands for the backward pass, which rejects the second.
    """
    for part in module.modules():
        if isinstance(part, torch.fx.GraphModule):
            _separate_operands(part.graph)
            part.recompile()


def _separate_operands(graph: torch.fx.Graph) -> None:
    written: set[Any] = set()
    for node in reversed(graph.nodes):
        if node.target in (COND, WHILE_LOOP):
            used = set(written)

            def separate(value: Any, node: torch.fx.Node = node, used: set[Any] = used) -> Any:
                place = _storage(value)
                if place is None:
                    return value
                if place not in used:
                    used.add(place)
                    return value
                with graph.inserting_before(node), untraced():
                    return _copied(graph, value, is_written=place in written)

            node.args = (*node.args[:2], *torch.fx.node.map_arg(node.args[2:], separate))
        elif getattr(getattr(node.target, "_schema", None), "is_mutable", False):
            written.add(_storage(node.args[0]))


def _copied(graph: torch.fx.Graph, value: torch.fx.Node, *, is_written: bool) -> torch.fx.Node:
    """Add a copy of a tensor. Inductor would drop the clone of one that is written to later."""
    tensor = value.meta["val"]
    if is_written:
        never = torch.zeros((), dtype=torch.bool, device=tensor.device)
        options = {"dtype": never.dtype, "device": never.device}
        condition = graph.call_function(torch.ops.aten.zeros.default, ([],), options)
        condition.meta["val"] = never
        copy = graph.call_function(torch.ops.aten.where.self, (condition, value, value))
    else:
        copy = graph.call_function(torch.ops.aten.clone.default, (value,))
    copy.meta["val"] = tensor.clone()
    return copy


def _storage(value: Any) -> Any:
    """Return what identifies the memory of a node's tensor, or None if it has none."""
    tensor = value.meta.get("val") if isinstance(value, torch.fx.Node) else None
    return storage_key(tensor) if isinstance(tensor, torch.Tensor) else None


# Selections --------------------------------------------------------------------------------

_aten = torch.ops.aten

NAMING = frozenset((_aten.full, _aten.zeros, _aten.clone, _aten.alias))
SAFE = NAMING | {
    _aten.add, _aten.sub, _aten.neg, _aten.eq, _aten.ne, _aten.lt, _aten.le, _aten.gt, _aten.ge,
    _aten.logical_not, _aten.logical_and, _aten.logical_or, _aten.where, _aten.all, _aten.any, _aten.abs,
    _aten.amax, _aten.amin, _aten.max, _aten.min, _aten.sum,
}  # fmt: skip
"""Operators that never raise and whose derivatives are always finite."""


def is_selectable(programs: Sequence[Program], avals: Sequence[Any], *, compute: bool) -> bool:
    """Return whether a conditional may run both programs and select between their results.

    Programs that compute nothing always qualify; programs of safe operators qualify only if `compute` is
    true.
    """
    operators = SAFE if compute else NAMING
    return all(is_small(aval.shape) for aval in avals) and all(
        not program.written and all(_is_safe(node, operators) for node in program.graph.graph.nodes)
        for program in programs
    )


def split_test(program: Program, count: int) -> Callable[..., torch.Tensor] | None:
    """Split the test off a loop body, a program from (test, *values) to their next values.

    Return a function from the values to the test, and remove the test from the program. Return None, and keep
    the program, if the test needs anything else that the program computes.
    """
    graph = program.graph.graph
    [[test_node, *results]] = graph.output_node().args
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    values: dict[Any, Any] = dict(zip(inputs[count:], program.operands, strict=True))
    needed: set[torch.fx.Node] = set()
    pending = [test_node]
    while pending:
        node = pending.pop()
        if node in results or node in values or node in needed:
            continue
        if node.op == "placeholder" or not _is_safe(node, SAFE):
            return None
        needed.add(node)
        pending.extend(node.all_input_nodes)
    steps = [(node, node.target, (node.args, node.kwargs)) for node in graph.nodes if node in needed]

    def test(*arguments: torch.Tensor) -> torch.Tensor:
        known = values | dict(zip(results, arguments, strict=True))
        for node, operator, inputs in steps:
            args, kwargs = torch.fx.node.map_arg(inputs, known.__getitem__)
            known[node] = operator(*args, **kwargs)
        return known[test_node]

    remove_first_argument(program)
    return test


def _is_safe(node: torch.fx.Node, operators: frozenset[Any]) -> bool:
    if node.op in ("placeholder", "output"):
        return True
    if node.op != "call_function" or getattr(node.target, "overloadpacket", None) not in operators:
        return False
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and is_small(value.shape)
