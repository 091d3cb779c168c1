"""Tracebacks that show the user's frames and not ours.

An operator that calls user code catches what that raises, takes its own frame off the traceback and
raises on. `AUTOGRAPH_RS_TRACEBACK=full` keeps every frame.
"""

from __future__ import annotations

import os
import types

FULL = os.environ.get("AUTOGRAPH_RS_TRACEBACK") == "full"
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def without_own_frame(error: BaseException) -> None:
    """To be called first in an `except` of the frame that is to be left out, before a bare `raise`."""
    if not FULL and error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next


def is_ours(code: types.CodeType) -> bool:
    """Whether a code object is part of the runtime."""
    return code.co_filename.startswith(_OURS)


def strip(error: BaseException) -> None:
    """Take every frame of the runtime off the traceback of `error`."""
    if FULL:
        return
    kept = []
    place = error.__traceback__
    while place is not None:
        if not is_ours(place.tb_frame.f_code):
            kept.append(place)
        place = place.tb_next
    rebuilt = None
    for place in reversed(kept):
        rebuilt = types.TracebackType(rebuilt, place.tb_frame, place.tb_lasti, place.tb_lineno)
    error.__traceback__ = rebuilt
