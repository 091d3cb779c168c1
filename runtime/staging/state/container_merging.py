"""The lists and dicts that a statement found: which one a location leads to afterwards.

Where both paths leave the same one in a place, the place keeps it, and what it holds is merged in its own
slots: all its names see that. Else the place gets a new one. If something else leads to one of those that it
may be in Python, it is `chosen`: it can be read, and not be written.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from .. import chosen
from ..slots import Slot, contents_of
from ..structures import Spec, specs_in, spread, unflatten, with_sources_of
from .aliases import other_way
from .kept import owner_of
from .statement import Path, Statement, Variable, is_missing, is_part

Value: TypeAlias = tuple[list[Any], Spec]


def aligned(statement: Statement, values: Sequence[Value], paths: Sequence[Path | None]) -> list[Value]:
    """Two values; those lists and dicts are taken apart that are not the same in one place of both."""
    values = list(values)
    while True:
        (a, first), (b, second) = values
        clash = {id(v) for v in _clashing(first, second, iter(a), iter(b)) if statement.is_found(v)}
        if not clash:
            return values
        for i, path in enumerate(paths):

            def parts_of(leaf: Any, path: Path | None = path, clash: set[int] = clash) -> Value | None:
                return _contents(statement, leaf, path) if id(leaf) in clash else None

            values[i] = spread(*values[i], parts_of)


def _clashing(first: Spec, second: Spec, a: Iterator[Any], b: Iterator[Any]) -> Iterator[Any]:
    """The leaves that have no equal in the other value."""
    if first.kind is not None and second.kind is not None and len(first.parts) == len(second.parts):
        for one, other in zip(first.parts, second.parts, strict=True):
            yield from _clashing(one, other, a, b)
        return
    left, right = _leaves_of(first, a), _leaves_of(second, b)
    for spec, own, others in ((first, left, right), (second, right, left)):
        if spec.kind is None and not (len(others) == 1 and own[0] is others[0]):
            yield own[0]


def _leaves_of(spec: Spec, leaves: Iterator[Any]) -> list[Any]:
    return [next(leaves) for part in specs_in(spec) if part.kind is None]


def _contents(statement: Statement, found: Any, path: Path | None) -> Value:
    """What a list or dict holds at the end of a path, or before the statement."""
    left = {} if path is None else path.values
    if isinstance(found, chosen.Chosen):
        if path is not None and any(found is stale for stale in path.stale):
            raise found.stale_error()
        copy: Any = dict if isinstance(found, dict) else list
        leaves, spec = statement.flatten(copy(found))
        return leaves, replace(spec, sources=found.sources)
    if isinstance(found, list):
        slot = Slot(found, None)
        leaves, spec = left.get(slot) or statement.current(slot)
    else:
        now = dict(found)
        for location, (leaves, spec) in left.items():
            if isinstance(location, Slot) and location.owner is found:
                now[location.key] = unflatten(spec, leaves)
                if is_missing(leaves):
                    del now[location.key]
        leaves, spec = statement.flatten(now)
    return leaves, replace(spec, sources=(found,))


class Found:
    """The values that the locations of a statement have on two paths, and the lists and dicts in them."""

    def __init__(self, statement: Statement):
        self.statement = statement
        self._pairs: dict[Any, tuple[list[Value], list[Value]]] = {}

    def add(self, location: Any, left: list[Value], aligned: list[Value]) -> None:
        """What the two paths leave in a location, as it is and aligned."""
        self._pairs[location] = left, aligned

    def pairs(self) -> Iterator[tuple[Any, list[Value]]]:
        """The aligned values of each location, with the sources that they need."""
        takers: dict[int, list[Any]] = {}
        sources: dict[int, Any] = {}
        for location, (_, values) in self._pairs.items():
            for source in _sources(spec for _, spec in values):
                sources[id(source)] = source
                takers.setdefault(id(source), []).append(location)
        kept = {key for key, source in sources.items() if self._is_shared(source, takers[key])}
        for location, (_, ((a, first), (b, second))) in self._pairs.items():
            if sources and first == second:
                first = second = _only(with_sources_of(first, second), kept)
            elif sources:
                first, second = _only(first, kept), _only(second, kept)
            yield location, [(a, first), (b, second)]

    def _is_shared(self, source: Any, takers: list[Any]) -> bool:
        """Whether more leads to a list or dict than what gets another one in its place."""
        if source is chosen.TIED or self._times(source) > 1:
            return True
        statement = self.statement
        own = [place.name for place in takers if isinstance(place, Variable)] + _over(statement)
        owners = [place.owner for place in takers if isinstance(place, Slot)]
        owners += [owner_of(place.name) for place in takers if is_part(place)]
        if any(sum(v is source for v in _held(owner)) > 1 for owner in owners):
            return True
        before = [statement.before[place.index] for place in takers if place in statement.variables]
        owners += [value for value in before if isinstance(value, chosen.Chosen)]
        is_given = getattr(statement.backend, "is_given", None)
        if is_given is not None and not is_given(source):
            return True
        return bool(other_way(source, own, statement.code, without=owners, is_deep=True))

    def _times(self, source: Any) -> int:
        """In how many places one of the paths leaves it."""
        times = [0, 0]
        for location, (left, _) in self._pairs.items():
            for side, (leaves, _) in enumerate(left):
                times[side] += not is_part(location) and sum(leaf is source for leaf in leaves)
        return max(times)


def _over(statement: Statement) -> list[str]:
    """The variables that the statement sets, and that nobody reads afterwards."""
    codes = [f.__code__ for f in statement.closures if hasattr(f, "__code__")]
    stored = {i.argval for code in codes for i in dis.get_instructions(code) if i.opname == "STORE_DEREF"}
    return [name for name in stored if name not in statement.names]


def _sources(specs: Iterable[Spec]) -> list[Any]:
    return [source for spec in specs for part in specs_in(spec) for source in part.sources]


def _held(owner: Any) -> Iterable[Any]:
    return owner if isinstance(owner, list) else contents_of(owner).values()


def _only(spec: Spec, kept: set[int]) -> Spec:
    """A spec without the sources that are not kept."""
    parts = tuple([_only(part, kept) for part in spec.parts])
    return replace(spec, parts=parts, sources=tuple([s for s in spec.sources if id(s) in kept]))


def count_of_sources(spec: Spec) -> int:
    return len(_sources([spec]))
