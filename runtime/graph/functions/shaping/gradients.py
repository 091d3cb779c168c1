"""Gradients of functions that rearrange elements: the reverse moves the cotangents back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import CotangentAt, index_range, ndim_of, shape_of, unbroadcast, zeros
from ...gradient.unsupported import unsupported_argument
from ...rules import methods


def _reshape_back(ct: Any, y: Any, a: Any, *_: Any, **__: Any) -> Any:
    """Return the gradient of a function that only changes the shape."""
    return (np.reshape(ct, shape_of(a)),)


def reshape_rule(ct: Any, y: Any, a: Any, /, shape: Any = None, order: Any = "C", *,
                 newshape: Any = None, copy: Any = None) -> Any:  # fmt: skip
    return _reshape_back_in_order("numpy.reshape", ct, a, order)


def ravel_rule(ct: Any, y: Any, a: Any, order: Any = "C") -> Any:
    return _reshape_back_in_order("numpy.ravel", ct, a, order)


def reshape_method_rule(ct: Any, y: Any, a: Any, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    return _reshape_back_in_order("numpy.reshape", ct, a, order)


def _reshape_back_in_order(name: str, ct: Any, a: Any, order: Any) -> tuple[Any]:
    if order not in ("C", "F"):
        raise unsupported_argument(name, f"order={order!r}")
    return (np.reshape(ct, shape_of(a), order=order),)


def _inverse_permutation(axes: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argsort([axis % len(axes) for axis in axes]))


def transpose_rule(ct: Any, y: Any, a: Any, axes: Any = None) -> Any:
    return (np.transpose(ct, None if axes is None else _inverse_permutation(axes)),)


def transpose_method_rule(ct: Any, y: Any, a: Any, *axes: Any) -> Any:
    if len(axes) == 1 and not isinstance(axes[0], int):
        axes = axes[0] or ()
    return (np.transpose(ct, _inverse_permutation(axes) if axes else None),)


def swapaxes_rule(ct: Any, y: Any, a: Any, axis1: int, axis2: int) -> Any:
    return (np.swapaxes(ct, axis1, axis2),)


def moveaxis_rule(ct: Any, y: Any, a: Any, source: Any, destination: Any) -> Any:
    return (np.moveaxis(ct, destination, source),)


def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    ndim = ndim_of(a)
    axis, start = axis % ndim, start + ndim if start < 0 else start
    return np.moveaxis(a, axis, start - (axis < start))


def matrix_transpose_rule(ct: Any, y: Any, x: Any, /) -> Any:
    return (np.swapaxes(ct, -1, -2),)


def rot90_rule(ct: Any, y: Any, m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    return (np.rot90(ct, -k, axes),)


def flip_rule(ct: Any, y: Any, m: Any, axis: Any = None) -> Any:
    return (np.flip(ct, axis),)


def roll_rule(ct: Any, y: Any, a: Any, shift: Any, axis: Any = None) -> Any:
    back = tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift
    return (np.roll(ct, back, axis),)


def _shift_rule(sign: int) -> Any:
    """`fftshift` rolls by half of each length, rounded down, and `ifftshift` by the rest."""

    def rule(ct: Any, y: Any, x: Any, axes: Any = None) -> Any:
        return ((np.fft.ifftshift if sign > 0 else np.fft.fftshift)(ct, axes),)

    return rule


def broadcast_rule(ct: Any, y: Any, array: Any, shape: Any = None, subok: bool = False) -> Any:
    return (unbroadcast(ct, array),)


def tril_rule(ct: Any, y: Any, m: Any, k: int = 0) -> Any:
    return (unbroadcast(np.tril(ct, k), m),)


def triu_rule(ct: Any, y: Any, m: Any, k: int = 0) -> Any:
    return (unbroadcast(np.triu(ct, k), m),)


def _tile(A: Any, reps: Any) -> Any:
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    shape = shape_of(A)
    shape = (1,) * (len(reps) - len(shape)) + shape
    reps = (1,) * (len(shape) - len(reps)) + reps
    interleaved = [part for n in shape for part in (1, n)]
    wide = [part for n, r in zip(shape, reps, strict=True) for part in (r, n)]
    result = np.broadcast_to(np.reshape(A, tuple(interleaved)), tuple(wide))
    return np.reshape(result, tuple(n * r for n, r in zip(shape, reps, strict=True)))


def _repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    flat, along = (np.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    return np.take(flat, np.repeat(index_range(shape_of(flat)[along]), repeats), along)


def _resize(a: Any, new_shape: Any) -> Any:
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    flat = np.reshape(a, (-1,))
    total = int(np.prod(shape))
    return np.reshape(np.take(flat, index_range(total) % shape_of(flat)[0]), tuple(shape))


def pad_rule(ct: Any, y: Any, array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    shape = shape_of(array)
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * len(shape)
        for axis, width in pad_width.items():
            widths[axis] = (width, width) if isinstance(width, int) else tuple(width)
        pad_width = widths
    pairs = np.broadcast_to(np.asarray(pad_width), (len(shape), 2)).tolist()
    if mode in ("constant", "empty"):
        return (ct[tuple(slice(low, low + n) for (low, _), n in zip(pairs, shape, strict=True))],)
    if mode not in ("edge", "wrap", "reflect", "symmetric") or options:
        raise unsupported_argument("numpy.pad", f"mode={mode!r}")
    for axis, ((low, high), n) in enumerate(zip(pairs, shape, strict=True)):
        if not isinstance(n, int):
            raise unsupported_argument("numpy.pad", f"mode={mode!r} of an array of unknown length")
        index_range = np.pad(np.arange(n), (low, high), mode)
        moved = np.moveaxis(ct, axis, 0)
        ct = np.moveaxis(
            CotangentAt(index_range, moved).add_to(zeros((n, *shape_of(moved)[1:]), ct.dtype)), 0, axis
        )
    return (ct,)


def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    moved = np.moveaxis(a, (axis1, axis2), (-2, -1))
    *_, n, m = shape_of(moved)
    if not isinstance(n, int) or not isinstance(m, int):
        raise unsupported_argument("numpy.diagonal", "an array of unknown shape")
    first = max(0, -offset)
    count = max(0, min(n - first, m - max(0, offset)))
    index_range = np.arange(count)
    return moved[..., index_range + first, index_range + max(0, offset)]


def _linalg_diagonal(x: Any, /, *, offset: int = 0) -> Any:
    return _diagonal(x, offset, -2, -1)


def diag_rule(ct: Any, y: Any, v: Any, k: int = 0) -> Any:
    if ndim_of(v) == 1:
        return (np.diagonal(ct, k),)
    n, m = shape_of(v)
    square = np.diag(ct, k)
    rows, columns = shape_of(square)
    return (np.pad(square, ((0, max(0, n - rows)), (0, max(0, m - columns))))[:n, :m],)


def _diagflat(v: Any, k: int = 0) -> Any:
    return np.diag(np.reshape(v, (-1,)), k)


def atleast_rule(ct: Any, y: Any, *arys: Any) -> Any:
    if len(arys) == 1:
        return ((np.reshape(ct, shape_of(arys[0])),),)
    return (tuple([
        None if ct.get(i) is None else np.reshape(ct[i], shape_of(a)) for i, a in enumerate(arys)
    ]),)  # fmt: skip


def broadcast_arrays_rule(ct: Any, y: Any, *args: Any, subok: bool = False) -> Any:
    return (tuple([None if ct.get(i) is None else unbroadcast(ct[i], a) for i, a in enumerate(args)]),)


RULES: dict[Any, Any] = {
    **dict.fromkeys((np.squeeze, np.expand_dims), _reshape_back),
    np.reshape: reshape_rule,
    np.ravel: ravel_rule,
    methods.reshape: reshape_method_rule,
    methods.flatten: lambda ct, y, array, order="C": ravel_rule(ct, y, array, order),
    np.transpose: transpose_rule,
    methods.transpose: transpose_method_rule,
    np.swapaxes: swapaxes_rule,
    np.moveaxis: moveaxis_rule,
    **dict.fromkeys((np.matrix_transpose, np.linalg.matrix_transpose), matrix_transpose_rule),
    np.rot90: rot90_rule,
    np.flip: flip_rule,
    np.fliplr: lambda ct, y, m: (np.fliplr(ct),),
    np.flipud: lambda ct, y, m: (np.flipud(ct),),
    np.roll: roll_rule,
    np.fft.fftshift: _shift_rule(1),
    np.fft.ifftshift: _shift_rule(-1),
    np.broadcast_to: broadcast_rule,
    np.tril: tril_rule,
    np.triu: triu_rule,
    np.pad: pad_rule,
    np.diag: diag_rule,
    **dict.fromkeys((np.atleast_1d, np.atleast_2d, np.atleast_3d), atleast_rule),
    np.broadcast_arrays: broadcast_arrays_rule,
}

DEFINITIONS: dict[Any, Any] = {
    np.rollaxis: _rollaxis,
    np.tile: _tile,
    np.repeat: _repeat,
    np.resize: _resize,
    np.diagonal: _diagonal,
    np.linalg.diagonal: _linalg_diagonal,
    np.diagflat: _diagflat,
}
