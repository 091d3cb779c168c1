"""Calls of functions that NumPy does not dispatch to the classes of their arguments.

`np.sum(x)` reaches the graph through `x.__array_function__`. `np.hamming(n)`, `np.r_[x, y]` and a call of
an `np.vectorize` object do not, so converted code calls these functions instead.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules import COMPOSITIONS, TYPE_RULES
from ..rules.probing import numpy_functions
from ..rules.reasons import REASONS
from ..rules.tables import scipy_rule
from ..tracing import recording
from ..tracing.effects import traced_random_call
from ..tracing.trace import is_tracing

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
_ITERATING = frozenset(map(id, numpy_functions("poly dstack column_stack lexsort choose linalg.multi_dot")))
"""The ids of functions that NumPy dispatches to the items of an argument, whose number may be unknown."""


def replacement_of(function: Any) -> Callable[..., Any] | None:
    """Return the function that converted code calls in place of `function` during a trace, or None."""
    if not is_tracing():
        return None
    return traced_random_call(function) or _staging_call(function)


def _staging_call(function: Any) -> Callable[..., Any] | None:
    record: Callable[..., Any] | None = None
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodType):
        if isinstance(function.__func__, types.FunctionType) and function.__func__ in COMPOSITIONS:
            record = functools.partial(COMPOSITIONS[function.__func__], owner)
    elif isinstance(owner, np.ufunc):
        if function.__name__ == "at":
            record = functools.partial(COMPOSITIONS[np.ufunc.at], owner)
    elif isinstance(function, _FUNCTIONS) or id(function) in _ITERATING:
        if function in TYPE_RULES or function in COMPOSITIONS or function in REASONS:
            record = functools.partial(_call, function)
        elif (rule := scipy_rule(function)) is not None:
            record = functools.partial(recording.call_by_rule, function, rule)
    elif isinstance(function, type) and (function in COMPOSITIONS or function in REASONS):
        record = functools.partial(_call, function)
    elif type(function) is np.vectorize:
        record = functools.partial(COMPOSITIONS[np.vectorize], function)
    if record is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        staged = recording.contains_staged((args, kwargs))
        return (record if staged else function)(*args, **kwargs)

    return call


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return recording.call(function, args, kwargs)
