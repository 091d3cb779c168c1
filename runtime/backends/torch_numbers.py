"""Tensors that stand for Python numbers: `n += 1` gives them a new value, and writes to no other name.

A staged loop carries a Python number as a tensor without dimensions. What is computed from such tensors
alone is one too, as it would have been a number in Python.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

_numbers = WeakIdKeyDictionary()

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


class Numbers(TorchFunctionMode):
    """While it is entered, numbers stay numbers."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        own = _NEW_VALUE.get(getattr(func, "__name__", ""))
        if own is not None and is_number(args[0]):
            func = own
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and not kwargs and _of_numbers(args) and result.ndim == 0:
            mark_number(result)
        return result


def _of_numbers(args: tuple[Any, ...]) -> bool:
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    return bool(tensors) and all(map(is_number, tensors))
