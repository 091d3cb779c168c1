"""A function on a tensor system: how its arrays are staged, and what it gives compared with plain Python.

A system takes and gives lists of arrays, and has dtypes of its own; structures are kept here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_rs.runtime.backends.texts import Text
from autograph_rs.runtime.structures import flatten, unflatten

from .harness import Outcome, check_same, must

Function = Callable[..., Any]


def through(stage: Callable[[Function], Function], f: Function, *, unroll: bool = False) -> Function:
    """`f` with its NumPy arguments staged by a system, and all else as it is.

    With `unroll` integers and truth values without dimensions are not staged either.
    """

    def call(*arguments: Any) -> Any:
        leaves, spec = flatten(arguments)
        places = [i for i, leaf in enumerate(leaves) if is_number(leaf)]
        if unroll:
            places = [i for i in places if np.ndim(leaves[i]) or leaves[i].dtype.kind not in "iub"]
        shape: list[Any] = []

        def on_arrays(*arrays: Any) -> list[Any]:
            filled = list(leaves)
            for place, array in zip(places, arrays, strict=True):
                filled[place] = array
            results, shape[:] = structured(f(*unflatten(spec, filled)))
            return results

        rest = list(stage(on_arrays)(*[leaves[i] for i in places]))
        must(bool(shape), "what `stage` returned gave results without calling the function")
        [structure, plain] = shape
        asked = plain.count(None)
        must(len(rest) == asked, f"what `stage` returned gives {len(rest)} results, not {asked}")
        return unflatten(structure, [known(rest.pop(0)) if p is None else p[0] for p in plain])

    return call


def is_number(leaf: Any) -> bool:
    return isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "biufc"


def is_result(leaf: Any) -> bool:
    return isinstance(leaf, Text) or (hasattr(leaf, "dtype") and getattr(leaf.dtype, "kind", "?") not in "US")


def known(result: Any) -> Any:
    if isinstance(result, list):
        return result
    return str(result) if isinstance(result, Text) else np.asarray(result)[()]


def structured(value: Any) -> tuple[list[Any], list[Any]]:
    """The arrays of a result, and what the rest of it is."""
    leaves, spec = flatten(value, changeable=True)
    kept = [None if is_result(leaf) else (leaf,) for leaf in leaves]
    return [leaf for leaf, k in zip(leaves, kept, strict=True) if k is None], [spec, kept]


def check(made: Outcome, expected: Outcome) -> None:
    """Raise an AssertionError unless a system did what Python does: value, error, stdout."""
    if expected.error is not None:
        must(made.error is not None, f"missing {expected.error!r}; got {made.value!r}")
        text = f"{type(made.error).__name__}: {made.error}"
        must(type(expected.error).__name__ in text, text)
        must(str(expected.error) in text, text)
        return
    must(made.error is None, repr(made.error))
    must(made.stdout == expected.stdout, f"stdout: {made.stdout!r}, not {expected.stdout!r}")
    check_same(loosened(made.value), loosened(expected.value), "value", exact=False)


def loosened(value: Any) -> Any:
    """Arrays as lists of numbers, since systems have dtypes of their own."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    leaves, spec = flatten(value, changeable=True)
    if spec.kind is None:
        return value
    return unflatten(spec, [loosened(leaf) for leaf in leaves])
