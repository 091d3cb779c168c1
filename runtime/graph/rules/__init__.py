"""Type rules: what NumPy returns, told from types alone.

A rule is called with the user's own arguments, in which a type stands for each staged tensor,
and returns the type of the result, a tuple or list of types where NumPy returns several, or a
plain value where types settle it (`np.ndim(x)`). It raises NumPy's own error for a call that can
never work. `NUMPY` has the rules of functions, `ufunc_type` serves every ufunc, `getitem_type`
and `setitem_check` serve subscripts, and `METHODS` names the function behind each array method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import (
    calculus,
    counting,
    creation,
    cutting,
    elementwise,
    fourier,
    joining,
    linear_algebra,
    methods,
    products,
    reductions,
    searching,
    shaping,
    summing,
)
from .creation import ARRAYS_OF_SCALARS
from .indexing import getitem_type, setitem_check
from .methods import METHODS
from .probing import Rule
from .shapes import as_array, as_type
from .ufuncs import ufunc_type

FAMILIES = (
    calculus,
    counting,
    creation,
    cutting,
    elementwise,
    fourier,
    joining,
    linear_algebra,
    methods,
    products,
    reductions,
    searching,
    shaping,
    summing,
)

NUMPY: dict[Callable[..., Any], Rule] = {
    function: rule for module in FAMILIES for function, rule in module.RULES.items()
}

__all__ = [
    "ARRAYS_OF_SCALARS",
    "METHODS",
    "NUMPY",
    "Rule",
    "as_array",
    "as_type",
    "getitem_type",
    "setitem_check",
    "ufunc_type",
]
