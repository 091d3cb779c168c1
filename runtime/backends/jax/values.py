"""JAX's arrays: their types, items, texts and errors, and what they have of NumPy."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import get_opaque_trace_state

from ... import staging
from ...builtins import is_of_numpy
from ...errors import MismatchError, UnsupportedFunctionError, ValueNeededError
from ...staging.raises import fields_of, revived
from ...structures import flatten, unflatten
from ...tracebacks import place_of, raising
from ..avals import Aval, Maybe
from ..captures import CapturingBackend
from ..iterables import StagedSequence
from ..texts import Text, joined
from . import builtins
from .errors import shapes_known

# Neither has a public name; without them a trace may be under way, and numbers have strong dtypes.
try:
    from jax._src.core import trace_state_clean
    from jax._src.lax.lax import _convert_element_type as convert_type
except ImportError:
    trace_state_clean = convert_type = None

_PYTHON = {bool: np.dtype(bool), int: int, float: float, complex: complex}


def truth(value: Any) -> Any:
    """A staged truth value, as Python asks it."""
    value = jnp.asarray(value)
    if value.size != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
        )
    value = value.reshape(()) if value.shape else value
    return value if value.dtype == bool else value != 0


class JaxValues(CapturingBackend):
    """The part of the backend that is about single values."""

    name = "jax"
    loops_over_ranges = True
    boolean = Aval(np.dtype(bool), ())

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (jax.core.Tracer, jax.Array))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, jax.Array)

    def is_staged(self, value: Any) -> bool:
        if isinstance(value, jax.core.Tracer):
            return value.to_concrete_value() is None
        return isinstance(value, (Maybe, StagedSequence, Text))

    def staging(self) -> bool:
        return not _is_clean()

    truth = staticmethod(truth)
    where = staticmethod(lax.select)
    logical_and = staticmethod(jnp.logical_and)
    logical_or = staticmethod(jnp.logical_or)

    # Types

    def aval(self, value: Any) -> Aval | None:
        if isinstance(value, jax.Array):
            return Aval(value.dtype, value.shape, bool(getattr(value, "weak_type", False)))
        kind = type(value)
        if kind in _PYTHON:
            return Aval(jnp.result_type(_PYTHON[kind]), (), kind is not bool)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcV":
            return Aval(jax.dtypes.canonicalize_dtype(value.dtype), value.shape)
        return None

    def merged(self, first: Aval, second: Aval) -> Aval:
        if first.shape != second.shape:
            raise TypeError(f"one has the shape {first.shape}, the other {second.shape}")
        if first.dtype == second.dtype:
            return Aval(first.dtype, first.shape, first.weak and second.weak)
        if jax.dtypes.issubdtype(first.dtype, jax.dtypes.extended) or jax.dtypes.issubdtype(
            second.dtype, jax.dtypes.extended
        ):
            raise TypeError(f"one is {first.dtype}, the other {second.dtype}")
        dtype = jnp.result_type(*[_weak(k) for k in (first, second)])
        return Aval(dtype, first.shape, first.weak and second.weak)

    def cast(self, value: Any, kind: Aval) -> Any:
        own = self.aval(value)
        if own is not None and own.dtype == kind.dtype:
            return (
                value
                if isinstance(value, jax.Array)
                else jnp.asarray(value, None if kind.weak else kind.dtype)
            )
        if kind.weak:
            return _weakened(jnp.asarray(value), kind.dtype)
        return lax.convert_element_type(jnp.asarray(value), kind.dtype)

    def zeros(self, kind: Aval) -> Any:
        if jax.dtypes.issubdtype(kind.dtype, jax.dtypes.prng_key):
            return jax.random.split(jax.random.key(0), math.prod(kind.shape)).reshape(kind.shape)
        return jnp.zeros(kind.shape, kind.dtype)

    # Values

    def length(self, value: Any) -> Any:
        if not value.ndim:
            raise TypeError("iteration over a 0-d array")
        return value.shape[0]

    def minimum(self, a: Any, b: Any) -> Any:
        return jnp.minimum(a, b)

    def maximum(self, a: Any, b: Any) -> Any:
        return jnp.maximum(a, b)

    def not_(self, value: Any) -> Any:
        return jnp.logical_not(self.truth(value))

    def get_item(self, target: Any, key: Any) -> Any:
        if isinstance(target, (list, tuple)):
            try:
                made = jnp.stack([jnp.asarray(v) for v in target])[key]
                return _weakened(made, made.dtype) if _are_numbers(target) else made
            except (TypeError, ValueError) as error:
                raise MismatchError(
                    f"a {type(target).__name__} of different things is indexed by a staged value",
                    why="which item it is is known only when the program runs, and what comes "
                    f"after needs one type: {error}",
                    remedy="give its items one type and shape, or use an array",
                ) from None
        if isinstance(target, (np.ndarray, jax.Array)):
            with shapes_known("an item between staged bounds, or by a staged mask,"):
                return jnp.asarray(target)[key]
        raise ValueNeededError(
            f"a {type(target).__name__} is indexed by a staged value",
            why="Python would need the value, which is known only when the program runs",
            remedy="use an array, or a list or tuple of arrays of one shape",
        )

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if self.is_staged(target) or (
            isinstance(target, (jax.Array, np.ndarray)) and (staging.has_staged(key) or self.is_staged(value))
        ):
            self.refuse_other_names(target)
            if self._is_mask(key, target) and jnp.size(value) == 1:
                return self._where(key, target, value)
            with shapes_known("an item between staged bounds, or by a staged mask,"):
                array = jnp.asarray(target)
                return array.at[key].set(self.cast(value, Aval(array.dtype, ())))
        if staging.has_staged(key):
            raise ValueNeededError(
                f"an item of a {type(target).__name__} is set by a staged key",
                why="Python would need the value of the key, which is known only when the program runs",
                remedy="use an array: x = x.at[key].set(value)",
            )
        target[key] = value
        return target

    @staticmethod
    def _is_mask(key: Any, target: Any) -> bool:
        shape = getattr(key, "shape", ())
        is_bool = str(getattr(key, "dtype", "")) == "bool"
        return is_bool and len(shape) > 0 and shape == target.shape[: len(shape)]

    @staticmethod
    def _where(mask: Any, target: Any, value: Any) -> Any:
        """`target` with one value where `mask` is true, in its own dtype."""
        target = jnp.asarray(target)
        mask = jnp.reshape(mask, mask.shape + (1,) * (target.ndim - mask.ndim))
        return jnp.where(mask, jnp.asarray(value).reshape(()).astype(target.dtype), target)

    def contains(self, item: Any, container: Any) -> Any:
        if isinstance(container, (list, tuple)):
            return jnp.any(jnp.stack([jnp.all(jnp.asarray(part == item)) for part in container]))
        if isinstance(container, range):
            inside = (item >= container.start) & (item < container.stop)
            return inside & ((item - container.start) % container.step == 0)
        if isinstance(container, (jax.Array, np.ndarray)):
            return jnp.any(container == item)
        raise UnsupportedFunctionError(
            f"a staged value is searched for in a {type(container).__name__}",
            why="Python would need its value, which is known only when the program runs",
            remedy="use a list, tuple, range or array: x in (1, 2, 3)",
        )

    # Effects

    def fail(self, failed: Any, error: BaseException) -> None:
        """Raise `error` when the program runs, where `failed` is true."""
        leaves, spec = flatten(tuple(error.args))
        staged = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (jax.Array, Text))]
        texts = {i: leaves[i] for i in staged if isinstance(leaves[i], Text)}
        operands = [texts[i].values if i in texts else [leaves[i]] for i in staged]
        flat = [v for part in operands for v in part]
        kind, fields = type(error), fields_of(error)

        def made(failed: Any, *values: Any) -> BaseException | None:
            if not failed:
                return None
            rest, args = list(values), list(leaves)
            for i, part in zip(staged, operands, strict=True):
                own, rest = rest[: len(part)], rest[len(part) :]
                own = [np.asarray(v)[()] for v in own]
                args[i] = joined(texts[i], own) if i in texts else own[0]
            return revived(kind, unflatten(spec, args), fields)

        run = raising(made, place_of(error, sys._getframe()))
        earlier = self.failed
        if earlier is True:
            return
        if earlier is not False:
            failed = jnp.logical_not(earlier) if failed is True else failed & jnp.logical_not(earlier)
        if failed is True:
            jax.debug.callback(run, True, *flat)
        else:
            lax.cond(failed, lambda: jax.debug.callback(run, failed, *flat), lambda: None)
        self.note_failed(failed)

    @property
    def failed(self) -> Any:
        """Whether the code that is being traced has raised by now: what comes after it raises nothing."""
        if self.captures:
            return self.captures[-1].failed
        state, failed = self._local.traced
        return failed if state == get_opaque_trace_state() else False

    def note_failed(self, failed: Any) -> None:
        earlier = self.failed
        failed = failed if earlier is False or failed is True else earlier | failed
        if self.captures:
            self.captures[-1].failed = failed
        else:
            self._local.traced = (get_opaque_trace_state(), failed)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """NumPy's functions on staged arrays are JAX's of the same name."""
        if _is_clean():
            return None
        holder = getattr(function, "__self__", None)
        if isinstance(holder, np.ufunc):
            own = getattr(getattr(jnp, holder.__name__, None), function.__name__, None)
        elif is_of_numpy(function):
            module = {"numpy.linalg": jnp.linalg, "numpy.fft": jnp.fft}.get(function.__module__ or "", jnp)
            own = getattr(module, function.__name__, None)
        else:
            return None

        def call(*args: Any, **kwargs: Any) -> Any:
            leaves = flatten([args, kwargs])[0]
            if not any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
                return function(*args, **kwargs)
            if own is None:
                raise UnsupportedFunctionError(
                    f"numpy.{function.__name__} was called on a staged JAX array",
                    why="jax.numpy has no function of that name",
                    remedy="use functions of jax.numpy, or jax.pure_callback",
                )
            with shapes_known(f"{function.__name__}()"):
                return own(*_as_arrays(args), **kwargs)

        return call

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        return builtins.call(self, function, args, kwargs)


def _weakened(array: Any, dtype: Any) -> Any:
    """An array that takes the dtype of what it meets, as a Python number does."""
    if convert_type is None:
        return lax.convert_element_type(array, dtype)
    return convert_type(array, dtype, weak_type=True)


def _are_numbers(values: Any) -> bool:
    """Whether all are Python's, which take the dtype of what they meet."""
    return all(type(v) in (int, float, complex) for v in values)


def _as_arrays(args: tuple[Any, ...]) -> list[Any]:
    """Lists as arrays, which jax.numpy does not take."""
    return [
        jnp.asarray(a) if isinstance(a, list) and not any(hasattr(v, "dtype") for v in a) else a for a in args
    ]


def _weak(kind: Aval) -> Any:
    """A dtype for NumPy's promotion: of a weak one the Python type."""
    if not kind.weak:
        return kind.dtype
    return {"i": int, "u": int, "f": float, "c": complex, "b": bool}.get(
        np.dtype(kind.dtype).kind, kind.dtype
    )


def _is_clean() -> bool:
    """Whether JAX traces nothing; where it does not tell, it may."""
    return trace_state_clean is not None and trace_state_clean()
