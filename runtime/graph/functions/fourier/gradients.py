"""Gradients of Fourier transforms, which are linear: a gradient transforms the cotangent of the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of, shape_of
from ...gradient.unsupported import unsupported_argument


def _pad_or_truncate(a: Any, n: Any, axis: int) -> Any:
    """Truncate or zero-pad an array to length n along an axis."""
    have = shape_of(a)[axis]
    if n is None or n == have:
        return a
    axis %= ndim_of(a)
    if n < have:
        return a[(slice(None),) * axis + (slice(0, n),)]
    return np.pad(a, [(0, n - have) if i == axis else (0, 0) for i in range(ndim_of(a))])


def _transposed(transform: Any) -> Any:
    """Return the gradient of a transform, given a function that multiplies by its transposed matrix."""

    def rule(
        ct: Any, y: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
    ) -> Any:
        have = shape_of(a)[axis]
        result = transform(ct, have if n is None else n, axis, norm)
        return (result if n is None else _pad_or_truncate(result, have, axis),)

    return rule


def irfft_rule(
    ct: Any, y: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
) -> Any:
    """Count each frequency twice, once for its conjugate, except the first and, for even n, the last."""
    have, n = shape_of(a)[axis], shape_of(y)[axis]
    if not isinstance(n, int):
        raise unsupported_argument("numpy.fft.irfft", "an array of unknown length")
    result = np.conj(np.fft.rfft(ct, None, axis, _ADJOINT_NORM[norm]))
    twice = np.full(n // 2 + 1, 2.0)
    twice[0] = 1
    if n % 2 == 0:
        twice[-1] = 1
    along = axis % ndim_of(a)
    result = result * np.reshape(twice, (-1,) + (1,) * (ndim_of(a) - 1 - along))
    return (_pad_or_truncate(result, have, axis),)


def _nd_transform(last: Any, others: Any, default: Any = None, *, inverse: bool = False) -> Any:
    """Return the definition of a transform along several axes.

    `last` transforms the last axis before `others` transforms the other axes, or after it if `inverse`.
    """

    def defined(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        if axes is None:
            axes = range(-(ndim_of(a) if s is None else len(s)), 0)
        if not axes:
            return a
        *steps, final = zip([None] * len(axes) if s is None else s, axes, strict=True)
        order = [*((others, *step) for step in steps), (last, *final)]
        for function, n, axis in order if inverse else order[::-1]:
            a = function(a, n, axis, norm)
        return a

    return defined


_ADJOINT_NORM: dict[Any, Any] = {
    None: "forward",
    "backward": "forward",
    "forward": "backward",
    "ortho": "ortho",
}


RULES: dict[Any, Any] = {
    np.fft.fft: _transposed(lambda ct, n, axis, norm: np.fft.fft(ct, None, axis, norm)),
    np.fft.ifft: _transposed(lambda ct, n, axis, norm: np.fft.ifft(ct, None, axis, norm)),
    np.fft.rfft: _transposed(lambda ct, n, axis, norm: np.real(np.fft.fft(ct, n, axis, norm))),
    np.fft.irfft: irfft_rule,
}

DEFINITIONS: dict[Any, Any] = {
    np.fft.fftn: _nd_transform(np.fft.fft, np.fft.fft),
    np.fft.ifftn: _nd_transform(np.fft.ifft, np.fft.ifft),
    np.fft.fft2: _nd_transform(np.fft.fft, np.fft.fft, (-2, -1)),
    np.fft.ifft2: _nd_transform(np.fft.ifft, np.fft.ifft, (-2, -1)),
    np.fft.rfftn: _nd_transform(np.fft.rfft, np.fft.fft),
    np.fft.irfftn: _nd_transform(np.fft.irfft, np.fft.ifft, inverse=True),
    np.fft.rfft2: _nd_transform(np.fft.rfft, np.fft.fft, (-2, -1)),
    np.fft.irfft2: _nd_transform(np.fft.irfft, np.fft.ifft, (-2, -1), inverse=True),
    np.fft.hfft: lambda a, n=None, axis=-1, norm=None, out=None: np.fft.irfft(
        np.conj(a), n, axis, _ADJOINT_NORM[norm]
    ),
    np.fft.ihfft: lambda a, n=None, axis=-1, norm=None, out=None: np.conj(
        np.fft.rfft(a, n, axis, _ADJOINT_NORM[norm])
    ),
}
