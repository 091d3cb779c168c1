"""Functions that are given to others, which call them: `map`, `functools.reduce`, a framework's `grad`.

While something may be staged, these get converted functions in the place of the user's; with operators or
replacements of an embedder, those of Python always do.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

from .active import active
from .tracebacks import without_own_frame

BUILTINS = frozenset(
    (
        map, filter, sorted, functools.reduce, itertools.accumulate, itertools.starmap, itertools.takewhile,
        itertools.dropwhile, itertools.filterfalse, itertools.groupby,
    )
)  # fmt: skip
_packages: set[str] = set()
_left_alone: set[str] = set()
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def note_framework(package: str, *, but: tuple[str, ...] = ()) -> None:
    """Count the functions of a package as ones that call what they get, but not those of some modules."""
    _packages.add(package)
    _left_alone.update(f"{module}." for module in but)


def takes_functions(function: Any) -> bool:
    """Whether a function that is not converted calls the functions that it is given."""
    module = getattr(function, "__module__", None)
    if type(module) is str and module.partition(".")[0] in _packages:
        return not f"{module}.".startswith(tuple(_left_alone))
    return is_higher_order(function)


def is_higher_order(function: Any) -> bool:
    """Whether a function of Python calls the functions that it is given."""
    try:
        return function in BUILTINS
    except TypeError:  # it has no hash
        return False


def passing(
    function: Callable[..., Any],
    callee: Callable[[Any], Any],
    replaced: Callable[[Any], Any] | None = None,
) -> Callable[..., Any]:
    """`function`, with what it calls converted; `replaced` knows what an embedder has called instead."""
    return functools.partial(_call, function, functools.partial(_given, callee, replaced))


def _call(function: Callable[..., Any], given: Callable[[Any], Any], /, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*map(given, args), **{name: given(value) for name, value in kwargs.items()})
    except BaseException as error:
        without_own_frame(error)
        raise


def _given(callee: Callable[[Any], Any], replaced: Callable[[Any], Any] | None, value: Any) -> Any:
    if replaced is not None and (found := replaced(value)) is not None:
        return found
    kind = type(value)
    if kind in _FUNCTIONS:
        made = callee(value)
        # Out of a trace only what is always the same: a framework may know functions by their identity.
        is_kept = replaced is not None or active() is not None or made is callee(value)
        return made if is_kept else value
    if (kind is list or kind is tuple) and any(type(v) in _FUNCTIONS for v in value):
        return kind([_given(callee, replaced, v) for v in value])
    return value
