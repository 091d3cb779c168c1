"""Stage conditionals: capture both branches and merge the values they leave in each location."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from ...backends import Backend, staged_by
from ...core.active_backends import assuming
from ...core.closures import nothing, set_nothing
from ...core.forks import current_run
from ...core.in_flight import SKIPPED, InFlight, running
from ...core.rolling_attempts import note_merged
from ...core.undefined import Undefined, is_return_variable
from ...errors import AliasError
from ...values import selected_container
from ...values.alternatives import changed_leaves, parts_of
from ...values.locations import RESULT, Location, Path, Variable, Written
from ...values.structures import LEAF, Spec, leaf_paths, unflatten
from ..state.aliases import WRITABLE, is_aliased, names_of, other_reference, shared_places
from ..state.container_merging import (
    MergedContainers,
    Value,
    aligned,
    collapsed,
    result_with_lists,
    split_results,
)
from ..state.escapes import is_local_result, is_only_view, outer_name, warn_of_escapes
from ..state.growing_lists import stage_list
from ..state.mismatches import Rows, Side, ignored, merge_results, outlined
from ..state.missing_values import known_part
from ..state.object_merging import MergeByField
from ..state.statement import Restage, Statement, is_missing, is_same
from .exceptions import AlwaysRaises, refuse_end


def if_stmt(
    backend: Backend,
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    outputs: int,
    reached: Sequence[Any] = (),
    closures: Sequence[Any] = (),
    *,
    is_exact: bool = False,
) -> None:
    """Stage an `if` statement.

    If its branches are not user code, `reached` are values that they use, and `closures` the user's functions
    that they call. With `is_exact`, values of two shapes have no common type.
    """
    closures = closures or (body, orelse)
    statement = Statement(backend, closures, (get_state, set_state), names, reached=reached)

    def captured() -> tuple[Path, Path]:
        with assuming(cond, outcome=True):
            first = statement.run(body, is_alone=False)
        with assuming(cond, outcome=False):
            return first, statement.run(orelse, is_alone=False)

    def both() -> tuple[Path, Path]:
        made = statement.settled(captured)
        while _grow_lists(statement, *made):
            made = statement.settled(captured)
        return made

    sides = Side("if true", (body,)), Side("if false", (orelse,))
    first, second, values = _merged_paths(statement, both, cond, outputs, sides, is_exact)
    for path in (first, second):
        refuse_end(path.capture.raised, statement.code)
    if not (first.raises and second.raises):
        statement.write(values)
        warn_of_escapes(statement, values)
    elif not (first.is_left or second.is_left):
        raise AlwaysRaises
    else:
        statement.write(values)
    for path in (first, second):
        getattr(path.capture, "share_again", nothing)()
    if running.flight is not None:
        running.flight.go_on(backend)
        if first.raises and second.raises:
            raise AlwaysRaises(in_flight=True)


def _merged_paths(
    statement: Statement,
    both: Callable[[], tuple[Path, Path]],
    cond: Any,
    outputs: int,
    sides: tuple[Side, Side],
    is_exact: bool,
) -> tuple[Path, Path, dict[Any, Any]]:
    """Capture and merge both paths, restarting when two objects have to be merged field by field."""
    while True:
        try:
            first, second = both()
            values = merge_paths(statement, cond, (first, second), outputs, sides, is_exact=is_exact)
            return first, second, values
        except MergeByField as error:
            if error.kind in statement.apart.kinds:
                raise
            statement.apart.kinds.add(error.kind)
            continue
        except Restage as error:
            again = error
        again.stage(statement)


def merge_paths(
    statement: Statement,
    cond: Any,
    paths_: tuple[Path, Path],
    outputs: int,
    sides: tuple[Side, Side],
    *,
    is_exact: bool = False,
) -> dict[Any, Any]:
    """Build one conditional from two paths, and return the merged value of each location they change."""
    backend, rows = statement.backend, Rows()
    first, second = paths_
    plan: dict[Any, tuple[Spec, list[tuple[int | None, Any]]]] = {}
    raw: list[tuple[Any, Any]] = []
    places: list[Any] = []
    merged: list[tuple[Any, Any, Any]] = []
    left: list[Any] = []
    is_inner = getattr(backend, "is_inner", backend.is_staged)
    for path in paths_:
        statement.check_aliases(path)
    alone = (first.capture.raised is None) != (second.capture.raised is None)
    forgotten = [_forgotten(statement, path) for path in paths_]
    found = MergedContainers(statement)
    for location in {**first.values, **second.values}:
        if isinstance(location, Variable) and location.index >= outputs:
            continue
        ends = [path for path, names in zip(paths_, forgotten, strict=True) if location not in names]
        if not ends:
            continue
        found.add(location, *_values_on_both(statement, location, ends))
    for location, ((a, a_spec), (b, b_spec)) in found.pairs():
        note_merged(len(a))
        if not alone:
            statement.stage_dict(location, *a, *b)
        name = statement.name_of(location)
        whole = [unflatten(spec, leaves) for leaves, spec in ((a, a_spec), (b, b_spec))]
        both = None if a_spec == b_spec else statement.apart.unified((a, a_spec), (b, b_spec))
        if both is not None:
            (a, a_spec), (b, b_spec) = both
        elif a_spec != b_spec and isinstance(location, Variable) and _are_lists(backend, whole):
            _refuse_selected(whole, name)
            a, b, a_spec = [whole[0]], [whole[1]], LEAF
        elif a_spec != b_spec and not isinstance(getattr(location, "owner", None), list) and (
            both := collapsed(backend, (a, a_spec), (b, b_spec))
        ):  # fmt: skip
            (a, a_spec), (b, _) = both
            _refuse_selected([*a, *b], name)
        elif (
            a_spec != b_spec
            and not (is_missing(a) or is_missing(b))
            and (split := split_results(statement, location, (a, a_spec), (b, b_spec)))
        ):
            (a, a_spec), (b, b_spec) = split
        elif a_spec != b_spec:
            if not is_missing(a) and not is_missing(b):
                shown = outlined(backend, a, a_spec), outlined(backend, b, b_spec)
                rows.add(name, *shown, "the structures differ")
                continue
            if is_missing(a):
                b, a_spec = result_with_lists(backend, location, (b, b_spec))
                a = a * len(b)
            else:
                a, a_spec = result_with_lists(backend, location, (a, a_spec))
                b = b * len(a)
        left += [] if isinstance(location, Written) else [*a, *b]
        slots: list[tuple[int | None, Any]] = []
        is_forgotten = location in forgotten[0] or location in forgotten[1]
        before = statement.current(location)[0] if is_forgotten and location is not RESULT else []
        for leaf_name, x, y in zip(leaf_paths(a_spec, name), a, b, strict=True):
            is_alone = alone or (is_forgotten and all(x is not leaf for leaf in before))
            if (array := getattr(backend, "whole_array", ignored)(x, y)) is not None:
                x = y = array
            is_outer = isinstance(x, Undefined) or statement.is_from_before(x)
            if is_same(x, y):
                if is_alone and not is_outer:
                    statement.apart.check_scope(x)
                if is_outer or not (is_alone and is_inner(x)):
                    slots.append((None, x))
                    continue
            raw.append((x, y))
            places.append(location)
            x, y = changed_leaves(x, first.leaf), changed_leaves(y, second.leaf)
            known = known_part(x, y)
            if known:
                slots.append((None, known[0]))
                raw.pop(), places.pop()
                continue
            x, y, kind = merge_results(backend, location, leaf_name, x, y, rows)
            if is_exact and backend.changes_rank(kind, x, y):  # type: ignore[attr-defined]
                kinds = backend.type_of(x), backend.type_of(y)
                rows.add(leaf_name, *kinds, "one is a number, the other is an array")
            if location in forgotten[0]:
                x = Undefined(leaf_name)
            elif location in forgotten[1]:
                y = Undefined(leaf_name)
            slots.append((len(merged), None))
            merged.append((x, y, kind))
        plan[location] = a_spec, slots

    def is_own(holder: Location) -> bool:
        """Return whether a location is in no dict of the caller's, which has the same keys on each path."""
        is_given = getattr(backend, "is_given", bool)
        return not isinstance(holder.owner, dict) or (
            statement.is_free(holder.owner) and is_given(holder.owner)
        )

    if rows.rows:
        holders = [location for location in plan if isinstance(location, Location)]
        rows.outer = {statement.name_of(slot): outer_name(statement, slot) for slot in holders}
        what = "an 'if' on a staged value" if sides[0].closures else "a conditional expression"
        why = "the graph selects one of them at run time, and later code needs one type for both"
        error = rows.error(what, why, "in both branches", sides)
        error.can_fork = all(map(is_own, holders))  # type: ignore[attr-defined]
        raise error
    results = backend.cond(cond, (first.capture, second.capture), merged)
    if (run := current_run()) is not None and run.merging is not None:
        for result in results:
            if hasattr(result, "decided_by"):
                result.decided_by = run, run.merging
    share, is_view = getattr(backend, "share", None), getattr(backend, "is_view", None)
    lone: set[int] = set()
    if share is not None and is_view is not None:
        views = [*filter(is_view, chain.from_iterable(raw))]
        lone = {id(view) for view in views if is_only_view(statement, view, left)}
        for view in (view for view in views if id(view) not in lone):
            share(view, "it is a view created in a branch")
    keep_array = getattr(backend, "keep_array", None)
    tied = _tied_results(backend, places, raw) if share is not None else set()
    for i, (result, location, leaves) in enumerate(zip(results, places, raw, strict=True)):
        if keep_array is not None:
            keep_array(result, *leaves)
        if share is not None and not isinstance(location, Written):
            reasons = [path.shared.get(id(leaf), "") for leaf, path in zip(leaves, paths_, strict=True)]
            for reason in filter(None, [*reasons, _TIED if i in tied else ""]):
                share(result, reason)
            handles = [
                (leaf, reason)
                for whole, reason in zip(leaves, reasons, strict=True)
                for leaf in parts_of(whole)
                if backend.is_handle(leaf) and id(leaf) not in lone and not is_local_result(leaf, location)
            ]
            own = names_of(statement.names, location.name)
            plain = [v for v in leaves if isinstance(v, WRITABLE) and not is_local_result(v, location)]
            if any(is_aliased(leaf, location, reason) for leaf, reason in handles) or any(
                other_reference(array, own, statement.code) for array in plain
            ):
                others = [*chain(*map(parts_of, leaves))]
                if isinstance(getattr(location, "owner", None), InFlight) and running.flight is not None:
                    running.flight.carried += others
                    others.clear()
                for value in (result, *others):
                    share(value, "it may be another name for an array created before the 'if'")
    return {
        location: unflatten(spec, [value if i is None else results[i] for i, value in slots])
        for location, (spec, slots) in plan.items()
    }


_TIED = "the 'if' may leave another name for the same array"


def _tied_results(backend: Backend, places: Sequence[Any], raw: Sequence[tuple[Any, Any]]) -> set[int]:
    """Return the positions of results that a branch may leave as one array, or as a view of another."""
    tied: set[int] = set()
    for side in (0, 1):
        leaves = [pair[side] for pair in raw]
        for same in shared_places(backend, leaves):
            slots = {id(leaves[i]) for i in same if isinstance(places[i], Location)}
            kept = {
                i for i in same
                if not isinstance(places[i], Written)
                and not (_is_attribute(places[i]) and id(leaves[i]) in slots)
                and not any(is_local_result(leaf, places[i]) for leaf in raw[i])
            }  # fmt: skip
            tied |= kept if len(kept) > 1 else set()
    return tied


def _is_attribute(place: Any) -> bool:
    """Return whether a place is a variable of the state such as `self.x`, whose slot is a place, too."""
    return isinstance(place, Variable) and "." in place.name


def _forgotten(statement: Statement, path: Path) -> frozenset[Any]:
    """Return the variables whose values no handler reads after an exception has ended a path."""
    if not path.is_left:
        return frozenset()
    is_skipped = RESULT in path.values and path.values[RESULT][0] == [SKIPPED]
    return frozenset((*running.flight.forgotten(statement), *([RESULT] if is_skipped else [])))


def _are_lists(backend: Backend, values: Sequence[Any]) -> bool:
    """Return whether two values are lists that the backend can represent as one value."""
    kinds = [backend.type_of(list(value)) for value in values if isinstance(value, list)]
    return bool(kinds) and None not in kinds and all(isinstance(v, list) or staged_by(v) for v in values)


def _refuse_selected(lists: Sequence[Any], name: str) -> None:
    """Raise if other names refer to one of two lists that a list of staged length would replace."""
    if any(isinstance(value, selected_container.SelectedContainer) for value in lists):
        name = "the result of the function" if is_return_variable(name) else name
        raise AliasError(
            f"a staged condition selects one of two lists for {name}, and other names refer to them too",
            why=f"a change to {name} would have to reach the selected list, "
            "which is known only when the graph runs",
            remedy=f"assign a copy to {name} in each branch: list(...)",
        )


def _grow_lists(statement: Statement, first: Path, second: Path) -> bool:
    """Stage the lists that the branches leave with different lengths, and return whether there are any."""
    grown = False
    for location in growing(statement, first, second):
        grown |= stage_list(statement, location)
    return grown


def growing(statement: Statement, first: Path, second: Path) -> Iterator[Any]:
    """Yield the locations of lists that two paths leave with different lengths."""
    for location in (place for place in {**first.values, **second.values} if place is not RESULT):
        _, (left, right) = _values_on_both(statement, location, (first, second))
        a, b = left[1], right[1]
        if a != b and list in (a.kind, b.kind) and statement.apart.unified(left, right) is None:
            yield location


def _values_on_both(
    statement: Statement, location: Any, paths_: Sequence[Path]
) -> tuple[list[Value], list[Value]]:
    """Return the values that two paths leave in a location, raw and aligned.

    If one path raises, or is not given, the values of the other path are used for both.
    """
    ends = [p for p in paths_ if p.capture.raised is None] or paths_
    sides = [ends[0], ends[-1]]
    left = [path.values.get(location) or statement.current(location) for path in sides]
    return left, aligned(statement, left, sides)


def if_exp(
    backend: Backend,
    cond: Any,
    if_true: Callable,
    if_false: Callable,
    text: str,
    reached: Sequence[Any] = (),
    *,
    is_exact: bool = False,
) -> Any:
    """Stage a conditional expression: a statement whose branches leave one value.

    `reached` are values that its closures use, if they are not user code.
    """

    def value_of(closure: Callable[[], Any], outcome: bool) -> Path:
        with assuming(cond, outcome=outcome):
            statement_path = statement.run(closure, skipped=SKIPPED)
        statement_path.values[RESULT] = statement.flatten(statement_path.result)
        statement_path.raw[RESULT] = statement_path.result
        return statement_path

    closures = if_true, if_false
    statement = Statement(backend, closures, (tuple, set_nothing), (), is_expression=True, reached=reached)

    def captured() -> tuple[Path, Path]:
        return value_of(if_true, True), value_of(if_false, False)

    def both() -> tuple[Path, Path]:
        made = statement.settled(captured)
        while _grow_lists(statement, *made):
            made = statement.settled(captured)
        return made

    sides = Side("if true"), Side("if false")
    first, second, values = _merged_paths(statement, both, cond, 0, sides, is_exact)
    value = values.pop(RESULT, None)
    statement.apart.keep_results([value])
    statement.write(values)
    if running.flight is not None:
        running.flight.go_on(backend)
        if first.raises and second.raises:
            raise AlwaysRaises(in_flight=True)
    selected_container.snapshot_sources(value)
    warn_of_escapes(statement, values)
    return value
