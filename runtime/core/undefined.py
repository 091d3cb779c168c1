"""The placeholder for variables without a value, and the errors of using it or None.

Plain converted code leaves such a variable unbound, as Python does. The state of a staged statement needs
a value for each variable, so an unbound one has an `Undefined` as its value. Reading it raises the error that
Python would raise.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NoReturn

RETURN_VALUE = "ag__return_value"
"""The variable that stores what a function returns; a number may follow. Users cannot use the name."""
_RETURN_VARIABLE = re.compile(rf"{RETURN_VALUE}(_\d+)?$")


def is_return_variable(name: str) -> bool:
    """Return whether the converters added a variable to store the function's return value."""
    return _RETURN_VARIABLE.match(name) is not None


class Undefined:
    """The placeholder for the missing value of the variable or attribute `symbol_name`, which it prints as.

    Operators find it in the state of a statement. Any other use raises what Python raises for the variable.

    >>> Undefined("x"), Undefined("x").is_generated
    (x, False)
    """

    __slots__ = ("error", "symbol_name")

    def __init__(self, symbol_name: str, error: str = ""):
        self.symbol_name = symbol_name
        self.error = error or symbol_name  # the argument of `unbound_error`

    @property
    def is_generated(self) -> bool:
        """Whether the variable is not the user's, but stores what the function returns."""
        return is_return_variable(self.symbol_name)

    def __repr__(self) -> str:
        return self.symbol_name

    def read(self, *_: object, **__: object) -> NoReturn:
        raise unbound_error(self.error)

    __bool__ = __iter__ = __call__ = __getitem__ = __setitem__ = __len__ = __contains__ = read
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = read
    __floordiv__ = __mod__ = __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = read
    __array__ = __float__ = __int__ = __index__ = read

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise unbound_error(self.error)


def unbound_error(error: str) -> AttributeError | NameError:
    """Return the error that Python raises; `error` is the name of an unbound local, or the error's text."""
    if error.isidentifier():
        return unbound_local_error(error)
    return NameError(error) if error.startswith("name ") else AttributeError(error)


def unbound_local_error(name: str) -> UnboundLocalError:
    error = UnboundLocalError(
        f"cannot access local variable '{name}' where it is not associated with a value"
    )
    error.name = name
    return error


def _unpack(value: None) -> NoReturn:
    raise TypeError("cannot unpack non-iterable NoneType object")


def _set_attribute(value: None, name: str) -> None:
    setattr(value, name, None)


def _rdivmod(value: None, other: Any) -> Any:
    return divmod(other, value)


_IN_PLACE = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor"
_OPERATORS = "getitem setitem delitem contains lt le gt ge add mul"
NONE_USES: dict[str, Callable[..., Any]] = {
    "getattr": getattr,
    "setattr": _set_attribute,
    "iter": iter,
    "len": len,
    "float": float,
    "round": round,
    "divmod": divmod,
    "rdivmod": _rdivmod,
    "unpack": _unpack,
    **{name: getattr(operator, name) for name in _OPERATORS.split()},
    **{f"i{name}": getattr(operator, f"i{name}") for name in _IN_PLACE.split()},
}
"""Uses of a value that may be None for which Python has an error of its own."""


def use_none(use: str, *args: Any) -> None:
    """Raise the error of using None.

    >>> use_none("getattr", "sum")
    Traceback (most recent call last):
    AttributeError: 'NoneType' object has no attribute 'sum'
    """
    NONE_USES[use](None, *args)
