"""Alias analysis of graphs under construction: which staged lists may be one object, or items of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....staging.state.aliases import found_among
from ...ir.alias_analysis import AliasAnalysis
from ...ir.graph import Node
from ...ir.types import holds_lists
from ..trace import Builder, current_builder

COPYING = frozenset(("list", "list_copy", "add", "mul", "getitem", "iterate", "sorted", "permuted", "deque"))
"""Ops whose results are new lists, which have nothing in common with others if their items are no lists."""


class ListAliases(AliasAnalysis):
    """Which lists of the graphs under construction may be one object, or items of the same container."""

    def __init__(self, handle: Any):
        self._parent, self._sizes = {}, {}
        self._escaping, self._in_lists = set(), set()
        builder: Builder | None = current_builder()
        while builder is not None:
            self._visit(builder.graph)
            for outer, inner in builder.captured.items():
                self.union(outer, inner)
            for inner, outer in builder.links:
                self.union(outer, inner)
            builder = builder.parent
        self._own = self.alias_set(handle.origin)

    def union(self, first: Any, second: Any) -> None:
        for value in (first, second):
            if isinstance(value, Node) and not (value.type is None or holds_lists(value.type)):
                return
        if isinstance(second, Node) and second.op in COPYING and not holds_lists(second.type.element):
            return
        super().union(first, second)

    def handles(self) -> Iterator[Any]:
        """Yield the staged lists in use that may be the list, or contain it."""
        for found in current_builder().root.registry.handles:
            other = found()
            if other is None or other.is_reference or not other.is_in_scope:
                continue
            if self.alias_set(other.origin) == self._own:
                yield other

    def are_tied(self) -> bool:
        """Return whether a loop of the current graph leaves several of the lists, and may have copied one."""
        nodes = current_builder().graph.nodes
        outputs = [n for n in nodes if n.op == "output" and n.inputs[0].op in ("for", "while")]
        loops = [n.inputs[0] for n in outputs if holds_lists(n.type) and self.alias_set(n) == self._own]
        return len(loops) > len(set(loops))

    def plain_lists(self) -> list[tuple[list[Any], Node]]:
        """Return the plain lists that may be the list, that the traced code refers to, with their nodes."""
        items = current_builder().root.selected.items()
        own = {id(v): (v, n) for v, n in items if type(v) is list and self.alias_set(n) == self._own}
        return [own[id(value)] for value in found_among([value for value, _ in own.values()])]
