"""Loops: the body captured until its variables keep their types, then one staged loop."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..backends import Backend
from ..errors import MismatchError, StagingError
from ..heap import Slot
from ..structures import Spec, paths, unflatten
from ..undefined import Undefined
from .aliases import ties
from .apart import TakenApart
from .statement import (
    Path,
    Restage,
    Rows,
    Statement,
    Variable,
    Written,
    describe,
    is_aliased,
    is_missing,
    is_same,
    merge_leaves,
    set_nothing,
)

MAX_WIDENINGS = 12


class Carried:
    """The locations that a loop carries, leaf by leaf, and the types that they settle on."""

    def __init__(self, statement: Statement):
        self.statement, self.backend = statement, statement.backend
        self.init: dict[Any, tuple[list[Any], Spec]] = {v: statement.current(v) for v in statement.variables}
        self.types: dict[Any, list[Any]] = {}
        for location, (leaves, _) in self.init.items():
            self.types[location] = [self.first_type(leaf) for leaf in leaves]
        self.ties: dict[tuple[Any, int], Any] = {}
        self.given: dict[Any, Any] = {}

    def first_type(self, leaf: Any) -> Any:
        """None for what is not carried: no value as yet, or an array whose contents may be, not its name."""
        if isinstance(leaf, Undefined) or self.backend.is_handle(leaf):
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
            {location: unflatten(self.init[location][1], new) for location, new in leaves.items()}
        )

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
            for (location, _), leaf in zip(slots, _left(self, path), strict=True)
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
        for location, (leaves, spec) in path.values.items():
            if not settled and isinstance(location, Slot):
                break
            if location not in self.init:
                old, old_spec = self.statement.current(location)
                if old_spec == spec and all(is_same(a, b) for a, b in zip(old, leaves, strict=True)):
                    continue
                self.init[location] = old, old_spec
                self.types[location] = [self.backend.type_of(leaf) for leaf in old]
                settled = False
            settled &= self.settle_location(location, path, leaves, spec, rows)
        return settled

    def settle_location(self, location: Any, path: Path, leaves: list[Any], spec: Spec, rows: Rows) -> bool:
        old, old_spec = self.init[location]
        types = self.types[location]
        if spec != old_spec:
            if list in (old_spec.kind, spec.kind) and self.statement.stage_list(location):
                self.begin_again()
                return False
            if is_missing(old) and types == [None]:
                self.init[location] = old * len(leaves), spec
                self.types[location] = types = [None] * len(leaves)
                old = self.init[location][0]
            elif is_missing(leaves):
                leaves = leaves * len(old)
            else:
                rows.add(location.name, old_spec, spec, "the structure changes")
                return True
        settled = True
        for i, (name, leaf) in enumerate(
            zip(paths(self.init[location][1], location.name), leaves, strict=True)
        ):
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
            return merge_leaves(backend, name, old, leaf, rows)
        kind = None if isinstance(leaf, Undefined) else backend.type_of(leaf)
        try:
            if isinstance(leaf, Undefined):
                return backend.unbound(previous, leaf.error)
            if kind is None:
                raise TypeError("")
            return getattr(backend, "widen", backend.merge)(previous, kind)
        except TypeError as error:
            rows.add(name, previous, describe(backend, leaf), str(error))
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


def _fixed_point(carried: Carried, once: Callable[[], Path], what: str) -> Path:
    for _ in range(MAX_WIDENINGS):
        rows = Rows()
        again: Restage | None = None
        try:
            path = once()
        except Restage as error:
            again = error
        if again is not None:
            carried.statement.stage_arrays(again)
            carried.begin_again()
            continue
        carried.statement.refuse_known(path)
        try:
            settled = carried.settle(path, rows)
        except TakenApart as error:
            carried.statement.apart.kinds.add(error.kind)
            carried.begin_again()
            continue
        rows.check(
            f"{what} changes the type of its variables (before | after one iteration):",
            "Give the variable the type that it ends with before the loop",
        )
        if settled and carried.tie(path):
            _refuse_written(carried, path)
            return path
    raise MismatchError(f"the variables of {what} do not settle on types after {MAX_WIDENINGS} tries")


def _refuse_written(carried: Carried, path: Path) -> None:
    """Refuse a body that writes an array under another name than the variable that holds it at first only."""
    written: set[int] = set()
    for place, (leaves, _) in path.values.items():
        if isinstance(place, Written) and getattr(leaves[0], "_node", 0) is not getattr(
            carried.given.get(place), "_node", 1
        ):
            written.update(map(id, _with_bases(place.handle)))
    for location, i, _ in carried.slots():
        old = carried.init[location][0][i]
        is_array = carried.backend.is_handle(old) and not isinstance(location, Written)
        if is_array and any(id(value) in written for value in _with_bases(old)):
            raise StagingError(
                f"a staged loop gives {location.name!r} another array, and also writes the one that it held "
                "before the loop, under another name: whether they are the same depends on the round. Make a "
                f"copy first: {location.name} = {location.name}.copy()"
            )


def _share_views(carried: Carried, path: Path) -> None:
    """The base of a view that the loop leaves, perhaps after no round, must not be written after it."""
    share, is_view = getattr(carried.backend, "share", None), getattr(carried.backend, "is_view", None)
    if share is None or is_view is None:
        return
    for leaves in ([leaf for left, _ in path.values.values() for leaf in left], carried.initial()):
        for leaf in filter(is_view, leaves):
            share(leaf, "it is a view that a loop made")


def _finish(carried: Carried, path: Path, results: Sequence[Any], iterates: Sequence[Any] = ()) -> None:
    """What holds after the loop: shared views and results; lists are lists again."""
    _share_views(carried, path)
    _share_results(carried, path, results, iterates)
    unstaged = getattr(carried.backend, "unstaged", None)
    if unstaged is not None:
        statement = carried.statement
        statement.set_state(tuple(map(unstaged, statement.get_state())))


def _share_results(
    carried: Carried, path: Path, results: Sequence[Any], iterates: Sequence[Any] = ()
) -> None:
    """What may be another name of an array in the body may be so after the loop; an item is a part of what
    the loop iterates.
    """
    share = getattr(carried.backend, "share", None)
    if share is None:
        return
    for (location, i, _), left, result in zip(carried.slots(), _results(carried, path), results, strict=True):
        reason = getattr(left, "shared", "") if carried.backend.is_handle(left) else ""
        if reason:
            for source in iterates:
                share(source, "it has a part that outlives the loop over it")
        if (location, i) in carried.ties:
            reason = reason or "it may be another name of an array, from a loop"
            share(carried.ties[location, i], "it may have another name, from a loop")
        if reason:
            share(result, reason)


def _with_bases(value: Any) -> Iterator[Any]:
    """A value, what it is a view of, what that is a view of."""
    while value is not None:
        yield value
        value = getattr(value, "base", None)


def _left(carried: Carried, path: Path) -> Iterator[Any]:
    """What a round leaves in the places of what is carried."""
    for location, i, _ in carried.slots():
        leaves = path.values[location][0] if location in path.values else carried.init[location][0]
        yield leaves[min(i, len(leaves) - 1)]


def _results(carried: Carried, path: Path) -> list[Any]:
    return [path.leaf(leaf) for leaf in _left(carried, path)]


def while_stmt(
    backend: Backend,
    going: Any,
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
) -> None:
    """`while going: body(); going = test()`: the first test has been made."""
    statement = Statement(backend, (test, body), (get_state, set_state), names)
    carried = Carried(statement)

    def step() -> Any:
        body()
        return test()

    def once() -> Path:
        return statement.run(step, carried.arguments(), lambda *values: carried.begin(values))

    path = _fixed_point(carried, once, "a staged 'while'")
    results = backend.while_loop(
        going,
        carried.initial(),
        carried.arguments(),
        path.capture,
        path.result,
        _results(carried, path),
        options,
    )
    carried.enter(results)
    _finish(carried, path, results)


def for_stmt(
    backend: Backend,
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
) -> None:
    """A loop over a staged iterable; `extra_test` is asked after each iteration, as `break` is."""
    going = True if extra_test is None else extra_test()
    is_empty = getattr(backend, "is_empty", None)
    if going is False or (is_empty is not None and is_empty(iterated)):
        return
    statement = Statement(backend, (extra_test or set_nothing, body), (get_state, set_state), names)
    carried = Carried(statement)
    rebuild, element_types = backend.elements(iterated)
    element: list[Any] = []

    def step() -> Any:
        body(element[0])
        return True if extra_test is None else extra_test()

    def enter(*values: Any) -> None:
        count = len(element_types)
        element[:] = [rebuild(values[:count])]
        carried.begin(values[count:])

    def once() -> Path:
        return statement.run(step, [*element_types, *carried.arguments()], enter)

    path = _fixed_point(carried, once, "a staged 'for'")
    iterates = getattr(backend, "sources", lambda iterated: [iterated])(iterated)
    iterates = [source for iterated in iterates for source in _with_bases(iterated)]
    if any(isinstance(w, Written) and any(w.handle is s for s in iterates) for w in carried.init):
        raise StagingError(
            "a staged 'for' writes to the array or list that it iterates. Iterate a copy, or the indexes"
        )
    results = backend.for_loop(
        iterated, going, carried.initial(), carried.arguments(), path.capture, path.result,
        _results(carried, path), options,
    )  # fmt: skip
    carried.enter(results)
    _finish(carried, path, results, iterates)
