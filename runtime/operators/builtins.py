"""Dispatch of builtins, and of functions of `math` and NumPy, to the backend of a staged argument.

The operator `callee` replaces the functions in `DISPATCHING` with wrappers. In a staged branch or loop body,
`print` is staged even if all its arguments are plain, because it must print when the body runs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any

import numpy as np

from .. import staging
from ..backends import AFTER_REGISTRATION, staged_by
from ..backends.builtins import DISPATCHING, MATH, NUMPY, PYTHON, original
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..core.forks import current_run
from ..core.rolling_attempts import note_use
from ..debugging.tracebacks import drop_current_frame
from ..values.plain_loops import iterators_in
from ..values.selected_container import SelectedList

_INSPECTING = frozenset((isinstance, type, repr))
_SHOWING = frozenset((print, str, repr))
_SORTING = frozenset((original(min), original(max), sorted))
_TAKING_SEQUENCES = _SORTING | {math.dist, math.fsum, *NUMPY}
_TRUTHS = frozenset((any, all))
_PULLING = _SORTING | {sum, any, all}
_TAKING_ALL = _SORTING | {sum, list, tuple, math.prod, math.fsum}
_CONSUMERS = _TAKING_ALL | _TRUTHS | {next}
_ITERATORS = frozenset((enumerate, zip, map, filter))
_TAKING_ITEMS = _TAKING_ALL | _TRUTHS | _ITERATORS
_LAZY: tuple[type, ...] = (GeneratorType, enumerate, zip, map, filter)


def _staged_argument(args: tuple, kwargs: dict[str, Any], *, is_shown: bool = False) -> Any:
    """Return the backend of a staged value in the arguments or in their lists and tuples, or None.

    With `is_shown`, search named tuples and dicts too.
    """
    for value in (*args, *kwargs.values()):
        backend = staged_by(value)
        if backend is None and (
            type(value) in (list, tuple, SelectedList)
            or (is_shown and (isinstance(value, dict) or hasattr(value, "_fields")))
        ):
            parts = value.values() if isinstance(value, dict) else value
            backend = _staged_argument(tuple(parts), {}, is_shown=is_shown)
        if backend is not None:
            return backend
    return None


def _dispatching(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if staging.ACTIVE and (innermost := active_backend()) is not None:
                if function is next and args and not kwargs:
                    if (take := getattr(args[0], "ag__take", None)) is not None:
                        return take(*args[1:])
                    _, take = staging.user_method(args[0], "__next__")
                    if take is not None and (args[1:] or not _consumers().in_generator()):
                        return _next_of(take, *args[1:])
                source = None
                if function in _TAKING_ITEMS and any(hasattr(type(arg), "ag__rest") for arg in args):
                    args = _rests(function, args)
                if args and function in _CONSUMERS:  # a tuple has the length that Python finds
                    source = staging.source_of(args[0], of_objects=function is not tuple)
                if source is not None:
                    args = args[1:]  # only then can the source be driven
                    if (result := _consumers().consumed(function, source, args, kwargs)) is not None:
                        return result[0]
                    args = (source.iterator(), *args)
                if function in _INSPECTING and args:
                    args = (staging.inspected(args[0]), *args[1:])
                    if function is type and hasattr(type(args[0]), "ag__class"):
                        return args[0].__class__
                if function is next:
                    return next(*args)
                is_driven = function in _ITERATORS and any(staging.source_of(a) is not None for a in args)
                is_test = function is filter and len(args) == 2
                if is_driven or (is_test and staging.is_tested_by_staged(args[1], args[0])):
                    return _consumers().iterator(function, args, kwargs)
                pulls = function in _PULLING and len(args) > 0
                if pulls and (isinstance(args[0], _LAZY) or function in _TRUTHS):
                    args = (_consumed(function, args[0]), *args[1:])
                if function in _TAKING_SEQUENCES:
                    args = tuple([staging.used(value, "iter") for value in args])
                if function in _SHOWING:
                    args = tuple([staging.shown(value, is_exact=function is repr) for value in args])
                if function is print:
                    args = tuple(_printed(value) for value in args)
                if kwargs.get("key") is not None and function in _SORTING:
                    from ..containers.ordering import by_key  # noqa: PLC0415 - needed by traces only

                    key = kwargs["key"]
                    kwargs["key"] = DISPATCHING.get(id(key), key)
                    return by_key(innermost, function, *args, **kwargs)
                backend = _staged_argument(args, kwargs, is_shown=function in _SHOWING)
                if backend is None and function is print:
                    run = current_run()
                    if run is not None and run.skips_print():
                        return None
                    backend = innermost if staging.in_branch() else None
                if backend is not None:
                    if function in _INSPECTING:
                        note_use(function)
                    result = backend.call_builtin(function, args, kwargs)
                    return _consumers().taken_once(result) if function in (map, filter) else result
                if len(args) == 1 and not kwargs:
                    result = staging.call_builtin(function, args[0])
                    if result is not NotImplemented:
                        return result
                if function in _ITERATORS:
                    args = tuple(map(staging.followed_items, args))
                if function is print:
                    if run is not None:
                        run.note_print()
                    getattr(innermost, "print_in_trace", print)(*args, **kwargs)
                    return None
            return function(*args, **kwargs)
        except BaseException as error:
            drop_current_frame(error)
            raise

    return call if isinstance(function, type) else functools.wraps(function)(call)


def _rests(function: Callable[..., Any], args: tuple) -> tuple:
    """Return what iterators over staged items have left in place of each whose items a call takes once."""
    if function in _SORTING and len(args) > 1:
        return args
    taken = [iterator for arg in args for iterator in iterators_in(arg)]
    once = [hasattr(type(arg), "ag__rest") and sum(i is arg for i in taken) == 1 for arg in args]
    takes_all = function in _TAKING_ALL
    return tuple(
        [arg.ag__rest(takes_all=takes_all) if is_one else arg for arg, is_one in zip(args, once, strict=True)]
    )


def _next_of(take: Callable[[], Any], *default: Any) -> Any:
    from ..containers.user_iterators import next_of  # noqa: PLC0415 - plain code needs no staging

    return next_of(take, *default)


def _load() -> None:
    """Import what loops over instances of user classes need, because plain code needs none of it."""
    from ..containers import user_iterators  # noqa: F401, PLC0415


AFTER_REGISTRATION.append(_load)


def _consumers() -> Any:
    from . import consumers  # noqa: PLC0415 - plain code needs no staging

    return consumers


def _printed(value: Any) -> Any:
    text = staging.text_of(value, "s")
    return value if text is None else text


def _consumed(function: Callable[..., Any], items: Iterable[Any]) -> Iterable[Any]:
    """Return the items that a function consumes.

    `any` and `all` stop at the first item that decides the result, unless a staged item precedes it.
    """
    if function not in _TRUTHS or staged_by(items) is not None:
        return items if function in _TRUTHS else [*items]
    consumed: list[Any] = []
    has_staged = False
    check: Callable[[], None] = nothing
    for item in items:
        item, _ = staging.truth(item)
        if not has_staged and (backend := staged_by(item)) is not None:
            has_staged = True
            staging.check_not_continued(items)
            if isinstance(items, (map, filter)):
                check = staging.without_effects(backend, items)
        consumed.append(item if has_staged else bool(item))
        if not has_staged and consumed[-1] is (function is any):
            break
    check()
    return consumed


def _hasattr(*args: Any) -> bool:
    try:
        if not staging.ACTIVE or len(args) != 2:
            return hasattr(*args)
        args = (staging.inspected(args[0]), args[1])
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


DISPATCHING.update({id(f): _dispatching(f) for f in (*PYTHON, *MATH, *NUMPY, next)})


def _format(value: Any, spec: Any = "") -> Any:
    try:
        backend = staged_by(value) if staging.ACTIVE else None
        if backend is None:
            return format(value, spec)
        from ..containers.text import format_value  # noqa: PLC0415 - needed by staged values only

        return format_value(backend, value, spec)
    except BaseException as error:
        drop_current_frame(error)
        raise


def _in_base(function: Callable[[Any], str], spec: str) -> Callable[[Any], Any]:
    """Return the replacement for `bin`, `oct`, `hex` or `chr`, whose text a format gives, too."""

    @functools.wraps(function)
    def call(value: Any) -> Any:
        try:
            backend = staged_by(value) if staging.ACTIVE else None
            if backend is None:
                return function(value)
            kind = DISPATCHING[id(type)](value)
            if not issubclass(kind, (int, np.integer)):
                module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
                raise TypeError(f"'{module}{kind.__name__}' object cannot be interpreted as an integer")
            if function is chr:
                from ..containers.text import character  # noqa: PLC0415 - needed by staged values only

                return character(backend, value)
            return _format(value, spec)
        except BaseException as error:
            drop_current_frame(error)
            raise

    return call


DISPATCHING.update({id(hasattr): _hasattr, id(getattr): _getattr, id(format): _format})
_FORMATS = {bin: "#b", oct: "#o", hex: "#x", chr: "c"}
DISPATCHING.update({id(function): _in_base(function, spec) for function, spec in _FORMATS.items()})
