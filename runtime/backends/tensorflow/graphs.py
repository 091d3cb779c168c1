"""Graphs of branches and bodies: captured once, given outputs, and put into `If` and `While` operations.

`tf.cond` and `tf.while_loop` trace a Python function when they are called. Here the function is already
traced, so its graph goes straight into the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tensorflow as tf

from .private import (
    AutomaticControlDependencies,
    CondBranchFuncGraph,
    WhileBodyFuncGraph,
    WhileCondFuncGraph,
    copy_handle_data,
    if_operation,
    is_stateful,
    while_operation,
)
from .private import is_xla as _is_xla
from .private import new_graph as _new_graph

UNLIMITED = -1


def is_xla() -> bool:
    """Return whether XLA compiles the traced function. XLA programs run no Python and never raise."""
    return _is_xla(_current())


def has_effects(graph: Any = None) -> bool:
    """Return whether a graph, by default the current one, has side effects."""
    operations = (graph or _current()).get_operations()
    return any(is_stateful(op) for op in operations if op.type != "Placeholder")


def _current() -> Any:
    return tf.compat.v1.get_default_graph()


def new_graph(name: str, *, is_body: bool) -> Any:
    return _new_graph(WhileBodyFuncGraph if is_body else CondBranchFuncGraph, name, _current())


@contextmanager
def building(graph: Any) -> Iterator[None]:
    """Add the operations of the block to `graph`; those with effects run in program order."""
    with graph.as_default(), AutomaticControlDependencies() as order:
        yield
    graph.control_outputs.extend(order.ops_which_must_run)


def placeholder(graph: Any, dtype: Any, shape: Any, like: Any = None) -> Any:
    """Add an argument to a graph and return its placeholder."""
    with graph.as_default():
        made = tf.compat.v1.placeholder(dtype, shape)
    if like is not None:
        copy_handle_data(like, made)
    return made


def close(graph: Any, outputs: Sequence[Any]) -> None:
    """Set the outputs of a graph."""
    with graph.as_default():
        graph.outputs = [tf.identity(t) for t in outputs]
    for source, output in zip(outputs, graph.outputs, strict=True):
        if source.dtype in (tf.resource, tf.variant):
            copy_handle_data(source, output)
    graph.structured_outputs = list(graph.outputs)


def build_cond(pred: Any, graphs: Sequence[Any]) -> list[Any]:
    """Build an `If` operation from two closed graphs."""
    return list(if_operation(pred, *graphs))


def build_while(
    body: Any,
    init: Sequence[Any],
    shapes: Sequence[Any],
    limit: Any,
    parallel: int,
    *,
    is_counted: bool,
    test: Callable[..., Any],
) -> list[Any]:
    """Build a `While` operation.

    Its body is a closed graph that maps (counter, limit, *carried) to their next values. The loop continues
    while `test` of the carried values is true or None and, if `is_counted`, while the counter is below the
    limit.
    """
    inputs = [tf.constant(0, tf.int32), limit, *init]
    count = len(inputs)
    cond = _new_graph(WhileCondFuncGraph, "while_cond", _current())
    with cond.as_default():
        cond.inputs = [
            tf.compat.v1.placeholder(t.dtype, s) for t, s in zip(inputs, [(), (), *shapes], strict=True)
        ]
        for t in body.external_captures:
            cond.capture(t)
        counter, limit_input, *carried = cond.inputs[:count]
        continues = test(*carried)
        tests = ([counter < limit_input] if is_counted else []) + ([] if continues is None else [continues])
        cond.outputs = [tf.identity(tests[0] if len(tests) == 1 else tf.logical_and(*tests))]
    for t in cond.external_captures[len(body.external_captures) :]:
        body.capture(t)  # both graphs have the same inputs
    body.outputs.extend(body.internal_captures)
    counts = [tf.TensorShape(()), tf.TensorShape(())]
    captured = [t.shape for t in body.internal_captures]
    results = while_operation(
        [*inputs, *body.external_captures], cond, body, [*counts, *shapes, *captured], parallel
    )
    return list(results[2:count])
