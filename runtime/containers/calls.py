"""Replacements for methods and functions that need the values of their arguments, such as `dict.get`.

A replacement calls Python's own function unless a staged value is involved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backends import staged_by
from ..core.active_backends import active_backend
from ..debugging.tracebacks import drop_current_frame
from ..values.structures import flatten
from . import keyed, text

_OWNERS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {"format": text.format_string, "format_map": text.format_map, "join": text.join},
    dict: {"get": keyed.get},
}
"""The replacements of methods, by the class that defines them: functions of a backend, the object and arguments."""


def replacement(function: Any) -> Callable[..., Any] | None:
    """Return the replacement for a bound method of a builtin type, or None."""
    owner = function.__self__
    for kind, methods in _OWNERS.items():
        if isinstance(owner, kind):
            implementation = methods.get(function.__name__)
            return None if implementation is None else _replacing(function, implementation)
    return None


def _replacing(function: Any, implementation: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = [list(part) if hasattr(part, "__next__") else part for part in args]
            backend = _owner_of(function.__self__, given, kwargs)
            if backend is None:
                return function(*given, **kwargs)
            return implementation(backend, function.__self__, *given, **kwargs)
        except BaseException as error:
            drop_current_frame(error)
            raise

    return call


def _owner_of(*values: Any) -> Any:
    """Return the active backend if a value is or contains a staged value, else None."""
    if not any(staged_by(leaf) is not None for leaf in flatten(values)[0]):
        return None
    return active_backend()
