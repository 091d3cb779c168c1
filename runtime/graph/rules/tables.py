"""Registries of rules for NumPy's functions, one for each kind of rule.

The families of functions in `autograph_rs.runtime.graph.functions` fill them, so that tracing and
differentiation look up rules without importing any family.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .probing import Rule


def rules_by_name(module: str, make_rule: Callable[..., Rule], names: str) -> dict[str, Callable[..., Rule]]:
    """Return the rows of `SCIPY_RULES` for functions of a module that share `make_rule`."""
    return {f"{module}.{name}": make_rule for name in names.split()}


def scipy_name(function: Any) -> str | None:
    """Return the public name of a function of SciPy, or None."""
    name = getattr(function, "__name__", "")
    public = (m for m in SCIPY_MODULES if getattr(sys.modules.get(m), name, None) is function)
    return next((f"{module}.{name}" for module in public), None)


def scipy_function(name: str) -> Callable[..., Any] | None:
    """Return the function of SciPy with a public name, if it can be staged and its module is imported."""
    module, _, attribute = name.rpartition(".")
    function = getattr(sys.modules.get(module), attribute, None) if module in SCIPY_MODULES else None
    return function if name in SCIPY_RULES or isinstance(function, np.ufunc) else None


def scipy_rule(function: Callable[..., Any]) -> Rule | None:
    """Return the type rule of a function of SciPy, or None."""
    name = scipy_name(function)
    return None if name is None else _rule_of(name, function)


@cache
def _rule_of(name: str, function: Callable[..., Any]) -> Rule | None:
    return SCIPY_RULES[name](function) if name in SCIPY_RULES else None


SCIPY_MODULES = ("scipy.special", "scipy.linalg")

TYPE_RULES: dict[Callable[..., Any], Rule] = {}
"""Type rules: functions that compute the type of a call's result from the types of its arguments."""

COMPOSITIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Functions without a type rule that are traced: each with a function that calls others, which have rules."""

SCIPY_RULES: dict[str, Callable[[Callable[..., Any]], Rule]] = {}
"""For public names of SciPy's functions, functions that return their type rules. SciPy is not imported."""

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
