"""Encode Python values, NumPy values and types of staged values as JSON data; `reading` decodes them.

None, booleans, small integers, finite floats, strings and lists encode themselves. Any other value is an
object whose key names its kind: `{"tuple": [1, 2]}`.
"""

from __future__ import annotations

import base64
import math
import random
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.expressions import GENERATORS
from ..ir.graph import Missing, Slot
from ..ir.types import (
    ArrayType,
    DequeType,
    DictType,
    GeneratorType,
    ListType,
    MaybeType,
    OptionalType,
    ScalarType,
    SetType,
    StagedType,
    TupleType,
)
from .names import TYPES

MAX_DEPTH = 60
MAX_EXACT_INT = 2**53  # other JSON readers round larger integers


class NotSerializable(Exception):  # noqa: N818 - internal: callers turn it into a SaveError
    """Raised for a value that the format cannot represent. Its text is the reason."""


def _unsupported(what: str) -> NotSerializable:
    return NotSerializable(f"{what} has no representation in the file format")


def encode(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON data, or raise `NotSerializable`."""
    if depth > MAX_DEPTH:
        raise NotSerializable(f"it is nested more than {MAX_DEPTH} levels deep")
    if value is None or type(value) in (bool, str):
        return value
    encoder = _ENCODERS.get(type(value))
    if encoder is not None:
        return encoder(value, depth + 1)
    if isinstance(value, np.dtype):
        return {"dtype": encode_dtype(value)}
    if isinstance(value, np.generic) and type(value) is value.dtype.type:
        return {"scalar": encode_dtype(value.dtype), "data": _encode_buffer(np.asarray(value))}
    if isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
        return _encode_generator(value)
    if value is np._NoValue:
        return {"special": "no value"}
    if isinstance(value, type) and TYPES.get(_type_name(value)) is value:
        return {"type": _type_name(value)}
    raise _unsupported(
        f"the type {value.__qualname__}" if isinstance(value, type) else f"a {type(value).__qualname__}"
    )


def _encode_generator(value: Any) -> Any:
    for name, generator in GENERATORS.items():
        if value is generator:
            return {"generator": name}
    raise NotSerializable(
        f"a random {type(value).__name__} has no representation in the file format: create it in the "
        "function, with np.random.default_rng(seed)"
    )


def _type_name(kind: type) -> str:
    return f"numpy.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__


def _encode_items(values: Any, depth: int) -> list[Any]:
    return [encode(v, depth) for v in values]


def _encode_float(value: float, _: int) -> Any:
    return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}


def _encode_int(value: int, _: int) -> Any:
    return value if -MAX_EXACT_INT < value < MAX_EXACT_INT else {"int": hex(value)}


def _encode_array(value: np.ndarray, _: int) -> Any:
    order = {"order": "F"} if value.flags.f_contiguous and not value.flags.c_contiguous else {}
    return {
        "array": encode_dtype(value.dtype),
        "shape": list(value.shape),
        "data": _encode_buffer(value, "F" if order else "C"),
        **order,
    }


def _encode_buffer(value: np.ndarray, order: Any = "C") -> str:
    little_endian = value.astype(value.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little_endian.tobytes(order)).decode("ascii")


def encode_dtype(dtype: np.dtype) -> Any:
    """Return a dtype as JSON data. `=` is the native byte order of the reader."""
    if dtype.names is not None:
        fields = [[name, encode_dtype(dtype.fields[name][0]), dtype.fields[name][1]] for name in dtype.names]  # type: ignore[index]
        return {"fields": fields, "itemsize": dtype.itemsize}
    if dtype.subdtype is not None:
        return {"items": encode_dtype(dtype.subdtype[0]), "shape": list(dtype.subdtype[1])}
    text = dtype.str
    if not DTYPE.fullmatch(text):
        raise _unsupported(f"the dtype {dtype}")
    return "=" + text[1:] if dtype.isnative and text[0] in "<>" else text


DTYPE = re.compile(r"[=<>|][biufcSUVmM][0-9]{0,9}(\[[0-9]{0,9}[a-zA-Z]{1,7}\])?")

_ENCODERS: dict[type, Callable[[Any, int], Any]] = {
    int: _encode_int,
    float: _encode_float,
    complex: lambda v, d: {"complex": [_encode_float(v.real, d), _encode_float(v.imag, d)]},
    bytes: lambda v, _: {"bytes": base64.b64encode(v).decode("ascii")},
    list: _encode_items,
    tuple: lambda v, d: {"tuple": _encode_items(v, d)},
    dict: lambda v, d: {"dict": [[encode_key(k), encode(part, d)] for k, part in v.items()]},
    slice: lambda v, d: {"slice": _encode_items((v.start, v.stop, v.step), d)},
    range: lambda v, d: {"range": _encode_items((v.start, v.stop, v.step), d)},
    type(Ellipsis): lambda _, __: {"special": "..."},
    Missing: lambda _, __: {"special": "missing"},
    Slot: lambda v, _: {"slot": v.index},
    np.ndarray: _encode_array,
}


def encode_key(key: Any) -> Any:
    """Return a dict key as JSON data. Only keys that Python can write as literals are supported."""
    if type(key) in KEY_TYPES and not (type(key) is float and not math.isfinite(key)):
        return encode(key)
    raise _unsupported(f"the dict key {key!r}")


KEY_TYPES = (bool, int, float, str, type(None))


def encode_type(kind: StagedType | None) -> Any:
    match kind:
        case None:
            return None
        case ArrayType(dtype, shape):
            return {"array": encode_dtype(dtype), "shape": list(shape)}
        case ScalarType(python):
            return {"scalar": python.__name__}
        case DequeType(element, maxlen):
            return {"deque": encode_type(element), "maxlen": maxlen}
        case SetType(element):
            return {"set": encode_type(element)}
        case DictType(element, factory):
            return {"dict": encode_type(element), "factory": factory}
        case ListType(element):
            return {"list": encode_type(element)}
        case TupleType(parts):
            return {"tuple": [encode_type(p) for p in parts]}
        case GeneratorType():
            return {"generator": "numpy"}
        case OptionalType(held):
            return {"optional": encode_type(held)}
        case MaybeType(held, name):
            return {"maybe": encode_type(held), "name": name}
    raise _unsupported(f"a value of type {kind}")
