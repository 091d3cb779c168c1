"""Staged text: what an f-string makes of staged values."""

from __future__ import annotations

import itertools
import re
from typing import Any

from ..operators import CONVERSIONS
from . import record
from .types import ScalarType

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_numbers = itertools.count()
_marked: dict[int, tuple[Any, str, str]] = {}


class Mark:
    """Stands in an f-string for a staged value; formatted, it is a mark in the text."""

    def __init__(self, value: Any, conversion: str):
        self.value, self.conversion = value, conversion

    def __format__(self, spec: str) -> str:
        number = next(_numbers)
        _marked[number] = (self.value, self.conversion, spec)
        return f"{_OPEN}{number}{_CLOSE}"


def resolved(text: str) -> Any:
    """The staged text of a string with marks; a string without is itself."""
    parts = _MARK.split(text)
    if len(parts) == 1:
        return text
    pieces = [p if i % 2 == 0 else _marked.pop(int(p), f"{_OPEN}{p}{_CLOSE}") for i, p in enumerate(parts)]
    taken = record.Arguments()
    args, _ = taken.take(tuple(p for p in pieces if p != ""))
    return record.wrap(
        record.add("text", taken.inputs, ScalarType(str), function=joined, args=args, kwargs={})
    )


def joined(*parts: Any) -> str:
    """The text of strings and of (value, conversion, spec)."""
    return "".join(p if isinstance(p, str) else format(CONVERSIONS[p[1]](p[0]), p[2]) for p in parts)
