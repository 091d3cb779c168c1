"""Staged text: what an f-string or `print` makes of staged values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.texts import pieces_of
from ..operators import CONVERSIONS
from . import record, refused
from .trace import current
from .types import ScalarType


def resolved(text: str) -> Any:
    """The staged text of a string with marks; a string without is itself."""
    pieces = pieces_of(text)
    if all(isinstance(piece, str) for piece in pieces):
        return text
    taken = record.Arguments()
    args, _ = taken.take(tuple(pieces))
    _check_options(taken)
    return record.wrap(
        record.add("text", taken.inputs, ScalarType(str), function=joined, args=args, kwargs={})
    )


def printed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Python's `print`, each time that the graph runs."""
    taken = record.Arguments(named=True)
    template, _ = taken.take(args)
    named, _ = taken.take(kwargs)
    _check_options(taken)
    record.add("print", taken.inputs, None, effect=True, args=template, kwargs=named)


def _check_options(taken: record.Arguments) -> None:
    """What becomes text when the graph runs does so with the options of NumPy that hold then."""
    if taken.inputs and np.get_printoptions() != current().root.printing:
        raise refused.print_options()


def joined(*parts: Any) -> str:
    """The text of strings and of (value, conversion, spec)."""
    return "".join(p if isinstance(p, str) else format(CONVERSIONS[p[1]](p[0]), p[2]) for p in parts)
