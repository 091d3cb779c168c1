"""In-place updates, such as `x += 1`, of tensors that a staged statement assigned to a variable.

A *number* is a tensor that stands for a Python number: `n += 1` rebinds the variable and changes no other
name. Results computed from numbers alone are numbers, as they would be in Python. A *shared* tensor may have
another name, which a write would have to reach: writes to it raise an error.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from ...errors import StateError
from .private import is_view

_numbers = WeakIdKeyDictionary()
_shared = WeakIdKeyDictionary()

_REBINDING = {
    "add_": operator.add, "sub_": operator.sub, "mul_": operator.mul, "div_": operator.truediv,
    "floor_divide_": operator.floordiv, "remainder_": operator.mod, "pow_": operator.pow,
    "__iand__": operator.and_, "__ior__": operator.or_, "__ixor__": operator.xor,
    "__ilshift__": operator.lshift, "__irshift__": operator.rshift,
}  # fmt: skip
"""Operators that replace augmented assignments, by the method names that a function mode sees."""


def mark_number(value: torch.Tensor) -> None:
    _numbers[value] = True


def is_number(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value in _numbers


def mark_shared(value: Any, reason: str) -> None:
    if isinstance(value, torch.Tensor) and not is_number(value):
        _shared[value] = reason


def check_write(target: Any) -> None:
    """Check that a write to a tensor would reach all of its names.

    Raises:
        StateError: the tensor may have a name outside the captured program.
    """
    reason = _shared.get(target) if isinstance(target, torch.Tensor) else None
    if reason is not None:
        raise StateError(
            f"cannot write to a tensor in place: {reason}, which would have to change too",
            why="a captured program updates only the variables that it uses, not other references",
            remedy="compute a new tensor (x = x + 1, not x += 1), or copy it first: x = x.clone()",
        )


def _is_write(name: str) -> bool:
    return name in ("__setitem__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__") or (
        name.endswith("_") and not name.endswith("__") and name not in ("requires_grad_", "retain_grad_")
    )


class InplaceUpdates(TorchFunctionMode):
    """While active, mark results computed from numbers as numbers, and reject writes to shared tensors."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        target = args[0] if args else None
        if _is_write(name):
            if name in _REBINDING and is_number(target):
                func = _REBINDING[name]
            else:
                check_write(target)
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result is not target:
            if result.ndim == 0 and not kwargs and _are_numbers(args):
                mark_number(result)
            elif isinstance(target, torch.Tensor) and target in _shared and is_view(result):
                mark_shared(result, _shared[target])
        return result


def _are_numbers(args: tuple[Any, ...]) -> bool:
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    return bool(tensors) and all(map(is_number, tensors))
