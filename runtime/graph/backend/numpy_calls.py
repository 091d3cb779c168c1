"""Calls of functions that NumPy does not dispatch to the classes of their arguments.

`np.sum(x)` reaches the graph through `x.__array_function__`. `np.hamming(n)`, `np.r_[x, y]` and a call of
an `np.vectorize` object do not, so converted code calls these functions instead.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backends.builtins import NUMPY
from ...staging.state.missing_values import used
from ..rules import COMPOSITIONS, TYPE_RULES
from ..rules.probing import numpy_functions
from ..rules.reasons import REASONS
from ..rules.tables import scipy_rule
from ..tracing import recording
from ..tracing.containers import instances
from ..tracing.effects import traced_random_call
from ..tracing.trace import is_tracing
from . import builtins

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
_DISPATCHER = type(np.sum)
_SEQUENCES = frozenset(
    ("arrays", "axes", "axis", "choicelist", "choices", "condlist", "destination", "dims", "funclist",
     "indices_or_sections", "keys", "multi_index", "new_shape", "newshape", "out", "pad_width", "range",
     "reps", "s", "sample", "seq", "shape", "shift", "source", "tup", "window_shape")
)  # fmt: skip
"""The parameters that take a tuple or list which is no array."""
_ITERATING = frozenset(map(id, numpy_functions("poly dstack column_stack lexsort choose linalg.multi_dot")))
"""The ids of functions that NumPy dispatches to the items of an argument, whose number may be unknown."""


def replacement_of(function: Any) -> Callable[..., Any] | None:
    """Return the function that converted code calls in place of `function` during a trace, or None."""
    if not is_tracing():
        return None
    if function is dataclasses.replace:
        return instances.replace
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
    if record is None and function in NUMPY:
        return None  # `builtins` has its own form
    if record is None:
        is_of_arrays = type(function) in (_DISPATCHER, np.ufunc) or isinstance(owner, np.ufunc)
        if not is_of_arrays or function in builtins.IMPLEMENTATIONS:
            return None
        return functools.partial(_call_with_arrays, function)

    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = _without_none(args, kwargs)
        staged = recording.contains_staged((args, kwargs))
        return (record if staged else function)(*args, **kwargs)

    return call


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return recording.call(function, args, kwargs)


def _call_with_arrays(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function of NumPy with arrays in place of lists of staged values, as in `np.max([x, y])`."""
    args, kwargs = _without_none(args, kwargs)
    if recording.contains_staged((args, kwargs)):
        names = _parameters(function)
        names = [*names, *names[-1:] * (len(args) - len(names))]
        args = tuple([_as_array(n, value) for n, value in zip(names, args, strict=False)]) if names else args
        kwargs = {name: _as_array(name, value) for name, value in kwargs.items()}
        if type(function) is np.ufunc and args and isinstance(args[0], (np.ndarray, np.generic)):
            args = (recording.wrap(recording.to_node(args[0])), *args[1:])  # or it is taken for an operator
    return function(*args, **kwargs)


def _without_none(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with the tuples and lists that may be None, which NumPy then refuses."""
    return tuple([used(v, "iter") for v in args]), {name: used(v, "iter") for name, v in kwargs.items()}


def _as_array(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple)) and name not in _SEQUENCES and recording.contains_staged(value):
        return recording.call(np.array, (list(value),), {})
    return value


@functools.cache
def _parameters(function: Any) -> list[str]:
    """Return the names of the positional parameters of a function; the last one may stand for several."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # it is written in C
        return ["array"]
    rest = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    own = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return rest or own
