"""Checks of the functions that a loop's body calls while the loop is being rolled.

A rolled loop calls each function once, with staged values in the place of plain ones. A function that runs
unconverted could tell them apart, or have an effect in each iteration; and a handler in the user's code could
catch an error that only staging causes.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from typing import Any

from .. import staging
from ..backends import staged_by
from ..core.packages import is_library
from ..core.rolling_attempts import is_rolling, note_use, refuse_rolling
from ..debugging.positions import catches_unstaged
from ..debugging.tracebacks import is_internal, unconverted_note
from ..values.locations import defining_class
from ..values.structures import flatten

_COMPARING = (dict, set, frozenset)
"""The types whose methods look up their argument by its hash."""
_MEMOIZED = type(functools.cache(lambda: None))


def checked_callee(function: Any, callee: Callable[[Any], Any], plain: Callable[[Any], Any] | None) -> Any:
    """Return the callee of a function, or `plain(function)` if conversion is disabled.

    If the call prevents the running attempt to roll a loop, end the attempt.
    """
    if not is_rolling():
        return (plain or callee)(function)
    if function is next or isinstance(function, _MEMOIZED):
        refuse_rolling()
    codes = _codes_of(function)
    if codes and (plain is not None or any(map(unconverted_note, codes))):
        refuse_rolling()
    called = (plain or callee)(function)
    is_function = isinstance(function, (types.FunctionType, types.MethodType))
    if any(map(catches_unstaged, _codes_of(called) if is_function else codes)):
        refuse_rolling()
    is_lookup = isinstance(function, types.BuiltinFunctionType) and (
        function is hash or function is id or isinstance(function.__self__, _COMPARING)
    )
    return _noting_staged(called) if is_lookup else called


def _codes_of(function: Any) -> list[types.CodeType]:
    """Return the code that a call runs first, unless it belongs to a library."""
    if isinstance(function, type):
        cls: Any = function
        function = getattr(cls, "__post_init__", None) if _only_sets_fields(cls) else cls.__init__
    elif not isinstance(function, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        function = vars(defining_class(type(function), "__call__")).get("__call__")
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(code, types.CodeType) or is_internal(code) or is_library(code.co_filename):
        return []
    return [code]


def _only_sets_fields(cls: Any) -> bool:
    """Return whether `dataclasses` made the `__init__` of a class, which calls at most `__post_init__`."""
    owner = defining_class(cls, "__init__")
    method = vars(owner)["__init__"]
    if not isinstance(method, types.FunctionType) or not staging.is_generated(owner, method):
        return False
    if not owner.__dataclass_params__.frozen and cls.__setattr__ is not object.__setattr__:  # type: ignore[attr-defined]
        return False
    return all(f.default_factory in (dataclasses.MISSING, dict, list, set) for f in dataclasses.fields(owner))


def _noting_staged(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that notes the calls with staged arguments."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(staged_by(leaf) is not None for leaf in flatten([args, kwargs])[0]):
            note_use(getattr(function, "__qualname__", function))
        return function(*args, **kwargs)

    return call
