"""What a TensorFlow program does through Python while it runs: print, raise, and format text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...errors import AutographError, ValueNeededError
from ...operators import CONVERSIONS
from ...staging.raises import fields_of, is_own_raise, revived
from ...structures import flatten, unflatten
from ...tracebacks import place_of, raising, user_place
from ..texts import Text, joined, resolved
from .graphs import is_xla
from .lists import StagedList
from .values import Number


def _is_staged(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable, Number, StagedList, Text))


def plain(value: Any) -> Any:
    """What Python code sees of an operand's value."""
    if isinstance(value, bytes):
        return value.decode()
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        decoded = np.vectorize(lambda v: v.decode() if isinstance(v, bytes) else v, otypes=[object])(array)
        return decoded[()] if array.ndim else str(decoded[()])
    return array[()]


def _shown(value: Any, operand: Any) -> Any:
    """The value of an operand, as the kind of thing that it stands for."""
    found = plain(value)
    if isinstance(operand, Number):
        return found.item()
    return list(found) if isinstance(operand, StagedList) else found


def operands_of(value: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """The staged values in a structure, and a function from their values to it."""
    leaves, spec = flatten(value)
    places = [i for i, leaf in enumerate(leaves) if _is_staged(leaf)]
    staged = [leaves[i].values if isinstance(leaves[i], Text) else [leaves[i]] for i in places]

    def filled(values: Sequence[Any]) -> Any:
        made, rest = list(leaves), list(values)
        for place, parts in zip(places, staged, strict=True):
            own = [_shown(rest.pop(0), part) for part in parts]
            made[place] = joined(leaves[place], own) if isinstance(leaves[place], Text) else own[0]
        return unflatten(spec, made)

    return [tf.convert_to_tensor(v) for parts in staged for v in parts], filled


def show(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """`print`, when the program runs."""
    operands, filled = operands_of(values)

    def run(*given: Any) -> None:
        print(*filled(given), sep=sep, end=end, file=file, flush=flush)

    tf.numpy_function(run, operands, [], name="print")


def text_of(value: Any, conversion: str = "", spec: str = "") -> Any:
    """The tensor of a value's text."""
    tensor = tf.convert_to_tensor(value)
    if not spec and conversion in ("", "s"):
        if tensor.dtype == tf.string and tensor.shape.rank == 0:
            return tensor
        if tensor.dtype.is_integer and tensor.shape.rank == 0:
            return tf.strings.as_string(tensor)
        if tensor.dtype.is_bool and tensor.shape.rank == 0:
            return tf.where(tensor, "True", "False")

    def run(given: Any) -> Any:
        return format(CONVERSIONS[conversion](_shown(given, value)), spec).encode()

    made = tf.numpy_function(run, [tensor], tf.string, stateful=False, name="format")
    made.set_shape(())
    return made


def joined_text(text: str) -> Any:
    """A string with marks of staged values, as a tensor; one without is itself.

    XLA has no text: there it can be raised only, which XLA drops.
    """
    found = resolved(text)
    if not isinstance(found, Text) or is_xla():
        return found
    pieces = [p if isinstance(p, str) else text_of(found.values[p[0]], p[1], p[2]) for p in found.pieces]
    return tf.strings.join(pieces)


def has_operands(error: BaseException) -> bool:
    return any(map(_is_staged, flatten(error.args)[0]))


_LIBRARIES = frozenset(("tensorflow", "keras", "tf_keras", "numpy"))


def is_users(error: BaseException) -> bool:
    """Whether user code raised an error, and no library that says what it cannot stage."""
    return getattr(error, "in_program", False) or is_own_raise(error, _LIBRARIES)


def explained(error: BaseException) -> AutographError | None:
    """An error of ours for one of TensorFlow's that says that a tensor or dataset has no value as yet."""
    told = str(error)
    is_endless = isinstance(error, ValueError) and "tf.data.Iterator.get_next()" in told
    is_early = isinstance(error, tf.errors.OperatorNotAllowedInGraphError) or "symbolic tf.Tensor" in told
    if isinstance(error, AutographError) or not (is_early or is_endless):
        return None
    if is_endless:
        what = "a dataset is iterated by Python itself, in a generator or in code that is not converted"
        why = "it does not end while a graph is built"
        remedy = "iterate it in a function without 'yield', or use its map"
    elif "terating" in told:
        what = "a staged tensor is unpacked, or iterated by Python itself, in code that is not converted"
        why = "TensorFlow does not iterate a tensor in a graph"
        remedy = "unpack tf.unstack(x), or index it"
    else:
        what = "Python needs the value of a staged tensor"
        why = "it is known only at run time"
        remedy = "convert the function that needs it, or use a function of TensorFlow that takes a tensor"
    return ValueNeededError(what, why=why, remedy=remedy, place=user_place(error))


def fail(failed: Any, error: BaseException) -> Any:
    """Raise `error` when the program runs, where `failed` is true; a tensor that is there once it is checked.

    An `Assert` operation does where its text is all that there is to tell, since such a program runs
    without Python too; it would escape some characters, which Python has to raise.
    """
    operands, filled = operands_of(error.args)
    kind, fields, place = type(error), fields_of(error), place_of(error, sys._getframe())
    message = "" if operands else f"{kind.__name__}: {error}"

    def made(*given: Any) -> BaseException:
        return revived(kind, filled(given), fields)

    def run() -> Any:
        if is_xla() or (message and not set(message) & set("'\"\\\n\t\r") and message.isascii()):
            data = [message or f"{kind.__name__}:", *operands, *([f"raised at {place}"] if place else [])]
            tf.raw_ops.Assert(condition=tf.constant(False), data=data)
        else:
            tf.numpy_function(raising(made, place), operands, [], name="raise")
        return tf.constant(True)

    if failed is True:
        return run()
    return tf.cond(failed, run, lambda: tf.constant(False))
