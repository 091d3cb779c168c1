"""Functions of elements that are not ufuncs, and questions that types answer.

Most results are like the first array, or all arrays broadcast.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ..types import ArrayType, Shape
from .probing import Rule, family, functions, named, probe
from .shapes import as_array, broadcast, one_axis, product, shape_of, staged_size


def like(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return a.shape


def along(a: ArrayType, *_: Any, axis: Any = -1, **__: Any) -> Shape:
    """Like the array, after a check of `axis`."""
    one_axis(axis, a.ndim)
    return a.shape


def together(*arrays: ArrayType | None, **_: Any) -> Shape:
    return reduce(broadcast, (a.shape for a in arrays if a is not None))


def polynomial(p: ArrayType, x: ArrayType) -> Shape:
    return broadcast(x.shape, p.shape[1:])


def verdict(*arrays: ArrayType, **_: Any) -> Shape:
    """A Python truth value, for arrays that broadcast."""
    together(*arrays)
    return ()


def single(*_: Any, **__: Any) -> Shape:
    return ()


def clip_type(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    **options: Any,
) -> Any:
    low, high = (given if given is not None else other for given, other in ((a_min, min), (a_max, max)))
    shape = broadcast(*(shape_of(v) for v in (a, low, high) if v is not None))
    result = probe(np.clip, *(weakly(v) for v in (a, low, high)), **options)
    return ArrayType(result.dtype, shape)


def weakly(value: Any) -> Any:
    return as_array(value) if isinstance(value, list) else value


# --- questions that types answer -------------------------------------------------------------


def shape_type(a: Any) -> tuple[Any, ...]:
    return tuple(map(staged_size, shape_of(a)))


def size_type(a: Any, axis: Any = None) -> Any:
    shape = shape_of(a)
    if axis is None:
        return staged_size(product(shape))
    probe(np.size, as_array(a), axis)
    if isinstance(axis, tuple):
        return staged_size(product([shape[one_axis(i, len(shape))] for i in axis]))
    return staged_size(shape[axis])


def ndim_type(a: Any) -> int:
    return len(shape_of(a))


def answered(function: Any) -> Rule:
    """The rule of a function whose result depends on types alone: the plain result."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        return probe(function, *args, **kwargs)

    return rule


RULES: dict[Any, Rule] = {
    **family(
        like,
        "around round nan_to_num real imag angle sinc i0 fix iscomplex isreal isposinf isneginf",
    ),
    **family(like, "interp", arrays=("x", "xp", "fp")),
    **family(polynomial, "polyval", arrays=("p", "x")),
    **family(along, "unwrap"),
    **family(together, "isclose", arrays=("a", "b", "rtol", "atol")),
    **family(verdict, "allclose", arrays=("a", "b")),
    **family(single, "array_equal array_equiv", arrays=("a1", "a2")),
    **named(shape=shape_type, size=size_type, ndim=ndim_type, clip=clip_type),
    **{f: answered(f) for f in functions("iscomplexobj isrealobj result_type can_cast common_type isscalar")},
}
