"""Workarounds for the gradients of torch's higher-order operators.

In torch 2.13, the backward pass of `cond` and `scan` fails if a result is not a floating-point number. That
of `while_loop` drops the path through a carried value that starts without a gradient, and assumes at least
one iteration. The functions here encode operands and results so that gradients are correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .items import moved


def needs_gradient(values: Sequence[Any]) -> bool:
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)


def may_need_gradient(values: Sequence[Any]) -> bool:
    """Return whether the captured program may be differentiated with respect to one of the values."""
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and is_smooth(v.dtype) for v in values)


def is_smooth(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def with_distinct_gradients(results: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return the results of a `cond` such that no tensor is the gradient of two of them, as in `a + b`.

    The backward pass is a `cond` as well, whose operands may not be the same when it is compiled.
    """
    return [r if i == 0 or not is_smooth(r.dtype) else r * 1 for i, r in enumerate(results)]


_LOW = 2**32 - 1


def as_differentiable(value: torch.Tensor) -> torch.Tensor:
    """Encode a value whose dtype has no gradients in float64. An int64 has two along a new last axis.

    Its bits as one float64 would not do: those of -1 are a NaN, which inductor replaces by another one.
    """
    if is_smooth(value.dtype):
        return value
    if value.dtype == torch.int64:
        value = torch.stack((value >> 32, value & _LOW), -1)
    return value.to(torch.float64)


def restored(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Undo `as_differentiable`."""
    if value.dtype == dtype:
        return value
    value = value.detach()
    if dtype != torch.int64:
        return value.to(dtype)
    high, low = value.to(dtype).unbind(-1)
    return (high << 32) | low


def link_gradients(carried: Sequence[torch.Tensor], operands: Sequence[Any]) -> list[torch.Tensor]:
    """Make the initial values of a `while_loop` depend, with zero gradients, on all tensors of the loop."""
    if not torch.is_grad_enabled() or not any(v.dtype.is_floating_point for v in carried):
        return list(carried)
    tensors = [v for v in (*carried, *operands) if isinstance(v, torch.Tensor) and v.dtype.is_floating_point]
    layouts = list(map(_layout, tensors))
    links: dict[Any, tuple[torch.Tensor, torch.Tensor]] = {}

    def start(value: torch.Tensor) -> torch.Tensor:
        if not value.dtype.is_floating_point:
            return value
        key = _layout(value)
        if key not in links:
            never, link = torch.zeros((), dtype=torch.bool, device=value.device), value
            for other, layout in zip(tensors, layouts, strict=True):
                if other is not value:
                    fit = (
                        other if layout == key else other.reshape(-1)[:0].sum().to(value.device, value.dtype)
                    )
                    link = torch.where(never, fit, link)
            links[key] = never, link
            return link
        return torch.where(*links[key], value)

    return [start(value) for value in carried]


def _layout(value: torch.Tensor) -> Any:
    """Return the shape, dtype and device. Sizes are text, because comparing symbols would add a guard."""
    return tuple(map(str, value.shape)), value.dtype, value.device


def select_initial(
    has_run: torch.Tensor, final: Sequence[torch.Tensor], initial: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Return the results of a `while_loop`, or its initial values where `has_run` is false."""
    if not torch.is_grad_enabled():
        return list(final)
    return [
        torch.where(moved(has_run, a.device), a, b) if a.dtype.is_floating_point else a
        for a, b in zip(final, initial, strict=True)
    ]
