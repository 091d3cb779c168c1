"""Gradients of Fourier transforms. They are linear, so each cotangent is a transform of the result's."""

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


def _symmetric_transform(function: Any) -> Any:
    """Return the gradient of `fft` or `ifft`, whose matrix is symmetric."""

    def rule(
        ct: Any, y: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
    ) -> Any:
        result = function(ct, None, axis, norm)
        return (result if n is None else _pad_or_truncate(result, shape_of(a)[axis], axis),)

    return rule


def rfft_rule(
    ct: Any, y: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
) -> Any:
    have = shape_of(a)[axis]
    result = np.real(np.fft.fft(ct, have if n is None else n, axis, norm))
    return (result if n is None else _pad_or_truncate(result, have, axis),)


def irfft_rule(
    ct: Any, y: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None
) -> Any:
    """Each frequency counts for its conjugate too, except the first and, for an even length, the last."""
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


def _lengths_and_axes(a: Any, s: Any, axes: Any) -> tuple[Any, Any]:
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(-ndim_of(a), 0)
    axes = list(axes)
    return (s if s is not None else [None] * len(axes)), axes


def _nd_transform(function: Any) -> Any:
    def defined(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
        for n, axis in zip(*_lengths_and_axes(a, s, axes), strict=True):
            a = function(a, n, axis, norm)
        return a

    return defined


def _2d_transform(function: Any) -> Any:
    def defined(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
        return function(a, s, axes, norm)

    return defined


def _rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    s, axes = _lengths_and_axes(a, s, axes)
    a = np.fft.rfft(a, s[-1], axes[-1], norm)
    for n, axis in list(zip(s, axes, strict=True))[-2::-1]:
        a = np.fft.fft(a, n, axis, norm)
    return a


def _irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    s, axes = _lengths_and_axes(a, s, axes)
    for n, axis in list(zip(s, axes, strict=True))[:-1]:
        a = np.fft.ifft(a, n, axis, norm)
    return np.fft.irfft(a, s[-1], axes[-1], norm)


_ADJOINT_NORM: dict[Any, Any] = {
    None: "forward",
    "backward": "forward",
    "forward": "backward",
    "ortho": "ortho",
}


def _hfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    return np.fft.irfft(np.conj(a), n, axis, _ADJOINT_NORM[norm])


def _ihfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    return np.conj(np.fft.rfft(a, n, axis, _ADJOINT_NORM[norm]))


RULES: dict[Any, Any] = {
    np.fft.fft: _symmetric_transform(np.fft.fft),
    np.fft.ifft: _symmetric_transform(np.fft.ifft),
    np.fft.rfft: rfft_rule,
    np.fft.irfft: irfft_rule,
}

DEFINITIONS: dict[Any, Any] = {
    np.fft.fftn: _nd_transform(np.fft.fft),
    np.fft.ifftn: _nd_transform(np.fft.ifft),
    np.fft.fft2: _2d_transform(_nd_transform(np.fft.fft)),
    np.fft.ifft2: _2d_transform(_nd_transform(np.fft.ifft)),
    np.fft.rfftn: _rfftn,
    np.fft.irfftn: _irfftn,
    np.fft.rfft2: _2d_transform(_rfftn),
    np.fft.irfft2: _2d_transform(_irfftn),
    np.fft.hfft: _hfft,
    np.fft.ihfft: _ihfft,
}
