"""The values that a staged loop carries between iterations, and the fixed point of their types."""

from __future__ import annotations

import functools
import operator
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...backends import staged_by
from ...core.undefined import Undefined
from ...values.alternatives import changed_leaves
from ...values.locations import Location, Path, Written
from ...values.structures import Spec, leaf_paths, unflatten
from .aliases import is_aliased, other_reference, ties
from .container_merging import (
    MergedContainers,
    Value,
    aligned,
    count_of_sources,
    result_with_lists,
    split_results,
)
from .escapes import owner_of
from .growing_lists import stage_list
from .mismatches import (
    Rows,
    described,
    has_alternatives,
    ignored,
    merge_leaves,
    not_in_a_program,
    outlined,
)
from .missing_values import markers, optional_leaves
from .statement import Statement, is_missing, is_part, is_same


def _without_sources(spec: Spec) -> Spec:
    return replace(spec, parts=tuple(map(_without_sources, spec.parts)), sources=())


def _is_none(leaves: Sequence[Any]) -> bool:
    return len(leaves) == 1 and leaves[0] is None


_KEY = re.compile(r"(\w+)\[.*\]")


class CarriedValues:
    """The locations that a loop carries, leaf by leaf, with their types.

    With `keep_plain`, a plain value is carried only if an iteration changes it.
    """

    def __init__(self, statement: Statement, *, keep_plain: bool = False):
        self.statement, self.backend, self.keep_plain = statement, statement.backend, keep_plain
        self.init: dict[Any, Value] = {}
        self.types: dict[Any, list[Any]] = {}
        for variable in statement.variables:
            self.start_from(variable, statement.current(variable))
        self.specs: dict[Any, Spec] = {}
        self.ties: dict[tuple[Any, int], Any] = {}
        self.scalars: set[tuple[Any, int]] = set()
        """The leaves that begin as arrays without dimensions, in whose place an iteration leaves scalars."""
        self.given: dict[Any, Any] = {}

    def start_from(self, location: Any, value: Value) -> None:
        """Carry an initial value. Unbound leaves, and arrays whose contents are carried, get no type."""
        kinds = [None if self.backend.is_handle(leaf) else self.type_of(leaf) for leaf in value[0]]
        self.init[location], self.types[location] = value, kinds

    def type_of(self, leaf: Any) -> Any:
        """Return the type of a leaf, or None if no iteration has to change it.

        It is None for an unbound leaf and for a list, dict, set or deque created before the loop.
        """
        is_untyped = isinstance(leaf, (Undefined, deque, set)) or self.statement.is_from_before(leaf)
        if is_untyped or (self.keep_plain and staged_by(leaf) is None):
            return None
        return self.backend.type_of(leaf)

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
        """Write placeholders or results to the carried locations."""
        leaves = {location: list(old) for location, (old, _) in self.init.items()}
        keep_array = getattr(self.backend, "keep_array", None)
        for (location, i, _), value in zip(self.slots(), values, strict=True):
            leaves[location][i] = value
            if keep_array is not None:
                keep_array(value, self.init[location][0][i], *[None] * ((location, i) in self.scalars))
        share = getattr(self.backend, "share", None)
        for (location, i, _), value in zip(self.slots(), values, strict=True):
            old, is_named = self.init[location][0][i], not isinstance(location, Written)
            if share and is_named and self.backend.is_handle(old) and is_aliased(old, location):
                share(value, "it may be another name for an array created before the loop")
            if share and isinstance(old, np.ndarray):
                value.has_other_name = functools.partial(self.other_name, old, location)
        self.statement.write(
            {location: unflatten(self.spec_of(location), new) for location, new in leaves.items()}
        )

    def other_name(self, old: Any, location: Any) -> str:
        """Describe a reference to a plain array, other than the location that holds it and is replaced."""
        own = getattr(location, "name", "")
        owner = [owner_of(own)] if is_part(location) else []
        return other_reference(old, [own], self.statement.code, without=owner, is_deep=True)

    def spec_of(self, location: Any) -> Spec:
        """Return the structure of a location's value, with the sources of containers that may be selected."""
        spec = self.init[location][1]
        known = self.specs.get(location)
        return known if known == spec else _without_sources(spec)

    def begin(self, *placeholders: Any) -> None:
        """Write placeholders to the carried locations.

        A placeholder is a view in the body if its initial value is a view or an iteration leaves one.
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
                share(places[slot], "it may be another name for an array from an earlier iteration")
                follow(places[slot], array)
        for old, placeholder in zip(self.initial(), placeholders, strict=True):
            getattr(self.backend, "link", ignored)(placeholder, old)
            if is_view(old):
                follow(placeholder, old.base)

    def tie(self, path: Path) -> bool:
        """Record which values are tied in the next iteration; return whether all were already known."""
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
        return self._find_scalars(path) and known

    def _find_scalars(self, path: Path) -> bool:
        """Record which arrays an iteration replaces by scalars; return whether all were already known."""
        is_array, count = getattr(self.backend, "keep_array", None), len(self.scalars)
        if is_array is not None:
            left = zip(self.slots(), self.initial(), self.left(path), strict=True)
            self.scalars |= {
                (location, i)
                for (location, i, _), old, new in left
                if is_array(None, old) > is_array(None, new)
            }
        return len(self.scalars) == count

    def settle(self, path: Path, rows: Rows) -> bool:
        """Widen the types to include the values that one iteration leaves; return whether none changed."""
        settled = True
        found = MergedContainers(self.statement)
        for location, (leaves, spec) in [*path.values.items()]:
            if not settled and isinstance(location, Location) and self._may_depend(location, spec):
                continue  # what has changed before may decide it, in the next iteration
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
            if values[0][1] != self.init[location][1]:  # an iteration replaces a container
                self.start_from(location, values[0])
                settled = False
            path.values[location] = values[1]
            settled &= self.widen_location(location, path, *values[1], rows)
        for location, ((_, spec), _) in found.pairs() if settled else ():
            settled &= count_of_sources(spec) == count_of_sources(self.spec_of(location))
            self.specs[location] = spec  # which containers may be selected in the next iteration
        return settled

    def _may_depend(self, location: Location, spec: Spec) -> bool:
        """Return whether the types of other variables may decide which list or structure is in a location."""
        leaves, before = self.init.get(location) or self.statement.current(location)
        return before != spec or any(hasattr(type(leaf), "append") for leaf in leaves)

    def widen_location(self, location: Any, path: Path, leaves: list[Any], spec: Spec, rows: Rows) -> bool:
        old, old_spec = self.init[location]
        types, named = self.types[location], self.statement.name_of(location)
        if spec != old_spec:
            if self.make_optional(location, (leaves, spec)):
                return False
            if list in (old_spec.kind, spec.kind) and stage_list(self.statement, location):
                self.reset()
                return False
            if is_missing(old) and types == [None]:
                leaves, spec = path.values[location] = result_with_lists(
                    self.backend, location, (leaves, spec)
                )
                self.init[location] = old * len(leaves), spec
                self.types[location] = types = [None] * len(leaves)
                old = self.init[location][0]
            elif is_missing(leaves):
                leaves = leaves * len(old)
            elif both := split_results(self.statement, location, (old, old_spec), (leaves, spec)):
                if both[0][1] != old_spec:
                    self.start_from(location, both[0])
                    return False
                leaves, spec = path.values[location] = both[1]
            else:
                reason = "the structure changes"
                shown = outlined(self.backend, old, old_spec), outlined(self.backend, leaves, spec)
                rows.add(named, *shown, reason, is_missing=_is_none(old))
                if old_spec.kind is spec.kind is dict and set(old_spec.keys) < set(spec.keys):
                    rows.absent.append(f"a key of {named}")
                elif _is_none(old):
                    rows.absent.append(named)
                return True
        settled = True
        for i, (name, leaf) in enumerate(zip(leaf_paths(self.init[location][1], named), leaves, strict=True)):
            if types[i] is None and is_same(old[i], leaf):
                continue
            leaf, previous = changed_leaves(leaf, path.leaf), types[i]
            self.statement.stage_dict(location, old[i], leaf)
            kind = self.widened(location, name, old[i], previous, leaf, rows)
            if kind is not None and kind != previous:
                types[i] = kind
                settled = False
        return settled

    def make_optional(self, location: Any, left: Value) -> bool:
        """Let structures be None that are None before or after an iteration; return whether any are."""
        both = self.statement.apart.unified(self.init[location], left)
        is_always_new = _is_none(self.init[location][0]) and not any(markers(left[1]))
        if both is None or is_always_new:  # after the first iteration, none is None
            return False
        (old, spec), (new, _) = both
        old, types = optional_leaves(self.backend, old, new, spec)
        self.start_from(location, (old, spec))
        self.types[location] = [own or kind for own, kind in zip(types, self.types[location], strict=True)]
        return True

    def widened(self, location: Any, name: str, old: Any, previous: Any, leaf: Any, rows: Rows) -> Any:
        backend = self.backend
        if previous is None:
            count = len(rows.rows)
            found = merge_leaves(backend, name, old, leaf, rows, is_loop=True)
            if len(rows.rows) > count and has_alternatives(backend, location.name):
                del rows.rows[count:]
                kind = backend.alternatives(None, leaf)  # type: ignore[attr-defined]
                return backend.unbound(kind, old.error) if isinstance(old, Undefined) else kind
            if len(rows.rows) > count and (old is None or isinstance(old, Undefined)):
                rows.absent.append(_KEY.sub(r"a key of \1", name))
            return found
        kind = None if isinstance(leaf, Undefined) else backend.type_of(leaf)
        try:
            if isinstance(leaf, Undefined):
                return backend.unbound(previous, leaf.error)
            if leaf is None and self._allows_none(previous):
                return previous
            if kind is None:
                raise TypeError(not_in_a_program(backend, leaf))
            merged = getattr(backend, "widen", backend.merge)(previous, kind)
            getattr(backend, "note_merged", ignored)(merged, old, leaf)
            return merged
        except TypeError as error:
            if has_alternatives(backend, location.name):
                return backend.alternatives(previous, leaf)  # type: ignore[attr-defined]
            is_missing = leaf is None or isinstance(leaf, Undefined)
            rows.add(name, previous, described(backend, leaf), str(error), is_missing=is_missing)
            return None

    def _allows_none(self, kind: Any) -> bool:
        allows = getattr(self.backend, "allows_none", None)
        return allows is not None and allows(kind)

    def reset(self) -> None:
        """Read the initial values again after variables have been reassigned."""
        for location in list(self.init):
            if isinstance(location, Location) and isinstance(location.owner, list):
                del self.init[location], self.types[location]
            elif isinstance(location, Written):
                old = self.init[location][0][0]
                if getattr(old, "origin", None) is not getattr(location.handle, "origin", None):
                    del self.init[location], self.types[location]
            else:
                leaves, spec = self.statement.current(location)
                old, old_spec = self.init[location]
                is_object = any(staged_by(v) and getattr(v, "is_reference", False) for v in leaves)
                if is_object or spec != old_spec or any(map(operator.is_not, leaves, old)):
                    self.start_from(location, (leaves, spec))

    def left(self, path: Path) -> Iterator[Any]:
        """Yield the leaves of the carried locations at the end of an iteration."""
        for location, i, _ in self.slots():
            leaves = path.values[location][0] if location in path.values else self.init[location][0]
            yield leaves[min(i, len(leaves) - 1)]

    def results(self, path: Path) -> list[Any]:
        return [changed_leaves(leaf, path.leaf) for leaf in self.left(path)]
