"""Functions of NumPy: those of `jax.numpy` that have the same name, in the dtypes of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ....graph.ir import Node, Slot
from ....graph.record import with_shape
from ....graph.types import ArrayType, ListType, ScalarType
from ...calls import filled
from .. import lists, refused
from ..run import Run
from ..values import Grown, Iterated, Maybe, Said, is_known, of_range
from .checks import CHECKS, check_bounds
from .operators import applied

_NAMES = {
    "asanyarray": "asarray", "asarray_chkfinite": "asarray", "require": "asarray",
    "ascontiguousarray": "asarray", "asfortranarray": "asarray", "fix": "trunc", "row_stack": "vstack",
}  # fmt: skip
_JOINING = frozenset(
    f"numpy.{name}"
    for name in (
        "concatenate stack vstack hstack dstack column_stack row_stack append block dot vdot inner outer "
        "tensordot kron einsum cross convolve correlate array asarray union1d insert"
    ).split()
)
"""What first brings its arrays to the dtype of its result."""
_TOTALS = frozenset(
    f"numpy.{name}"
    for name in "sum prod cumsum cumprod mean trace nansum nanprod nancumsum nancumprod".split()
)
"""What adds up in the dtype of its result."""
_DOUBLING = ("numpy.linalg.", "numpy.fft.", *(
    f"numpy.{name}"
    for name in (
        "sinc polyfit i0 var std nanvar nanstd nanmean average median nanmedian quantile nanquantile "
        "percentile nanpercentile cov corrcoef linspace logspace geomspace interp gradient trapezoid"
    ).split()
))  # fmt: skip
"""What computes with double precision of numbers that are no floats, or with both of two precisions."""
_CLIPPED = ("numpy.choose", "numpy.ndarray.choose", "numpy.ravel_multi_index")
"""What by default looks at its indices, which an operation of XLA cannot; the running program does."""
_OF_REALS = frozenset(
    f"numpy.{name}" for method in ("all", "any", "argmin", "argmax") for name in (method, f"ndarray.{method}")
)
"""What jax.numpy gives other results of complex numbers, or none."""
_MEMORY = frozenset(("casting", "subok", "like", "copy", "kind", "stable", "device"))
"""What options say that is about memory or the way to a result, and not about the result."""
_MAKING = frozenset(
    f"numpy.{name}"
    for name in (
        "array asarray asanyarray ascontiguousarray asarray_chkfinite copy empty empty_like full full_like "
        "ones ones_like zeros zeros_like"
    ).split()
)
"""What makes arrays, whose order is about memory too."""


def called(run: Run, node: Node, values: list[Any]) -> Any:
    """A node that calls a function of NumPy."""
    function = node.attrs["function"]
    values = [_argument(run, v, i.type) for v, i in zip(values, node.inputs, strict=True)]
    special = _SPECIAL.get(node.op)
    if special is not None:
        args, kwargs = filled(node.attrs["args"], values), filled(node.attrs["kwargs"], values)
        return special(run, node, *args, **kwargs)
    if isinstance(function, np.ufunc):
        return _ufunc(run, node, function, values)
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return _method(run, node, function.__self__, function.__name__, values)
    if node.op in _JOINING and isinstance(node.type, ArrayType):
        values = [
            run.number(v, node.type.dtype) if isinstance(v, jax.Array) or np.ndim(v) else v for v in values
        ]
    if node.op.startswith(_DOUBLING) and _is_double(run, node):
        values = [_doubled(run, v) for v in values]
    args, kwargs = filled(node.attrs["args"], values), filled(node.attrs["kwargs"], values)
    kwargs = {k: v for k, v in kwargs.items() if k not in _MEMORY and v is not np._NoValue}
    if node.op in _MAKING or kwargs.get("order") in ("C", "K", "A", None):
        kwargs.pop("order", None)
    if node.op in _OF_REALS and _is_complex(args[0]):
        if node.op.endswith(("min", "max")):
            raise refused.unsupported(node, "jax.numpy has no order of complex numbers")
        args = (args[0] != 0, *args[1:])
    if node.op in CHECKS and run.checked:
        CHECKS[node.op](run, *args, **kwargs)
    if node.op in _CLIPPED:
        kwargs.setdefault("mode", "clip")
    if node.op in _TOTALS and isinstance(node.type, ArrayType):
        kwargs.setdefault("dtype", node.type.dtype)
    made = _named(run, node)(*_without_lists(args), **kwargs)
    if node.op in ("numpy.ascontiguousarray", "numpy.asfortranarray"):
        made = jnp.atleast_1d(made)
    return list(made) if isinstance(made, tuple) else made


def _is_complex(value: Any) -> bool:
    return getattr(value, "dtype", np.dtype(float)).kind == "c"


def _is_double(run: Run, node: Node) -> bool:
    kinds = [node.type, *(output.type for output in run.outputs.get(node, {}).values())]
    return any(isinstance(k, ArrayType) and k.dtype in (np.float64, np.complex128) for k in kinds)


def _doubled(run: Run, value: Any) -> Any:
    if not isinstance(value, (jax.Array, np.ndarray)):
        return value
    return run.number(value, np.dtype(complex if value.dtype.kind == "c" else float))


def _argument(run: Run, value: Any, kind: Any) -> Any:
    if isinstance(kind, ListType) and isinstance(value, (list, Grown)):
        return lists.stacked(run, value, kind)
    if isinstance(value, Iterated):
        raise refused.value_needed(run.node)
    if isinstance(value, (Maybe, Said)):
        raise refused.unsupported(run.node, "it is called on text that is known only when the program runs")
    return value


def _named(run: Run, node: Node) -> Callable[..., Any]:
    """The function of `jax.numpy` for that of a node."""
    first, *path = node.op.split(".")
    found: Any = jnp if first == "numpy" else None
    for name in path:
        found = getattr(found, _NAMES.get(name, name), None)
    if found is None:
        raise refused.unsupported(node, "jax.numpy has no such function")
    named: Callable[..., Any] = found
    return named


def _without_lists(args: tuple[Any, ...]) -> list[Any]:
    """Arguments with NumPy's arrays in the place of lists of numbers, which jax.numpy does not take."""
    return [np.asarray(a) if isinstance(a, list) and a and is_known(a) else a for a in args]


def _kind(node: Node, template: Any) -> Any:
    """The type of an argument as it was recorded."""
    if isinstance(template, Slot):
        return node.inputs[template.index].type
    if type(template) in (bool, int, float, complex):
        return ScalarType(type(template))
    array = np.asarray(template)
    return ArrayType(array.dtype, array.shape)


def _ufunc(run: Run, node: Node, function: np.ufunc, values: list[Any]) -> Any:
    args, kwargs = filled(node.attrs["args"], values), dict(filled(node.attrs["kwargs"], values))
    kinds = [_kind(node, template) for template in node.attrs["args"]]
    dtype = kwargs.pop("dtype", None)
    if kwargs.keys() - _MEMORY - {"order"}:
        raise refused.unsupported(node, f"jax.numpy has it without {', '.join(kwargs)}")
    if dtype is not None:
        kinds = [ArrayType(np.dtype(dtype), ()) for _ in kinds]
    exponent = args[1] if function is np.power else None
    if type(exponent) is int and exponent >= 0 and isinstance(node.type, ArrayType):
        return run.number(args[0], node.type.dtype) ** exponent
    made = applied(run, function, args, kinds)
    return list(made) if isinstance(made, tuple) else made


def _method(run: Run, node: Node, ufunc: np.ufunc, method: str, values: list[Any]) -> Any:
    args, kwargs = filled(node.attrs["args"], values), filled(node.attrs["kwargs"], values)
    assert isinstance(node.type, ArrayType)
    if method == "outer":
        first, second = (np.asarray(a) if is_known(a) else a for a in args[:2])
        shaped = first.reshape(first.shape + (1,) * second.ndim)
        return applied(run, ufunc, (shaped, second), [_kind(node, t) for t in node.attrs["args"][:2]])
    function = getattr(jnp, ufunc.__name__)
    if not isinstance(function, jnp.ufunc):
        function = jnp.frompyfunc(function, nin=2, nout=1, identity=ufunc.identity)
    array, *rest = args
    operands = run.number(array, np.dtype(bool) if ufunc.__name__.startswith("logical") else node.type.dtype)
    kwargs = {k: v for k, v in kwargs.items() if k != "dtype" and v is not np._NoValue}
    return getattr(function, method)(operands, *rest, **kwargs)


# What is no function of `jax.numpy`, or another one


def _astype(run: Run, node: Node, array: Any, dtype: Any, *_: Any, **__: Any) -> Any:
    return run.number(array, np.dtype(dtype))


def _reshape(run: Run, node: Node, array: Any, *shape: Any, **options: Any) -> Any:
    wanted = shape[0] if len(shape) == 1 else shape
    order = options.get("order", "C")
    return jnp.reshape(jnp.asarray(array), wanted, order=order)


def _transpose(run: Run, node: Node, array: Any, *axes: Any) -> Any:
    wanted = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
    return jnp.transpose(jnp.asarray(array), wanted)


def _arange(run: Run, node: Node, *args: Any, **kwargs: Any) -> Any:
    """The numbers of a range; what a loop takes where their number depends on values."""
    assert isinstance(node.type, ArrayType)
    if is_known(list(args)):
        return jnp.arange(*args, dtype=node.type.dtype)
    if node.type.dtype.kind != "i" or kwargs:
        raise refused.value_needed(node)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return of_range(start, stop, step)


def _item(run: Run, node: Node, array: Any, *index: Any) -> Any:
    if not index:
        return jnp.reshape(array, ())
    if len(index) == 1 and not isinstance(index[0], tuple):
        return jnp.reshape(array, -1)[index[0]]
    return jnp.asarray(array)[index[0] if len(index) == 1 else index]


def _clip(run: Run, node: Node, array: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *,
          min: Any = None, max: Any = None) -> Any:  # fmt: skip
    assert isinstance(node.type, ArrayType)
    given = (a_min if min is None else min, a_max if max is None else max)
    limits = [None if v is None or v is np._NoValue else run.number(v, node.type.dtype) for v in given]
    return jnp.clip(run.number(array, node.type.dtype), *limits)


def _where(run: Run, node: Node, condition: Any, *sides: Any) -> Any:
    if not isinstance(node.type, ArrayType) or len(sides) != 2:
        raise refused.value_needed(node)
    test = jnp.asarray(condition)
    return jnp.where(test != 0, *[run.number(s, node.type.dtype) for s in sides])


def _sum_to(run: Run, node: Node, array: Any, shape: tuple[int, ...]) -> Any:
    given = jnp.shape(array)
    extra = len(given) - len(shape)
    repeated = [extra + i for i, n in enumerate(shape) if n == 1 != given[extra + i]]
    total = jnp.sum(array, (*range(extra), *repeated), keepdims=True)
    return jnp.broadcast_to(total.reshape(total.shape[extra:]), shape)


def _with_shape(run: Run, node: Node, array: Any, shape: tuple[int, ...], what: str) -> Any:
    with_shape(array, shape, what)
    return array


def _take(run: Run, node: Node, array: Any, indices: Any, axis: Any = None, out: Any = None,
          mode: str = "raise") -> Any:  # fmt: skip
    array = jnp.atleast_1d(array)
    if axis is None:
        array, axis = jnp.ravel(array), 0
    if mode != "raise":
        return jnp.take(array, indices, axis, mode=mode)
    key = (*[slice(None)] * (axis % array.ndim), jnp.asarray(indices))
    check_bounds(run, key, array.shape)
    return array[key]


def _trapezoid(run: Run, node: Node, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if any(getattr(v, "dtype", np.dtype(float)).kind == "b" for v in (y, x)):
        raise refused.unsupported(node, "NumPy adds truth values by `or`")
    return jnp.trapezoid(*(v if v is None else _doubled(run, v) for v in (y, x)), dx, axis)


def _least_squares(run: Run, node: Node, a: Any, b: Any, rcond: Any = None) -> list[Any]:
    """NumPy gives no residuals where the equations do not decide all unknowns, or no more than these."""
    solution, residuals, rank, values = jnp.linalg.lstsq(_doubled(run, a), _doubled(run, b), rcond)
    rows, unknowns = a.shape
    if rows <= unknowns:
        residuals = residuals[:0]
    else:
        run.fail(rank < unknowns, lambda: refused.unsupported(node, "the matrix has not full rank"))
    return [solution, residuals, rank, values]


_SPECIAL: dict[str, Callable[..., Any]] = {
    "numpy.trapezoid": _trapezoid,
    "numpy.linalg.lstsq": _least_squares,
    "numpy.ndarray.copy": lambda run, node, array, *_, **__: jnp.asarray(array),
    "numpy.copy": lambda run, node, array, *_, **__: jnp.asarray(array),
    "numpy.ndarray.astype": _astype,
    "numpy.ndarray.reshape": _reshape,
    "numpy.ndarray.transpose": _transpose,
    "numpy.ndarray.flatten": lambda run, node, array, order="C": jnp.ravel(array, order),
    "numpy.ndarray.clip": _clip,
    "numpy.clip": _clip,
    "numpy.ndarray.compress": lambda run, node, array, condition, axis=None: jnp.compress(
        condition, array, axis
    ),
    "numpy.ndarray.item": _item,
    "numpy.take": _take,
    "numpy.arange": _arange,
    "numpy.where": _where,
    "sum_to": _sum_to,
    "with_shape": _with_shape,
}
