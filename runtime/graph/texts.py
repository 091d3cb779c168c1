"""Staged text: what an f-string makes of staged values."""

from __future__ import annotations

from typing import Any

from ..backends.texts import pieces_of
from ..operators import CONVERSIONS
from . import record
from .types import ScalarType


def resolved(text: str) -> Any:
    """The staged text of a string with marks; a string without is itself."""
    pieces = pieces_of(text)
    if all(isinstance(piece, str) for piece in pieces):
        return text
    taken = record.Arguments()
    args, _ = taken.take(tuple(pieces))
    return record.wrap(
        record.add("text", taken.inputs, ScalarType(str), function=joined, args=args, kwargs={})
    )


def joined(*parts: Any) -> str:
    """The text of strings and of (value, conversion, spec)."""
    return "".join(p if isinstance(p, str) else format(CONVERSIONS[p[1]](p[0]), p[2]) for p in parts)
