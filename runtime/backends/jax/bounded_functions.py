"""Functions and operators of bounded arrays: those of each item, joining, and Python's builtins."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...values.structures import flatten, unflatten
from .bounded_arrays import (
    BoundedArray,
    buffer_of,
    check_lengths,
    exact,
    joined,
    known_as_arrays,
    padded,
    require,
    resized,
    unsupported,
)
from .bounded_items import get_item
from .bounded_lists import BoundedList
from .bounded_reductions import REDUCTIONS, filled, highest, lowest, matmul
from .builtins import JAX_NAMES

Function = Callable[..., Any]


def call(name: str, own: Function | None, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call the function of a name in NumPy; some arguments are or contain bounded arrays.

    `own` is JAX's function, which is called if all their lengths are known.
    """
    leaves, spec = flatten([list(args), kwargs])
    if name not in JOINING or any(isinstance(leaf, BoundedArray) and leaf.is_known for leaf in leaves):
        leaves = [known_as_arrays(leaf) for leaf in leaves]
    args, kwargs = unflatten(spec, leaves)
    if own is not None and not has_bounded(args, kwargs):
        return own(*args, **kwargs)
    if (
        own is not None
        and name in ELEMENTWISE
        and not {"out", "where"} & kwargs.keys()
        and not has_bounded(kwargs)
    ):
        return elementwise(own, *args, **kwargs)
    implementation = FUNCTIONS.get(name)
    takes_any = name in JOINING or name in ("array_equal", "dot", "matmul", "searchsorted", "vdot")
    is_first = bool(args) and isinstance(args[0], BoundedArray)
    if implementation is None or kwargs.get("out") is not None or not (takes_any or is_first):
        raise unsupported(f"{name}()")
    return implementation(*args, **kwargs)


def handling(function: Any) -> Function | None:
    """Return a function of JAX that takes bounded arrays too, or None for another function."""
    name = getattr(function, "__name__", "")
    if not any(getattr(module, name, None) is function for module in _MODULES):
        return None

    def replacement(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = without_lists((args, kwargs))
        return call(name, function, args, kwargs) if has_bounded(args, kwargs) else function(*args, **kwargs)

    return replacement


_MODULES = jnp, jnp.linalg, jnp.fft, jax.nn, jax.scipy.special


def call_builtin(function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a builtin, or a function of `math` or NumPy."""
    own = BUILTINS.get(function)
    if own is not None:
        args = args if function is len else tuple(map(known_as_arrays, args))
        return own(*args, **kwargs)
    name = JAX_NAMES.get(function.__name__, function.__name__)
    return call(name, getattr(jnp, name, function), args, kwargs)


def without_lists(arguments: Any) -> Any:
    """Return arguments with arrays in place of lists of staged length."""
    leaves, spec = flatten(arguments)
    if not any(isinstance(leaf, BoundedList) for leaf in leaves):
        return arguments
    return unflatten(spec, [leaf.array() if isinstance(leaf, BoundedList) else leaf for leaf in leaves])


def has_bounded(*values: Any) -> bool:
    return any(isinstance(leaf, BoundedArray) for leaf in flatten(values)[0])


def elementwise(function: Function, *args: Any, **kwargs: Any) -> Any:
    """Apply a function to the items of bounded arrays, which have to be equally many, and to other values."""
    args = tuple(jnp.asarray(a) if isinstance(a, (list, tuple)) else a for a in args)
    arrays = [a for a in args if isinstance(a, BoundedArray)]
    ndim = max(np.ndim(buffer_of(a)) for a in args)
    if any(a.ndim < ndim for a in arrays):
        raise unsupported("an operation that repeats the items along another axis")
    others = [
        a for a in args if not isinstance(a, BoundedArray) and np.ndim(a) == ndim and np.shape(a)[0] != 1
    ]
    check_lengths([*arrays, *others])
    bound = min(len(buffer_of(a)) for a in (*arrays, *others))
    operands = [
        resized(jnp.asarray(buffer_of(a)), bound) if any(a is b for b in (*arrays, *others)) else a
        for a in args
    ]
    length = arrays[0].length
    if any(len(other) == bound for other in others):  # the program has checked that there are so many items
        return function(*operands, **kwargs)
    return jax.tree.map(lambda data: padded(data, length, arrays[0].key), function(*operands, **kwargs))


ELEMENTWISE = frozenset(
    (
        *(name for name, f in vars(np).items() if isinstance(f, np.ufunc)),
        "where", "clip", "nan_to_num", "real", "imag", "round", "around", "isclose", "isposinf", "isneginf",
        "sinc", "angle", "astype", "iscomplex", "isreal", "fix", "i0",
        "relu", "relu6", "sigmoid", "softplus", "silu", "swish", "gelu", "elu", "selu", "leaky_relu",
        "log_sigmoid", "erf", "erfc", "erfinv", "expit", "logit", "gammaln", "digamma", "xlogy", "entr",
        "ndtr",
    )
) - {"matmul", "vecdot", "vecmat", "matvec"}  # fmt: skip
"""The names of functions whose results depend on one item of each argument."""


# Joining


def concatenate(arrays: Any, axis: Any = 0, **options: Any) -> Any:
    """Join arrays along their first axis, or bounded arrays of one length along another."""
    arrays = [a if isinstance(a, BoundedArray) else jnp.asarray(a) for a in arrays]
    if options or (axis is None and any(isinstance(a, BoundedArray) and a.ndim > 1 for a in arrays)):
        raise unsupported("this concatenate()")
    if axis is None:
        arrays, axis = [a if isinstance(a, BoundedArray) else jnp.ravel(a) for a in arrays], 0
    if any(a.ndim != arrays[0].ndim or not a.ndim for a in arrays):
        raise ValueError("all the input array dimensions must match exactly, and not be zero")
    if axis % arrays[0].ndim:
        arrays = [*map(known_as_arrays, arrays)]
        return elementwise(lambda *parts: jnp.concatenate(parts, axis), *arrays)
    return functools.reduce(joined, arrays)


def hstack(arrays: Any, **options: Any) -> Any:
    is_flat = all(np.ndim(buffer_of(a)) < 2 for a in arrays)
    return concatenate(
        [a if np.ndim(buffer_of(a)) else jnp.ravel(a) for a in arrays], 0 if is_flat else 1, **options
    )


def append(x: Any, values: Any, axis: Any = None) -> Any:
    values = values if isinstance(values, BoundedArray) else jnp.asarray(values)
    return concatenate([x, values], axis)


def stack(x: BoundedArray, axis: int = 0, **options: Any) -> BoundedArray:
    """Return the rows of an array as an array."""
    if axis or options:
        raise unsupported("this stack()")
    return x


def delete(x: BoundedArray, obj: Any, axis: Any = None) -> Any:
    _check_place(x, obj, axis, "delete")
    place = jnp.where(obj < 0, obj + x.length, obj)
    require((place >= 0) & (place < x.length), lambda: IndexError("index is out of bounds for axis 0"))
    rows = jnp.arange(x.bound)
    data = x.data[jnp.minimum(rows + (rows >= place), x.bound - 1)]
    return padded(data, x.length - 1)


def insert(x: BoundedArray, obj: Any, values: Any, axis: Any = None) -> Any:
    _check_place(x, obj, axis, "insert")
    if np.ndim(buffer_of(values)) != x.ndim - 1:
        raise unsupported("insert() of several items")
    place = jnp.where(obj < 0, obj + x.length, obj)
    require((place >= 0) & (place <= x.length), lambda: IndexError("index is out of bounds for axis 0"))
    dtype = x.dtype
    data, rows = resized(x.data, x.bound + 1), jnp.arange(x.bound + 1)
    moved = data[jnp.maximum(rows - (rows > place), 0)]
    return BoundedArray(moved.at[place].set(jnp.asarray(values).astype(dtype)), x.length + 1)


def _check_place(x: Any, obj: Any, axis: Any, name: str) -> None:
    if (
        not isinstance(x, BoundedArray)
        or np.ndim(buffer_of(obj))
        or (axis is None and x.ndim > 1)
        or axis not in (None, 0)
    ):
        raise unsupported(f"this {name}()")


def _filled_like(value: Any) -> Function:
    def call(x: BoundedArray, *args: Any, dtype: Any = None, **_: Any) -> BoundedArray:
        number = args[0] if value is None else value
        return padded(jnp.full_like(x.data, number, dtype=dtype), x.length, x.key)

    return call


def array_equal(first: Any, second: Any) -> Any:
    first, second = (v if isinstance(v, BoundedArray) else jnp.asarray(v) for v in (first, second))
    first, second = (first, second) if isinstance(first, BoundedArray) else (second, first)
    if first.shape[1:] != second.shape[1:]:
        return False
    length = second.length if isinstance(second, BoundedArray) else second.shape[0]
    bound = min(first.bound, len(buffer_of(second)))
    is_equal = first.data[:bound] == buffer_of(second)[:bound]
    return (first.length == length) & jnp.all(
        is_equal | ~first.mask[:bound].reshape(-1, *[1] * (first.ndim - 1))
    )


def as_array(x: Any, dtype: Any = None, **_: Any) -> BoundedArray:
    if not isinstance(x, BoundedArray):
        raise unsupported("an array of several arrays")
    return x if dtype is None else x.astype(dtype)


JOINING = ("append", "concatenate", "concat", "hstack")
"""The functions whose result may lack items if the first argument does."""
FUNCTIONS: dict[str, Function] = {
    **REDUCTIONS,
    "stack": stack, "append": append, "concatenate": concatenate, "concat": concatenate, "hstack": hstack,
    "delete": delete, "insert": insert, "array_equal": array_equal,
    "zeros_like": _filled_like(0), "ones_like": _filled_like(1), "full_like": _filled_like(None),
    **dict.fromkeys(("array", "asarray", "copy", "asanyarray", "ascontiguousarray", "atleast_1d"), as_array),
    **{name: operator.attrgetter(name) for name in ("shape", "ndim", "size")},
}  # fmt: skip
"""The functions by their names in NumPy. Some of their arguments are or contain bounded arrays."""


# Python's builtins


def _sorted(x: BoundedArray, *, reverse: bool = False) -> BoundedArray:
    ordered = REDUCTIONS["sort"](x)
    return ordered[::-1] if reverse else ordered


def _extreme(name: str, identity: Function, message: str) -> Function:
    def call(x: BoundedArray, *others: Any, **options: Any) -> Any:
        if others or x.ndim != 1 or options.keys() - {"default"}:
            raise unsupported(f"this {name}()")
        if not options:
            require(x.length > 0, lambda: ValueError(message))
        found = REDUCTIONS[name](x, initial=identity(x.dtype))
        return jnp.where(x.length > 0, found, options["default"]) if options else found

    return call


def _total(x: BoundedArray, start: Any = 0) -> Any:
    total = REDUCTIONS["sum"](x, axis=0)
    return total if isinstance(start, int) and start == 0 else start + total


def contains(item: Any, x: BoundedArray) -> Any:
    return jnp.any(filled(elementwise(operator.eq, exact(x), known_as_arrays(item)), value=False))


BUILTINS: dict[Any, Function] = {
    len: BoundedArray.count,
    sum: _total,
    max: _extreme("max", lowest, "max() iterable argument is empty"),
    min: _extreme("min", highest, "min() iterable argument is empty"),
    any: REDUCTIONS["any"],
    all: REDUCTIONS["all"],
    sorted: _sorted,
}


# Operators and methods


def _define_operators() -> None:
    names = "add sub mul truediv floordiv mod pow and or xor lshift rshift"
    for name in names.split():
        function = getattr(operator, f"__{name}__")
        setattr(BoundedArray, f"__{name}__", _operator(function))
        setattr(BoundedArray, f"__r{name}__", _operator(lambda a, b, f=function: f(b, a)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert"):
        setattr(BoundedArray, f"__{name}__", _operator(getattr(operator, name)))
    for name in _METHODS.split():
        setattr(BoundedArray, name, _method(name))
    others: dict[str, Function] = {
        "__getitem__": get_item,
        "__contains__": lambda self, item: bool(contains(item, self)),
        "__matmul__": _product,
        "__rmatmul__": lambda self, other: _product(other, self),
    }
    for name, method in others.items():
        setattr(BoundedArray, name, method)


_METHODS = """sum prod mean var std any all max min ptp argmax argmin cumsum cumprod argsort sort searchsorted
    dot clip round astype copy conj conjugate"""


_OPERANDS = (BoundedArray, jax.Array, np.ndarray, np.generic, int, float, complex, list, tuple)


def _operator(function: Function) -> Function:
    def method(*operands: Any) -> Any:
        if not all(isinstance(operand, _OPERANDS) for operand in operands):
            return NotImplemented
        operands = tuple(map(known_as_arrays, operands))
        return elementwise(function, *operands) if has_bounded(operands) else function(*operands)

    return method


def _product(first: Any, second: Any) -> Any:
    first, second = known_as_arrays(first), known_as_arrays(second)
    return matmul(first, second) if has_bounded(first, second) else first @ second


def _method(name: str) -> Function:
    own = getattr(jnp, name)
    return lambda self, *args, **kwargs: call(name, own, (self, *args), kwargs)


_define_operators()
