"""NumPy functions on PyTensor's variables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor.tensor as pt

from ...errors import UnsupportedFunctionError
from ...values.structures import flatten, unflatten
from ..builtins import is_of_numpy
from ..functional.builtins import replacing, ufunc_method
from .operators import is_tensor, negated
from .stacked_lists import StackedList, array_of


def replaced(function: Callable[..., Any]) -> Callable[..., Any] | None:
    owner = getattr(function, "__self__", None)
    if is_tensor(owner) and function.__name__ in _METHODS:
        return functools.partial(_METHODS[function.__name__], owner)
    if not is_of_numpy(function) and not isinstance(owner, np.ufunc):
        return None
    is_staged = lambda leaf: is_tensor(leaf) or isinstance(leaf, StackedList)  # noqa: E731
    return replacing(function, is_staged, lambda *args, **kwargs: call_numpy(function, args, kwargs))


def call_numpy(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call PyTensor's counterpart of a NumPy function, if its result is the same."""
    counterpart = _counterpart(function)
    if counterpart is None:
        raise UnsupportedFunctionError(
            f"numpy.{function.__name__} was called on a PyTensor variable",
            why="PyTensor has no counterpart of this function with the same results",
            remedy="use functions of pytensor.tensor instead",
        )
    leaves, spec = flatten([args, kwargs])
    args, kwargs = unflatten(spec, [_dtype_name(array_of(leaf)) for leaf in leaves])
    try:
        return counterpart(*args, **kwargs)
    except (TypeError, NotImplementedError) as error:
        raise UnsupportedFunctionError(
            f"PyTensor's counterpart of numpy.{function.__name__} does not take these arguments",
            why=str(error),
            remedy="use other arguments, or functions of pytensor.tensor",
        ) from error


def _counterpart(function: Any) -> Callable[..., Any] | None:
    owner = getattr(function, "__self__", None)
    name = function.__name__
    if isinstance(owner, np.ufunc):
        pairwise = _counterpart(owner)
        return _outer(pairwise) if name == "outer" and pairwise is not None else ufunc_method(pt, function)
    if function is getattr(np.linalg, name, None) and function is not getattr(np, name, None):
        return _LINALG.get(name)
    if function is not getattr(np, name, None):
        return None  # such as numpy.emath.sqrt, whose results are others
    if name in _OWN:
        return _OWN[name]
    return getattr(pt, name) if name in _SAME else None


def _outer(pairwise: Callable[..., Any]) -> Callable[..., Any]:
    def outer(first: Any, second: Any) -> Any:
        first, second = stacked(first), stacked(second)
        return pairwise(pt.shape_padright(first, second.ndim), second)

    return outer


def _dtype_name(leaf: Any) -> Any:
    is_dtype = isinstance(leaf, np.dtype) or (isinstance(leaf, type) and issubclass(leaf, np.generic))
    if is_dtype or (isinstance(leaf, type) and leaf in (bool, int, float, complex)):
        return np.dtype(leaf).name
    return leaf


def stacked(value: Any) -> Any:
    """Return a tensor, or a nested list or tuple of tensors and numbers, as one tensor."""
    value = array_of(value)
    if isinstance(value, (list, tuple)):
        return pt.stack([stacked(item) for item in value]) if value else pt.as_tensor(np.zeros(0))
    return value if is_tensor(value) else pt.as_tensor(np.asarray(value))


def _array(value: Any, dtype: Any = None, **_: Any) -> Any:
    made = stacked(value)
    return made if dtype is None else pt.cast(made, dtype)


def _filled(value: float) -> Callable[..., Any]:
    def fill(shape: Any, dtype: Any = "float64", **_: Any) -> Any:
        dims = shape if isinstance(shape, (list, tuple)) or getattr(shape, "ndim", 0) > 0 else [shape]
        return pt.full(dims, np.asarray(value, dtype))

    return fill


def _full(shape: Any, value: Any, dtype: Any = None, **_: Any) -> Any:
    dims = shape if isinstance(shape, (list, tuple)) or getattr(shape, "ndim", 0) > 0 else [shape]
    filled = stacked(value)
    return pt.full(dims, filled if dtype is None else pt.cast(filled, dtype))


def _like(value: float) -> Callable[..., Any]:
    return lambda x, dtype=None: pt.full(x.shape, np.asarray(value, dtype or x.dtype))


def _on_arrays(name: str) -> Callable[..., Any]:
    """Return PyTensor's function of a name, with NumPy's types for the plain numbers that it takes."""
    function = getattr(pt, name)
    return lambda *args, **kwargs: function(*map(_typed, args), **kwargs)


def _typed(value: Any) -> Any:
    return stacked(value) if isinstance(value, (bool, int, float, complex, list)) else value


_SAME = frozenset((
    "transpose", "ravel", "swapaxes", "moveaxis", "expand_dims", "broadcast_to", "reshape",
    "dot", "matmul", "outer", "tensordot", "diag", "trace", "tril", "triu", "concatenate", "stack", "vstack",
    "hstack", "atleast_1d", "atleast_2d", "cumsum", "cumprod", "argmax", "argmin", "sort", "argsort",
    "isnan", "isinf", "invert", "flip", "tile", "diff", "roll", "repeat", "conjugate", "isclose", "allclose",
    "ptp", "diagonal",
))  # fmt: skip
"""Functions that PyTensor has under the same names, with the same parameters and results."""

_ELEMENTWISE = (
    "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
    "arccosh arctanh arctan2 sign abs maximum minimum where "
    "logaddexp deg2rad rad2deg square power"
).split()

_RENAMED = {
    "absolute": "abs", "add": "add", "subtract": "sub", "multiply": "mul", "divide": "true_div",
    "true_divide": "true_div", "floor_divide": "floor_div", "mod": "mod", "remainder": "mod",
    "negative": "neg", "equal": "eq", "not_equal": "neq", "greater": "gt", "greater_equal": "ge",
    "less": "lt", "less_equal": "le", "logical_and": "and_", "logical_or": "or_", "logical_xor": "xor",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "fabs": "abs",
}  # fmt: skip

_REDUCTIONS = {name: name for name in ("sum", "prod", "mean", "max", "min", "any", "all", "std", "var")} | {
    "amax": "max", "amin": "min",
}  # fmt: skip


def _logical(name: str) -> Callable[..., Any]:
    function = getattr(pt, name)
    return lambda *args: function(*[pt.neq(_typed(a), 0) for a in args])


def _reduction(name: str) -> Callable[..., Any]:
    reduce = getattr(pt, name)
    return lambda x, *args, **kwargs: reduce(stacked(x), *args, **kwargs)


def _squeeze(x: Any, axis: Any = None) -> Any:
    if axis is None and None in x.type.shape:
        raise UnsupportedFunctionError(
            "numpy.squeeze was called without an axis on a PyTensor variable of unknown shape",
            why="PyTensor's types have a fixed number of dimensions, and the lengths are not known",
            remedy="name the axis: np.squeeze(x, axis=0)",
        )
    return pt.squeeze(x, axis)


def _reshape(x: Any, *shape: Any, **kwargs: Any) -> Any:
    is_whole = len(shape) == 1 and (isinstance(shape[0], (tuple, list)) or getattr(shape[0], "ndim", 0) > 0)
    return x.reshape(shape[0] if is_whole else shape, **kwargs)


def _round_method(x: Any, decimals: Any = 0) -> Any:
    return x.round(decimals) if isinstance(decimals, str) else _round(x, decimals)  # a mode of PyTensor's


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else pt.maximum(x, low)
    return x if high is None else pt.minimum(x, high)


def _round(x: Any, decimals: int = 0) -> Any:
    if np.dtype(x.dtype).kind in "iu":
        return x
    return pt.round(x) if decimals == 0 else pt.round(x * 10.0**decimals) / 10.0**decimals


def _arange(*args: Any, dtype: Any = None) -> Any:
    return pt.arange(*map(_typed, args), dtype=dtype)


def _whole(round_to: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a rounding function, which leaves integers as they are."""
    return lambda x: x if np.dtype(x.dtype).kind in "iub" else round_to(x)


_OWN: dict[str, Callable[..., Any]] = {
    **{name: _on_arrays(name) for name in _ELEMENTWISE},
    **{name: _whole(getattr(pt, name)) for name in ("floor", "ceil", "trunc")},
    **{name: _on_arrays(other) for name, other in _RENAMED.items()},
    **{name: _logical(_RENAMED[name]) for name in ("logical_and", "logical_or", "logical_xor")},
    **{name: _reduction(other) for name, other in _REDUCTIONS.items()},
    "logical_not": lambda x: negated(pt.neq(_typed(x), 0)),
    "kron": pt.linalg.kron,
    "count_nonzero": lambda x, axis=None, *, keepdims=False: pt.sum(
        pt.neq(stacked(x), 0), axis=axis, keepdims=keepdims
    ),
    "array": _array,
    "asarray": _array,
    "asanyarray": _array,
    "zeros": _filled(0),
    "ones": _filled(1),
    "empty": _filled(0),
    "full": _full,
    "zeros_like": _like(0),
    "ones_like": _like(1),
    "empty_like": _like(0),
    "copy": lambda x: x.copy(),
    "squeeze": _squeeze,
    "eye": lambda n, m=None, k=0, dtype="float64": pt.eye(n, m, k, dtype),
    "einsum": lambda subscripts, *operands: pt.einsum(subscripts, *map(stacked, operands)),
    "arange": _arange,
    "clip": _clip,
    "round": _round,
    "shape": lambda x: x.shape,
    "ndim": lambda x: x.ndim,
    "isfinite": lambda x: negated(pt.or_(pt.isnan(x), pt.isinf(x))),
    **{name: (lambda x, _name=name: pt.cast(x, _name)) for name in (
        "float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8",
        "complex128", "complex64",
    )},
    "bool": lambda x: pt.cast(x, "bool"),
}  # fmt: skip

_LINALG: dict[str, Callable[..., Any]] = {
    **{name: getattr(pt.linalg, name) for name in (
        "det", "inv", "norm", "pinv", "slogdet", "solve", "eigvalsh", "matrix_power",
    )},
    "cholesky": lambda a: pt.linalg.cholesky(a, on_error="raise"),
}  # fmt: skip

_METHODS: dict[str, Callable[..., Any]] = {"reshape": _reshape, "round": _round_method}
"""Methods of tensors that take other arguments than NumPy's."""
