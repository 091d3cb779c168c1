"""Questions about functions and their code, asked before they are converted."""

from __future__ import annotations

import functools
import types
from typing import Any


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
    if inner is None and not isinstance(f, type):
        inner = getattr(type(f), "__call__", None)  # noqa: B004 - it is what is wanted, not whether it is there
    if not isinstance(inner, (types.FunctionType, functools.partial)):
        raise TypeError(f"{f!r} is no Python function, method, partial or object with a __call__ of its own")
    return inner


_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))


def outlives(code: types.CodeType) -> bool:
    """Whether a function makes what outlives its call: functions, classes, generators."""
    generators = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
    if code.co_flags & generators:
        return True
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return any(c.co_name not in _COMPREHENSIONS or outlives(c) for c in inner)
