"""`Function` objects in other processes: by name, or by value where functions are too.

The standard library pickles a function by its name, for a process that imports the same module. cloudpickle,
joblib and dill pickle the functions of `__main__`, of notebooks and of modules that were registered by value.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

from . import source
from .api import DEFAULT

_BY_VALUE = {"cloudpickle", "dill"}  # packages, which others have copies of


class ByName:
    """A `Function`, as far as it is pickled."""

    _converted: Callable[..., Any]

    @property
    def given_text(self) -> str | None:
        """The text that was given for the function, if one was."""
        return DEFAULT.text_of(self._converted)

    def __reduce__(self: Any) -> str | tuple[Any, ...]:
        module, name = self.__module__, getattr(self, "__qualname__", "")
        if not _by_value(module) and _named(module, name) is self:
            return str(name)
        options: dict[str, Any] = {
            "input_signature": self.input_signature,
            "optimise": self.optimisations,
            "reduce_retracing": self.reduce_retracing,
            "check_globals": self.check_globals,
            "engine": self.engine,
            "source": self.given_text or source.text_of(DEFAULT.original(self.python_function)),
        }
        kind: Callable[..., Any] = type(self)
        return functools.partial(kind, **options), (self.python_function,)


def _named(module: str, name: str) -> Any:
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _by_value(module: str) -> bool:
    """Whether what pickles just now takes the functions of a module by value."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in {"pickle", __name__}:
        frame = frame.f_back
    pickler = frame.f_globals.get("__name__") or ""
    if _BY_VALUE.isdisjoint(pickler.split(".")):
        return False
    registered: set[str] = getattr(sys.modules[pickler], "list_registry_pickle_by_value", set)()
    return module == "__main__" or any(f"{module}.".startswith(f"{name}.") for name in registered)
