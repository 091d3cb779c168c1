"""Implementations of Python builtins for staged values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....backends import builtins as table
from ...ir.types import ArrayType
from ...tracing import effects, recording
from ...tracing.containers.staged_keyed import StagedKeyed
from ...tracing.numpy_views import as_array
from ...tracing.optional_lists import OptionalList
from ...tracing.tensor import characters, some
from . import iterables, scalars


def _numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: recording.call(function, args, kwargs)


def _array(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *args, **kwargs: as_array(function, some(value, "iter"), *args, **kwargs)


def _numpy_scalar(kind: type) -> Callable[..., Any]:
    return lambda value: recording.cast(value, ArrayType(np.dtype(kind), getattr(value, "shape", ())))


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    print: lambda *args, **kwargs: effects.record_print(args, kwargs),
    **iterables.IMPLEMENTATIONS,
    **scalars.IMPLEMENTATIONS,
    **{f: _numpy_scalar(f) if isinstance(f, type) else _numpy(f) for f in table.NUMPY},
    **{f: _array(f) for f in (np.array, np.asarray, np.ascontiguousarray)},
}


def call(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call the staged form of a builtin."""
    if function not in _OF_CONTAINERS:
        is_of_items = function in _OF_ITEMS or (function in (min, max) and len(args) == 1)
        args = tuple([some(a, "iter") if is_of_items or isinstance(a, OptionalList) else a for a in args])
        args = tuple([a.as_list() if isinstance(a, StagedKeyed) else a for a in args])
        if is_of_items:
            args = tuple(map(characters, args))
    return IMPLEMENTATIONS[function](*args, **kwargs)


_OF_CONTAINERS = frozenset((len, bool, str, repr, print, type, isinstance))
"""The builtins that take a set or a dict as it is. The others iterate over its members or keys."""

_OF_ITEMS = frozenset((list, tuple, sorted, enumerate, zip, reversed, map, filter, any, all, sum))
"""The builtins that iterate over any argument, such as a text or an array that may be None."""
