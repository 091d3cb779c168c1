"""Dispatch of builtins, and of functions of `math` and NumPy, to the backend of a staged argument.

The operator `callee` replaces the functions in `DISPATCHING` with wrappers. In a staged branch or loop body,
`print` is staged even if all its arguments are plain, because it must print when the body runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any

from .. import staging
from ..backends import staged_by
from ..backends.builtins import DISPATCHING, MATH, NUMPY, PYTHON, original
from ..core.active_backends import active_backend
from ..core.rolling_attempts import note_use
from ..debugging.tracebacks import drop_current_frame
from ..values.selected_container import SelectedList

_INSPECTING = frozenset((isinstance, type, repr))
_SHOWING = frozenset((str, print, repr))
_CONSUMERS = frozenset((original(min), original(max), sum, any, all, sorted))


def _staged_argument(args: tuple, kwargs: dict[str, Any], *, named: bool = False) -> Any:
    """Return the backend of a staged value in the arguments or in their lists and tuples, or None.

    With `named`, search named tuples too.
    """
    for value in (*args, *kwargs.values()):
        backend = staged_by(value)
        if backend is None and (
            type(value) in (list, tuple, SelectedList) or (named and hasattr(value, "_fields"))
        ):
            backend = _staged_argument(tuple(value), {}, named=named)
        if backend is not None:
            return backend
    return None


def _dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if staging.ACTIVE and (innermost := active_backend()) is not None:
                if function in _CONSUMERS and args and type(args[0]) is GeneratorType:
                    args = (_consumed(function, args[0]), *args[1:])
                if function in _SHOWING:
                    args = tuple([staging.shown(value, is_exact=function is repr) for value in args])
                backend = _staged_argument(args, kwargs, named=function is print)
                if backend is None and function is print and staging.in_branch():
                    backend = innermost
                if backend is not None:
                    if function in _INSPECTING:
                        note_use(function)
                    return backend.call_builtin(function, args, kwargs)
            return function(*args, **kwargs)
        except BaseException as error:
            drop_current_frame(error)
            raise

    return call if isinstance(function, type) else functools.wraps(function)(call)


def _consumed(function: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
    """Return the items that a function consumes.

    `any` and `all` stop at the first item that decides the result, unless a staged item precedes it.
    """
    if function is not any and function is not all:
        return [*items]
    consumed: list[Any] = []
    has_staged = False
    for item in items:
        has_staged = has_staged or staged_by(item) is not None
        consumed.append(item if has_staged else bool(item))
        if not has_staged and consumed[-1] is (function is any):
            break
    return consumed


def _hasattr(*args: Any) -> bool:
    try:
        if not staging.ACTIVE or len(args) != 2:
            return hasattr(*args)
        if staged_by(args[0]) is not None:
            note_use(hasattr)
        try:
            staging.certain(getattr(*args), args[1])
        except AttributeError:
            return False
        return True
    except BaseException as error:
        drop_current_frame(error)
        raise


def _getattr(*args: Any) -> Any:
    try:
        value = getattr(*args)
        return staging.certain(value, args[1]) if staging.ACTIVE and len(args) == 3 else value
    except BaseException as error:
        drop_current_frame(error)
        raise


DISPATCHING.update({id(f): _dispatching(f) for f in (*PYTHON, *MATH, *NUMPY)})
DISPATCHING.update({id(hasattr): _hasattr, id(getattr): _getattr})
