"""Functions that call themselves under a staged condition."""

from __future__ import annotations

import sys
import types

from ..closures import function_name
from ..errors import StagedRecursionError
from ..places import Place, at
from ..sites import test_of
from ..tracebacks import FULL, frames_of, is_ours, user_frame


def too_deep(code: types.CodeType, levels: int) -> StagedRecursionError:
    """The error for a statement that has been reached again and again inside itself."""
    condition, call = _cycle()
    return _error(code, f"{levels} levels were tried", condition, call)


def _error(
    code: types.CodeType, tried: str, condition: Place | None, call: Place | None
) -> StagedRecursionError:
    name = function_name(code)
    return StagedRecursionError(
        f"{name!r} calls itself under a staged condition",
        why=f"how deep it goes is known only when the program runs, so the trace would not end ({tried})",
        remedy=f"write {name!r} as a loop, or let a plain number decide when it ends",
        sites=[] if condition is None else [("the condition", condition)],
        place=call,
    )


def raise_if_endless(error: RecursionError, code: types.CodeType) -> None:
    """Raise in the place of Python's own error, if it came of functions that call each other in this way."""
    frames = frames_of(error)
    if len(frames) > len({*frames}) * 3:
        here = user_frame(sys._getframe(1))
        condition = None if here is None else test_of(at(here.f_code, here.f_lasti))
        raise _error(code, "Python's limit was reached", condition, at(*frames[0])) from None


def _cycle() -> tuple[Place | None, Place | None]:
    """The staged condition, and the call that led to it."""
    condition: Place | None = None
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_code):
            here = at(frame.f_code, frame.f_lasti)
            if condition is None:
                condition = here
            elif (here.line, here.column) != (condition.line, condition.column):
                return test_of(condition), here
        frame = frame.f_back
    return condition, condition


def one_cycle(error: StagedRecursionError) -> None:
    """Take the repetitions off the traceback of `error`, which may hold thousands of frames."""
    if FULL:
        return
    kept: list[types.TracebackType] = []
    seen: set[tuple[types.CodeType, int]] = set()
    here = error.__traceback__
    while here is not None:
        if not is_ours(here.tb_frame.f_code):
            key = here.tb_frame.f_code, here.tb_lasti
            if key in seen:
                break
            seen.add(key)
            kept.append(here)
        here = here.tb_next
    rebuilt = None
    for place in reversed(kept):
        rebuilt = types.TracebackType(rebuilt, place.tb_frame, place.tb_lasti, place.tb_lineno)
    error.__traceback__ = rebuilt
