"""NumPy functions on staged tensors, through the NumPy counterparts that PyTorch has for its compiler."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...errors import UnsupportedFunctionError, ValueNeededError
from ...values.structures import flatten, unflatten
from ..builtins import is_of_numpy
from ..functional.builtins import replacing, ufunc_method
from .items import device_of, tensors
from .private import is_traced, promoted
from .private import numpy_of_torch as tnp


def replaced(function: Callable[..., Any]) -> Callable[..., Any] | None:
    owner = getattr(function, "__self__", None)
    if not is_of_numpy(function) and not isinstance(owner, np.ufunc):
        return None
    return replacing(function, is_tensor, lambda *args, **kwargs: call_numpy(function, args, kwargs))


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _stacked(value: Any) -> torch.Tensor:
    if isinstance(value, (list, tuple)):
        parts = tensors(list(map(_stacked, value)))
        dtype = functools.reduce(promoted, [part.dtype for part in parts])
        return torch.stack([part.to(dtype) for part in parts])
    return value if isinstance(value, torch.Tensor) else torch.full((), value)


_ARRAYS = frozenset((np.array, np.asarray))
_SIZED: frozenset[Any] = frozenset(
    (np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.hamming, np.hanning, np.bartlett,
     np.blackman, np.kaiser, np.tril_indices, np.triu_indices)
)  # fmt: skip
_MODULES = {"numpy.linalg": "linalg", "numpy.fft": "fft", "numpy.random": "random"}


def call_numpy(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    counterpart = _counterpart(function)
    if counterpart is None:
        raise UnsupportedFunctionError(
            f"numpy.{function.__name__} was called on a staged tensor",
            why="PyTorch has no counterpart of this function",
            remedy="use torch functions instead",
        )
    if function in _ARRAYS and isinstance(args[0], (list, tuple)):
        args = (_stacked(args[0]), *args[1:])
    leaves, spec = flatten([args, kwargs])
    if function in _SIZED and any(isinstance(leaf, torch.Tensor) and is_traced(leaf) for leaf in leaves):
        raise ValueNeededError(
            f"numpy.{function.__name__} creates an array whose size is known only at run time",
            why="PyTorch captures tensors of known sizes",
            remedy="create an array of the maximum size, and mask the unused items",
        )
    device = device_of(leaves)
    args, kwargs = unflatten(spec, [_to_torch(leaf, device) for leaf in leaves])
    return _to_tensors(counterpart(*args, **kwargs))


def _counterpart(function: Any) -> Callable[..., Any] | None:
    counterpart = _COUNTERPARTS.get(function) if getattr(function, "__hash__", None) else None
    if counterpart is not None:
        return counterpart
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return ufunc_method(tnp, function)
    submodule = _MODULES.get(getattr(function, "__module__", None) or "")
    module = tnp if submodule is None else getattr(tnp, submodule)
    return getattr(module, function.__name__, None)


def _take(a: Any, indices: Any, axis: int | None = None, **rest: Any) -> Any:
    if axis is not None or rest:
        return tnp.take(a, indices, axis, **rest)
    return torch.take(_stacked(a), _stacked(indices))


def _pairs(pad_width: Any, ndim: int) -> list[Any]:
    """Return the numbers of items before and after each axis. ValueError: there are no such numbers."""
    is_nested = isinstance(pad_width, (list, tuple)) and any(isinstance(w, (list, tuple)) for w in pad_width)
    widths = [w if isinstance(w, (list, tuple)) else [w] for w in (pad_width if is_nested else [pad_width])]
    pairs = [[*w] * 2 if len(w) == 1 else w for w in widths]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError(f"pad_width={pad_width} is not two non-negative numbers for each of {ndim} axes")
    return pairs


def _mirrored(positions: torch.Tensor, size: int, *, repeats_ends: bool) -> torch.Tensor:
    period = 2 * size if repeats_ends else max(2 * size - 2, 1)
    positions = positions % period
    return torch.minimum(positions, period - repeats_ends - positions)


_COPYING: dict[Any, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "edge": lambda positions, size: positions.clamp(0, size - 1),
    "reflect": functools.partial(_mirrored, repeats_ends=False),
    "symmetric": functools.partial(_mirrored, repeats_ends=True),
    "wrap": lambda positions, size: positions % size,
}
"""The modes of `np.pad` that copy items, each with the items that positions before and after stand for."""


def _pad(
    array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0, **rest: Any
) -> torch.Tensor:
    """Pad by plain widths: PyTorch's counterpart makes a tensor of them, whose items no compiler knows."""
    array = _stacked(array)
    is_constant = mode == "constant" and isinstance(constant_values, (bool, int, float))
    if rest or not (is_constant or mode in _COPYING):
        raise UnsupportedFunctionError(
            "numpy.pad was called on a staged tensor with a mode or values that PyTorch does not have",
            why="PyTorch pads with one plain number or with copies of items",
            remedy=f"use one of the modes {', '.join(('constant', *_COPYING))}",
        )
    if any(map(is_tensor, flatten(pad_width)[0])):
        return tnp.pad(array, pad_width, mode, constant_values=constant_values)
    widths = _pairs(pad_width, array.ndim)
    if is_constant:
        is_exact = array.is_floating_point() or array.is_complex()
        value = constant_values if is_exact else int(constant_values)
        return torch.nn.functional.pad(array, [n for pair in widths[::-1] for n in pair], value=value)
    for axis, (before, after) in enumerate(widths):
        size = array.shape[axis]
        positions = torch.arange(-before, size + after, device=array.device)
        array = array.index_select(axis, _COPYING[mode](positions, size))
    return array


def _scalar_statistic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a statistic to return a scalar for a whole array; PyTorch's returns a one-element array."""

    @functools.wraps(function)
    def run(a: Any, *args: Any, axis: Any = None, keepdims: bool = False, **rest: Any) -> Any:
        result = function(a, *args, axis=axis, keepdims=keepdims, **rest)
        return result if axis is not None or keepdims else tnp.reshape(result, ())

    return run


def _as_float(value: Any) -> torch.Tensor:
    tensor = _stacked(value)
    return tensor if tensor.is_floating_point() else tensor.to(torch.float64)


def _cbrt(value: Any) -> torch.Tensor:
    tensor = _as_float(value)
    return torch.sign(tensor) * torch.abs(tensor) ** (1 / 3)


def _histogram(a: Any, bins: Any = 10, range: Any = None, **rest: Any) -> Any:
    """Count with derivatives: PyTorch has none, though those of counts are zero."""
    values = _as_float(a)
    counts, edges = tnp.histogram(values if rest else values.detach(), bins, range, **rest)
    return counts, _following(edges.tensor, values, bins, range)


def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, **rest: Any) -> Any:
    is_shared = not isinstance(bins, int) and len(bins) not in (1, 2)
    counts, edges = _histogramdd([x, y], [bins, bins] if is_shared else bins, range, **rest)
    return counts, *edges


def _histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    points = _as_float(sample)
    points = torch.atleast_2d(points.T if isinstance(sample, (list, tuple)) else points)
    bins = [bins] * points.shape[1] if isinstance(bins, int) else bins
    are_counts = all(isinstance(own, int) for own in bins)
    counts, edges = torch.histogramdd(
        points if density else points.detach(),
        bins if are_counts else [torch.as_tensor(own, dtype=points.dtype) for own in bins],
        None if range is None else [float(limit) for pair in range for limit in pair],
        None if weights is None else _stacked(weights).to(points.dtype),
        bool(density),
    )
    columns = zip(edges, points.unbind(-1), bins, strict=True)
    return counts, [_following(*column, range) for column in columns]


def _following(edges: torch.Tensor, values: torch.Tensor, bins: Any, limits: Any) -> torch.Tensor:
    """Return the edges of bins, with derivatives where the least and the greatest value decide them."""
    if not isinstance(bins, int):
        return torch.as_tensor(bins if is_tensor(bins) else np.asarray(bins), device=edges.device)
    if limits is not None:
        return edges
    low, high = values.amin(), values.amax()
    line = low + (high - low) * torch.linspace(0, 1, len(edges), dtype=edges.dtype, device=edges.device)
    return edges + (line - line.detach())


_COUNTERPARTS: dict[Any, Callable[..., Any]] = {
    np.histogram: _histogram,
    np.histogram2d: _histogram2d,
    np.histogramdd: _histogramdd,
    np.pad: _pad,
    np.take: _take,
    np.cbrt: _cbrt,
    np.median: _scalar_statistic(tnp.median),
    np.quantile: _scalar_statistic(tnp.quantile),
    np.percentile: _scalar_statistic(tnp.percentile),
    np.square: lambda x: _stacked(x) * x,
    np.trunc: lambda x: torch.trunc(_stacked(x)),
    np.heaviside: lambda x, y: torch.heaviside(_as_float(x), _as_float(y)),
}


def _to_torch(leaf: Any, device: torch.device | None) -> Any:
    if isinstance(leaf, np.ndarray):
        return torch.tensor(leaf, device=device)
    if isinstance(leaf, np.generic):
        return leaf.item()
    if isinstance(leaf, type) and issubclass(leaf, np.generic):
        return getattr(tnp, leaf.__name__, leaf)
    return leaf


def _to_tensors(value: Any) -> Any:
    leaves, spec = flatten(value)
    return unflatten(spec, [leaf.tensor if isinstance(leaf, tnp.ndarray) else leaf for leaf in leaves])
