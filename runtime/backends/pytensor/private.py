"""What PyTensor has no public interface for: the age of variables, and `==` that compares values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytensor.tensor as pt
from pytensor.graph.basic import Variable
from pytensor.tensor.basic import _as_tensor_variable
from pytensor.tensor.variable import _tensor_py_operators as operators

from .items import equal, is_number, negated

if not hasattr(Variable, "__count__"):
    raise ImportError("Variable has no attribute '__count__'", name="pytensor.graph.basic")


def age_of(variable: Variable) -> int:
    """Return a number that is larger for variables that were created later."""
    return int(variable.auto_name.removeprefix("auto_"))


def now() -> int:
    """Return an age that is larger than those of earlier variables and smaller than those of later ones."""
    return age_of(pt.scalar())


def compare_by_value(is_tracing: Callable[[], bool]) -> None:
    """Make `==` and `!=` of tensors compare values while a converted function is traced.

    PyTensor compares variables by identity, as its own graphs need it. That stays so for its own code, and
    for all code outside of converted functions.
    """

    def compared(name: str, by_value: Callable[[Any, Any], Any]) -> None:
        by_identity = getattr(operators, name)

        def compare(self: Any, other: Any) -> Any:
            caller = sys._getframe(1)
            if _is_of_pytensor(caller.f_globals) or not (is_tracing() or _is_converted(caller)):
                return by_identity(self, other)
            return by_value(self, other) if is_number(other) else NotImplemented

        setattr(operators, name, compare)

    compared("__eq__", equal)
    compared("__ne__", lambda first, second: negated(equal(first, second)))


def convert_to_tensor(kind: type, tensor_of: Callable[[Any], Any]) -> None:
    """Make PyTensor's functions accept values of a type."""
    _as_tensor_variable.register(kind, lambda value, *args, **kwargs: tensor_of(value))


def _is_converted(frame: FrameType | None) -> bool:
    """Return whether a frame, or one that has called it, is one of a converted function."""
    while frame is not None:
        if "ag__" in frame.f_code.co_freevars:
            return True
        frame = frame.f_back
    return False


def _is_of_pytensor(namespace: dict[str, Any]) -> bool:
    return str(namespace.get("__name__")).partition(".")[0] == "pytensor"
