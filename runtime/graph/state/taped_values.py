"""Values recorded by an eager `GradientTape`: computed immediately, and differentiable later."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import GradientError
from autograph_rs.runtime.graph.rules import METHODS
from autograph_rs.runtime.graph.state.taping import current_session
from autograph_rs.runtime.graph.tracing.tensor import ARITHMETIC
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten, unflatten

_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_METADATA = frozenset(("shape", "dtype", "ndim", "size", "itemsize", "nbytes"))
_VIEWS = frozenset(("T", "mT", "real", "imag"))
_METHODS = frozenset((*METHODS, "fill", "sort", "tolist"))


class TapedValue:
    """A float, complex number or array whose uses are recorded in a session.

    `primal` is its value, and `number` identifies it among the values of its `session`.
    """

    __slots__ = ("number", "primal", "session")
    any_created = False
    """Whether any instance has been created. Until then, calls skip the search for instances."""
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, primal: Any, session: Any, number: int):
        TapedValue.any_created = True
        for name, value in (("primal", primal), ("session", session), ("number", number)):
            object.__setattr__(self, name, value)

    def numpy(self) -> Any:
        """Return the plain number or array. Its uses are not recorded."""
        return self.primal

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _call(apply_ufunc, ufunc, method, *inputs, **kwargs)

    def __array_function__(self, function: Callable[..., Any], _: Any, args: Any, kwargs: Any) -> Any:
        return _call(function, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        attribute = getattr(self.primal, name)
        if name in _METADATA:
            return attribute
        if callable(attribute) and name in _METHODS:
            return lambda *args, **kwargs: _call(apply_method, self, name, *args, **kwargs)
        if isinstance(attribute, (np.ndarray, np.generic)) and name in _VIEWS:
            return _call(getattr, self, name)
        self._raise_if_recording(
            f"reads the attribute {name!r} of a recorded value", "call NumPy functions, such as np.ravel"
        )
        return attribute

    def __setattr__(self, name: str, value: Any) -> None:
        raise GradientError(
            f"the attribute {name!r} of a value recorded by a GradientTape cannot be assigned",
            why="a tape records function calls and assignments to items, but not assignments to attributes",
            remedy="call a method that returns a value, such as x.reshape(shape), or assign items: x[:] = y",
        )

    def __getitem__(self, key: Any) -> Any:
        return _call(operator.getitem, self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _call(operator.setitem, self, key, value)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self.primal)))

    def __contains__(self, value: Any) -> bool:
        return unwrap(value) in self.primal

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._raise_if_recording(
            "converts a recorded value to a plain NumPy array",
            "join values with np.stack",
        )
        return np.array(self.primal, dtype=dtype, copy=copy)

    def __float__(self) -> float:
        self._raise_if_recording(
            "converts a recorded value to a Python float",
            "call NumPy functions, such as np.exp instead of math.exp",
        )
        return float(self.primal)

    def __complex__(self) -> complex:
        self._raise_if_recording("converts a recorded value to a Python complex", "call NumPy functions")
        return complex(self.primal)

    def __copy__(self, _: Any = None) -> Any:
        return _call(np.copy, self)

    __deepcopy__ = __copy__

    def _raise_if_recording(self, what: str, remedy: str) -> None:
        """Raise `GradientError` if the session is active, because it cannot record this use."""
        check_no_leak(self)
        if current_session() is self.session:
            raise GradientError(
                f"the block of a GradientTape {what}",
                why="later computations on the result are not recorded, so gradients treat it as a constant",
                remedy=f"{remedy}; use x.numpy() if you want a constant",
            )


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: TapedValue, *other: Any) -> Any:
        return _call(function, self, *other)

    return method


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: TapedValue, other: Any) -> Any:
        return _call(function, other, self)

    return method


def _primal_method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args: function(self.primal, *args)


for _builtin in (len, bool, int, format, repr, str):
    setattr(TapedValue, f"__{_builtin.__name__}__", _primal_method(_builtin))
for _name in (*ARITHMETIC, *_COMPARISONS):
    _function = getattr(operator, f"__{_name}__")
    setattr(TapedValue, f"__{_name}__", _operator(_function))
    if _name in ARITHMETIC:
        setattr(TapedValue, f"__r{_name}__", _reflected(_function))
        setattr(TapedValue, f"__i{_name}__", _operator(getattr(operator, f"__i{_name}__")))
TapedValue.__rdivmod__ = _reflected(divmod)  # type: ignore[attr-defined]
for _function in (operator.neg, operator.pos, operator.invert, abs, round, divmod):
    setattr(TapedValue, f"__{_function.__name__}__", _operator(_function))
del _name, _function, _builtin


def apply_ufunc(ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return getattr(ufunc, method)(*inputs, **kwargs)


def apply_method(value: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(value, name)(*args, **kwargs)


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function on taped values, and record the call if their session is active."""
    session = current_session()
    if session is not None:
        return session.call(function, *args, **kwargs)
    for leaf in flatten((args, kwargs))[0]:
        check_no_leak(leaf)
    args, kwargs = unwrap_arguments(args, kwargs)
    return function(*args, **kwargs)


def check_no_leak(value: Any) -> None:
    """Raise `GradientError` if a trace reads a taped value while its tape is open."""
    if type(value) is TapedValue and value.session.is_open and is_tracing():
        raise GradientError(
            "a traced function reads a value recorded by a GradientTape entered outside the function",
            why="a graph treats values of closures and objects as constants, which have no gradients",
            remedy="pass the value to the function as an argument",
        )


def unwrap(value: Any) -> Any:
    """Return the primal of a taped value, and any other value unchanged."""
    return value.primal if type(value) is TapedValue else value


def unwrap_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Replace taped values among the arguments of an unrecorded call with their primals."""
    if not TapedValue.any_created:
        return args, kwargs
    leaves, spec = flatten((args, kwargs), mutable_dataclasses=True)
    if not any(type(leaf) is TapedValue for leaf in leaves):
        return args, kwargs
    arguments: tuple[tuple[Any, ...], dict[str, Any]] = unflatten(spec, list(map(unwrap, leaves)))
    return arguments
