"""Interfaces of TensorFlow that are private, each with the reason for its use, and with its fallback.

Only this module imports `tensorflow.python` and `tf.__internal__`. An interface that has no fallback raises
ImportError or AttributeError here, and the registry then treats the installed TensorFlow as unsupported.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

# The order of a graph's effects, which `tf.function` alone adds to graphs.
from tensorflow.python.framework.auto_control_deps import AutomaticControlDependencies

# `tf.cond` and `tf.while_loop` trace Python functions; these build the operations from traced graphs.
from tensorflow.python.ops.cond_v2 import _build_cond
from tensorflow.python.ops.control_flow_util_v2 import (
    CondBranchFuncGraph,
    WhileBodyFuncGraph,
    WhileCondFuncGraph,
    unique_fn_name,
)
from tensorflow.python.ops.while_v2 import _build_while_op

from ...debugging.tracebacks import FULL, internal_files

# The following have fallbacks.
try:
    from tensorflow.python.ops.handle_data_util import copy_handle_data
except ImportError:

    def copy_handle_data(source: Any, target: Any) -> None:
        """Copy the shapes of what a resource or variant holds, which then stay unknown."""


try:
    from tensorflow.python.ops.control_flow_util import GraphOrParentsInXlaContext
except ImportError:
    GraphOrParentsInXlaContext = None

try:
    from tensorflow.python.util.tf_stack import StackTraceFilter
except ImportError:
    UserFramesOnly: Any = contextlib.nullcontext
else:

    class UserFramesOnly(StackTraceFilter):  # type: ignore[no-redef]
        """While active, operations record only the user's frames as their origin."""

        def get_filtered_filenames(self) -> frozenset[str]:
            outer = frozenset(self.parent.get_filtered_filenames())
            return outer if FULL else outer | internal_files()


__all__ = [
    "AutomaticControlDependencies",
    "CondBranchFuncGraph",
    "UserFramesOnly",
    "WhileBodyFuncGraph",
    "WhileCondFuncGraph",
    "copy_handle_data",
]

COMPOSITE: Any = getattr(
    tf.__internal__, "CompositeTensor", (tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices)
)
"""The base class, or the classes, of values that consist of tensors."""
TENSOR: type = getattr(tf.__internal__.types, "Tensor", object)
"""A base class that makes TensorFlow's functions accept instances as tensors."""


def is_xla(graph: Any) -> bool:
    """Return whether XLA compiles a graph. Its programs run no Python and never raise."""
    return GraphOrParentsInXlaContext is not None and bool(GraphOrParentsInXlaContext(graph))


def is_stateful(operation: Any) -> bool:
    """Return whether an operation has side effects."""
    try:
        return bool(operation._is_stateful)
    except AttributeError:
        return bool(operation.op_def.is_stateful)  # ten times as slow


def new_graph(kind: Any, name: str, outer: Any) -> Any:
    """Return a graph inside the graph `outer`, with which it shares collections."""
    with tf.name_scope(name) as scope:
        return kind(unique_fn_name(scope, "f"), collections=getattr(outer, "_collections", None))


def if_operation(pred: Any, then: Any, orelse: Any) -> Sequence[Any]:
    """Build an `If` operation over two closed graphs; return its results."""
    captures = then.external_captures, orelse.external_captures
    return _build_cond(pred, then, orelse, *captures, building_gradient=False, name="cond") or ()


def while_operation(
    inputs: Sequence[Any], cond: Any, body: Any, shapes: Sequence[Any], parallel: int
) -> Sequence[Any]:
    """Build a `While` operation over two closed graphs; return its results."""
    return _build_while_op(
        inputs,
        cond,
        body,
        output_shapes=shapes,
        parallel_iterations=parallel,
        name="while",
        num_original_outputs=len(body.outputs),
    )
