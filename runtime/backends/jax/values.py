"""JAX values: types, truth, items, errors raised by the program, and NumPy functions."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ... import staging
from ...debugging.tracebacks import error_position, make_raiser
from ...errors import UnsupportedFunctionError
from ...staging.branches.exceptions import fields_of, revived
from ...values.structures import flatten
from ..builtins import is_of_numpy
from ..functional.abstract_values import Aval, Compound, Maybe
from ..functional.builtins import SHALLOW, SHOWING, replacing
from ..functional.index_errors import (
    check_unaliased,
    in_range,
    mixed_items_error,
    staged_index_error,
    staged_key_error,
)
from ..functional.iterables import StagedSequence
from ..functional.optional_values import Optional, for_write, present
from ..functional.staged_text import Text
from . import bounded_functions
from .bounded_arrays import BoundedArray, exact, unsupported
from .bounded_functions import has_bounded, without_lists
from .bounded_items import get_item, is_bounded_item, set_item
from .bounded_lists import BoundedList
from .bounded_types import BoundedAval, BoundedTypes
from .builtins import BUILTINS, call_library, staged_operands
from .errors import static_shapes
from .private import current_trace, is_idle, known_value, weak_array

_DTYPES = {bool: np.dtype(bool), int: int, float: float, complex: complex}


def truth(value: Any) -> Any:
    """Return the truth value of an array, as `bool` would."""
    if isinstance(value, BoundedList):
        return value.length() > 0
    if isinstance(value, BoundedArray):
        return bool(value)
    value = jnp.asarray(value)
    if value.size != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
        )
    value = value.reshape(()) if value.shape else value
    return value if value.dtype == bool else value != 0


class JaxValues(BoundedTypes):
    """Operations of the backend on single values."""

    name = "jax"
    libraries = ("jax", "jaxlib")
    builtins = BUILTINS
    boolean = Aval(np.dtype(bool), ())

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (jax.core.Tracer, jax.Array))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, jax.Array)

    def is_staged(self, value: Any) -> bool:
        if isinstance(value, jax.core.Tracer):
            return known_value(value) is None
        if isinstance(value, BoundedArray):
            return not value.is_known
        return isinstance(value, (BoundedList, Compound, Maybe, Optional, StagedSequence, Text))

    def staging(self) -> bool:
        return not is_idle()

    truth_of_array = staticmethod(truth)
    negated = staticmethod(jnp.logical_not)
    where = staticmethod(lax.select)
    argsort = staticmethod(jnp.argsort)
    minimum = staticmethod(jnp.minimum)
    maximum = staticmethod(jnp.maximum)
    logical_and = staticmethod(jnp.logical_and)
    logical_or = staticmethod(jnp.logical_or)

    # Types

    def as_number(self, value: Any) -> Any:
        return weak_array(value, value.dtype) if isinstance(value, jax.Array) else value

    def aval(self, value: Any) -> Aval | None:
        if isinstance(value, jax.Array):
            return Aval(value.dtype, value.shape, bool(getattr(value, "weak_type", False)))
        if isinstance(value, BoundedArray):
            is_weak = bool(getattr(value.data, "weak_type", False))
            limit = None if value.cut is None else len(value.cut)
            return BoundedAval(value.dtype, value.data.shape, is_weak, value.may_exceed, limit)
        kind = type(value)
        if kind in _DTYPES:
            return Aval(jnp.result_type(_DTYPES[kind]), (), weak=kind is not bool)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcV":
            return Aval(jax.dtypes.canonicalize_dtype(value.dtype), value.shape)
        return None

    def merge_avals(self, first: Aval, second: Aval) -> Aval:
        is_bounded = isinstance(first, BoundedAval) or isinstance(second, BoundedAval)
        if first.shape and second.shape and (is_bounded or first.shape[0] != second.shape[0]):
            rest = [Aval(a.dtype, (0, *a.shape[1:]), a.weak) for a in (first, second)]
            if rest[0].shape == rest[1].shape:
                return self.merge_bounded(first, second, self.merge_avals(*rest))
        if first.shape != second.shape:
            raise TypeError(f"one has the shape {first.shape}, the other {second.shape}")
        if first.dtype == second.dtype:
            return Aval(first.dtype, first.shape, first.weak and second.weak)
        if any(jax.dtypes.issubdtype(a.dtype, jax.dtypes.extended) for a in (first, second)):
            raise TypeError(f"one is {first.dtype}, the other {second.dtype}")
        dtype = jnp.result_type(_promotion_type(first), _promotion_type(second))
        return Aval(dtype, first.shape, first.weak and second.weak)

    def cast(self, value: Any, aval: Aval) -> Any:
        own = self.aval(value)
        if own is not None and own.dtype == aval.dtype:
            if isinstance(value, jax.Array):
                return value
            return jnp.asarray(value, None if aval.weak else aval.dtype)
        if aval.weak:
            return weak_array(jnp.asarray(value), aval.dtype)
        return lax.convert_element_type(jnp.asarray(value), aval.dtype)

    def zeros(self, aval: Aval) -> Any:
        if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
            return jax.random.split(jax.random.key(0), math.prod(aval.shape)).reshape(aval.shape)
        return jnp.zeros(aval.shape, aval.dtype)

    # Values

    def length(self, value: Any) -> Any:
        if not value.ndim:
            raise TypeError("iteration over a 0-d array")
        return value.shape[0]

    def get_item(self, target: Any, key: Any) -> Any:
        target, key = present(target, operator.getitem), present(key, operator.index)
        if isinstance(target, BoundedList):
            return target[key]
        if is_bounded_item(target, key) and isinstance(target, (np.ndarray, jax.Array, BoundedArray)):
            return get_item(target, key)
        if isinstance(target, (list, tuple)):
            try:
                item = jnp.stack([jnp.asarray(v) for v in target])[key]
                is_weak = all(type(v) in (int, float, complex) for v in target)
                return weak_array(item, item.dtype) if is_weak else item
            except (TypeError, ValueError) as error:
                raise mixed_items_error(target, "an array", error) from None
        if isinstance(target, (np.ndarray, jax.Array)):
            with static_shapes("a subscript with a staged array"):
                return jnp.asarray(target)[key]
        raise staged_index_error(target, "use an array, or a list or tuple of arrays of one shape")

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        target, key, value = for_write(target, key, value)
        if isinstance(target, BoundedList):
            target.write(set_item(target.array(), key, value))
            return target
        if self.is_staged(target) or (
            isinstance(target, (jax.Array, np.ndarray)) and (staging.has_staged(key) or self.is_staged(value))
        ):
            check_unaliased(target, self.name, "{}.copy()")
            if is_bounded_item(target, key) or isinstance(value, BoundedArray):
                return set_item(target, key, value)
            array = jnp.asarray(target)
            with static_shapes("a subscript with a staged array"):
                return array.at[key].set(self.cast(value, Aval(array.dtype, ())))
        if staging.has_staged(key):
            raise staged_key_error(target, "use an array: x = x.at[key].set(value)")
        target[key] = value
        return target

    def contains(self, item: Any, container: Any) -> Any:
        container = present(container, iter)
        if isinstance(container, BoundedArray):
            return bounded_functions.contains(item, container)
        if isinstance(container, (list, tuple)):
            return jnp.any(jnp.stack([jnp.all(jnp.asarray(part == item)) for part in container]))
        if isinstance(container, (jax.Array, np.ndarray)):
            return jnp.any(container == item)
        return in_range(item, container, "array")

    # Effects

    def fail(self, failed: Any, error: BaseException) -> None:
        operands, rebuild = staged_operands(error.args)
        kind, fields = type(error), fields_of(error)

        def build_error(failed: Any, *values: Any) -> BaseException | None:
            return revived(kind, rebuild(values), fields) if failed else None

        callback = make_raiser(build_error, error_position(error, sys._getframe()))
        earlier = self.failed
        if earlier is True:
            return
        if earlier is not False:
            failed = jnp.logical_not(earlier) if failed is True else failed & jnp.logical_not(earlier)
        if failed is True:
            jax.debug.callback(callback, True, *operands)
        else:
            lax.cond(failed, lambda: jax.debug.callback(callback, failed, *operands), lambda: None)
        self.set_failed(failed)

    @property
    def failed(self) -> Any:
        """Return whether the traced code has already raised, in which case later code raises nothing."""
        if self.captures:
            return self.captures[-1].failed
        state, failed = self._local.failure
        return failed if state == current_trace() else False

    def set_failed(self, failed: Any) -> None:
        earlier = self.failed
        failed = failed if earlier is False or failed is True else earlier | failed
        if self.captures:
            self.captures[-1].failed = failed
        else:
            self._local.failure = (current_trace(), failed)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """Return a function that calls `jax.numpy` in place of NumPy if an argument is staged."""
        if is_idle():
            return None
        if str(getattr(function, "__module__", "")).startswith("jax"):
            return bounded_functions.handling(function)
        owner = getattr(function, "__self__", None)
        if isinstance(owner, np.ufunc):
            counterpart = getattr(getattr(jnp, owner.__name__, None), function.__name__, None)
        elif is_of_numpy(function):
            module = getattr(function, "__module__", None)  # a ufunc of NumPy 2.0 has none
            submodule = {"numpy.linalg": jnp.linalg, "numpy.fft": jnp.fft}.get(module or "", jnp)
            counterpart = None if function in _DIFFERENT else getattr(submodule, function.__name__, None)
        else:
            return None

        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = without_lists((args, kwargs))
            if has_bounded(args, kwargs):
                return bounded_functions.call(function.__name__, counterpart, args, kwargs)
            if counterpart is None:
                raise UnsupportedFunctionError(
                    f"numpy.{function.__name__} was called on a staged JAX array",
                    why="jax.numpy has no function of that name with the same results",
                    remedy="use jax.numpy functions instead, or call it through jax.pure_callback",
                )
            with static_shapes(f"{function.__name__}()"):
                return counterpart(*_lists_as_arrays(function, args), **kwargs)

        return replacing(function, _is_staged_leaf, call)

    call_library = staticmethod(call_library)

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        if function in SHOWING and any(isinstance(leaf, BoundedList) for leaf in flatten(args)[0]):
            raise unsupported("the text of a list")
        if function is bool and isinstance(args[0], BoundedList):
            return self.truth(args[0])
        args, kwargs = without_lists((args, kwargs))
        if function in _UNCHANGED or not has_bounded(args, kwargs):
            return super().call_builtin(function, args, kwargs)
        return bounded_functions.call_builtin(function, args, kwargs)

    def returned(self, value: Any) -> Any:
        """Return the result of the outermost converted function with arrays in place of lists."""
        return without_lists(value)

    def most_items(self, iterated: Any) -> int | None:
        """Return the largest number of items of an iterable of staged length, or None."""
        items = self.sequence(iterated)
        return None if isinstance(items.count, int) else items.most

    def sequence(self, iterated: Any) -> StagedSequence:
        array = iterated.array() if isinstance(iterated, BoundedList) else iterated
        if not isinstance(array, BoundedArray):
            return super().sequence(array)
        array = exact(array)
        return StagedSequence(
            "bounded array", array.length, lambda i: array.data[i], array.parts, most=array.bound
        )


_UNCHANGED = (SHALLOW | SHOWING | {range}) - {len, bool, list, tuple}
"""Builtins that take bounded arrays as they take other values."""


def _is_staged_leaf(leaf: Any) -> bool:
    return isinstance(leaf, (jax.core.Tracer, BoundedArray, BoundedList))


_DIFFERENT = frozenset((np.polydiv, np.polymul))
"""Functions that remove leading zeros from the result; those of `jax.numpy` keep them."""


_JOINING = (np.append, np.concatenate, np.stack, np.hstack, np.vstack)
"""Functions that join arrays, of which any may be a list."""


def _lists_as_arrays(function: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    """Convert lists, which `jax.numpy` rejects, to arrays: those of plain values, and joined ones."""
    if function in _JOINING and len(args) > 0 and isinstance(args[0], (list, tuple)):
        return [[jnp.asarray(a) if isinstance(a, list) else a for a in args[0]], *args[1:]]
    return [
        jnp.asarray(a)
        if isinstance(a, list)
        and (function in _JOINING or not any(hasattr(v, "dtype") or callable(v) for v in a))
        else a
        for a in args
    ]


def _promotion_type(aval: Aval) -> Any:
    """Return the dtype, or the Python type of a weak dtype, for type promotion."""
    if not aval.weak:
        return aval.dtype
    python_types = {"i": int, "u": int, "f": float, "c": complex, "b": bool}
    return python_types.get(np.dtype(aval.dtype).kind, aval.dtype)
