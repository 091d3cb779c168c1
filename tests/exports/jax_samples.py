"""The staged samples by JAX: how one is run, and which do not go, each with its reason."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

import autograph_rs as ag
from autograph_rs.runtime.exports.jax.values import Grown, Said
from autograph_rs.runtime.structures import flatten, unflatten
from autograph_rs.testing.harness import Outcome

ROOM = 64
SHAPE = "a shape depends on values"
LENGTH = "an array is made of a list whose length depends on values"
BOUNDS = "an index out of bounds is clamped: that is how JAX indexes"
PATHS = "the shape differs between paths or rounds"
NESTED = "a list of lists, whose lengths depend on values"
TEXT = "an array of text"
WIDTH = "integers have 64 bits and wrap"

EXCEPTIONS: dict[str, str] = {}
"""The samples of which some call does not go."""


def plain(value: Any) -> Any:
    """A result of a function of `to_jax` with NumPy's values, lists and texts in it."""
    if isinstance(value, Grown):
        return [plain(item) for item in value]
    if isinstance(value, Said):
        return str(value)
    leaves, spec = flatten(value, changeable=True)
    if spec.kind is not None:
        return unflatten(spec, list(map(plain, leaves)))
    return np.asarray(value)[()] if isinstance(value, jax.Array) else value


def by_jit(concrete: ag.ConcreteFunction) -> Callable[..., Any]:
    """A concrete function through `to_jax` and `jax.jit`; arguments that are no arrays are static."""

    def run(*args: Any) -> Any:
        leaves, spec = flatten(args, changeable=True)
        staged = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (np.ndarray, np.generic))]
        function = concrete.to_jax(variables="explicit", list_room=ROOM)
        state = tuple([variable.value for variable in concrete.variables])

        @jax.jit
        def program(state: Any, arrays: Sequence[Any]) -> Any:
            given = list(leaves)
            for i, array in zip(staged, arrays, strict=True):
                given[i] = array
            return function(state, *unflatten(spec, given))

        found = []
        specs: list[Any] = []

        def outputs(state: Any, arrays: Sequence[Any]) -> Any:
            result, left = program.__wrapped__(state, arrays)
            parts, spec = flatten(result, changeable=True)
            places = [i for i, p in enumerate(parts) if isinstance(p, (jax.Array, Grown, Said))]
            specs[:] = [parts, spec, places]
            return [parts[i] for i in places], left

        found, left = jax.jit(outputs)(state, [leaves[i] for i in staged])
        jax.block_until_ready(found)
        jax.effects_barrier()
        parts, made, places = specs
        for i, value in zip(places, found, strict=True):
            parts[i] = plain(value)
        for variable, value in zip(concrete.variables, left, strict=False):
            variable.assign(np.asarray(value))
        written = [i for i in concrete.concrete.writes if i < len(staged)]
        for i, value in zip(written, left[len(state) :], strict=True):
            leaves[staged[i]][...] = value
        return unflatten(made, parts)

    return run


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """All that a call did; the error that a program raised in the place of JAX's."""
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        try:
            value = function(*arguments)
        except jax.errors.JaxRuntimeError as caught:
            error = caught
            jax.effects_barrier() if False else None
        except Exception as caught:  # noqa: BLE001 - whatever it raises is what is compared
            error = caught
    return Outcome(value, error, stdout.getvalue(), arguments)


def told(error: BaseException) -> str:
    """Type and text of an error; of one of JAX's, of that which the program raised."""
    if isinstance(error, jax.errors.JaxRuntimeError):
        found = re.findall(r"^(?:\w+\.)*(\w+(?:Error|Exception|Exit|Rejected)?: .*|\w+Error)$", str(error), re.M)
        return found[-1] if found else str(error)
    return f"{type(error).__name__}: {error}"
