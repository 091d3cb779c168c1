"""JSON as the values that `values` wrote; whatever else it may be is an error that names the place."""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import FormatError
from .effects import GENERATORS
from .ir import Missing, Slot
from .names import SCALARS, TYPES
from .types import ArrayType, GeneratorType, ListType, MaybeType, ScalarType, StagedType, TupleType
from .values import DEEPEST, DTYPE, KEYS


def wrong(at: str, what: str) -> FormatError:
    return no_graph(f"{at}: {what}")


def no_graph(what: str) -> FormatError:
    return FormatError(
        what,
        why="this is no graph that autograph_rs wrote: docs/graph-format.md says what may stand where",
        remedy="give a file that ag.save wrote, or the text of Graph.to_json()",
    )


def expect(data: Any, kind: type, at: str) -> Any:
    if type(data) is not kind:
        raise wrong(at, f"{_JSON[kind]} is expected here, not {_JSON.get(type(data), 'this')}")
    return data


_JSON = {
    dict: "an object", list: "a list", str: "text", int: "an integer", float: "a number", bool: "a truth",
    type(None): "null",
}  # fmt: skip


def only(data: dict[str, Any], at: str, *keys: str) -> None:
    """Refuse keys that the format does not know."""
    unknown = set(data) - set(keys)
    if unknown:
        raise wrong(at, f"the key {min(unknown)[:40]!r} is not known")


def expect_size(data: Any, at: str) -> int:
    if expect(data, int, at) < 0 or data >= 2**63:
        raise wrong(at, f"{data} is no length, place or number of anything")
    return data


def expect_text(data: Any, at: str) -> str:
    """A name: a line of text that can be shown."""
    if not expect(data, str, at).isprintable() or len(data) > 10_000:
        raise wrong(at, "no name: it has characters that cannot be shown, or too many")
    return data


def chosen(data: Any, table: dict[str, Any], at: str, what: str) -> Any:
    if expect(data, str, at) not in table:
        raise wrong(at, f"{data[:80]!r} is no {what} that is known here")
    return table[data]


# --- values -----------------------------------------------------------------------------------


def decode(data: Any, at: str, depth: int = 0) -> Any:
    """The value of JSON; `at` is its place in the file.

    Raises:
        FormatError: it is the form of no value.
    """
    if depth > DEEPEST:
        raise wrong(at, f"nested more than {DEEPEST} deep")
    if data is None or type(data) in (bool, str, int, float):
        return data
    if type(data) is list:
        return _decoded(data, at, depth)
    known = expect(data, dict, at)
    for key, decoder in _DECODERS.items():
        if key in known:
            return decoder(known, f"{at}.{key}", depth + 1)
    raise wrong(at, f"no value has the keys {sorted(known)}")


def _decoded(data: list[Any], at: str, depth: int) -> list[Any]:
    return [decode(part, f"{at}[{i}]", depth + 1) for i, part in enumerate(data)]


def _decode_float(data: dict[str, Any], at: str, _: int) -> float:
    only(data, at, "float")
    return struct.unpack(">d", unhex(data["float"], at, 8))[0]


def unhex(data: Any, at: str, size: int) -> bytes:
    try:
        made = bytes.fromhex(expect(data, str, at))
    except ValueError:
        made = b""
    if len(made) != size:
        raise wrong(at, f"not {size} bytes in hexadecimal")
    return made


def _decode_int(data: dict[str, Any], at: str, _: int) -> int:
    only(data, at, "int")
    text = expect(data["int"], str, at)
    if not re.fullmatch(r"-?0x[0-9a-f]{1,1000000}", text):
        raise wrong(at, "no integer in hexadecimal")
    return int(text, 16)


def _decode_complex(data: dict[str, Any], at: str, depth: int) -> complex:
    only(data, at, "complex")
    parts = _decoded(expect(data["complex"], list, at), at, depth)
    if [type(p) for p in parts] != [float, float]:
        raise wrong(at, "not two floats")
    return complex(*parts)


def _decode_bytes(data: dict[str, Any], at: str, _: int) -> bytes:
    only(data, at, "bytes")
    return unbase64(data["bytes"], at)


def unbase64(data: Any, at: str) -> bytes:
    try:
        return base64.b64decode(expect(data, str, at), validate=True)
    except ValueError:
        raise wrong(at, "no base64") from None


def _decode_dict(data: dict[str, Any], at: str, depth: int) -> dict[Any, Any]:
    only(data, at, "dict")
    made: dict[Any, Any] = {}
    for i, pair in enumerate(expect(data["dict"], list, at)):
        if len(expect(pair, list, f"{at}[{i}]")) != 2:
            raise wrong(f"{at}[{i}]", "not a key and a value")
        key = decode_key(pair[0], f"{at}[{i}][0]")
        if key in made:
            raise wrong(f"{at}[{i}][0]", "the key is there before")
        made[key] = decode(pair[1], f"{at}[{i}][1]", depth)
    return made


def decode_key(data: Any, at: str) -> Any:
    key = decode(data, at)
    if type(key) not in KEYS or (type(key) is float and not math.isfinite(key)):
        raise wrong(at, "no key of a dict")
    return key


def _three(key: str, kind: Callable[..., Any]) -> Callable[[dict[str, Any], str, int], Any]:
    def decoder(data: dict[str, Any], at: str, depth: int) -> Any:
        only(data, at, key)
        parts = _decoded(expect(data[key], list, at), at, depth)
        if len(parts) != 3 or (kind is range and ([type(p) for p in parts] != [int] * 3 or not parts[2])):
            raise wrong(at, f"no {key}")
        return kind(*parts)

    return decoder


def _decode_special(data: dict[str, Any], at: str, _: int) -> Any:
    only(data, at, "special")
    return chosen(data["special"], _SPECIAL, at, "special value")


_SPECIAL = {"...": Ellipsis, "missing": Missing.VALUE, "no value": np._NoValue}


def _decode_array(data: dict[str, Any], at: str, _: int) -> np.ndarray:
    only(data, at, "array", "shape", "data", "order")
    dtype = decode_dtype(data["array"], at)
    shape = tuple(expect_size(d, f"{at}.shape") for d in expect(data.get("shape"), list, f"{at}.shape"))
    order = chosen(data.get("order", "C"), {"C": "C", "F": "F"}, at, "order")
    return _from_data(data.get("data"), dtype, shape, at, order)


def _decode_scalar(data: dict[str, Any], at: str, _: int) -> Any:
    only(data, at, "scalar", "data")
    return _from_data(data.get("data"), decode_dtype(data["scalar"], at), (), at)[()]


def _from_data(data: Any, dtype: np.dtype, shape: tuple[int, ...], at: str, order: Any = "C") -> np.ndarray:
    raw = unbase64(data, f"{at}.data")
    if dtype.itemsize == 0 or len(raw) != math.prod(shape) * dtype.itemsize:
        raise wrong(at, f"{len(raw)} bytes of data are no array of dtype {dtype} and shape {shape}")
    try:
        made = np.frombuffer(raw, dtype.newbyteorder("<")).reshape(shape, order=order)
        if dtype.kind == "U" and raw and int(np.frombuffer(raw, "<u4").max()) > 0x10FFFF:
            raise wrong(at, "text of characters that there are not")
        if dtype.kind == "b":
            made = np.frombuffer(raw, np.uint8).reshape(shape, order=order) != 0
        return made.astype(dtype, order=order, copy=True)
    except (ValueError, TypeError, MemoryError) as error:
        if isinstance(error, FormatError):
            raise
        raise wrong(at, f"no array of dtype {dtype} and shape {shape}: {error}") from None


def decode_dtype(data: Any, at: str, depth: int = 0) -> np.dtype:
    try:
        return _decode_dtype(data, at, depth)
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        if isinstance(error, FormatError):
            raise
        raise wrong(at, f"no dtype: {error}") from None


def _decode_dtype(data: Any, at: str, depth: int) -> np.dtype:
    if depth > DEEPEST:
        raise wrong(at, f"nested more than {DEEPEST} deep")
    if isinstance(data, str):
        if not DTYPE.fullmatch(data):
            raise wrong(at, f"{data[:40]!r} is no dtype that a file can name")
        return np.dtype(data)
    known = expect(data, dict, at)
    if "items" in known:
        only(known, at, "items", "shape")
        shape = tuple(expect_size(d, at) for d in expect(known.get("shape"), list, at))
        return np.dtype((decode_dtype(known["items"], at, depth + 1), shape))
    only(known, at, "fields", "itemsize")
    names, formats, offsets = [], [], []
    for i, field in enumerate(expect(known.get("fields"), list, at)):
        if len(expect(field, list, f"{at}[{i}]")) != 3:
            raise wrong(f"{at}[{i}]", "not a name, a dtype and an offset")
        names.append(expect(field[0], str, f"{at}[{i}]"))
        formats.append(decode_dtype(field[1], f"{at}[{i}]", depth + 1))
        offsets.append(expect_size(field[2], f"{at}[{i}]"))
    itemsize = expect_size(known.get("itemsize"), at)
    parts: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": itemsize}
    return np.dtype(parts)


def _decode_slot(data: dict[str, Any], at: str, _: int) -> Slot:
    only(data, at, "slot")
    return Slot(expect_size(data["slot"], at))


def _decode_generator(data: dict[str, Any], at: str, _: int) -> Any:
    only(data, at, "generator")
    return chosen(data["generator"], GENERATORS, at, "random generator")


def _decode_type(data: dict[str, Any], at: str, _: int) -> type:
    only(data, at, "type")
    return chosen(data["type"], TYPES, at, "type")


def _decode_tuple(data: dict[str, Any], at: str, depth: int) -> tuple[Any, ...]:
    only(data, at, "tuple")
    return tuple(_decoded(expect(data["tuple"], list, at), at, depth))


def _decode_dtype_value(data: dict[str, Any], at: str, _: int) -> np.dtype:
    only(data, at, "dtype")
    return decode_dtype(data["dtype"], at)


_DECODERS: dict[str, Callable[[dict[str, Any], str, int], Any]] = {
    "float": _decode_float,
    "int": _decode_int,
    "complex": _decode_complex,
    "bytes": _decode_bytes,
    "tuple": _decode_tuple,
    "dict": _decode_dict,
    "slice": _three("slice", slice),
    "range": _three("range", range),
    "special": _decode_special,
    "slot": _decode_slot,
    "array": _decode_array,
    "scalar": _decode_scalar,
    "dtype": _decode_dtype_value,
    "type": _decode_type,
    "generator": _decode_generator,
}


def decode_type(data: Any, at: str, depth: int = 0) -> StagedType | None:
    if data is None:
        return None
    if depth > DEEPEST:
        raise wrong(at, f"nested more than {DEEPEST} deep")
    known = expect(data, dict, at)
    if "array" in known:
        only(known, at, "array", "shape")
        lengths = expect(known.get("shape"), list, at)
        return ArrayType(
            decode_dtype(known["array"], at), tuple(d if d is None else expect_size(d, at) for d in lengths)
        )
    if "scalar" in known:
        only(known, at, "scalar")
        return ScalarType(chosen(known["scalar"], SCALARS, at, "Python scalar"))
    if "list" in known:
        only(known, at, "list")
        return ListType(decode_type(known["list"], f"{at}.list", depth + 1))
    if "tuple" in known:
        only(known, at, "tuple")
        parts = expect(known["tuple"], list, at)
        return TupleType(tuple(_needed(p, f"{at}.tuple[{i}]", depth + 1) for i, p in enumerate(parts)))
    if "generator" in known:
        only(known, at, "generator")
        return chosen(known["generator"], {"numpy": GeneratorType()}, at, "kind of generator")
    only(known, at, "maybe", "name")
    held = _needed(known.get("maybe"), f"{at}.maybe", depth + 1)
    return MaybeType(held, expect_text(known.get("name"), f"{at}.name"))


def _needed(data: Any, at: str, depth: int) -> StagedType:
    kind = decode_type(data, at, depth)
    if kind is None:
        raise wrong(at, "a type is missing")
    return kind
