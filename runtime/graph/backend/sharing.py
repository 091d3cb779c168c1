"""Which values of a trace share memory, and may therefore not be written to: a part of the backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.graph import Graph
from ..ir.subgraphs import unrepeatable_effects
from ..tracing.containers import objects, references
from ..tracing.containers.staged_lists import StagedList
from ..tracing.selected_values import SELECTABLE
from ..tracing.tensor import Staged, Tensor
from ..tracing.trace import current_builder


class Sharing:
    """The part of the backend that follows views, aliases, and lists that are objects."""

    is_handle: Callable[[Any], bool]

    note_merged = staticmethod(references.note_merged)

    def link(self, placeholder: Any, value: Any) -> None:
        """Note that an iteration may begin with a list with which the loop begins."""
        if isinstance(placeholder, StagedList) and isinstance(value, StagedList):
            current_builder().links.append((placeholder.origin, value.origin))

    def count_type_changes(self) -> int:
        return len(current_builder().root.registry.changed_types)

    def types_changed(self, mark: int) -> bool:
        """Return whether an older object has got another type since `count_type_changes` returned `mark`."""
        return any(builder.open for builder in current_builder().root.registry.changed_types[mark:])

    def share(self, value: Any, reason: str) -> None:
        """Forbid writes to a value that may alias an array, and to its base if the value is a view."""
        if isinstance(value, SELECTABLE):
            objects.keep_unchanged(value)
        elif self.is_handle(value):
            value.shared = reason
            base = value.base
            if base is not None:
                base.shared = "it has a view that was created in a branch or loop"

    def refreshed(self, value: Any) -> Any:
        """Return the current value of a view whose base was written to, and any other value unchanged.

        A write to an array from outside of an inner graph is undone after it, and the view must not follow.
        """
        if not isinstance(value, Staged):
            return value
        base, writes = value.base, current_builder().writes
        while base is not None and id(base) not in writes:
            base = base.base
        return value.read() if value.is_stale or base is not None else value

    def noted_effects(self) -> Callable[[], tuple[bool, bool]]:
        """Return a function that takes back the writes until then.

        It returns whether there were any, and whether there are other effects, which would be repeated.
        """
        builder = current_builder()
        count, outer, builder.journal = len(builder.graph.nodes), builder.journal, []

        def undo() -> tuple[bool, bool]:
            has_writes = bool(builder.journal)
            for handle, owner, node in reversed(builder.journal or ()):
                handle.restore(owner, node)
            builder.journal = outer
            recorded = Graph("condition")
            recorded.nodes[:] = builder.graph.nodes[count:]
            return has_writes, any(unrepeatable_effects(recorded))

        return undo

    def follow(self, placeholder: Any, array: Any) -> None:
        """Treat a placeholder as a possible view or alias of an array."""
        if not isinstance(placeholder, Tensor) or not isinstance(array, Tensor):
            return
        if placeholder.base is None:
            placeholder.set_possible_base(array)
        elif placeholder.base is not array:
            array.shared = "it may have another name from an earlier iteration"

    def is_view(self, value: Any) -> bool:
        return isinstance(value, Staged) and value.base is not None

    def whole_array(self, first: Any, second: Any) -> Any:
        """Return that one of two values of which the other is a whole view, or None.

        Reading a variable that may be unbound gives such a view.
        """
        for value, array in ((first, second), (second, first)):
            if isinstance(value, Tensor) and value.is_whole_view_of(array):
                return array
        return None
