"""What the gradients of torch's operators on graphs ask for.

In torch 2.13 the backward of `cond` and `scan` fails where a result is no floating-point number, and that
of `while_loop` drops the path through a carried value that starts without a gradient, and counts a round
where there was none. Values here go in and come out so that gradients are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def needs_gradient(values: Sequence[Any]) -> bool:
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)


def may_need_gradient(values: Sequence[Any]) -> bool:
    """Whether a program that is captured now may be asked for the gradient by one of the values."""
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and is_smooth(v.dtype) for v in values)


def is_smooth(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def encoded(value: torch.Tensor) -> torch.Tensor:
    """A value without a gradient as bits or digits of a number that could have one."""
    if is_smooth(value.dtype):
        return value
    return value.view(torch.float64) if value.dtype == torch.int64 else value.to(torch.float64)


def decoded(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if value.dtype == dtype:
        return value
    return value.detach().view(dtype) if dtype == torch.int64 else value.detach().to(dtype)


def joined(carried: Sequence[torch.Tensor], operands: Sequence[Any]) -> list[torch.Tensor]:
    """What a `while_loop` starts with, made to depend on all that it uses, with gradients of zero."""
    if not torch.is_grad_enabled() or not any(v.dtype.is_floating_point for v in carried):
        return list(carried)
    tensors = [v for v in (*carried, *operands) if isinstance(v, torch.Tensor) and v.dtype.is_floating_point]
    kinds = list(map(_kind, tensors))
    links: dict[Any, tuple[torch.Tensor, torch.Tensor]] = {}

    def start(value: torch.Tensor) -> torch.Tensor:
        if not value.dtype.is_floating_point:
            return value
        key = _kind(value)
        if key not in links:
            never, link = torch.zeros((), dtype=torch.bool, device=value.device), value
            for other, kind in zip(tensors, kinds, strict=True):
                if other is not value:
                    fit = other if kind == key else other.reshape(-1)[:0].sum().to(value.device, value.dtype)
                    link = torch.where(never, fit, link)
            links[key] = never, link
            return link
        return torch.where(*links[key], value)

    return [start(value) for value in carried]


def _kind(value: torch.Tensor) -> Any:
    """Shape, dtype and device; the sizes as text, since a comparison of symbols is a guard."""
    return tuple(map(str, value.shape)), value.dtype, value.device


def chosen(
    ran: torch.Tensor, left: Sequence[torch.Tensor], start: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """What a `while_loop` leaves; where no round ran, what it started with."""
    if not torch.is_grad_enabled():
        return list(left)
    return [
        torch.where(ran, a, b) if a.dtype.is_floating_point else a for a, b in zip(left, start, strict=True)
    ]
