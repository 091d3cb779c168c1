"""`check_numerics`: graphs that stop where the first NaN or Inf is made."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np

from ..boundary import public
from ..errors import NumericsError, checked_truth
from .modes import MODES


class check_numerics:  # noqa: N801 - it is called, and left as a context
    """Raise where a graph makes the first NaN or Inf: a result that is not finite out of operands that are.

    Args:
        on: whether graphs are checked from now on; as a context, until its end.

    Raises:
        NumericsError: at the operation, with the user's line (when a graph runs).

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def mean(x, n):
    ...     return np.sum(x) / n
    >>> with ag.check_numerics(), np.errstate(divide="ignore"):
    ...     mean(np.ones(2), np.float64(0))
    Traceback (most recent call last):
        ...
    autograph_rs.NumericsError: truediv made an Inf of 2.0, 0.0
    ...
    """

    @public
    def __init__(self, on: bool = True):
        self._before = "numerics" in MODES
        _switch(checked_truth("on", on))

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        _switch(self._before)


def _switch(on: bool) -> None:
    (MODES.add if on else MODES.discard)("numerics")


def check(value: Any, op: str, operands: tuple[Any, ...]) -> None:
    """Raise `NumericsError` if `value` is not finite and all operands are."""
    if np.all(np.isfinite(value)) or not all(map(_is_finite, operands)):
        return
    what = "a NaN" if np.any(np.isnan(value)) else "an Inf"
    shown = ", ".join(_text(o) for o in operands)
    raise NumericsError(
        f"{op} made {what} of {shown}",
        why="its operands are finite, and check_numerics() is on",
        remedy="keep the operands where the result is finite, as by np.maximum or np.where",
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
