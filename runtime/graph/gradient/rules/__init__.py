"""The third table of the graph: how the reverse of each function goes, beside what it does and its type.

`PARTIALS` are for ufuncs, element by element. `RULES` are called with the cotangent of the result, the
result, and the user's own arguments, and return a cotangent for each parameter: None, a staged value, a
function that makes one where it is needed, an `At`, or a list of these for a list of arrays. Of a function
with several results, cotangents come as a dict by place. `DEFINITIONS` say the same as a composition of
functions that have rules. What is in `CONSTANT` is constant wherever it has a derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import (
    calculus,
    elementwise,
    fourier,
    joining,
    linear_algebra,
    numbers,
    products,
    reductions,
    searching,
    shaping,
)

FAMILIES = (calculus, fourier, joining, linear_algebra, numbers, products, reductions, searching, shaping)
PARTIALS = {**elementwise.PARTIALS, **numbers.PARTIALS}
RULES: dict[Any, Any] = {f: rule for family in FAMILIES for f, rule in family.RULES.items()}
DEFINITIONS: dict[Any, Any] = {f: rule for family in FAMILIES for f, rule in family.DEFINITIONS.items()}
REDUCTIONS = reductions.REDUCTIONS
CONSTANT: frozenset[Any] = frozenset((
    *elementwise.STEPS, *numbers.STEPS, np.around, np.round, np.fix, np.zeros_like, np.ones_like,
    np.empty_like, np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.linalg.matrix_rank,
    "floordiv", "round",
))  # fmt: skip
