"""What a TensorFlow program does through Python while it runs: print, raise, and format text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ...errors import AutographError, StagingError, located
from ...operators import CONVERSIONS
from ...staging.raises import is_own_raise, revived
from ...structures import flatten, unflatten
from ...tracebacks import is_ours
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


def _place_of(error: BaseException) -> str:
    """Where user code raised an error."""
    place, found = error.__traceback__, ""
    while place is not None:
        if not is_ours(place.tb_frame.f_code):
            found = f"raised at {place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
        place = place.tb_next
    return found


def has_operands(error: BaseException) -> bool:
    return any(map(_is_staged, flatten(error.args)[0]))


_LIBRARIES = frozenset(("tensorflow", "keras", "tf_keras", "numpy"))


def is_users(error: BaseException) -> bool:
    """Whether user code raised an error, and no library that says what it cannot stage."""
    if getattr(error, "in_program", False):
        return True
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    module = "" if place is None else place.tb_frame.f_globals.get("__name__", "")
    return is_own_raise(error) and module.partition(".")[0] not in _LIBRARIES


def explained(error: BaseException) -> AutographError | None:
    """An error of ours for one of TensorFlow's that says that a tensor or dataset has no value as yet."""
    told = str(error)
    is_endless = isinstance(error, ValueError) and "tf.data.Iterator.get_next()" in told
    is_early = isinstance(error, tf.errors.OperatorNotAllowedInGraphError) or "symbolic tf.Tensor" in told
    if isinstance(error, AutographError) or not (is_early or is_endless):
        return None
    place = error.__traceback__
    user = place
    while place is not None:
        module = place.tb_frame.f_globals.get("__name__", "")
        if not is_ours(place.tb_frame.f_code) and module.partition(".")[0] not in _LIBRARIES:
            user = place
        place = place.tb_next
    if is_endless:
        message = (
            "a dataset is iterated by Python itself, in a generator or in code that is not converted, which "
            "does not end while a graph is built. Iterate it in a function without 'yield', or use its map"
        )
    elif "terating" in told:
        message = (
            "a staged tensor is unpacked, or iterated by Python itself, in a generator or in code that is "
            "not converted, which TensorFlow does not do in a graph. Unpack tf.unstack(x), or index it"
        )
    else:
        message = (
            "Python needs the value of a staged tensor, which is known only at run time. Convert the "
            "function that needs it, or use a function of TensorFlow that takes a tensor"
        )
    if user is not None:
        message = located(message, user.tb_frame.f_code.co_filename, user.tb_lineno)
    return StagingError(message)


def fail(failed: Any, error: BaseException) -> Any:
    """Raise `error` when the program runs, where `failed` is true; a tensor that is there once it is checked.

    An `Assert` operation does where its text is all that there is to tell, since such a program runs
    without Python too; it would escape some characters, which Python has to raise.
    """
    operands, filled = operands_of(error.args)
    kind, fields, place = type(error), dict(vars(error)), _place_of(error)
    message = "" if operands else f"{kind.__name__}: {error}"

    def run(*given: Any) -> None:
        made = revived(kind, filled(given), fields)
        if place:
            made.add_note(place)
        raise made

    def raising() -> Any:
        if is_xla() or (message and not set(message) & set("'\"\\\n\t\r") and message.isascii()):
            data = [message or f"{kind.__name__}:", *operands]
            tf.raw_ops.Assert(condition=tf.constant(False), data=[*data, *([place] if place else [])])
        else:
            tf.numpy_function(run, operands, [], name="raise")
        return tf.constant(True)

    if failed is True:
        return raising()
    return tf.cond(failed, raising, lambda: tf.constant(False))
