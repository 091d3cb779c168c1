"""Finish Python loops that a staged condition ends: roll them into one staged loop, or unroll them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import GeneratorType
from typing import Any

from ..backends import staged_by
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..core.in_flight import MAX_RESTS, count_rests
from ..errors import UnrolledLoopError
from ..values.plain_loops import KeyedItems, iterators_in
from .branches.conditions import if_stmt
from .generators import continued_error
from .loop_rolling import Outcome, is_rolling_needed, remaining_range, roll
from .state.aliases import may_be_continued

MAX_UNROLLED = 10_000
LONG_RANGE = 16
"""The length from which some backends roll a loop over a plain range without a staged condition."""


def finish_loop(
    items: Iterator[Any],
    extra_test: Callable[[], Any],
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
) -> None:
    """Run the remaining iterations of a Python loop whose test is staged.

    Those over a plain range are rolled if possible. If the types of variables are not stable, a second
    attempt follows one more iteration.
    """
    check_not_continued(items)
    rest, attempts = remaining_range(items), 2
    if isinstance(items, KeyedItems):
        items.goes_on = extra_test
    for count, item in enumerate(items):
        test_result = extra_test()
        owner = staged_by(test_result)
        if owner is None:
            if not test_result:
                return
            body(item)
            continue
        if attempts and rest is not None:
            outcome = roll(
                owner, rest[count:], test_result, extra_test, body, (get_state, set_state), names, items
            )
            if outcome is Outcome.ROLLED:
                return
            attempts = attempts - 1 if outcome is Outcome.UNSTABLE else 0
        if count == MAX_UNROLLED:
            raise UnrolledLoopError(
                f"a 'break' on a staged value did not end a Python loop within {MAX_UNROLLED} iterations",
                why="a plain iterator is unrolled to its end, because the iteration in which the loop "
                "breaks is known only when the graph runs",
                remedy="use 'while', or loop over a staged range or array",
            )

        def iteration(item: Any = item) -> None:
            body(item)

        if_stmt(owner, test_result, iteration, nothing, get_state, set_state, names, len(names))


def check_not_continued(items: Any) -> None:
    """Raise if later code continues an iterator whose items are all taken, wherever the loop ends."""
    for iterator in iterators_in(items, in_generators=True):
        if may_be_continued(iterator):
            kind = "a generator" if isinstance(iterator, GeneratorType) else "an iterator"
            raise continued_error(kind)


def is_long_range(values: Any) -> bool:
    """Return whether to try to roll a loop over some values, though no condition is staged."""
    if type(values) is not range:
        return False
    return len(values) >= LONG_RANGE or (len(values) > 2 and is_rolling_needed(active_backend()))


def start_long_range(
    values: range,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    target: str = "",
) -> Iterator[int]:
    """Run the first iterations of a loop over a long plain range, and roll the others if possible.

    Return the items that are left. `extra_test()` has just returned True. A loop without it leaves the last
    item in the variable `target`.
    """
    backend, items = active_backend(), iter(values)
    if not getattr(backend, "rolls_long_ranges", False):
        return items
    state = get_state, set_state
    target = target if extra_test is None and target in names else ""
    is_short = len(values) <= MAX_RESTS and not is_rolling_needed(backend)
    for count in (1, 2):
        rests = count_rests()
        body(next(items))
        if extra_test is not None:
            test_result = extra_test()
            if staged_by(test_result) is not None:
                finish_loop(items, extra_test, body, get_state, set_state, names)
                return iter(())
            if not test_result:
                return iter(())
        outcome = roll(
            backend, values[count:], True, extra_test or _always, body, state, names, items,
            keeps_plain=is_short or count_rests() == rests, target=target,
        )  # fmt: skip
        if outcome is Outcome.ROLLED:
            if target:
                place = names.index(target)
                found = get_state()
                set_state((*found[:place], values[-1], *found[place + 1 :]))
            return iter(())
        if outcome is Outcome.REFUSED:
            break
    return items


def _always() -> bool:
    return True
