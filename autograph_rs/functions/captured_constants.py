"""Detect changes to the globals and closure variables that a trace captured as constants."""

from __future__ import annotations

import dis
import functools
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_rs.runtime.core.closures import cells_of
from autograph_rs.runtime.errors import StaleValueError
from autograph_rs.runtime.graph.ir.comparison import same_value

from ..source.code_objects import walk_code
from ..transpiler.default import DEFAULT

_CONSTANT_TYPES = (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic)


class CapturedConstants:
    """The numbers, strings and arrays that a function and its callees read from globals and closures."""

    def __init__(self, function: Callable[..., Any]):
        self._captured: dict[tuple[str, str, int], tuple[Callable[[], Any], Any]] = {}
        visited: set[types.CodeType] = set()
        stack: list[Any] = [function]
        while stack:
            callee = _underlying_function(stack.pop())
            if not isinstance(callee, types.FunctionType) or callee.__code__ in visited:
                continue
            visited.add(callee.__code__)
            if DEFAULT.policy.reason_unconverted(callee) is None:
                stack.extend(self._capture_reads(callee))

    def _capture_reads(self, function: types.FunctionType) -> Iterator[Any]:
        """Capture the constants that a function reads, and yield every value that it reads."""
        scope = function.__globals__
        for code in walk_code(function.__code__):
            for name in {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}:
                if name in scope:
                    yield self._capture("global", name, scope, functools.partial(scope.get, name))
        for name, cell in cells_of(function).items():
            yield self._capture("closed-over", name, cell, functools.partial(getattr, cell, "cell_contents"))

    def _capture(self, kind: str, name: str, scope: Any, read: Callable[[], Any]) -> Any:
        try:
            value = read()
        except ValueError:  # an empty cell
            return None
        if isinstance(value, _CONSTANT_TYPES):
            captured = value.copy() if isinstance(value, np.ndarray) else value
            self._captured[kind, name, id(scope)] = (read, captured)
        return value

    def check(self, function: str) -> None:
        """Raise `StaleValueError` if a captured value has changed."""
        for (kind, name, _), (read, captured) in self._captured.items():
            value = read()
            if not (same_value(value, captured) or (_is_nan(value) and _is_nan(captured))):
                raise StaleValueError(
                    f"the {kind} {name!r} was {captured!r} when {function} was traced, but is now {value!r}",
                    why="the graph contains the old value as a constant",
                    remedy="pass the value as an argument, or make it a Variable",
                )


def _is_nan(value: Any) -> bool:
    """Return whether a value is a NaN. All NaNs count as equal, whatever their bits."""
    return isinstance(value, float) and math.isnan(value)


def _underlying_function(value: Any) -> Any:
    """Return the Python function that a call to a partial, method or callable object runs."""
    while isinstance(value, functools.partial):
        value = value.func
    value = getattr(value, "__func__", value)
    if isinstance(value, (types.FunctionType, type)):
        return value
    return getattr(type(value), "__call__", None)  # noqa: B004 - the function itself is needed
