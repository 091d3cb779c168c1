"""Type rules for `np.fft`. Transforms keep the rank, and `n=` and `s=` set the lengths of axes.

A *real* transform of n numbers, `rfft` or `ihfft`, has n // 2 + 1 terms. An *inverse real* transform, `irfft`
or `hfft`, turns m terms into 2 * (m - 1) numbers.
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


def check_points(count: Any) -> Dimension:
    """Return the number of points of a transform, or raise NumPy's error if it is below 1."""
    if count is None or is_staged(count):
        return None
    if count < 1:
        raise ValueError(f"Invalid number of FFT data points ({count}) specified.")
    return int(count)


def point_count(length: Dimension, name: str) -> Dimension:
    """Return the default number of points of a transform along an axis."""
    return map_known(lambda m: 2 * (m - 1), length) if name in ("irfft", "hfft") else length


def term_count(points: Dimension, name: str) -> Dimension:
    """Return the length of a transform's result, given the number of points."""
    return map_known(lambda n: n // 2 + 1, points) if name in ("rfft", "ihfft") else points


def transform_rule(name: str) -> Rule:
    """Return the rule for a transform along one axis."""

    def rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ArrayType:
        array = as_array(a)
        # Like NumPy, look up the length before checking the axis: the errors differ.
        count = check_points(point_count(array.shape[axis], name) if n is None else n)
        shape = replace_axis(array.shape, normalize_axis(axis, array.ndim), term_count(count, name))
        return ArrayType(dtype_of(name, array, norm), shape)

    return rule


def nd_transform_rule(name: str, default: Sequence[int] | None = None) -> Rule:
    """Return the rule for a transform along several axes: `name` along the last, complex along the others."""

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> ArrayType:
        array = as_array(a)
        if require_plain(axes, "axes") is None:
            axes = range(-(array.ndim if s is None else len(s)), 0)
        if s is None:
            part_lengths = [array.shape[i] for i in np.take(range(array.ndim), axes)] if axes else []
            part_lengths[-1:] = [point_count(length, name) for length in part_lengths[-1:]]
        else:
            # -1 means the whole axis.
            pairs = zip(axes, s, strict=False)
            part_lengths = [array.shape[i] if not is_staged(n) and n == -1 else n for i, n in pairs]
            if len(s) != len(axes):
                raise ValueError("Shape and axes have different lengths.")
        shape, kind = array.shape, name
        for axis, length in reversed(list(zip(axes, part_lengths, strict=True))):
            count = term_count(check_points(length), kind)
            shape, kind = replace_axis(shape, normalize_axis(axis, array.ndim), count), "fft"
        return ArrayType(dtype_of(name, array, norm) if axes else array.dtype, shape)

    return rule


def dtype_of(name: str, array: ArrayType, norm: Any) -> np.dtype[Any]:
    """Return the dtype of a transform, found by transforming two points, which every kind accepts."""
    return getattr(np.fft, name)(np.ones(2, array.dtype), norm=norm).dtype


def frequencies_type(n: Any, name: str) -> ArrayType:
    if not is_staged(n) and not isinstance(n, int | np.integer):
        raise ValueError("n should be an integer")
    return ArrayType(np.dtype(float), (term_count(requested_dimension(n), name),))


RULES: dict[Any, Rule] = named_rules(
    **{f"fft__{name}": transform_rule(name) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft__{name}n": nd_transform_rule(name) for name in ("fft", "ifft", "rfft", "irfft")},
    **{f"fft__{name}2": nd_transform_rule(name, (-2, -1)) for name in ("fft", "ifft", "rfft", "irfft")},
    fft__fftfreq=lambda n, d=1.0, device=None: frequencies_type(n, "fft"),
    fft__rfftfreq=lambda n, d=1.0, device=None: frequencies_type(n, "rfft"),
)
