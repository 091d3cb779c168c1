"""The flag `STAGING`, which functions of converted files test at each call to choose one of their two forms.

While nothing can be staging, the flag is False, and the test costs plain code a few nanoseconds. Once a
framework is imported, and while a backend is active, it is an object whose truth value asks the backends. A
finder at the front of `sys.meta_path` notices the import of a framework.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence

from ..backends import is_staging
from ..backends.versions import SUPPORTED
from ..core.active_backends import ACTIVE
from .opt_out import is_opted_out

NAME = "STAGING"


class _Question:
    """An object that is true while a backend is staging, outside `with ag.do_not_convert()`."""

    def __bool__(self) -> bool:
        return is_staging() and not is_opted_out()


class _FrameworkFinder:
    """A finder that finds no module, and reports the import of a framework."""

    def __init__(self, flag: _Flag) -> None:
        self.flag = flag

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> None:
        if name in SUPPORTED:
            self.flag.has_framework = True
            self.flag.update()


class _Flag:
    """The value of `STAGING` in a namespace."""

    def __init__(self, namespace: types.ModuleType) -> None:
        self.namespace = namespace
        self.question = _Question()
        self.has_framework = False

    def update(self) -> None:
        with ACTIVE.lock:
            value = self.question if self.has_framework or ACTIVE else False
            setattr(self.namespace, NAME, value)


def install(namespace: types.ModuleType) -> object:
    """Set the flag in a namespace, keep it up to date from now on, and return its value."""
    with ACTIVE.lock:
        if NAME not in vars(namespace):
            flag = _Flag(namespace)
            sys.meta_path.insert(0, _FrameworkFinder(flag))  # first, since a framework may be imported now
            flag.has_framework = any(name in sys.modules for name in SUPPORTED)
            ACTIVE.on_change.append(flag.update)
            flag.update()
        return getattr(namespace, NAME)
