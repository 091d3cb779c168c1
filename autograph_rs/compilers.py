"""Converted functions through the compilers of tensor systems."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .api import convert

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
        ValueError: no such backend.
        ImportError: the framework is not installed.

    >>> compiled(abs, "numpy")
    Traceback (most recent call last):
        ...
    ValueError: there is no backend 'numpy': use 'graph', 'jax', ...
    """
    if backend not in COMPILERS:
        known = ", ".join(map(repr, ("graph", *COMPILERS)))
        raise ValueError(f"there is no backend {backend!r}: use {known}")
    path = COMPILERS[backend]
    try:
        framework = importlib.import_module(path[0])
    except ImportError as error:
        raise ImportError(
            f"backend={backend!r} needs {path[0]}: pip install 'autograph_rs[{backend}]'", name=path[0]
        ) from error
    compiler: Any = getattr(framework, path[1])
    return compiler(convert(f), **path[2])
