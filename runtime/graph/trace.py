"""Building a graph while user code runs.

A *trace* has one `Builder` for the function and one for each branch or loop body below it. A staged
value belongs to the builder that was current when it was made. Used in a builder further in, it is
*lifted*: it becomes an argument of the inner graph. Used anywhere else, it has *leaked*.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

import numpy as np

from .. import staging
from ..errors import LeakError
from ..tracebacks import is_ours
from .ir import Frames, Graph, Node
from .types import ArrayType, ScalarType, StagedType

_NUMPY = os.path.dirname(np.__file__) + os.sep
_current: ContextVar[Builder | None] = ContextVar("autograph_rs_builder", default=None)


class Builder:
    """The graph under construction, and the staged values outside it that were written in place."""

    def __init__(self, name: str, parent: Builder | None = None):
        self.graph = Graph(name)
        self.parent = parent
        self.captured: dict[Node, Node] = {}
        self.writes: dict[int, tuple[Any, Builder, Node]] = {}
        self.owned: set[Node] = set()
        self.constants: dict[Any, Node] = {}
        self.errors: Mapping[str, object] = parent.errors if parent else np.geterr()
        self.open = True

    def argument(self, kind: StagedType, name: str) -> Node:
        node = Node("argument", (), {"name": name}, kind)
        self.graph.arguments.append(node)
        self.owned.add(node)
        return node

    def constant(self, value: Any, kind: StagedType) -> Node:
        if isinstance(value, np.ndarray):  # it may be another value the next time
            return self.add("constant", (), {"value": value.copy()}, kind)
        key = (type(value), value) if isinstance(value, (bool, int, str)) else id(value)
        if key not in self.constants:
            node = self.add("constant", (), {"value": value}, kind)
            node.attrs["source"] = value  # keeps the id from being used again
            self.constants[key] = node
        return self.constants[key]

    def add(
        self,
        op: str,
        inputs: Sequence[Node],
        attrs: dict[str, Any],
        kind: StagedType | None,
        *,
        effect: bool = False,
    ) -> Node:
        errors = np.geterr()
        if errors != self.errors:
            attrs["errstate"] = errors
        node = Node(op, tuple(inputs), attrs, kind, user_frames(), effect)
        self.graph.nodes.append(node)
        self.owned.add(node)
        return node

    def lift(self, node: Node, owner: Builder) -> Node:
        """`node` as this graph sees it."""
        if owner is self:
            return node
        if node in self.captured:
            return self.captured[node]
        if self.parent is None or not owner.open:
            raise leaked(node)
        outer = self.parent.lift(node, owner)
        if outer.op == "constant":
            inner = self.constant(outer.attrs["value"], outer.type)
        else:
            inner = self.argument(outer.type, f"captured_{len(self.captured)}")
            self.captured[outer] = inner
        self.captured[node] = inner
        return inner

    def operands(self) -> list[tuple[Node, Node]]:
        """What was lifted: the parent's node and this graph's argument."""
        parent = self.parent
        assert parent is not None
        return [(o, i) for o, i in self.captured.items() if i.op == "argument" and o in parent.owned]


def leaked(node: Node) -> LeakError:
    at = f" It was made at {node.place}." if node.place else ""
    return LeakError(
        f"a staged value of type {node.type} was used outside the function, branch or loop body that made it."
        f"{at} Return it, or keep it in a variable of the function, instead of storing it elsewhere"
    )


def current() -> Builder:
    builder = _current.get()
    if builder is None:
        raise LeakError(
            "a staged value was used when nothing is being traced: it leaked out of its function. "
            "Return it from the function instead of storing it elsewhere"
        )
    return builder


def is_tracing() -> bool:
    return bool(staging.ACTIVE) and _current.get() is not None


def in_inner_graph() -> bool:
    """Whether a branch or loop body is being traced."""
    builder = _current.get()
    return builder is not None and builder.parent is not None


@contextmanager
def building(builder: Builder, backend: Any) -> Any:
    token = _current.set(builder)
    staging.ACTIVE.append(backend)
    try:
        yield builder
    finally:
        builder.open = False
        staging.ACTIVE.remove(backend)
        _current.reset(token)


def user_frames() -> Frames:
    """The frames of user code below the trace, outermost first, as code and instruction."""
    found = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if is_ours(code):
            if code.co_name == ROOT:
                break
        elif not code.co_filename.startswith("<frozen") and not code.co_filename.startswith(_NUMPY):
            found.append((code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found[::-1])


ROOT = "trace_root"


def trace_root(run: Callable[[], Any]) -> Any:
    """Runs the traced function; frames outside this one are not the user's traced code."""
    return run()


_SCALARS = (bool, int, float, complex, str)


def scalar_type(value: Any) -> StagedType | None:
    """The type of a plain value that can stand in a graph."""
    kind = type(value)
    if kind in _SCALARS:
        return ScalarType(kind)
    if isinstance(value, (np.ndarray, np.generic)):
        return ArrayType(value.dtype, value.shape)
    return next((ScalarType(base) for base in _SCALARS if isinstance(value, base)), None)


__all__ = [
    "Builder",
    "building",
    "current",
    "in_inner_graph",
    "is_tracing",
    "leaked",
    "scalar_type",
]
