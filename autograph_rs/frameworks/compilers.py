"""Converted functions through the compilers of tensor systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.errors import OptionError

from .api import convert
from .frameworks import imported

COMPILERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "jax": ("jax", "jit", {}),
    "tensorflow": ("tensorflow", "function", {"autograph": False}),
    "torch": ("torch", "compile", {}),
}
"""The compiler of each framework: its module, its name there, its options for converted code."""


def compiled(f: Callable[..., Any], backend: str) -> Any:
    """`f`, converted and given to the compiler of a framework.

    Args:
        f: what `convert` takes.
        backend: "jax" (`jax.jit`), "tensorflow" (`tf.function`) or "torch" (`torch.compile`).

    Raises:
        OptionError: no such backend.
        MissingFrameworkError: the framework is not installed.

    >>> compiled(abs, "numpy")
    Traceback (most recent call last):
        ...
    autograph_rs.OptionError: there is no backend 'numpy'...
    """
    if backend not in COMPILERS:
        known = ", ".join(map(repr, ("graph", *COMPILERS)))
        raise OptionError(
            f"there is no backend {backend!r}",
            why="a function is compiled by the embedded graph or by a framework that is known",
            remedy=f"use {known}",
        )
    path = COMPILERS[backend]
    compiler: Any = getattr(imported(path[0], f"backend={backend!r}"), path[1])
    return compiler(convert(f), **path[2])
