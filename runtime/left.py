"""Functions that are called as they are for want of their source, and errors that come of it."""

from __future__ import annotations

import types
import weakref

_notes: dict[int, str] = {}


def note(code: types.CodeType, text: str) -> None:
    """Remember what there is to say of a function if it fails on staged values."""
    _notes[id(code)] = text
    weakref.finalize(code, _notes.pop, id(code), None).atexit = False


def annotate(error: BaseException) -> None:
    """Say so in an error that a staged value raises in such a function: of every system it is a TypeError."""
    place = error.__traceback__ if _notes and isinstance(error, TypeError) else None
    while place is not None:
        text = _notes.get(id(place.tb_frame.f_code))
        if text is not None and text not in getattr(error, "__notes__", ()):
            error.add_note(text)
        place = place.tb_next
