"""Compile converted functions with the compilers of frameworks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.errors import OptionError

from ..transpiler.default import convert
from . import import_framework

COMPILERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "jax": ("jax", "jit", {}),
    "tensorflow": ("tensorflow", "function", {"autograph": False}),
    "torch": ("torch", "compile", {}),
}
"""The compiler of each framework: its module, its name there, and its options for converted code."""


def compile_for(f: Callable[..., Any], backend: str) -> Any:
    """Convert `f`, and compile it with a framework."""
    if backend not in COMPILERS:
        known = ", ".join(map(repr, ("graph", *COMPILERS)))
        raise OptionError(
            f"there is no backend {backend!r}",
            why="a function is compiled by the embedded graph or by a supported framework",
            remedy=f"use {known}",
        )
    module, name, options = COMPILERS[backend]
    compiler: Any = getattr(import_framework(module, f"backend={backend!r}"), name)
    return compiler(convert(f), **options)
