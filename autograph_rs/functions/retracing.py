"""Compare trace keys: generalize shapes to avoid retracing, and explain why a retrace happened.

The *key* of a trace contains one key for each leaf of the arguments. The key of an array is a tuple of its
dtype, its shape, and whether it is an `ndarray` or a NumPy scalar.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_rs.runtime.debugging.tracebacks import user_stacklevel
from autograph_rs.runtime.graph.ir.types import ArrayType

MAX_RETRACES = 5


class RetraceWarning(UserWarning):
    """A function is traced so often that tracing costs more than it saves."""

    __module__ = __name__.partition(".")[0]  # the public module


def record_trace(
    history: list[tuple[list[str], Sequence[Any]]],
    function: str,
    names: list[str],
    keys: Sequence[Any],
    advice: str,
) -> None:
    """Record the leaf names and keys of a trace that a call caused; warn once if there are too many."""
    if len(history) > MAX_RETRACES + 1:
        return
    history.append((names, keys))
    if len(history) > MAX_RETRACES + 1:
        changed = "; ".join(changed_arguments(names, history)) or "the structure of its arguments differs"
        warnings.warn(
            f"{function} has been traced {len(history)} times: {changed}. {advice}",
            RetraceWarning,
            stacklevel=user_stacklevel(),
        )


def is_array_key(leaf_key: Any) -> bool:
    return type(leaf_key) is tuple and len(leaf_key) == 3 and isinstance(leaf_key[0], np.dtype)


def without_dimensions(keys: Sequence[Any]) -> Any:
    """Replace shapes with ranks, so that keys that differ only in array dimensions become equal."""
    return tuple([(k[0], len(k[1]), k[2]) if is_array_key(k) else k for k in keys])


def generalize(keys: Sequence[Any]) -> tuple[Any, ...]:
    """Merge keys that differ only in array dimensions, with None for each dimension that differs."""
    merged = []
    for leaf_keys in zip(*keys, strict=True):
        first = leaf_keys[0]
        if is_array_key(first):
            dimensions = zip(*(k[1] for k in leaf_keys), strict=True)
            first = first[0], tuple(d[0] if len(set(d)) == 1 else None for d in dimensions), first[2]
        merged.append(first)
    return tuple(merged)


def format_key(leaf_key: Any) -> str:
    if is_array_key(leaf_key):
        return str(ArrayType(leaf_key[0], leaf_key[1]))
    if type(leaf_key) is tuple and leaf_key[0] in (float, complex):
        parts = [float.fromhex(text) for text in leaf_key[1:]]
        return repr(complex(*parts) if leaf_key[0] is complex else parts[0])
    return repr(leaf_key[1]) if type(leaf_key) is tuple else repr(leaf_key)


def retrace_reason(previous: tuple[list[str], Any], latest: tuple[list[str], Any]) -> str:
    """Describe the difference between two traces, given their leaf names and keys."""
    (previous_names, previous_keys), (names, keys) = previous, latest
    if names != previous_names or len(keys) != len(previous_keys):
        return "the structure of its arguments differs"
    triples = zip(names, previous_keys, keys, strict=True)
    changed = [f"{n} was {format_key(a)}, is now {format_key(b)}" for n, a, b in triples if a != b]
    return "; ".join(changed) or "it is called on another instance"


def changed_arguments(names: Sequence[str], history: Sequence[tuple[list[str], Sequence[Any]]]) -> list[str]:
    """Describe each leaf that differs between traces with these names: `x was float64[1], float64[2]`."""
    changed = []
    for i, name in enumerate(names):
        texts = [format_key(keys[i]) for n, keys in history if n == names and len(keys) > i]
        distinct = list(dict.fromkeys(texts))
        if len(distinct) > 1:
            changed.append(f"{name} was {', '.join(distinct[:4])}{', ...' if len(distinct) > 4 else ''}")
    return changed
