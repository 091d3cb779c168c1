"""Text that contains staged values, for systems without staged text. It can be printed or used in errors.

While Python builds an f-string, a *marker* in private-use characters stands for each staged value.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ...backends.builtins import formatted
from ...errors import ValueNeededError
from ...values.structures import flatten, unflatten
from .. import BackendNeutral, staged_by
from .abstract_values import Compound
from .optional_values import Optional

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKER = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_numbers = itertools.count()
_lock = threading.Lock()
_marked_values: dict[int, tuple[Any, str, str]] = {}


class Unknown:
    """A placeholder for a value that is not known yet, which formats as `<staged>`."""

    def __format__(self, spec: str) -> str:
        return "<staged>"

    def __repr__(self) -> str:
        return "<staged>"


class StagedField:
    """A staged value in an f-string, which formats as a marker."""

    def __init__(self, value: Any, conversion: str):
        self.value, self.conversion = value, conversion

    def __format__(self, spec: str) -> str:
        with _lock:  # without the GIL, `next` may return a number twice
            number = next(_numbers)
        _marked_values[number] = (self.value, self.conversion, spec)
        return f"{_OPEN}{number}{_CLOSE}"


class Text(BackendNeutral):
    """Text whose `pieces` are strings and tuples (index into `values`, conversion, format spec).

    A fourth item of a tuple is the index of a flag, which is false where the text is that of None.
    """

    def __init__(self, pieces: Sequence[Any], values: Sequence[Any]):
        self.pieces, self.values = list(pieces), list(values)

    def _reject(self, *_: object) -> NoReturn:
        raise ValueNeededError(
            "text that contains staged values is compared or used as a key",
            why="its characters are known only when the program runs",
            remedy="compare the values that it is made of",
        )

    __eq__ = __hash__ = _reject

    def __add__(self, other: Any) -> Any:
        return concatenated([self, other]) if isinstance(other, (str, Text)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return concatenated([other, self]) if isinstance(other, str) else NotImplemented

    def __str__(self) -> str:
        """Return the text, with `<staged>` for values known only when the program runs."""
        return render(self, [Unknown() if staged_by(v) else _number(v) for v in self.values])


def _number(value: Any) -> Any:
    """Return a value that is known as NumPy's; PyTorch moves none from a GPU unless asked to."""
    return np.asarray(value.cpu() if hasattr(value, "cpu") else value)[()]


def split_markers(text: str) -> list[Any]:
    """Split text at its markers into strings and tuples (value, conversion, format spec)."""
    parts = enumerate(_MARKER.split(text))
    pieces = [_marked_values.pop(int(p), f"{_OPEN}{p}{_CLOSE}") if i % 2 else p for i, p in parts]
    return [p for p in pieces if p != ""]


def resolve_markers(text: str) -> Any:
    """Return text with markers as a `Text`; return text without markers unchanged."""
    parts: list[Any] = []
    for piece in split_markers(text):
        if isinstance(piece, str):
            parts.append(piece)
        elif isinstance(piece[0], Text) and piece[1] in ("", "s") and not piece[2]:
            parts.append(piece[0])
        else:
            parts.append(formatted_text(*piece))
    return text if all(isinstance(part, str) for part in parts) else concatenated(parts)


def formatted_text(value: Any, conversion: str, spec: str = "") -> Text:
    """Return the text of one staged value."""
    if isinstance(value, Optional):
        return Text([(0, conversion, spec, 1)], [value.value, value.is_present])
    return Text([(0, conversion, spec)], [value])


def is_text(value: Any) -> bool:
    return isinstance(value, Text)


def concatenated(parts: Sequence[Any]) -> Text:
    """Concatenate strings and texts."""
    pieces: list[Any] = []
    values: list[Any] = []
    for part in parts:
        if isinstance(part, Text):
            pieces += [p if isinstance(p, str) else _moved(p, len(values)) for p in part.pieces]
            values += part.values
        else:
            pieces.append(part)
    return Text(pieces, values)


def _moved(piece: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Return a piece whose values come after `count` others."""
    value, conversion, spec, *flag = piece
    return value + count, conversion, spec, *[i + count for i in flag]


def render(text: Text, values: Sequence[Any]) -> str:
    """Format a text with `values` in place of its staged values."""
    rendered = []
    for piece in text.pieces:
        if isinstance(piece, str):
            rendered.append(piece)
        else:
            value, conversion, spec, *flag = piece
            is_present = all(values[i] for i in flag)
            rendered.append(formatted(values[value] if is_present else None, conversion, spec))
    return "".join(rendered)


def operands_of(
    value: Any, is_staged: Callable[[Any], bool], known: Callable[[Any, Any], Any]
) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """Return the staged values in a structure and in its texts, and a function that rebuilds the structure.

    The function takes the arrays that the staged values become when the program runs, and inserts
    the result of `known(array, operand)` for each.
    """
    leaves, spec = flatten(value)
    staged = {
        i: _parts_of(leaf)
        for i, leaf in enumerate(leaves)
        if isinstance(leaf, (Compound, Optional, Text)) or is_staged(leaf)
    }

    def rebuilt(leaf: Any, arrays: Iterator[Any]) -> Any:
        if isinstance(leaf, Text):
            return render(leaf, [known(next(arrays), value) for value in leaf.values])
        if isinstance(leaf, Optional):
            found, is_present = (known(next(arrays), part) for part in _parts_of(leaf))
            return found if is_present else None
        if isinstance(leaf, Compound):
            return leaf.known([next(arrays) for _ in leaf.parts])
        return known(next(arrays), leaf)

    def rebuild(arrays: Sequence[Any]) -> Any:
        result, rest = list(leaves), iter(arrays)
        for i in staged:
            result[i] = rebuilt(leaves[i], rest)
        return unflatten(spec, result)

    return [operand for operands in staged.values() for operand in operands], rebuild


def _parts_of(leaf: Any) -> list[Any]:
    """Return the staged values from which a leaf is built when the program runs."""
    if isinstance(leaf, Text):
        return list(leaf.values)
    if isinstance(leaf, Compound):
        return leaf.parts
    return [leaf.value, leaf.is_present] if isinstance(leaf, Optional) else [leaf]
