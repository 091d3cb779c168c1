"""Functions that look at the stack, as converted code calls them: they count the user's frames alone.

Converted code has frames that its original has not: those of the operators, and those of the closures
that operators run. The *home* of a closure's frame is the frame of the function that it was part of.
"""

from __future__ import annotations

import inspect
import io
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from .closures import home
from .tracebacks import is_ours, without_own_frame

_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _function(frame: FrameType) -> tuple[str, str]:
    code = frame.f_code
    return code.co_filename, home(code)


def user_frame(frame: FrameType | None) -> FrameType | None:
    """`frame`, or the first one above it that is not ours."""
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    return frame


def _below_operators(frame: FrameType) -> FrameType | None:
    """The frame that called `frame`, or the operator that did."""
    return user_frame(frame.f_back)


def home_frame(frame: FrameType) -> FrameType:
    """The frame of the function that a closure's frame is part of; any other frame itself."""
    while (
        not frame.f_code.co_flags & _SUSPENDED and frame.f_back is not None and is_ours(frame.f_back.f_code)
    ):
        above = _below_operators(frame)
        if above is None or _function(above) != _function(frame):
            break
        frame = above
    return frame


def _caller(frame: FrameType, level: int) -> FrameType | None:
    """The frame that called the function of `frame`, `level` functions up."""
    above: FrameType | None = frame
    for _ in range(level):
        if above is None:
            break
        above = _below_operators(home_frame(above))
    return above


def _named(frame: FrameType) -> FrameType | None:
    """`frame`; for that of an operand, which is a lambda, the frame of what it is part of."""
    found: FrameType | None = frame
    while found is not None and found.f_code.co_name == "<lambda>" and home_frame(found) is not found:
        found = _below_operators(found)
    return found


def _is_import(frame: FrameType) -> bool:
    """Whether `warnings.warn` passes over a frame."""
    name = frame.f_code.co_filename
    return "importlib" in name and "_bootstrap" in name


def _warn(*args: Any, **kwargs: Any) -> None:
    level = args[2] if len(args) > 2 else kwargs.get("stacklevel", 1)
    if type(level) is int:
        level = 1 + _plain_level(sys._getframe(1), level)
        if len(args) > 2:
            args = (*args[:2], level, *args[3:])
        else:
            kwargs["stacklevel"] = level
    try:
        warnings.warn(*args, **kwargs)
    except BaseException as error:
        without_own_frame(error)
        raise


def _text_encoding(*args: Any) -> Any:
    level = args[1] if len(args) > 1 else 2
    if type(level) is int and args:
        args = (args[0], 1 + _plain_level(sys._getframe(1), level), *args[2:])
    try:
        return io.text_encoding(*args)
    except BaseException as error:
        without_own_frame(error)
        raise


def _plain_level(frame: FrameType, level: int) -> int:
    """The `stacklevel` that in `frame` means what `level` means to the user."""
    place, found, plain = frame, frame, 1
    for _ in range(level - 1):
        above = _caller(found, 1)
        while above is not None and _is_import(above):
            above = above.f_back
        if above is None:
            return sys.maxsize // 2
        found = above
    while place is not found and place.f_back is not None:
        place = place.f_back
        plain += not _is_import(place)
    return plain


def _getframe(*args: Any) -> FrameType:
    try:
        if len(args) > 1 or (args and type(args[0]) is not int):
            return sys._getframe(*args)
        here, depth = sys._getframe(1), max(args[0], 0) if args else 0
        found = _caller(here, depth) if depth else home_frame(here)
        found = found and _named(found)
        if found is None:
            raise ValueError("call stack is not deep enough")
        return found
    except BaseException as error:
        without_own_frame(error)
        raise


def _currentframe() -> FrameType:
    return home_frame(sys._getframe(1))


class _Tracer:
    """A trace function that is not told of our frames."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if is_ours(frame.f_code):
            return None
        try:
            return self.function(frame, event, arg)
        except BaseException as error:
            without_own_frame(error)
            raise


def _settrace(function: Any) -> None:
    sys.settrace(function if function is None else _Tracer(function))


def _gettrace() -> Any:
    found = sys.gettrace()
    return found.function if type(found) is _Tracer else found


_READERS: dict[Any, Callable[..., Any]] = {
    warnings.warn: _warn,
    sys._getframe: _getframe,
    inspect.currentframe: _currentframe,
    io.text_encoding: _text_encoding,
    sys.settrace: _settrace,
    sys.gettrace: _gettrace,
}


def framed(function: Any) -> Any:
    """A function that looks at the stack, as one that sees the user's frames alone; else `function`."""
    try:
        return _READERS.get(function, function)
    except TypeError:  # cannot be hashed
        return function


def caller(frame: Any) -> Any:
    """`frame.f_back`; for a frame that is one, that of the user's function that called its function."""
    try:
        if type(frame) is not FrameType:
            return frame.f_back
        above = _caller(frame, 1)
        return above and _named(above)
    except BaseException as error:
        without_own_frame(error)
        raise
