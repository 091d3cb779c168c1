"""Graph builders: the state of a trace.

A *trace* has one `Builder` for the function and one for each branch or loop body inside it. A staged value
belongs to the builder that was current when it was created. A builder nested inside that builder
*captures* the value, which becomes an argument of the inner graph. A value used anywhere else has *leaked*.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from ... import staging
from ...backends import BACKENDS
from ...core.active_backends import CAPTURES
from ...core.closures import holder_frame
from ...core.in_flight import running
from ...debugging.tracebacks import is_internal, strip_internal_frames
from ...errors import LeakError, StateError
from ...staging.state.heap import excluded_from_heap
from ...staging.state.search import ROOT
from ..ir.graph import Frames, Graph, Node
from ..ir.types import MaybeType, OptionalType, StagedType
from .selected_values import InstanceKinds, ListRegistry, SelectedValues

_NUMPY = os.path.dirname(np.__file__) + os.sep
_current: ContextVar[Builder | None] = ContextVar("autograph_rs_builder", default=None)
check_failing: list[Callable[..., Sequence[Node]]] = []
"""The function that raises what an operation would raise in a `try`, once its module is loaded."""
_CONTROL_FLOW = ("cond", "while", "for", "constant", "attempt", "output", "raise")


class Builder:
    """A graph under construction, and the outer values that it captures or writes to in place."""

    def __init__(self, name: str, parent: Builder | None = None):
        self.graph = Graph(name)
        self.parent = parent
        self.depth = len(CAPTURES.heaps)
        """The number of branches and loop bodies that were being captured when it was created."""
        self.captured: dict[Node, Node] = {}
        self.writes: dict[int, tuple[Any, Builder, Node]] = {}
        self.shared: dict[int, tuple[Any, str]] = {}
        """The outer values that may no longer be written to, with the reason before."""
        self.journal: list[tuple[Any, Builder, Node]] | None = None
        """The state of each handle before a write, while writes may have to be undone."""
        self.owned: set[Node] = set()
        self.constants: dict[Any, Node] = {}
        self.errstate: Mapping[str, object] = parent.errstate if parent else np.geterr()
        self.links: list[tuple[Node, Node]] = []  # the lists of iterations, and those before the loop
        self.open = True
        self.level: int = parent.level + 1 if parent else 0
        self.recursion: Any = parent.recursion if parent else None
        """The innermost recursive function whose graph is being traced."""
        self.root: RootBuilder = parent.root if parent else self  # type: ignore[assignment]

    def note_type_change(self) -> None:
        self.root.registry.changed_types.append(self)

    def argument(self, kind: StagedType, name: str) -> Node:
        node = Node("argument", (), {"name": name}, kind)
        self.graph.arguments.append(node)
        self.owned.add(node)
        return node

    def constant(self, value: Any, kind: StagedType) -> Node:
        if isinstance(value, np.ndarray):  # copied, as the user may write to it later
            return self.add("constant", (), {"value": value.copy()}, kind)
        key = (type(value), value) if isinstance(value, (bool, int, str)) else id(value)
        if key not in self.constants:
            node = self.add("constant", (), {"value": value}, kind)
            node.attrs["source"] = value  # keeps the object alive, so that its id stays unique
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
        target = self
        if running.flight is not None and op not in _CONTROL_FLOW and current_builder() is self:
            for check in check_failing:
                inputs = check(self, op, inputs, attrs)
            target = current_builder()  # the rest of the branch, if the operation may raise
        errstate = np.geterr()
        if errstate != target.errstate:
            attrs["errstate"] = errstate
        node = Node(op, tuple(inputs), attrs, kind, user_frames(), effect)
        target.graph.nodes.append(node)
        target.owned.add(node)
        return node

    def stands_for(self, inner: Node, node: Node) -> bool:
        """Return whether a node is another, or stands for it in this graph or in one around it."""
        builder: Builder | None = self
        while builder is not None and builder.captured.get(node) is not inner:
            builder = builder.parent
        return inner is node or builder is not None

    def capture(self, node: Node, owner: Builder) -> Node:
        """Return the node of this graph that stands for a node of `owner`, capturing it if necessary.

        Raises:
            LeakError: `owner` is finished, or does not enclose this graph.
        """
        if owner is self:
            return node
        if node in self.captured:
            return self.captured[node]
        if self.parent is None or not owner.open:
            raise leak_error(node)
        outer = self.parent.capture(node, owner)
        if outer in self.captured:
            inner = self.captured[outer]
        elif outer.op == "constant":
            inner = self.constant(outer.attrs["value"], outer.type)
        else:
            inner = self.argument(outer.type, f"captured_{len(self.captured)}")
            self.captured[outer] = inner
        self.captured[node] = inner
        return inner

    @contextmanager
    def undone_after(self, error: type[BaseException]) -> Iterator[None]:
        """Take back the nodes and writes of the `with` block if it raises an exception of some class."""
        count, known = len(self.graph.nodes), (self.captured, self.writes, self.constants)
        before = [dict(found) for found in known]
        outer, self.journal = self.journal, []
        try:
            yield
        except error:
            for handle, owner, node in reversed(self.journal):
                handle.restore(owner, node)
            del self.graph.nodes[count:]
            for found, earlier in zip(known, before, strict=True):
                found.clear()  # type: ignore[attr-defined]
                found.update(earlier)  # type: ignore[attr-defined]
            self.journal = []
            raise
        finally:
            if outer is not None:
                outer += self.journal
            self.journal = outer

    def operands(self) -> list[tuple[Node, Node]]:
        """Return the captured values as pairs of a node of the parent and an argument of this graph."""
        parent = self.parent
        assert parent is not None
        return [(o, i) for o, i in self.captured.items() if i.op == "argument" and o in parent.owned]

    def close_body(self, own: int) -> list[Node]:
        """Put the arguments of captured values after the first `own` arguments; return the captured nodes."""
        self.graph.name = "body"
        pairs = self.operands()
        self.graph.arguments[own:] = [i for _, i in pairs]
        return [o for o, _ in pairs]


def join_branches(builders: Sequence[Builder]) -> tuple[dict[str, Graph], list[Node]]:
    """Give both branches of a conditional the same arguments; return the graphs and the captured nodes."""
    captures = [dict(b.operands()) for b in builders]
    operands = list({**captures[0], **captures[1]})
    for builder, name, argument_of in zip(builders, ("if_true", "if_false"), captures, strict=True):
        builder.graph.name = name
        builder.graph.arguments[:] = [
            argument_of.get(o) or Node("argument", (), {"name": "unused"}, o.type) for o in operands
        ]
    return {"then": builders[0].graph, "orelse": builders[1].graph}, operands


class RootBuilder(Builder):
    """The builder of a whole trace, with the variables that the function reads and writes.

    `may_create` is whether the traced function may create variables, which only its first call may do.
    """

    def __init__(self, name: str, *, may_create: bool):
        super().__init__(name)
        self.may_create = may_create
        self.created = False
        self.called_graphs: list[Graph] = []
        self.reversed_graphs: dict[Graph, Graph] = {}
        """Maps called graphs to the graphs that compute the cotangents of their arguments."""
        self.unrolled: dict[CodeType, int | None] = {}
        """How many calls of each unrolled recursive function are left, or None if it is sure to end."""
        self.printing = np.get_printoptions()
        self.argument_containers: list[Any] = []
        """The trace's copies of lists, dicts and objects among the arguments."""
        self.handles: dict[int, tuple[Any, Any]] = {}
        """Maps the id of each variable to the variable and the staged value that stands for it."""
        self.variable_arguments: dict[int, Node] = {}
        self.selected = SelectedValues()
        self.registry = ListRegistry()
        self.instance_kinds = InstanceKinds()
        """The classes whose instances are objects of the graph."""
        self.instance_classes: dict[tuple[type, tuple[str, ...]], Any] = {}
        """The classes of what stands for these instances, by class and attributes."""

    def handle_of(self, variable: Any) -> Any:
        """Return the staged value that stands for a variable in this trace."""
        entry = self.handles.get(id(variable))
        if entry is None:
            node = self.variable_arguments[id(variable)] = self.argument(variable.type, variable.label)
            entry = self.handles[id(variable)] = variable, variable.handle(node, self)
        return entry[1]

    def check_creation(self, name: str, initial: Any) -> None:
        """Raise `StateError` if the traced function may not create a variable here."""
        if BACKENDS[type(initial)] is not None:
            raise StateError(
                f"the Variable {name!r} is created with a staged initial value",
                why="a Variable is created when the function is traced, but this value is known "
                "only when the graph runs",
                remedy="create it with a plain value, then assign: v = ag.Variable(0.0); v.assign(x)",
            )
        if not self.may_create:
            raise StateError(
                f"a later call to {self.graph.name} creates the Variable {name!r} again",
                why="only a function's first call may create variables: each later trace would create more",
                remedy="create it once (if self.v is None: self.v = ag.Variable(0)), or outside the function",
            )
        self.created = True


def leak_error(node: Node, handle: Any = None) -> LeakError:
    """Return the error for a staged value used outside its scope, naming what still refers to it."""
    where = f"here, as the argument {node.attrs['name']!r}" if node.op == "argument" else "here"
    holder = "" if handle is None else _describe_holder(handle)
    return LeakError(
        f"a staged value of type {node.type} is used outside the function, branch or loop body "
        "that created it",
        why="it stands for a value that exists only while that part of the graph runs",
        remedy="return it or assign it to a local variable of the function, instead of storing it elsewhere",
        rows=[f"it leaked through {holder}"] if holder else [],
        sites=[(f"it was created {where}", position) for position in node.places[-1:]],
    )


def hide_operator_frames(kind: type) -> None:
    """Wrap a class's special methods so that the traceback of a `LeakError` omits their frames."""
    for name, method in [*vars(kind).items()]:
        is_special = name.startswith("__") and name not in ("__init__", "__repr__", "__str__")
        if is_special and isinstance(method, FunctionType):
            setattr(kind, name, _hiding_frames(method))


def _hiding_frames(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except LeakError as error:
            strip_internal_frames(error)
            raise

    return wrapper


def _describe_holder(handle: Any) -> str:
    """Describe an object that outlives the trace and refers to a staged value, or return ""."""
    nouns = {list: "a list", set: "a set", CellType: "a variable that a function closes over"}
    for holder in sorted(gc.get_referrers(handle), key=lambda h: isinstance(h, CellType)):
        if hasattr(type(holder), "ag__reference"):
            return _describe_holder(holder)
        if type(holder) is dict:
            key = next(key for key, value in holder.items() if value is handle)
            if "__name__" in holder and "__builtins__" in holder:
                return f"the global {key!r} of {holder['__name__']}"
            owners = [o for o in gc.get_referrers(holder) if getattr(o, "__dict__", None) is holder]
            if owners:
                return f"the attribute {key!r} of a {type(owners[0]).__name__}"
            return f"the item {key!r} of a dict"
        if type(holder) in nouns:
            return nouns[type(holder)]
        for name, value in getattr(holder, "__dict__", {}).items():
            if value is handle:
                return f"the attribute {name!r} of a {type(holder).__name__}"
    return ""


def current_builder() -> Builder:
    builder = _current.get()
    if builder is None:
        raise LeakError(
            "a staged value is used when nothing is being traced",
            why="it left the traced function, but stands for a value that exists only while the graph runs",
            remedy="return it from the function instead of storing it elsewhere",
        )
    return builder


def is_tracing() -> bool:
    return bool(staging.ACTIVE) and _current.get() is not None


def in_inner_graph() -> bool:
    """Return whether a branch or loop body is being traced."""
    builder = _current.get()
    return builder is not None and builder.parent is not None


class tracing_into:  # noqa: N801 - used as a context manager
    """Context manager that makes a builder record the staged operations."""

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
def using_builder(builder: Builder) -> Iterator[None]:
    token = _current.set(builder)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def init_scope() -> Any:
    """Run the body of a `with` statement as if nothing were being traced: once per trace, outside the graph.

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
        with excluded_from_heap():
            yield
    finally:
        _current.reset(token)


def user_frames() -> Frames:
    """Return the user's frames inside the trace, outermost first, as code objects and instruction offsets."""
    frames = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if is_internal(code):
            if code.co_name == ROOT:
                break
        else:
            if not code.co_filename.startswith(("<frozen", _NUMPY)):
                frames.append((code, frame.f_lasti))
            frame = holder_frame(frame) or frame
        frame = frame.f_back
    return tuple(frames[::-1])


def trace_root(run: Callable[[], Any]) -> Any:
    """Run the traced function. This frame marks the start of the traced code on the stack."""
    return run()


def bound_node(node: Node) -> Node:
    """Return a node whose value is bound and not None. An unbound variable raises when the graph runs.

    None raises where it is used, as in Python. The node has an effect: nothing that depends on it may run
    before the test that it stands behind.
    """
    kind = node.type
    if isinstance(kind, MaybeType):
        attrs = {"symbol": kind.name}
        return bound_node(current_builder().add("check_bound", (node,), attrs, kind.held, effect=True))
    if isinstance(kind, OptionalType):
        return current_builder().add("some", (node,), {}, kind.held, effect=True)
    return node
