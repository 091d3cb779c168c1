"""`np.fft`: transforms keep the rank; `n=` and `s=` set the lengths of the transformed axes.

A *real* transform of n numbers has n // 2 + 1 terms, and an *inverse real* one turns m terms
into 2 * (m - 1) numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..types import ArrayType
from .probing import Rule, named
from .shapes import Dimension, as_array, dimension, is_staged, lift, one_axis, replaced, static


def halved(n: Dimension) -> Dimension:
    return lift(lambda n: n // 2 + 1, n)


def unchanged(n: Dimension) -> Dimension:
    return n


def points(length: Dimension, inverse: bool) -> Dimension:
    """How many points an axis is transformed over if the user does not say."""
    return lift(lambda m: 2 * (m - 1), length) if inverse else length


def checked(count: Any) -> Dimension:
    """A number of points, the user's or not."""
    if count is None or is_staged(count):
        return None
    if count < 1:
        raise ValueError(f"Invalid number of FFT data points ({count}) specified.")
    return int(count)


def transform(name: str, terms: Any, inverse: bool = False) -> Rule:
    """The rule of a transform along one axis; `terms` counts the results from the points."""

    def rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ArrayType:
        array = as_array(a)
        # Like NumPy, look the length up before the axis is checked: the errors differ.
        count = checked(points(array.shape[axis], inverse) if n is None else n)
        shape = replaced(array.shape, one_axis(axis, array.ndim), terms(count))
        return ArrayType(dtype_of(name, array, norm), shape)

    return rule


def transform_of_many(
    name: str, terms: Any, inverse: bool = False, default: Sequence[int] | None = None
) -> Rule:
    """The rule of a transform along several axes, of which the last has the `terms`."""

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> ArrayType:
        array = as_array(a)
        if static(axes, "axes") is None:
            axes = range(-(array.ndim if s is None else len(s)), 0)
        if s is None:
            lengths = [array.shape[i] for i in np.take(range(array.ndim), axes)] if axes else []
            lengths[-1:] = [points(length, inverse) for length in lengths[-1:]]
        else:
            # -1 stands for the whole axis.
            pairs = zip(axes, s, strict=False)
            lengths = [array.shape[i] if not is_staged(n) and n == -1 else n for i, n in pairs]
        if s is not None and len(s) != len(axes):
            raise ValueError("Shape and axes have different lengths.")
        shape = array.shape
        last = True
        for axis, length in reversed(list(zip(axes, lengths, strict=True))):
            count = checked(length)
            shape = replaced(shape, one_axis(axis, array.ndim), terms(count) if last else count)
            last = False
        return ArrayType(dtype_of(name, array, norm) if axes else array.dtype, shape)

    return rule


def dtype_of(name: str, array: ArrayType, norm: Any) -> np.dtype[Any]:
    """The dtype of the transform along one axis; two points are enough for every kind."""
    return getattr(np.fft, name)(np.ones(2, array.dtype), norm=norm).dtype


def fftfreq_type(n: Any, d: Any = 1.0, device: Any = None) -> ArrayType:
    return ArrayType(np.dtype(float), (frequencies(n),))


def rfftfreq_type(n: Any, d: Any = 1.0, device: Any = None) -> ArrayType:
    return ArrayType(np.dtype(float), (halved(frequencies(n)),))


def frequencies(n: Any) -> Dimension:
    if not is_staged(n) and not isinstance(n, int | np.integer):
        raise ValueError("n should be an integer")
    return dimension(n)


PLANE = (-2, -1)

RULES: dict[Any, Rule] = named(
    fft__fft=transform("fft", unchanged),
    fft__ifft=transform("ifft", unchanged),
    fft__rfft=transform("rfft", halved),
    fft__irfft=transform("irfft", unchanged, inverse=True),
    fft__hfft=transform("hfft", unchanged, inverse=True),
    fft__ihfft=transform("ihfft", halved),
    fft__fft2=transform_of_many("fft", unchanged, default=PLANE),
    fft__ifft2=transform_of_many("ifft", unchanged, default=PLANE),
    fft__fftn=transform_of_many("fft", unchanged),
    fft__ifftn=transform_of_many("ifft", unchanged),
    fft__rfft2=transform_of_many("rfft", halved, default=PLANE),
    fft__rfftn=transform_of_many("rfft", halved),
    fft__irfft2=transform_of_many("irfft", unchanged, inverse=True, default=PLANE),
    fft__irfftn=transform_of_many("irfft", unchanged, inverse=True),
    fft__fftfreq=fftfreq_type,
    fft__rfftfreq=rfftfreq_type,
)
