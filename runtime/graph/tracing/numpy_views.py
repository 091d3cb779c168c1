"""Results of NumPy functions that are, or may be, views of an argument.

A result that is certainly a view is recomputed after a write to its base. A result that may be a view cannot
be read after such a write: `reshape` and `ravel`, for example, copy an array that is not C-contiguous.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.alias_analysis import makes_new_memory
from ..ir.graph import Node
from ..ir.types import ArrayType, ScalarType
from . import recording

VIEW_FUNCTIONS = frozenset(
    ("reshape", "ravel", "transpose", "squeeze", "swapaxes", "diagonal", "moveaxis", "rollaxis", "flip",
     "fliplr", "flipud", "rot90", "expand_dims", "real", "imag", "atleast_1d", "atleast_2d",
     "atleast_3d", "broadcast_to", "matrix_transpose", "permute_dims", "sliding_window_view")
)  # fmt: skip
VIEW_METHODS = frozenset(("view", "reshape", "ravel", "transpose", "squeeze", "swapaxes", "diagonal"))
SPLITTING_FUNCTIONS = frozenset(
    ("split", "array_split", "hsplit", "vsplit", "dsplit", "broadcast_arrays", "unstack")
)
_MAY_COPY = frozenset(("reshape", "ravel"))
_CREATING_C_ORDER = frozenset(f"numpy.{name}" for name in ("ndarray.copy", "zeros", "ones", "full", "eye"))


def is_created_c_contiguous(node: Node, writes: int) -> bool:
    """Return whether an array was created C-contiguous. `writes` is the number of in-place writes to it."""
    while node.op in ("setitem", "add_at"):
        node, writes = node.inputs[0], writes - 1
    if writes or not isinstance(node.type, ArrayType):
        return False
    if node.type.ndim == 1:
        return makes_new_memory(node) and node.op not in ("argument", "constant")
    return (
        node.op in _CREATING_C_ORDER and len(node.attrs["args"]) == 1 and "order" not in node.attrs["kwargs"]
    )


def _is_certainly_view(function: Callable, base: Any, result: Any, args: tuple, kwargs: dict) -> bool:
    """Return whether `reshape` or `ravel` certainly returns a view."""
    if "order" in kwargs or any(isinstance(a, str) for a in args):
        return False
    if base.is_c_contiguous():
        return True
    old, new = ([n for n in t.type.shape if n != 1] for t in (base, result))
    return function.__name__ == "reshape" and (base.ndim == 1 or (None not in old and old == new))


def record_view(function: Callable, base: Any, *args: Any, **kwargs: Any) -> Any:
    """Record a call to a NumPy function that returns a view of its first argument."""
    result = recording.call(function, (base, *args), kwargs)
    if not isinstance(getattr(result, "type", None), ArrayType) or not (base.has_views or base.shared):
        return result
    if function.__name__ in _MAY_COPY and not _is_certainly_view(function, base, result, args, kwargs):
        result.set_possible_base(base)
    else:
        result.set_base(base, lambda written: recording.call(function, (written, *args), kwargs), None)
    return result


def record_views(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Record a call that returns possible views: several of one argument, or one of each argument."""
    results = recording.call(function, args, kwargs)
    bases = [a for a in args if getattr(a, "has_views", False)]
    for result, base in zip(results, bases if len(bases) > 1 else bases * len(results), strict=False):
        result.set_possible_base(base)
    return results


def as_array(function: Callable, value: Any, *args: Any, **kwargs: Any) -> Any:
    """Record a call to a NumPy function that returns its argument itself if no conversion is needed."""
    result = recording.call(function, (value, *args), kwargs)
    copies = kwargs.get("copy", function.__name__ in ("array", "astype"))
    if copies or not getattr(value, "has_views", False) or result.type != value.type:
        return result
    if function is np.asarray and "order" not in kwargs and len(args) < 2:
        return value
    result.set_possible_base(value)
    return result


def is_basic(key: Any) -> bool:
    """Return whether indexing with a key is NumPy's basic indexing, which returns a view."""
    parts = key if isinstance(key, tuple) else (key,)
    for part in parts:
        kind = part.type if recording.is_staged(part) else None
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
