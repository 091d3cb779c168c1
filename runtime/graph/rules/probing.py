"""Type rules derived by probing: NumPy supplies the dtypes, a formula the shapes.

A *dummy* is the smallest plain value of a type. It has one element, or none if an axis is empty, so
that NumPy also raises its own errors about rank, axis, dtype and empty reductions. `rule_from_formula`
builds the rule of a function: it runs the function on dummies for the dtypes, and a *shape
formula* for the shapes. The formula takes the call's array arguments by position, as array types,
and the others by NumPy's own names.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from ..ir.types import ArrayType, ListType, MaybeType, ScalarType
from .shapes import PYTHON_SCALARS, as_array, is_staged

Rule = Callable[..., Any]

SAMPLE = {bool: True, int: 1, float: 1.0, complex: 1j, str: "a"}


def dummy(value: Any, empty: bool = True) -> Any:
    """Return the smallest plain value of the type of `value`. It may be empty only if `empty` is true."""
    if isinstance(value, ScalarType):
        return SAMPLE[value.python]
    if isinstance(value, ListType | MaybeType):
        return dummy(as_array(value), empty)
    if isinstance(value, (ArrayType, np.ndarray)):
        return np.ones([0 if d == 0 and empty else 1 for d in value.shape], value.dtype)
    if is_staged(value):
        return type(value)(dummy(v, empty) for v in value)
    return value


@contextmanager
def suppress_warnings() -> Iterator[None]:
    """Suppress warnings. The same call warns at run time, about the user's data instead of dummies."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def probe(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result of `function` for dummies of its arguments."""
    # An empty axis may not match the dummy of another array or of an unknown axis.
    arrays = [a for value in (*args, *kwargs.values()) for a in arrays_in(value)]
    empty = len(arrays) == 1 and None not in arrays[0].shape
    with suppress_warnings():
        return function(*(dummy(a, empty) for a in args), **{n: dummy(v, empty) for n, v in kwargs.items()})


def arrays_in(value: Any) -> list[Any]:
    """Return the arrays, or their types, in an argument."""
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in arrays_in(part)]
    if isinstance(value, (ListType, MaybeType)):
        return [as_array(value)]
    return [value] if isinstance(value, (ArrayType, np.ndarray)) else []


def type_of_result(result: Any, shape: Any) -> Any:
    """Return the type of a probe's result, given its real shape, or the types of several results."""
    if isinstance(result, (list, tuple)):
        return container_of(result)([type_of_result(r, s) for r, s in zip(result, shape, strict=True)])
    if isinstance(result, (np.ndarray, np.generic)):
        return ArrayType(result.dtype, tuple(shape))
    return ScalarType(type(result))


def container_of(values: Any) -> Callable[[Any], Any]:
    """Return the function that makes a list, tuple or named tuple like `values` of other values."""
    return getattr(values, "_make", type(values))


def rule_from_formula(
    function: Callable[..., Any], shape: Callable[..., Any], *arrays: str, dtype: Any = None
) -> Rule:
    """Return the type rule of `function`, whose parameters `arrays` (by default the first) are arrays.

    If `dtype` is given (`SAME_DTYPE` for the dtype of the first array), the rule does not probe: some
    functions fail on dummies combined with the user's other arguments.
    """
    parameters = signature(function, shape)
    names = arrays or (next(iter(parameters.parameters)),)

    def rule(*args: Any, **kwargs: Any) -> Any:
        call = parameters.bind(*args, **kwargs)
        call.arguments.pop("out", None)
        types: list[Any] = []
        formula = dict(call.arguments)
        for name in names:
            value = formula.pop(name, None)
            if value is not None:
                value = call.arguments[name] = weak_type(value)
            types.append(None if value is None else as_array(value))
        if dtype is None:
            # NumPy's own errors about the call come first, then those about dimensions.
            result = probe(function, *call.args, **call.kwargs)
            return type_of_result(result, shape(*types, **formula))
        return array_types(
            shape(*types, **formula), types[0].dtype if dtype is SAME_DTYPE else np.dtype(dtype)
        )

    rule.__name__ = rule.__qualname__ = f"{function.__name__}_type"
    return rule


SAME_DTYPE = object()


def array_types(shape: Any, dtype: np.dtype[Any]) -> Any:
    """Return array types of one dtype: one for a shape, a list for a list of shapes."""
    if isinstance(shape, list):
        return [array_types(s, dtype) for s in shape]
    return ArrayType(dtype, tuple(shape))


def formula_rules(
    formula: Callable[..., Any], names: str, *, arrays: tuple[str, ...] = (), dtype: Any = None
) -> dict[Callable[..., Any], Rule]:
    """Return the type rules of the NumPy functions `names`, which share a shape formula."""
    rules = {}
    for f in numpy_functions(names):
        parameters = signature(f, formula).parameters  # older NumPy versions have fewer
        supported = (name for name in arrays if name in parameters)
        rules[f] = rule_from_formula(f, formula, *supported, dtype=dtype)
    return rules


def named_rules(**rules: Rule) -> dict[Callable[..., Any], Rule]:
    """Return a table of complete type rules by function. `__` in a name stands for a dot."""
    return {f: rule for name, rule in rules.items() for f in numpy_functions(name.replace("__", "."))}


def numpy_functions(names: str) -> list[Callable[..., Any]]:
    """Return the functions of these names in `np`, except those that the installed NumPy lacks."""
    available = []
    for name in names.split():
        with suppress(AttributeError):
            available.append(attrgetter(name)(np))
    return available


def weak_type(value: Any) -> Any:
    """Return an array argument's type. Python scalars stay scalars, since they promote weakly."""
    return value if isinstance(value, (ScalarType, *PYTHON_SCALARS)) else as_array(value)


@cache
def signature(function: Callable[..., Any], formula: Callable[..., Any]) -> inspect.Signature:
    """Return NumPy's signature of `function`, or that of the formula for C functions without one."""
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(formula)
