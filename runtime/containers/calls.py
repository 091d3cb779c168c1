"""Replacements for methods and functions that need the values of their arguments, such as `dict.get`.

A replacement calls Python's own function unless a staged value is involved.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from enum import EnumType
from typing import Any

from .. import staging
from ..backends import Backend, staged_by
from ..backends.builtins import DISPATCHING
from ..core.active_backends import active_backend
from ..debugging.tracebacks import drop_current_frame
from ..values.selected_container import SelectedContainer
from . import bisection, enumerations, keyed, lists, pooled_iterators, text

_CHANGES_OF_SETS = (
    "add", "discard", "remove", "update", "intersection_update", "difference_update",
    "symmetric_difference_update",
)  # fmt: skip
_QUERIES_OF_SETS = (
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
)  # fmt: skip
_OF_DICTS: dict[str, Callable[..., Any]] = {
    "get": keyed.get,
    **{name: keyed.changing(name) for name in ("pop", "setdefault")},
    "update": keyed.update_dict,
}
_METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        "format": text.format_string,
        "format_map": text.format_map,
        "join": text.join,
        "index": text.index,
        **{name: text.searching(name) for name in ("find", "count", "startswith", "endswith")},
    },
    Counter: {
        **_OF_DICTS,
        "most_common": keyed.most_common,
        "update": keyed.counting("update"),
        "subtract": keyed.counting("subtract"),
    },
    dict: _OF_DICTS,
    set: {
        **{name: keyed.changing(name) for name in _CHANGES_OF_SETS},
        **{name: keyed.computing(name) for name in _QUERIES_OF_SETS},
    },
    tuple: {"index": lists.index, "count": lists.count},
    list: {
        "index": lists.index,
        "count": lists.count,
        "remove": lists.remove,
        "pop": lists.pop,
        "insert": lists.insert,
        "sort": lists.sort,
        "extend": lists.extend,
    },
}
"""The replacements of methods by class and name. They take a backend, the object, and the arguments."""


def _groupby(iterable: Any, key: Callable[[Any], Any] | None = None) -> Any:
    return _replacing(itertools.groupby, lists.groupby)(iterable, key=key)


_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {
    "builtins": {
        "set": keyed.make_set,
        "dict": keyed.make_dict,
        "iter": pooled_iterators.REPLACEMENTS["iter"],
    },
    "collections": {"deque": lists.make_deque, "Counter": keyed.make_counter},
    "itertools": {**pooled_iterators.REPLACEMENTS, "groupby": _groupby},
    "functools": {"reduce": lists.reduce},
    "heapq": {
        **{n: lists.updating(n) for n in ("heapify", "heappush", "heappop", "heappushpop", "heapreplace")},
        "nsmallest": lists.extremes("nsmallest", reverse=False),
        "nlargest": lists.extremes("nlargest", reverse=True),
    },
    "bisect": {
        **{n: bisection.inserting(n) for n in ("insort_left", "insort_right")},
        **{n: bisection.bisecting(n) for n in ("bisect_left", "bisect_right")},
    },
}
"""The replacements of functions by module and name. They take a backend and the arguments."""


def replacement(function: Any) -> Callable[..., Any] | None:
    """Return the replacement for a method of a builtin type, an enumeration or a function, or None."""
    if isinstance(function, EnumType):
        return enumerations.constructor(function)
    owner, name = getattr(function, "__self__", None), function.__name__
    if name == "extend" and staged_by(owner) is not None:
        return _replacing(function, lambda _, items: function(items))
    for kind, methods in _METHODS.items():
        if isinstance(owner, kind):
            return _replacing(function, methods[name], owner) if name in methods else None
    if hasattr(type(owner), "python_class"):  # a staged list, set or dict
        return _replacing(function, lambda _, *args, **kwargs: function(*args, **kwargs))
    module = "itertools" if owner is itertools.chain else str(function.__module__).lstrip("_")
    functions = _FUNCTIONS.get(module, {})
    if name not in functions:
        return None
    takes_no_backend = module == "itertools" or name in pooled_iterators.REPLACEMENTS
    return functions[name] if takes_no_backend else _replacing(function, functions[name])


def _replacing(function: Any, implementation: Callable[..., Any], *owner: Any) -> Callable[..., Any]:
    searched: list[Any] = [part for part in owner if isinstance(part, (list, tuple))]
    if implementation is keyed.most_common:
        searched += owner[0].values()

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            sources = [staging.source_of(arg, of_objects=False) for arg in args]
            given = [*args]
            args = ()  # only a generator to which nothing else refers can be driven
            for i, source in enumerate(sources):
                if source is not None:
                    given[i] = None
                    given[i] = DISPATCHING[id(list)](source.iterator())
                elif hasattr(given[i], "__next__"):
                    given[i] = list(given[i])
            backend = _backend_of([*searched, *given], kwargs)
            if backend is None:
                return function(*given, **kwargs)
            return implementation(backend, *owner, *given, **kwargs)
        except BaseException as error:
            drop_current_frame(error)
            raise

    return call


def _backend_of(values: Any, options: dict[str, Any]) -> Backend | None:
    """Return the active backend if a value holds a staged value or a key function is given, else None."""
    if "key" not in options and not _holds_staged([*values, *options.values()], 3):
        return None
    return active_backend()


def _holds_staged(values: Any, depth: int) -> bool:
    """Return whether a container holds a staged value at most `depth` levels deep."""
    for value in values.values() if isinstance(values, dict) else values:
        if staged_by(value) is not None or getattr(type(value), "is_staged_list", False):
            return True
        if isinstance(value, SelectedContainer):
            return True
        if depth and type(value) in (list, tuple, dict) and _holds_staged(value, depth - 1):
            return True
    return False
