"""Text with staged values in it, for systems that have no staged text: it can be printed and raised."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..operators import CONVERSIONS
from . import Shared, staged_by

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_numbers = itertools.count()
_marked: dict[int, tuple[Any, str, str]] = {}


class Unknown:
    """Formatted in the place of a staged value."""

    def __format__(self, spec: str) -> str:
        return "<staged>"

    def __repr__(self) -> str:
        return "<staged>"


class Mark:
    """Stands in an f-string for a staged value; formatted, it is a mark in the text."""

    def __init__(self, value: Any, conversion: str):
        self.value, self.conversion = value, conversion

    def __format__(self, spec: str) -> str:
        number = next(_numbers)
        _marked[number] = (self.value, self.conversion, spec)
        return f"{_OPEN}{number}{_CLOSE}"


class Text(Shared):
    """Text whose `pieces` are strings and (place among the values, conversion, spec)."""

    def __init__(self, pieces: Sequence[Any], values: Sequence[Any]):
        self.pieces, self.values = list(pieces), list(values)

    mark = Mark

    def __str__(self) -> str:
        """The text; what is known only when the program runs is "<staged>" in it."""
        known = [Unknown() if staged_by(value) else np.asarray(value)[()] for value in self.values]
        return joined(self, known)


def pieces_of(text: str) -> list[Any]:
    """The strings between the marks of a text, and (value, conversion, spec) for each mark."""
    parts = enumerate(_MARK.split(text))
    pieces = [_marked.pop(int(p), f"{_OPEN}{p}{_CLOSE}") if i % 2 else p for i, p in parts]
    return [p for p in pieces if p != ""]


def resolved(text: str) -> Any:
    """The staged text of a string with marks; a string without is itself."""
    pieces: list[Any] = []
    values: list[Any] = []
    for piece in pieces_of(text):
        if isinstance(piece, str):
            pieces.append(piece)
        else:
            pieces.append((len(values), *piece[1:]))
            values.append(piece[0])
    return Text(pieces, values) if values else text


def joined(text: Text, values: Sequence[Any]) -> str:
    """The text with `values` in the place of its staged ones."""
    return "".join(
        p if isinstance(p, str) else format(CONVERSIONS[p[1]](values[p[0]]), p[2]) for p in text.pieces
    )
