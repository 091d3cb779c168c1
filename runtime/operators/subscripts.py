"""Operators for subscripts, unpacking, and displays of sets, dicts, and lists with stars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import staging
from ..backends import BACKENDS, has_backends, staged_by
from ..backends.builtins import DISPATCHING
from ..core.active_backends import ACTIVE, active_backend
from ..debugging.tracebacks import drop_current_frame
from ..values.selected_container import SelectedContainer, raw_items

slice = slice  # noqa: A001, PLW0127 - converted code calls `ag__.slice`


def get_item(target: Any, key: Any) -> Any:
    """`target[key]`"""
    try:
        kind = type(key)
        if kind is int or kind is str or not has_backends() or not staging.has_staged(key):
            return target[key]
        if isinstance(target, Mapping):
            from ..containers import keyed  # noqa: PLC0415 - needed by staged keys only

            if keyed.is_mapping(target):
                return keyed.get_item(staging.owner_of(key), target, key)
        return staging.get_item(target, key)
    except BaseException as error:
        drop_current_frame(error)
        raise


def set_item(target: Any, key: Any, value: Any) -> Any:
    """`target[key] = value`, returning the updated target, which may be a new object."""
    try:
        backend = staging.owner_of_item(target, key, value) if has_backends() else None
        if backend is not None:
            if isinstance(target, (list, dict)) and _is_structured(target, key, value):
                from ..containers import lists  # noqa: PLC0415 - needed by traces only

                return lists.write(backend, target, key, value)
            updated = backend.set_item(target, key, value)
            return updated if updated is target else staging.checked_write(updated, target, backend)
        target[key] = value
        return target
    except BaseException as error:
        drop_current_frame(error)
        raise


def _is_structured(target: list[Any] | dict[Any, Any], key: Any, value: Any) -> bool:
    """Return whether staging writes an item of a plain container: by a staged key, or to a selected one.

    A list of numbers or arrays is left to the backend.
    """
    if isinstance(target, SelectedContainer):
        return True
    if isinstance(key, slice) or staging.owner_of(key) is None:
        return False
    return isinstance(target, dict) or any(
        isinstance(part, (tuple, list, dict)) for part in (*raw_items(target), value)
    )


def unpacked(value: Any, before: int | None = None, after: int = 0) -> Any:
    """Return `value` in a form that Python can unpack into several targets or a star.

    With `before`, return as many items, a list of the rest, and the last `after` items.
    """
    backend = BACKENDS[type(value)]
    is_staged = backend is not None and backend.is_staged(value)
    if before is None:
        unpack = getattr(backend, "unpacked", None) if is_staged else None
        return value if unpack is None else unpack(value)
    try:
        count = DISPATCHING[id(len)](value) if is_staged and hasattr(backend, "staged_list") else 0
        if staged_by(count) is None:
            items: Any = [*(unpacked(value) if is_staged else value)]
            count = len(items)
        else:
            items = DISPATCHING[id(list)](value)
        _check_count(backend, count, before + after)
        end = count - after
        return (
            *[items[i] for i in range(before)],
            items[before:end],
            *[items[end + i] for i in range(after)],
        )
    except BaseException as error:
        drop_current_frame(error)
        raise


def _check_count(backend: Any, count: Any, least: int) -> None:
    """Raise Python's error if there are fewer values than targets."""
    is_staged = staged_by(count) is not None
    shown = backend.fmt(count, "") if is_staged else count
    message = f"not enough values to unpack (expected at least {least}, got {shown})"
    if not is_staged and count < least:
        raise ValueError(message)
    if is_staged and least:
        from ..containers.keyed import raise_if  # noqa: PLC0415 - needed by traces only

        raise_if(backend, count < least, ValueError(backend.text(message)))


def chained(*parts: Iterable[Any]) -> Any:
    """`[*first, *second]`"""
    try:
        made: Any = []
        for part in parts:
            backend = staged_by(part)
            items = part if backend is None else DISPATCHING[id(list)](unpacked(part))
            if staged_by(items) is not None and type(made) is list:
                made = staging.staged_list(active_backend(), made)
            if type(made) is list:
                made.extend(items)
            else:
                made = made + (items if staged_by(items) is not None else [*items])
        return made
    except BaseException as error:
        drop_current_frame(error)
        raise


def set_of(items: Iterable[Any]) -> Any:
    """`{first, second}`"""
    return _made(set, items, items)


def dict_of(pairs: Iterable[Any]) -> Any:
    """`{key: value}`"""
    return _made(dict, pairs, (key for key, _ in pairs) if type(pairs) is list else pairs)


def _made(kind: type, items: Iterable[Any], keys: Iterable[Any]) -> Any:
    """Return a set or dict, which is staged if its keys are."""
    try:
        if ACTIVE and (staged_by(keys) is not None or any(map(staging.has_staged, keys))):
            from ..containers import calls  # noqa: PLC0415 - needed by traces only

            make = calls.replacement(kind)
            assert make is not None
            return make(items)
        return kind(items)
    except BaseException as error:
        drop_current_frame(error)
        raise
