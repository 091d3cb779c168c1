"""What a recursive function reads and changes outside of itself, and passes from call to call."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.in_flight import InFlight
from ...errors.recursion import refusal
from ...values.locations import ClassView, DictView, Location, Path, Written
from ...values.structures import Spec, leaf_paths, unflatten, walk_specs
from ..ir.alias_analysis import AliasAnalysis, is_immutable
from ..ir.graph import Graph, Node
from ..ir.type_merging import merge_types
from ..ir.types import ListType, StagedType
from ..tracing.containers.list_aliases import COPYING
from ..tracing.trace import Builder, current_builder
from .called_graph import Plain, is_single, merged_part, part_of


class OuterState:
    """What a recursive function reads and changes outside of itself, and passes from call to call."""

    def __init__(self) -> None:
        self.written_arguments: list[int] = []
        self.handles: list[Any] = []
        """The staged arrays and lists of outer functions that it writes to."""
        self.types: list[StagedType] = []
        """Their types."""
        self.places: list[Place] = []
        self.captures: list[Node] = []
        """The nodes of the graph around the first call that it reads."""

    @property
    def kinds(self) -> list[StagedType]:
        """The types of the handles, then of the staged parts of the places."""
        return [*self.types, *(kind for place in self.places for kind in place.kinds)]

    def enter(self, placeholders: Sequence[Any], parent: Builder) -> None:
        """Put the placeholders of a trace in place of the outer values."""
        count = len(self.handles)
        for handle, placeholder in zip(self.handles, placeholders[:count], strict=True):
            handle.write(placeholder)
        given = iter(placeholders[count:])
        for place in self.places:
            place.enter(given)
        for node in self.captures:
            current_builder().capture(node, parent)

    def inputs(self, recursion: Any) -> list[Node]:
        """Return the inputs of a call for the current outer values."""
        current = [recursion.backend.convert(h, k) for h, k in zip(self.handles, self.types, strict=True)]
        for place in self.places:
            current += place.inputs(recursion)
        return [*current, *(current_builder().capture(n, recursion.parent) for n in self.captures)]

    def leave(self, outputs: Iterator[Any]) -> None:
        """Store the outer values that a call leaves."""
        for handle in self.handles:
            handle.write(next(outputs))
        for place in self.places:
            place.set(outputs)

    def values(self, path: Path) -> list[Any]:
        """Return the outer values at the end of a trace."""
        left = {_key(place): leaves for place, (leaves, _) in path.values.items()}
        found: list[Any] = [left[id(handle)][0] for handle in self.handles]
        return found + [v for place in self.places for v in place.staged(left[_key(place.location)])]

    def note(self, recursion: Any, changed: dict[Any, tuple[list[Any], Spec]]) -> bool:
        """Let places contain values that calls begin or end with. Return whether that was known."""
        before = [place.parts for place in self.places]
        for location, (leaves, spec) in changed.items():
            place = self._place_at(location)
            if place is None:
                place = Place(recursion, location)
                self.places.append(place)
            place.merge(recursion, leaves, spec)
        return before == [place.parts for place in self.places]

    def knows(self, recursion: Any, changed: dict[Any, tuple[list[Any], Spec]]) -> bool:
        """Return whether a call may begin with outer values that have changed since the trace began."""
        found = [(self._place_at(location), left) for location, left in changed.items()]
        return all(place is not None and place.knows(recursion, *left) for place, left in found)

    def raises(self, flight: InFlight) -> bool:
        """Return whether an exception may leave a call."""
        return self._place_at(Location(flight, "number")) is not None

    def _place_at(self, location: Location) -> Place | None:
        return next((place for place in self.places if _key(place.location) == _key(location)), None)

    def widen_types(self) -> bool:
        """Let handles have the types that they have at a call. Return whether one has changed."""
        before = self.types
        self.types = [merge_types(k, h.type) for h, k in zip(self.handles, before, strict=True)]
        return self.types != before

    def check_aliases(self, recursion: Any, graph: Graph) -> None:
        """Refuse an array or list in a place that is also an argument or another result."""
        aliases = _PlaceAliases(graph, recursion)
        kinds = [kind for place in self.places for kind in place.kinds]
        names = [place.name for place in self.places for _ in place.kinds]
        for i, (kind, name) in enumerate(zip(kinds, names, strict=True), len(self.handles) - len(self.kinds)):
            own = aliases.outer(graph.arguments)[i], graph.results[i]
            others = [*graph.arguments, *graph.results[:i], *(graph.results[i + 1 :] if i < -1 else ())]
            sets = {aliases.alias_set(v) for v in others if v not in own and not is_single(v.type)}
            if not is_single(kind) and aliases.alias_set(own[1]) in sets:
                raise refusal(
                    recursion.code,
                    f"it assigns an array or list to {name} that may have another name",
                    f"assign a copy to {name}",
                )

    def settle(self, recursion: Any, path: Path, builder: Builder, written: list[int]) -> bool:
        """Add what a trace has used and changed. Return whether it was all known, with its types."""
        before = self.written_arguments, self.captures, list(self.types)
        self.written_arguments = written
        for location, left in path.values.items():
            if not isinstance(location, Written):
                continue
            handle = location.handle
            kinds = [left[0][0].type, handle.type] if left[0] else [handle.type]
            if not any(handle is known for known in self.handles):
                self._check_handle(recursion, handle)
                self.handles.append(handle)
                self.types.append(kinds[0])
            index = next(i for i, known in enumerate(self.handles) if known is handle)
            self.types[index] = functools.reduce(merge_types, kinds, self.types[index])
        self.captures = [outer for outer, _ in builder.operands()]
        places = {
            location: left
            for location, left in path.values.items()
            if isinstance(location, Location) and not recursion.is_inner(location)
        }
        is_known = self.note(recursion, places)
        return is_known and before == (self.written_arguments, self.captures, self.types)

    def _check_handle(self, recursion: Any, handle: Any) -> None:
        if getattr(handle, "base", None) is not None:
            raise refusal(
                recursion.code,
                "it writes to a view of an array of an outer function",
                "write to the array itself, or pass it as an argument",
            )


class _PlaceAliases(AliasAnalysis):
    """Alias analysis that assumes of each call that what it leaves in a place has no other name."""

    def __init__(self, graph: Graph, recursion: Any):
        self._recursion = recursion
        super().__init__(graph)

    def union(self, first: Any, second: Any) -> None:
        is_copy = isinstance(second, Node) and second.op in COPYING and isinstance(second.type, ListType)
        if not is_copy or not is_single(second.type.element):
            super().union(first, second)

    def outer(self, inputs: Sequence[Node]) -> Sequence[Node]:
        """Return those of the inputs of a call, or arguments of its graph, that are handles or in places."""
        state = self._recursion.state
        end = len(inputs) - len(state.captures)
        return inputs[end - len(state.kinds) : end]

    def _visit_node(self, node: Node) -> None:
        source = node.inputs[0] if node.op == "output" else node
        if source.op != "call" or source.attrs["graph"] is not self._recursion.graph:
            super()._visit_node(node)
        elif node.op == "output":
            for used in self._passed_on(source.inputs, node.attrs["index"]):
                if not is_immutable(used.type):
                    self.union(used, node)

    def _passed_on(self, inputs: Sequence[Node], index: int) -> Sequence[Node]:
        """Return the inputs of a call that may be an output."""
        written = self._recursion.state.written_arguments
        index -= len(self._recursion.results.kinds)
        if index < 0:
            return inputs
        if index < len(written):
            return [inputs[self._recursion.staged_arguments().index(written[index])]]
        return [self.outer(inputs)[index - len(written)]]


class Place:
    """An attribute, item or variable of an outer function that a recursive function sets."""

    def __init__(self, recursion: Any, location: Location):
        self.location = location
        self.leaves, self.spec = recursion.flatten_outer(location.get())
        self.parts = [part_of(recursion, leaf, {}) for leaf in self.leaves]
        self.given: list[Any] = []

    @property
    def name(self) -> str:
        is_of_exception = isinstance(self.location.owner, InFlight)
        return "an argument of an exception" if is_of_exception else self.location.name

    @property
    def kinds(self) -> list[StagedType]:
        return [part for part in self.parts if not isinstance(part, Plain)]

    def merge(self, recursion: Any, leaves: list[Any], spec: Spec) -> None:
        """Let the place contain what a path leaves in it."""
        if isinstance(self.location.owner, InFlight) and spec.kind is not None:
            raise refusal(
                recursion.code,
                "it raises an exception with a list, dict or object, which a 'try' outside of it catches",
                "return the value instead",
            )
        if spec != self.spec:
            recursion.restage(self.location)
            raise refusal(
                recursion.code,
                f"{self.name} has another structure after a call than before it",
                "return the value instead, or write to an array",
            )
        if any(getattr(given, "version", 0) for given in self.given):
            raise refusal(
                recursion.code,
                f"it writes to an array in {self.name}, and assigns to {self.name}, too",
                "do one of both",
            )
        self._check_structure(recursion, spec)
        self.parts = self._merged(recursion, leaves)

    def knows(self, recursion: Any, leaves: list[Any], spec: Spec) -> bool:
        """Return whether the place may contain a value without a change of the types."""
        return spec == self.spec and self.parts == self._merged(recursion, leaves)

    def _merged(self, recursion: Any, leaves: list[Any]) -> list[Any]:
        names = leaf_paths(self.spec, self.name)
        parts = [part_of(recursion, leaf, {}) for leaf in leaves]
        return [merged_part(recursion, *item) for item in zip(names, self.parts, parts, leaves, strict=True)]

    def _check_structure(self, recursion: Any, spec: Spec) -> None:
        parts = spec.parts if isinstance(self.location.owner, list) else (spec,)
        for part in (inner for outer in parts for inner in walk_specs(outer)):
            if part.kind is not None and not issubclass(part.kind, tuple):
                raise refusal(
                    recursion.code,
                    f"it assigns a {part.kind.__name__} to {self.name}",
                    "return the value instead, or change one that exists before the call",
                )

    def enter(self, placeholders: Iterator[Any]) -> None:
        self.given = self.set(placeholders)

    def set(self, values: Iterator[Any]) -> list[Any]:
        leaves = [part.value if isinstance(part, Plain) else next(values) for part in self.parts]
        self.location.set(unflatten(self.spec, leaves))
        return leaves

    def staged(self, leaves: list[Any]) -> list[Any]:
        """Return those of the leaves that are passed on."""
        return [v for v, part in zip(leaves, self.parts, strict=True) if not isinstance(part, Plain)]

    def current(self, recursion: Any) -> list[Any]:
        """Return what is passed on at a call."""
        return self.staged(recursion.flatten_outer(self.location.get())[0])

    def inputs(self, recursion: Any) -> list[Node]:
        values = self.current(recursion)
        return [recursion.backend.convert(v, k) for v, k in zip(values, self.kinds, strict=True)]


def _key(place: Any) -> Any:
    """Return a key of a location; those of one handle, and those of one place, are equal."""
    if isinstance(place, Written):
        return id(place.handle)
    owner = place.owner
    if isinstance(owner, DictView):
        owner = owner.kind if isinstance(owner, ClassView) else owner.whole
    return id(owner), place.key
