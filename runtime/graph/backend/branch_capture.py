"""The trace of a branch or loop body into a graph of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Self

from ..ir.comparison import same_computation
from ..ir.graph import Graph, Node
from ..ir.types import bound_type, holds_references
from ..tracing.tensor import is_single, wrap
from ..tracing.trace import Builder, current_builder, tracing_into


class BranchCapture:
    """A branch or loop body, traced into a graph of its own."""

    def __init__(self, builder: Builder, backend: Any):
        self.builder, self.backend = builder, backend
        self.value: Any = None
        self.raised: BaseException | None = None
        self.leaves: list[Any] = []
        self.writes: list[tuple[Any, Any]] = []
        self.reasons: list[tuple[Any, str]] = []

    def unshare(self) -> None:
        """Let the outer values that the trace has forbidden to write to be as before it."""
        self.reasons = [(value, value.shared) for value, _ in self.builder.shared.values()]
        for value, before in self.builder.shared.values():
            value.unshare(before)

    def share_again(self) -> None:
        """Forbid again to write to them."""
        for value, reason in self.reasons:
            value.shared = reason

    def __enter__(self) -> Self:
        """Record the code in the `with` block, and undo its writes afterwards."""
        self._tracing = tracing_into(self.builder, self.backend)
        self._tracing.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        for handle, owner, node in self.builder.writes.values():
            self.writes.append((handle, wrap(handle.node(), self.builder)))
            handle.restore(owner, node)
        if exception[0] is not None:
            self.unshare()
        self._tracing.__exit__(*exception)

    @property
    def graph(self) -> Graph:
        return self.builder.graph


def undone_after(error: type[BaseException]) -> AbstractContextManager[None]:
    return current_builder().undone_after(error)


@contextmanager
def rewound(end: type[BaseException]) -> Iterator[None]:
    """Take back the writes and effects of the `with` block, which an exception of class `end` ends.

    Of its nodes, those stay that compute the condition of the exception. It has none if they have an effect,
    or read an object that a node with an effect may have changed.
    """
    builder = current_builder()
    count, writes, shared = len(builder.graph.nodes), dict(builder.writes), dict(builder.shared)
    outer, builder.journal = builder.journal, []
    try:
        yield
    except end as reached:
        kept = _ancestors(reached.condition.node())  # type: ignore[attr-defined]
        added = builder.graph.nodes[count:]
        effects = [node for node in added if node.effect]
        if not kept.isdisjoint(effects) or (effects and any(n in kept and _reads_object(n) for n in added)):
            reached.condition = None  # type: ignore[attr-defined]
        builder.graph.nodes[count:] = [n for n in added if n in kept or n.op == "constant"]
        raise
    finally:
        for handle, owner, node in reversed(builder.journal):
            handle.restore(owner, node)
        builder.writes, builder.shared, builder.journal = writes, shared, outer


def _reads_object(node: Node) -> bool:
    return any(operand.type is not None and holds_references(operand.type) for operand in node.inputs)


def _ancestors(node: Node) -> set[Node]:
    """Return a node and all that it is computed from."""
    found: set[Node] = set()
    pending = [node]
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += node.inputs
    return found


def is_same_test(first: Any, second: Any) -> bool:
    """Return whether two staged conditions certainly have one value."""
    return same_computation(first.node(), second.node())


def changes_rank(kind: Any, *values: Any) -> bool:
    """Return whether a type is that of arrays with dimensions, but one of two values is a number."""
    numbers = [value for value in values if value is not None and is_single(value)]
    return bool(getattr(bound_type(kind), "shape", ()) and numbers)
