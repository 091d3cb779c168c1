"""Breadth of a run: how many generated programs, drawn arrays and samples it tries.

Seeds are fixed, so each run tries the same. `.ci/run`, which every change must pass, sets AG_BREADTH=full and
tries several times as many as a plain `python -m pytest`.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("AG_BREADTH") == "full"


def some(few: T, many: T) -> T:
    """The first in a plain run, the second in a full one."""
    return many if FULL else few
