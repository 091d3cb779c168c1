"""What PyTensor has no public interface for: the age of variables, and operators of tensors.

PyTensor's `==` compares variables by identity, as its own graphs need it, and converted code calls the
operators of the values. A subclass of variables cannot define another one, because PyTensor's types choose
the class of each result. So tensors have other operators while a converted function is traced, and only then.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytensor.tensor as pt
from pytensor.graph.basic import Variable
from pytensor.tensor.basic import _as_tensor_variable
from pytensor.tensor.variable import _tensor_py_operators as operators

if not hasattr(Variable, "__count__"):
    raise ImportError("Variable has no attribute '__count__'", name="pytensor.graph.basic")


def age_of(variable: Variable) -> int:
    """Return a number that is larger for variables that were created later."""
    return int(variable.auto_name.removeprefix("auto_"))


def now() -> int:
    """Return an age that is larger than those of earlier variables and smaller than those of later ones."""
    return age_of(pt.scalar())


def convert_to_tensor(kind: type, tensor_of: Callable[[Any], Any]) -> None:
    """Make PyTensor's functions accept values of a type."""
    _as_tensor_variable.register(kind, lambda value, *args, **kwargs: tensor_of(value))


class OperatorsInTraces:
    """A context manager, of which each trace enters one, in which tensors have other operators.

    They apply in threads where `is_tracing()` is true, except in PyTensor's own code. When the last trace of
    all threads ends, the class of tensors is as before.
    """

    def __init__(self, is_tracing: Callable[[], bool], own: Mapping[str, Callable[..., Any]]):
        self._is_tracing, self._own = is_tracing, own
        self._before: dict[str, Any] = {}
        self._count = 0
        self._lock = threading.RLock()  # reentrant: a finalizer may end a trace while it is held

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._before = {name: vars(operators).get(name) for name in self._own}
                others = {name: getattr(operators, name, None) for name in self._own}
                if others["__ne__"] is object.__ne__:  # which would call the other `__eq__`
                    others["__ne__"] = _opposite(operators.__eq__)
                for name, own in self._own.items():
                    setattr(operators, name, self._operator(own, others[name]))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count:
                return
            for name, before in self._before.items():
                if before is None:
                    delattr(operators, name)
                else:
                    setattr(operators, name, before)

    def _operator(self, own: Callable[..., Any], otherwise: Callable[..., Any] | None) -> Callable[..., Any]:
        def operator(self_: Any, *others: Any) -> Any:
            if otherwise is not None and (not self._is_tracing() or _is_of_pytensor(sys._getframe(1))):
                return otherwise(self_, *others)
            return own(self_, *others)

        return operator


def _opposite(equal: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def unequal(first: Any, second: Any) -> Any:
        result = equal(first, second)
        return result if result is NotImplemented else not result

    return unequal


def _is_of_pytensor(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "pytensor"
