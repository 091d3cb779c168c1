"""The backends that may be staging, and queries over them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex


class _ActiveBackends(list[Any]):
    """A list that calls the functions in `on_change` after each change."""

    def __init__(self) -> None:
        super().__init__()
        self.on_change: list[Callable[[], None]] = []
        self.lock = threading.RLock()  # reentrant: a finalizer may end a trace while it is held

    def append(self, backend: Any) -> None:
        self.insert(len(self), backend)

    def insert(self, index: SupportsIndex, backend: Any) -> None:
        with self.lock:
            super().insert(index, backend)
            self._changed()

    def remove(self, backend: Any) -> None:
        with self.lock:
            super().remove(backend)
            self._changed()

    def _changed(self) -> None:
        for call in self.on_change:
            call()


ACTIVE = _ActiveBackends()
"""Backends that may be staging, outermost first.

A backend that has the attribute `announces` is listed only while it stages; any other is always listed.
Change the list only with `append`, `insert` and `remove`.
"""


class _Captures(threading.local):
    """The branches and loop bodies that this thread is capturing, outermost first."""

    def __init__(self) -> None:
        self.heaps: list[Any] = []
        self.tests: list[tuple[Any, bool]] = []
        """The tests of the branches, each with its outcome in the branch."""
        self.reads_state = False
        """Whether a statement reads its state, of which attributes of objects of a graph are no part."""


CAPTURES = _Captures()


@contextlib.contextmanager
def assuming(test: Any, *, outcome: bool) -> Iterator[None]:
    """Make the outcome of a test known while a branch is captured."""
    CAPTURES.tests.append((test, outcome))
    try:
        yield
    finally:
        CAPTURES.tests.pop()


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
def backend_contexts(starting: Iterable[Any] = ()) -> Iterator[None]:
    """Enter the context manager that each backend's optional `entered` method returns.

    The outermost converted function that is called during staging runs in these contexts. `starting` are
    backends whose staging begins with this call.
    """
    with contextlib.ExitStack() as stack:
        for backend in (*ACTIVE, *starting):
            enter = getattr(backend, "entered", None)
            manager = None if enter is None else enter()
            if manager is not None:
                stack.enter_context(manager)
        yield


def returned(value: Any) -> Any:
    """Return what a converted function returns to other code, unless the backend refuses it."""
    check = getattr(active_backend(), "returned", None)
    return value if check is None else check(value)
