"""Which tensor system is staging right now."""

from __future__ import annotations

from typing import Any

ACTIVE: list[Any] = []
"""The backends that may be staging right now: those that announce it, while they do, and all others."""


def active() -> Any:
    """The innermost backend that is staging now, or None: others may do so in another thread."""
    for backend in reversed(ACTIVE):
        if backend.staging():
            return backend
    return None
