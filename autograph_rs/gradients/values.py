"""What the parts of the front door share: functions, numbers and Variables as traces take them."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph_rs.runtime.builtins import is_of_numpy
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.gradient import apart
from autograph_rs.runtime.graph.trace import current
from autograph_rs.runtime.graph.variables import Variable


def convertible(f: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function for one that is written in C, which needs no conversion."""
    if not (is_of_numpy(f) or isinstance(f, types.BuiltinFunctionType)):
        return f

    def called(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    called.__name__ = called.__qualname__ = f.__name__
    return called


def staged_number(leaf: Any) -> Any:
    """Python's floats as NumPy's, which are staged."""
    return np.dtype(type(leaf)).type(leaf) if type(leaf) in (float, complex) else leaf


@contextmanager
def holding(variables: Sequence[Variable], values: Sequence[Any]) -> Iterator[None]:
    """Let variables have staged values in the current trace, until the block ends."""
    root = current().root
    before = {id(v): (root.state[id(v)], root.first[id(v)]) for v in variables}
    for variable, value in zip(variables, values, strict=True):
        node = record.to_node(apart(value))
        root.state[id(variable)], root.first[id(variable)] = (variable, variable.handle(node, root)), node
    try:
        yield
    finally:
        for key, (state, node) in before.items():
            root.state[key], root.first[key] = state, node
