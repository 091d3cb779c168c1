"""What some code does, apart from where it stands: what two compilations of one text have in common."""

from __future__ import annotations

import inspect
import types
from typing import Any, TypeAlias

Shape: TypeAlias = tuple[Any, ...]

# Without the flags of `__future__`, which act on the compilation, and the one of `types.coroutine`.
_FLAGS = 0xFFFF & ~inspect.CO_ITERABLE_COROUTINE


def shape(code: types.CodeType) -> Shape:
    return (
        code.co_code,
        code.co_exceptiontable,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_freevars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _FLAGS),
        *map(_constant, code.co_consts),
    )


def _constant(value: Any) -> Any:
    """A constant as Python's compiler tells it from others: 1, 1.0, True and -0.0 are four."""
    match value:
        case types.CodeType():
            return shape(value)
        case tuple():
            return tuple, *map(_constant, value)
        case frozenset():
            return frozenset(map(_constant, value))
        case float() | complex():
            return type(value), repr(value)
    return type(value), value
