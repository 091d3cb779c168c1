"""Errors and text of the running program, and what it cannot call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....graph.effects import DRAWS
from ....graph.ir import Node, Slot
from ....undefined import missing
from ...calls import filled
from .. import refused
from ..paths import halves
from ..run import Run
from ..values import Said


def _typed(node: Node, values: list[Any]) -> list[tuple[Any, Any]]:
    return [(v, i.type) for v, i in zip(values, node.inputs, strict=True)]


def raise_(run: Run, node: Node, values: list[Any]) -> None:
    def made(*given: Any) -> BaseException:
        error: BaseException = node.attrs["function"](*filled(node.attrs["args"], given))
        return error

    run.fail(True, made, _typed(node, values))


def check_bound(run: Run, node: Node, values: list[Any]) -> Any:
    bound, held = halves(values[0])
    if bound is True:
        return held
    symbol = node.attrs["symbol"]
    run.fail(True if bound is False else ~bound, lambda: missing(symbol))
    return run.nothing(node.type) if held is None else held


def print_(run: Run, node: Node, values: list[Any]) -> None:
    def show(*given: Any) -> None:
        run.printed(*filled(node.attrs["args"], given), **filled(node.attrs["kwargs"], given))

    run.show(show, _typed(node, values))


def text(run: Run, node: Node, values: list[Any]) -> Said:
    """The text of strings and values; text within it becomes part of it."""
    pieces: list[Any] = []
    for piece in node.attrs["args"]:
        if isinstance(piece, str):
            pieces.append(piece)
        else:
            slot, conversion, spec = piece
            pieces.append((slot.index if isinstance(slot, Slot) else slot, conversion, spec))
    return Said([(tuple(pieces), tuple([i.type for i in node.inputs]))], [values])


def _refused(why: str) -> Callable[..., Any]:
    def rule(run: Run, node: Node, values: list[Any]) -> Any:
        raise refused.unsupported(node, why)

    return rule


_DRAWS = "NumPy's generators draw other numbers than JAX's: draw them before, and pass them"
_PYTHON = "it calls Python for its values while it runs"

RULES: dict[str, Callable[..., Any]] = {
    "raise": raise_,
    "check_bound": check_bound,
    "print": print_,
    "text": text,
    **dict.fromkeys(("default_rng", *DRAWS), _refused(_DRAWS)),
    **dict.fromkeys(("dataset", "next", "py_function"), _refused(_PYTHON)),
}
