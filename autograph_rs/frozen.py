"""Globals and closed-over values that a graph holds as they were when it was traced."""

from __future__ import annotations

import dis
import functools
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import StaleValueError

from .api import DEFAULT

_DATA = (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic)


class Frozen:
    """The numbers, texts and arrays that a function, and what it calls, read from outside."""

    def __init__(self, function: Callable[..., Any]):
        self._kept: dict[tuple[str, str, int], tuple[Callable[[], Any], Any]] = {}
        seen: set[types.CodeType] = set()
        stack: list[Any] = [function]
        while stack:
            inner = _function_in(stack.pop())
            if not isinstance(inner, types.FunctionType) or inner.__code__ in seen:
                continue
            seen.add(inner.__code__)
            if DEFAULT.policy.reason_to_leave(inner) is None:
                stack.extend(self._read_by(inner))

    def _read_by(self, function: types.FunctionType) -> Iterator[Any]:
        scope = function.__globals__
        for code in _codes(function.__code__):
            for name in {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}:
                if name in scope:
                    yield self._noted("global", name, scope, functools.partial(scope.get, name))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield self._noted("closed-over", name, cell, functools.partial(getattr, cell, "cell_contents"))

    def _noted(self, kind: str, name: str, place: Any, get: Callable[[], Any]) -> Any:
        try:
            value = get()
        except ValueError:  # an empty cell
            return None
        if isinstance(value, _DATA):
            kept = value.copy() if isinstance(value, np.ndarray) else value
            self._kept[kind, name, id(place)] = (get, kept)
        return value

    def check(self, function: str) -> None:
        """Raise `StaleValueError` where one has changed."""
        for (kind, name, _), (get, old) in self._kept.items():
            new = get()
            if _is_same(new, old):
                continue
            raise StaleValueError(
                f"the {kind} {name!r} was {old!r} when {function} was traced, and is {new!r} now",
                why="the graph keeps the old value",
                remedy="pass it as an argument, or make it a Variable",
            )


def _function_in(value: Any) -> Any:
    """The Python function that a call of a partial, method or callable object runs."""
    while isinstance(value, functools.partial):
        value = value.func
    value = getattr(value, "__func__", value)
    if isinstance(value, (types.FunctionType, type)):
        return value
    return getattr(type(value), "__call__", None)  # noqa: B004 - it is what is wanted


def _is_same(new: Any, old: Any) -> bool:
    if isinstance(old, np.ndarray):
        like = isinstance(new, np.ndarray) and (new.dtype, new.shape) == (old.dtype, old.shape)
        return like and new.tobytes() == old.tobytes()
    if type(new) is not type(old):
        return False
    return new is old or bool(new == old) or (isinstance(old, float) and math.isnan(new) and math.isnan(old))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)
