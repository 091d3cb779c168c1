"""Who runs the graphs of a function: NumPy, or another engine."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.errors import ArgumentError, OptionError, told

from .frameworks import imported

ENGINES: dict[str, tuple[tuple[str, ...], str]] = {
    "jax": (("jax",), "autograph_rs.runtime.exports.jax.engine"),
    "onnxruntime": (("onnx", "onnxruntime"), "autograph_rs.runtime.exports.onnx.engine"),
}
"""Of each engine besides "numpy" the frameworks that it needs, and the module whose `engine` makes what runs
a graph, of the graph and its `Inputs`."""


def chosen_engine(name: Any) -> Callable[..., Any] | None:
    """What makes the engine of that name for a graph; None for NumPy.

    Args:
        name: "numpy", "jax" or "onnxruntime".

    Raises:
        ArgumentError: it is no text.
        OptionError: there is no such engine.
        MissingFrameworkError: a framework of it is not installed.

    >>> chosen_engine("numpy") is None
    True
    >>> chosen_engine("abacus")
    Traceback (most recent call last):
        ...
    autograph_rs.OptionError: there is no engine 'abacus'...
    """
    known = ", ".join(map(repr, ("numpy", *ENGINES)))
    why = "an engine runs the graph that a function becomes"
    if not isinstance(name, str):
        raise ArgumentError(f"engine= is a name, not {told(name)}", why=why, remedy=f"use {known}")
    if name == "numpy":
        return None
    if name not in ENGINES:
        raise OptionError(f"there is no engine {name!r}", why=why, remedy=f"use {known}")
    frameworks, module = ENGINES[name]
    for framework in frameworks:
        imported(framework, f"engine={name!r}")
    made: Callable[..., Any] = importlib.import_module(module).engine
    return made
