"""One staged statement: the locations that it may change, and what a captured closure leaves in them."""

from __future__ import annotations

import dis
import gc
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from ..backends import BACKENDS, Backend, Capture
from ..closures import function_name
from ..errors import MismatchError, StagedRecursionError, StagingError
from ..heap import Heap, Slot
from ..structures import LEAF, Spec, is_changeable
from ..tracebacks import is_ours
from ..undefined import Undefined, is_result
from .aliases import ROOT, other_way, user_variables
from .apart import Apart, TakenApart

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
        seen: list[tuple[Any, Any]] = []
        changed_slots: list[Any] = []
        refreshed = getattr(self.backend, "refreshed", None)
        code = self.code
        _depths.counts[code] = _depths.counts.get(code, 0) + 1
        if code is not None and _depths.counts[code] > MAX_RECURSION:
            _depths.counts.clear()
            raise StagedRecursionError(
                f"{function_name(code)!r} calls itself under a staged condition: the depth is known only at "
                f"run time, so the trace would not end ({MAX_RECURSION} levels were tried). Write it as a "
                "loop, or recurse on a plain number"
            )

        def traced(*placeholders: Any) -> Any:
            if enter is not None:
                enter(*placeholders)
            result = closure()
            for variable, value in zip(self.variables, self.get_state(), strict=True):
                noted[variable] = self.flatten(value)
                raw[variable] = value
            changed = self.heap.changed()
            if changed:
                raise Restage(changed)
            for slot, value in self.heap.changes().items():
                noted[slot] = self.flatten(value)
                changed_slots.append(value)
            if refreshed is not None:
                seen.extend((leaf, refreshed(leaf)) for leaves, _ in noted.values() for leaf in leaves)
            own = self.flatten(result)[0] if self.apart.kinds else []
            return result, [*own, *[leaf for leaves, _ in noted.values() for leaf in leaves]]

        try:
            with self.heap.watching():
                capture = self.backend.capture(traced, arguments)
        finally:
            if _depths.counts.get(code):
                _depths.counts[code] -= 1
            self.restore()
        for handle, value in capture.writes:
            noted[Written(handle)] = ([value], LEAF)
        seen = [pair for pair in seen if pair[0] is not pair[1]]
        return Path(capture, noted, capture.value, raw, seen, changed_slots)

    def restore(self) -> None:
        self.set_state(self.before)
        self.heap.restore()

    def current(self, location: Any) -> tuple[list[Any], Spec]:
        """What a location held before the statement."""
        if isinstance(location, Variable):
            return self.flatten(self.before[location.index])
        if isinstance(location, Slot):
            return self.flatten(location.get())
        return [location.handle.read()], LEAF

    def flatten(self, value: Any) -> tuple[list[Any], Spec]:
        """The leaves of a value; what is of a class to take apart is none."""
        return self.apart.flatten(value)

    def refuse_known(self, path: Path) -> None:
        """Refuse to make one object of several that may be changed under other names.

        Raises:
            StagingError: something besides the statement's variables leads to one of the objects that a path
                leaves, or that there were before.
        """
        for values in (self.before, path.raw.values()):
            self.apart.refuse_known(values, self.names, self.code)
        self.apart.refuse_outside(path.changed)

    def stage_list(self, location: Any) -> bool:
        """Put a staged list in the place of the plain one that a location holds; whether there is one."""
        make = getattr(self.backend, "staged_list", None)
        held = location.owner if isinstance(location, Slot) else None
        if isinstance(location, Variable):
            held = self.before[location.index]
        if make is None or type(held) is not list or any(held is done for done in self.staged_lists):
            return False
        if not any(value is held for value in self.before):
            raise StagingError(
                f"{location.name} changes its length under a staged condition or in a staged loop, but is no "
                "variable of the function. Give the list to a local variable first, and use that"
            )
        other = other_way(held, self.names, self.code)
        if is_iterated(held):
            raise StagingError(
                f"{location.name} changes its length under a staged condition while a Python loop iterates "
                "it. Loop over a copy, or over indexes"
            )
        if other:
            raise StagingError(
                f"{location.name} changes its length under a staged condition or in a staged loop, and "
                f"{other} leads to it too, and would not see that. Use one name for it"
            )
        staged = make(held)
        self.staged_lists.append(held)
        self.before = tuple(staged if value is held else value for value in self.before)
        self.restore()
        return True

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
                also = f", and {other} leads to it too" if other else ""
                raise StagingError(
                    f"a plain {type(owner).__name__} is changed in a staged branch or loop{also}. Give the "
                    "variable a new value instead (x = x + 1), or pass the array as an argument"
                )
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


@dataclass
class Rows:
    """The variables that cannot be merged, a row for each."""

    rows: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    """Those of the variables that have no value on the first path, or None, or lack keys of a dict there."""

    def add(self, name: str, first: Any, second: Any, reason: str = "") -> None:
        note = f" ({reason})" if reason else ""
        if is_result(name):
            name = "the result of the function"
        self.rows.append(f"    {name}: {first} | {second}{note}")

    def check(self, what: str, remedy: str) -> None:
        if self.rows:
            raise MismatchError("\n".join([what, *self.rows, remedy]))


def _is_staged(value: Any) -> bool:
    return BACKENDS[type(value)] is not None


def describe(backend: Backend, value: Any) -> str:
    if isinstance(value, Undefined):
        return "no value"
    kind = backend.type_of(value) if value is not None else None
    return repr(value) if kind is None else str(kind)


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
    if undefined is not None and undefined.error.startswith("["):
        reason = "a dict has all its keys on each path"
        rows.add(name, describe(backend, first), describe(backend, second), reason)
        return None
    kinds = [None if isinstance(v, Undefined) else backend.type_of(v) for v in (first, second)]
    for value, kind in zip((first, second), kinds, strict=True):
        if kind is None and not isinstance(value, Undefined):
            if type(first) is type(second) and is_changeable(first) and is_changeable(second):
                raise TakenApart(type(value))
            both = type(first) is type(second) and hasattr(first, "__dict__")
            if value is None:
                rows.add(name, describe(backend, first), describe(backend, second), "None is no such value")
                return None
            reason = "these are two objects: set the attributes of one, or use a frozen dataclass" * both
            rows.add(name, describe(backend, first), describe(backend, second), reason)
            return None
    try:
        if undefined is not None:
            return backend.unbound(kinds[0] if kinds[1] is None else kinds[1], undefined.error)
        return backend.merge(*kinds)
    except TypeError as error:
        rows.add(name, describe(backend, first), describe(backend, second), str(error))
        return None


def is_aliased(value: Any, location: Any) -> bool:
    """Whether a value is an argument of the trace, a view, or has another name in the functions that run."""
    if getattr(value, "is_argument", False) or getattr(value, "shared", "") or is_view(value):
        return True
    own = getattr(location, "name", None)
    return any(name != own and held is value for name, held in user_variables())


def is_view(value: Any) -> bool:
    return getattr(value, "base", None) is not None


def is_iterated(held: list[Any]) -> bool:
    """Whether a loop that Python runs is in the middle of a list."""
    frame: FrameType | None = sys._getframe(1)
    loops = False
    while frame is not None and frame.f_code.co_name != ROOT:
        if is_ours(frame.f_code):
            if frame.f_locals.get("iter_") is held:
                return True
        else:
            loops = loops or _FOR_ITER in frame.f_code.co_code[::2]
        frame = frame.f_back
    return loops and any(type(r).__name__ == "list_iterator" for r in gc.get_referrers(held))


_FOR_ITER = dis.opmap["FOR_ITER"]


def is_missing(leaves: list[Any]) -> bool:
    """Whether a location has no value."""
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)


def set_nothing(values: tuple) -> None:
    """Sets the state of a statement without variables."""


def nothing() -> None:
    """The branch that does nothing."""
