"""Merge locations that contain lists and dicts created before a statement.

If both paths leave the same container in a location, the location keeps it. Its contents are merged in
their own slots, so every name sees the result. Otherwise the location gets a new container. If something else
refers to one of the containers that Python would have left there, the new one is a selected container: it can
be read but not written.
"""

from __future__ import annotations

import dis
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ...backends import Backend
from ...core.closures import never
from ...errors import AliasError
from ...values import selected_container
from ...values.alternatives import Part, split
from ...values.locations import Location, Path, Variable, read_contents
from ...values.structures import LEAF, Spec, flatten_leaves, merge_sources, unflatten, walk_specs
from .aliases import other_reference
from .escapes import is_local_result, owner_of
from .mismatches import has_alternatives
from .statement import Statement, is_missing, is_part

Value: TypeAlias = tuple[list[Any], Spec]


def aligned(statement: Statement, values: Sequence[Value], paths: Sequence[Path | None]) -> list[Value]:
    """Return two values in which containers that differ between the paths are flattened."""
    values = list(values)
    is_kept = getattr(statement.backend, "holds_optional_lists", False)
    is_kept = is_kept and any(is_missing(leaves) for leaves, _ in values)
    while True:
        (a, first), (b, second) = values
        clashing = [v for v in _clashing(first, second, iter(a), iter(b)) if statement.is_from_before(v)]
        if not clashing or (is_kept and all(type(v) is list for v in clashing)):
            return values
        clash = {*map(id, clashing)}
        for i, path in enumerate(paths):

            def parts_of(leaf: Any, path: Path | None = path, clash: set[int] = clash) -> Value | None:
                return _contents(statement, leaf, path) if id(leaf) in clash else None

            values[i] = flatten_leaves(*values[i], parts_of)


def split_results(
    statement: Statement, location: Any, first: Value, second: Value
) -> tuple[Value, Value] | None:
    """Return what two paths leave as the result of a function in one structure, which has parts that differ.

    Return None if the location is no result, or the backend has no such results.
    """
    backend: Any = statement.backend
    if not has_alternatives(backend, location.name):
        return None
    both = split(first, second)
    sources = [s for leaves, _ in both for leaf in leaves if isinstance(leaf, Part) for s in leaf.sources]
    if any(source is selected_container.ALIASED_SOURCE for source in sources):
        return None
    for source in sources:
        if not is_local_result(source, location):
            backend.keep_unchanged(source, _changed_error(source))
    return both


def collapsed(backend: Backend, first: Value, second: Value) -> tuple[Value, Value] | None:
    """Return two values in one structure, where unlike lists, sets and dicts are leaves, or None.

    The leaves are the containers themselves, which the backend can hold.
    """
    rest = iter(first[0]), iter(second[0])
    leaves: tuple[list[Any], list[Any]] = [], []
    has_none = getattr(backend, "holds_optional_lists", False)

    def walk(one: Spec, other: Spec) -> Spec | None:
        is_alike = one.kind is other.kind and one.keys == other.keys and len(one.parts) == len(other.parts)
        if one.kind is not None and is_alike:
            parts = [walk(*pair) for pair in zip(one.parts, other.parts, strict=True)]
            return None if None in parts else replace(one, parts=tuple(parts))  # type: ignore[arg-type]
        for spec, values, found in zip((one, other), rest, leaves, strict=True):
            found.append(unflatten(spec, [next(values) for part in walk_specs(spec) if part.kind is None]))
        pair = leaves[0][-1], leaves[1][-1]
        is_held = [(v is None and has_none) or backend.type_of(v) is not None for v in pair]
        return LEAF if is_alike or (all(is_held) and any(type(v) in _COLLAPSIBLE for v in pair)) else None

    spec = walk(first[1], second[1])
    return None if spec is None else ((leaves[0], spec), (leaves[1], spec))


def result_with_lists(backend: Any, location: Any, value: Value) -> Value:
    """Return the result of a function on one of two paths, of which the other returns nothing yet.

    Its lists are leaves if the trace needs that: a later path may return a list of staged length.
    """
    is_needed = getattr(backend, "is_needed", never)
    if not (is_needed("lists in results") and has_alternatives(backend, location.name)):
        return value
    rest, leaves = iter(value[0]), []

    def walk(spec: Spec) -> Spec:
        if spec.kind is None:
            leaves.append(next(rest))
            return spec
        if spec.kind is not list:
            return replace(spec, parts=tuple(map(walk, spec.parts)))
        inner = [next(rest) for part in walk_specs(spec) if part.kind is None]
        whole = unflatten(spec, inner)
        if spec.sources or backend.type_of(whole) is None:
            leaves.extend(inner)
            return spec
        leaves.append(whole)
        return LEAF

    spec = walk(value[1])
    return leaves, spec


_COLLAPSIBLE = (list, dict, Counter, defaultdict)
"""The containers that have leaves, unless they are older than a statement."""


def _changed_error(value: Any) -> AliasError:
    kind = type(value).__name__
    return AliasError(
        f"a {kind} that is returned on one of two paths is changed afterwards",
        why="the results of the paths have unlike structures, so each holds the contents of that moment",
        remedy=f"return a copy: {kind}(...)",
    )


def _clashing(first: Spec, second: Spec, a: Iterator[Any], b: Iterator[Any]) -> Iterator[Any]:
    """Yield the leaves without an identical counterpart in the other value."""
    if first.kind is not None and second.kind is not None and len(first.parts) == len(second.parts):
        for one, other in zip(first.parts, second.parts, strict=True):
            yield from _clashing(one, other, a, b)
        return
    left, right = _leaves_of(first, a), _leaves_of(second, b)
    if not (len(left) == len(right) == 1 and left[0] is right[0]):
        yield from (*left, *right)


def _leaves_of(spec: Spec, leaves: Iterator[Any]) -> list[Any]:
    return [next(leaves) for part in walk_specs(spec) if part.kind is None]


def _contents(statement: Statement, found: Any, path: Path | None) -> Value:
    """Return a container's contents at the end of a path, or before the statement if `path` is None."""
    left = {} if path is None else path.values
    if isinstance(found, selected_container.SelectedContainer):
        if path is not None and any(found is stale for stale in path.stale):
            raise found.stale_error()
        copy: Any = dict if isinstance(found, dict) else list
        leaves, spec = statement.flatten(copy(found))
        return leaves, replace(spec, sources=found.sources)
    if isinstance(found, list):
        slot = Location(found, None)
        leaves, spec = left.get(slot) or statement.current(slot)
    else:
        now = dict(found)
        for location, (leaves, spec) in left.items():
            if isinstance(location, Location) and location.owner is found:
                now[location.key] = unflatten(spec, leaves)
                if is_missing(leaves):
                    del now[location.key]
        leaves, spec = statement.flatten(now)
    return leaves, replace(spec, sources=(found,))


class MergedContainers:
    """The values of a statement's locations on two paths, and the containers in them."""

    def __init__(self, statement: Statement):
        self.statement = statement
        self._pairs: dict[Any, tuple[list[Value], list[Value]]] = {}

    def add(self, location: Any, left: list[Value], aligned: list[Value]) -> None:
        self._pairs[location] = left, aligned

    def pairs(self) -> Iterator[tuple[Any, list[Value]]]:
        """Yield the aligned values of each location, with only the sources that something else refers to."""
        takers: dict[int, list[Any]] = {}
        sources: dict[int, Any] = {}
        for location, (_, values) in self._pairs.items():
            for source in _sources(spec for _, spec in values):
                sources[id(source)] = source
                takers.setdefault(id(source), []).append(location)
        kept = {key for key, source in sources.items() if self._is_shared(source, takers[key])}
        for location, (_, ((a, first), (b, second))) in self._pairs.items():
            if sources and first == second:
                first = second = _with_sources(merge_sources(first, second), kept)
            elif sources:
                first, second = _with_sources(first, kept), _with_sources(second, kept)
            yield location, [(a, first), (b, second)]

    def _is_shared(self, source: Any, takers: list[Any]) -> bool:
        """Return whether anything but the replaced locations refers to a container."""
        if source is selected_container.ALIASED_SOURCE or self._count_of(source) > 1:
            return True
        if all(is_local_result(source, place) for place in takers):
            return False
        statement = self.statement
        own = [place.name for place in takers if isinstance(place, Variable)] + _unread_variables(statement)
        owners = [place.owner for place in takers if isinstance(place, Location)]
        owners += [owner_of(place.name) for place in takers if is_part(place)]
        if any(sum(v is source for v in _contained_values(owner)) > 1 for owner in owners):
            return True
        before = [statement.before[place.index] for place in takers if place in statement.variables]
        owners += [value for value in before if isinstance(value, selected_container.SelectedContainer)]
        is_given = getattr(statement.backend, "is_given", None)
        if is_given is not None and not is_given(source):
            return True
        return bool(other_reference(source, own, statement.code, without=owners, is_deep=True))

    def _count_of(self, source: Any) -> int:
        """Return the largest number of locations in which one path leaves a container."""
        times = [0, 0]
        for location, (left, _) in self._pairs.items():
            for side, (leaves, _) in enumerate(left):
                times[side] += not is_part(location) and sum(leaf is source for leaf in leaves)
        return max(times)


def _unread_variables(statement: Statement) -> list[str]:
    """Return the variables that the statement binds but that nothing reads afterwards."""
    codes = [f.__code__ for f in statement.closures if hasattr(f, "__code__")]
    stored = {i.argval for code in codes for i in dis.get_instructions(code) if i.opname == "STORE_DEREF"}
    return [name for name in stored if name not in statement.names]


def _sources(specs: Iterable[Spec]) -> list[Any]:
    return [source for spec in specs for part in walk_specs(spec) for source in part.sources]


def _contained_values(owner: Any) -> Iterable[Any]:
    return owner if isinstance(owner, list) else read_contents(owner).values()


def _with_sources(spec: Spec, kept: set[int]) -> Spec:
    """Return a spec with only those sources whose ids are in `kept`."""
    parts = tuple([_with_sources(part, kept) for part in spec.parts])
    return replace(spec, parts=parts, sources=tuple([s for s in spec.sources if id(s) in kept]))


def count_of_sources(spec: Spec) -> int:
    return len(_sources([spec]))
