"""Stack inspection for converted code: `warnings.warn`, `sys._getframe` and others count user frames only.

Converted code has frames that its original lacks: those of the operators, and those of the closures that
operators run. The *function frame* of a closure's frame is the frame of the function that defines it.
"""

from __future__ import annotations

import inspect
import io
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from ..core.closures import enclosing_qualname, holder_frame
from .tracebacks import drop_current_frame, is_internal

_SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _function(frame: FrameType) -> tuple[str, str]:
    return frame.f_code.co_filename, enclosing_qualname(frame.f_code)


def skip_internal_frames(frame: FrameType | None) -> FrameType | None:
    """Return `frame`, or the next outer frame that is not internal."""
    while frame is not None and is_internal(frame.f_code):
        frame = frame.f_back
    return frame


def _previous_frame(frame: FrameType) -> FrameType | None:
    return skip_internal_frames(frame.f_back)


def function_frame(frame: FrameType) -> FrameType:
    """Return the frame of the function that defines a closure, or `frame` if it does not run a closure."""
    while (
        not frame.f_code.co_flags & _SUSPENDABLE
        and frame.f_back is not None
        and is_internal(frame.f_back.f_code)
    ):
        outer = _previous_frame(frame)
        if outer is None or _function(outer) != _function(frame):
            break
        frame = outer
    return frame


def _caller(frame: FrameType | None, level: int) -> FrameType | None:
    """Return the frame `level` function calls above that of `frame`."""
    for _ in range(level):
        if frame is None:
            break
        frame = function_frame(frame)
        frame = _previous_frame(holder_frame(frame) or frame)
    return frame


def _skip_operands(frame: FrameType | None) -> FrameType | None:
    """Return `frame` or, if it runs the lambda of an operand, the frame that called it."""
    while frame is not None and frame.f_code.co_name == "<lambda>" and function_frame(frame) is not frame:
        frame = _previous_frame(frame)
    return frame


def _is_import(frame: FrameType) -> bool:
    """Return whether a frame belongs to the import system, which `warnings.warn` skips."""
    name = frame.f_code.co_filename
    return "importlib" in name and "_bootstrap" in name


def _warn(*args: Any, **kwargs: Any) -> None:
    level = args[2] if len(args) > 2 else kwargs.get("stacklevel", 1)
    if type(level) is int:
        level = 1 + _real_stacklevel(sys._getframe(1), level)
        if len(args) > 2:
            args = (*args[:2], level, *args[3:])
        else:
            kwargs["stacklevel"] = level
    try:
        warnings.warn(*args, **kwargs)
    except BaseException as error:
        drop_current_frame(error)
        raise


def _text_encoding(*args: Any) -> Any:
    level = args[1] if len(args) > 1 else 2
    if type(level) is int and args:
        args = (args[0], 1 + _real_stacklevel(sys._getframe(1), level), *args[2:])
    try:
        return io.text_encoding(*args)
    except BaseException as error:
        drop_current_frame(error)
        raise


def _real_stacklevel(frame: FrameType, level: int) -> int:
    """Convert a `stacklevel` that counts user frames to one that counts all frames."""
    target: FrameType | None = frame
    for _ in range(level - 1):
        target = _caller(target, 1)
        while target is not None and _is_import(target):
            target = target.f_back
        if target is None:
            return sys.maxsize // 2
    real_level = 1
    while frame is not target and frame.f_back is not None:
        frame = frame.f_back
        real_level += not _is_import(frame)
    return real_level


def _getframe(*args: Any) -> FrameType:
    try:
        if len(args) > 1 or (args and type(args[0]) is not int):
            return sys._getframe(*args)
        current, depth = sys._getframe(1), max(args[0], 0) if args else 0
        frame = _skip_operands(_caller(current, depth) if depth else function_frame(current))
        if frame is None:
            raise ValueError("call stack is not deep enough")
        return frame
    except BaseException as error:
        drop_current_frame(error)
        raise


def _currentframe() -> FrameType:
    return function_frame(sys._getframe(1))


class _Tracer:
    """A wrapper around a trace function that hides the events of internal frames."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if is_internal(frame.f_code):
            return None
        try:
            return self.function(frame, event, arg)
        except BaseException as error:
            drop_current_frame(error)
            raise


def _settrace(function: Any) -> None:
    sys.settrace(function if function is None else _Tracer(function))


def _gettrace() -> Any:
    tracer = sys.gettrace()
    return tracer.function if type(tracer) is _Tracer else tracer


_REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    warnings.warn: _warn,
    sys._getframe: _getframe,
    inspect.currentframe: _currentframe,
    io.text_encoding: _text_encoding,
    sys.settrace: _settrace,
    sys.gettrace: _gettrace,
}


def framed(function: Any) -> Any:
    """Return the replacement for a function that inspects the stack, or any other function unchanged."""
    try:
        return _REPLACEMENTS.get(function, function)
    except TypeError:  # not hashable
        return function


def caller(frame: Any) -> Any:
    """Return `frame.f_back` or, for a frame of converted code, the nearest user frame that called it."""
    try:
        if type(frame) is not FrameType:
            return frame.f_back
        return _skip_operands(_caller(frame, 1))
    except BaseException as error:
        drop_current_frame(error)
        raise
