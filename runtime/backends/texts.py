"""Text with staged values in it, for systems that have no staged text: it can be printed and raised."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import Shared, staged_by

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_numbers = itertools.count()
_marked: dict[int, tuple[Any, str, str]] = {}
CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "r": repr, "s": str, "a": ascii}


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


def resolved(text: str) -> Any:
    """The staged text of a string with marks; a string without is itself."""
    parts = _MARK.split(text)
    if len(parts) == 1:
        return text
    pieces: list[Any] = []
    values: list[Any] = []
    for i, part in enumerate(parts):
        found = _marked.pop(int(part), None) if i % 2 else None
        if found is None:
            pieces.append(part if i % 2 == 0 else f"{_OPEN}{part}{_CLOSE}")
        else:
            pieces.append((len(values), found[1], found[2]))
            values.append(found[0])
    return Text([p for p in pieces if p != ""], values)


def joined(text: Text, values: Sequence[Any]) -> str:
    """The text with `values` in the place of its staged ones."""
    return "".join(
        p if isinstance(p, str) else format(CONVERSIONS[p[1]](values[p[0]]), p[2]) for p in text.pieces
    )
