"""Pickle traced functions by name or by value, as the pickler does for plain functions.

The standard library pickles a function by name, for a process that imports the same module. cloudpickle,
joblib and dill pickle functions of `__main__`, notebooks and explicitly registered modules by value.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

from ..source import definitions
from ..transpiler.default import DEFAULT

_BY_VALUE_PICKLERS = {"cloudpickle", "dill"}  # also vendored, for example as joblib.externals.cloudpickle


class PickleSupport:
    """Mixin that makes a `Function` picklable."""

    _converted: Callable[..., Any]

    @property
    def supplied_source(self) -> str | None:
        """The source that the caller supplied with `source=`, if any."""
        return DEFAULT.supplied_source(self._converted)

    def __reduce__(self: Any) -> str | tuple[Any, ...]:
        module, name = self.__module__, getattr(self, "__qualname__", "")
        if not _is_pickled_by_value(module) and _lookup(module, name) is self:
            return str(name)
        options: dict[str, Any] = {
            "input_signature": self.input_signature,
            "optimise": self.optimisations,
            "reduce_retracing": self.reduce_retracing,
            "check_globals": self.check_globals,
            "engine": self.engine,
            "fast": self.fast,
            "parallel": self.parallel,
            "source": self.supplied_source or definitions.own_source(DEFAULT.original(self.python_function)),
        }
        kind: Callable[..., Any] = type(self)
        return functools.partial(kind, **options), (self.python_function,)


def _lookup(module: str, name: str) -> Any:
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _is_pickled_by_value(module: str) -> bool:
    """Return whether the running pickler pickles functions of this module by value."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in {"pickle", __name__}:
        frame = frame.f_back
    pickler = frame.f_globals.get("__name__") or ""
    if _BY_VALUE_PICKLERS.isdisjoint(pickler.split(".")):
        return False
    registered: set[str] = getattr(sys.modules[pickler], "list_registry_pickle_by_value", set)()
    return module == "__main__" or any(f"{module}.".startswith(f"{name}.") for name in registered)
