"""The plain state that a program depends on, besides its arguments, and whether it is still the same."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ...backends import BACKENDS
from ...values.locations import ClassView, DictView, Location, has_contents, read_contents, slot_names
from .surroundings import Surroundings

_COMPARED = (int, float, complex, bool, str, bytes, range, slice)
_MISSING = object()
Slots = Mapping[Any, Any]


class OuterState(Surroundings):
    """A snapshot of the plain state that the code of `roots` may read.

    Arrays are listed in `arrays` with their locations instead of being compared: a program reads them when
    it runs.
    """

    def __init__(self, roots: Iterable[Any], module: type, ignored: Collection[str]):
        """Take the snapshot. Libraries may read attributes of `module` instances, except those `ignored`."""
        self.arrays: dict[int, Any] = {}
        """The arrays found, by id."""
        self.modules: list[Any] = []
        self._module, self._ignored = module, ignored
        super().__init__(roots, own=())
        self.locations: dict[int, list[Location]] = {}
        """The locations of each array, by its id."""
        for owner, contents in self._saved:
            for key, value in self._slots(owner, contents):
                if id(value) in self.arrays:
                    self.locations.setdefault(id(value), []).append(Location(owner, key))

    def _is_skipped(self, value: Any) -> bool:
        if BACKENDS[type(value)] is not None:
            self.arrays[id(value)] = value
            return True
        return super()._is_skipped(value)

    def _visit(self, value: Any) -> Iterable[Any]:
        if not isinstance(value, self._module):
            return super()._visit(value)
        self._alive.append(value)
        self.modules.append(value)
        contents = dict(read_contents(value))
        self._saved.append((value, contents))
        return [type(value), *(v for k, v in contents.items() if k not in self._ignored)]

    def _slots(self, owner: Any, contents: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the keys and values of an owner that code may read: it names attributes and globals."""
        if isinstance(owner, list):
            yield from enumerate(contents[None])
        elif isinstance(owner, (types.CellType, dict)) and not isinstance(owner, DictView):
            yield from contents.items()
        elif isinstance(owner, self._module):
            yield from ((k, v) for k, v in contents.items() if k not in self._ignored)
        else:
            yield from ((k, v) for k, v in contents.items() if k in self._names)

    def new_values(self) -> list[tuple[Location, Any, Any]]:
        """Return the slots that have changed, with their initial and their current values."""
        return [*self._changed_slots()]

    def _changed_slots(self) -> Iterator[tuple[Location, Any, Any]]:
        """Yield the changed slots that code names: compilers add other globals to modules."""
        for change in super()._changed_slots():
            slot = change[0]
            if not isinstance(slot.owner, DictView) or slot.key in self._names:
                yield change

    def make_check(self) -> Callable[..., bool]:
        """Return a function that tells whether the state is as it was. Arrays may differ but not in type."""
        equal: list[tuple[Slots, Any, Any]] = []
        identical: list[tuple[Slots, Any, Any]] = []
        kinds: list[tuple[Slots, Any, type]] = []
        lengths: list[tuple[Any, int]] = []
        for owner, contents in self._saved:
            live = _live(owner)
            if not isinstance(owner, (DictView, types.CellType)):
                lengths.append((live, len(contents[None] if isinstance(owner, list) else contents)))
            for key, value in self._slots(owner, contents):
                if id(value) in self.arrays:
                    kinds.append((live, key, type(value)))
                else:
                    (equal if isinstance(value, _COMPARED) else identical).append((live, key, value))
        pairs = [
            ((_live(first.owner), first.key), (_live(other.owner), other.key))
            for first, *others in self.locations.values()
            for other in others
        ]
        whole, is_same = self._whole, self._is_same_whole

        def check(*_: Any) -> bool:
            for live, key, value in equal:
                now = live.get(key, _MISSING)
                if now is not value and (type(now) is not type(value) or now != value):
                    return False
            for live, key, value in identical:
                if live.get(key, _MISSING) is not value:
                    return False
            for live, key, kind in kinds:
                if type(live.get(key, _MISSING)) is not kind:
                    return False
            for live, count in lengths:
                if len(live) != count:
                    return False
            for (live, key), (other, name) in pairs:
                if live.get(key) is not other.get(name):
                    return False
            return not whole or is_same()

        return check

    def _is_same_whole(self) -> bool:
        return not self.changed()


class _Attributes:
    """The attributes of an object, those in slots included, as a mapping."""

    def __init__(self, owner: Any):
        self.owner = owner
        self.names = [n for kind in type(owner).__mro__ for n in slot_names(kind)]

    def get(self, key: str, default: Any = None) -> Any:
        return getattr(self.owner, key, default)

    def __len__(self) -> int:
        own = getattr(self.owner, "__dict__", ())
        return len(own) + sum(hasattr(self.owner, n) for n in self.names)


class _Items:
    """The items of a list or the contents of a cell, as a mapping."""

    def __init__(self, owner: Any):
        self.owner = owner

    def get(self, key: Any, default: Any = None) -> Any:
        if isinstance(self.owner, types.CellType):
            return self.owner.cell_contents if has_contents(self.owner) else default
        return self.owner[key] if key < len(self.owner) else default

    def __len__(self) -> int:
        return len(self.owner)


def _live(owner: Any) -> Any:
    """Return a mapping of the current contents of an owner of locations."""
    if isinstance(owner, ClassView):
        return vars(owner.kind)
    if isinstance(owner, DictView):
        return owner.whole
    if isinstance(owner, dict):
        return owner
    if isinstance(owner, (list, types.CellType)):
        return _Items(owner)
    has_slots = any(slot_names(kind) for kind in type(owner).__mro__)
    return _Attributes(owner) if has_slots else vars(owner)
