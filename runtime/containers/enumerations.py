"""Members of enumerations, looked up by a staged value."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import Backend, staged_by
from ..errors import ValueNeededError
from .keyed import find
from .ordering import raise_if
from .text import interpolate


def constructor(kind: Any) -> Callable[..., Any] | None:
    """Return a function that looks up a member by its value, or None where the enumeration does so itself."""
    searches_itself = any("_missing_" in vars(k) for k in kind.__mro__ if k is not enum.Enum)
    if searches_itself or issubclass(kind, enum.Flag):
        return None

    def look_up(*args: Any, **kwargs: Any) -> Any:
        backend = staged_by(args[0]) if len(args) == 1 and not kwargs else None
        return kind(*args, **kwargs) if backend is None else _member(backend, kind, args[0])

    return look_up


def _member(backend: Backend, kind: type[enum.Enum], value: Any) -> Any:
    members = [*kind]
    place = find(backend, value, [member.value for member in members])
    text = interpolate(backend, f"%r is not a valid {kind.__qualname__}", (value,))
    raise_if(backend, place < 0, ValueError(text))
    if kind._member_type_ is object:  # type: ignore[attr-defined]
        return staging.get_item(members, place)
    error = ValueNeededError(
        f"a staged value selects a member of {kind.__qualname__}",
        why="a graph holds such members as plain values of their type",
        remedy="use the values in place of the members",
    )
    try:
        for i, member in enumerate(members[:-1]):
            if staging.decide(backend, place == i, error):
                return member
    except ValueNeededError:  # what follows cannot be captured once for each member
        return staging.get_item(members, place)
    return members[-1]
