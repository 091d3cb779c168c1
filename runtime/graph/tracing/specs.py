"""What an argument of a trace is: a `TensorSpec`, a plain value, or the `Identity` of an object."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..boundary import public
from ..errors import ArgumentError, OptionError, SpecError, told
from .types import ArrayType


class TensorSpec:
    """The shape and dtype of an argument.

    Args:
        shape: a tuple of lengths; None is a length that is known only at run time.
        dtype: anything that `numpy.dtype` takes.
        name: what the graph calls the argument.

    Raises:
        ArgumentError: `shape` is no sequence of lengths, or `dtype` none that NumPy knows.
        OptionError: a length is below 0.

    >>> TensorSpec((None, 3), "float32")
    TensorSpec((None, 3), float32)
    """

    __slots__ = ("dtype", "name", "shape")

    @public
    def __init__(self, shape: Sequence[int | None], dtype: Any = np.float64, name: str | None = None):
        self.shape = _lengths(shape)
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
        """Whether an array, NumPy scalar or other spec has this dtype and a shape that fits."""
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        if dtype != self.dtype or shape is None or len(shape) != len(self.shape):
            return False
        return all(own is None or own == given for own, given in zip(self.shape, shape, strict=True))


def _lengths(shape: Sequence[int | None]) -> tuple[int | None, ...]:
    try:
        lengths = tuple([None if n is None else operator.index(n) for n in shape])
    except TypeError as error:
        raise ArgumentError(
            f"the shape of a TensorSpec is a sequence of lengths, not {told(shape)}",
            why="a shape has an int for each dimension, or None for a length that is known at run time",
            remedy="give () for a scalar, (3,) for three items, (None, 3) for any number of rows",
        ) from error
    wrong = [n for n in lengths if n is not None and not 0 <= n < 2**63]
    if wrong:
        raise OptionError(
            f"a length of a TensorSpec is 0 or more, and has 64 bits; this is {wrong[0]}",
            why="no array has such a shape",
            remedy="give None for a length that is known only at run time",
        )
    return lengths


def checked_dtype(dtype: Any, what: str) -> np.dtype:
    try:
        return np.dtype(dtype)
    except TypeError as error:
        raise ArgumentError(
            f"the dtype of {what} is what numpy.dtype takes, not {told(dtype)}",
            why=f"NumPy says: {error}",
            remedy="give a name such as 'float64', or a type such as np.float32",
        ) from error


def fitted(value: Any, spec: TensorSpec, what: str) -> Any:
    """A value that came from outside as an array or NumPy scalar.

    Raises:
        SpecError: it does not fit `spec`; the text begins with `what`. The place is for the graph to say.
    """
    array = np.asarray(value)
    if type(value) in (bool, int, float, complex) and np.can_cast(array.dtype, spec.dtype, "same_kind"):
        array = array.astype(spec.dtype)
    if not spec.admits(array):
        raise SpecError(
            f"{what} {ArrayType(array.dtype, array.shape)}, but its spec is {spec.type}",
            why="the graph was made for what the spec says",
            remedy="give the spec of what comes, with None for lengths that differ",
            place=None,
        )
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
