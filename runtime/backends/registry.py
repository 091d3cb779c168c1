"""Registration of backends, their lookup by the type of a value, and the loading of installed ones.

The type of a value selects its backend through the dictionary `BACKENDS`; a type without a backend is plain.
"""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

from ..core.active_backends import ACTIVE, active_backend
from ..core.packages import register_library
from ..debugging.tracebacks import api_boundary, user_stacklevel
from ..errors import ArgumentError, describe, documentation
from .protocol import Backend, BackendNeutral
from .versions import SUPPORTED, Problem, check_version, missing_interface

MAX_TYPES = 100
_len = len  # a program may replace the builtin with a function that calls converted code


class _BackendOfType(dict[type, "Backend | None"]):
    """A cache that maps a type to the backend that owns it, or to None."""

    def __missing__(self, kind: type) -> Backend | None:
        if issubclass(kind, BackendNeutral):
            return active_backend()
        load_backends()
        if _is_third_party(kind):
            _load_installed()
        backends = _backends.copy()
        owner = next((b for b in backends if b.owns(kind)), None)
        with _lock:
            if _len(backends) == _len(_backends):
                if _len(self) >= MAX_TYPES:
                    self.clear()  # do not keep dropped classes alive
                self[kind] = owner
                return owner
        return self.__missing__(kind)  # a backend has been registered meanwhile


_backends: list[Backend] = []
_lock = threading.RLock()  # finalizers may look up types while it is held
_loading = threading.RLock()  # reentrant: registering a backend may look up third-party types
BACKENDS = _BackendOfType()
STAGING_CHECKS: list[Callable[[], bool]] = []
AFTER_REGISTRATION: list[Callable[[], None]] = []
"""Functions to call after each registration. Staging imports its modules then, so plain code never does."""
CALL_TRACERS: list[Backend] = []
"""Backends whose traces are calls of converted functions with staged values."""
COMPILERS: list[tuple[Callable[[], bool], Callable[..., Any]]] = []
"""For each compiler of bytecode, whether it is tracing the running code, and what then captures a call, given
the converted function, the original, its arguments and its keyword arguments."""


@api_boundary
def register_backend(backend: Backend) -> None:
    """Register a tensor system. The most recently registered backend takes precedence.

    Raises:
        ArgumentError: `backend` lacks a member of `Backend`, or is a class.

    >>> register_backend(object())
    Traceback (most recent call last):
        ...
    autograph_rs.ArgumentError: an object is not a backend
      ...
      it lacks name, ...
    """
    if isinstance(backend, type):
        raise ArgumentError(
            f"{describe(backend)} is not a backend",
            why="converted code calls the methods of an instance, not of a class",
            remedy=f"pass {backend.__name__}()",
        )
    if not isinstance(backend, Backend):
        members = [*Backend.__annotations__, *[name for name in vars(Backend) if not name.startswith("_")]]
        missing = [name for name in members if not hasattr(backend, name)]
        raise ArgumentError(
            f"{describe(backend)} is not a backend",
            why="converted code calls the backend to build conditionals and loops",
            remedy=f"define the missing members; {documentation('docs/backend-protocol.md')} describes them",
            rows=[f"it lacks {', '.join(missing)}"],
        )
    register_library(getattr(sys.modules.get(type(backend).__module__), "__file__", None) or "")
    with _lock:
        _backends.insert(0, backend)
        if getattr(backend, "starts_at_calls", False):
            CALL_TRACERS.append(backend)
        elif not getattr(backend, "announces", False):
            ACTIVE.insert(0, backend)
        STAGING_CHECKS.append(backend.staging)
        BACKENDS.clear()
    for prepare in AFTER_REGISTRATION:
        prepare()
    from ..debugging import loggers  # noqa: PLC0415 - plain code needs no log

    loggers.BACKENDS.debug("registered backend %r", backend.name)


_UNLOADED = dict.fromkeys(SUPPORTED, True)
"""Frameworks with a built-in backend that is not loaded yet: it loads once its framework is imported.

The value is False while it loads."""
_module_count = 0
"""The number of imported modules when `sys.modules` was last searched for frameworks."""


def load_backends(only: str = "") -> None:
    """Register the backends of all imported frameworks, or only that of the framework `only`."""
    global _module_count  # noqa: PLW0603 - `sys.modules` is global too
    count = _len(sys.modules)  # before the search, during which another thread may import a framework
    for framework in [name for name in (*_UNLOADED,) if sys.modules.get(name) and only in ("", name)]:
        importlib.import_module(framework)  # wait for another thread that is importing it
        if is_initializing(sys.modules.get(framework)):
            count = -1  # this thread is importing it: search again
            continue
        with _loading:  # another thread may have been faster, or is still loading
            if _UNLOADED.get(framework, False):
                _UNLOADED[framework] = False
                try:
                    _load(framework)
                finally:
                    del _UNLOADED[framework]
    if not only:
        _module_count = count


def is_initializing(module: Any) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _load(framework: str) -> None:
    """Register the backend of an imported framework, or a stand-in if its version is unsupported."""
    problem = check_version(framework)
    if problem is None:
        try:
            module = importlib.import_module(f"{__package__}.{framework}")
        except (ImportError, AttributeError) as error:
            problem = missing_interface(framework, error)
        else:
            module.register()
            return
    _register_unsupported(problem)


def _register_unsupported(problem: Problem) -> None:
    from .unsupported import UnsupportedFramework  # noqa: PLC0415 - rarely needed

    backend: Any = UnsupportedFramework(problem)  # its other members are added to the class
    register_backend(backend)
    STAGING_CHECKS.append(backend.is_tracing)


ENTRY_POINTS = "autograph_rs.backends"
"""The entry point group of installed backends: each entry names a function that registers one."""
_installed_state = "unloaded"


def _is_third_party(kind: type) -> bool:
    module = kind.__module__
    if not isinstance(module, str):  # a class may set it to anything
        return False
    root = module.partition(".")[0]
    return root not in ("numpy", __name__.partition(".")[0]) and root not in sys.stdlib_module_names


def _load_installed() -> None:
    """Register the backends of installed packages, once; warn about each that fails."""
    global _installed_state  # noqa: PLW0603 - once per process
    if _installed_state == "loaded":
        return
    failures = []
    with _loading:
        if _installed_state == "unloaded":
            _installed_state = "loading"
            failures = _load_entry_points()
            _installed_state = "loaded"
    for message in failures:
        warnings.warn(message, RuntimeWarning, stacklevel=user_stacklevel())


def _load_entry_points() -> list[str]:
    """Call the registering function of each entry point; return a message for each that fails."""
    failures = []
    metadata = importlib.import_module("importlib.metadata")  # as slow to import as this whole package
    for point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            point.load()()
        except Exception as error:  # noqa: BLE001 - a package may fail in any way
            failures.append(f"cannot register the backend {point.name!r} of {point.value}: {error!r}")
    return failures


def staged_by(value: Any) -> Backend | None:
    """Return the backend that is staging `value`, or None for a plain value."""
    backend = BACKENDS[type(value)]
    return backend if backend is not None and backend.is_staged(value) else None


def has_backends() -> bool:
    """Return whether any backend is registered; without one, no value is staged."""
    if not _backends and _len(sys.modules) != _module_count:
        load_backends()
    return bool(_backends)


def is_staging() -> bool:
    """Return whether any backend is building a graph now."""
    for is_compiling, _ in COMPILERS:
        if is_compiling():
            return False
    if _len(sys.modules) != _module_count:
        load_backends()
    if ACTIVE:
        for is_building in STAGING_CHECKS:
            if is_building():
                return True
    return False
