"""Calls of NumPy's functions, by JAX and by the embedded graph: those of the tests of the type rules."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph_rs as ag
from autograph_rs.runtime.exports.jax import traceable
from autograph_rs.runtime.structures import flatten, unflatten

WIDEST = 3
"""How many calls of each function are compared."""

DATA = "the shape of the result depends on values"
NAME = "jax.numpy has no such function, or has it without these arguments"


def spread(calls: list[Any]) -> list[Any]:
    """Calls in an order in which the first few are from everywhere among them."""
    golden = (5**0.5 - 1) / 2
    return [calls[i] for i in sorted(range(len(calls)), key=lambda i: (i + 1) * golden % 1)]


def traced(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, list[np.ndarray]]:
    """The concrete function of one call, whose arguments are the call's arrays, and these."""
    leaves, spec = flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)]
    arrays = [leaves[i] for i in places]

    def called(*given: Any) -> Any:
        parts = list(leaves)
        for i, array in zip(places, given, strict=True):
            parts[i] = array
        own, named = unflatten(spec, parts)
        return function(*own, **named)

    return ag.function(called).get_concrete_function(*arrays), arrays


def results(concrete: Any, arrays: list[np.ndarray]) -> Iterator[tuple[Any, Any]]:
    """Each result of the graph by JAX, and by NumPy."""
    with warnings.catch_warnings(action="ignore"):
        expected = concrete.concrete._run(*arrays)
        return zip(
            map(np.asarray, traceable(concrete.graph)(*arrays)), map(np.asarray, expected), strict=True
        )
