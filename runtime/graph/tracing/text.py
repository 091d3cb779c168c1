"""Staged text: f-strings and `print` of staged values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends.builtins import CONVERSIONS
from ...backends.functional.staged_text import split_markers
from ..ir.types import ScalarType
from . import recording, unsupported
from .trace import current_builder


def staged_string(text: str) -> Any:
    """Return a staged string if the string contains marks of staged values, else the string itself."""
    pieces = split_markers(text)
    if all(isinstance(piece, str) for piece in pieces):
        return text
    arguments = recording.Arguments()
    [args] = arguments.templates(tuple(pieces))
    _check_print_options(arguments)
    return recording.record(
        "text", arguments.inputs, ScalarType(str), function=join_pieces, args=args, kwargs={}
    )


def record_print(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Record a call to Python's `print`, which prints each time the graph runs."""
    arguments = recording.Arguments(keep_namedtuples=True)
    template, named = arguments.templates(args, kwargs)
    _check_print_options(arguments)
    recording.add("print", arguments.inputs, None, effect=True, args=template, kwargs=named)


def _check_print_options(arguments: recording.Arguments) -> None:
    """Raise if the traced code set NumPy's print options: staged values are formatted when the graph runs."""
    if arguments.inputs and np.get_printoptions() != current_builder().root.printing:
        raise unsupported.print_options()


def join_pieces(*pieces: Any) -> str:
    """Format and join strings and tuples of a value, a conversion and a format spec."""
    return "".join(p if isinstance(p, str) else format(CONVERSIONS[p[1]](p[0]), p[2]) for p in pieces)
