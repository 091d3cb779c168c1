"""Which results of NumPy are, or may be, views of an argument, and staged values that are.

Where it is certain, the view is made again when its base was written; where it is not, reading it then is
refused. `reshape` and `ravel` copy an array that does not lie in memory row by row, as a transposed one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import record
from .ir import Node
from .sharing import makes
from .types import ArrayType, ScalarType

VIEW_FUNCTIONS = frozenset(
    ("reshape", "ravel", "transpose", "squeeze", "swapaxes", "diagonal", "moveaxis", "rollaxis", "flip",
     "fliplr", "flipud", "rot90", "expand_dims", "real", "imag", "atleast_1d", "atleast_2d",
     "atleast_3d", "broadcast_to", "matrix_transpose", "permute_dims")
)  # fmt: skip
VIEW_METHODS = frozenset(("reshape", "ravel", "transpose", "squeeze", "swapaxes", "diagonal"))
PARTS = frozenset(("split", "array_split", "hsplit", "vsplit", "dsplit", "broadcast_arrays", "unstack"))
_ORDERING = frozenset(("reshape", "ravel"))
_IN_ORDER = frozenset(f"numpy.{name}" for name in ("ndarray.copy", "zeros", "ones", "full", "eye"))


def is_made_in_order(node: Node, writes: int) -> bool:
    """Whether an array certainly lies in memory row by row; `writes` is how often it was written in place."""
    while node.op in ("setitem", "add_at"):
        node, writes = node.inputs[0], writes - 1
    if writes or not isinstance(node.type, ArrayType):
        return False
    if node.type.ndim == 1:
        return makes(node) and node.op not in ("argument", "constant")
    return node.op in _IN_ORDER and len(node.attrs["args"]) == 1 and "order" not in node.attrs["kwargs"]


def _is_certainly_view(function: Callable, base: Any, made: Any, args: tuple, kwargs: dict) -> bool:
    """Whether `reshape` or `ravel` need not copy."""
    if "order" in kwargs or any(isinstance(a, str) for a in args):
        return False
    if base.is_in_order():
        return True
    old, new = ([n for n in t.type.shape if n != 1] for t in (base, made))
    return function.__name__ == "reshape" and (base.ndim == 1 or (None not in old and old == new))


def view(function: Callable, base: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a NumPy function that gives a view of its first argument."""
    made = record.call(function, (base, *args), kwargs)
    if not isinstance(getattr(made, "type", None), ArrayType) or not base.has_views:
        return made
    if function.__name__ in _ORDERING and not _is_certainly_view(function, base, made, args, kwargs):
        made.follow_blindly(base)
    else:
        made.follow(base, lambda again: record.call(function, (again, *args), kwargs), None)
    return made


def parts(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The results of a NumPy function that are, or may be, views of its argument, or of one argument each."""
    made = record.call(function, args, kwargs)
    bases = [a for a in args if getattr(a, "has_views", False)]
    for part, base in zip(made, bases if len(bases) > 1 else bases * len(made), strict=False):
        part.follow_blindly(base)
    return made


def as_array(function: Callable, value: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a NumPy function that may give its argument itself, where that is as it has to be."""
    made = record.call(function, (value, *args), kwargs)
    copies = kwargs.get("copy", function.__name__ in ("array", "astype"))
    if copies or not getattr(value, "has_views", False) or made.type != value.type:
        return made
    if function is np.asarray and "order" not in kwargs and len(args) < 2:
        return value
    made.follow_blindly(value)
    return made


def is_basic(key: Any) -> bool:
    """Whether an index is of the kinds with which NumPy gives a view."""
    parts = key if isinstance(key, tuple) else (key,)
    for part in parts:
        kind = part.type if record.is_staged(part) else None
        if isinstance(kind, ArrayType):
            if kind.shape or kind.dtype.kind not in "iu":
                return False
        elif not (
            part is None
            or part is Ellipsis
            or (isinstance(part, (int, np.integer, slice)) and not isinstance(part, bool))
            or (isinstance(kind, ScalarType) and kind.python is not bool)
        ):
            return False
    return True


def has_ellipsis(key: Any) -> bool:
    """Whether an index makes a view even of one element."""
    return any(part is Ellipsis for part in (key if isinstance(key, tuple) else (key,)))
