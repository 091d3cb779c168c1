"""Gradients of functions that rearrange elements: they move the cotangents back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import CotangentAt, index_range, ndim_of, shape_of, unbroadcast, zeros
from ...gradient.unsupported import unsupported_argument
from ...rules import methods


def _reshape_back(ct: Any, y: Any, a: Any, *_: Any, **__: Any) -> Any:
    """Return the gradient of a function that only changes the shape."""
    return (np.reshape(ct, shape_of(a)),)


def _reshape_back_in_order(name: str, ct: Any, a: Any, order: Any) -> tuple[Any]:
    if order not in ("C", "F"):
        raise unsupported_argument(name, f"order={order!r}")
    return (np.reshape(ct, shape_of(a), order=order),)


def ravel_rule(ct: Any, y: Any, a: Any, order: Any = "C") -> Any:
    return _reshape_back_in_order("numpy.ravel", ct, a, order)


def transpose_rule(ct: Any, y: Any, a: Any, axes: Any = None) -> Any:
    inverse = None if axes is None else tuple(np.argsort([i % len(axes) for i in axes]).tolist())
    return (np.transpose(ct, inverse),)


def permutation(function: Any, ndim: int, *args: Any, **kwargs: Any) -> list[int]:
    """Return the order in which a function permutes axes, found on an array whose lengths identify them."""
    numbered = np.lib.stride_tricks.as_strided(np.zeros(1), range(2, ndim + 2), (0,) * ndim)
    return [n - 2 for n in function(numbered, *args, **kwargs).shape]


def _permuting(function: Any) -> Any:
    """Return the definition of a function that only permutes axes."""
    return lambda a, *args, **kwargs: np.transpose(a, permutation(function, ndim_of(a), *args, **kwargs))


def _atleast(function: Any) -> Any:
    """Return the definition of a function that inserts axes. `permutation` numbers new axes -1."""

    def defined(*arys: Any) -> Any:
        axes = [tuple(i for i, n in enumerate(permutation(function, ndim_of(a))) if n < 0) for a in arys]
        result = [np.expand_dims(a, new) if new else a for a, new in zip(arys, axes, strict=True)]
        return result[0] if len(result) == 1 else tuple(result)

    return defined


def _rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    first, second = (a % ndim_of(m) for a in axes)
    turns = k % 4
    if turns == 2:
        return np.flip(np.flip(m, first), second)
    if turns == 1:
        return np.swapaxes(np.flip(m, second), first, second)
    return np.flip(np.swapaxes(m, first, second), second) if turns == 3 else m


def roll_rule(ct: Any, y: Any, a: Any, shift: Any, axis: Any = None) -> Any:
    back = tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift
    return (np.roll(ct, back, axis),)


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
        places = np.pad(np.arange(n), (low, high), mode)
        moved = np.moveaxis(ct, axis, 0)
        total = CotangentAt(places, moved).add_to(zeros((n, *shape_of(moved)[1:]), ct.dtype))
        ct = np.moveaxis(total, 0, axis)
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


def diag_rule(ct: Any, y: Any, v: Any, k: int = 0) -> Any:
    if ndim_of(v) == 1:
        return (np.diagonal(ct, k),)
    n, m = shape_of(v)
    square = np.diag(ct, k)
    rows, columns = shape_of(square)
    return (np.pad(square, ((0, max(0, n - rows)), (0, max(0, m - columns))))[:n, :m],)


def broadcast_arrays_rule(ct: Any, y: Any, *args: Any, subok: bool = False) -> Any:
    return (tuple([None if ct.get(i) is None else unbroadcast(ct[i], a) for i, a in enumerate(args)]),)


RULES: dict[Any, Any] = {
    **dict.fromkeys((np.squeeze, np.expand_dims), _reshape_back),
    np.reshape: lambda ct, y, a, /, shape=None, order="C", **_: _reshape_back_in_order(
        "numpy.reshape", ct, a, order
    ),
    methods.reshape: lambda ct, y, a, *shape, order="C", **_: _reshape_back_in_order(
        "numpy.reshape", ct, a, order
    ),
    **dict.fromkeys((np.ravel, methods.flatten), ravel_rule),
    np.transpose: transpose_rule,
    np.flip: lambda ct, y, m, axis=None: (np.flip(ct, axis),),
    np.roll: roll_rule,
    np.fft.fftshift: lambda ct, y, x, axes=None: (np.fft.ifftshift(ct, axes),),
    np.fft.ifftshift: lambda ct, y, x, axes=None: (np.fft.fftshift(ct, axes),),
    np.broadcast_to: lambda ct, y, array, *_, **__: (unbroadcast(ct, array),),
    np.tril: lambda ct, y, m, k=0: (unbroadcast(np.tril(ct, k), m),),
    np.triu: lambda ct, y, m, k=0: (unbroadcast(np.triu(ct, k), m),),
    np.pad: pad_rule,
    np.diag: diag_rule,
    np.broadcast_arrays: broadcast_arrays_rule,
}

DEFINITIONS: dict[Any, Any] = {
    **{
        f: _permuting(f)
        for f in (
            np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose, np.linalg.matrix_transpose,
            methods.transpose,
        )
    },
    **{f: _atleast(f) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d)},
    np.rot90: _rot90,
    np.fliplr: lambda m: np.flip(m, 1),
    np.flipud: lambda m: np.flip(m, 0),
    np.tile: _tile,
    np.repeat: _repeat,
    np.resize: _resize,
    np.diagonal: _diagonal,
    np.linalg.diagonal: lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1),
    np.diagflat: lambda v, k=0: np.diag(np.reshape(v, (-1,)), k),
}  # fmt: skip
