"""Arrays whose number of items is known only when the program runs.

A *bounded array* is a buffer of a fixed number of rows, its *bound*. The first `length` rows are the items,
and the others are padding. JAX computes all rows. Each operation takes only the items into account, and
leaves ones in the padding, for which most functions are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ...errors import OptionError, UnsupportedFunctionError, ValueNeededError
from .. import staged_by
from ..functional.abstract_values import Compound
from .private import known_value, weak_array

LengthKey = tuple[Any, ...]
"""What a length was computed from; lengths with equal keys are equal. No key equals the empty one."""


class BoundedArray(Compound):
    """An array of `length` items, the first rows of the buffer `data`.

    Attributes:
        data: an array of shape (bound, ...).
        length: the number of items, an integer array without dimensions.
        key: what the length was computed from, for comparisons during the trace.
        may_exceed: whether the length may be larger than the buffer, which then lacks the last items. Loops
            check what they carry; others use `exact`.
        cut: the buffer with as many rows as a loop carries, if an append has made it, too.
    """

    __array_ufunc__ = None  # NumPy's arrays leave operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, data: Any, length: Any, key: LengthKey = (), *, may_exceed: bool = False, cut: Any = None
    ):
        self.data, self.length, self.key, self.may_exceed, self.cut = data, length, key, may_exceed, cut

    # Parts, from which staging and JAX's transformations rebuild the array

    @property
    def parts(self) -> list[Any]:
        return [self.data, self.length, *([] if self.cut is None else [self.cut])]

    def with_parts(self, parts: Sequence[Any]) -> Self:
        data, length, *cut = parts
        return type(self)(data, length, may_exceed=self.may_exceed, cut=cut[0] if cut else None)

    def known(self, parts: Sequence[Any]) -> Any:
        data, length, *_ = parts
        return np.asarray(data)[: int(length)]

    # Attributes of an array

    @property
    def bound(self) -> int:
        """The largest number of items."""
        return int(self.data.shape[0])

    @property
    def mask(self) -> Any:
        """An array of bools, one for each row of the buffer: whether it is an item."""
        length = jnp.asarray(self.length)
        return jnp.arange(self.data.shape[length.ndim]) < length[..., None]

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return int(self.data.ndim)

    @property
    def shape(self) -> tuple[Any, ...]:
        return (self.count(), *self.data.shape[1:])

    @property
    def size(self) -> Any:
        return self.count() * int(np.prod(self.data.shape[1:]))

    def count(self) -> Any:
        """Return the number of items, as an int or a staged Python number."""
        if self.is_known:
            return len(self.trimmed())
        return weak_array(self.length, self.length.dtype)

    @property
    def is_known(self) -> bool:
        """Whether the number of items is known, because the program has run."""
        if isinstance(self.length, jax.core.Tracer):
            return known_value(self.length) is not None
        return isinstance(self.length, (jax.Array, np.ndarray, np.integer, int))

    def trimmed(self) -> Any:
        """Return the items as an ordinary array."""
        if not self.is_known:
            raise _unknown("its items are converted to an ordinary array")
        if np.ndim(self.length):
            raise ValueNeededError(
                "a batch of arrays of different lengths is converted to one array",
                why="jax.vmap returned one buffer and one length for each",
                remedy="take the i-th of them: jax.tree.map(lambda part: part[i], arrays)",
            )
        return self.data[: int(self.length)]

    # Python's conversions, which need the items

    def __len__(self) -> int:
        if self.is_known:
            return len(self.trimmed())
        raise _unknown("Python takes its length")

    def __iter__(self) -> Iterator[Any]:
        if self.is_known:
            return iter(self.trimmed())
        raise _unknown("Python iterates over it")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.trimmed(), dtype)

    def __bool__(self) -> bool:
        if self.is_known:
            return bool(self.trimmed())
        raise ValueError("The truth value of an array is ambiguous. Use a.any() or a.all(), or len(a) > 0")

    def tolist(self) -> list[Any]:
        return self.trimmed().tolist()

    def __repr__(self) -> str:
        if self.is_known and not np.ndim(self.length):
            return repr(self.trimmed())
        return f"BoundedArray({self.dtype}, bound={self.bound})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "data" not in vars(self) or not hasattr(self.data, name):
            raise AttributeError(f"a bounded array has no attribute {name!r}")
        if self.is_known:
            return getattr(self.trimmed(), name)
        raise unsupported(f"the attribute {name!r}")


def _unknown(what: str) -> ValueNeededError:
    return ValueNeededError(
        f"the number of items of an array is needed during the trace: {what}",
        why="the program computes the number of items when it runs",
        remedy="use it in converted code, or return it: outside of the compiled function, np.asarray(result) "
        "has the items",
    )


def unsupported(what: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"{what} is not available for an array whose number of items is known only at run time",
        why="JAX computes with a buffer of fixed size, and only functions that know its padding are right",
        remedy="compute with x.data, all rows of the buffer, and x.mask, which is true for its items; or use "
        "one of the functions listed in docs/backends.md",
    )


def require(test: Any, error: Callable[[], Exception]) -> None:
    """Raise an error if a test is false, when the program runs if that decides it."""
    backend = staged_by(test)
    if backend is not None:
        backend.fail(jnp.logical_not(test), error())  # type: ignore[attr-defined]
    elif not test:
        raise error()


def padded(data: Any, length: Any, key: LengthKey = ()) -> BoundedArray:
    """Return the bounded array of the first `length` rows, with ones in the padding."""
    if not jax.dtypes.issubdtype(data.dtype, jax.dtypes.extended):
        mask = jnp.arange(data.shape[0]) < length
        mask = lax.broadcast_in_dim(mask, data.shape, (0,))
        data = lax.select(mask, data, lax.full_like(data, 1))
    return BoundedArray(data, length, key)


def resized(data: Any, bound: int) -> Any:
    """Return an array with `bound` rows: its first ones, and then ones."""
    if data.shape[0] >= bound:
        return data[:bound]
    return lax.pad(
        data, lax.full_like(data, 1, shape=()), [(0, bound - len(data), 0)] + [(0, 0, 0)] * (data.ndim - 1)
    )


def known_as_arrays(value: Any) -> Any:
    """Return a bounded array as an ordinary one if its length is known, else as one that lacks no items.

    Any other value is returned unchanged.
    """
    if not isinstance(value, BoundedArray):
        return value
    return value.trimmed() if value.is_known else exact(value)


def exact(x: BoundedArray) -> BoundedArray:
    """Make the program raise an error if an array lacks items that did not fit into its buffer."""
    if not x.may_exceed:
        return x
    require(x.length <= x.bound, lambda: exceeded(x.bound))
    return BoundedArray(x.data, x.length, x.key)


def exceeded(maximum: int) -> OptionError:
    return OptionError(
        f"an array or list has more items than the maximum_size={maximum} of its loop",
        why="JAX reserves memory for so many items before the program runs",
        remedy="state a larger maximum_size",
    )


def has_equal_length(first: BoundedArray, second: BoundedArray) -> bool:
    """Return whether two lengths are known to be equal during the trace."""
    return first.length is second.length or (first.key != () and _equal(first.key, second.key))


def _equal(first: Any, second: Any) -> bool:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_equal, first, second))
    if isinstance(first, (int, str)) and isinstance(second, (int, str)):
        return type(first) is type(second) and first == second
    return first is second


def key_of(value: Any) -> Any:
    """Return what tells whether the lengths of two arrays are equal during the trace."""
    if not isinstance(value, BoundedArray):
        return int(value.shape[0])
    return value.key or (value.length,)


def check_lengths(arrays: Sequence[Any], what: str = "operands could not be broadcast together") -> None:
    """Make the program raise a ValueError unless the arrays have as many items as the first bounded one."""
    first = next(array for array in arrays if isinstance(array, BoundedArray))
    for array in arrays:
        if array is first:
            continue
        if not isinstance(array, BoundedArray):
            require(first.length == array.shape[0], lambda: ValueError(what))
        elif not has_equal_length(first, array):
            require(first.length == array.length, lambda: ValueError(what))


def buffer_of(value: Any) -> Any:
    """Return the buffer of a bounded array, and any other value unchanged."""
    return value.data if isinstance(value, BoundedArray) else value


def joined(first: Any, second: Any) -> Any:
    """Return the items of an array followed by those of another."""
    if buffer_of(first).shape[1:] != buffer_of(second).shape[1:]:
        raise ValueError(
            "all the input array dimensions except for the concatenation axis must match exactly"
        )
    second = exact(second) if isinstance(second, BoundedArray) else second
    dtype = jnp.result_type(buffer_of(first), buffer_of(second))
    before, after = (jnp.asarray(buffer_of(a)).astype(dtype) for a in (first, second))
    if not isinstance(first, BoundedArray):
        data = jnp.concatenate([before, after])
        return BoundedArray(data, second.length + len(before)) if isinstance(second, BoundedArray) else data
    count = second.length if isinstance(second, BoundedArray) else len(after)
    backend = staged_by(first.length)
    cut = None
    if first.may_exceed or (backend is not None and backend.maximum_size == first.bound):  # type: ignore[attr-defined]
        places = first.length + jnp.arange(len(after))
        if count is not len(after):
            places = jnp.where(jnp.arange(len(after)) < count, places, first.bound)
        one = (places, after) if len(after) != 1 else (places[0], after[0])
        cut = before.at[one[0]].set(one[1], mode="drop")
    if first.may_exceed:
        return BoundedArray(cut, first.length + count, may_exceed=True)
    data = lax.dynamic_update_slice_in_dim(resized(before, first.bound + len(after)), after, first.length, 0)
    return BoundedArray(data, first.length + count, cut=cut)
