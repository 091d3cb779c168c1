"""Detect recursion under a staged condition."""

from __future__ import annotations

import sys
import types
from collections import Counter
from collections.abc import Collection
from itertools import pairwise

from ..core.closures import enclosing_qualname
from ..debugging.call_sites import condition_position
from ..debugging.positions import CodePosition, position_at
from ..debugging.tracebacks import FULL, is_internal, traceback_entries, traceback_frames, user_frame
from .tracing import StagedRecursionError


def recursion_error(
    code: types.CodeType, condition: CodePosition | None, call: CodePosition | None
) -> StagedRecursionError:
    """Return the error for a function that calls itself under a staged condition."""
    name = _name(code)
    return StagedRecursionError(
        f"{name!r} calls itself under a staged condition",
        why="the depth is known only when the graph runs, so the trace would not end",
        remedy=f"write {name!r} as a loop, or end the recursion with a test of a plain number",
        sites=[] if condition is None else [("the condition", condition)],
        place=call,
    )


def _name(code: types.CodeType) -> str:
    return enclosing_qualname(code).rpartition(".")[2].removeprefix("ag__")


def refusal(code: types.CodeType, why: str, remedy: str) -> StagedRecursionError:
    """Return the error for a recursion under a staged condition that cannot become a graph."""
    return StagedRecursionError(
        f"{_name(code)!r} calls itself under a staged condition, but cannot become a graph",
        why=why,
        remedy=remedy,
    )


def raise_if_recursive(error: RecursionError, code: types.CodeType | None, outer: Collection[object]) -> None:
    """At the first statement of a recursion under staged conditions, replace Python's RecursionError.

    `code` is that of a closure of the statement, if it has one, and `outer` contains that of the enclosing
    statements. The new error is the same as for too many nested statements, so it does not depend on the
    initial depth of the stack.
    """
    frames = traceback_frames(error)
    if max(Counter(frames).values(), default=0) <= 3 or any(at in outer for at, _ in frames):
        return
    here = user_frame(sys._getframe(1))
    condition, call = None, frames[0]
    if here is not None:
        condition = condition_position(position_at(here.f_code, here.f_lasti))
        call = next((by for by, entered in pairwise(frames) if entered[0] is here.f_code), call)
    name = code or call[0]
    raise recursion_error(name, condition, position_at(*call)) from None


def cycle() -> tuple[CodePosition | None, CodePosition | None]:
    """Return the positions of the staged condition and of the call that led to it."""
    condition: CodePosition | None = None
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_internal(frame.f_code):
            here = position_at(frame.f_code, frame.f_lasti)
            if condition is None:
                condition = here
            elif (here.line, here.column) != (condition.line, condition.column):
                return condition_position(condition), here
        frame = frame.f_back
    return condition, condition


def cut_to_one_cycle(error: StagedRecursionError) -> None:
    """Reduce the traceback of `error`, which may have thousands of frames, to one cycle."""
    if FULL:
        return
    kept: list[types.TracebackType] = []
    seen: set[tuple[types.CodeType, int]] = set()
    for entry in traceback_entries(error.__traceback__):
        key = entry.tb_frame.f_code, entry.tb_lasti
        if key in seen:
            break
        if not is_internal(key[0]):
            seen.add(key)
            kept.append(entry)
    rebuilt = None
    for place in reversed(kept):
        rebuilt = types.TracebackType(rebuilt, place.tb_frame, place.tb_lasti, place.tb_lineno)
    error.__traceback__ = rebuilt
