"""`check_numerics`: raise at the operation that produces the first NaN or Inf."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np

from ...debugging.tracebacks import api_boundary
from ...errors import NumericsError, check_bool
from ..tracing.modes import MODES


class check_numerics:  # noqa: N801 - used as a function and as a context manager
    """Make graphs raise at the first operation that produces a NaN or Inf from finite operands.

    Args:
        on: whether to check graphs. In a `with` statement, the setting lasts until the end of its block.

    Raises:
        NumericsError: an operation produced a NaN or Inf (raised when a graph runs, with the user's line).

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def mean(x, n):
    ...     return np.sum(x) / n
    >>> with ag.check_numerics(), np.errstate(divide="ignore"):
    ...     mean(np.ones(2), np.float64(0))
    Traceback (most recent call last):
        ...
    autograph_rs.NumericsError: truediv computed an Inf from 2.0, 0.0
    ...
    """

    @api_boundary
    def __init__(self, on: bool = True):
        self._before = "numerics" in MODES
        _set_checking(check_bool("on", on))

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        _set_checking(self._before)


def _set_checking(on: bool) -> None:
    (MODES.add if on else MODES.discard)("numerics")


def check(value: Any, op: str, operands: tuple[Any, ...]) -> None:
    """Raise `NumericsError` if `value` is not finite and all operands are."""
    if np.all(np.isfinite(value)) or not all(map(_is_finite, operands)):
        return
    what = "a NaN" if np.any(np.isnan(value)) else "an Inf"
    raise NumericsError(
        f"{op} computed {what} from {', '.join(map(_text, operands))}",
        why="its operands are finite, and check_numerics() is on",
        remedy="limit the operands to values with a finite result, for example with np.maximum or np.where",
        place=None,
    )


def _text(value: Any) -> str:
    array = np.asarray(value)
    return repr(array.item()) if array.ndim == 0 else np.array2string(array, threshold=8)


def _is_finite(value: Any) -> bool:
    try:
        return bool(np.all(np.isfinite(value)))
    except TypeError:
        return True
