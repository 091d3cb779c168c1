"""Run a function on a tensor system, and compare its outcome with that of plain Python.

A tensor system takes and returns flat lists of arrays; this module flattens and restores structures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_rs.runtime.backends.functional.abstract_values import Maybe
from autograph_rs.runtime.backends.functional.optional_values import Optional
from autograph_rs.runtime.backends.functional.staged_text import Text
from autograph_rs.runtime.values.structures import Spec, flatten, unflatten

from .harness import Outcome, check_same, require

Function = Callable[..., Any]


def stage_arrays(stage: Callable[[Function], Function], f: Function, *, unroll: bool = False) -> Function:
    """Wrap a function so that a tensor system stages its NumPy arguments; other arguments stay static.

    With `unroll`, integer and boolean scalars stay static too.
    """

    def call(*arguments: Any) -> Any:
        leaves, spec = flatten(arguments)
        staged = [i for i, leaf in enumerate(leaves) if is_numeric(leaf)]
        if unroll:
            staged = [i for i in staged if np.ndim(leaves[i]) or leaves[i].dtype.kind not in "iub"]
        structure: list[Any] = []

        def on_arrays(*arrays: Any) -> list[Any]:
            inputs = list(leaves)
            for i, array in zip(staged, arrays, strict=True):
                inputs[i] = array
            results, *structure[:] = split_result(f(*unflatten(spec, inputs)))
            return results

        results = list(stage(on_arrays)(*[leaves[i] for i in staged]))
        require(bool(structure), "the staged function returned results without calling the original function")
        [result_spec, static] = structure
        count = static.count(None)
        require(len(results) == count, f"the staged function returned {len(results)} results, not {count}")
        return unflatten(result_spec, [to_numpy(results.pop(0)) if s is None else s[0] for s in static])

    return call


def is_numeric(leaf: Any) -> bool:
    return isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "biufc"


def is_staged(leaf: Any) -> bool:
    if isinstance(leaf, (Optional, Text)):
        return True
    return hasattr(leaf, "dtype") and getattr(leaf.dtype, "kind", "?") not in "US"


def to_numpy(result: Any) -> Any:
    if result is None or isinstance(result, list):
        return result
    return str(result) if isinstance(result, Text) else np.asarray(result)[()]


def split_result(value: Any) -> tuple[list[Any], Spec, list[tuple[Any] | None]]:
    """Return the staged leaves of a result, its structure, and its static leaves (None for staged ones)."""
    leaves, spec = flatten(value, mutable_dataclasses=True)
    leaves = [leaf.value if isinstance(leaf, Maybe) else leaf for leaf in leaves]
    return [x for x in leaves if is_staged(x)], spec, [None if is_staged(x) else (x,) for x in leaves]


def check_outcome(actual: Outcome, expected: Outcome) -> None:
    """Raise an AssertionError if the value, error or output differs from that of plain Python."""
    if expected.error is not None:
        require(actual.error is not None, f"missing {expected.error!r}; got {actual.value!r}")
        text = f"{type(actual.error).__name__}: {actual.error}"
        require(type(expected.error).__name__ in text, text)
        require(str(expected.error) in text, text)
        return
    require(actual.error is None, repr(actual.error))
    require(actual.stdout == expected.stdout, f"stdout: {actual.stdout!r}, not {expected.stdout!r}")
    check_same(without_dtypes(actual.value), without_dtypes(expected.value), "value", exact=False)


def without_dtypes(value: Any) -> Any:
    """Convert arrays to nested lists, since dtypes differ between tensor systems."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    leaves, spec = flatten(value, mutable_dataclasses=True)
    return value if spec.kind is None else unflatten(spec, list(map(without_dtypes, leaves)))
