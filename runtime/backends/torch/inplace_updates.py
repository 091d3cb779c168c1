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

from ...core.rolling_attempts import is_rolling
from ...errors import StateError
from ..functional.counter_arithmetic import NumberKind, bound_of_plain, check_cast, result_bound
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


_REFLECTED = frozenset(
    f"r{name}" for name in ("sub", "div", "truediv", "floordiv", "mod", "pow", "lshift", "rshift")
)
_OPERATORS = {
    "div": "truediv", "true_divide": "truediv", "floor_divide": "floordiv", "remainder": "mod",
    "positive": "pos", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
}  # fmt: skip
"""Python's names of operators, by the names that a function mode sees."""


_COPYING = frozenset(("clone", "contiguous", "detach", "reshape", "squeeze", "to", "view"))
"""Methods of tensors that this package calls itself, where a value enters or leaves a captured program."""


def mark_number(value: torch.Tensor, bound: float | None = None) -> None:
    """Mark a tensor as a number; `bound` is set if it comes from a loop's counter (`counter_arithmetic`)."""
    _numbers[value] = bound


def is_number(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value in _numbers


def bound_of(value: Any) -> float | None:
    return _numbers.get(value) if isinstance(value, torch.Tensor) else bound_of_plain(value)


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
        if is_rolling():
            dtypes = {a.dtype for a in args if isinstance(a, torch.Tensor) and not is_number(a)}
            for value in args if dtypes else ():
                for dtype in dtypes:
                    check_precision(value, dtype)
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result is not target:
            if result.ndim == 0 and not kwargs and _are_numbers(args):
                mark_number(result, _result_bound(name, args, result))
            elif isinstance(target, torch.Tensor) and target in _shared and is_view(result):
                mark_shared(result, _shared[target])
        return result


def _result_bound(name: str, args: tuple[Any, ...], result: torch.Tensor) -> float | None:
    bounds = [bound_of(a) for a in args]
    if name in _COPYING or "." in name:  # the operators of captured programs have a dot
        return None
    name = name.strip("_")
    if name in _REFLECTED:
        name, bounds = name[1:], bounds[::-1]
    elif name == "where":
        name, bounds = "select", bounds[1:]
    return result_bound(_OPERATORS.get(name, name), bounds, _kind(result.dtype))


def check_precision(value: Any, dtype: torch.dtype) -> None:
    """End the attempt to roll a loop if a number from its counter lacks the precision or range of a dtype."""
    bound = _numbers.get(value) if isinstance(value, torch.Tensor) else None
    if bound is not None and _kind(value.dtype).is_float == _kind(dtype).is_float:
        check_cast(bound, _kind(value.dtype), _kind(dtype))


def _kind(dtype: torch.dtype) -> NumberKind:
    return NumberKind(dtype.is_floating_point or dtype.is_complex, dtype == torch.bool, dtype.itemsize)


def _are_numbers(args: tuple[Any, ...]) -> bool:
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    return bool(tensors) and all(map(is_number, tensors))
