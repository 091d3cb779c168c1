"""Stage loops: capture the body until the types of its carried values settle, then build one loop."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..backends import BACKENDS, Backend, staged_by
from ..core import fixed_points
from ..core.active_backends import assuming
from ..core.closures import never, set_nothing
from ..core.in_flight import running
from ..errors import AliasError, MismatchError
from ..values.locations import Path, Written
from .loop_options import checked, decrement_limit, is_exhausted
from .loop_peeling import NoInitialValue, first_and_rest, run_peeled
from .special_methods import truth
from .state.aliases import user_variables, with_bases
from .state.carried_values import CarriedValues
from .state.escapes import warn_of_escapes
from .state.mismatches import BEFORE, Rows, Side
from .state.object_merging import MergeByField
from .state.statement import Restage, Statement

MAX_WIDENINGS = 12
MAX_PEELED = 3
"""How many iterations run before a loop at most: `last, before = x, last` needs two if both are None."""


def fixed_point(
    carried: CarriedValues, once: Callable[[], Path], what: str, closures: tuple[Any, ...]
) -> Path | NoInitialValue:
    """Capture the body of a loop until the types of what it carries do not change any more.

    Raises:
        MismatchError: they have no common type, or change in each iteration.
    """
    with fixed_points.searching():
        return _fixed_point(carried, once, what, closures)


def _fixed_point(
    carried: CarriedValues, once: Callable[[], Path], what: str, closures: tuple[Any, ...]
) -> Path | NoInitialValue:
    after = Side("after an iteration", closures)
    for _ in range(MAX_WIDENINGS):
        rows = Rows()
        again: Restage | None = None
        mark = getattr(carried.backend, "count_type_changes", int)()
        statement = carried.statement
        known = len(statement.items), len(statement.apart.shared)
        carried.statement.forget()
        fixed_points.begin_capture()
        try:
            path = once()
            carried.statement.check_aliases(path)
            settled = carried.settle(path, rows)
            settled = settled and not getattr(carried.backend, "types_changed", never)(mark)
            settled = settled and (len(statement.items), len(statement.apart.shared)) == known
            settled = settled and fixed_points.is_complete()
            _stage_written(carried, path)
        except Restage as error:
            again = error
        except MergeByField as error:
            carried.statement.apart.kinds.add(error.kind)
            carried.reset()
            continue
        if again is not None:
            again.stage(carried.statement)
            carried.statement.items.clear()
            carried.reset()
            continue
        if rows.rows:
            mismatch = functools.partial(rows.error, what, _ONE_TYPE, "before the loop", (BEFORE, after))
            if len(rows.absent) < len(rows.rows):
                raise mismatch()
            return NoInitialValue(rows.absent, mismatch)
        if settled and carried.tie(path):
            _refuse_aliased_writes(carried, path)
            return path
    raise MismatchError(
        f"the types of variables in {what} still change after {MAX_WIDENINGS} iterations",
        why=_ONE_TYPE,
        remedy="keep the number of dimensions and the length of each variable the same in all iterations",
    )


_ONE_TYPE = "each iteration starts with the values of the previous one, so their types must match"


def _stage_written(carried: CarriedValues, path: Path) -> None:
    """Have plain arrays staged before the loop that an iteration writes to and that have other references.

    Raises:
        AliasError: the iteration also replaces the array.
    """
    for location, i, _ in carried.slots():
        old = carried.init[location][0][i]
        placeholder = carried.given.get(location)
        if not isinstance(old, np.ndarray) or not _is_changed(placeholder):
            continue
        if location in path.values and path.values[location][0][i] is placeholder:
            getattr(carried.backend, "refuse_selected", id)(old)
            if carried.statement.other_reference(old):
                raise Restage([old])
        elif other := carried.other_name(old, location):
            raise AliasError(
                f"a staged loop writes to the array {location.name!r} and replaces it, and {other} refers to "
                "the array too",
                why="which writes the other reference sees depends on the iteration",
                remedy=f"copy the array before the loop: {location.name} = {location.name}.copy()",
            )


def _refuse_aliased_writes(carried: CarriedValues, path: Path) -> None:
    """Raise if the body rebinds a variable and writes to its original array through another name."""
    written: set[int] = set()
    for place, (leaves, _) in path.values.items():
        if isinstance(place, Written) and getattr(leaves[0], "_node", 0) is not getattr(
            carried.given.get(place), "_node", 1
        ):
            written.update(map(id, with_bases(place.handle)))
    for location, i, _ in carried.slots():
        old = carried.init[location][0][i]
        if not carried.backend.is_handle(old) or isinstance(location, Written):
            continue
        if any(id(value) in written for value in with_bases(old)) or _is_view_missed(carried, old):
            raise AliasError(
                f"a staged loop assigns another array to {location.name!r}, and also writes to the original "
                "array through another name",
                why="whether both names refer to the same array depends on the iteration",
                remedy=f"copy the array before the loop: {location.name} = {location.name}.copy()",
            )


def _is_changed(placeholder: Any) -> bool:
    """Return whether the traced code writes in place to the array that a placeholder stands for."""
    return getattr(getattr(placeholder, "_node", None), "op", "argument") != "argument"


def _is_view_missed(carried: CarriedValues, old: Any) -> bool:
    """Return whether an iteration writes to an array that a carried value begins with and that has a view."""
    if Written(old) not in carried.init:
        return False
    variables = [held for _, held in user_variables() if held is not old and carried.backend.is_handle(held)]
    return any(base is old for held in variables for base in with_bases(held))


def _finish(carried: CarriedValues, path: Path, results: Sequence[Any], iterates: Sequence[Any] = ()) -> None:
    """Write the results, mark shared ones, and turn staged lists of known length back into lists."""
    carried.enter(results)
    _share_results(carried, path, results, iterates)
    statement, unstaged = carried.statement, getattr(carried.backend, "unstaged", None)
    if unstaged is not None:
        statement.set_state(tuple(map(unstaged, statement.read_state())))
    warn_of_escapes(statement, {location: statement.held(location) for location in carried.init})
    if running.flight is not None:
        running.flight.go_on(statement.backend)


def _share_results(
    carried: CarriedValues, path: Path, results: Sequence[Any], iterates: Sequence[Any] = ()
) -> None:
    """Mark the arrays that later code must not write to, because other names may share their memory.

    These are the views that the loop leaves, with their bases; results that may be another name for an array;
    and the arrays that the loop iterates over, if a part of them outlives it.
    """
    share, is_view = getattr(carried.backend, "share", None), getattr(carried.backend, "is_view", None)
    if share is None or is_view is None:
        return
    for leaf in (*chain.from_iterable(left for left, _ in path.values.values()), *carried.initial()):
        if is_view(leaf):
            share(leaf, "it is a view created in a loop")
    for (location, i, _), left, result in zip(carried.slots(), carried.results(path), results, strict=True):
        reason = getattr(left, "shared", "") if carried.backend.is_handle(left) else ""
        if reason:
            for source in iterates:
                share(source, "a part of it outlives the loop that iterates over it")
        if (location, i) in carried.ties:
            reason = reason or "it may be another name for an array after a loop"
            share(carried.ties[location, i], "it may have another name after a loop")
        if reason:
            share(result, reason)


def while_stmt(
    backend: Backend,
    first_test: Any,
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
    *,
    peeled: int = 0,
) -> None:
    """Stage a `while` loop."""
    options = checked(backend, options)
    statement = Statement(backend, (test, body), (get_state, set_state), names)
    carried = CarriedValues(statement)

    def step() -> Any:
        with assuming(test(), outcome=True) if _tests_for_none(test) else contextlib.nullcontext():
            body()
        result = test()
        if BACKENDS[type(result)] is None:
            result, _ = truth(result)
        if hasattr(result, "append"):  # a later iteration changes the list, but not whether it was empty
            return backend.call_builtin(bool, (result,), {})
        return result

    def once() -> Path:
        return statement.run(step, carried.arguments(), carried.begin, False)

    path = fixed_point(carried, once, "a staged 'while'", (test, body))
    if isinstance(path, NoInitialValue):
        if peeled == MAX_PEELED:
            raise path.mismatch()
        if is_exhausted(options):
            return
        state, left = (get_state, set_state, names), decrement_limit(options)

        def run() -> None:
            body()
            _go_on(test, body, state, left, peeled + 1)

        run_peeled(backend, (first_test,), run, state, statement.closures, path)
        return
    results = backend.while_loop(
        first_test, carried.initial(), carried.arguments(), path.capture, path.result,
        carried.results(path), options,
    )  # fmt: skip
    _finish(carried, path, results)


def _go_on(
    test: Callable[[], Any],
    body: Callable[[], None],
    state: tuple[Callable[[], tuple], Callable[[tuple], None], Sequence[str]],
    options: dict[str, Any],
    peeled: int,
) -> None:
    """Run a `while` loop whose first iterations were peeled, and stage it once its test is staged again."""
    while not is_exhausted(options):
        condition, _ = truth(test())
        if backend := staged_by(condition):
            while_stmt(backend, condition, test, body, *state, options, peeled=peeled)
            return
        if not condition:
            return
        body()
        options = decrement_limit(options)


def _tests_for_none(test: Callable[[], Any]) -> bool:
    """Return whether the test of a loop is `x is not None`, which has no effect and narrows `x`."""
    code: Any = getattr(test, "__code__", None)
    names = () if code is None else tuple(n for n in (*code.co_names, *code.co_freevars) if n != "ag__")
    return names[:-1] in (("not_", "is_none"), _WITH_PROBES)


_WITH_PROBES = "probe", "test_while", "not_", "test", "is_none"
"""The names in such a test when a report is made: `ag__.probe(n).test` is around each operand."""


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
    peeled: int = 0,
    live: Any = None,
) -> None:
    """Stage a loop over a staged iterable. The loop ends early once `extra_test()` is false.

    `live` reads the items of a dict that the body changes.
    """
    options = checked(backend, options)
    iterated = getattr(backend, "iterated", lambda value: value)(iterated)
    first_test = True if extra_test is None else extra_test()
    is_empty = getattr(backend, "is_empty", None)
    if first_test is False or (is_empty is not None and is_empty(iterated)):
        return
    statement = Statement(backend, (extra_test or set_nothing, body), (get_state, set_state), names)
    carried = CarriedValues(statement)

    def once() -> Path:
        return run_iteration(carried, backend.elements(iterated), extra_test, body, live)

    path = fixed_point(carried, once, "a staged 'for'", (body,))
    if live is None and (isinstance(path, NoInitialValue) or _writes_to(carried, iterated)):
        live = getattr(backend, "live_items", never)(iterated) or None
        if live:
            state = get_state, set_state, names
            for_stmt(backend, live.iterated, extra_test, body, *state, options, peeled=peeled, live=live)
            return
    if isinstance(path, NoInitialValue):
        if peeled == MAX_PEELED:
            raise path.mismatch()
        if is_exhausted(options):
            return
        is_there, first, rest = first_and_rest(backend, iterated, path)
        if is_there is False:
            return
        state, left = (get_state, set_state, names), decrement_limit(options)

        def run() -> None:
            run_body(first(), extra_test, body, live)
            for_stmt(backend, rest, extra_test, body, *state, left, peeled=peeled + 1, live=live)

        run_peeled(backend, (is_there, first_test), run, state, statement.closures, path)
        return
    build_for(carried, path, iterated, first_test, options)


def run_body(item: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None], live: Any) -> Any:
    """Run the body of a `for` once; return whether the loop goes on."""
    body(item if live is None else live.begin(item))
    goes_on = True if extra_test is None else extra_test()
    if live is not None:
        live.end(goes_on)
    return goes_on


def run_iteration(
    carried: CarriedValues,
    elements: tuple[Callable[[Sequence[Any]], Any], Sequence[Any]],
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    live: Any = None,
) -> Path:
    """Capture the body of a `for` once; `elements` are a function that builds an item, and its types."""
    rebuild, element_types = elements
    element: list[Any] = []

    def step() -> Any:
        return run_body(element[0], extra_test, body, live)

    def enter(*values: Any) -> None:
        count = len(element_types)
        element[:] = [rebuild(values[:count])]
        carried.begin(*values[count:])

    return carried.statement.run(step, [*element_types, *carried.arguments()], enter, False)


def build_for(
    carried: CarriedValues, path: Path, iterated: Any, first_test: Any, options: dict[str, Any]
) -> None:
    """Build a `for` from the path of its body, and write its results."""
    backend = carried.backend
    if _writes_to(carried, iterated):
        raise AliasError(
            "a staged 'for' cannot write to the array or list that it iterates over",
            why="later iterations would have to see what earlier ones write",
            remedy="loop over a copy ('for x in xs.copy()'), or over the indexes ('for i in range(len(xs))')",
        )
    results = backend.for_loop(
        iterated, first_test, carried.initial(), carried.arguments(), path.capture, path.result,
        carried.results(path), options,
    )  # fmt: skip
    _finish(carried, path, results, _sources(backend, iterated))


def _sources(backend: Backend, iterated: Any) -> list[Any]:
    sources = getattr(backend, "sources", lambda iterated: [iterated])(iterated)
    return [base for source in sources for base in with_bases(source)]


def _writes_to(carried: CarriedValues, iterated: Any) -> bool:
    """Return whether the body of a loop changes what the loop goes over."""
    backend = carried.backend
    sources = _sources(backend, iterated) + getattr(backend, "viewed", lambda _: [])(iterated)
    return any(isinstance(w, Written) and any(w.handle is s for s in sources) for w in carried.init)
