"""Variables that have no value.

Plain converted code leaves such a variable unbound, as Python does. Where a staged statement has to
name it among its state, `Undefined` stands for it; reading it is the error that Python raises.
"""

from __future__ import annotations

import re
from typing import NoReturn

_RESULT = re.compile(r"return_value(_\d+)?$")


def is_result(name: str) -> bool:
    """Whether a variable is the one that the converter keeps a function's result in."""
    return _RESULT.match(name) is not None


class Undefined:
    """Stands for the missing value of `symbol_name`.

    >>> Undefined("x")
    <undefined 'x'>
    """

    __slots__ = ("error", "symbol_name")

    def __init__(self, symbol_name: str, error: str = ""):
        self.symbol_name = symbol_name
        self.error = error or symbol_name  # what to tell `missing`

    def __repr__(self) -> str:
        return f"<undefined {self.symbol_name!r}>"

    def read(self, *_: object, **__: object) -> NoReturn:
        raise missing(self.error)

    __bool__ = __iter__ = __call__ = __getitem__ = __setitem__ = __len__ = __contains__ = read
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = read
    __floordiv__ = __mod__ = __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = read
    __array__ = __float__ = __int__ = __index__ = read

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing(self.error)


def missing(error: str) -> AttributeError | NameError:
    """The error for the name of a variable; for an attribute or a global, that with the given message."""
    if error.isidentifier():
        return unbound_local(error)
    return NameError(error) if error.startswith("name ") else AttributeError(error)


def unbound_local(name: str) -> UnboundLocalError:
    message = f"cannot access local variable '{name}' where it is not associated with a value"
    error = UnboundLocalError(message)
    error.name = name
    return error
