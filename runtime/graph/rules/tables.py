"""Registries of rules for NumPy's functions, one for each kind of rule.

The families of functions in `autograph_rs.runtime.graph.functions` fill them, so that tracing and
differentiation look up rules without importing any family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .probing import Rule

TYPE_RULES: dict[Callable[..., Any], Rule] = {}
"""Type rules: functions that compute the type of a call's result from the types of its arguments."""

PARTIALS: dict[Any, Any] = {}
"""Gradients of element-wise functions: for each operand, a function that computes its cotangent."""

GRADIENT_RULES: dict[Any, Any] = {}
"""Gradients of other functions.

A rule is called with the result's cotangent, the result, and the user's own arguments. It returns a
cotangent for each parameter: None, a staged value, a function that computes one on demand, a `CotangentAt`,
or a list of these for a list of arrays. Cotangents of several results are passed as a dict by index.
"""

DEFINITIONS: dict[Any, Any] = {}
"""Functions defined as compositions of functions that have rules."""

UFUNC_METHOD_GRADIENTS: dict[tuple[str, Any], Any] = {}
"""Gradients of ufunc methods such as `np.add.reduce`, by the name of the method and the ufunc."""

CONSTANT: set[Any] = {
    np.around, np.round, np.fix, np.zeros_like, np.ones_like, np.empty_like, np.zeros, np.ones, np.empty,
    np.eye, np.identity, np.tri, np.linalg.matrix_rank, "floordiv", "round",
}  # fmt: skip
"""Functions and ops whose derivative is zero wherever it exists."""

ARRAYS_OF_SCALARS = frozenset(
    (np.array, np.asarray, np.copy, np.full, np.full_like, np.zeros_like, np.ones_like, np.empty_like,
     np.select, np.where)
)  # fmt: skip
"""Functions that return a writable array for a scalar, where others return a NumPy scalar."""
