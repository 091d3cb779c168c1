"""Operators for subscripts and unpacking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import staging
from ..backends import BACKENDS, has_backends
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


def unpacked(value: Any) -> Any:
    """Return `value` in a form that Python can unpack into several targets or a star."""
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value):
        unpack = getattr(backend, "unpacked", None)
        return value if unpack is None else unpack(value)
    return value
