"""Tracebacks that show the user's frames and not ours.

An operator that calls user code catches what that raises, takes its own frame off the traceback and
raises on. `AUTOGRAPH_RS_TRACEBACK=full` keeps every frame.
"""

from __future__ import annotations

import ast
import dis
import functools
import os
import sys
import types
from collections.abc import Sequence
from itertools import islice

from .places import Place

FULL = os.environ.get("AUTOGRAPH_RS_TRACEBACK") == "full"
_ours = [os.path.dirname(os.path.abspath(__file__)) + os.sep]
_shown: list[str] = []


def hide(folder: str) -> None:
    """Count the code in a folder as ours."""
    _ours.append(os.path.abspath(folder) + os.sep)


def show(folder: str) -> None:
    """Count the code in a folder as a user's, wherever it lies: the samples are installed with us."""
    _shown.append(os.path.abspath(folder) + os.sep)
    own_files.cache_clear()


def is_shown(filename: str) -> bool:
    """Whether a file lies in a folder whose code counts as a user's."""
    return filename.startswith(tuple(_shown))


def without_own_frame(error: BaseException) -> None:
    """To be called first in an `except` of the frame that is to be left out, before a bare `raise`."""
    if not FULL and error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next


def is_ours(code: types.CodeType) -> bool:
    """Whether a code object is part of this package."""
    return code.co_filename.startswith(tuple(_ours)) and not is_shown(code.co_filename)


@functools.cache
def own_files() -> frozenset[str]:
    """The files of this package."""
    found = (os.path.join(at, name) for top in _ours for at, _, names in os.walk(top) for name in names)
    return frozenset(path for path in found if path.endswith(".py") and not is_shown(path))


def user_stacklevel() -> int:
    """The `stacklevel` with which the caller's warning is at the user's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code):
        level, frame = level + 1, frame.f_back
    return level


def strip(error: BaseException) -> None:
    """Take every frame of ours off the traceback of `error`."""
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


def catches(code: types.CodeType, instruction: int) -> bool:
    """Whether an `except` clause of a function covers one of its instructions."""
    listed = list(dis.get_instructions(code))
    for entry in dis.Bytecode(code).exception_entries:  # type: ignore[attr-defined]  # not in typeshed
        if entry.start <= instruction < entry.end:
            handler = [i for i in listed if i.offset >= entry.target][1:]
            names = [i.opname for i in islice(handler, 12)]
            until = next((n for n, name in enumerate(names) if name in ("RERAISE", "WITH_EXCEPT_START")), 12)
            if names[:1] == ["POP_TOP"] or any(n.startswith("CHECK_E") for n in names[:until]):
                return True
    return False


def frames_of(error: BaseException) -> tuple[tuple[types.CodeType, int], ...]:
    """The frames of user code in the traceback of `error`, outermost first, as code and instruction."""
    found, place = [], error.__traceback__
    while place is not None:
        if not is_ours(place.tb_frame.f_code):
            found.append((place.tb_frame.f_code, place.tb_lasti))
        place = place.tb_next
    return tuple(found)


def at_user_frames(error: BaseException, places: Sequence[Place]) -> types.TracebackType | None:
    """A traceback of frames that stand for the user's code, outermost first.

    A frame is made by a small piece of code that raises at the very columns of its place.
    """
    rebuilt = None
    for place in reversed(places):
        raised = _raised_at(error, place)
        rebuilt = types.TracebackType(rebuilt, raised.tb_frame, raised.tb_lasti, raised.tb_lineno)
    return rebuilt


def _raised_at(error: BaseException, place: Place) -> types.TracebackType:
    raising = ast.Raise(
        ast.Name("error", ast.Load()),
        None,
        lineno=place.line,
        end_lineno=place.end_line,
        col_offset=place.column,
        end_col_offset=place.end_column,
    )
    module = ast.fix_missing_locations(ast.Module([raising], []))
    made = compile(module, place.file, "exec").replace(co_name=place.function, co_qualname=place.qualname)
    kept = error.__traceback__, error.__context__
    try:
        exec(made, {"error": error, "__name__": place.function})  # noqa: S102 - raises, no more
    except BaseException as raised:  # noqa: BLE001
        found = raised.__traceback__.tb_next  # type: ignore[union-attr]
    error.__traceback__, error.__context__ = kept
    return found  # type: ignore[return-value]
