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
            if isinstance(target, SelectedContainer) and target.choice is not None:
                from ..containers import lists  # noqa: PLC0415 - needed by staged indices only

                lists.set_item_of_selected(backend, target, key, value, set_item)
                return target
            if isinstance(target, dict) and staging.has_staged(key):
                from ..containers import keyed  # noqa: PLC0415 - needed by staged keys only

                keyed.set_item(backend, target, key, value)
                return target
            if isinstance(target, list) and _write_structured(backend, target, key, value):
                return target
            updated = backend.set_item(target, key, value)
            return updated if updated is target else staging.checked_write(updated, target, backend)
        target[key] = value
        return target
    except BaseException as error:
        drop_current_frame(error)
        raise


def _write_structured(backend: Any, target: list[Any], key: Any, value: Any) -> bool:
    """Write an item of a list of tuples, lists or dicts at a staged index; return whether it is one."""
    is_structured = any(isinstance(part, (tuple, list, dict)) for part in (*raw_items(target), value))
    if not is_structured or staging.owner_of(key) is None or isinstance(target, SelectedContainer):
        return False
    from ..containers import lists  # noqa: PLC0415 - needed by staged indices only

    lists.set_item(backend, target, key, value)
    return True


def unpacked(value: Any) -> Any:
    """Return `value` in a form that Python can unpack into several targets or a star."""
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value):
        unpack = getattr(backend, "unpacked", None)
        return value if unpack is None else unpack(value)
    return value
