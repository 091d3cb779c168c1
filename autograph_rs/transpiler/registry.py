"""Registry of live transpilers, and lookup of the functions that they converted."""

from __future__ import annotations

import threading
import types
import weakref
from typing import Any

from ..source.code_objects import unwrap_callable
from .forwarding import WRAPPER_CODE, conversion_of

_transpilers: weakref.WeakSet[Any] = weakref.WeakSet()
_lock = threading.RLock()  # a set cannot be iterated while it grows


def register(transpiler: Any) -> None:
    """Add a transpiler to the registry, which does not keep it alive."""
    with _lock:
        _transpilers.add(transpiler)


def live_transpilers() -> list[Any]:
    with _lock:
        return list(_transpilers)


def is_generated(f: types.FunctionType) -> bool:
    """Return whether converted code created `f`, so that its source does not compile to its code."""
    return any(transpiler.has_generated(f.__code__) for transpiler in live_transpilers())


def resolve_original(f: Any, source: str | None = None) -> tuple[types.FunctionType, str | None]:
    """Return the function that the user wrote, and its text if the user passed one.

    `source` overrides a text that was passed earlier.
    """
    while not isinstance(f, types.FunctionType):
        f = unwrap_callable(f)
    while True:
        if f.__code__ == WRAPPER_CODE:
            earlier = conversion_of(f).source
        else:
            results = [t.results[f] for t in live_transpilers() if f in t.results]
            if not results:
                return f, source
            earlier = results[0].source
        source, f = earlier if source is None else source, f.__wrapped__  # type: ignore[attr-defined]
