"""Calls with nothing but arrays and NumPy scalars, whose trace is known by their dtypes and shapes."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_rs.runtime.active import ACTIVE
from autograph_rs.runtime.graph.concrete import ConcreteGraph
from autograph_rs.runtime.graph.modes import MODES
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.left import annotate
from autograph_rs.runtime.tracebacks import strip

SCALARS = frozenset(kind for kind in np.sctypeDict.values() if issubclass(kind, (np.number, np.bool_)))
MAX_DIRECT = 1024


class Direct:
    """A callable that goes from such arguments to the compiled function without further ado."""

    def __init__(self) -> None:
        self._direct: dict[Any, Callable[..., tuple[Any]]] = {}
        self._graphs: dict[Callable[..., tuple[Any]], ConcreteGraph] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        parts: list[Any] | None = None
        direct = None
        try:
            if not (kwargs or MODES or (ACTIVE and is_tracing())):
                parts = []
                for value in args:
                    kind = type(value)
                    if kind is np.ndarray:
                        parts += (value.dtype, value.shape)
                    elif kind in SCALARS:
                        parts.append(kind)
                    else:
                        return self.call_bound((), args, kwargs, None)
                direct = self._direct.get(tuple(parts))
                if direct is not None:
                    return direct(*args)[0]
            return self.call_bound((), args, kwargs, parts)
        except BaseException as error:
            if direct is not None:
                self._graphs[direct].at_user_code(error)
            annotate(error)
            strip(error)
            raise

    def call_bound(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], quick: Any
    ) -> Any:
        """Any other call; `quick` is what to give to `keep_direct`."""
        raise NotImplementedError

    def keep_direct(self, quick: Any, concrete: ConcreteGraph) -> None:
        """Go straight to a trace the next time, if it has nothing to do but to compute one result."""
        direct = None if quick is None else concrete.direct
        if direct is not None:
            if len(self._direct) >= MAX_DIRECT:
                self._direct.clear()
            self._graphs[direct] = concrete
            self._direct[tuple(quick)] = direct


def forget(function: weakref.ref[Any], table: str, known: Any) -> None:
    """Take what a function knows of an object that has died out of a table of its."""
    alive = function()
    if alive is not None:
        getattr(alive, table).pop(known, None)
