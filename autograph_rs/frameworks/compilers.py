"""Framework compilers for converted functions, and execution engines for graphs."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.errors import ArgumentError, OptionError, describe, import_framework
from autograph_rs.runtime.graph import native

COMPILERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "jax": ("jax", "jit", {}),
    "tensorflow": ("tensorflow", "function", {"autograph": False}),
    "torch": ("torch", "compile", {}),
}
"""The compiler of each framework: its module, its name there, and its options for converted code."""
_ENGINES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "auto": ((), "autograph_rs.runtime.graph.native.engine", "auto_engine"),
    "native": (("llvmlite",), "autograph_rs.runtime.graph.native.engine", "native_engine"),
    "onnxruntime": (("onnx", "onnxruntime"), "autograph_rs.runtime.export.onnx.engine", "engine"),
}
"""The packages that each engine requires, and the module and name of the function that returns a runner."""


def compile_for(f: Callable[..., Any], backend: str) -> Any:
    """Compile a converted function with a framework."""
    if backend not in COMPILERS:
        known = ", ".join(map(repr, ("graph", *COMPILERS)))
        raise OptionError(
            f"unknown backend {backend!r}",
            why="a function is traced into the embedded graph or compiled by a supported framework",
            remedy=f"use one of {known}",
        )
    module, name, options = COMPILERS[backend]
    compiler: Any = getattr(import_framework(module, f"backend={backend!r}"), name)
    return compiler(f, **options)


def engine_factory(name: Any, *, fast: bool = False, parallel: bool = False) -> Callable[..., Any] | None:
    """Return the factory of the engine with this name, or None for NumPy."""
    *others, last = map(repr, ("numpy", *_ENGINES))
    remedy = f"use {', '.join(others)} or {last}"
    why = "it names the library that runs the graphs of a traced function"
    if not isinstance(name, str):
        raise ArgumentError(f"engine must be a str, not {describe(name)}", why=why, remedy=remedy)
    if name in ("numpy", "onnxruntime") and (fast or parallel):
        raise OptionError(
            f"{'fast' if fast else 'parallel'}=True was passed with engine={name!r}",
            why="it is an option of machine code",
            remedy="use engine='auto' or 'native'",
        )
    if name == "numpy" or (name == "auto" and not native.is_available()):
        return None
    if name not in _ENGINES:
        raise OptionError(f"unknown engine {name!r}", why=why, remedy=remedy)
    packages, module, factory = _ENGINES[name]
    for package in packages:
        import_framework(package, f"engine={name!r}")
    create: Callable[..., Any] = getattr(importlib.import_module(module), factory)
    return functools.partial(create, fast=fast, parallel=parallel) if fast or parallel else create
