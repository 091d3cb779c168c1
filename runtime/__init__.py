"""Run time: the operators that converted code calls, under the name `ag__`.

Code that was converted ahead of time imports this module and nothing else of the package.
"""

from .backends import BACKENDS, Backend, entered, is_staging, register_backend
from .calls import Entries, make_callee
from .empty import get_nothing, nothing, set_nothing
from .frames import caller, framed
from .operators import (
    and_,
    and_rest,
    assert_stmt,
    call,
    fmt,
    get_item,
    guard,
    if_exp,
    in_,
    keep,
    ld,
    ldu,
    list_comp,
    not_,
    not_in,
    or_,
    or_rest,
    set_attr,
    set_item,
    slice,  # noqa: A004
    text,
    truth,
    unpacked,
    visible,
)
from .statements import for_items, for_rest, for_stmt, if_stmt, until, while_rest, while_stmt
from .undefined import Undefined

callee = make_callee(Entries(), None)


def converted_call(f, args, kwargs):
    """`f(*args, **kwargs)`, as an operator."""
    return callee(f)(*args, **(kwargs or {}))


def mapped(function):
    """A function of a converted file, which gets the user's file and lines from the map beside that file."""
    from .source_maps import mapped as with_map  # noqa: PLC0415 - files without a map do not need it

    return with_map(function)


OPERATORS = {
    operator.__name__: operator
    for operator in (
        and_, assert_stmt, call, caller, converted_call, fmt, for_stmt, framed, get_item, get_nothing,
        guard, if_exp, if_stmt, in_, keep, ld, ldu, list_comp, not_, not_in, nothing, or_, set_attr,
        set_item, set_nothing, slice, text, unpacked, until, visible, while_stmt, Undefined,
    )
}  # fmt: skip
OPENED = {f.__name__: f for f in (and_rest, for_items, for_rest, or_rest, truth, while_rest)}
"""What code in which the plain road is open calls besides."""

__all__ = [  # noqa: PLE0604 - the keys of OPERATORS are names
    "BACKENDS",
    "AutographError",
    "Backend",
    "OPENED",
    "OPERATORS",
    "callee",
    "entered",
    "is_staging",
    "mapped",
    "register_backend",
    *OPERATORS,
]
