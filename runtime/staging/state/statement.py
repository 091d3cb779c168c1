"""One staged statement: the locations that it may change, and what a captured closure leaves in them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from .. import chosen
from ..backends import BACKENDS, Backend, Capture
from ..errors import StagedRecursionError
from ..heap import Heap, watched
from ..side_effects import notice_moved
from ..slots import Slot
from ..structures import LEAF, Spec, is_changeable
from ..tracebacks import is_ours
from ..undefined import Undefined
from .aliases import other_way, user_variables
from .apart import Apart, TakenApart
from .mismatches import TWO_MEMBERS, Rows, described, not_in_a_program
from .recursion import one_cycle, raise_if_endless, too_deep
from .refused import changed

MAX_RECURSION = 40


class _Depths(threading.local):
    """How often this thread is tracing a closure."""

    def __init__(self) -> None:
        self.counts: dict[Any, int] = {}


_depths = _Depths()


class AlwaysRaises(BaseException):
    """Ends a trace at a point that no path reaches: every one has raised before."""


class Restage(BaseException):
    """Ends a capture that wrote to plain arrays: they have to be staged first."""

    def __init__(self, changed: list[Any]):
        self.changed = changed


@dataclass(frozen=True)
class Variable:
    """The n-th symbol of a statement's state."""

    index: int
    name: str


@dataclass(frozen=True)
class Written:
    """The contents of a staged value that is written in place."""

    handle: Any

    def __hash__(self) -> int:
        return id(self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Written) and self.handle is other.handle

    @property
    def name(self) -> str:
        return self.handle.name


@dataclass
class Path:
    """What one captured closure leaves: a value for each location that it changed."""

    capture: Capture
    values: dict[Any, tuple[list[Any], Spec]]
    result: Any = None
    raw: dict[Any, Any] = field(default_factory=dict)
    seen: list[tuple[Any, Any]] = field(default_factory=list)
    changed: list[Any] = field(default_factory=list)
    stale: list[Any] = field(default_factory=list)

    def leaf(self, value: Any) -> Any:
        """A value as the path leaves it, if it, or what it is a view of, was written in place there."""
        left = (*self.capture.writes, *self.seen)
        return next((new for handle, new in left if handle is value), value)


class Statement:
    """The locations of one staged statement, and how to read and write them."""

    def __init__(
        self,
        backend: Backend,
        closures: Sequence[Any],
        accessors: tuple,
        names: Sequence[str],
        *,
        is_expression: bool = False,
    ):
        self.backend = backend
        self.closures = closures
        self.get_state, self.set_state = accessors
        self.names = names
        self.staged_lists: list[list[Any]] = []
        self.apart = Apart()
        self.before: tuple = self.get_state()
        own = [] if is_expression else [*closures, *accessors]
        self.heap = Heap([*closures, *self.before], own=own, opaque=_is_staged)
        self.variables = [Variable(i, name) for i, name in enumerate(names)]
        codes = [c.__code__ for c in closures if hasattr(c, "__code__") and not is_ours(c.__code__)]
        self.code = codes[-1] if codes else None

    def run(
        self, closure: Callable[[], Any], arguments: Sequence[Any] = (), enter: Callable | None = None
    ) -> Path:
        """Capture `closure`; `enter` gets the placeholders before it runs."""
        noted: dict[Any, tuple[list[Any], Spec]] = {}
        raw: dict[Any, Any] = {}
        made: list[Any] = []
        seen: list[tuple[Any, Any]] = []
        stale: list[Any] = []
        changed_slots: list[Any] = []
        refreshed = getattr(self.backend, "refreshed", None)
        code = self.code
        _depths.counts[code] = _depths.counts.get(code, 0) + 1
        if code is not None and _depths.counts[code] > MAX_RECURSION:
            _depths.counts.clear()
            raise too_deep(code, MAX_RECURSION)

        def traced(*placeholders: Any) -> Any:
            if enter is not None:
                enter(*placeholders)
            result = closure()
            for variable, value in zip(self.variables, self.get_state(), strict=True):
                noted[variable] = self.flatten(value, None if is_part(variable) else made)
                raw[variable] = value
            changed = self.heap.changed()
            if changed:
                raise Restage(changed)
            slots = self.heap.changes()
            for slot, value in slots.items():
                noted[slot] = self.flatten(value, made)
                changed_slots.append(value)
            self.tie(noted, {**raw, **slots}, made)
            left = [leaf for leaves, _ in noted.values() for leaf in leaves]
            stale.extend(leaf for leaf in left if isinstance(leaf, chosen.Chosen) and leaf.is_stale())
            left = [leaf for leaf in left if not self.is_found(leaf)]
            if refreshed is not None:
                seen.extend((leaf, refreshed(leaf)) for leaf in left)
            own = self.flatten(result)[0] if self.apart.kinds else []
            return result, [*own, *left]

        try:
            with self.heap.watching():
                capture = self.backend.capture(traced, arguments)
        except RecursionError as error:
            if isinstance(error, StagedRecursionError):
                one_cycle(error)
            elif code is not None and _depths.counts.get(code) == 1:
                raise_if_endless(error, code)
            raise
        finally:
            if _depths.counts.get(code):
                _depths.counts[code] -= 1
            self.restore()
        notice_moved(self.heap.moved(), self.warned)
        for handle, value in capture.writes:
            noted[Written(handle)] = ([value], LEAF)
        seen = [pair for pair in seen if pair[0] is not pair[1]]
        return Path(capture, noted, capture.value, raw, seen, changed_slots, stale)

    @property
    def warned(self) -> set[Any]:
        """What was warned of while the outermost staged statement ran."""
        return (watched() or [self.heap])[0].warned

    def restore(self) -> None:
        self.set_state(self.before)
        self.heap.restore()

    def name_of(self, location: Any) -> str:
        """What the user calls a location, where a variable of the statement leads to it."""
        if isinstance(location, Slot) and isinstance(location.owner, (list, dict)):
            for name, value in zip(self.names, self.before, strict=True):
                if value is location.owner:
                    return name if isinstance(value, list) else f"{name}{location.name}"
        return location.name

    def current(self, location: Any) -> tuple[list[Any], Spec]:
        """What a location held before the statement."""
        if isinstance(location, Variable):
            return self.flatten(self.before[location.index])
        if isinstance(location, Slot):
            return self.flatten(location.get())
        return [location.handle.read()], LEAF

    def held(self, location: Any) -> Any:
        """What a location holds now."""
        if isinstance(location, Variable):
            return self.get_state()[location.index]
        return location.get() if isinstance(location, Slot) else location.handle

    def flatten(
        self, value: Any, made: list[Any] | None = None, tied: Collection[int] = ()
    ) -> tuple[list[Any], Spec]:
        """The leaves of a value. A list or dict from before the statement is one: what it holds is in
        slots of the heap. What is of a class to take apart is none. `made` gets the other lists and dicts;
        those that are `tied`, by their ids, have another name.
        """

        def sources(value: Any) -> tuple[Any, ...] | None:
            if self.is_found(value):
                return None
            if made is not None:
                made.append(value)
            return (chosen.TIED,) if id(value) in tied else getattr(value, "sources", ())

        return self.apart.flatten(value, sources)

    def is_found(self, value: Any) -> bool:
        """Whether a value is a list or dict from before the statement."""
        return id(value) in self.heap.containers

    def tie(self, noted: dict[Any, Any], values: dict[Any, Any], made: list[Any]) -> None:
        """Note which lists and dicts that a path has made are in two places."""
        times = Counter(map(id, made))
        tied = {key for key, count in times.items() if count > 1}
        for location in values if tied else ():
            noted[location] = self.flatten(values[location], None, tied)

    def refuse_known(self, path: Path) -> None:
        """Refuse to make one object of several that may be changed under other names.

        Raises:
            StagingError: something besides the statement's variables leads to one of the objects that a path
                leaves, or that there were before.
        """
        for values in (self.before, path.raw.values()):
            self.apart.refuse_known(values, self.names, self.code)
        self.apart.refuse_outside(path.changed)

    def settled(self, run: Callable[[], Any]) -> Any:
        """What `run` gives when all arrays that it writes are staged ones."""
        while True:
            try:
                return run()
            except Restage as error:
                again = error
            self.stage_arrays(again)

    def stage_arrays(self, again: Restage) -> None:
        """Put staged arrays in the place of the plain ones that a branch or loop has written."""
        make = getattr(self.backend, "staged_array", None)
        for owner in again.changed:
            own = [n for n, value in zip(self.names, self.before, strict=True) if value is owner]
            is_array = isinstance(owner, np.ndarray)
            other = other_way(owner, self.names, self.code) if is_array and own else ""
            if make is None or not is_array or not own or other:
                raise changed(owner, own[0] if own else "", other)
            staged = make(owner)
            self.before = tuple(staged if value is owner else value for value in self.before)
        self.restore()

    def write(self, values: dict[Any, Any]) -> None:
        state = list(self.before)
        for location, value in values.items():
            if isinstance(location, Variable):
                state[location.index] = value
            elif isinstance(location, Slot):
                location.set(value)
            else:
                location.handle.write(value)
        self.set_state(tuple(state))
        for value in values.values():
            chosen.settle(value)


def _is_staged(value: Any) -> bool:
    return BACKENDS[type(value)] is not None


def is_same(first: Any, second: Any) -> bool:
    if first is second:
        return True
    if isinstance(first, Undefined) and isinstance(second, Undefined):
        return True
    if type(first) is not type(second):
        return False
    if isinstance(first, float):
        return first.hex() == second.hex()
    return isinstance(first, (str, bytes, int)) and first == second


def merge_leaves(backend: Backend, name: str, first: Any, second: Any, rows: Rows) -> Any | None:
    """The type of a leaf that is `first` on one path and `second` on the other; None when it fails."""
    undefined = next((v for v in (first, second) if isinstance(v, Undefined)), None)

    def refuse(reason: str, *, is_missing: bool = False) -> None:
        sides = described(backend, first), described(backend, second)
        rows.add(name, *sides, reason, is_missing=is_missing)

    if undefined is not None and undefined.error.startswith("["):
        refuse("a dict has all its keys on each path", is_missing=True)
        return None
    kinds = [None if isinstance(v, Undefined) else backend.type_of(v) for v in (first, second)]
    for value, kind in zip((first, second), kinds, strict=True):
        if kind is None and not isinstance(value, Undefined):
            if type(first) is type(second) and is_changeable(first) and is_changeable(second):
                raise TakenApart(type(value))
            both = type(first) is type(second) and hasattr(first, "__dict__") and not callable(first)
            objects = TWO_MEMBERS if isinstance(first, Enum) else "these are two objects"
            reason = objects if both else not_in_a_program(backend, value)
            refuse(reason, is_missing=value is None or undefined is not None)
            return None
    try:
        if undefined is not None:
            return backend.unbound(kinds[0] if kinds[1] is None else kinds[1], undefined.error)
        return backend.merge(*kinds)
    except TypeError as error:
        refuse(str(error), is_missing=undefined is not None)
        return None


def is_aliased(value: Any, location: Any) -> bool:
    """Whether a value is an argument of the trace, a view, or has another name in the functions that run."""
    if getattr(value, "is_argument", False) or getattr(value, "shared", "") or is_view(value):
        return True
    own = getattr(location, "name", None)
    return any(name != own and held is value for name, held in user_variables())


def is_view(value: Any) -> bool:
    return getattr(value, "base", None) is not None


def is_part(location: Any) -> bool:
    """Whether a location is a variable that stands for a part of another, as `self.x` does."""
    return isinstance(location, Variable) and not location.name.isidentifier()


def is_missing(leaves: list[Any]) -> bool:
    """Whether a location has no value."""
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)
