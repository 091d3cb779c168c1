"""Public functions that use the default transpiler."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, overload

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import check_bool

from ..source.code_objects import AnyFunction
from .opt_out import do_not_convert
from .transpiler import Transpiler

DEFAULT = Transpiler()
_NON_RECURSIVE = Transpiler(recursive=False)

to_code = DEFAULT.to_code


def _transpiler(recursive: bool) -> Transpiler:
    return DEFAULT if check_bool("recursive", recursive) else _NON_RECURSIVE


DEFAULT.reference, _NON_RECURSIVE.reference = (_transpiler, (True,)), (_transpiler, (False,))


def _importable(namespace: ModuleType, name: str) -> ModuleType:
    """Make a namespace importable by name, because pickles of converted functions refer to it."""
    namespace.__name__ = f"{__name__}.{name}"
    sys.modules[namespace.__name__] = namespace
    return namespace


operators = _importable(DEFAULT.namespace, "operators")
non_recursive_operators = _importable(_NON_RECURSIVE.namespace, "non_recursive_operators")


@overload
def convert(f: AnyFunction, *, recursive: bool = True, source: str | None = None) -> AnyFunction: ...


@overload
def convert(
    f: None = None, *, recursive: bool = True, source: str | None = None
) -> Callable[[AnyFunction], AnyFunction]: ...


@api_boundary
def convert(f: Any = None, *, recursive: bool = True, source: str | None = None) -> Any:
    return _transpiler(recursive).convert(f, source=source)


@api_boundary
def to_graph(f: AnyFunction, *, recursive: bool = True, source: str | None = None) -> AnyFunction:
    return _transpiler(recursive).to_graph(f, source=source)


_RECURSIVE = """
        Functions that converted code calls are converted too, unless `recursive` is False.
"""
convert.__doc__ = (Transpiler.convert.__doc__ or "") + _RECURSIVE
to_graph.__doc__ = (Transpiler.to_graph.__doc__ or "") + _RECURSIVE


__all__ = ["DEFAULT", "convert", "do_not_convert", "to_code", "to_graph"]
