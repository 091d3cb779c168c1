"""The breadth of a test run: the number of generated programs, random arrays and samples that it tries.

Seeds are fixed, so every run tries the same ones. With AG_BREADTH=full, which a release needs, tests try
several times as many as in a plain `python -m pytest`.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("AG_BREADTH") == "full"


def some(few: T, many: T) -> T:
    """Return `few` in a plain run, and `many` in a full run."""
    return many if FULL else few
