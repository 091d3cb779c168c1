"""The trace of a branch or loop body into a graph of its own."""

from __future__ import annotations

from typing import Any, Self

from ..ir.graph import Graph
from ..tracing.tensor import wrap
from ..tracing.trace import Builder, tracing_into


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
