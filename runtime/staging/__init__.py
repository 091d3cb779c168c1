"""Staged statements: what is the same for every backend.

A *location* is something that a statement may change: a variable of its state, a slot that the heap
shows to have changed, or a staged value that was written in place. A branch or loop body is run
once, captured by the backend; what it leaves in each location is noted, and everything is put back.
The values that two paths leave in one location are merged leaf by leaf: numbers promote, a variable
without a value on one path becomes one that is checked where it is read, and what cannot be one
value is an error with a row for each such variable.

The modules are loaded when a backend is registered, or at the first use: plain code needs none of them.
"""

from typing import Any

from ..active import ACTIVE

_HOMES = {
    "conditions": ("if_exp", "if_stmt"),
    "expressions": (
        "assert_stmt",
        "bound",
        "bound_parts",
        "certain",
        "contains",
        "ended",
        "get_item",
        "has_staged",
        "in_branch",
        "is_active",
        "keep",
        "list_comp",
        "looping",
        "owner_of_item",
        "plain_comp",
        "refuse_text",
        "tells_raises",
    ),
    "loops": ("for_stmt", "while_stmt"),
    "side_effects": ("notice",),
    "options": ("fewer",),
    "refused": ("not_dropped",),
    "statement": ("AlwaysRaises",),
    "unrolled": ("finish_unrolled",),
}
__all__ = ["ACTIVE", "load", *sorted(name for names in _HOMES.values() for name in names)]  # noqa: PLE0604


def load() -> None:
    """Have every name here from its module. Tools that gather the modules of a program see these imports."""
    from .. import side_effects  # noqa: PLC0415
    from . import conditions, expressions, loops, options, refused, statement, unrolled  # noqa: PLC0415

    for home in (side_effects, conditions, expressions, loops, options, refused, statement, unrolled):
        names = _HOMES[home.__name__.rpartition(".")[2]]
        globals().update({name: getattr(home, name) for name in names})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        told = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(told, name=name)
    load()
    return globals()[name]
