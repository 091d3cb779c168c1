"""Facts about a function, computed from its tree without storing anything on the nodes."""

from .activity import Activity, activity, declarations, dotted_name
from .completion import can_complete, has_break, jumps_out
from .facts import Facts, Point
from .pinning import blocking_node, blocks_thunk, can_have_pinned, is_pinned, rule_for

__all__ = [
    "Activity",
    "Facts",
    "Point",
    "activity",
    "blocking_node",
    "blocks_thunk",
    "can_complete",
    "can_have_pinned",
    "declarations",
    "dotted_name",
    "has_break",
    "is_pinned",
    "jumps_out",
    "rule_for",
]
