"""Fast path for calls whose arguments are all arrays and NumPy scalars.

Dtypes and shapes alone select the trace of such a call, so it can skip argument binding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
from numpy import ndarray

from autograph_rs.runtime.core.active_backends import ACTIVE
from autograph_rs.runtime.debugging.tracebacks import add_unconverted_notes, strip_internal_frames
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.tracing.modes import MODES
from autograph_rs.runtime.graph.tracing.trace import is_tracing

P = ParamSpec("P")
"""The parameters of a user's function."""
R_co = TypeVar("R_co", covariant=True)
"""What a user's function returns."""
Args = tuple[Any, ...]
Kwargs = dict[str, Any]
ResolvedCall = tuple[list[Any], Any, ConcreteGraph]
"""The leaves of a call, its arguments, and its graph."""
SCALARS = frozenset(kind for kind in np.sctypeDict.values() if issubclass(kind, (np.number, np.bool_)))
MAX_FAST_PATHS = 1024


class FastPath(Generic[P, R_co]):
    """Base class of callables that run graphs, with direct dispatch to compiled functions where possible."""

    def __init__(self) -> None:
        self._fast_paths: dict[Any, Callable[..., tuple[R_co]]] = {}
        self._graphs: dict[Callable[..., tuple[R_co]], ConcreteGraph] = {}
        self._last: tuple[list[Any] | None, Callable[..., tuple[R_co]] | None] = (None, None)
        """The key and the function of an earlier call: to compare keys is faster than to look one up."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        fast_key: list[Any] | None = None
        compiled = None
        value: Any
        try:
            if not (kwargs or MODES or (ACTIVE and is_tracing())):
                fast_key = []
                for value in args:
                    kind = type(value)
                    if kind is ndarray:
                        fast_key.append(value.dtype)
                        fast_key.append(value.shape)
                    elif kind in SCALARS:
                        fast_key.append(kind)
                    else:
                        return self.call_bound((), args, kwargs, None)
                last_key, compiled = self._last
                if fast_key != last_key:
                    compiled = self._look_up(fast_key)
                if compiled is not None:
                    return compiled(*args)[0]
            return self.call_bound((), args, kwargs, fast_key)
        except BaseException as error:
            if compiled is not None:
                self._graphs[compiled].set_user_traceback(error)
            add_unconverted_notes(error)
            strip_internal_frames(error)
            raise

    def call_bound(self, bound: Args, args: Args, kwargs: Kwargs, fast_key: Any) -> R_co:
        """Run a call that has no cached fast path. `fast_key` is the key for caching one, or None."""
        raise NotImplementedError

    def cache_fast_path(self, fast_key: Any, graph: ConcreteGraph) -> None:
        """Let later calls with this key skip argument binding, if the graph only computes a result."""
        compiled = None if fast_key is None else graph.fast_path_function(self._forget)
        if compiled is not None:
            if len(self._fast_paths) >= MAX_FAST_PATHS:
                self._fast_paths.clear()
            self._graphs[compiled] = graph
            self._fast_paths[tuple(fast_key)] = compiled

    def _look_up(self, fast_key: list[Any]) -> Callable[..., tuple[R_co]] | None:
        compiled = self._fast_paths.get(tuple(fast_key))
        if compiled is not None:
            self._last = fast_key, compiled
            if self._fast_paths.get(tuple(fast_key)) is not compiled:  # another thread has just dropped it
                self._last = None, None
        return compiled

    def _forget(self, compiled: Callable[..., tuple[R_co]]) -> None:
        """Drop a function that another one has replaced."""
        for key in [k for k, f in list(self._fast_paths.items()) if f is compiled]:
            self._fast_paths.pop(key, None)
        self._last = None, None
