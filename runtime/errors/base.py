"""What all errors of ours have: what happened, where, why, and what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import EllipsisType

from ..places import Place, at, shown
from ..sites import test_of
from ..tracebacks import user_frame


class AutographError(Exception):
    """The base of every error that autograph_rs raises on its own account.

    Args:
        what: what happened, in a sentence.
        why: why that cannot be.
        remedy: what to write instead.
        rows: a line for each variable, argument or part that is involved.
        sites: where they are, each with a word that says which it is.
        place: where it happened; the user's line that runs, if not given; None for no place.

    The text of an error has all of these. `what` is `args[0]`, all others are attributes.

    >>> from autograph_rs import AutographError
    >>> error = AutographError("it broke", why="it was brittle", remedy="use another", place=None)
    >>> print(error)
    it broke
      why: it was brittle
      instead: use another
      see: docs/errors/AutographError.md
    >>> error.remedy
    'use another'
    """

    why: str = ""
    remedy: str = ""
    rows: tuple[str, ...] = ()
    sites: tuple[tuple[str, Place], ...] = ()
    place: Place | None = None

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith(__package__ + "."):
            cls.__module__ = AutographError.__module__  # by which users import it

    def __init__(
        self,
        what: str = "",
        *,
        why: str = "",
        remedy: str = "",
        rows: Iterable[str] = (),
        sites: Iterable[tuple[str, Place]] = (),
        place: Place | EllipsisType | None = ...,
    ) -> None:
        super().__init__(what)
        self.why = why
        self.remedy = remedy
        self.rows = tuple(rows)
        self.sites = tuple(sites)
        self.place = _running() if place is ... else place

    def __str__(self) -> str:
        lines = [str(self.args[0]) if self.args else ""]
        if self.place is not None:
            lines += shown(self.place)
        for label, site in self.sites:
            lines += [f"{label}:", *shown(site)]
        lines += map(str, self.rows)
        if self.why:
            lines.append(f"why: {self.why}")
        if self.remedy:
            lines.append(f"instead: {self.remedy}")
        name = next(c.__name__ for c in type(self).__mro__ if c.__module__ == AutographError.__module__)
        lines.append(f"see: docs/errors/{name}.md")
        return "\n  ".join(lines)


AutographError.__module__ = __name__.partition(".")[0]


def _running() -> Place | None:
    frame = user_frame(sys._getframe(2))
    if frame is None:
        return None
    place = at(frame.f_code, frame.f_lasti)
    return test_of(place) if place.text.startswith(("if ", "elif ", "while ", "for ", "match ")) else place
