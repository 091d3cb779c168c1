"""Inspect callables and code objects before conversion."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from autograph_rs.runtime.errors import ArgumentError, describe

Convertible: TypeAlias = "Callable[..., Any] | classmethod[Any, ..., Any]"
AnyFunction = TypeVar("AnyFunction", bound=Convertible)
"""A callable that can be converted. The converted one has the same static type."""


def walk_code(code: types.CodeType) -> list[types.CodeType]:
    """Return a code object and all code objects nested in it."""
    codes = [code]
    for outer in codes:
        codes.extend(c for c in outer.co_consts if isinstance(c, types.CodeType))
    return codes


def unwrap_callable(f: Any) -> Any:
    """Return the function inside a method, partial or callable object."""
    if isinstance(f, functools.partial):
        return f.func
    inner = getattr(f, "__func__", None)
    if not isinstance(inner, (types.FunctionType, functools.partial)) and not isinstance(f, type):
        inner = getattr(type(f), "__call__", None)  # noqa: B004 - the method itself is needed
    if not isinstance(inner, (types.FunctionType, functools.partial)):
        raise ArgumentError(
            f"{describe(f)} is not a Python function, method, partial or object with a Python __call__",
            why="conversion starts from the Python source of a function",
            remedy=_remedy(f),
        )
    return inner


def _remedy(f: Any) -> str:
    if isinstance(f, type):
        return f"pass the methods to convert, such as {f.__name__}.method"
    if isinstance(getattr(f, "__wrapped__", None), types.FunctionType):
        return f"pass the function that it wraps: {f.__name__}.__wrapped__"
    if callable(f):
        return "pass a Python function that calls it; code without Python source needs no conversion"
    return "pass a function"


def map_function(f: Any, transform: Callable[[Any], Any]) -> Any:
    """Apply `transform` to the function inside a callable, and wrap the result like the original.

    Return `f` itself if `transform` changes nothing.
    """
    if isinstance(f, functools.partial):
        result = transform(f.func)
        return f if result is f.func else functools.partial(result, *f.args, **f.keywords)
    is_method = isinstance(f, (staticmethod, classmethod, types.MethodType))
    inner = f.__func__ if is_method else unwrap_callable(f)
    result = transform(inner)
    if result is inner:
        return f
    if isinstance(f, (staticmethod, classmethod)):
        return type(f)(result)
    return types.MethodType(result, f.__self__ if isinstance(f, types.MethodType) else f)


_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))


def is_generator(code: types.CodeType) -> bool:
    """Return whether a call of a function creates a generator or coroutine."""
    return bool(code.co_flags & (0x20 | 0x80 | 0x200))  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR


def may_outlive_call(code: types.CodeType) -> bool:
    """Return whether a function creates functions, classes or generators, which may outlive its call."""
    if is_generator(code):
        return True
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return any(c.co_name not in _COMPREHENSIONS or may_outlive_call(c) for c in inner)
