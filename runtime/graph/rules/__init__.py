"""Type inference: the type of NumPy's result, computed from the types of the arguments.

A type rule is called with the user's own arguments, in which a type replaces each staged tensor. It returns
the type of the result, a tuple or list of types where NumPy returns several, or a plain value where types
determine it (`np.ndim(x)`). It raises NumPy's own error for a call that can never succeed. `TYPE_RULES`
contains the rules of functions, `ufunc_type` serves every ufunc, `getitem_type` and `check_setitem` serve
subscripts, and `METHODS` maps each array method to its function.
"""

from .indexing import check_setitem, getitem_type
from .methods import METHODS
from .probing import Rule
from .shapes import as_array, as_type
from .tables import ARRAYS_OF_SCALARS, COMPOSITIONS, TYPE_RULES
from .ufuncs import ufunc_type

__all__ = [
    "ARRAYS_OF_SCALARS",
    "COMPOSITIONS",
    "METHODS",
    "TYPE_RULES",
    "Rule",
    "as_array",
    "as_type",
    "check_setitem",
    "getitem_type",
    "ufunc_type",
]
