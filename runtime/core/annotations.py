"""Signatures and attributes of functions, read without evaluating annotations.

From Python 3.14 on, annotations are evaluated when they are read, and may then raise any error: a `NameError`
for a name that is defined later, or that only type checkers import.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

ARE_LAZY = hasattr(types.FunctionType, "__annotate__")
_ASSIGNED = tuple(name for name in functools.WRAPPER_ASSIGNMENTS if name != "__annotations__")


def _signature_options() -> dict[str, Any]:
    """Return the options with which `inspect.signature` gives annotations as text."""
    if not ARE_LAZY:
        return {}
    import annotationlib  # type: ignore[import-not-found] # noqa: PLC0415 - since Python 3.14

    return {"annotation_format": annotationlib.Format.STRING}


_OPTIONS = _signature_options()


def signature_of(function: Any) -> inspect.Signature | None:
    """Return the signature of a callable, or None if it has none.

    Lazy annotations are strings in it. If one raises even then, such as `1 / 0`, there are none.

    >>> def f(x, n=3): ...
    >>> signature_of(f), signature_of(3)
    (<Signature (x, n=3)>, None)
    """
    for candidate in _candidates(function):
        with contextlib.suppress(Exception):  # an annotation may raise anything
            return inspect.signature(candidate, **_OPTIONS)
    return None


def _candidates(function: Any) -> Iterator[Any]:
    """Yield a callable, then a copy with the same parameters and no annotations."""
    yield function
    if isinstance(function, types.FunctionType):
        yield _without_annotations(function)
    elif isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        yield types.MethodType(_without_annotations(function.__func__), function.__self__)


def _without_annotations(function: types.FunctionType) -> types.FunctionType:
    original = inspect.unwrap(function)
    if not isinstance(original, types.FunctionType):
        original = function
    bare = types.FunctionType(
        original.__code__, {}, original.__name__, original.__defaults__, original.__closure__
    )
    bare.__kwdefaults__ = original.__kwdefaults__
    return bare


def copy_attributes(
    wrapper: Callable[..., Any], function: Any, updated: tuple[str, ...] = ("__dict__",)
) -> None:
    """Give a wrapper the name, docstring and annotations of a function, like `functools.update_wrapper`."""
    functools.update_wrapper(wrapper, function, _ASSIGNED, updated)  # `__annotate__`, if annotations are lazy
    if not ARE_LAZY:
        with contextlib.suppress(Exception):  # a callable object may compute them
            wrapper.__annotations__ = function.__annotations__
