"""Python values, NumPy values and types of staged values as JSON; `reading` has the way back.

None, truth values, small integers, finite floats, strings and lists are themselves. Anything else is an
object with one key, which tells what it is: `{"tuple": [1, 2]}`.
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

from .effects import GENERATORS
from .ir import Missing, Slot
from .names import TYPES
from .types import ArrayType, GeneratorType, ListType, MaybeType, ScalarType, StagedType, TupleType

DEEPEST = 60
EXACT = 2**53  # above, other readers of JSON round


class NotSavable(Exception):  # noqa: N818 - caught by those who know what holds the value
    """A value that has no form in a file; the text says why."""


def encode(value: Any, depth: int = 0) -> Any:
    """A value as JSON.

    Raises:
        NotSavable: it, or a part of it, has no form in a file.
    """
    if depth > DEEPEST:
        raise NotSavable(f"it is nested more than {DEEPEST} deep")
    if value is None or type(value) in (bool, str):
        return value
    encoder = _ENCODERS.get(type(value))
    if encoder is not None:
        return encoder(value, depth + 1)
    if isinstance(value, np.dtype):
        return {"dtype": encode_dtype(value)}
    if isinstance(value, np.generic) and type(value) is value.dtype.type:
        return {"scalar": encode_dtype(value.dtype), "data": _data(np.asarray(value))}
    if isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
        return _generator(value)
    if value is np._NoValue:
        return {"special": "no value"}
    if isinstance(value, type) and TYPES.get(_type_name(value)) is value:
        return {"type": _type_name(value)}
    what = f"the type {value.__qualname__}" if isinstance(value, type) else f"a {type(value).__qualname__}"
    raise NotSavable(f"{what} has no form in a file")


def _generator(value: Any) -> Any:
    for name, known in GENERATORS.items():
        if value is known:
            return {"generator": name}
    raise NotSavable(
        f"a random {type(value).__name__} has no form in a file: make it in the function, with "
        "np.random.default_rng(seed)"
    )


def _type_name(kind: type) -> str:
    return f"numpy.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__


def _parts(values: Any, depth: int) -> list[Any]:
    return [encode(v, depth) for v in values]


def _float(value: float, _: int) -> Any:
    return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}


def _int(value: int, _: int) -> Any:
    return value if -EXACT < value < EXACT else {"int": hex(value)}


def _array(value: np.ndarray, _: int) -> Any:
    order = {"order": "F"} if value.flags.f_contiguous and not value.flags.c_contiguous else {}
    return {
        "array": encode_dtype(value.dtype),
        "shape": list(value.shape),
        "data": _data(value, "F" if order else "C"),
        **order,
    }


def _data(value: np.ndarray, order: Any = "C") -> str:
    little = value.astype(value.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little.tobytes(order)).decode("ascii")


def encode_dtype(dtype: np.dtype) -> Any:
    """`=` is the byte order of the machine that reads."""
    if dtype.names is not None:
        fields = [[name, encode_dtype(dtype.fields[name][0]), dtype.fields[name][1]] for name in dtype.names]  # type: ignore[index]
        return {"fields": fields, "itemsize": dtype.itemsize}
    if dtype.subdtype is not None:
        return {"items": encode_dtype(dtype.subdtype[0]), "shape": list(dtype.subdtype[1])}
    text = dtype.str
    if not DTYPE.fullmatch(text):
        raise NotSavable(f"the dtype {dtype} has no form in a file")
    return "=" + text[1:] if dtype.isnative and text[0] in "<>" else text


DTYPE = re.compile(r"[=<>|][biufcSUVmM][0-9]{0,9}(\[[0-9]{0,9}[a-zA-Z]{1,7}\])?")

_ENCODERS: dict[type, Callable[[Any, int], Any]] = {
    int: _int,
    float: _float,
    complex: lambda v, d: {"complex": [_float(v.real, d), _float(v.imag, d)]},
    bytes: lambda v, _: {"bytes": base64.b64encode(v).decode("ascii")},
    list: _parts,
    tuple: lambda v, d: {"tuple": _parts(v, d)},
    dict: lambda v, d: {"dict": [[encode_key(k), encode(part, d)] for k, part in v.items()]},
    slice: lambda v, d: {"slice": _parts((v.start, v.stop, v.step), d)},
    range: lambda v, d: {"range": _parts((v.start, v.stop, v.step), d)},
    type(Ellipsis): lambda _, __: {"special": "..."},
    Missing: lambda _, __: {"special": "missing"},
    Slot: lambda v, _: {"slot": v.index},
    np.ndarray: _array,
}


def encode_key(key: Any) -> Any:
    """A key of a dict: what Python writes down as one literal."""
    if type(key) in KEYS and not (type(key) is float and not math.isfinite(key)):
        return encode(key)
    raise NotSavable(f"the key {key!r} of a dict has no form in a file")


KEYS = (bool, int, float, str, type(None))


def encode_type(kind: StagedType | None) -> Any:
    match kind:
        case None:
            return None
        case ArrayType(dtype, shape):
            return {"array": encode_dtype(dtype), "shape": list(shape)}
        case ScalarType(python):
            return {"scalar": python.__name__}
        case ListType(element):
            return {"list": encode_type(element)}
        case TupleType(parts):
            return {"tuple": [encode_type(p) for p in parts]}
        case GeneratorType():
            return {"generator": "numpy"}
        case MaybeType(held, name):
            return {"maybe": encode_type(held), "name": name}
    raise NotSavable(f"a value of type {kind} has no form in a file")
