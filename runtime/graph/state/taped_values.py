"""`Taped` values: what a `GradientTape` gives outside of any trace, computed at once and recorded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_rs.runtime.errors import GradientError
from autograph_rs.runtime.graph.rules import METHODS
from autograph_rs.runtime.graph.taping import session
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.structures import flatten, unflatten

ARITHMETIC = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and", "or", "xor"
)  # fmt: skip
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_DESCRIBING = frozenset(("shape", "dtype", "ndim", "size", "itemsize", "nbytes"))
_PARTS = frozenset(("T", "mT", "real", "imag"))
_METHODS = frozenset((*METHODS, "fill", "sort", "tolist"))


class Taped:
    """A float or complex number or array that takes part in calls which are recorded."""

    __slots__ = ("held", "number", "owner")
    exist = False
    """Whether any was ever made; until then no call looks for them among its arguments."""
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: Any, owner: Any, number: int):
        Taped.exist = True
        for name, value in (("held", held), ("owner", owner), ("number", number)):
            object.__setattr__(self, name, value)

    def numpy(self) -> Any:
        """The number or array itself, of which nothing is recorded."""
        return self.held

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _call(apply_ufunc, ufunc, method, *inputs, **kwargs)

    def __array_function__(self, function: Callable[..., Any], _: Any, args: Any, kwargs: Any) -> Any:
        return _call(function, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.held, name)
        if name in _DESCRIBING:
            return found
        if callable(found) and name in _METHODS:
            return lambda *args, **kwargs: _call(apply_method, self, name, *args, **kwargs)
        if isinstance(found, (np.ndarray, np.generic)) and name in _PARTS:
            return _call(getattr, self, name)
        self._refuse(f"{name!r} of a value is used", "call functions of NumPy, as np.ravel")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        raise GradientError(
            f"{name!r} of a value of a GradientTape is set",
            why="what is recorded of a value is what is written to its items, and what is computed of it",
            remedy="make a new value by a function, such as x.reshape(shape), or write to items, x[...] = y",
        )

    def __getitem__(self, key: Any) -> Any:
        return _call(operator.getitem, self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _call(operator.setitem, self, key, value)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self.held)))

    def __len__(self) -> int:
        return len(self.held)

    def __contains__(self, value: Any) -> bool:
        return untaped(value) in self.held

    def __bool__(self) -> bool:
        return bool(self.held)

    def __format__(self, spec: str) -> str:
        return format(self.held, spec)

    def __repr__(self) -> str:
        return repr(self.held)

    def __str__(self) -> str:
        return str(self.held)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse(
            "a value becomes a plain NumPy array", "stack values by np.stack, and call functions of NumPy"
        )
        return np.array(self.held, dtype=dtype, copy=copy)

    def __float__(self) -> float:
        self._refuse(
            "a value becomes a Python float",
            "call functions of NumPy, such as np.exp in the place of math.exp",
        )
        return float(self.held)

    def __complex__(self) -> complex:
        self._refuse("a value becomes a Python complex", "call functions of NumPy")
        return complex(self.held)

    def __int__(self) -> int:
        return int(self.held)

    def __copy__(self) -> Any:
        return _call(np.copy, self)

    def __deepcopy__(self, _: Any) -> Any:
        return _call(np.copy, self)

    def _refuse(self, what: str, remedy: str) -> None:
        refuse_traced(self)
        if session() is self.owner:
            raise GradientError(
                f"in the block of a GradientTape {what}",
                why="what is computed of that is not recorded, and would count as a constant",
                remedy=f"{remedy}; for the value alone, x.numpy()",
            )


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Taped, *other: Any) -> Any:
        return _call(function, self, *other)

    return method


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Taped, other: Any) -> Any:
        return _call(function, other, self)

    return method


for _name in (*ARITHMETIC, *_COMPARISONS):
    _of_name = getattr(operator, f"__{_name}__")
    setattr(Taped, f"__{_name}__", _operator(_of_name))
    if _name in ARITHMETIC:
        setattr(Taped, f"__r{_name}__", _reflected(_of_name))
        setattr(Taped, f"__i{_name}__", _operator(getattr(operator, f"__i{_name}__")))
Taped.__rdivmod__ = _reflected(divmod)  # type: ignore[attr-defined]
for _of_name in (operator.neg, operator.pos, operator.invert, abs, round, divmod):
    setattr(Taped, f"__{_of_name.__name__}__", _operator(_of_name))
del _name, _of_name


def apply_ufunc(ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return getattr(ufunc, method)(*inputs, **kwargs)


def apply_method(value: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(value, name)(*args, **kwargs)


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A call with taped values: recorded, if their tape still runs."""
    now = session()
    if now is not None:
        return now.call(function, *args, **kwargs)
    for leaf in flatten((args, kwargs))[0]:
        refuse_traced(leaf)
    args, kwargs = all_untaped(args, kwargs)
    return function(*args, **kwargs)


def refuse_traced(value: Any) -> None:
    """Refuse a value in a trace that is made while its tape runs."""
    if type(value) is Taped and value.owner.is_open and is_tracing():
        raise GradientError(
            "a traced function reads a value of a GradientTape that was entered outside of it",
            why="what a function closes over, or finds in objects, is part of its graph as a constant",
            remedy="give the value to the function as an argument",
        )


def untaped(value: Any) -> Any:
    """What a taped value holds; any other value as it is."""
    return value.held if type(value) is Taped else value


def all_untaped(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, where no tape runs, with what taped values hold in their place."""
    if not Taped.exist:
        return args, kwargs
    leaves, spec = flatten((args, kwargs), changeable=True)
    if not any(type(leaf) is Taped for leaf in leaves):
        return args, kwargs
    found: tuple[tuple[Any, ...], dict[str, Any]] = unflatten(spec, list(map(untaped, leaves)))
    return found
