"""Errors about containers of Python that staged code changes."""

from __future__ import annotations

import dis
import sys
from collections.abc import Sequence
from typing import Any

from ..backends import Backend
from ..errors import AliasError, StagingError
from ..handed import described, owner
from ..refusals import INSTEAD
from ..sites import changed_by
from ..slots import Slot
from ..tracebacks import variables
from .aliases import user_frames

_EACH_TIME = "the program would have to change the very object each time that it runs, and "


def changed(owner: Any, name: str, other: str) -> AliasError:
    """The error about a container that staged code changes, and that is no array of one variable."""
    kind, shown = type(owner).__name__, name or "x"
    plain = f"{name!r}, a plain {kind}," if name else f"a plain {kind}"
    what = f"{plain} is changed in a staged branch or loop{f', and {other} leads to it too' if other else ''}"
    if kind in INSTEAD:
        why = f"{_EACH_TIME}it holds numbers, text, arrays and lists"
        return AliasError(what, why=why, remedy=INSTEAD[kind])
    return AliasError(
        what,
        why=f"{_EACH_TIME}the trace knows of one variable of the function only",
        remedy=f"give the variable a new value ({shown} = {shown} + 1 in the place of {shown} += 1), or pass "
        f"the {kind} as an argument",
    )


def not_dropped(made: Any, target: Any, backend: Backend) -> Any:
    """What a write made in the place of `target`, for the code that called the operator, if that keeps it.

    Raises:
        AliasError: its next instruction drops it, since `target` is no variable.
    """
    frame = sys._getframe(2)
    code, place = frame.f_code.co_code, frame.f_lasti + 2
    while code[place] == dis.opmap["CACHE"]:
        place += 2
    if code[place] != dis.opmap["POP_TOP"]:
        return made
    what = described(target) if owner(target) is not None else f"a plain {type(target).__name__}"
    raise AliasError(
        f"{what} is written in place, and is no variable of the function",
        why=f"for {backend.name} an array is a value: the write makes another one, and what held this one "
        "holds it still",
        remedy="write to a variable, and put that back: a = rows[i]; a[j] = v; rows[i] = a (or, of one array "
        "with several dimensions, x[i, j] = v)",
    )


def no_variable(held: list[Any], holder: Slot | None, closures: Sequence[Any]) -> StagingError:
    """The error about a list that staged code makes longer or shorter, and that no variable of it holds.

    `holder` is what else is known to hold the list; `closures` are those of the statement.
    """
    scopes = [scope for f in user_frames() for scope in (variables(f), f.f_globals)]
    name = next((n for scope in scopes for n, v in [*scope.items()] if v is held), "")
    name = name or ("" if holder is None else holder.name)
    place = changed_by(name.rpartition(".")[2], closures)
    what = (
        f"the list {name!r}, which is no variable of the function," if name else "a list that is no variable"
    )
    return StagingError(
        f"{what} changes its length in a staged branch or loop",
        why="a list whose length depends on staged values is another object, and only a variable of the "
        "function can be given it",
        remedy="collect the items in a list of the function's own, return that, and add it to "
        f"{repr(name) if name else 'the other'} after the call",
        sites=[] if place is None else [("it changes here", place)],
    )
