"""The runtime: the operators that converted code calls under the name `ag__`.

Code that was converted ahead of time imports this module and nothing else from the package.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .backends import BACKENDS, Backend, is_staging, register_backend
from .core.active_backends import backend_contexts, returned
from .core.closures import get_nothing, nothing, set_nothing
from .core.undefined import Undefined
from .debugging.frames import caller, framed
from .errors import AutographError
from .operators import opt_out
from .operators.attempts import attempt, is_plain, manager, try_stmt
from .operators.calls import ConversionCache, make_callee
from .operators.control_flow import for_items, for_rest, for_stmt, if_stmt, until, while_rest, while_stmt
from .operators.expressions import (
    assert_stmt,
    call,
    fmt,
    generated,
    guard,
    if_exp,
    interpolate,
    is_of_class,
    iterated,
    keep,
    list_comp,
    text,
)
from .operators.logical import and_, and_rest, compare, in_, is_, is_none, not_, not_in, or_, or_rest, truth
from .operators.subscripts import (
    chained,
    dict_of,
    get_item,
    sequence,
    set_item,
    set_of,
    slice,  # noqa: A004
    unpacked,
)
from .operators.variables import ld, ldu, set_attr, visible

F = TypeVar("F", bound=Callable[..., Any])
callee = make_callee(ConversionCache(), None)
opt_out.register(sys.modules[__name__], callee)


def converted_call(f: Any, args: Sequence[Any], kwargs: Mapping[str, Any] | None) -> Any:
    """`f(*args, **kwargs)`, as an operator."""
    return callee(f)(*args, **(kwargs or {}))


def __getattr__(name: str) -> object:
    """Install the flag `STAGING` when a function of a converted file first reads it."""
    if name != "STAGING":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .operators import staging_flag  # noqa: PLC0415 - needed by converted files only

    flag = staging_flag.install(sys.modules[__name__])
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        # CPython caches no attribute of a module that has a `__getattr__`, which this name no longer needs.
        globals().pop("__getattr__", None)  # without the GIL, another thread may be about to call it
    return flag


def mapped(function: F) -> F:
    """Give a function of a converted file the user's file and lines, from the source map beside that file."""
    from .debugging.source_maps import apply_source_map  # noqa: PLC0415 - needed by files with a map only

    return apply_source_map(function)  # type: ignore[return-value, arg-type] # functions have any signature


OPERATORS = {
    operator.__name__: operator
    for operator in (
        and_, assert_stmt, attempt, call, caller, chained, compare, converted_call, dict_of, fmt, for_stmt,
        framed, generated, get_item, get_nothing, guard, if_exp, if_stmt, in_, interpolate, is_, is_none,
        is_of_class, iterated, keep, ld, ldu, list_comp, manager, not_, not_in, nothing, or_,
        sequence, set_attr, set_item, set_nothing, set_of, slice, text, try_stmt, unpacked, until, visible,
        while_stmt, Undefined,
    )
}  # fmt: skip
OPENED = {f.__name__: f for f in (and_rest, for_items, for_rest, is_plain, or_rest, truth, while_rest)}
"""Further operators, which only code with inlined fast paths calls."""

__all__ = [
    "BACKENDS",
    "OPENED",
    "OPERATORS",
    "AutographError",
    "Backend",
    "Undefined",
    "and_",
    "assert_stmt",
    "attempt",
    "backend_contexts",
    "call",
    "callee",
    "caller",
    "chained",
    "compare",
    "converted_call",
    "dict_of",
    "fmt",
    "for_stmt",
    "framed",
    "generated",
    "get_item",
    "get_nothing",
    "guard",
    "if_exp",
    "if_stmt",
    "in_",
    "interpolate",
    "is_",
    "is_none",
    "is_of_class",
    "is_staging",
    "iterated",
    "keep",
    "ld",
    "ldu",
    "list_comp",
    "manager",
    "mapped",
    "not_",
    "not_in",
    "nothing",
    "or_",
    "register_backend",
    "returned",
    "sequence",
    "set_attr",
    "set_item",
    "set_nothing",
    "set_of",
    "slice",
    "text",
    "try_stmt",
    "unpacked",
    "until",
    "visible",
    "while_stmt",
]
