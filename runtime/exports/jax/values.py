"""What a node of a graph is while JAX traces it.

A value is *known* where it is a Python or NumPy object; then the trace computes with it. Else it is a
`jax.Array` of the dtype of its type. A list of values is a list while its length is the same on all paths,
and `Grown` where it is not. A variable that some path leaves unbound is `Missing.VALUE` or a `Maybe`, text
with values in it is a `Said`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...backends.texts import Text, joined
from ...graph.ir import Missing
from ...graph.types import ArrayType, ListType, MaybeType, ScalarType, TupleType

INT = ScalarType(int)
_DTYPES = {
    bool: np.dtype(bool),
    int: np.dtype("int64"),
    float: np.dtype("float64"),
    complex: np.dtype(complex),
}


class Grown:
    """A list whose length may depend on values: its items stand in the first rows of arrays.

    `rows` is structured as an item is, with an array in the place of each number or array. The length is
    `base + extra`, and `most` at most: as the code stands that is known without running it.

    A result of a function of `to_jax` that is such a list has a length and items once its values are known.
    """

    def __init__(self, rows: Any, base: Any, extra: int, most: int):
        self.rows, self.base, self.extra, self.most = rows, base, extra, most

    @property
    def length(self) -> Any:
        return self.extra if self.base is None else self.base + self.extra

    @property
    def capacity(self) -> int:
        size: int = jax.tree.leaves(self.rows)[0].shape[0]
        return size

    def __len__(self) -> int:
        return int(self.length)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        place = range(len(self))[index]
        return jax.tree.map(lambda row: row[place], self.rows)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Grown(at most {self.most} items)"


class Maybe:
    """A value that is there where `bound` is true."""

    def __init__(self, bound: Any, held: Any):
        self.bound, self.held = bound, held


class Computed:
    """Stands for an array that a captured branch or round computes, or is given as an argument."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, place: int, argument: int | None):
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)
        self.place, self.argument = place, argument


class Static:
    """A Python object among the results of a compiled program."""

    def __init__(self, value: Any):
        self.value = value


class Said:
    """One of some texts with values in them; `str` gives it once it is known which, and the values are.

    Args:
        texts: for each its pieces, strings and (place among its values, conversion, format); and the types of
            its values.
        values: for each text its values.
        which: the place of the text.
    """

    def __init__(self, texts: Sequence[tuple[Any, Any]], values: Sequence[Sequence[Any]], which: Any = 0):
        self.texts, self.values, self.which = tuple(texts), [list(v) for v in values], which

    @property
    def plain(self) -> list[str] | None:
        """The texts, if none has values in it."""
        pieces = [pieces for pieces, _ in self.texts]
        if not all(isinstance(piece, str) for text in pieces for piece in text):
            return None
        return ["".join(text) for text in pieces]

    def __str__(self) -> str:
        (pieces, types), values = self.texts[int(self.which)], self.values[int(self.which)]
        given = [on_host(v, t) for v, t in zip(values, types, strict=True)]
        return joined(Text(pieces, given), given)

    def __repr__(self) -> str:
        return f"Said({len(self.texts)} texts)"


def said(text: Any) -> Said:
    """A text as one of one."""
    return text if isinstance(text, Said) else Said([((text,), ())], [()])


jax.tree_util.register_pytree_node(
    Grown, lambda g: ((g.rows, g.base), (g.extra, g.most)), lambda aux, parts: Grown(*parts, *aux)
)
jax.tree_util.register_pytree_node(Static, lambda s: ((), s), lambda s, _: s)
jax.tree_util.register_pytree_node(Maybe, lambda m: ((m.bound, m.held), None), lambda _, parts: Maybe(*parts))
jax.tree_util.register_pytree_node(
    Said, lambda t: ((t.values, t.which), t.texts), lambda texts, parts: Said(texts, *parts)
)


def is_known(value: Any) -> bool:
    """Whether a value, with all that it holds, is there while JAX traces."""
    if isinstance(value, (list, tuple)):
        return all(map(is_known, value))
    return not isinstance(value, (jax.Array, Grown, Maybe, Computed, Said, Iterated))


def dtype_of(kind: Any) -> np.dtype:
    """The dtype in which JAX holds a number or array of a type."""
    return kind.dtype if isinstance(kind, ArrayType) else _DTYPES[kind.python]


def on_host(value: Any, kind: Any) -> Any:
    """A value whose arrays are known, as the embedded graph has it."""
    if isinstance(value, Said):
        return str(value)
    if isinstance(kind, MaybeType):
        if isinstance(value, Maybe):
            return on_host(value.held, kind.held) if value.bound else Missing.VALUE
        return value if value is Missing.VALUE else on_host(value, kind.held)
    if isinstance(kind, ListType):
        return [on_host(item, kind.element) for item in value]
    if isinstance(kind, TupleType):
        return tuple([on_host(part, k) for part, k in zip(value, kind.parts, strict=True)])
    if isinstance(kind, ScalarType) and isinstance(value, (jax.Array, np.ndarray, np.generic)):
        return np.asarray(value).item()
    return np.array(value)[()] if isinstance(value, (jax.Array, np.ndarray)) else value


class Iterated:
    """What a loop takes items of: their number, the item at a place, and all of them in rows.

    The number is `most` at most, if that is known before the values are.
    """

    def __init__(self, length: Any, item: Any, rows: Any, *, has: Any = None, most: int | None = None):
        self.length, self.item, self.rows, self.has = length, item, rows, has
        self.most: int | None = length if is_known(length) else most


def of_range(start: Any, stop: Any, step: Any) -> Iterated:
    """The numbers of a range."""
    if is_known((start, stop, step)):
        length: Any = len(range(start, stop, step))
    elif is_known(step):
        length = jnp.maximum(0, (stop - start + step - (1 if step > 0 else -1)) // step)
    else:
        up = jnp.maximum(0, (stop - start + step - 1) // step)
        length = jnp.where(step > 0, up, jnp.maximum(0, (stop - start + step + 1) // step))
    dtype = _DTYPES[int]

    def item(i: Any) -> Any:
        return i if is_known((start, step)) and (start, step) == (0, 1) else start + i * step

    def has(value: Any) -> Any:
        steps = (value - start) // jnp.where(step == 0, 1, step)
        return (steps >= 0) & (steps < length) & (start + steps * step == value)

    return Iterated(length, item, lambda: item(jnp.arange(length, dtype=dtype)), has=has)


def of_array(array: Any) -> Iterated:
    return Iterated(array.shape[0], lambda i: jnp.asarray(array)[i], lambda: jnp.asarray(array))


def of_enumerate(inner: Iterated, start: Any) -> Iterated:
    def rows() -> Any:
        return jnp.arange(inner.length, dtype=_DTYPES[int]) + start, inner.rows()

    return Iterated(inner.length, lambda i: (i + start, inner.item(i)), rows, most=inner.most)


def of_zip(parts: Sequence[Iterated]) -> Iterated:
    """Items of several; the shortest ends it."""
    lengths = [part.length for part in parts]
    if is_known(lengths):
        length: Any = min(lengths, default=0)
    else:
        length = jnp.min(jnp.stack([jnp.asarray(n) for n in lengths]))

    def rows() -> Any:
        return tuple([jax.tree.map(lambda row: row[:length], part.rows()) for part in parts])

    most = min([part.most for part in parts if part.most is not None], default=None)
    return Iterated(length, lambda i: tuple([part.item(i) for part in parts]), rows, most=most)


def of_reversed(inner: Iterated) -> Iterated:
    def rows() -> Any:
        return jax.tree.map(lambda row: row[::-1], inner.rows())

    return Iterated(inner.length, lambda i: inner.item(inner.length - 1 - i), rows, most=inner.most)
