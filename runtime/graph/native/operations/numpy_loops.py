"""The inner loops of NumPy's ufuncs, called by address.

A region calls the very loop that NumPy runs, where another implementation could round differently: `exp`,
`sin`, `matmul`, pairwise sums. The symbols of such loops are bound to their addresses when code is linked.
The layout of `PyUFuncObject` is part of NumPy's stable binary interface.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from typing import Any

import numpy as np

from ..assembly.kinds import Kind
from ..assembly.statuses import UnsupportedError

_HEAD = object.__basicsize__
_CODES = {"float": "f", "double": "d"}
_PREFIX = "numpy_loop_"
ARRAY_TYPE = "numpy_ndarray"
"""The symbol of the type object of arrays."""
_LIBM = (
    "pow exp log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    "atanh exp2 cbrt atan2 hypot fmod"
)
LIBM = frozenset(_LIBM.split())
"""Functions of the C library that Python's `math` and `pow` call, too."""


def loop_symbol(ufunc: np.ufunc, *kinds: Kind) -> str:
    """Return the symbol of the loop of a ufunc for operands and results of these kinds."""
    try:
        codes = "".join(_CODES[kind.llvm] for kind in kinds)
    except KeyError:
        raise UnsupportedError(f"{ufunc.__name__} is compiled for floats only") from None
    signature = f"{codes[: ufunc.nin]}->{codes[ufunc.nin :]}"
    if signature not in ufunc.types:
        raise UnsupportedError(f"{ufunc.__name__} has no loop for {signature}")
    return f"{_PREFIX}{ufunc.__name__}_{codes}"


@functools.cache
def address_of(symbol: str) -> int | None:
    """Return the address that a symbol of compiled code stands for, or None if there is none.

    It is 0 for the data of a loop that has none.
    """
    if symbol == ARRAY_TYPE:
        return id(np.ndarray)
    if symbol.startswith(_PREFIX):
        name, codes = symbol.removeprefix(_PREFIX).rsplit("_", 1)
        is_data = codes == "data"
        if is_data:
            name, codes = name.rsplit("_", 1)
        return _ufunc_field(getattr(np, name), codes, is_data=is_data)
    name = symbol.removeprefix("autograph_")
    for library in _LIBRARIES:
        function = getattr(library, name, None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _ufunc_field(ufunc: Any, codes: str, *, is_data: bool) -> int:
    index = ufunc.types.index(f"{codes[: ufunc.nin]}->{codes[ufunc.nin :]}")
    functions, data = struct.unpack_from("PP", ctypes.string_at(id(ufunc), _HEAD + 32), _HEAD + 16)
    table = data if is_data else functions
    return ctypes.c_void_p.from_address(table + index * ctypes.sizeof(ctypes.c_void_p)).value or 0


def _libraries() -> list[Any]:
    libraries: list[Any] = [ctypes.CDLL(None)] if hasattr(ctypes, "CDLL") else []
    for name in (math.__dict__.get("__file__"), "libm.so.6", "libSystem.dylib"):
        try:
            if name:
                libraries.append(ctypes.CDLL(name))
        except OSError:
            continue
    return [*libraries, ctypes.pythonapi]


_LIBRARIES = _libraries()
