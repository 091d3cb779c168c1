"""Machine code for the loops of graphs.

`engine` decides which loops are compiled and when, `regions` finds them, and `codegen` turns one into LLVM
assembly. `llvm` makes object code of that, `images` links it, and `cache` keeps it on disk. `calls` passes
values in and out, and `resume` goes on in Python where machine code gives up.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any


@functools.cache
def is_available() -> bool:
    """Return whether llvmlite is installed."""
    return importlib.util.find_spec("llvmlite") is not None


def default_engine() -> Callable[..., Any] | None:
    """Return the factory of the engine "auto", or None if graphs run on NumPy alone."""
    if not is_available():
        return None
    from .engine import auto_engine  # noqa: PLC0415 - other engines do without it

    return auto_engine
