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

from .backends import active
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
    _left_alone.update(but)


def takes_functions(function: Any) -> bool:
    """Whether a function that is not converted calls the functions that it is given."""
    module = getattr(function, "__module__", None)
    if type(module) is str and module.partition(".")[0] in _packages:
        return not any(f"{module}.".startswith(f"{left}.") for left in _left_alone)
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
    staging = replaced is not None or active() is not None

    def given(value: Any) -> Any:
        if replaced is not None and (found := replaced(value)) is not None:
            return found
        kind = type(value)
        if kind in _FUNCTIONS:
            made = callee(value)
            # Out of a trace only what is always the same: a framework may know functions by their identity.
            return made if staging or made is callee(value) else value
        if (kind is list or kind is tuple) and any(type(v) in _FUNCTIONS for v in value):
            return kind([given(v) for v in value])
        return value

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*[given(a) for a in args], **{name: given(a) for name, a in kwargs.items()})
        except BaseException as error:
            without_own_frame(error)
            raise

    return call
