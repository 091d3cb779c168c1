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
NESTED = "a list that holds lists or texts has no rows of arrays"
TEXT = "JAX has no arrays of text"
WIDTH = "integers have 64 bits and wrap"

EXCEPTIONS: dict[str, str] = {
    "comprehensions.py::nested": NESTED,
    "comprehensions.py::range_of_ranges": NESTED,
    "comprehensions.py::mixed_conditions_over_plain_values": NESTED,
    "if_.py::shapes_of_branches_differ": PATHS,
    "indexing.py::element": BOUNDS,
    "indexing.py::slice_with_bounds": SHAPE,
    "indexing.py::halves": SHAPE,
    "indexing.py::slice_with_step": SHAPE,
    "indexing.py::constant_array": BOUNDS,
    "indexing.py::constant_tuple": BOUNDS,
    "indexing.py::list_out_of_range": BOUNDS,
    "indexing.py::mask": SHAPE,
    "indexing.py::masked_sum": SHAPE,
    "indexing.py::windows": SHAPE,
    "lists.py::append_in_branch": LENGTH,
    "lists.py::append_in_while": LENGTH,
    "lists.py::stack_of_nothing_raises": LENGTH,
    "lists.py::item_of_an_empty_list": SHAPE,
    "numpy_.py::made_by_length": SHAPE,
    "numpy_.py::strings": TEXT,
    "programs.py::prime_sieve": SHAPE,
    "programs.py::run_lengths": LENGTH,
    "programs.py::pascal_row": SHAPE,
    "promotion.py::python_int_grows": WIDTH,
    "while_.py::growing_array": PATHS,
    "writes.py::one_element": BOUNDS,
    "writes.py::slice_with_bounds": SHAPE,
    "writes.py::out_of_range": BOUNDS,
}
"""The samples of which some call does not go."""


def plain(value: Any) -> Any:
    """A result of a function of `to_jax`, with NumPy's values and Python's lists and texts in it."""
    if isinstance(value, Grown):
        return [plain(item) for item in value]
    if isinstance(value, Said):
        return str(value)
    leaves, spec = flatten(value, changeable=True)
    if spec.kind is not None:
        return unflatten(spec, list(map(plain, leaves)))
    return np.asarray(value)[()] if isinstance(value, jax.Array) else value


def by_jit(concrete: ag.ConcreteFunction) -> Callable[..., Any]:
    """A concrete function through `to_jax` and `jax.jit`, as its original: it writes what that writes.

    Arguments that are no arrays are static; so is what of the result is none.
    """
    function = concrete.to_jax(variables="explicit", list_room=ROOM)

    def run(*args: Any) -> Any:
        leaves, spec = flatten(args, changeable=True)
        staged = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (np.ndarray, np.generic))]
        made: list[Any] = []

        @jax.jit
        def program(state: Sequence[Any], arrays: Sequence[Any]) -> Any:
            given = list(leaves)
            for i, array in zip(staged, arrays, strict=True):
                given[i] = array
            result, left = function(state, *unflatten(spec, given))
            made[:] = flatten(result, changeable=True)
            return [p if isinstance(p, (jax.Array, Grown, Said)) else None for p in made[0]], left

        state = [variable.value for variable in concrete.variables]
        found, left = finished(program, state, [leaves[i] for i in staged])
        for variable, value in zip(concrete.variables, left, strict=False):
            variable.assign(np.asarray(value))
        written = [i for i in concrete.concrete.writes if i < len(staged)]
        for i, value in zip(written, left[len(state) :], strict=True):
            leaves[staged[i]][...] = value
        parts = [p if f is None else plain(f) for p, f in zip(made[0], found, strict=True)]
        return unflatten(made[1], parts)

    return run


def finished(run: Callable[..., Any], *args: Any) -> Any:
    """What a program gives, when all that it does is done.

    Raises:
        JaxRuntimeError: the program raised.
    """
    result = jax.block_until_ready(run(*args))
    jax.effects_barrier()
    return result


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """All that a call did."""
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        try:
            value = function(*arguments)
        except Exception as caught:
            error = caught
    return Outcome(value, error, stdout.getvalue(), arguments)


def raised(error: BaseException | None) -> str:
    """Type and text of an error; of one of JAX's, of that which the program raised."""
    if not isinstance(error, jax.errors.JaxRuntimeError):
        return "" if error is None else f"{type(error).__name__}: {error}".rstrip(": ")
    lines = [line for line in str(error).splitlines() if re.match(r"(\w+\.)*[A-Z]\w*(:|$)", line)]
    return lines[-1].rstrip(": ") if lines else str(error)
