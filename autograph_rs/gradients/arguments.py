"""Prepare functions, numbers and Variables for differentiation."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph_rs.runtime.backends.builtins import is_of_numpy
from autograph_rs.runtime.errors import GradientError
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.functions import register_gradients
from autograph_rs.runtime.graph.gradient import with_own_node
from autograph_rs.runtime.graph.ir.subgraphs import unrepeatable_effects
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing import recording
from autograph_rs.runtime.graph.tracing.trace import current_builder

register_gradients()


def as_python_function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that is implemented in C; return any other function unchanged."""
    if not (is_of_numpy(f) or isinstance(f, types.BuiltinFunctionType)):
        return f

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    wrapper.__name__ = wrapper.__qualname__ = f.__name__
    return wrapper


def as_numpy_scalar(leaf: Any) -> Any:
    """Convert a Python float or complex to a NumPy scalar, which is staged. Return other leaves unchanged."""
    return np.dtype(type(leaf)).type(leaf) if type(leaf) in (float, complex) else leaf


@contextmanager
def variables_set_to(variables: Sequence[Variable], values: Sequence[Any]) -> Iterator[None]:
    """Set variables to staged values in the current trace, and restore them when the block ends."""
    root = current_builder().root
    handles = {id(v): root.handles[id(v)] for v in variables}
    nodes = {id(v): root.variable_arguments[id(v)] for v in variables}
    for variable, value in zip(variables, values, strict=True):
        node = recording.to_node(with_own_node(value))
        root.handles[id(variable)] = variable, variable.handle(node, root)
        root.variable_arguments[id(variable)] = node
    try:
        yield
    finally:
        root.handles.update(handles)
        root.variable_arguments.update(nodes)


def check_no_effects(concrete: ConcreteGraph, name: str, caller: str) -> None:
    """Raise `GradientError` if a function that `caller` differentiates has side effects."""
    for node in unrepeatable_effects(concrete.graph):
        raise recomputation_error(name, caller, f"the function has the side effect {node.op}")


def recomputation_error(name: str, caller: str, reason: str) -> GradientError:
    return GradientError(
        f"{caller} cannot differentiate {name}: {reason}",
        why="the gradient recomputes the function, which would repeat the effect",
        remedy="compute the gradient inside an @ag.function, where the function runs only once",
    )
