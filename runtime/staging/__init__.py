"""Staged statements: what is the same for every backend.

A *location* is something that a statement may change: a variable of its state, a slot that the heap
shows to have changed, or a staged value that was written in place. A branch or loop body is run
once, captured by the backend; what it leaves in each location is noted, and everything is put back.
The values that two paths leave in one location are merged leaf by leaf: numbers promote, a variable
without a value on one path becomes one that is checked where it is read, and what cannot be one
value is an error with a row for each such variable.
"""

from ..active import ACTIVE
from .conditions import if_exp, if_stmt
from .expressions import (
    assert_stmt,
    bound,
    bound_parts,
    certain,
    contains,
    ended,
    get_item,
    has_staged,
    in_branch,
    is_active,
    keep,
    list_comp,
    looping,
    owner_of_item,
    plain_comp,
    refuse_text,
    tells_raises,
)
from .loops import for_stmt, while_stmt
from .options import fewer
from .statement import AlwaysRaises, nothing, set_nothing
from .unrolled import finish_unrolled

__all__ = [
    "ACTIVE",
    "AlwaysRaises",
    "assert_stmt",
    "bound",
    "bound_parts",
    "certain",
    "contains",
    "ended",
    "fewer",
    "finish_unrolled",
    "for_stmt",
    "get_item",
    "has_staged",
    "if_exp",
    "if_stmt",
    "in_branch",
    "is_active",
    "keep",
    "list_comp",
    "looping",
    "nothing",
    "owner_of_item",
    "plain_comp",
    "refuse_text",
    "set_nothing",
    "tells_raises",
    "while_stmt",
]
