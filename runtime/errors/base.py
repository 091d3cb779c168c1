"""The base class of this package's errors, which say what happened, where, why, and how to fix it."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from pathlib import Path
from types import EllipsisType
from typing import Any, Self

from ..core.in_flight import running
from ..core.rolling_attempts import note_use
from ..debugging.call_sites import condition_position
from ..debugging.positions import CodePosition, format_position, position_at
from ..debugging.tracebacks import user_frame

_CHECKOUT = Path(__file__).parents[2]
_SITE = "https://github.com/autograph-rs/autograph_rs/blob/main/"


def documentation(page: str) -> str:
    """Return where a page of the documentation is: its path in a checkout, else its address."""
    return page if (_CHECKOUT / page).is_file() else _SITE + page


class AutographError(Exception):
    """The base class of all errors that autograph_rs defines.

    Args:
        what: what happened, as a sentence.
        why: the reason.
        remedy: how to fix it.
        rows: a line for each variable, argument or part involved.
        sites: further positions in the code, each with a label.
        place: where it happened, by default the running line of user code; None for no position.

    The text of an error contains all of these. `what` is `args[0]`; the others are attributes.

    >>> from autograph_rs import AutographError
    >>> error = AutographError("the file is empty", why="a graph has at least one result",
    ...                        remedy="save the function again", place=None)
    >>> print(error)
    the file is empty
      why: a graph has at least one result
      fix: save the function again
      see: docs/errors/AutographError.md
    >>> error.remedy
    'save the function again'
    """

    why: str = ""
    remedy: str = ""
    rows: tuple[str, ...] = ()
    sites: tuple[tuple[str, CodePosition], ...] = ()
    place: CodePosition | None = None
    changed_class: type | None = None
    """The class of the user whose instance it is about, if an object of the program would do in its place."""
    needs: str = ""
    """What another trace may do to succeed, or "".

    For "lists in results", it stages the lists in the result of a function from the first path that returns
    some. For "rolled loops", it rolls short loops over plain ranges in which statements of a `try` may raise.
    """

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith(__package__ + "."):
            cls.__module__ = AutographError.__module__  # the public name

    def __init__(
        self,
        what: str = "",
        *,
        why: str = "",
        remedy: str = "",
        rows: Iterable[str] = (),
        sites: Iterable[tuple[str, CodePosition]] = (),
        place: CodePosition | EllipsisType | None = ...,
    ) -> None:
        super().__init__(what)
        note_use(type(self))  # user code may catch an error that only the attempt to roll a loop causes
        if running.refusals is not None:
            running.refusals.append(self)
        self.why = why
        self.remedy = remedy
        self.rows = tuple(rows)
        self.sites = tuple(sites)
        self.place = _running_position() if place is ... else place

    def about(self, value: object) -> Self:
        """Note the instance that it is about."""
        self.changed_class = type(value)
        return self

    def __str__(self) -> str:
        lines = [str(self.args[0]) if self.args else ""]
        if self.place is not None:
            lines += format_position(self.place)
        for label, site in self.sites:
            lines += [f"{label}:", *format_position(site)]
        lines += map(str, self.rows)
        if self.why:
            lines.append(f"why: {self.why}")
        if self.remedy:
            lines.append(f"fix: {self.remedy}")
        name = next(c.__name__ for c in type(self).__mro__ if c.__module__ == AutographError.__module__)
        lines.append(f"see: {documentation(f'docs/errors/{name}.md')}")
        return "\n  ".join(lines)


AutographError.__module__ = __name__.partition(".")[0]


def _running_position() -> CodePosition | None:
    frame = user_frame(sys._getframe(2))
    if frame is None:
        return None
    place = position_at(frame.f_code, frame.f_lasti)
    return (
        condition_position(place)
        if place.text.startswith(("if ", "elif ", "while ", "for ", "match "))
        else place
    )


_MAX_LENGTH = 80


def describe(value: Any) -> str:
    """Describe a value in a few words, without its memory address."""
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = getattr(value, "__qualname__", None)
    if callable(value) and isinstance(name, str):
        is_builtin = isinstance(value, types.BuiltinFunctionType)
        return f"the {'builtin' if is_builtin else 'function'} {name}"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a message must not fail
        text = ""
    if text and len(text) <= _MAX_LENGTH and " at 0x" not in text and "\n" not in text:
        return text
    return with_article(type(value).__name__)


def with_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiouAEIOU' else 'a'} {noun}"
