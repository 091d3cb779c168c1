"""Errors for what a graph does and JAX cannot; each names the node's op, and the user's line."""

from __future__ import annotations

from typing import Any

import jax

from ...errors import MismatchError, OptionError, UnsupportedFunctionError, ValueNeededError
from ...graph.ir import Node

UNKNOWN = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
)
"""What JAX raises where it needs a number now that is known only when the program runs."""


class NoRoomError(ValueNeededError):
    """A list has become longer than the program has room for."""


def _place(node: Node) -> Any:
    return next(iter(node.places[-1:]), None)


def value_needed(node: Node, what: str = "has a shape that depends on values") -> ValueNeededError:
    return ValueNeededError(
        f"the operation {node.op} {what}",
        why="the shapes of JAX are static, and values are known only when the program runs",
        remedy="give what decides the shape as a plain Python number, or use np.where",
        place=_place(node),
    )


def unbounded(node: Node) -> ValueNeededError:
    return ValueNeededError(
        f"the loop {node.op} makes a list longer, and how often it runs depends on values",
        why="JAX needs the greatest length of a list before the program runs; gradients keep one for a loop",
        remedy="give to_jax(list_room=n), or bound the loop by ag.set_loop_options(maximum_iterations=n)",
        place=_place(node),
    )


def no_room(node: Node, room: int) -> NoRoomError:
    return NoRoomError(
        f"the loop {node.op} that makes a list longer has more than {room} rounds",
        why="the program was made with room for so many",
        remedy="give to_jax a greater list_room",
        place=_place(node),
    )


def too_long(node: Node, room: int) -> ValueNeededError:
    return ValueNeededError(
        f"a list that the loop {node.op} makes has more than {room} items",
        why="the program that XLA compiled has room for so many",
        remedy='bound the loop by ag.set_loop_options(maximum_iterations=n), or use engine="numpy"',
        place=_place(node),
    )


def unsupported(node: Node, why: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"the operation {node.op} cannot be run by JAX",
        why=why,
        remedy="compute it outside of the function, or run the function by NumPy",
        place=_place(node),
    )


def differs(node: Node, why: str) -> MismatchError:
    return MismatchError(
        f"what {node.op} gives has no single type for JAX",
        why=why,
        remedy="give it one dtype, shape and structure on all paths and in all rounds",
        place=_place(node),
    )


def no_precision(node: Node, dtype: Any) -> OptionError:
    name = f"argument {node.attrs['name']!r}" if node.op == "argument" else f"operation {node.op}"
    return OptionError(
        f"the {name} computes with {dtype}, and this JAX has 32 bits",
        why="JAX would silently take the smaller dtype unless it is told otherwise",
        remedy='jax.config.update("jax_enable_x64", True), or give float32 and int32 arrays',
        place=_place(node),
    )


def beyond_end(node: Node, count: int) -> ValueNeededError:
    return ValueNeededError(
        f"a slice of {count} items reaches beyond an end of its array",
        why="NumPy would give fewer items, and the shapes of JAX are static",
        remedy="keep the slice within the array",
        place=_place(node),
    )
