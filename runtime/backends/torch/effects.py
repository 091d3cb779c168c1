"""Errors and output of exported programs.

An error whose text is known becomes torch's own assertion, which every runtime supports. Errors with staged
values in their text, and `print`, are custom operators: a process that runs the program must import this
module.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx.node import has_side_effect

from ...debugging.tracebacks import drop_current_frame, error_position
from ..functional.optional_values import Optional
from ..functional.staged_text import Text, concatenated, formatted_text, render
from .capture import EFFECTS
from .inplace_updates import is_number
from .private import assert_holds


@torch.library.custom_op("autograph_rs::fail", mutates_args=())
def _fail(failed: torch.Tensor, values: Sequence[torch.Tensor], text: str) -> None:
    if failed:
        try:
            raise RuntimeError(_rendered(text, values))
        except RuntimeError as error:
            drop_current_frame(error)
            raise


@torch.library.custom_op("autograph_rs::print", mutates_args=())
def _print(values: Sequence[torch.Tensor], text: str) -> None:
    print(_rendered(text, values), end="", flush=True)


@_fail.register_fake
def _(failed: torch.Tensor, values: Sequence[torch.Tensor], text: str) -> None:
    pass


@_print.register_fake
def _(values: Sequence[torch.Tensor], text: str) -> None:
    pass


EFFECTS |= {
    has_side_effect(torch.ops.autograph_rs.fail.default),
    has_side_effect(torch.ops.autograph_rs.print.default),
}


def _rendered(text: str, values: Sequence[torch.Tensor]) -> str:
    pieces = [p if isinstance(p, str) else tuple(p) for p in json.loads(text)]
    return render(Text(pieces, values), [value.cpu() for value in values])


def _join(parts: Sequence[Any]) -> Text:
    """Join strings, texts, and pairs of a value and its conversion into one text."""
    text = concatenated([formatted_text(*part) if isinstance(part, tuple) else part for part in parts])
    values = [v if isinstance(v, torch.Tensor) else torch.full((), v) for v in text.values]
    return Text(text.pieces, values)


def _printable(value: Any, conversion: str) -> Any:
    if isinstance(value, Text):
        return value
    if isinstance(value, (torch.Tensor, torch.SymInt, torch.SymFloat, Optional)):
        shown = value.value if isinstance(value, Optional) else value
        is_integer = is_number(shown) and not shown.is_floating_point()
        return value, "" if is_integer else conversion  # an integer prints as in Python, not as a tensor
    return repr(value) if conversion == "r" else str(value)


def print_values(values: Sequence[Any], sep: str | None, end: str | None) -> None:
    between = " " if sep is None else sep
    parts: list[Any] = []
    for value in values:
        parts += [between, _printable(value, "s")]
    text = _join([*parts[1:], "\n" if end is None else end])
    torch.ops.autograph_rs.print(text.values, json.dumps(text.pieces))


def raise_error(failed: Any, error: BaseException) -> None:
    """Make the program raise an error if `failed` is true, with the type and the text of `error`."""
    if len(error.args) == 1:
        text = _join(
            [
                f"{type(error).__name__}: ",
                _printable(error.args[0], "r" if isinstance(error, KeyError) else "s"),
            ]
        )
    else:
        text = Text([f"{type(error).__name__}: {error}"], [])
    place = error_position(error, sys._getframe())
    if place is not None:
        text.pieces = [*text.pieces, f" [raised at {place}]"]
    failed = torch.full((), True) if failed is True else failed
    if text.values:
        torch.ops.autograph_rs.fail(failed, text.values, json.dumps(text.pieces))
    else:
        assert_holds(torch.logical_not(failed), "".join(text.pieces))
