"""What a called graph returns, and what it reads and changes outside of its function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.undefined import Undefined
from ...errors.recursion import refusal
from ...staging.state.missing_values import unified
from ...staging.state.statement import Path, Statement
from ...values.locations import ClassView, DictView, Location, Written
from ...values.structures import LEAF, Spec, leaf_paths, unflatten
from ..ir.alias_analysis import AliasAnalysis, is_immutable
from ..ir.graph import Graph, Node
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, DictType, ListType, ScalarType, SetType, StagedType, bound_type
from ..tracing.trace import Builder, current_builder


@dataclass(frozen=True)
class Parameter:
    """A result that is the array of an argument itself."""

    index: int


@dataclass(eq=False)
class Plain:
    """A result that is the same object in each call."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Results:
    """The structure of a function's result, and for each leaf its type, `Parameter` or `Plain`."""

    spec: Spec
    parts: list[Any]
    leaves: list[Any] = field(compare=False)
    aliased: set[int] = field(default_factory=set, compare=False)
    """The indices of leaves that may share memory with an argument."""
    returns: bool = True
    """False if each path raises an exception or calls the function again."""

    @classmethod
    def of(cls, recursion: Any, statement: Statement, path: Path, arguments: dict[int, int]) -> Results:
        """Return the results of a trace, merged with those that it assumed."""
        if path.capture.raised is not None:
            return cls(LEAF, [Plain(None)], [None], returns=False)
        leaves, spec = statement.flatten(path.result)
        leaves = [path.leaf(leaf) for leaf in leaves]
        parts = [_part(recursion, leaf, arguments) for leaf in leaves]
        known = recursion.results
        if known is None or not known.returns:
            return cls(spec, parts, leaves)
        if spec != known.spec:
            lists = [known.list_type(recursion), cls(spec, parts, leaves).list_type(recursion)]
            if None not in lists:
                value = leaves[0] if spec == LEAF else unflatten(spec, leaves)
                return cls(LEAF, [merge_types(*lists)], [value], known.aliased)
            both = unified((known.leaves, known.spec), (leaves, spec), recursion.backend)
            if both is None:
                why = f"it returns {known.spec} on one path and {spec} on another"
                raise refusal(recursion.code, why, "return values of one structure")
            (before, spec), (leaves, _) = both
            parts = [_part(recursion, leaf, arguments) for leaf in leaves]
            given = [_part(recursion, leaf, arguments) for leaf in before]
            known = cls(spec, given, before, known.aliased)
        names = leaf_paths(spec, "its result")
        merged = [_merge(recursion, *item) for item in zip(names, known.parts, parts, leaves, strict=True)]
        return cls(spec, merged, leaves, known.aliased)

    def list_type(self, recursion: Any) -> StagedType | None:
        """Return the type of a result that is a list of numbers or arrays, or None for any other result."""
        if self.spec == LEAF:
            return self.parts[0] if isinstance(self.parts[0], ListType) else None
        is_list = self.spec.kind is list and all(part == LEAF for part in self.spec.parts)
        return recursion.backend.type_of(list(self.leaves)) if is_list else None

    def _types(self) -> list[tuple[int, StagedType]]:
        return [(i, p) for i, p in enumerate(self.parts) if not isinstance(p, (Parameter, Plain))]

    @property
    def kinds(self) -> list[StagedType]:
        return [kind for _, kind in self._types()]

    @property
    def values(self) -> list[Any]:
        return [self.leaves[i] for i, _ in self._types()]

    def rebuild(self, outputs: Iterator[Any], leaves: Sequence[Any]) -> list[Any]:
        """Return the leaves of a call's result, given the outputs of the node and the arguments."""
        values = []
        for part in self.parts:
            if isinstance(part, Parameter):
                values.append(leaves[part.index])
            else:
                values.append(part.value if isinstance(part, Plain) else next(outputs))
        return values

    def note_aliases(self, aliases: AliasAnalysis, graph: Graph) -> bool:
        """Find the results that may share memory with an argument. Return whether all were known."""
        arguments = {aliases.alias_set(a) for a in graph.arguments if not is_immutable(a.type)}
        found = {
            i
            for (i, kind), node in zip(self._types(), graph.results, strict=False)
            if not _is_single(kind) and aliases.alias_set(node) in arguments
        }
        is_known = found <= self.aliased
        self.aliased = self.aliased | found
        return is_known


def _is_single(kind: StagedType) -> bool:
    return is_immutable(kind) or (isinstance(kind, ArrayType) and not kind.shape)


def _part(recursion: Any, leaf: Any, arguments: dict[int, int]) -> Any:
    backend = recursion.backend
    if backend.is_handle(leaf):
        if id(leaf) in arguments:
            return Parameter(arguments[id(leaf)])
        if leaf.is_in_scope:
            return Plain(leaf)
    kind = backend.type_of(leaf)
    return Plain(leaf) if kind is None or isinstance(leaf, str) else kind


def _merge(recursion: Any, name: str, known: Any, part: Any, leaf: Any) -> Any:
    if known == part:
        return part
    backend = recursion.backend
    types = []
    for side in (known, part):
        if isinstance(side, Parameter):
            types.append(recursion.kinds[side.index])
        elif isinstance(side, Plain):
            types.append(backend.type_of(side.value))
        else:
            types.append(side)
    try:
        for side, kind in ((known, types[1]), (part, types[0])):
            if kind is not None and side == Plain(None):
                return backend.optional(kind)
            if kind is not None and isinstance(side, Plain) and isinstance(side.value, Undefined):
                return backend.unbound(kind, side.value.error)
        if None in types:
            raise TypeError("a graph selects between numbers and arrays only")
        return merge_types(*types)
    except TypeError as error:
        raise refusal(
            recursion.code,
            f"{name} is {_shown(known)} on one path and {_shown(part)} on another: {error}",
            "return values of one type and number of dimensions",
        ) from None


def _shown(part: Any) -> str:
    return "an argument" if isinstance(part, Parameter) else str(getattr(part, "value", part))


class OuterState:
    """What a recursive function reads and changes outside of itself, and passes from call to call."""

    def __init__(self) -> None:
        self.written_arguments: list[int] = []
        self.handles: list[Any] = []
        """The staged arrays of outer functions that it writes to."""
        self.locations: list[Location] = []
        """The attributes, items and variables of outer functions that it sets."""
        self.captures: list[Node] = []
        """The nodes of the graph around the first call that it reads."""
        self.kinds: list[StagedType] = []
        """The types of the handles, then of the locations."""

    def enter(self, placeholders: Sequence[Any], parent: Builder) -> None:
        """Put the placeholders of a trace in place of the outer values."""
        count = len(self.handles)
        for handle, placeholder in zip(self.handles, placeholders[:count], strict=True):
            handle.write(placeholder)
        for location, placeholder in zip(self.locations, placeholders[count:], strict=True):
            location.set(placeholder)
        for node in self.captures:
            current_builder().capture(node, parent)

    def inputs(self, recursion: Any) -> list[Node]:
        """Return the inputs of a call for the current outer values."""
        current = [handle.node() for handle in self.handles]
        kinds = self.kinds[len(self.handles) :]
        for location, kind in zip(self.locations, kinds, strict=True):
            current.append(recursion.backend.convert(location.get(), kind))
        return [*current, *(current_builder().capture(n, recursion.parent) for n in self.captures)]

    def leave(self, outputs: Iterator[Any]) -> None:
        """Store the outer values that a call leaves."""
        for handle in self.handles:
            handle.write(next(outputs))
        for location in self.locations:
            location.set(next(outputs))

    def values(self, path: Path) -> list[Any]:
        """Return the outer values at the end of a trace."""
        left = {id(place.handle): leaves[0] for place, (leaves, _) in path.values.items() if _is_write(place)}
        slots = {_key(place): leaves[0] for place, (leaves, _) in path.values.items() if not _is_write(place)}
        return [
            *(left[id(handle)] for handle in self.handles), *(slots[_key(place)] for place in self.locations)
        ]  # fmt: skip

    def settle(self, recursion: Any, path: Path, builder: Builder, written: list[int]) -> bool:
        """Add what a trace has used and changed. Return whether it was all known, with its types."""
        before = list(self.written_arguments), list(self.kinds), list(self.captures)
        self.written_arguments = written
        count = len(self.handles)
        handles, locations = self.kinds[:count], self.kinds[count:]
        for place, (leaves, spec) in path.values.items():
            if isinstance(place, Written):
                if not any(place.handle is handle for handle in self.handles):
                    self._check_handle(recursion, place.handle)
                    self.handles.append(place.handle)
                    handles.append(place.handle.type)
                continue
            kind = self._kind_of(recursion, place, leaves, spec)
            known = next((i for i, own in enumerate(self.locations) if _key(own) == _key(place)), None)
            if known is None:
                self.locations.append(place)
                locations.append(kind)
            else:
                locations[known] = merge_types(locations[known], kind)
        self.kinds = [*handles, *locations]
        self.captures = [outer for outer, _ in builder.operands()]
        return before == (self.written_arguments, self.kinds, self.captures)

    def _check_handle(self, recursion: Any, handle: Any) -> None:
        if isinstance(handle.type, (SetType, DictType)):
            raise refusal(
                recursion.code,
                f"it changes {handle.noun} of an outer function",
                "use an array that is indexed by the keys",
            )
        if getattr(handle, "base", None) is not None:
            raise refusal(
                recursion.code,
                "it writes to a view of an array of an outer function",
                "write to the array itself, or pass it as an argument",
            )

    def _kind_of(self, recursion: Any, place: Any, leaves: list[Any], spec: Spec) -> StagedType:
        """Return the type that an outer location has before and after a call."""
        kinds = []
        old = place.get()
        for value in (old, *leaves):
            kind = None if isinstance(value, (Undefined, list)) else recursion.backend.type_of(value)
            kinds.append(bound_type(kind))
        if spec != LEAF or None in kinds or isinstance(place.owner, list):
            raise refusal(
                recursion.code,
                f"it changes {place.name}, which is not a number or an array",
                "return the value instead, or write to an array",
            )
        if any(isinstance(kind, ListType) or kind == ScalarType(str) for kind in kinds):
            raise refusal(recursion.code, f"it changes the list {place.name}", "return a list instead")
        return merge_types(*kinds)


def _is_write(place: Any) -> bool:
    return isinstance(place, Written)


def _key(place: Location) -> tuple[int, Any]:
    owner = place.owner
    if isinstance(owner, DictView):
        owner = owner.kind if isinstance(owner, ClassView) else owner.whole
    return id(owner), place.key
