"""Specs of arguments: a `TensorSpec` for an array, a plain value, or the `Identity` of another object."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...debugging.tracebacks import api_boundary
from ...errors import ArgumentError, OptionError, SpecError, describe
from ..ir.graph import Slot
from ..ir.types import ArrayType
from . import recording, unsupported


class TensorSpec:
    """The shape and dtype of an argument.

    Args:
        shape: a tuple of lengths; a length of None is known only at run time.
        dtype: anything that `numpy.dtype` accepts.
        name: the name of the argument in the graph.

    Raises:
        ArgumentError: `shape` is not a sequence of lengths, or `dtype` is not a NumPy dtype.
        OptionError: a length is negative or does not fit in 64 bits.

    >>> TensorSpec((None, 3), "float32")
    TensorSpec((None, 3), float32)
    """

    __slots__ = ("dtype", "name", "shape")

    @api_boundary
    def __init__(self, shape: Sequence[int | None], dtype: Any = np.float64, name: str | None = None):
        self.shape = _checked_shape(shape)
        self.dtype = checked_dtype(dtype, "a TensorSpec")
        self.name = name

    @property
    def type(self) -> ArrayType:
        return ArrayType(self.dtype, self.shape)

    def __repr__(self) -> str:
        label = "" if self.name is None else f", name={self.name!r}"
        return f"TensorSpec({self.shape}, {self.dtype}{label})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def admits(self, value: Any) -> bool:
        """Return whether an array, NumPy scalar or other spec has this dtype and a compatible shape."""
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        if dtype != self.dtype or shape is None or len(shape) != len(self.shape):
            return False
        return all(own is None or own == other for own, other in zip(self.shape, shape, strict=True))


def _checked_shape(shape: Sequence[int | None]) -> tuple[int | None, ...]:
    try:
        lengths = tuple([None if n is None else operator.index(n) for n in shape])
    except TypeError as error:
        raise ArgumentError(
            f"the shape of a TensorSpec must be a sequence of lengths, not {describe(shape)}",
            why="a shape has an int for each dimension, or None for a length known only at run time",
            remedy="write () for a scalar, (3,) for three elements, (None, 3) for any number of rows",
        ) from error
    invalid = [n for n in lengths if n is not None and not 0 <= n < 2**63]
    if invalid:
        raise OptionError(
            f"a TensorSpec cannot have a length of {invalid[0]}",
            why="the length of an array is between 0 and 2**63 - 1",
            remedy="write None for a length that is known only at run time",
        )
    return lengths


def checked_dtype(dtype: Any, what: str) -> np.dtype:
    try:
        return np.dtype(dtype)
    except TypeError as error:
        raise ArgumentError(
            f"the dtype of {what} cannot be {describe(dtype)}",
            why=f"NumPy says: {error}",
            remedy="pass a name such as 'float64' or a type such as np.float32",
        ) from error


def conform(value: Any, spec: TensorSpec, what: str) -> Any:
    """Convert a value from outside the graph to an array or NumPy scalar that matches a spec.

    Raises:
        SpecError: the value does not match. The message begins with `what`; the graph adds the code position.
    """
    array = np.asarray(value)
    if type(value) in (bool, int, float, complex) and np.can_cast(array.dtype, spec.dtype, "same_kind"):
        array = array.astype(spec.dtype)
    if not spec.admits(array):
        raise SpecError(
            f"{what} {ArrayType(array.dtype, array.shape)}, but its spec is {spec.type}",
            why="the graph was built for the dtype and shape of the spec",
            remedy="change the spec to this dtype and shape, with None for lengths that vary",
            place=None,
        )
    return array if array.ndim else array[()]


class Identity:
    """Weak reference that compares and hashes by the identity of its object."""

    __slots__ = ("_hash", "_ref", "text")

    def __init__(self, value: Any):
        self._hash = id(value)
        self.text = type(value).__name__
        try:
            self._ref: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def get(self) -> Any:
        """Return the object, or None if it was garbage-collected."""
        return self._ref()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._ref() is not None and self._ref() is other._ref()

    def __repr__(self) -> str:
        return f"<{self.text}>" if self._ref() is None else repr(self._ref())


_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None), range, type(...)))


def weak_leaf(leaf: Any) -> Any:
    """Return a number or string itself, and a weak reference to any other leaf."""
    return leaf if type(leaf) in _PLAIN else Identity(leaf)


def leaf_key(leaf: Any) -> Any:
    """Return the trace cache key of a leaf.

    It consists of the dtype and shape of an array, the exact type and value of a number or string, or the
    identity of any other object.
    """
    kind = type(leaf)
    if kind is np.ndarray or isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.dtype, leaf.shape, isinstance(leaf, np.ndarray)
    if kind is TensorSpec:
        return leaf
    if kind is float:
        return float, leaf.hex()
    if kind is complex:
        return complex, leaf.real.hex(), leaf.imag.hex()
    if kind is range:
        return range, leaf.start, leaf.stop, leaf.step
    return (kind, leaf) if kind in _PLAIN else Identity(leaf)


def ensure_shape(value: Any, kind: ArrayType, what: str) -> Any:
    """Check that a value has the static shape of `kind`, at run time if necessary."""
    shape = value.type.shape
    if shape == kind.shape:
        return value
    if len(shape) != kind.ndim or any(a not in (b, None) for a, b in zip(shape, kind.shape, strict=True)):
        raise unsupported.shape_mismatch(what, kind.shape, shape)
    args = (Slot(0), kind.shape, what)
    return recording.record("with_shape", (value,), kind, function=with_shape, args=args, kwargs={})


def with_shape(value: Any, shape: tuple[int, ...], what: str) -> Any:
    if value.shape != shape:
        raise unsupported.shape_mismatch(what, shape, value.shape)
    return value
