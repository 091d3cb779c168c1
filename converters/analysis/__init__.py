"""Facts about a function's tree, each a function from tree to value; nothing is written on nodes."""

from .activity import Activity, activity, declarations, dotted
from .completion import breaks, completes
from .facts import Facts, Point, headers, is_anchored, may_anchor

__all__ = [
    "Activity",
    "Facts",
    "Point",
    "activity",
    "breaks",
    "completes",
    "declarations",
    "dotted",
    "headers",
    "is_anchored",
    "may_anchor",
]
