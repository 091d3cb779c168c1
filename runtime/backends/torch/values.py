"""PyTorch values: types, truth, items and errors raised by the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..functional.abstract_values import Aval, Maybe
from ..functional.capturing import CapturingBackend
from ..functional.iterables import StagedSequence
from ..functional.optional_values import Optional
from ..functional.staged_text import Text
from . import items as indexing
from .builtins import BUILTINS, call_library, replaced
from .effects import raise_error
from .inplace_updates import InplaceUpdates, bound_of, check_precision, is_number, mark_number
from .private import SYMBOLS, expression, is_capturing, is_known, is_traced, promoted

_DTYPES = {bool: torch.bool, int: torch.int64, torch.SymInt: torch.int64, torch.SymBool: torch.bool}


_CPU = torch.device("cpu")


@dataclass(frozen=True, eq=False)
class TensorType(Aval):
    """An `Aval` with a device, None for that of a NumPy array, which follows the tensors that it meets.

    `number` is true if the value is a Python number on some path.
    """

    device: Any = _CPU
    number: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.dtype, tuple(map(expression, self.shape)), self.weak, self.device, self.number


class Handle:
    """A tensor that a branch or loop writes to in place; its final value is copied into it."""

    ag__name, shared = "a tensor that is written to in place", ""

    def __init__(self, tensor: torch.Tensor):
        self.tensor = tensor

    def read(self) -> torch.Tensor:
        return self.tensor

    def write(self, value: torch.Tensor) -> None:
        if value is not self.tensor:
            self.tensor.copy_(value)

    @staticmethod
    def of(tensor: torch.Tensor) -> Handle:
        handle: Handle = tensor.__dict__.setdefault("autograph_rs_handle", Handle(tensor))
        return handle


def truth(value: Any) -> Any:
    """Return the truth value of a tensor or symbol, as `bool` would."""
    if not isinstance(value, torch.Tensor):
        return value if isinstance(value, (bool, torch.SymBool)) else value != 0
    if value.numel() != 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    value = value.reshape(()) if value.ndim else value
    return value if value.dtype == torch.bool else value != 0


class TorchValues(CapturingBackend):
    """Operations of the backend on single values."""

    name = "torch"
    libraries = ("torch",)
    array_noun = "a tensor"
    returns_none = True
    builtins = BUILTINS
    boolean = TensorType(torch.bool, ())
    truth_of_array = staticmethod(truth)

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (torch.Tensor, *SYMBOLS))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (torch.Tensor, *SYMBOLS))

    def is_handle(self, value: Any) -> bool:
        return (isinstance(value, torch.Tensor) and not is_number(value)) or super().is_handle(value)

    def is_staged(self, value: Any) -> bool:
        return (
            is_traced(value)
            if self.is_array(value)
            else isinstance(value, (Maybe, Optional, StagedSequence, Text))
        )

    def is_inner(self, value: Any) -> bool:
        return self.is_array(value) and not is_known(value)

    staging = staticmethod(is_capturing)

    def entered(self) -> InplaceUpdates | None:
        return InplaceUpdates() if is_capturing() else None

    # Types

    def as_number(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            mark_number(value)
        return value

    def number_bound(self, value: Any) -> Any:
        return bound_of(value) if isinstance(value, torch.Tensor) else None

    def set_number_bound(self, value: Any, bound: Any) -> None:
        if is_number(value):
            mark_number(value, bound)

    def aval(self, value: Any) -> TensorType | None:
        if isinstance(value, torch.Tensor):
            number = is_number(value)
            return TensorType(value.dtype, tuple(value.shape), number, value.device, number)
        kind = type(value)
        if kind in _DTYPES:
            return TensorType(_DTYPES[kind], (), weak=True, number=True)
        if kind in (float, torch.SymFloat):
            return TensorType(torch.get_default_dtype(), (), weak=True, number=True)
        if kind is complex:
            return TensorType(torch.get_default_dtype().to_complex(), (), weak=True, number=True)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
            return TensorType(torch.from_numpy(np.zeros(0, value.dtype)).dtype, value.shape, device=None)
        return None

    def merge_avals(self, first: TensorType, second: TensorType) -> TensorType:
        if tuple(map(expression, first.shape)) != tuple(map(expression, second.shape)):
            shapes = [f"({', '.join(map(str, aval.shape))})" for aval in (first, second)]
            raise TypeError(f"one has the shape {shapes[0]}, the other {shapes[1]}")
        strong = [aval for aval in (first, second) if not aval.number and aval.device is not None]
        if len({aval.device for aval in strong}) > 1:
            raise TypeError(f"one is on {first.device}, the other on {second.device}")
        devices = [aval.device for aval in strong or (first, second) if aval.device is not None]
        device = next((d for d in devices if d.type != "cpu"), devices[0] if devices else None)
        number = first.number or second.number
        return TensorType(
            _common_dtype(first, second), first.shape, first.weak and second.weak, device, number
        )

    def cast(self, value: Any, aval: TensorType) -> torch.Tensor:
        if isinstance(value, torch.Tensor):
            check_precision(value, aval.dtype)
            moved = value if aval.device in (value.device, None) else value.to(aval.device)
            return moved if moved.dtype == aval.dtype else moved.to(aval.dtype)
        if isinstance(value, np.ndarray):
            return torch.tensor(value, dtype=aval.dtype, device=aval.device)
        if isinstance(value, torch.SymBool):
            value = torch.sym_ite(value, 1, 0)
        plain = value.item() if isinstance(value, np.generic) else value
        return torch.full((), plain, dtype=aval.dtype, device=aval.device)

    def zeros(self, aval: TensorType) -> torch.Tensor:
        return torch.zeros(aval.shape, dtype=aval.dtype, device=aval.device)

    def from_arrays(
        self, avals: Sequence[Any], arrays: Sequence[Any], counts: Sequence[Any] | None = None
    ) -> list[Any]:
        parts = [part for aval in avals for part in self.array_avals(aval)]
        for array, part in zip(arrays, parts, strict=True):
            if part.number:
                mark_number(array)
        return super().from_arrays(avals, arrays, counts)

    # Values

    def length(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return value.shape[0]

    def item(self, array: Any, index: Any) -> Any:
        if isinstance(index, torch.Tensor):  # a loop counter, which is never negative
            return torch.index_select(array, 0, indexing.moved(index, array.device).reshape(1)).squeeze(0)
        return indexing.get_item(array, index)

    @staticmethod
    def logical_and(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return torch.logical_and(*indexing.tensors([first, second]))

    @staticmethod
    def logical_or(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return torch.logical_or(*indexing.tensors([first, second]))

    @staticmethod
    def where(test: Any, first: Any, second: Any) -> Any:
        moves = test.device.type == "cpu" or first.ndim  # else the numbers go to the device of the test
        return torch.where(indexing.moved(test, first.device) if moves else test, first, second)

    def minimum(self, a: Any, b: Any) -> Any:
        return _pairwise(torch.minimum, a, b)

    def maximum(self, a: Any, b: Any) -> Any:
        return _pairwise(torch.maximum, a, b)

    def negated(self, value: Any) -> Any:
        return torch.sym_not(value) if isinstance(value, torch.SymBool) else torch.logical_not(value)

    get_item = staticmethod(indexing.get_item)
    set_item = staticmethod(indexing.set_item)
    contains = staticmethod(indexing.contains)

    # Effects

    fail = staticmethod(raise_error)
    call_library = staticmethod(call_library)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        return replaced(function) if is_capturing() else None


def _common_dtype(first: TensorType, second: TensorType) -> torch.dtype:
    """Return the promoted dtype. A Python number takes the other dtype unless its own category is wider."""
    if first.dtype == second.dtype or first.weak == second.weak:
        return promoted(first.dtype, second.dtype)
    weak, strong = (first, second) if first.weak else (second, first)
    if _rank(weak.dtype) <= _rank(strong.dtype):
        return strong.dtype
    return promoted(weak.dtype, strong.dtype) if weak.dtype.is_complex else weak.dtype


def _rank(dtype: torch.dtype) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else int(dtype != torch.bool)


def _pairwise(function: Callable[..., Any], a: Any, b: Any) -> Any:
    a, b = (v if isinstance(v, torch.Tensor) else torch.full((), v) for v in (a, b))
    return function(a, b)
