"""Builtins, functions of `math` and f-strings that get symbolic values."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.containers.ordering import by_key
from autograph_rs.runtime.core.rolling_attempts import is_rolling, refuse_rolling
from autograph_rs.runtime.errors import UnsupportedFunctionError, ValueNeededError, describe

from .conditions import result_of
from .loops import Loops
from .values import EFFECTS, Field, UnknownText


class Builtins(Loops):
    """The part of the backend of expressions that calls builtins."""

    def call_builtin(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        args = tuple(map(self.bound if function is bool else self.value_of, args))
        own = self.operators.builtins.get(function)
        if own is not None:
            return own(*args, **kwargs)
        has_symbols = any(map(self.is_staged, (*args, *kwargs.values())))
        if function is enumerate and has_symbols and args and not self.is_staged(args[0]):
            start = (*args[1:], *kwargs.values())[0]
            return zip((start + i for i in itertools.count()), args[0], strict=False)
        if function in _SEQUENCES and has_symbols:
            if not self.run.has_loops:
                self.refuse_iteration(f"{function.__name__}() gets a symbolic value")
            return self.iterable(function, args, kwargs)
        if len(args) == 1 or function not in (min, max):
            for values in args[_ITERATED.get(function, slice(0))]:
                self._check_iterable(function, values)
        if function in (min, max) and self._holds_sequences(args):
            backend: Any = self
            return by_key(backend, function, *args, **{"key": lambda value: value, **kwargs})
        if function in _DEFAULTS:
            return getattr(self.operators, _DEFAULTS[function])(*args, **kwargs)
        if function is print:
            self._print(args, kwargs)
            return None
        if function in (str, repr):
            return self.text(format(Field(self.run, args[0], function.__name__[0])))
        if function is isinstance:
            return self._is_instance(*args)
        if function is type:
            self._refuse_class(function)
        if function in _COMPUTING and has_symbols:
            self._refuse_call(function, "with a symbolic value", "add one to the 'builtins' of the operators")
        return function(*args, **kwargs)

    def _holds_sequences(self, args: tuple[Any, ...]) -> bool:
        """Return whether the values to be compared are tuples or lists, which Python compares by items."""
        values = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        return any(isinstance(value, (list, tuple)) for value in values)

    def _refuse_call(self, function: Callable[..., Any], where: str, remedy: str) -> None:
        raise UnsupportedFunctionError(
            f"{describe(function)} is called {where}",
            why=f"{self.framework} has no operation for it",
            remedy=remedy,
        )

    def _check_iterable(self, function: Callable[..., Any], values: Any) -> None:
        """Raise if Python cannot iterate over a value; with `__getitem__` alone, it might never end."""
        if not self.is_staged(values):
            return
        try:
            type(values).__iter__(values)
        except Exception as error:
            name = function.__name__
            is_loop = function in (sum, any, all) and self.run.has_loops
            raise ValueNeededError(
                f"{name}() iterates over a symbolic value",
                why="its items are not known",
                remedy=f"write {name}(item for item in values)"
                if is_loop
                else "use a 'for' loop over a range",
            ) from error

    def _print(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for arg in args:
            if isinstance(arg, UnknownText):
                arg.refuse()
        if self.run.has_effects:
            self.run.token = result_of(self.operators, "print", self.run.token, *args, **kwargs)
        elif self.in_branch():
            remedy = "print the result of the function"
            if self.run.has_loops:
                remedy += f", or define {EFFECTS} in {self.framework}"
            self._refuse_call(print, "under a symbolic condition", remedy)
        else:
            print(*args, **kwargs)

    def _is_instance(self, value: Any, classes: Any) -> bool:
        """Return whether a symbolic value is an instance of the system's classes, if these are asked for."""
        parts = classes if isinstance(classes, tuple) else (classes,)
        own = tuple(c for c in parts if isinstance(c, type) and issubclass(c, self.operators.kinds))
        is_own = isinstance(value, own)
        if not is_own and (len(own) < len(parts) or not self.operators.owns(value)):
            self._refuse_class(isinstance)
        return is_own

    def _refuse_class(self, function: Callable[..., Any]) -> None:
        raise ValueNeededError(
            f"{function.__name__}() asks for the class of a symbolic value",
            why="the class of the values that the expression has is not known",
            remedy="convert a function for each class of values",
        )

    def fmt(self, value: Any, conversion: str) -> Any:
        if is_rolling():
            refuse_rolling()  # the text of a plain counter is known
        return Field(self.run, self.value_of(value), conversion)

    def text(self, text: str) -> Any:
        parts: list[Any] = re.split("\0(\\d+)\0", text)
        if len(parts) == 1:
            return text
        parts[1::2] = [self.run.fields[int(place)] for place in parts[1::2]]
        return self.operators.text([part for part in parts if part != ""])


_DEFAULTS: dict[Any, str] = {
    min: "minimum", max: "maximum", any: "any", all: "all", sum: "sum", sorted: "sorted", bool: "bool"
}  # fmt: skip
"""The builtins that `ExpressionOperators` has methods for."""
_SEQUENCES = (range, enumerate, zip, reversed)
_ITERATED: dict[Any, slice] = {
    **dict.fromkeys((sum, any, all, sorted, list, tuple, min, max), slice(1)),
    **dict.fromkeys((map, filter), slice(1, None)),
}
"""The builtins that iterate over arguments, and over which."""
_COMPUTING = {int, float, complex, len, *(f for f in vars(math).values() if callable(f))}
