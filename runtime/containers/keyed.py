"""Dicts and sets whose keys are plain, read, searched and written at a staged key."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from .. import staging
from ..backends import Backend, staged_by
from ..core.closures import nothing, set_nothing
from ..core.rolling_attempts import is_rolling
from ..errors import ValueNeededError
from ..staging.exceptions import raise_in_program, refuse_caught
from ..staging.rolling.rolled_uses import note_item_use
from ..values.selected_container import SelectedDict
from .ordering import is_equal, select
from .text import is_text

_READERS = (dict.__getitem__, SelectedDict.__getitem__, types.MappingProxyType.__getitem__)
_SETS = (set, frozenset, type({}.keys()))  # type: ignore[var-annotated]


def is_mapping(value: Any) -> bool:
    """Return whether Python itself reads the items of a mapping."""
    return isinstance(value, Mapping) and getattr(type(value), "__getitem__", None) in _READERS


def keys_of(container: Any) -> Collection[Any] | None:
    """Return the keys of a dict or the members of a set, in a fixed order, or None for anything else."""
    if is_mapping(container):
        return tuple(container)
    if type(container) in (set, frozenset):
        return tuple(sorted(container, key=repr))
    return tuple(container) if isinstance(container, _SETS) else None


def find(backend: Backend, key: Any, keys: Collection[Any], *, required: bool = False) -> Any:
    """Return the position of a staged key among plain keys.

    If none of them equals it, return -1, or raise a KeyError if the key is `required`.
    """
    own = getattr(backend, "find", None)
    if own is not None:
        return own(key, keys, required=required)
    place: Any = -1
    for i, known in enumerate(keys):
        test: Any = False
        if isinstance(known, (int, float, complex, tuple, np.generic)):
            test = is_equal(key, known)
        elif isinstance(known, str) and is_text(backend, key):
            test = getattr(backend, "equal_text", is_equal)(key, known)
        if staged_by(test) is not None:
            place = select(backend, test, i, place)
        elif test:
            place = i
    if required:
        raise_if(backend, place < 0, KeyError(key))
    return place


def raise_if(backend: Backend, test: Any, error: Exception) -> None:
    fail = getattr(backend, "fail", None)
    if fail is not None and test is not False:
        refuse_caught(error)
        fail(test, error)
    elif staged_by(test) is not None:
        staging.if_stmt(backend, test, lambda: raise_in_program(error), nothing, tuple, set_nothing, (), 0)
    elif test:
        raise_in_program(error)


def contains(backend: Backend, key: Any, keys: Collection[Any]) -> Any:
    """`key in keys`"""
    return find(backend, key, keys) >= 0 if keys else False


def get_item(backend: Backend, mapping: Mapping[Any, Any], key: Any) -> Any:
    """`mapping[key]`"""
    if is_rolling():
        note_item_use(backend, mapping, key)
    if isinstance(mapping, Counter):
        return get(backend, mapping, key, 0)
    is_plain = not hasattr(type(mapping), "__missing__")
    if not mapping:
        raise_in_program(KeyError(key) if is_plain else _unknown_key())
    place = find(backend, key, tuple(mapping), required=is_plain)
    if not is_plain:
        raise_if(backend, place < 0, _unknown_key())
    return staging.get_item([*mapping.values()], place)


def get(backend: Backend, mapping: Mapping[Any, Any], key: Any, default: Any = None) -> Any:
    """`mapping.get(key, default)`"""
    if is_rolling():
        note_item_use(backend, mapping, key)
    if not mapping:
        return default
    place, values = find(backend, key, tuple(mapping)), [*mapping.values()]
    return staging.if_exp(
        backend, place >= 0, lambda: staging.get_item(values, place), lambda: default, "", (values, default)
    )


def set_item(backend: Backend, mapping: dict[Any, Any], key: Any, value: Any) -> None:
    """`mapping[key] = value`, where the mapping has the key."""
    if not mapping:
        raise _unknown_key()
    place = find(backend, key, tuple(mapping))
    raise_if(backend, place < 0, _unknown_key())
    for i, (known, old) in enumerate([*mapping.items()]):
        mapping[known] = select(backend, place == i, value, old)


def _unknown_key() -> ValueNeededError:
    return ValueNeededError(
        "a dict gets an item at a staged key that is not among its keys",
        why="the keys of a dict must be known during the trace",
        remedy="give the dict all its keys before: counts = {key: 0 for key in keys}",
    )
