"""What a called graph returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.in_flight import SKIPPED
from ...core.undefined import Undefined
from ...errors.recursion import refusal
from ...staging.state.missing_values import unified
from ...staging.state.statement import Statement
from ...values.locations import Path
from ...values.structures import LEAF, Spec, leaf_paths, object_attributes, unflatten
from ..ir.alias_analysis import AliasAnalysis, is_immutable
from ..ir.graph import Graph
from ..ir.type_merging import merge_types
from ..ir.types import ArrayType, ListType, StagedType


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
    is_left: bool = False
    """Whether each path raises an exception that a `try` may catch."""

    @classmethod
    def of(cls, recursion: Any, statement: Statement, path: Path, arguments: dict[int, int]) -> Results:
        """Return the results of a trace, merged with those that it assumed."""
        if path.capture.raised is not None:
            return cls(LEAF, [Plain(None)], [None], returns=False)
        if path.result is SKIPPED:
            return recursion.results or cls(LEAF, [Plain(None)], [None], is_left=True)
        leaves, spec = statement.flatten(path.result)
        leaves = [path.leaf(leaf) for leaf in leaves]
        parts = [part_of(recursion, leaf, arguments) for leaf in leaves]
        known = recursion.results
        if known is None or not known.returns or known.is_left:
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
            parts = [part_of(recursion, leaf, arguments) for leaf in leaves]
            given = [part_of(recursion, leaf, arguments) for leaf in before]
            known = cls(spec, given, before, known.aliased)
        names = leaf_paths(spec, "its result")
        merged = [
            merged_part(recursion, *item) for item in zip(names, known.parts, parts, leaves, strict=True)
        ]
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
            if not is_single(kind) and aliases.alias_set(node) in arguments
        }
        is_known = found <= self.aliased
        self.aliased = self.aliased | found
        return is_known


def is_single(kind: StagedType) -> bool:
    """Return whether values of a type have no memory that another name can write to."""
    return is_immutable(kind) or (isinstance(kind, ArrayType) and not kind.shape)


def part_of(recursion: Any, leaf: Any, arguments: dict[int, int]) -> Any:
    """Return what is known of a leaf: its type, that it is an argument, or that it is always the same."""
    backend = recursion.backend
    if backend.is_handle(leaf):
        if id(leaf) in arguments:
            return Parameter(arguments[id(leaf)])
        if leaf.is_in_scope:
            return Plain(leaf)
    kind = backend.type_of(leaf)
    return Plain(leaf) if kind is None or isinstance(leaf, str) else kind


def merged_part(recursion: Any, name: str, known: Any, part: Any, leaf: Any) -> Any:
    """Return what is known of a leaf on two paths. `leaf` is the one on the second path."""
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
    if isinstance(part, Plain):
        return f"a {type(part.value).__name__}" if object_attributes(part.value) else str(part.value)
    return "an argument" if isinstance(part, Parameter) else str(part)
