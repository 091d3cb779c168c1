"""Graphs of branches and bodies: captured once, closed with results, put into `If` and `While` operations.

`tf.cond` and `tf.while_loop` run a Python function when they are called. Ours has been run by then, so its
graph goes straight into the operation. This module alone uses parts of TensorFlow that are not public.
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

from ...tracebacks import FULL, own_files

UNLIMITED = -1


class WithoutOwnFrames(tf_stack.StackTraceFilter):
    """While it is entered, operations note the user's frames and not ours as the place that they are from."""

    def get_filtered_filenames(self) -> frozenset[str]:
        outer = frozenset(self.parent.get_filtered_filenames())
        return outer if FULL else outer | own_files()


def is_xla() -> bool:
    """Whether XLA compiles the function that is being traced; it runs no Python and raises nothing."""
    return bool(control_flow_util.GraphOrParentsInXlaContext(_current()))


def has_effects(graph: Any = None) -> bool:
    """Whether a graph, or that which is being built, does anything besides computing."""
    operations = (graph or _current()).get_operations()
    return any(op._is_stateful for op in operations if op.type != "Placeholder")  # noqa: SLF001


def _current() -> Any:
    return tf.compat.v1.get_default_graph()


def new_graph(name: str, *, body: bool) -> Any:
    kind = WhileBodyFuncGraph if body else CondBranchFuncGraph
    return _named(kind, name)


def _named(kind: Any, name: str) -> Any:
    with tf.name_scope(name) as scope:
        return kind(unique_fn_name(scope, "f"), collections=_current()._collections)  # noqa: SLF001 - shared


@contextmanager
def building(graph: Any) -> Iterator[None]:
    """Operations of the block go into `graph`; those with effects run in the order of the program."""
    with graph.as_default(), auto_control_deps.AutomaticControlDependencies() as order:
        yield
    graph.control_outputs.extend(order.ops_which_must_run)


def placeholder(graph: Any, dtype: Any, shape: Any, like: Any = None) -> Any:
    """One more argument of a graph."""
    with graph.as_default():
        made = tf.compat.v1.placeholder(dtype, shape)
    if like is not None:
        handle_data_util.copy_handle_data(like, made)
    return made


def close(graph: Any, outputs: Sequence[Any]) -> None:
    with graph.as_default():
        graph.outputs = [tf.identity(t) for t in outputs]
    for given, made in zip(outputs, graph.outputs, strict=True):
        if given.dtype in (tf.resource, tf.variant):
            handle_data_util.copy_handle_data(given, made)
    graph.structured_outputs = list(graph.outputs)


def build_cond(pred: Any, graphs: Sequence[Any]) -> list[Any]:
    """`If` over two closed graphs."""
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
    counted: bool,
    test: Callable[..., Any],
) -> list[Any]:
    """`While` over a closed graph from (counter, limit, *carried) to the same.

    It goes on while the counter is below the limit, if it is counted, and `test` of what is carried holds, if
    that is not None.
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
        counter, most, *carried = cond.inputs[:count]
        asked = test(*carried)
        tests = ([counter < most] if counted else []) + ([] if asked is None else [asked])
        going = tests[0] if len(tests) == 1 else tf.logical_and(*tests)
        cond.outputs = [tf.identity(going)]
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
