"""Loops: the body captured until its variables keep their types, then one staged loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..backends import Backend
from ..empty import set_nothing
from ..errors import AliasError, MismatchError
from .apart import TakenApart
from .carried import Carried
from .kept import warn_of_kept
from .mismatches import BEFORE, Rows, Side
from .options import checked, fewer
from .peeled import NothingBefore, assert_runs, first_and_rest
from .statement import (
    Path,
    Restage,
    Statement,
    Written,
)

MAX_WIDENINGS = 12


def _fixed_point(
    carried: Carried, once: Callable[[], Path], what: str, closures: tuple[Any, ...]
) -> Path | NothingBefore:
    after = Side("after a round", closures)
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
        if rows.rows:
            mismatch = functools.partial(rows.error, what, _ONE_TYPE, "before the loop", (BEFORE, after))
            if len(rows.absent) < len(rows.rows):
                raise mismatch()
            return NothingBefore(rows.absent, mismatch)
        if settled and carried.tie(path):
            _refuse_written(carried, path)
            return path
    raise MismatchError(
        f"the variables of {what} have another type after each round, {MAX_WIDENINGS} times",
        why=_ONE_TYPE,
        remedy="keep the number of dimensions and the length of each variable the same in all rounds",
    )


_ONE_TYPE = "each round gets what the round before it left, so both have one type"


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
            raise AliasError(
                f"a staged loop gives {location.name!r} another array, and also writes the one that it held "
                "before the loop, under another name",
                why="whether they are the same array depends on the round",
                remedy=f"make a copy before the loop: {location.name} = {location.name}.copy()",
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
    statement, unstaged = carried.statement, getattr(carried.backend, "unstaged", None)
    if unstaged is not None:
        statement.set_state(tuple(map(unstaged, statement.get_state())))
    warn_of_kept(statement, {location: statement.held(location) for location in carried.init})


def _share_results(
    carried: Carried, path: Path, results: Sequence[Any], iterates: Sequence[Any] = ()
) -> None:
    """What may be another name of an array in the body may be so after the loop; an item is a part of what
    the loop iterates.
    """
    share = getattr(carried.backend, "share", None)
    if share is None:
        return
    for (location, i, _), left, result in zip(carried.slots(), carried.results(path), results, strict=True):
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


def while_stmt(
    backend: Backend,
    going: Any,
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
    *,
    is_peeled: bool,
) -> bool:
    """`while going: body(); going = test()`; False where only the first `body()` has run, on its own."""
    options = checked(backend, options)
    statement = Statement(backend, (test, body), (get_state, set_state), names)
    carried = Carried(statement)

    def step() -> Any:
        body()
        return test()

    def once() -> Path:
        return statement.run(step, carried.arguments(), lambda *values: carried.begin(values))

    path = _fixed_point(carried, once, "a staged 'while'", (test, body))
    if isinstance(path, NothingBefore):
        if is_peeled:
            raise path.mismatch()
        if options.get("maximum_iterations") == 0:
            return True
        with assert_runs(backend, (going,), path.names):
            body()
        return False
    results = backend.while_loop(
        going,
        carried.initial(),
        carried.arguments(),
        path.capture,
        path.result,
        carried.results(path),
        options,
    )
    carried.enter(results)
    _finish(carried, path, results)
    return True


def for_stmt(
    backend: Backend,
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
    *,
    is_peeled: bool = False,
) -> None:
    """A loop over a staged iterable; `extra_test` is asked after each iteration, as `break` is."""
    options = checked(backend, options)
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

    path = _fixed_point(carried, once, "a staged 'for'", (body,))
    if isinstance(path, NothingBefore):
        if is_peeled:
            raise path.mismatch()
        is_none = options.get("maximum_iterations") == 0
        parts = None if is_none else first_and_rest(backend, iterated, going, path)
        if parts is not None:
            body(parts[0])
            options = fewer(options)
            for_stmt(
                backend, parts[1], extra_test, body, get_state, set_state, names, options, is_peeled=True
            )
        return
    iterates = getattr(backend, "sources", lambda iterated: [iterated])(iterated)
    iterates = [source for iterated in iterates for source in _with_bases(iterated)]
    if any(isinstance(w, Written) and any(w.handle is s for s in iterates) for w in carried.init):
        raise AliasError(
            "a staged 'for' writes to the array or list that it iterates",
            why="the rounds to come would have to see what this one writes",
            remedy="loop over a copy ('for x in xs.copy()'), or over the indexes ('for i in range(len(xs))')",
        )
    results = backend.for_loop(
        iterated, going, carried.initial(), carried.arguments(), path.capture, path.result,
        carried.results(path), options,
    )  # fmt: skip
    carried.enter(results)
    _finish(carried, path, results, iterates)
