"""Uses of None: what Python raises for them where a value turns out to be None when a program runs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn


def _unpack(value: None) -> NoReturn:
    raise TypeError("cannot unpack non-iterable NoneType object")


_IN_PLACE = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor"
NONE_USES: dict[str, Callable[..., Any]] = {
    "getattr": getattr,
    "iter": iter,
    "len": len,
    "unpack": _unpack,
    **{name: getattr(operator, name) for name in ("getitem", "contains", "lt", "le", "gt", "ge")},
    **{f"i{name}": getattr(operator, f"i{name}") for name in _IN_PLACE.split()},
}
"""Uses of a value that may be None for which Python has an error of its own."""


def use_none(use: str, *args: Any) -> None:
    """Raise the error of using None.

    >>> use_none("getattr", "sum")
    Traceback (most recent call last):
    AttributeError: 'NoneType' object has no attribute 'sum'
    """
    NONE_USES[use](None, *args)
