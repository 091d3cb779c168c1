"""Type rules for element-wise functions other than ufuncs, and for functions that depend only on types.

Most results have the shape of the first array, or of all arrays broadcast together.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from ...ir.types import ArrayType, Shape
from ...rules import methods
from ...rules.probing import Rule, formula_rules, named_rules, numpy_functions, probe
from ...rules.shapes import (
    as_array,
    broadcast,
    dimension_result,
    element_count,
    normalize_axis,
    require_plain,
    shape_of,
)


def same_shape(a: ArrayType, *_: Any, **__: Any) -> Shape:
    return a.shape


def broadcast_shape(*arrays: ArrayType | None, **_: Any) -> Shape:
    return reduce(broadcast, (a.shape for a in arrays if a is not None))


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
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    shape = broadcast(*(shape_of(v) for v in (a, low, high) if v is not None))
    result = probe(np.clip, *(as_array(v) if isinstance(v, list) else v for v in (a, low, high)), **options)
    return ArrayType(result.dtype, shape)


def size_type(a: Any, axis: Any = None) -> Any:
    shape = shape_of(a)
    if axis is None:
        return dimension_result(element_count(shape))
    probe(np.size, as_array(a), axis)
    if isinstance(axis, tuple):
        return dimension_result(element_count([shape[normalize_axis(i, len(shape))] for i in axis]))
    return dimension_result(shape[axis])


def min_scalar_type(a: Any, /) -> Any:
    """Return the dtype of an array. That of a number depends on the number."""
    return as_array(a).dtype if shape_of(a) else np.min_scalar_type(require_plain(a, "a"))


RULES: dict[Any, Rule] = {
    **formula_rules(
        same_shape,
        "around round nan_to_num real imag angle sinc i0 fix iscomplex isreal isposinf isneginf",
    ),
    **formula_rules(broadcast_shape, "isclose", arrays=("a", "b", "rtol", "atol")),
    **formula_rules(lambda *arrays, **_: broadcast_shape(*arrays) and (), "allclose", arrays=("a", "b")),
    **formula_rules(lambda *_, **__: (), "array_equal array_equiv", arrays=("a1", "a2")),
    **named_rules(
        shape=lambda a: tuple(map(dimension_result, shape_of(a))),
        size=size_type,
        ndim=lambda a: len(shape_of(a)),
        clip=clip_type,
        iterable=lambda y: bool(shape_of(y)),
    ),
    methods.clip: clip_type,
    **{
        f: partial(probe, f)  # the result depends on types alone and is a plain value
        for f in numpy_functions("iscomplexobj isrealobj result_type can_cast common_type isscalar")
    },
    np.min_scalar_type: min_scalar_type,
}
