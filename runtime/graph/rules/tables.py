"""Registries of what the graph knows about NumPy's functions, one for each kind of rule.

They are empty here. `autograph_rs.runtime.graph.functions` fills them, one family of functions at a
time, so that tracing and differentiation look rules up without importing any family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .probing import Rule

TYPE_RULES: dict[Callable[..., Any], Rule] = {}
"""Type rules: from the types of a call's arguments to the type of its result."""

PARTIALS: dict[Any, Any] = {}
"""Gradients of element-wise functions: for each operand, a function that computes its cotangent."""

GRADIENT_RULES: dict[Any, Any] = {}
"""Gradients of other functions.

A rule is called with the result's cotangent, the result, and the user's own arguments. It returns a
cotangent for each parameter: None, a staged value, a function that computes one on demand, an `At`, or a
list of these for a list of arrays. The cotangents of several results are a dict by position.
"""

DEFINITIONS: dict[Any, Any] = {}
"""Functions defined as compositions of functions that have rules."""

UFUNC_METHOD_GRADIENTS: dict[tuple[str, Any], Any] = {}
"""Gradients of ufunc methods such as `np.add.reduce`, by the name of the method and the ufunc."""

CONSTANT: set[Any] = {
    np.around, np.round, np.fix, np.zeros_like, np.ones_like, np.empty_like, np.zeros, np.ones, np.empty,
    np.eye, np.identity, np.tri, np.linalg.matrix_rank, "floordiv", "round",
}  # fmt: skip
"""Functions and ops that are constant wherever they have a derivative."""

ARRAYS_OF_SCALARS = frozenset(
    (np.array, np.asarray, np.copy, np.full, np.full_like, np.zeros_like, np.ones_like, np.empty_like,
     np.select, np.where)
)  # fmt: skip
"""Functions that return a writable array for a scalar, where others return a NumPy scalar."""
