"""Tensor items at staged indexes. For an index out of range, torch raises an error at run time."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from ... import staging
from ...core.active_backends import active_backend
from ...errors import UnsupportedFunctionError, ValueNeededError
from ..functional.index_errors import (
    in_range,
    mixed_items_error,
    staged_index_error,
    staged_key_error,
)
from ..functional.optional_values import for_write, present
from .inplace_updates import check_write, is_number, mark_shared
from .private import SYMBOLS, is_traced, is_within_compile

LARGE_ROW = 2**14
"""The number of elements from which on a row is copied as a whole."""


def _is_index(part: Any) -> bool:
    """Return whether a subscript part is a staged integer."""
    return isinstance(part, torch.Tensor) and part.ndim == 0 and part.dtype != torch.bool and is_traced(part)


def device_of(values: Iterable[Any]) -> torch.device | None:
    """Return the device on which values can be combined: that of the first tensor that is not on the CPU."""
    devices = [value.device for value in values if isinstance(value, torch.Tensor)]
    return next((device for device in devices if device.type != "cpu"), devices[0] if devices else None)


def moved(value: torch.Tensor, device: torch.device | None) -> torch.Tensor:
    """Return a tensor on a device. One that is there is not touched, as each operation becomes a node."""
    return value if device in (None, value.device) else value.to(device)


def tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    """Return values as tensors on one device. Numbers become tensors without dimensions."""
    device = device_of(values)
    return [
        moved(v, device) if isinstance(v, torch.Tensor) else torch.full((), v, device=device) for v in values
    ]


def _split(target: torch.Tensor, key: Any) -> tuple[torch.Tensor, list[Any]]:
    """Apply the plain parts of a subscript; return the view, and for each axis a staged index or None."""
    parts = list(key) if type(key) is tuple else [key]
    for part in parts:
        bounds = (part.start, part.stop, part.step) if isinstance(part, slice) else ()
        if any(isinstance(b, torch.Tensor) and is_traced(b) for b in bounds):
            raise ValueNeededError(
                "a slice cannot have staged bounds",
                why="its length is known only when the graph runs, and PyTorch captures tensors of "
                "known sizes",
                remedy="keep all items and use a mask: torch.where((i >= start) & (i < stop), x, 0) "
                "with i = torch.arange(len(x))",
            )
    if not any(map(_is_index, parts)):
        return target[key], []
    count = sum(1 for p in parts if p is not None and p is not Ellipsis)
    if any(isinstance(p, torch.Tensor) and p.dtype == torch.bool for p in parts):
        raise UnsupportedFunctionError(
            "a subscript cannot combine a mask and a staged index",
            why="PyTorch has no operation for it",
            remedy="index twice: x[mask][i]",
        )
    rest = [slice(None)] * (target.ndim - count)
    ellipsis = next((i for i, p in enumerate(parts) if p is Ellipsis), None)
    parts = [*parts, *rest] if ellipsis is None else [*parts[:ellipsis], *rest, *parts[ellipsis + 1 :]]
    if count > target.ndim:
        raise IndexError(f"too many indices for tensor of dimension {target.ndim}")
    plain = tuple([slice(None) if isinstance(p, torch.Tensor) else p for p in parts])
    view = target if all(p == slice(None) for p in plain) else target[plain]
    axes = [p for p in parts if not isinstance(p, (int, *SYMBOLS)) or isinstance(p, bool)]
    return view, [moved(p, view.device) if isinstance(p, torch.Tensor) else None for p in axes]


def get_item(target: Any, key: Any) -> Any:
    target, key = present(target, operator.getitem), present(key, operator.index)
    if isinstance(target, (list, tuple)):
        item = get_item(_stacked(target), key)
        if any(isinstance(v, torch.Tensor) and not is_number(v) for v in target):
            mark_shared(item, f"it is an item of a {type(target).__name__}")
        return item
    if isinstance(target, np.ndarray):
        target = torch.tensor(target, device=device_of(key if type(key) is tuple else (key,)))
    if not isinstance(target, torch.Tensor):
        raise staged_index_error(target, "use a tensor, or a list or tuple of tensors of one shape")
    if isinstance(key, SYMBOLS):
        return target[key]
    view, indexes = _split(target, key)
    if not indexes:
        return view
    if _is_large_row(view, indexes):
        rows = torch.arange(view.shape[0], device=view.device)
        number = torch.ops.aten.index.Tensor(rows, [indexes[0].reshape(1)])  # not negative, and in bounds
        return view.index_select(0, number).squeeze(0)
    return torch.ops.aten.index.Tensor(view, indexes)


def _is_large_row(view: torch.Tensor, indexes: Sequence[Any]) -> bool:
    """Return whether indexes select one row in main memory so large that copying it is worth two more steps.

    `index` finds the place of each element, which takes three times as long as a copy.
    """
    if view.device.type != "cpu" or indexes[0] is None or any(i is not None for i in indexes[1:]):
        return False
    sizes = view.shape[1:]
    return all(isinstance(size, int) for size in sizes) and math.prod(sizes) >= LARGE_ROW


def _stacked(items: Any) -> torch.Tensor:
    try:
        return torch.stack(tensors(items))
    except (TypeError, RuntimeError) as error:
        raise mixed_items_error(items, "a tensor", error) from None


def set_item(target: Any, key: Any, value: Any) -> Any:
    target, key, value = for_write(target, key, value)
    if isinstance(target, np.ndarray) and (staging.has_staged(key) or isinstance(value, torch.Tensor)):
        parts = key if type(key) is tuple else (key,)
        target = _staged_in_place(target, device_of((value, *parts)))
    if not isinstance(target, torch.Tensor):
        if staging.has_staged(key):
            raise staged_key_error(target, "use a tensor")
        target[key] = value
        return target
    check_write(target)
    if is_within_compile() and isinstance(value, torch.Tensor) and value.is_floating_point():
        # Otherwise its gradient is a view, and inductor wants those of two branches to begin at one place.
        value = value * 1
    parts = key if type(key) is tuple else (key,)
    if not any(map(_is_index, parts)) and not any(isinstance(p, slice) for p in parts):
        target[key] = value
        return target
    view, indexes = _split(target, key)
    if not indexes:
        target[key] = value
        return target
    if isinstance(value, torch.Tensor):
        value = value.to(target.device if value.ndim == 0 else value.device, target.dtype)
    else:
        value = torch.full((), value, dtype=target.dtype, device=target.device)
    torch.ops.aten.index_put_(view, indexes, value)
    return target


def _staged_in_place(array: np.ndarray, device: torch.device | None) -> torch.Tensor:
    """Have the traced code refer to a tensor in place of a plain array, to which it is about to write."""
    return staging.array_staged_in_place(
        active_backend(),
        array,
        lambda plain: torch.tensor(plain, device=device),
        staging.plain_array_error,
    )


def contains(item: Any, container: Any) -> Any:
    container = present(container, iter)
    if isinstance(container, (list, tuple)):
        equal = [part == item for part in container]
        return torch.stack(
            tensors([e.all() if isinstance(e, torch.Tensor) else bool(e) for e in equal])
        ).any()
    if isinstance(container, np.ndarray):
        container = torch.tensor(container, device=device_of((item,)))
    if isinstance(container, torch.Tensor):
        return (container == item).any()
    return in_range(item, container, "tensor")
