"""Type rules of `np.fft`: transforms keep the rank; `n=` and `s=` set the lengths of axes.

A *real* transform of n numbers has n // 2 + 1 terms. An *inverse real* transform turns m terms
into 2 * (m - 1) numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.types import ArrayType
from ...rules.probing import Rule, named_rules
from ...rules.shapes import (
    Dimension,
    as_array,
    is_staged,
    map_known,
    normalize_axis,
    replace_axis,
    requested_dimension,
    require_plain,
)


def real_terms(n: Dimension) -> Dimension:
    return map_known(lambda n: n // 2 + 1, n)


def all_terms(n: Dimension) -> Dimension:
    return n


def default_points(length: Dimension, inverse: bool) -> Dimension:
    """Return the default number of points of a transform along an axis."""
    return map_known(lambda m: 2 * (m - 1), length) if inverse else length


def check_points(count: Any) -> Dimension:
    """Return the number of points of a transform; raise NumPy's error if it is below 1."""
    if count is None or is_staged(count):
        return None
    if count < 1:
        raise ValueError(f"Invalid number of FFT data points ({count}) specified.")
    return int(count)


def transform_rule(name: str, terms: Any, inverse: bool = False) -> Rule:
    """Return the rule of a transform along one axis; `terms` maps the number of points to that of results."""

    def rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ArrayType:
        array = as_array(a)
        # Like NumPy, look up the length before checking the axis: the errors differ.
        count = check_points(default_points(array.shape[axis], inverse) if n is None else n)
        shape = replace_axis(array.shape, normalize_axis(axis, array.ndim), terms(count))
        return ArrayType(dtype_of(name, array, norm), shape)

    return rule


def nd_transform_rule(
    name: str, terms: Any, inverse: bool = False, default: Sequence[int] | None = None
) -> Rule:
    """Return the rule of a transform along several axes. Only the last has the number of `terms`."""

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> ArrayType:
        array = as_array(a)
        if require_plain(axes, "axes") is None:
            axes = range(-(array.ndim if s is None else len(s)), 0)
        if s is None:
            part_lengths = [array.shape[i] for i in np.take(range(array.ndim), axes)] if axes else []
            part_lengths[-1:] = [default_points(length, inverse) for length in part_lengths[-1:]]
        else:
            # -1 means the whole axis.
            pairs = zip(axes, s, strict=False)
            part_lengths = [array.shape[i] if not is_staged(n) and n == -1 else n for i, n in pairs]
        if s is not None and len(s) != len(axes):
            raise ValueError("Shape and axes have different lengths.")
        shape = array.shape
        last = True
        for axis, length in reversed(list(zip(axes, part_lengths, strict=True))):
            count = check_points(length)
            shape = replace_axis(shape, normalize_axis(axis, array.ndim), terms(count) if last else count)
            last = False
        return ArrayType(dtype_of(name, array, norm) if axes else array.dtype, shape)

    return rule


def dtype_of(name: str, array: ArrayType, norm: Any) -> np.dtype[Any]:
    """Return the dtype of a transform. Two points suffice for every kind of transform."""
    return getattr(np.fft, name)(np.ones(2, array.dtype), norm=norm).dtype


def fftfreq_type(n: Any, d: Any = 1.0, device: Any = None) -> ArrayType:
    return ArrayType(np.dtype(float), (frequency_count(n),))


def rfftfreq_type(n: Any, d: Any = 1.0, device: Any = None) -> ArrayType:
    return ArrayType(np.dtype(float), (real_terms(frequency_count(n)),))


def frequency_count(n: Any) -> Dimension:
    if not is_staged(n) and not isinstance(n, int | np.integer):
        raise ValueError("n should be an integer")
    return requested_dimension(n)


LAST_TWO_AXES = (-2, -1)

RULES: dict[Any, Rule] = named_rules(
    fft__fft=transform_rule("fft", all_terms),
    fft__ifft=transform_rule("ifft", all_terms),
    fft__rfft=transform_rule("rfft", real_terms),
    fft__irfft=transform_rule("irfft", all_terms, inverse=True),
    fft__hfft=transform_rule("hfft", all_terms, inverse=True),
    fft__ihfft=transform_rule("ihfft", real_terms),
    fft__fft2=nd_transform_rule("fft", all_terms, default=LAST_TWO_AXES),
    fft__ifft2=nd_transform_rule("ifft", all_terms, default=LAST_TWO_AXES),
    fft__fftn=nd_transform_rule("fft", all_terms),
    fft__ifftn=nd_transform_rule("ifft", all_terms),
    fft__rfft2=nd_transform_rule("rfft", real_terms, default=LAST_TWO_AXES),
    fft__rfftn=nd_transform_rule("rfft", real_terms),
    fft__irfft2=nd_transform_rule("irfft", all_terms, inverse=True, default=LAST_TWO_AXES),
    fft__irfftn=nd_transform_rule("irfft", all_terms, inverse=True),
    fft__fftfreq=fftfreq_type,
    fft__rfftfreq=rfftfreq_type,
)
