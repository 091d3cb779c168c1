"""How much a run looks at of what could be looked at without end: generated programs, drawn arrays.

Seeds are fixed, so each run looks at the same. What a change must pass, `.ci/run`, sets AG_BREADTH=full and
looks at several times as much as a plain `python -m pytest` does.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("AG_BREADTH") == "full"


def some(few: T, many: T) -> T:
    """The first in a plain run, the second in a full one."""
    return many if FULL else few
