"""Effects that TensorFlow programs implement in Python: printing, raising errors and formatting text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...backends.builtins import formatted
from ...debugging.tracebacks import error_position, make_raiser, note_of_user_frame, user_position
from ...errors import AutographError, ValueNeededError
from ...errors.unsupported import UNCONVERTED_REMEDY
from ...staging.branches.exceptions import fields_of, is_own_raise, revived
from ...values.structures import flatten
from ..functional.optional_values import Optional
from ..functional.staged_text import Text, operands_of, resolve_markers
from .graphs import is_xla
from .lists import StagedList
from .types import Number


def _is_staged(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable, Number, StagedList, Text))


def python_value(value: Any) -> Any:
    """Return an operand's value as Python code sees it."""
    if isinstance(value, bytes):
        return value.decode()
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        decoded = np.vectorize(lambda v: v.decode() if isinstance(v, bytes) else v, otypes=[object])(array)
        return decoded[()] if array.ndim else str(decoded[()])
    return array[()]


def _operand_value(value: Any, operand: Any) -> Any:
    """Return an operand's value as the Python number or list that it stands for."""
    value = python_value(value)
    if isinstance(operand, Number):
        return value.item()
    return list(value) if isinstance(operand, StagedList) else value


def _tensors_of(value: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    operands, rebuild = operands_of(value, _is_staged, _operand_value)
    return list(map(tf.convert_to_tensor, operands)), rebuild


def print_values(
    *values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False
) -> None:
    """Print the values when the program runs."""
    operands, rebuild = _tensors_of(values)

    def run(*given: Any) -> None:
        print(*rebuild(given), sep=sep, end=end, file=file, flush=flush)

    tf.numpy_function(run, operands, [], name="print")


def string_tensor(value: Any, conversion: str = "", spec: str = "", is_present: Any = None) -> Any:
    """Return the formatted value, or None formatted where `is_present` is false, as a string tensor."""
    if isinstance(value, Optional):
        return string_tensor(value.value, conversion, spec, value.is_present)
    tensor = tf.convert_to_tensor(value)
    if is_present is None and not spec and conversion in ("", "s"):
        if tensor.dtype == tf.string and tensor.shape.rank == 0:
            return tensor
        if tensor.dtype.is_integer and tensor.shape.rank == 0:
            return tf.strings.as_string(tensor)
        if tensor.dtype.is_bool and tensor.shape.rank == 0:
            return tf.where(tensor, "True", "False")

    def run(given: Any, present: Any = True) -> Any:
        return formatted(_operand_value(given, value) if present else None, conversion, spec).encode()

    operands = [tensor] if is_present is None else [tensor, is_present]
    result = tf.numpy_function(run, operands, tf.string, stateful=False, name="format")
    result.set_shape(())
    return result


def staged_string(text: str) -> Any:
    """Return text with markers as a string tensor; return text without markers unchanged.

    XLA has no strings. Text can only be part of an error there, and XLA drops errors.
    """
    value = resolve_markers(text)
    if not isinstance(value, Text) or is_xla():
        return value
    values = value.values
    return tf.strings.join(
        [
            p if isinstance(p, str) else string_tensor(values[p[0]], p[1], p[2], *[values[i] for i in p[3:]])
            for p in value.pieces
        ]
    )


def is_text(value: Any) -> bool:
    return isinstance(value, Text) or (isinstance(value, tf.Tensor) and value.dtype == tf.string)


def has_operands(error: BaseException) -> bool:
    return any(map(_is_staged, flatten(error.args)[0]))


_LIBRARIES = frozenset(("tensorflow", "keras", "tf_keras", "numpy"))


def is_user_error(error: BaseException) -> bool:
    """Return whether user code, rather than a library that cannot stage an operation, raised an error."""
    return getattr(error, "in_program", False) or is_own_raise(error, _LIBRARIES)


def translated_error(error: BaseException) -> AutographError | None:
    """Translate TensorFlow's error about a value needed too early; return None for other errors."""
    text = str(error)
    is_endless = isinstance(error, ValueError) and "tf.data.Iterator.get_next()" in text
    is_early = isinstance(error, tf.errors.OperatorNotAllowedInGraphError) or "symbolic tf.Tensor" in text
    if isinstance(error, AutographError) or not (is_early or is_endless):
        return None
    if is_endless:
        what = "Python itself iterates a dataset, in a generator or in unconverted code"
        why = "a graph that is being built yields no actual elements, so the iteration would never end"
        remedy = "iterate it in a function without 'yield', or use the dataset's map method"
    elif "terating" in text:
        what = "Python itself unpacks or iterates a staged tensor, in unconverted code"
        why = "TensorFlow cannot iterate a tensor in a graph"
        remedy = "unpack tf.unstack(x), or index it"
    else:
        what = "Python needs the value of a staged tensor"
        why = "the value is known only when the graph runs"
        remedy = "convert the function that needs the value, or use a TensorFlow function that takes a tensor"
    if note := note_of_user_frame(error):
        why, remedy = note, UNCONVERTED_REMEDY
    return ValueNeededError(what, why=why, remedy=remedy, place=user_position(error))


def fail(failed: Any, error: BaseException) -> Any:
    """Make the program raise `error` if `failed` is true; return a tensor that depends on the check.

    If the text is known, the check is an `Assert` operation, which also runs without Python. An error whose
    text has characters that `Assert` would escape is raised by Python.
    """
    operands, rebuild = _tensors_of(error.args)
    kind, fields, position = type(error), fields_of(error), error_position(error, sys._getframe())
    message = "" if operands else f"{kind.__name__}: {error}"

    def result(*given: Any) -> BaseException:
        return revived(kind, rebuild(given), fields)

    def run() -> Any:
        if is_xla() or (message and not set(message) & set("'\"\\\n\t\r") and message.isascii()):
            data = [
                message or f"{kind.__name__}:",
                *operands,
                *([f"raised at {position}"] if position else []),
            ]
            tf.raw_ops.Assert(condition=tf.constant(False), data=data)
        else:
            tf.numpy_function(make_raiser(result, position), operands, [], name="raise")
        return tf.constant(True)

    if failed is True:
        return run()
    return tf.cond(failed, run, lambda: tf.constant(False))
