"""Tracebacks that show the user's frames and not ours.

An operator that calls user code catches what that raises, takes its own frame off the traceback and
raises on. While something is staged there are more of ours between two frames of the user's; then all of
them go, and where a library raised the error a note tells the user's line. `AUTOGRAPH_RS_TRACEBACK=full`,
which is read when this is imported, keeps every frame.
"""

from __future__ import annotations

import dis
import functools
import os
import site
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from . import handed
from .active import ACTIVE, active
from .line_tables import table
from .places import Place, at, shown

_CHOSEN = os.environ.get("AUTOGRAPH_RS_TRACEBACK", "")
FULL = _CHOSEN == "full"
if _CHOSEN not in ("", "full"):
    warnings.warn(
        f"AUTOGRAPH_RS_TRACEBACK={_CHOSEN!r}: it is 'full' for every frame, or empty for the user's alone",
        RuntimeWarning,
        stacklevel=2,
    )
_ours = [os.path.dirname(os.path.abspath(__file__)) + os.sep]
_shown: list[str] = []


def hide(folder: str) -> None:
    """Count the code in a folder as ours."""
    _ours.append(os.path.abspath(folder) + os.sep)


def show(folder: str) -> None:
    """Count the code in a folder as a user's, wherever it lies: the samples are installed with us."""
    _shown.append(os.path.abspath(folder) + os.sep)
    own_files.cache_clear()
    is_library.cache_clear()


def is_shown(filename: str) -> bool:
    """Whether a file lies in a folder whose code counts as a user's."""
    return filename.startswith(tuple(_shown))


put = BaseException.__setattr__
"""How an attribute of an exception is set, though it be a frozen dataclass."""
_put_traceback = BaseException.with_traceback  # quicker


def without_own_frame(error: BaseException) -> None:
    """To be called first in an `except` of the frame that is to be left out, before a bare `raise`."""
    place, frame = error.__traceback__, sys._getframe(1)
    if place is not None and place.tb_frame is frame and not FULL:
        _put_traceback(error, place.tb_next)
    if ACTIVE and active() is not None:
        note_place(error, frame)
        strip(error, last=False)


def is_ours(code: types.CodeType) -> bool:
    """Whether a code object is part of this package."""
    return code.co_filename.startswith(tuple(_ours)) and not is_shown(code.co_filename)


@functools.cache
def library_folders() -> tuple[str, ...]:
    """The folders of the standard library and of installed packages."""
    import sysconfig  # noqa: PLC0415 - plain runs ask for no folder

    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, names), *site.getsitepackages(), site.getusersitepackages()]
    return tuple(sorted({os.path.realpath(f) + os.sep for f in folders if f}))


@functools.cache
def is_library(filename: str) -> bool:
    """Whether a file is of the standard library or of an installed package."""
    if filename.startswith("<frozen "):
        return True
    try:
        return not is_shown(filename) and os.path.realpath(filename).startswith(library_folders())
    except ValueError:  # no file can have such a name
        return False


def is_users(frame: types.FrameType) -> bool:
    """Whether a frame is of a user's code: neither ours nor a library's, nor made by one as text."""
    code = frame.f_code
    is_text = "__name__" not in frame.f_globals and "ag__" not in code.co_freevars
    return not is_text and not is_ours(code) and not is_library(code.co_filename)


def user_frame(frame: types.FrameType | None) -> types.FrameType | None:
    """The nearest frame of a user's code: neither ours nor a library's, or else at least not ours."""
    nearest = None
    while frame is not None:
        if is_users(frame):
            return frame
        if nearest is None and not is_ours(frame.f_code):
            nearest = frame
        frame = frame.f_back
    return nearest


def variables(frame: types.FrameType) -> dict[str, Any]:
    """The variables of a frame, without those that only converted code has."""
    return {name: value for name, value in frame.f_locals.items() if not name.startswith("ag__")}


def user_operation() -> str:
    """The instruction that the nearest frame of a user's code is at."""
    frame = user_frame(sys._getframe(1))
    return "" if frame is None else dis.opname[frame.f_code.co_code[frame.f_lasti]]


def user_place(error: BaseException) -> Place | None:
    """The innermost place of a user's code in the traceback of `error`."""
    found, here = None, error.__traceback__
    while here is not None:
        if is_users(here.tb_frame):
            found = here
        here = here.tb_next
    return None if found is None else at(found.tb_frame.f_code, found.tb_lasti)


def own_folders() -> tuple[str, ...]:
    """The folders of this package."""
    return tuple(_ours)


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


RAISING = frozenset(("assert_stmt", "fail", "list_get", "list_pop"))
"""The functions of ours that raise on behalf of the user's code: by their frames a trace knows it."""


def strip(error: BaseException, *, last: bool = True) -> None:
    """Take every frame of ours off the traceback of `error`, and of all errors that it is shown with.

    Without `last`, one that raised the error on behalf of the user's code stays.
    """
    if FULL:
        return
    put(error, "__traceback__", _users(error.__traceback__, last=last))
    seen, rest = {id(error)}, _shown_with(error)
    while rest:
        other = rest.pop()
        if id(other) not in seen:
            seen.add(id(other))
            rest += _shown_with(other)
            put(other, "__traceback__", _users(other.__traceback__, last=True))


def _shown_with(error: BaseException) -> list[BaseException]:
    """The cause, the context and the members of an error.

    A context that we alone have seen is none, nor is one that says the same: a `finally` of the traced code
    met it again.
    """
    context = error.__context__
    while (
        context is not None
        and context is not error.__cause__
        and (_is_inner(context.__traceback__) or _is_again(error, context))
    ):
        context = context.__context__
    if context is not error.__context__:
        put(error, "__context__", context)
    members = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [other for other in (error.__cause__, context, *members) if other is not None]


def _is_again(error: BaseException, context: BaseException) -> bool:
    return hasattr(error, "remedy") and type(context) is type(error) and context.args == error.args


def _is_inner(place: types.TracebackType | None) -> bool:
    """Whether an error was raised and caught in code of ours."""
    found = place is not None
    while place is not None and found:
        found = is_ours(place.tb_frame.f_code)
        place = place.tb_next
    return found


def _users(place: types.TracebackType | None, *, last: bool) -> types.TracebackType | None:
    """A traceback without frames of ours, and without a library's by which one of ours called another."""
    kept: list[types.TracebackType] = []
    called: list[types.TracebackType] = []
    is_inside = False
    while place is not None:
        frame = place.tb_frame
        if is_ours(frame.f_code):
            is_inside = True
            is_raising = place.tb_next is None and frame.f_code.co_name in RAISING
            called = [place] if is_raising and not last else []
        elif is_inside and "ag__" not in frame.f_code.co_freevars and not is_users(frame):
            called.append(place)
        else:
            kept += [*called, place]
            called, is_inside = [], False
        place = place.tb_next
    kept += called
    following: types.TracebackType | None = None
    for one in reversed(kept):
        if one.tb_next is not following:
            one.tb_next = following
        following = one
    return following


def note_place(error: BaseException, frame: types.FrameType) -> None:
    """Tell in a note which line of the user's was staged when code that is not converted raised an error.

    That is a library's, or Python's own where it was handed a staged value; the note says which it was. One
    note is enough, and an error that tells its place, or is the user's own, needs none.
    """
    notes = getattr(error, "__notes__", [])
    if not isinstance(error, Exception) or isinstance(getattr(error, "place", None), Place):
        return
    if not isinstance(notes, list) or any(str(n).startswith(_STAGING) for n in notes):
        return
    at_user, last = None, error.__traceback__
    while last is not None:
        if is_users(last.tb_frame):
            at_user = last
        if last.tb_next is None:
            break
        last = last.tb_next
    if last is None or (is_ours(last.tb_frame.f_code) and last.tb_frame.f_code.co_name in RAISING):
        return
    if at_user is last and is_raise(last):
        return
    running = user_frame(frame) if at_user is None else at_user.tb_frame
    if running is None:
        return
    instruction = running.f_lasti if at_user is None else at_user.tb_lasti
    rows, code = handed.rows(running, instruction), last.tb_frame.f_code
    if rows or (is_library(code.co_filename) and not is_ours(code)):
        place = at(running.f_code, instruction)
        put(error, "__notes__", [*notes, "\n  ".join((_STAGING, *shown(place), *rows))])


def is_raise(place: types.TracebackType) -> bool:
    """Whether a traceback's entry is at a `raise` statement."""
    return place.tb_frame.f_code.co_code[place.tb_lasti] == _RAISES


_STAGING = "while this was staged:"
_RAISES = dis.opmap["RAISE_VARARGS"]


def place_of(error: BaseException, frame: types.FrameType | None) -> Place | None:
    """The innermost place of a user's code that an error comes from, or else that which called `frame`."""
    found = user_place(error)
    if found is None and (user := user_frame(frame)) is not None:
        found = at(user.f_code, user.f_lasti)
    return found


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

    A frame is made by a function that raises at the very columns of its place.
    """
    rebuilt: types.TracebackType | None = None
    kept = error.__traceback__, error.__context__
    for place in reversed(places):
        try:
            raising(lambda: error, place, parameters="")()
        except BaseException as raised:  # noqa: BLE001
            found: Any = raised.__traceback__.tb_next  # type: ignore[union-attr]
        found.tb_next, rebuilt = rebuilt, found
        put(error, "__traceback__", None)
    put(error, "__traceback__", kept[0])
    put(error, "__context__", kept[1])
    return rebuilt


_RAISE = """
def raising({0}):
    error = made({0})
    if error is not None:
        raise error
"""


def raising(
    made: Callable[..., BaseException | None], place: Place | None, parameters: str = "*given"
) -> Callable[..., None]:
    """A function that raises what `made` makes of its arguments, if anything, as if it stood at a place."""
    if place is None or FULL:
        place = at(raising.__code__, 0)
    code = _raising_code(parameters)
    columns = place.line, place.end_line, place.column, place.end_column
    code = code.replace(
        co_filename=place.file, co_name=place.function, co_qualname=place.qualname,
        co_firstlineno=place.line, co_linetable=table([columns] * (len(code.co_code) // 2), place.line),
    )  # fmt: skip
    return types.FunctionType(code, {"made": made, "__name__": place.function})


@functools.cache
def _raising_code(parameters: str) -> types.CodeType:
    module = compile(_RAISE.format(parameters), __file__, "exec")
    [code] = [c for c in module.co_consts if isinstance(c, types.CodeType)]
    return code
