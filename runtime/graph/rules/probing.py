"""Most rules in one line: dtypes from NumPy itself, shapes from a formula.

A *dummy* is the smallest plain value of a type: one element, or none where an axis is empty, so
that NumPy also raises its own errors about rank, axis, dtype and empty reductions. `probed`
makes the rule of a function: it runs the function on dummies for the dtypes, and a *shape
formula* for the shapes. The formula gets the call's array arguments by position, as array types,
and the rest by NumPy's own names.
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

from ..types import ArrayType, ListType, MaybeType, ScalarType
from .shapes import SCALARS, as_array, is_staged

Rule = Callable[..., Any]

SAMPLE = {bool: True, int: 1, float: 1.0, complex: 1j, str: "a"}


def dummy(value: Any, empty: bool = True) -> Any:
    """The smallest plain value that NumPy types as it types `value`; `empty` if it may have none."""
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
def quiet() -> Iterator[None]:
    """No warnings: the same call warns at run time, about the user's data and not about ours."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def probe(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What `function` returns for dummies."""
    # An empty axis might not match the dummy of another array's axis, or of an unknown one.
    arrays = [a for value in (*args, *kwargs.values()) for a in arrays_in(value)]
    empty = len(arrays) == 1 and None not in arrays[0].shape
    with quiet():
        return function(*(dummy(a, empty) for a in args), **{n: dummy(v, empty) for n, v in kwargs.items()})


def arrays_in(value: Any) -> list[Any]:
    """The arrays, or their types, that an argument holds."""
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in arrays_in(part)]
    if isinstance(value, (ListType, MaybeType)):
        return [as_array(value)]
    return [value] if isinstance(value, (ArrayType, np.ndarray)) else []


def typed(result: Any, shape: Any) -> Any:
    """The type of a probe's result, whose real shape is `shape`; tuples and lists side by side."""
    if isinstance(result, (list, tuple)):
        pairs = zip(result, shape, strict=True)
        return (list if isinstance(result, list) else tuple)(typed(r, s) for r, s in pairs)
    if isinstance(result, (np.ndarray, np.generic)):
        return ArrayType(result.dtype, tuple(shape))
    return ScalarType(type(result))


def probed(function: Callable[..., Any], shape: Callable[..., Any], *arrays: str, dtype: Any = None) -> Rule:
    """The rule of `function`, whose parameters `arrays` (by default the first) hold arrays.

    A given `dtype`, or `SAME` as the first array's, spares the probe: some functions cannot run
    on dummies with the user's other arguments.
    """
    parameters = signature(function, shape)
    names = arrays or (next(iter(parameters.parameters)),)

    def rule(*args: Any, **kwargs: Any) -> Any:
        call = parameters.bind(*args, **kwargs)
        call.arguments.pop("out", None)
        seen: list[Any] = []
        formula = dict(call.arguments)
        for name in names:
            value = formula.pop(name, None)
            if value is not None:
                value = call.arguments[name] = weak(value)
            seen.append(None if value is None else as_array(value))
        if dtype is None:
            # NumPy's own complaints about the call come first, then those about dimensions.
            result = probe(function, *call.args, **call.kwargs)
            return typed(result, shape(*seen, **formula))
        return filled(shape(*seen, **formula), seen[0].dtype if dtype is SAME else np.dtype(dtype))

    rule.__name__ = rule.__qualname__ = f"{function.__name__}_type"
    return rule


SAME = object()


def filled(shape: Any, dtype: np.dtype[Any]) -> Any:
    """Arrays of one dtype: one for a shape, a list for a list of shapes."""
    if isinstance(shape, list):
        return [filled(s, dtype) for s in shape]
    return ArrayType(dtype, tuple(shape))


# --- tables ----------------------------------------------------------------------------------


def family(
    formula: Callable[..., Any], names: str, *, arrays: tuple[str, ...] = (), dtype: Any = None
) -> dict[Callable[..., Any], Rule]:
    """The rules of functions that share a shape formula."""
    return {f: probed(f, formula, *takes(f, formula, arrays), dtype=dtype) for f in functions(names)}


def named(**rules: Rule) -> dict[Callable[..., Any], Rule]:
    """Rules written out in full, under their functions; `__` in a name stands for a dot."""
    return {f: rule for name, rule in rules.items() for f in functions(name.replace("__", "."))}


def functions(names: str) -> list[Callable[..., Any]]:
    """The functions of these names under `np`, without those that this NumPy lacks."""
    found = []
    for name in names.split():
        with suppress(AttributeError):
            found.append(attrgetter(name)(np))
    return found


def takes(
    function: Callable[..., Any], formula: Callable[..., Any], names: tuple[str, ...]
) -> tuple[str, ...]:
    """Those of `names` that are parameters of `function`: older NumPys have fewer."""
    return tuple(n for n in names if n in signature(function, formula).parameters)


def weak(value: Any) -> Any:
    """An array argument's type, with Python scalars left alone: they promote weakly."""
    return value if isinstance(value, (ScalarType, *SCALARS)) else as_array(value)


@cache
def signature(function: Callable[..., Any], formula: Callable[..., Any]) -> inspect.Signature:
    """NumPy's signature; older C functions have none, and then the formula has the same names."""
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(formula)
