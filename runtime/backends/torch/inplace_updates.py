"""What `x += 1` means for a tensor that a staged statement gave a variable.

A *number* stands for a Python number: `n += 1` gives it a new value, and writes to no other name. What is
computed from numbers alone is one too, as it would have been a number in Python. A *shared* tensor may
have another name that a write would have to reach: writes to it are refused.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from ...errors import StateError
from .capture import is_view

_numbers = WeakIdKeyDictionary()
_shared = WeakIdKeyDictionary()

_NEW_VALUE = {
    "add_": operator.add, "sub_": operator.sub, "mul_": operator.mul, "div_": operator.truediv,
    "floor_divide_": operator.floordiv, "remainder_": operator.mod, "pow_": operator.pow,
    "__iand__": operator.and_, "__ior__": operator.or_, "__ixor__": operator.xor,
    "__ilshift__": operator.lshift, "__irshift__": operator.rshift,
}  # fmt: skip
"""What is called for `+=` and its like, by the name under which a mode sees it."""


def mark_number(value: torch.Tensor) -> None:
    _numbers[value] = True


def is_number(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value in _numbers


def mark_shared(value: Any, reason: str) -> None:
    if isinstance(value, torch.Tensor) and not is_number(value):
        _shared[value] = reason


def check_write(target: Any) -> None:
    """A write must reach all names of a tensor.

    Raises:
        StateError: it may have names that are not known here.
    """
    reason = _shared.get(target) if isinstance(target, torch.Tensor) else None
    if reason is not None:
        raise StateError(
            f"a tensor is written in place, and {reason}, which would have to change too",
            why="a program knows no other names of a tensor than those that it is given",
            remedy="compute a new tensor (x = x + 1 in the place of x += 1), or make a copy "
            "first: x = x.clone()",
        )


def _writes(name: str) -> bool:
    return name in ("__setitem__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__") or (
        name.endswith("_") and not name.endswith("__") and name not in ("requires_grad_", "retain_grad_")
    )


class Writes(TorchFunctionMode):
    """While it is entered, numbers stay numbers, and no shared tensor is written."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        target = args[0] if args else None
        if _writes(name):
            if name in _NEW_VALUE and is_number(target):
                func = _NEW_VALUE[name]
            else:
                check_write(target)
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result is not target:
            if result.ndim == 0 and not kwargs and _of_numbers(args):
                mark_number(result)
            elif isinstance(target, torch.Tensor) and target in _shared and is_view(result):
                mark_shared(result, _shared[target])
        return result


def _of_numbers(args: tuple[Any, ...]) -> bool:
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    return bool(tensors) and all(map(is_number, tensors))
