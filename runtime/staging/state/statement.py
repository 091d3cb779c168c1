"""A staged statement: the locations it may change, and the values that captured closures leave in them."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ...backends import Backend, Capture
from ...core.active_backends import CAPTURES
from ...core.closures import never, nothing
from ...core.forks import Fork, Run
from ...core.in_flight import running
from ...core.undefined import Undefined
from ...debugging.tracebacks import is_internal
from ...errors import AliasError, StagedRecursionError
from ...errors.recursion import cut_to_one_cycle, cycle, raise_if_recursive, recursion_error
from ...values import selected_container
from ...values.locations import Location, Path, Variable, Written
from ...values.structures import LEAF, Spec
from .aliases import context_managers, holding_variables, other_reference, replaced
from .escapes import is_made_in_trace
from .heap import Heap, is_older, running_heaps
from .object_merging import FieldMerging
from .side_effects import warn_of_advanced
from .unsupported import changed

MAX_RECURSION = 40
SPLIT: list[Callable[..., Any]] = []
"""The function that splits a closure whose run a condition has forked, once its module is loaded."""


class Restage(BaseException):
    """End a capture that wrote to plain arrays, which have to be staged first."""

    def __init__(self, changed: list[Any]):
        self.changed = changed

    def stage(self, statement: Statement) -> None:
        """Replace the plain arrays that a branch or loop has written to with staged arrays."""
        statement.stage_arrays(self.changed)


_STAGED: dict[type, str] = {
    np.ndarray: "staged_array",
    deque: "staged_deque",
    set: "staged_set",
    **dict.fromkeys((dict, Counter, defaultdict), "staged_dict"),
}


class Statement:
    """The locations of one staged statement, with access to their values."""

    def __init__(
        self,
        backend: Backend,
        closures: Sequence[Any],
        accessors: tuple,
        names: Sequence[str],
        *,
        is_expression: bool = False,
        reached: Sequence[Any] = (),
    ):
        self.backend = backend
        self.closures = closures
        self.get_state, self.set_state = accessors
        self.names = names
        self.staged_lists: list[list[Any]] = []
        self.apart = FieldMerging(backend)
        self.before: tuple = self.read_state()
        self.keep_selected()
        self.captures: list[Capture] = []
        self.items: set[Any] = set()
        """The locations in which a capture has left a plain list that is an item of a staged one."""
        functions = [*closures, *getattr(self.get_state, "functions", ())]
        own = [] if is_expression else [*functions, *accessors]
        self.variables = [Variable(i, name) for i, name in enumerate(names)]
        codes = [c.__code__ for c in closures if hasattr(c, "__code__") and not is_internal(c.__code__)]
        self.code = codes[-1] if codes else None
        flight = running.flight
        bodies, managers = ([], []) if flight is None else flight.reached()
        held = [] if flight is None else flight.held()
        self.reached = reached
        roots = [*functions, *self.before, *reached, *bodies, *managers, *held]
        self.heap = Heap(roots, own=own and [*own, *bodies], code=self.code, names=names)
        if flight is not None:
            self.heap.include(flight.state)

    def read_state(self) -> tuple[Any, ...]:
        """Return the values of the variables. Attributes of objects of a graph are no part of them."""
        CAPTURES.reads_state = True
        try:
            return self.get_state()
        finally:
            CAPTURES.reads_state = False

    def run(
        self,
        closure: Callable[[], Any],
        arguments: Sequence[Any] = (),
        enter: Callable | None = None,
        skipped: Any = None,
        *,
        is_alone: bool = True,
    ) -> Path:
        """Capture `closure`. `enter` receives the placeholders before the closure runs.

        `skipped` is the result of the closure if an exception ends it. If it is not alone, the values that it
        has stored or selected stay writable, until the statement is complete.
        """
        path = Path()
        code = self.code
        outer = [heap.code for heap in running_heaps()]
        if code is not None and outer.count(code) >= MAX_RECURSION:
            raise recursion_error(code, *cycle())

        run = Run(is_loop=skipped is False, **getattr(closure, "forked", {}))

        def traced(*placeholders: Any) -> Any:
            def begin() -> None:
                if enter is not None:
                    enter(*placeholders)

            def restart() -> None:
                self.restore()
                begin()

            if hasattr(closure, "restart"):
                closure.restart = restart
            begin()
            if running.flight is None:
                result = closure()
            else:
                result, path.is_left = running.flight.run(self, closure, skipped)
            return result, self.note(path, result)

        try:
            with self.heap.watching(), run:
                path.capture = self.backend.capture(traced, arguments)
                self.captures.append(path.capture)
            if not is_alone:
                getattr(path.capture, "unshare", nothing)()
        except RecursionError as error:
            if isinstance(error, StagedRecursionError):
                cut_to_one_cycle(error)
            raise_if_recursive(error, code, outer)
            raise
        except Fork as fork:
            if fork.run is not run:
                raise
            split = SPLIT[0](self, closure, fork)
        else:
            split = None
        finally:
            self.restore()
        if split is not None:
            return self.run(split, arguments, enter, skipped, is_alone=is_alone)
        return self.finished(path)

    def note(self, path: Path, result: Any) -> list[Any]:
        """Note what a closure leaves in each location, and return its leaves and those of its result."""
        made: list[Any] = []
        refreshed, narrowed = (getattr(self.backend, n, None) for n in ("refreshed", "narrowed"))
        for variable, value in zip(self.variables, self.read_state(), strict=True):
            path.values[variable] = self.flatten(value, None if is_part(variable) else made)
            path.raw[variable] = value
        changed = self.heap.changed()
        if changed:
            raise Restage(changed)
        slots = self.heap.changes()
        for slot, value in slots.items():
            path.values[slot] = self.flatten(value, made)
            path.changed.append(value)
        self.tie(path.values, {**path.raw, **slots}, made)
        is_stand_in = getattr(self.backend, "is_stand_in", never)
        found = {**path.raw, **slots}.items()
        self.items.update(place for place, value in found if type(value) is list and is_stand_in(value))
        left = [leaf for leaves, _ in path.values.values() for leaf in leaves]
        returned = self.flatten(result)[0]
        handles = filter(self.backend.is_handle, (*left, *returned))
        path.shared = {id(value): value.shared for value in handles if getattr(value, "shared", "")}
        selected = (leaf for leaf in left if isinstance(leaf, selected_container.SelectedContainer))
        path.stale += [leaf for leaf in selected if leaf.is_stale()]
        if narrowed is not None:
            path.seen += [(leaf, narrowed(leaf)) for leaf in (*left, *returned)]
        left = [leaf for leaf in left if not self.is_from_before(leaf)]
        if refreshed is not None:
            path.seen += [(leaf, refreshed(leaf)) for leaf in left]
        return [*(returned if self.apart.kinds else []), *left]

    def finished(self, path: Path) -> Path:
        """Complete the path of a closure whose capture has ended."""
        own = {id(getattr(m, "gen", None)) for m in context_managers()}  # generators that end on each path
        warn_of_advanced([value for value in self.heap.moved() if id(value) not in own], self.warned)
        for handle, value in path.capture.writes:
            path.values[Written(handle)] = ([value], LEAF)
        path.seen = [pair for pair in path.seen if pair[0] is not pair[1]]
        path.result = path.capture.value
        return path

    @property
    def warned(self) -> set[Any]:
        """Warnings already issued while the outermost staged statement ran."""
        return (running_heaps() or [self.heap])[0].warned

    def restore(self) -> None:
        self.set_state(self.before)
        self.heap.restore(self.before)

    def name_of(self, location: Any) -> str:
        """Return the user's name for a location, through a state variable if one refers to its owner."""
        if isinstance(location, Location) and isinstance(location.owner, (list, dict)):
            for name, value in zip(self.names, self.before, strict=True):
                if value is location.owner:
                    return name if isinstance(value, list) else f"{name}{location.name}"
        return location.name

    def current(self, location: Any) -> tuple[list[Any], Spec]:
        if isinstance(location, Variable):
            return self.flatten(self.before[location.index])
        if isinstance(location, Location):
            return self.flatten(location.get())
        return [location.handle.read()], LEAF

    def held(self, location: Any) -> Any:
        if isinstance(location, Variable):
            return self.read_state()[location.index]
        return location.get() if isinstance(location, Location) else location.handle

    def flatten(
        self, value: Any, made: list[Any] | None = None, tied: Collection[int] = ()
    ) -> tuple[list[Any], Spec]:
        """Return the leaves of a value and its structure.

        A list or dict created before the statement is one leaf, because its contents are slots of the heap.
        Objects of field-merged classes are flattened. Other lists and dicts are appended to `made`; those
        whose ids are in `tied` have a second name.
        """

        def sources(value: Any) -> tuple[Any, ...] | None:
            if self.is_from_before(value):
                return None
            if made is not None:
                made.append(value)
            aliased = (selected_container.ALIASED_SOURCE,)
            return aliased if id(value) in tied else getattr(value, "sources", ())

        return self.apart.flatten(value, sources)

    def is_from_before(self, value: Any) -> bool:
        """Return whether a value is a list or dict created before the statement."""
        return id(value) in self.heap.containers

    def tie(self, noted: dict[Any, Any], values: dict[Any, Any], made: list[Any]) -> None:
        """Mark each list or dict that was created on a path and that two locations refer to."""
        times = Counter(map(id, made))
        tied = {key for key, count in times.items() if count > 1}
        for location in values if tied else ():
            noted[location] = self.flatten(values[location], None, tied)

    def check_aliases(self, path: Path) -> None:
        """Check that no object to be merged field by field can be changed through another name."""
        self.apart.check_aliases(self.before, self.names, self.code)
        self.apart.check_aliases(path.raw.values(), self.names, self.code)
        self.apart.check_not_stored(path.changed)

    def settled(self, run: Callable[[], Any]) -> Any:
        """Call `run` until it writes only to staged arrays, and return its result."""
        while True:
            self.forget()
            try:
                return run()
            except Restage as error:
                again = error
            again.stage(self)

    def forget(self) -> None:
        """Forget the values that earlier captures have selected or stored."""
        getattr(self.backend, "forget_selected", id)(self.selected)
        for capture in self.captures:
            getattr(capture, "unshare", nothing)()
        self.captures.clear()

    def keep_selected(self) -> None:
        """Keep what has been selected or stored up to now when the statement is captured again."""
        self.selected = getattr(self.backend, "count_selected", int)()

    def stage_arrays(self, changed_arrays: list[Any]) -> None:
        """Replace the plain arrays and deques that a branch or loop has changed with staged ones."""
        for owner in changed_arrays:
            if isinstance(owner, (set, dict)) and is_older(owner):
                raise Restage([owner])
            if isinstance(owner, set) and not self.is_free(owner):
                raise changed(owner, "", "the caller")
            own = [n for n, value in zip(self.names, self.before, strict=True) if value is owner]
            own += [variable for _, variable in holding_variables(owner)]
            own += [slot.name for slot in self.heap.holders(owner) if self.is_free(slot.owner)]
            make = getattr(self.backend, _STAGED.get(type(owner), ""), None) if own else None
            if make is None:
                other = self.other_reference(owner) if own and type(owner) in _STAGED else ""
                raise changed(owner, own[0] if own else "", other)
            if other := self.replace(owner, make, Restage([owner])):
                raise changed(owner, own[0], other)
        self.restore()

    def replace(self, value: Any, make: Callable[[Any], Any], restage: Restage) -> str:
        """Put a staged list or array in the place of a plain one before the statement runs.

        Return what else refers to the plain one; if something does, change nothing.
        """
        self.forget()  # the statement is captured again
        find = functools.partial(self.other_reference, value)
        staged, other = replaced(value, make, find, self.is_free, restage)
        self.keep_selected()
        if not other:
            self.move(value, staged)
        return other

    def move(self, value: Any, other: Any) -> None:
        """Have the statement start with another value in the place of one."""
        self.heap.move(value, other)
        self.before = tuple(other if held is value else held for held in self.before)

    def stage_dict(self, location: Any, *left: Any) -> None:
        """Restage a dict that has no item for a key on one path, where the backend has dicts."""
        owner, values = getattr(location, "owner", None), [v for v in left if not isinstance(v, Undefined)]
        can_be_dict = getattr(self.backend, "can_be_dict", None)
        if can_be_dict is None or not isinstance(owner, dict) or len(values) == len(left):
            return
        if can_be_dict(owner, *values) and self.is_free(owner) and self.backend.is_given(owner):  # type: ignore[attr-defined]
            raise Restage([owner])

    def other_reference(self, value: Any) -> str:
        return other_reference(value, self.names, self.code, is_deep=True)

    def is_free(self, owner: Any) -> bool:
        """Return whether an object was made in the trace, so that it may refer to staged values."""
        return is_made_in_trace(self.backend, self.heap.globals, owner)

    def write(self, values: dict[Any, Any]) -> None:
        state = list(self.before)
        for location, value in values.items():
            if isinstance(location, Variable):
                state[location.index] = value
            elif isinstance(location, Location):
                location.set(value)
            else:
                location.handle.write(value)
        self.set_state(tuple(state))
        self.apart.keep_results(values.values())
        backend: Any = self.backend
        for location in self.items & values.keys():
            value = values[location]
            if type(value) is list:
                backend.keep_unchanged(value, _item_error(location.name))
            elif getattr(value, "may_be_none", False):
                backend.share(value, "it is an item of a list, which would have to change too")
        for value in values.values():
            selected_container.snapshot_sources(value)


def _item_error(name: str) -> AliasError:
    return AliasError(
        f"the list {name!r} is an item of a staged list, and changes after a staged branch or loop",
        why="the change would have to reach the item",
        remedy=f"store a copy: items.append(list({name}))",
    )


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


def is_part(location: Any) -> bool:
    """Return whether a location is a variable that is part of another, such as `self.x`."""
    return isinstance(location, Variable) and not location.name.isidentifier()


def is_missing(leaves: list[Any]) -> bool:
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)
