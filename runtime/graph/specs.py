"""What an argument of a trace is: a `TensorSpec`, a plain value, or the `Identity` of an object."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .types import ArrayType


class TensorSpec:
    """The shape and dtype of an argument.

    Args:
        shape: a tuple of lengths; None is a length that is known only at run time.
        dtype: anything that `numpy.dtype` takes.
        name: what the graph calls the argument.

    >>> TensorSpec((None, 3), "float32")
    TensorSpec((None, 3), float32)
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Sequence[int | None], dtype: Any = np.float64, name: str | None = None):
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
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
        """Whether an array, NumPy scalar or other spec has this dtype and a shape that fits."""
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        if dtype != self.dtype or shape is None or len(shape) != len(self.shape):
            return False
        return all(own is None or own == given for own, given in zip(self.shape, shape, strict=True))


def fitted(value: Any, spec: TensorSpec, what: str, hint: str = "") -> Any:
    """A value that came from outside as an array or NumPy scalar.

    Raises:
        TypeError: it does not fit `spec`; the text begins with `what` and ends with `hint`.
    """
    array = np.asarray(value)
    if type(value) in (bool, int, float, complex) and np.can_cast(array.dtype, spec.dtype, "same_kind"):
        array = array.astype(spec.dtype)
    if not spec.admits(array):
        raise TypeError(f"{what} {ArrayType(array.dtype, array.shape)}, but its spec is {spec.type}{hint}")
    return array if array.ndim else array[()]


class Identity:
    """Stands for an object that is told apart by identity, and is not kept alive."""

    __slots__ = ("_hash", "_ref", "text")

    def __init__(self, value: Any):
        self._hash = id(value)
        self.text = type(value).__name__
        try:
            self._ref: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def get(self) -> Any:
        """The object; None when it is gone."""
        return self._ref()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._ref() is not None and self._ref() is other._ref()

    def __repr__(self) -> str:
        return f"<{self.text}>" if self._ref() is None else repr(self._ref())


_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None), range, type(...)))


def known(leaf: Any) -> Any:
    """A leaf as traces keep it: numbers and text themselves, else the identity."""
    return leaf if type(leaf) in _PLAIN else Identity(leaf)


def key(leaf: Any) -> Any:
    """Equal for leaves for which one trace does: dtype and shape of arrays, exact type and value of
    numbers and text, identity of all else.
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
