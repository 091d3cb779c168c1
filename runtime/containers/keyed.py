"""Dicts and sets whose keys are plain, read, searched and written at a staged key."""

from __future__ import annotations

import threading
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from .. import staging
from ..backends import Backend, staged_by
from ..backends.builtins import DISPATCHING
from ..core.in_flight import running
from ..core.rolling_attempts import is_rolling
from ..errors import AliasError, ValueNeededError
from ..staging.branches.exceptions import raise_in_program
from ..staging.rolling.rolled_uses import note_item_use
from ..values.selected_container import SelectedDict
from .ordering import by_key, is_equal, raise_if, select
from .text import is_text

_READERS = (dict.__getitem__, SelectedDict.__getitem__, types.MappingProxyType.__getitem__)
_SETS = (set, frozenset, type({}.keys()))  # type: ignore[var-annotated]


_last = threading.local()
"""`read` is the mapping and the key of the thread's last lookup by a staged key."""


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
    if own is None:
        place = _search(backend, key, keys)
    elif required and running.flight is not None:  # a `try` may catch the KeyError
        place = own(key, keys, required=False)
    else:
        return own(key, keys, required=required)
    if required:
        raise_if(backend, place < 0, KeyError(key))
    return place


def _search(backend: Backend, key: Any, keys: Collection[Any]) -> Any:
    """Return the position of a staged key by comparing it with each key, or -1."""
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
    return place


def contains(backend: Backend, key: Any, keys: Collection[Any]) -> Any:
    """`key in keys`"""
    return find(backend, key, keys) >= 0 if keys else False


def get_item(backend: Backend, mapping: Mapping[Any, Any], key: Any) -> Any:
    """`mapping[key]`"""
    if is_rolling():
        note_item_use(backend, mapping, key)
    _last.read = mapping, key
    if isinstance(mapping, Counter):
        return get(backend, mapping, key, 0)
    is_plain = not hasattr(type(mapping), "__missing__")
    if type(mapping) is defaultdict and _can_be_dict(backend, mapping):
        return staged(backend, mapping)[key]
    if not mapping:
        raise_in_program(KeyError(key) if is_plain else _unknown_key())
    place = find(backend, key, tuple(mapping), required=is_plain)
    if not is_plain:
        raise_if(backend, place < 0, _unknown_key())
    return staging.found_in(backend, staging.get_item([*mapping.values()], place), mapping, key)


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


def set_item(backend: Backend, mapping: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """`mapping[key] = value`; return the mapping, or a staged one that may get new keys, in its place.

    In `mapping[key] += 1`, the mapping of plain keys has the key, and stays.
    """
    read, key_read = getattr(_last, "read", (None, None))
    has_key = bool(mapping) and read is mapping and key_read is key
    if not has_key and _can_be_dict(backend, mapping, value):
        opened = staged(backend, mapping)
        opened[key] = value
        return opened
    if not mapping:
        raise _unknown_key()
    place = find(backend, key, tuple(mapping))
    raise_if(backend, place < 0, _unknown_key())
    for i, (known, old) in enumerate([*mapping.items()]):
        mapping[known] = select(backend, place == i, value, old)
    return mapping


def _can_be_dict(backend: Backend, mapping: dict[Any, Any], *values: Any) -> bool:
    """Return whether a staged dict can take the place of a plain one, and get more values."""
    decide = getattr(backend, "can_be_dict", None)
    return decide is not None and decide(mapping, *values)


def staged(backend: Backend, container: Any) -> Any:
    """Put a staged set or dict in the place of a plain one whose members or keys are about to be staged."""
    kind = "set" if isinstance(container, set) else "dict"
    make = getattr(backend, f"staged_{kind}", None)
    if make is None:
        raise ValueNeededError(
            f"a {kind} gets a member or a key that is staged",
            why=f"the backend {backend.name!r} has no {kind}s, and Python's need the value during the trace",
            remedy="use an array that is indexed by the members, or give a dict all its keys before",
        )
    opened, other = staging.staged_in_place(backend, container, make)
    if other:
        raise AliasError(
            f"a {kind} gets a member or a key that is staged, and {other} also refers to the {kind}",
            why="the other reference would not see the change, which happens only when the graph runs",
            remedy=f"copy the {kind}, and change the copy",
        )
    return opened


def changing(name: str) -> Callable[..., Any]:
    """Return the replacement for a method that changes a set or a dict."""
    return lambda backend, owner, *args: getattr(staged(backend, owner), name)(*args)


def update_dict(backend: Backend, mapping: Any, *pairs: Any, **named: Any) -> None:
    """`mapping.update(pairs)`"""
    has_plain_keys = not pairs or not _has_staged_keys(pairs[0], _first)
    (mapping if has_plain_keys else staged(backend, mapping)).update(*pairs, **named)


def _first(pair: Any) -> Any:
    return pair[0] if isinstance(pair, (tuple, list)) and pair else None


def counting(name: str) -> Callable[..., Any]:
    """Return the replacement for a method of Counters that counts items."""

    def count(backend: Backend, counter: Any, *items: Any, **named: Any) -> None:
        has_plain_keys = not items or not _has_staged_keys(items[0], lambda item: item)
        getattr(counter if has_plain_keys else staged(backend, counter), name)(*items, **named)

    return count


def _has_staged_keys(source: Any, key_of: Callable[[Any], Any]) -> bool:
    """Return whether a mapping or an iterable, each item of which has a key, has a key that is staged."""
    if isinstance(source, Mapping):
        return False
    return staged_by(source) is not None or any(staging.has_staged(key_of(item)) for item in source)


def make_set(backend: Backend, values: Any = ()) -> Any:
    """`set(values)`"""
    return _make(backend, "set", values)


def make_dict(backend: Backend, *pairs: Any, **named: Any) -> Any:
    """`dict(pairs)`"""
    if len(pairs) != 1 or named or isinstance(pairs[0], Mapping):
        return dict(*pairs, **named)
    return _make(backend, "dict", *pairs)


def make_counter(backend: Backend, *values: Any, **named: Any) -> Any:
    """`collections.Counter(values)`"""
    if len(values) != 1 or named or isinstance(values[0], Mapping):
        return Counter(*values, **named)
    return _make(backend, "counter", *values)


def most_common(backend: Backend, counter: Counter[Any], n: Any = None) -> Any:
    """`counter.most_common(n)`"""
    pairs = by_key(backend, sorted, [*counter.items()], key=lambda pair: pair[1], reverse=True)
    if staged_by(n) is not None:
        pairs = staging.staged_list(backend, pairs)
    return pairs if n is None else pairs[: DISPATCHING[id(max)](n, 0)]


def _make(backend: Backend, kind: str, values: Any) -> Any:
    make = getattr(backend, f"new_{kind}", None)
    if make is None:
        raise ValueNeededError(
            f"a {kind} of staged values is created",
            why=f"the backend {backend.name!r} has no {kind}s, and Python's need the values during the trace",
            remedy="use an array: np.unique(x) has its values, and np.bincount(x) counts them",
        )
    items: list[Any] | None = getattr(values, "known_items", list)()
    if items:
        try:
            return _KINDS[kind](items)
        except ValueNeededError:  # a member or a key is staged
            values = items
    return make(values)


_KINDS: dict[str, Callable[[Any], Any]] = {"set": set, "dict": dict, "counter": Counter}


def computing(name: str) -> Callable[..., Any]:
    """Return the replacement for a method of sets that computes something from the set and its arguments."""

    def compute(backend: Backend, owner: Any, *args: Any) -> Any:
        make = getattr(backend, "staged_set", None)
        if make is None:
            return staged(backend, owner)  # raises
        return getattr(make(owner), name)(*args)

    return compute


def _unknown_key() -> ValueNeededError:
    return ValueNeededError(
        "a dict gets an item at a staged key that is not among its keys",
        why="the keys of such a dict must be known during the trace",
        remedy="give the dict all its keys before: counts = {key: 0 for key in keys}",
    )
