"""Building a graph while user code runs.

A *trace* has one `Builder` for the function and one for each branch or loop body below it. A staged
value belongs to the builder that was current when it was made. Used in a builder further in, it is
*lifted*: it becomes an argument of the inner graph. Used anywhere else, it has *leaked*.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, FrameType, FunctionType
from typing import Any

import numpy as np

from .. import staging
from ..backends import BACKENDS
from ..errors import LeakError, StateError
from ..heap import unnoticed
from ..staging.aliases import ROOT
from ..tracebacks import is_ours, strip
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
        self.root: Root = parent.root if parent else self  # type: ignore[assignment]

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


class Root(Builder):
    """The graph of a whole trace, and the state outside it that it reads and writes.

    `may_create` says whether the traced function may make variables: at its first call only.
    """

    def __init__(self, name: str, *, may_create: bool):
        super().__init__(name)
        self.may_create = may_create
        self.created = False
        self.printing = np.get_printoptions()
        self.given: list[Any] = []  # the lists, dicts and objects among the arguments
        self.state: dict[int, tuple[Any, Any]] = {}
        self.first: dict[int, Node] = {}  # the arguments of the variables

    def state_of(self, variable: Any) -> Any:
        """The handle that stands for a variable in this trace."""
        found = self.state.get(id(variable))
        if found is None:
            node = self.first[id(variable)] = self.argument(variable.type, variable.label)
            found = self.state[id(variable)] = variable, variable.handle(node, self)
        return found[1]

    def allow_creation(self, name: str, initial: Any) -> None:
        """Raises `StateError` where a variable must not be made."""
        if BACKENDS[type(initial)] is not None:
            raise StateError(
                f"the Variable {name!r} gets a staged value as its initial value",
                why="a Variable is made when the function is traced, and that value is known "
                "only when the graph runs",
                remedy="give it a plain value, and assign the staged one: v = ag.Variable(0.0); v.assign(x)",
            )
        if not self.may_create:
            raise StateError(
                f"the Variable {name!r} is made again at a later call of {self.graph.name}",
                why="a function may make its variables at its first call only, as each trace "
                "would make another",
                remedy="make it once ('if self.v is None: self.v = ag.Variable(0)'), or outside "
                "of the function",
            )
        self.created = True


def leaked(node: Node, handle: Any = None) -> LeakError:
    made = node.places[-1:]
    where = "here, in the argument " + repr(node.attrs["name"]) if node.op == "argument" else "here"
    return LeakError(
        f"a staged value of type {node.type} is used outside the function, branch or loop body that made it",
        why="it stands for a value that is there only while that part of the graph runs",
        remedy="return it, or keep it in a variable of the function, instead of storing it elsewhere",
        rows=[] if handle is None else _holder_of(handle),
        sites=[(f"it was made {where}", place) for place in made],
    )


def hides_frames(kind: type) -> None:
    """Let the operators of a class leave no frame of ours in the traceback of a `LeakError`."""
    for name, method in [*vars(kind).items()]:
        if (
            name.startswith("__")
            and isinstance(method, FunctionType)
            and name not in ("__init__", "__repr__")
        ):
            setattr(kind, name, _hiding(method))


def _hiding(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except LeakError as error:
            strip(error)
            raise

    return called


def _holder_of(handle: Any) -> list[str]:
    """How a value came out of its trace: what outlives the trace and holds it."""
    found = _holder(handle)
    return [f"it leaked through {found}"] if found else []


def _holder(handle: Any) -> str:
    holders = gc.get_referrers(handle)
    for holder in sorted(holders, key=lambda h: isinstance(h, CellType)):
        if type(holder) is dict:
            found = [key for key, value in holder.items() if value is handle]
            if "__name__" in holder and "__builtins__" in holder:
                return f"the global {found[0]!r} of {holder['__name__']}"
            owners = [o for o in gc.get_referrers(holder) if getattr(o, "__dict__", None) is holder]
            if owners:
                return f"the attribute {found[0]!r} of a {type(owners[0]).__name__}"
            return f"the item {found[0]!r} of a dict"
        if type(holder) in (list, set):
            return f"a {type(holder).__name__}"
        if isinstance(holder, CellType):
            return "a variable that a function closes over"
        names = [n for n, v in getattr(holder, "__dict__", {}).items() if v is handle]
        if names:
            return f"the attribute {names[0]!r} of a {type(holder).__name__}"
    return ""


def current() -> Builder:
    builder = _current.get()
    if builder is None:
        raise LeakError(
            "a staged value is used when nothing is being traced",
            why="it stands for a value that is there only while its graph runs, and it "
            "has come out of its function",
            remedy="return it from the function instead of storing it elsewhere",
        )
    return builder


def is_tracing() -> bool:
    return bool(staging.ACTIVE) and _current.get() is not None


def in_inner_graph() -> bool:
    """Whether a branch or loop body is being traced."""
    builder = _current.get()
    return builder is not None and builder.parent is not None


class building:  # noqa: N801 - it is called, and left as a context
    """A trace goes on, into a builder. Unlike `contextlib` it asks nothing of the errors that pass."""

    def __init__(self, builder: Builder, backend: Any):
        self.builder, self.backend = builder, backend

    def __enter__(self) -> Builder:
        self.token = _current.set(self.builder)
        staging.ACTIVE.append(self.backend)
        return self.builder

    def __exit__(self, *_: object) -> None:
        self.builder.open = False
        staging.ACTIVE.remove(self.backend)
        _current.reset(self.token)


@contextmanager
def within(builder: Builder) -> Iterator[None]:
    """Let an outer builder of the trace be the current one."""
    token = _current.set(builder)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def outside() -> Any:
    """Run the code of a `with` as if nothing were traced: once per trace, outside of the graph.

    >>> import autograph_rs as ag
    >>> traces = ag.Variable(0)
    >>> @ag.function
    ... def f(x):
    ...     with ag.init_scope():
    ...         traces.assign_add(1)
    ...     return x
    >>> import numpy as np
    >>> f(np.ones(2)).shape, f(np.zeros(2)).shape, int(traces)
    ((2,), (2,), 1)
    """
    token = _current.set(None)
    try:
        with unnoticed():
            yield
    finally:
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
