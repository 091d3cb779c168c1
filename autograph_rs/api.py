"""The functions of `autograph_rs` that are methods of the default transpiler."""

from __future__ import annotations

from typing import Any

from .by_hand import do_not_convert
from .transpiler import Transpiler

DEFAULT = Transpiler()
_FLAT = Transpiler(recursive=False)

to_code = DEFAULT.to_code


def _which(recursive: bool) -> Transpiler:
    return DEFAULT if recursive else _FLAT


def convert(f: Any = None, *, recursive: bool = True, source: str | None = None) -> Any:
    if f is None:
        return lambda g: convert(g, recursive=recursive, source=source)
    return _which(recursive).convert(f, source=source)


def to_graph(f: Any, *, recursive: bool = True, source: str | None = None) -> Any:
    return _which(recursive).to_graph(f, source=source)


_RECURSIVE = """
        The functions that converted code calls are converted too, unless `recursive` is False.
"""
convert.__doc__ = (Transpiler.convert.__doc__ or "") + _RECURSIVE
to_graph.__doc__ = (Transpiler.to_graph.__doc__ or "") + _RECURSIVE


def set_loop_options(**options: Any) -> None:
    """Options of the loop in whose body this stands; the converter takes the call out of the body.

    Args:
        **options: `maximum_iterations` bounds a staged loop; others go to the backend as they are.

    On plain values, and in a function that is not converted, it does nothing.

    >>> import autograph_rs as ag
    >>> def f(n):
    ...     while n > 0:
    ...         ag.set_loop_options(maximum_iterations=3)
    ...         n -= 1
    ...     return n
    >>> f(5)
    0
    """


__all__ = ["DEFAULT", "convert", "do_not_convert", "set_loop_options", "to_code", "to_graph"]
