"""Questions about functions and their code, asked before they are converted."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.errors import ArgumentError, told


def codes_in(code: types.CodeType) -> list[types.CodeType]:
    found = [code]
    for inner in found:
        found.extend(c for c in inner.co_consts if isinstance(c, types.CodeType))
    return found


def names_in(code: types.CodeType) -> tuple[str, ...]:
    return code.co_names + code.co_varnames + code.co_cellvars + code.co_freevars


def function_inside(f: Any) -> Any:
    """The function inside a method, partial or callable object."""
    if isinstance(f, functools.partial):
        return f.func
    inner = getattr(f, "__func__", None)
    if not isinstance(inner, (types.FunctionType, functools.partial)) and not isinstance(f, type):
        inner = getattr(type(f), "__call__", None)  # noqa: B004 - it is what is wanted, not whether it is there
    if not isinstance(inner, (types.FunctionType, functools.partial)):
        raise ArgumentError(
            f"{told(f)} is no Python function, method, partial or object with a __call__ of its own",
            why="conversion begins with the Python source of a function",
            remedy=_remedy(f),
        )
    return inner


def _remedy(f: Any) -> str:
    if isinstance(f, type):
        return f"give the methods that are to be converted, such as {f.__name__}.method"
    if isinstance(getattr(f, "__wrapped__", None), types.FunctionType):
        return f"give the function that it wraps: {f.__name__}.__wrapped__"
    if callable(f):
        return "give a function of your own that calls it: what is no Python needs no conversion"
    return "give a function"


def around(f: Any, make: Callable[[Any], Any]) -> Any:
    """`make`, applied to the function inside a method, partial or object; `f` if that changes nothing."""
    if isinstance(f, functools.partial):
        made = make(f.func)
        return f if made is f.func else functools.partial(made, *f.args, **f.keywords)
    is_method = isinstance(f, (staticmethod, classmethod, types.MethodType))
    inner = f.__func__ if is_method else function_inside(f)
    made = make(inner)
    if made is inner:
        return f
    if isinstance(f, (staticmethod, classmethod)):
        return type(f)(made)
    return types.MethodType(made, f.__self__ if isinstance(f, types.MethodType) else f)


_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))


def outlives(code: types.CodeType) -> bool:
    """Whether a function makes what outlives its call: functions, classes, generators."""
    generators = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
    if code.co_flags & generators:
        return True
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return any(c.co_name not in _COMPREHENSIONS or outlives(c) for c in inner)
