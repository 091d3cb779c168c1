"""Operators for subscripts, unpacking, and displays of sets, dicts, and lists with stars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import GeneratorType
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
        if type(key) is slice and hasattr(type(value), "ag__rest"):
            return set_item(target, key, value.ag__rest())
        if backend is not None:
            if isinstance(target, (list, dict)) and _is_structured(target, key, value):
                from ..containers import lists  # noqa: PLC0415 - needed by traces only

                return lists.write(backend, target, key, value)
            updated = backend.set_item(target, key, value)
            is_everywhere = updated is target or staging.followed(target) is updated
            return updated if is_everywhere else staging.checked_write(updated, target, backend)
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
    if hasattr(type(value), "ag__rest"):
        value = value.ag__rest(takes_all=False)
    elif type(value) is GeneratorType and staging.takes_staged(value):
        value = DISPATCHING[id(list)](value)
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
        from ..containers.ordering import raise_if  # noqa: PLC0415 - needed by traces only

        raise_if(backend, count < least, ValueError(backend.text(message)))


def sequence(
    subject: Any, before: int, after: int | None = None, place: int | None = None
) -> SequencePattern:
    """A sequence pattern of `match`, of `before` items, or with `after` items behind a star.

    With `place`, `subject` is a pattern, and the item at that place is matched.
    """
    return SequencePattern(subject, before, after, place)


class SequencePattern:
    """Compares a subject with a pattern once `matches` is read, and gives the parts if it matches.

    Each use reads the item of an outer pattern anew, because a staged branch cannot use those of another.
    """

    def __init__(self, subject: Any, before: int, after: int | None, place: int | None):
        self.subject, self.place = subject, place
        self.before, self.after = before, after

    def value(self) -> Any:
        """Return the subject in a form that has a length and items."""
        value = self.subject if self.place is None else self.subject[self.place]
        value = staging.whole(value) if ACTIVE else value
        if staged_by(value) is None:
            return value
        return DISPATCHING[id(list)](value) if getattr(value, "op", "") == "range" else value

    @property
    def matches(self) -> Any:
        """Whether the subject matches. It is staged if the length of the subject is."""
        value = self.value()
        if staged_by(value) is None:
            match value:
                case [*_]:
                    pass
                case _:
                    return False
        elif not DISPATCHING[id(isinstance)](value, Sequence) or DISPATCHING[id(isinstance)](value, str):
            return False
        length = DISPATCHING[id(len)](value)
        if self.after is None:
            return length == self.before
        least = self.before + self.after
        return length >= least if least else True

    def __getitem__(self, place: int) -> Any:
        return self.value()[place]

    @property
    def rest(self) -> Any:
        """A list of the items that the star captures."""
        items = DISPATCHING[id(list)](self.value())
        return items[self.before : -self.after if self.after else None]


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
