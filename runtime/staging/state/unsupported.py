"""Errors about Python containers that staged code changes in unsupported ways."""

from __future__ import annotations

import dis
import sys
from collections.abc import Sequence
from typing import Any

from ...backends import Backend
from ...core.active_backends import owning_backend
from ...debugging.call_sites import first_length_change
from ...debugging.error_operands import describe_staged
from ...debugging.tracebacks import frame_variables
from ...errors import AliasError, StagingError
from ...errors.unsupported import CONTAINER_ALTERNATIVES
from ...values.locations import Location
from .search import user_frames

_EACH_TIME = "the graph would have to change the object each time it runs, but "


def changed(owner: Any, name: str, other: str) -> AliasError:
    """Return the error for a change to a container other than an array in a single variable."""
    kind, shown = type(owner).__name__, name or "x"
    plain = f"{name!r}, a plain {kind}," if name else f"a plain {kind}"
    alias = f", and {other} refers to it too" if other else ""
    what = f"{plain} is changed in a staged branch or loop{alias}"
    if kind in CONTAINER_ALTERNATIVES:
        why = f"{_EACH_TIME}a graph contains only numbers, text, arrays and lists"
        return AliasError(what, why=why, remedy=CONTAINER_ALTERNATIVES[kind])
    return AliasError(
        what,
        why=f"{_EACH_TIME}the trace can replace it only in one variable of the function",
        remedy=f"assign a new value to the variable ({shown} = {shown} + 1 instead of {shown} += 1), or pass "
        f"the {kind} as an argument",
    )


def checked_write(made: Any, target: Any, backend: Backend) -> Any:
    """Return the array that a write to `target` created, which the caller must store in a variable."""
    frame = sys._getframe(2)
    code, place = frame.f_code.co_code, frame.f_lasti + 2
    while code[place] == dis.opmap["CACHE"]:
        place += 2
    if code[place] != dis.opmap["POP_TOP"]:
        return made
    what = (
        describe_staged(target) if owning_backend(target) is not None else f"a plain {type(target).__name__}"
    )
    raise AliasError(
        f"{what} is written to in place, but is not a variable of the function",
        why=f"{backend.name} arrays are immutable: the write creates another array, and other references "
        "still refer to the old one",
        remedy="write to a variable and store it back: a = rows[i]; a[j] = v; rows[i] = a (or, for one array "
        "with several dimensions, x[i, j] = v)",
    )


def not_a_variable_error(
    plain_list: list[Any], holder: Location | None, closures: Sequence[Any]
) -> StagingError:
    """Return the error about a list of staged length that no variable of the function refers to.

    `holder` is another location known to contain the list; `closures` belong to the statement.
    """
    scopes = [scope for f in user_frames() for scope in (frame_variables(f), f.f_globals)]
    name = next((n for scope in scopes for n, v in [*scope.items()] if v is plain_list), "")
    name = name or ("" if holder is None else holder.name)
    place = first_length_change(name.rpartition(".")[2], closures)
    what = f"the list {name!r}" if name else "an unnamed list"
    return StagingError(
        f"{what}, which is not a variable of the function, changes its length in a staged branch or loop",
        why="a list whose length depends on staged values is replaced with another object, and only a "
        "variable of the function can refer to that",
        remedy="collect the items in a local list, return that list, and add it to "
        f"{repr(name) if name else 'the outer list'} after the call",
        sites=[] if place is None else [("it changes here", place)],
    )


def plain_array_error(other: str) -> AliasError:
    return AliasError(
        f"a staged value is written into a plain array, and {other} also refers to the array",
        why="the other reference would not see the write, which happens only when the graph runs",
        remedy="write to a copy (y = x.copy()), or pass the array as an argument",
    )
