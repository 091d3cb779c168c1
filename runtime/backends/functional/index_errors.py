"""Errors about subscripts and item assignments with staged operands, and `in` with ranges."""

from __future__ import annotations

from typing import Any

from ...core.closures import function_key
from ...core.undefined import is_return_variable
from ...debugging.tracebacks import frame_variables
from ...errors import AliasError, MismatchError, UnsupportedFunctionError, ValueNeededError
from ...staging.state.search import user_frames


def check_unaliased(target: Any, system: str, copy_template: str) -> None:
    """Check that at most one variable refers to an array, because an item assignment rebinds only one.

    Raises:
        AliasError: several variables of the running converted functions refer to the array.
    """
    names: dict[tuple[str, str], set[str]] = {}
    for frame in user_frames(converted=True):
        own = {n for n, v in frame_variables(frame).items() if v is target and not is_return_variable(n)}
        names.setdefault(function_key(frame.f_code), set()).update(own)
    aliases = [name for own in names.values() for name in sorted(own)]
    if len(aliases) > 1:
        first, second = aliases[:2]
        raise AliasError(
            f"cannot assign an item of an array that both {first!r} and {second!r} refer to",
            why=f"{system} arrays are immutable, so the assignment would change only one of the variables",
            remedy=f"copy the array first ({first} = {copy_template.format(first)}), and return the copy "
            "from a function that changes it",
        )


def staged_index_error(target: Any, remedy: str) -> ValueNeededError:
    return ValueNeededError(
        f"a {type(target).__name__} cannot be indexed by a staged value",
        why="Python would need the value, which is known only when the graph runs",
        remedy=remedy,
    )


def staged_key_error(target: Any, remedy: str) -> ValueNeededError:
    return ValueNeededError(
        f"cannot set an item of a {type(target).__name__} with a staged key",
        why="Python would need the value of the key, which is known only when the graph runs",
        remedy=remedy,
    )


def mixed_items_error(target: Any, array: str, reason: object = "") -> MismatchError:
    """Return the error for a staged index into items of several types; `array` names the system's arrays."""
    return MismatchError(
        f"a {type(target).__name__} whose items differ in type or shape cannot be indexed by a staged value",
        why="the item is selected only when the graph runs, so all items need one type"
        + (f": {reason}" if reason else ""),
        remedy=f"give its items one type and shape, or use {array}",
    )


def in_range(item: Any, container: Any, array: str) -> Any:
    """Return whether a staged number is in a range; raise `membership_error` for other containers."""
    if not isinstance(container, range):
        raise membership_error(container, array)
    inside = (item >= container.start) & (item < container.stop)
    return inside & ((item - container.start) % container.step == 0)


def membership_error(container: Any, array: str) -> UnsupportedFunctionError:
    """Return the error for `in` with a container that has no staged search."""
    return UnsupportedFunctionError(
        f"a staged value cannot be searched for in a {type(container).__name__}",
        why="Python would need the value, which is known only when the graph runs",
        remedy=f"use a list, tuple, range or {array}: x in (1, 2, 3)",
    )
