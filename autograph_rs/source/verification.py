"""Fingerprint code objects, to compare compilations of the same text."""

from __future__ import annotations

import ast
import inspect
import sys
import types
import warnings
from importlib.machinery import SourceFileLoader
from typing import Any

# All flags except those of `__future__`, which affect only compilation, and that of `types.coroutine`.
_FLAGS = 0xFFFF & ~inspect.CO_ITERABLE_COROUTINE


def code_fingerprint(code: types.CodeType) -> tuple[Any, ...]:
    """Return a key that identifies what a code object does, independently of its position."""
    return (
        code.co_code,
        code.co_exceptiontable,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_freevars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _FLAGS),
        *map(_constant_fingerprint, code.co_consts),
    )


def _constant_fingerprint(value: Any) -> Any:
    """Distinguish constants as Python's compiler does: 1, 1.0, True and -0.0 all differ."""
    match value:
        case types.CodeType():
            return code_fingerprint(value)
        case tuple():
            return tuple, *map(_constant_fingerprint, value)
        case frozenset():
            return frozenset(map(_constant_fingerprint, value))
        case float() | complex():
            return type(value), repr(value)
    return type(value), value


def compile_as_imported(text: str, function: types.FunctionType) -> types.CodeType | None:
    """Compile `text` with the import hook that loaded the function's module, if any."""
    filename, names = function.__code__.co_filename, function.__globals__
    loader: Any = getattr(names.get("__spec__"), "loader", None)
    try:
        with warnings.catch_warnings(action="ignore"):
            if "@pytest_ar" in names:
                tree = ast.parse(text, filename)
                sys.modules["_pytest.assertion.rewrite"].rewrite_asserts(tree, text.encode())
                return compile(tree, filename, "exec", dont_inherit=True)
            if isinstance(loader, SourceFileLoader) and type(loader) is not SourceFileLoader:
                return loader.source_to_code(loader.get_data(filename), filename)
    except Exception:  # noqa: BLE001 - a third-party hook may raise anything
        return None
    return None
