"""Writes to arrays: plain ones become staged, and NumPy functions are recorded.

Functions that write to their first argument are `np.put`, `np.copyto`, `np.add.at`, ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import staging
from ...core.active_backends import active_backend
from ..ir.types import ArrayType, ScalarType
from ..rules import check_setitem
from ..rules.methods import function_name
from ..rules.probing import dummy
from ..rules.writes import WRITES_AT
from . import recording, unsupported


def staged_in_place(array: Any, refusal: Callable[[str], Exception]) -> Any:
    """Have the traced code refer to a staged array in place of a plain one: see `array_staged_in_place`."""
    return staging.array_staged_in_place(active_backend(), array, staged_array, refusal)


def staged_array(array: np.ndarray) -> Any:
    """Return a staged array with the contents of a plain one."""
    made = recording.wrap(recording.to_node(array))
    made.is_mutable = True
    return made


def record_write(
    function: Callable[..., Any], written: Callable[..., Any], target: Any, *args: Any, **kwargs: Any
) -> None:
    """Record a call to `function`, which writes to `target`. `written` returns a copy instead."""
    target = _staged_target(target, function_name(written))
    if _can_write(function, target, args, kwargs):
        target.write_through(recording.call(written, (target, *args), kwargs))


def record_at(ufunc: np.ufunc, target: Any, indices: Any, *values: Any) -> None:
    """Record a call to the method `at` of a ufunc."""
    written = WRITES_AT[ufunc]
    target = _staged_target(target, function_name(written))
    if not _can_write(ufunc.at, target, (indices, *values), {}):
        return
    if ufunc in (np.add, np.subtract) and _is_added_exactly(target.type.dtype, values[0]):
        node = recording.to_node(target)
        arguments = recording.Arguments([node])
        key, types = arguments.extract(indices)
        value = recording.to_node(values[0] if ufunc is np.add else -values[0])
        check_setitem(node.type, types, value.type)
        target.write_through(recording.record("add_at", (*arguments.inputs, value), node.type, key=key))
    else:
        target.write_through(recording.call(written, (target, indices, *values), {}))


def _staged_target(target: Any, name: str) -> Any:
    if recording.is_staged(target):
        return active_backend().some(target, "setitem", 0, 0)
    return staged_in_place(target, lambda other: unsupported.plain_target(name, other))


def _can_write(function: Callable[..., Any], target: Any, args: Any, kwargs: Any) -> bool:
    """Return whether `function` writes to `target`. NumPy raises an error if it is not an array."""
    if isinstance(target.type, ArrayType) and (target.type.shape or target.is_mutable):
        return True
    number = dummy(target.type)
    function(number[()] if isinstance(number, np.ndarray) else number, *map(dummy, args), **kwargs)
    return False


def _is_added_exactly(dtype: np.dtype[Any], value: Any) -> bool:
    """Return whether a value is added in the dtype of the array."""
    kind = recording.to_node(value).type
    if isinstance(kind, ScalarType):
        return dtype in (np.float64, np.int64) and np.can_cast(np.dtype(kind.python), dtype)
    return isinstance(kind, ArrayType) and kind.dtype == dtype
