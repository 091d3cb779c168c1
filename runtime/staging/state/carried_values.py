"""What a staged loop carries from round to round, and the types that this settles on."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..slots import Slot
from ..structures import Spec, paths, unflatten
from ..undefined import Undefined
from .aliases import ties
from .found import Found, Value, aligned, count_of_sources
from .grown import stage_list
from .mismatches import Rows, described, not_in_a_program, outlined
from .statement import (
    Path,
    Statement,
    Variable,
    Written,
    is_aliased,
    is_missing,
    is_same,
    merge_leaves,
)


def _without_sources(spec: Spec) -> Spec:
    return replace(spec, parts=tuple(map(_without_sources, spec.parts)), sources=())


_KEY = re.compile(r"(\w+)\[.*\]")


class Carried:
    """The locations that a loop carries, leaf by leaf, and the types that they settle on."""

    def __init__(self, statement: Statement):
        self.statement, self.backend = statement, statement.backend
        self.init: dict[Any, tuple[list[Any], Spec]] = {v: statement.current(v) for v in statement.variables}
        self.types: dict[Any, list[Any]] = {}
        for location, (leaves, _) in self.init.items():
            self.types[location] = [self.first_type(leaf) for leaf in leaves]
        self.specs: dict[Any, Spec] = {}
        self.ties: dict[tuple[Any, int], Any] = {}
        self.given: dict[Any, Any] = {}

    def first_type(self, leaf: Any) -> Any:
        """None for what is not carried: no value as yet, or an array whose contents may be, not its name."""
        if isinstance(leaf, Undefined) or self.backend.is_handle(leaf):
            return None
        return self.type_of(leaf)

    def type_of(self, leaf: Any) -> Any:
        """None for a list or dict that was there before, too: what it holds may be carried."""
        return None if self.statement.is_found(leaf) else self.backend.type_of(leaf)

    def slots(self) -> Iterator[tuple[Any, int, Any]]:
        for location, types in self.types.items():
            for i, kind in enumerate(types):
                if kind is not None:
                    yield location, i, kind

    def arguments(self) -> list[Any]:
        return [kind for _, _, kind in self.slots()]

    def initial(self) -> list[Any]:
        return [self.init[location][0][i] for location, i, _ in self.slots()]

    def enter(self, values: Sequence[Any]) -> None:
        """Put placeholders, or results, where the loop's values are."""
        leaves = {location: list(old) for location, (old, _) in self.init.items()}
        for (location, i, _), value in zip(self.slots(), values, strict=True):
            leaves[location][i] = value
        share = getattr(self.backend, "share", None)
        for (location, i, _), value in zip(self.slots(), values, strict=True):
            if share is not None and not isinstance(location, Written):
                old = self.init[location][0][i]
                if self.backend.is_handle(old) and is_aliased(old, location):
                    share(value, "it may be another name of an array from before the loop")
        self.statement.write(
            {location: unflatten(self.spec_of(location), new) for location, new in leaves.items()}
        )

    def spec_of(self, location: Any) -> Spec:
        """What a location's value is made of: a list that may be another one in Python is chosen."""
        spec = self.init[location][1]
        known = self.specs.get(location)
        return known if known == spec else _without_sources(spec)

    def begin(self, placeholders: Sequence[Any]) -> None:
        """Put placeholders where the loop's values are; one that starts as a view, or that a round leaves as
        one, is one in the body.
        """
        self.enter(placeholders)
        self.given = {slot[0]: value for slot, value in zip(self.slots(), placeholders, strict=True)}
        share, is_view, follow = (getattr(self.backend, n, None) for n in ("share", "is_view", "follow"))
        if share is None or is_view is None or follow is None:
            return
        places = {
            (location, i): value for (location, i, _), value in zip(self.slots(), placeholders, strict=True)
        }
        for slot, tied in self.ties.items():
            array = places.get(tied) if isinstance(tied, tuple) else tied
            if slot in places:
                share(places[slot], "it may be another name of an array, from a round before")
                follow(places[slot], array)
        for old, placeholder in zip(self.initial(), placeholders, strict=True):
            if is_view(old):
                follow(placeholder, old.base)

    def tie(self, path: Path) -> bool:
        """Note which values are tied in the next round; whether that was known."""
        slots = [(location, i) for location, i, _ in self.slots()]
        left = [
            None if isinstance(location, Written) else leaf
            for (location, _), leaf in zip(slots, self.left(path), strict=True)
        ]
        found = {
            slots[i]: slots[tied] if isinstance(tied, int) else tied
            for i, tied in ties(self.backend, left, self.statement.code).items()
        }
        known = found.keys() <= self.ties.keys()
        self.ties.update(found)
        return known

    def settle(self, path: Path, rows: Rows) -> bool:
        """Widen the types to what one iteration leaves; whether they held already."""
        settled = True
        found = Found(self.statement)
        for location, (leaves, spec) in [*path.values.items()]:
            if not settled and isinstance(location, Slot):
                break
            if location not in self.init:
                old, old_spec = self.statement.current(location)
                if old_spec == spec and all(is_same(a, b) for a, b in zip(old, leaves, strict=True)):
                    continue
                self.init[location] = old, old_spec
                self.types[location] = [self.type_of(leaf) for leaf in old]
                settled = False
            left = [self.init[location], path.values[location]]
            values = aligned(self.statement, left, (None, path))
            found.add(location, left, values)
            settled &= self.take_apart(location, values[0])
            path.values[location] = values[1]
            settled &= self.settle_location(location, path, *values[1], rows)
        return settled and self.choose(found)

    def take_apart(self, location: Any, value: Value) -> bool:
        """Carry what a list or dict holds where a round leaves another in its place; whether it was so."""
        if value[1] == self.init[location][1]:
            return True
        self.init[location] = value
        self.types[location] = [self.first_type(leaf) for leaf in value[0]]
        return False

    def choose(self, found: Found) -> bool:
        """Note which lists and dicts of the next round may be others in Python; whether that was known."""
        settled = True
        for location, ((_, spec), _) in found.pairs():
            settled &= count_of_sources(spec) == count_of_sources(self.spec_of(location))
            self.specs[location] = spec
        return settled

    def settle_location(self, location: Any, path: Path, leaves: list[Any], spec: Spec, rows: Rows) -> bool:
        old, old_spec = self.init[location]
        types, named = self.types[location], self.statement.name_of(location)
        if spec != old_spec:
            if list in (old_spec.kind, spec.kind) and stage_list(self.statement, location):
                self.begin_again()
                return False
            if is_missing(old) and types == [None]:
                self.init[location] = old * len(leaves), spec
                self.types[location] = types = [None] * len(leaves)
                old = self.init[location][0]
            elif is_missing(leaves):
                leaves = leaves * len(old)
            else:
                reason = "the structure changes"
                shown = outlined(self.backend, old, old_spec), outlined(self.backend, leaves, spec)
                rows.add(named, *shown, reason, is_missing=old == [None])
                if old_spec.kind is spec.kind is dict and set(old_spec.keys) < set(spec.keys):
                    rows.absent.append(f"a key of {named}")
                elif old == [None]:
                    rows.absent.append(named)
                return True
        settled = True
        for i, (name, leaf) in enumerate(zip(paths(self.init[location][1], named), leaves, strict=True)):
            if types[i] is None and is_same(old[i], leaf):
                continue
            leaf, previous = path.leaf(leaf), types[i]
            kind = self.widened(name, old[i], previous, leaf, rows)
            if kind is not None and kind != previous:
                types[i] = kind
                settled = False
        return settled

    def widened(self, name: str, old: Any, previous: Any, leaf: Any, rows: Rows) -> Any:
        backend = self.backend
        if previous is None:
            count = len(rows.rows)
            found = merge_leaves(backend, name, old, leaf, rows)
            if len(rows.rows) > count and (old is None or isinstance(old, Undefined)):
                rows.absent.append(_KEY.sub(r"a key of \1", name))
            return found
        kind = None if isinstance(leaf, Undefined) else backend.type_of(leaf)
        try:
            if isinstance(leaf, Undefined):
                return backend.unbound(previous, leaf.error)
            if kind is None:
                raise TypeError(not_in_a_program(backend, leaf))
            return getattr(backend, "widen", backend.merge)(previous, kind)
        except TypeError as error:
            rows.add(
                name,
                previous,
                described(backend, leaf),
                str(error),
                is_missing=leaf is None or isinstance(leaf, Undefined),
            )
            return None

    def begin_again(self) -> None:
        """The variables hold other values now."""
        for location in list(self.init):
            if isinstance(location, Variable):
                leaves, spec = self.statement.current(location)
                old, old_spec = self.init[location]
                if spec != old_spec or any(map(operator.is_not, leaves, old)):
                    self.init[location] = leaves, spec
                    self.types[location] = [self.first_type(leaf) for leaf in leaves]
            elif isinstance(location, Slot) and isinstance(location.owner, list):
                del self.init[location], self.types[location]

    def left(self, path: Path) -> Iterator[Any]:
        """What a round leaves in the places of what is carried."""
        for location, i, _ in self.slots():
            leaves = path.values[location][0] if location in path.values else self.init[location][0]
            yield leaves[min(i, len(leaves) - 1)]

    def results(self, path: Path) -> list[Any]:
        return [path.leaf(leaf) for leaf in self.left(path)]
