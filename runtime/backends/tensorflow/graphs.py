"""Graphs of branches and bodies: captured once, given outputs, and put into `If` and `While` operations.

`tf.cond` and `tf.while_loop` trace a Python function when they are called. Here the function is already
traced, so its graph goes straight into the operation. Only this module uses TensorFlow's private API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import auto_control_deps
from tensorflow.python.ops import cond_v2, control_flow_util, handle_data_util, while_v2
from tensorflow.python.ops.control_flow_util_v2 import (
    CondBranchFuncGraph,
    WhileBodyFuncGraph,
    WhileCondFuncGraph,
    unique_fn_name,
)
from tensorflow.python.util import tf_stack

from ...debugging.tracebacks import FULL, internal_files

UNLIMITED = -1


class UserFramesOnly(tf_stack.StackTraceFilter):
    """While active, operations record only the user's frames as their origin."""

    def get_filtered_filenames(self) -> frozenset[str]:
        outer = frozenset(self.parent.get_filtered_filenames())
        return outer if FULL else outer | internal_files()


def is_xla() -> bool:
    """Return whether XLA compiles the traced function. XLA programs run no Python and never raise."""
    return bool(control_flow_util.GraphOrParentsInXlaContext(_current()))


def has_effects(graph: Any = None) -> bool:
    """Return whether a graph, by default the current one, has side effects."""
    operations = (graph or _current()).get_operations()
    return any(op._is_stateful for op in operations if op.type != "Placeholder")  # noqa: SLF001


def _current() -> Any:
    return tf.compat.v1.get_default_graph()


def new_graph(name: str, *, is_body: bool) -> Any:
    kind = WhileBodyFuncGraph if is_body else CondBranchFuncGraph
    return _named(kind, name)


def _named(kind: Any, name: str) -> Any:
    with tf.name_scope(name) as scope:
        return kind(unique_fn_name(scope, "f"), collections=_current()._collections)  # noqa: SLF001 - shared


@contextmanager
def building(graph: Any) -> Iterator[None]:
    """Add the operations of the block to `graph`; those with effects run in program order."""
    with graph.as_default(), auto_control_deps.AutomaticControlDependencies() as order:
        yield
    graph.control_outputs.extend(order.ops_which_must_run)


def placeholder(graph: Any, dtype: Any, shape: Any, like: Any = None) -> Any:
    """Add an argument to a graph and return its placeholder."""
    with graph.as_default():
        made = tf.compat.v1.placeholder(dtype, shape)
    if like is not None:
        handle_data_util.copy_handle_data(like, made)
    return made


def close(graph: Any, outputs: Sequence[Any]) -> None:
    """Set the outputs of a graph."""
    with graph.as_default():
        graph.outputs = [tf.identity(t) for t in outputs]
    for source, output in zip(outputs, graph.outputs, strict=True):
        if source.dtype in (tf.resource, tf.variant):
            handle_data_util.copy_handle_data(source, output)
    graph.structured_outputs = list(graph.outputs)


def build_cond(pred: Any, graphs: Sequence[Any]) -> list[Any]:
    """Build an `If` operation from two closed graphs."""
    then, orelse = graphs
    return list(
        cond_v2._build_cond(  # noqa: SLF001 - see the module's docstring
            pred,
            then,
            orelse,
            then.external_captures,
            orelse.external_captures,
            building_gradient=False,
            name="cond",
        )
        or ()
    )


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
    cond = _named(WhileCondFuncGraph, "while_cond")
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
    results = while_v2._build_while_op(  # noqa: SLF001 - see the module's docstring
        [*inputs, *body.external_captures],
        cond,
        body,
        output_shapes=[
            tf.TensorShape(()),
            tf.TensorShape(()),
            *shapes,
            *[t.shape for t in body.internal_captures],
        ],
        parallel_iterations=parallel,
        name="while",
        num_original_outputs=len(body.outputs),
    )
    return list(results[2:count])
