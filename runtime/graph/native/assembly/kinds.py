"""Kinds of numbers in machine code.

A `Kind` combines a machine type with the meaning of arithmetic on it: a Python number (ints are checked for
overflow, floats never warn) or a NumPy dtype (integers wrap in arrays, floats warn).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...ir.types import ArrayType, ListType, ScalarType
from .statuses import UnsupportedError


@dataclass(frozen=True)
class Kind:
    """A kind of number: its LLVM type, NumPy's kind code, and its dtype, or None for a Python number."""

    llvm: str
    code: str  # "b", "i", "u" or "f"
    dtype: np.dtype | None = None

    def __eq__(self, other: object) -> bool:
        """Compare kinds. `None == np.dtype(float)` holds, so dtypes must not be compared with None."""
        if not isinstance(other, Kind):
            return NotImplemented
        return (self.llvm, self.code, self.is_python) == (other.llvm, other.code, other.is_python)

    def __hash__(self) -> int:
        return hash((self.llvm, self.code, self.is_python))

    @property
    def bits(self) -> int:
        return _BITS[self.llvm]

    @property
    def size(self) -> int:
        """Bytes of an element in memory."""
        return max(1, self.bits // 8)

    @property
    def memory(self) -> str:
        """The LLVM type of an element in memory."""
        return "i8" if self.llvm == "i1" else self.llvm

    @property
    def is_python(self) -> bool:
        return self.dtype is None

    @property
    def range(self) -> tuple[int, int]:
        """The smallest and largest integer."""
        if self.code in "ub":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1

    def constant(self, value: Any) -> str:
        """Return a number as an LLVM constant."""
        if self.code == "f":
            with np.errstate(all="ignore"):
                number = float(np.float32(value)) if self.llvm == "float" else float(value)
            return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
        if self.code == "b":
            return "true" if value else "false"
        low, high = self.range
        if not low <= int(value) <= high:
            raise UnsupportedError("a constant does not fit in 64 bits")
        return str(int(value))


_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "float": 32, "double": 64}
BOOL, INT, FLOAT = Kind("i1", "b"), Kind("i64", "i"), Kind("double", "f")
_PYTHON = {bool: BOOL, int: INT, float: FLOAT}


@cache
def dtype_kind(dtype: np.dtype) -> Kind:
    """Return the kind of a dtype's elements."""
    if not dtype.isnative:
        raise UnsupportedError(f"arrays of dtype {dtype} have another byte order")
    if dtype.kind == "b":
        return Kind("i1", "b", dtype)
    if dtype.kind in "iu":
        return Kind(f"i{8 * dtype.itemsize}", dtype.kind, dtype)
    if dtype in (np.float32, np.float64):
        return Kind("float" if dtype.itemsize == 4 else "double", "f", dtype)
    raise UnsupportedError(f"values of dtype {dtype} are not compiled")


def kind_of(staged_type: Any) -> Kind:
    """Return the kind of a number, or of an array's elements."""
    if isinstance(staged_type, ScalarType) and staged_type.python in _PYTHON:
        return _PYTHON[staged_type.python]
    if isinstance(staged_type, ArrayType):
        return dtype_kind(staged_type.dtype)
    raise UnsupportedError(f"values of type {staged_type} are not compiled")


def list_form(kind: Any) -> tuple[Kind, int]:
    """Return the kind and the rank of the elements of a list, -1 for numbers."""
    element = kind.element
    if type(kind) is not ListType:
        raise UnsupportedError("deques, sets and dicts are not compiled")
    if isinstance(element, ArrayType) and element.shape:
        return kind_of(element), len(element.shape)
    return kind_of(element), -1


def array_dtype(kind: Kind) -> np.dtype:
    """Return the dtype of an array of numbers of a kind."""
    if kind.dtype is not None:
        return kind.dtype
    return np.dtype({"b": np.bool_, "i": np.int64, "f": np.float64}[kind.code])
