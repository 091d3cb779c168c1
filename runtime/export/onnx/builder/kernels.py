"""The dtypes that onnxruntime's CPU kernels support, operator by operator.

An operator that is not listed accepts every dtype of ONNX. Einsum and Pow accept integers too, but compute
with floats. `tests/export/test_onnx_rows.py` compares the table with onnxruntime.
"""

from __future__ import annotations

from functools import cache

import numpy as np

_FLOATS = "float16 float32 float64"
_INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_COMMON = f"int32 int64 {_FLOATS}"

KERNELS: dict[str, frozenset[str]] = {
    kind: frozenset(dtypes.split())
    for dtypes, kinds in {
        f"{_INTS} {_FLOATS}": "Add Sub Mul Div Mod Abs Sign Less LessOrEqual Greater GreaterOrEqual",
        f"int8 int16 int32 int64 {_FLOATS}": "Neg",
        f"bool {_INTS} {_FLOATS} str": "Equal",
        f"int8 int32 int64 uint8 uint32 uint64 {_FLOATS}": "Max Min",
        f"bool int8 int32 int64 uint8 uint32 uint64 {_FLOATS}": "Pad",
        _FLOATS: "Einsum Floor Ceil Round Sqrt Exp Log Sin Cos Tanh Sigmoid IsNaN IsInf Pow",
        "float16 float32": "Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Det",
        _INTS: "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot",
        "uint8 uint16 uint32 uint64": "BitShift",
        _COMMON: "ReduceSum ReduceProd CumSum",
        f"{_COMMON} uint32 uint64": "MatMul",
        f"int32 int64 uint32 uint64 {_FLOATS}": "CumProd",
        f"bool int8 int32 int64 uint8 {_FLOATS}": "ReduceMax ReduceMin",
        f"int8 int32 int64 uint8 {_FLOATS}": "ArgMax ArgMin",
        f"int8 int32 int64 uint8 uint32 {_FLOATS} str": "Where",
        f"int8 int16 int32 int64 uint8 {_FLOATS}": "TopK",
        f"int8 int64 {_FLOATS} str": "Unique",
        f"bool {_COMMON}": "Trilu",
    }.items()
    for kind in kinds.split()
}

MOVING = frozenset(("Where", "Pad", "Trilu"))
"""Operators that only move values, and so can process the bits of uint64 as int64."""


@cache
def compute_dtype(kind: str, dtype: np.dtype) -> np.dtype | None:
    """Return the dtype in which an operator computes: `dtype`, a wider one, or None if neither works."""
    known = KERNELS.get(kind)
    if known is None or ("str" if dtype.kind == "U" else dtype.name) in known:
        return dtype
    if dtype == np.uint64 and kind in MOVING:
        return np.dtype(np.int64)
    wider = ("int32", "int64", "uint64") if dtype.kind in "biu" else ("float32", "float64")
    return next((np.dtype(w) for w in wider if w in known and np.can_cast(dtype, w, "safe")), None)
