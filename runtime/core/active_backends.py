"""The backends that may be staging, and queries over them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

ACTIVE: list[Any] = []
"""Backends that may be staging, outermost first.

A backend that has the attribute `announces` is listed only while it stages; any other is always listed.
"""


def active_backend() -> Any:
    """Return the innermost backend that is staging in this thread, or None."""
    for backend in reversed(ACTIVE):
        if backend.staging():
            return backend
    return None


def owning_backend(value: Any) -> Any:
    """Return the listed backend for which `value` is staged, or None for a plain value."""
    return next((b for b in reversed(ACTIVE) if b.owns(type(value)) and b.is_staged(value)), None)


@contextlib.contextmanager
def backend_contexts() -> Iterator[None]:
    """Enter the context manager that each backend's optional `entered` method returns.

    The outermost converted function that is called during staging runs in these contexts.
    """
    with contextlib.ExitStack() as stack:
        for backend in (*ACTIVE,):
            enter = getattr(backend, "entered", None)
            manager = None if enter is None else enter()
            if manager is not None:
                stack.enter_context(manager)
        yield
