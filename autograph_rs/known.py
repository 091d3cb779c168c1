"""The transpilers that there are: in this process, and in others, where those of this package are too."""

from __future__ import annotations

import threading
import types
import weakref
from typing import Any

from .codes import function_inside
from .entries import made_of

_known: weakref.WeakSet[Any] = weakref.WeakSet()
_listing = threading.RLock()  # a set that grows cannot be read


def enlist(transpiler: Any) -> None:
    with _listing:
        _known.add(transpiler)


def live() -> list[Any]:
    """The transpilers of this process."""
    with _listing:
        return list(_known)


def made_inside(f: types.FunctionType) -> bool:
    """Whether a converted function made `f`, whose code is not what its source compiles to."""
    return any(id(f.__code__) in other._converted for other in live())  # noqa: SLF001 - our own


def origin(f: Any, text: str | None, thin: types.CodeType) -> tuple[types.FunctionType, str | None]:
    """The function that the user wrote, and its text: this one, or what was given when `f` was made."""
    while not isinstance(f, types.FunctionType):
        f = function_inside(f)
    while True:
        if f.__code__ == thin:
            given = made_of(f).text
        else:
            makers = [other for other in live() if other.has_made(f)]
            if not makers:
                return f, text
            given = makers[0].given.get(f)
        text, f = given if text is None else text, f.__wrapped__  # type: ignore[attr-defined]


class Known:
    """An object that is pickled as the way to find its like, if there is one."""

    reduced: tuple[Any, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self.reduced is None:
            raise TypeError(f"{self!r} cannot be pickled, nor what it converted: make it in each process")
        return self.reduced
