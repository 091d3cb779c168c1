"""The functions of `autograph_rs` that are methods of the default transpiler."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import checked_truth

from .by_hand import do_not_convert
from .transpiler import Transpiler

DEFAULT = Transpiler()
_FLAT = Transpiler(recursive=False)

to_code = DEFAULT.to_code


def _which(recursive: bool) -> Transpiler:
    return DEFAULT if checked_truth("recursive", recursive) else _FLAT


DEFAULT.reduced, _FLAT.reduced = (_which, (True,)), (_which, (False,))


def _by_name(namespace: ModuleType, name: str) -> ModuleType:
    """A namespace as a module that can be imported: pickles of converted functions name it."""
    namespace.__name__ = f"{__name__}.{name}"
    sys.modules[namespace.__name__] = namespace
    return namespace


operators, flat_operators = (
    _by_name(DEFAULT.namespace, "operators"),
    _by_name(_FLAT.namespace, "flat_operators"),
)


@public
def convert(f: Any = None, *, recursive: bool = True, source: str | None = None) -> Any:
    if f is None:
        return lambda g: convert(g, recursive=recursive, source=source)
    return _which(recursive).convert(f, source=source)


@public
def to_graph(f: Any, *, recursive: bool = True, source: str | None = None) -> Any:
    return _which(recursive).to_graph(f, source=source)


_RECURSIVE = """
        The functions that converted code calls are converted too, unless `recursive` is False.
"""
convert.__doc__ = (Transpiler.convert.__doc__ or "") + _RECURSIVE
to_graph.__doc__ = (Transpiler.to_graph.__doc__ or "") + _RECURSIVE


__all__ = ["DEFAULT", "convert", "do_not_convert", "to_code", "to_graph"]
