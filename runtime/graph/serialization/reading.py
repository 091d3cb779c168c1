"""Decode JSON data into values and types, as encoded by `values`. Errors give the location of invalid data.

`at` is always the location of `data` in the file, for error messages.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import FormatError, documentation
from ..ir.expressions import GENERATORS
from ..ir.graph import Missing, Slot
from ..ir.list_operations import DICTS
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
from .names import SCALARS, TYPES
from .values import DTYPE, KEY_TYPES, MAX_DEPTH


def format_error(at: str, problem: str) -> FormatError:
    return not_a_graph(f"{at}: {problem}")


def not_a_graph(problem: str) -> FormatError:
    return FormatError(
        problem,
        why=f"a graph must follow the format that {documentation('docs/graph-format.md')} describes",
        remedy="pass a file that ag.save wrote, or text that Graph.to_json() returned",
    )


def expect(data: Any, kind: type, at: str) -> Any:
    if type(data) is not kind:
        raise format_error(at, f"{_JSON[kind]} is expected here, not {_JSON.get(type(data), 'this')}")
    return data


_JSON = {
    dict: "an object", list: "a list", str: "a string", int: "an integer", float: "a number",
    bool: "a boolean", type(None): "null",
}  # fmt: skip


def expect_items(data: Any, at: str) -> list[tuple[Any, str]]:
    """Return the items of a list, each with its location."""
    return [(item, f"{at}[{i}]") for i, item in enumerate(expect(data, list, at))]


def expect_fields(data: Any, at: str, *keys: str) -> dict[str, Any]:
    """Return an object, after checking that it has no keys other than `keys`."""
    check_keys(expect(data, dict, at), at, *keys)
    return data


def check_keys(data: dict[str, Any], at: str, *keys: str) -> None:
    """Raise `FormatError` if an object has a key that the format does not define."""
    unknown = set(data) - set(keys)
    if unknown:
        raise format_error(at, f"the key {min(unknown)[:40]!r} is unknown")


def expect_index(data: Any, at: str) -> int:
    """Return a non-negative integer, such as a length or an index."""
    if expect(data, int, at) < 0 or data >= 2**63:
        raise format_error(at, f"{data} is not a valid length or index")
    return data


def expect_name(data: Any, at: str) -> str:
    """Return a printable line of text."""
    if not expect(data, str, at).isprintable() or len(data) > 10_000:
        raise format_error(at, "the name is too long or has unprintable characters")
    return data


def expect_list(data: Any, at: str, length: int, parts: str) -> list[Any]:
    """Return a list of the given length. `parts` describes its items in errors."""
    if len(expect(data, list, at)) != length:
        raise format_error(at, f"{parts} are expected here")
    return data


def look_up(data: Any, table: dict[str, Any], at: str, what: str) -> Any:
    if expect(data, str, at) not in table:
        raise format_error(at, f"{data[:80]!r} is not a known {what}")
    return table[data]


def check_depth(depth: int, at: str) -> None:
    if depth > MAX_DEPTH:
        raise format_error(at, f"nested more than {MAX_DEPTH} levels deep")


# --- values -----------------------------------------------------------------------------------


def decode(data: Any, at: str, depth: int = 0) -> Any:
    """Return the value that JSON data encodes, or raise `FormatError`."""
    check_depth(depth, at)
    if data is None or type(data) in (bool, str, int, float):
        return data
    if type(data) is list:
        return _decode_items(data, at, depth)
    fields = expect(data, dict, at)
    key = next((key for key in _DECODERS if key in fields), None)
    if key is None:
        raise format_error(at, f"no kind of value has the keys {sorted(fields)}")
    at = f"{at}.{key}"
    check_keys(fields, at, key, *_ARRAY_KEYS.get(key, ()))
    return _DECODERS[key](fields if key in _ARRAY_KEYS else fields[key], at, depth + 1)


def _decode_items(data: Any, at: str, depth: int) -> list[Any]:
    return [decode(item, place, depth + 1) for item, place in expect_items(data, at)]


def _decode_float(data: Any, at: str, _: int) -> float:
    try:
        encoded = bytes.fromhex(expect(data, str, at))
    except ValueError:
        encoded = b""
    if len(encoded) != 8:
        raise format_error(at, "8 bytes in hexadecimal are expected here")
    return struct.unpack(">d", encoded)[0]


def _decode_int(data: Any, at: str, _: int) -> int:
    if not re.fullmatch(r"-?0x[0-9a-f]{1,1000000}", expect(data, str, at)):
        raise format_error(at, "an integer in hexadecimal is expected here")
    return int(data, 16)


def _decode_complex(data: Any, at: str, depth: int) -> complex:
    parts = _decode_items(data, at, depth)
    if [type(p) for p in parts] != [float, float]:
        raise format_error(at, "two floats are expected here")
    return complex(*parts)


def _decode_bytes(data: Any, at: str, _: int = 0) -> bytes:
    try:
        return base64.b64decode(expect(data, str, at), validate=True)
    except ValueError:
        raise format_error(at, "the text is not valid base64") from None


def _decode_dict(data: Any, at: str, depth: int) -> dict[Any, Any]:
    items: dict[Any, Any] = {}
    for pair, place in expect_items(data, at):
        encoded_key, encoded_value = expect_list(pair, place, 2, "a key and a value")
        key = decode_key(encoded_key, f"{place}[0]")
        if key in items:
            raise format_error(f"{place}[0]", "the key is duplicated")
        items[key] = decode(encoded_value, f"{place}[1]", depth)
    return items


def decode_key(data: Any, at: str) -> Any:
    key = decode(data, at)
    if type(key) not in KEY_TYPES or (type(key) is float and not math.isfinite(key)):
        raise format_error(at, "the value is not a valid dict key")
    return key


def _decode_slice(data: Any, at: str, depth: int) -> slice:
    return slice(*expect_list(_decode_items(data, at, depth), at, 3, "start, stop and step"))


def _decode_range(data: Any, at: str, depth: int) -> range:
    parts = _decode_items(data, at, depth)
    if [type(p) for p in parts] != [int] * 3 or not parts[2]:
        raise format_error(at, "an integer start, stop and nonzero step are expected here")
    return range(*parts)


_SPECIAL = {"...": Ellipsis, "missing": Missing.VALUE, "no value": np._NoValue}


def _decode_shape(data: Any, at: str) -> tuple[int, ...]:
    return tuple(expect_index(d, at) for d in expect(data, list, at))


def _decode_array(fields: dict[str, Any], at: str, _: int) -> np.ndarray:
    dtype = decode_dtype(fields["array"], at)
    shape = _decode_shape(fields.get("shape"), f"{at}.shape")
    order = look_up(fields.get("order", "C"), {"C": "C", "F": "F"}, at, "order")
    return _decode_buffer(fields.get("data"), dtype, shape, at, order)


def _decode_scalar(fields: dict[str, Any], at: str, _: int) -> Any:
    return _decode_buffer(fields.get("data"), decode_dtype(fields["scalar"], at), (), at)[()]


def _decode_buffer(
    data: Any, dtype: np.dtype, shape: tuple[int, ...], at: str, order: Any = "C"
) -> np.ndarray:
    buffer = _decode_bytes(data, f"{at}.data")
    if dtype.itemsize == 0 or len(buffer) != math.prod(shape) * dtype.itemsize:
        raise format_error(at, f"{len(buffer)} bytes are not an array of dtype {dtype} and shape {shape}")
    if dtype.kind == "U" and buffer and int(np.frombuffer(buffer, "<u4").max()) > 0x10FFFF:
        raise format_error(at, "the text has an invalid code point")
    try:
        array = np.frombuffer(buffer, dtype.newbyteorder("<")).reshape(shape, order=order)
        if dtype.kind == "b":
            array = np.frombuffer(buffer, np.uint8).reshape(shape, order=order) != 0
        return array.astype(dtype, order=order, copy=True)
    except (ValueError, TypeError, MemoryError) as error:
        raise format_error(
            at, f"the data is not an array of dtype {dtype} and shape {shape}: {error}"
        ) from None


def decode_dtype(data: Any, at: str, depth: int = 0) -> np.dtype:
    try:
        return _decode_dtype(data, at, depth)
    except FormatError:
        raise
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise format_error(at, f"invalid dtype: {error}") from None


def _decode_dtype(data: Any, at: str, depth: int) -> np.dtype:
    check_depth(depth, at)
    if isinstance(data, str):
        if not DTYPE.fullmatch(data):
            raise format_error(at, f"{data[:40]!r} is not a dtype that the format supports")
        return np.dtype(data)
    fields = expect(data, dict, at)
    if "items" in fields:
        check_keys(fields, at, "items", "shape")
        shape = _decode_shape(fields.get("shape"), at)
        return np.dtype((decode_dtype(fields["items"], at, depth + 1), shape))
    check_keys(fields, at, "fields", "itemsize")
    parts: Any = {"names": [], "formats": [], "offsets": []}
    for field, place in expect_items(fields.get("fields"), at):
        name, dtype, offset = expect_list(field, place, 3, "a name, a dtype and an offset")
        parts["names"].append(expect(name, str, place))
        parts["formats"].append(decode_dtype(dtype, place, depth + 1))
        parts["offsets"].append(expect_index(offset, place))
    parts["itemsize"] = expect_index(fields.get("itemsize"), at)
    return np.dtype(parts)


_ARRAY_KEYS = {"array": ("shape", "data", "order"), "scalar": ("data",)}
"""The additional keys of values that are encoded with more than one key."""

_DECODERS: dict[str, Callable[[Any, str, int], Any]] = {
    "float": _decode_float,
    "int": _decode_int,
    "complex": _decode_complex,
    "bytes": _decode_bytes,
    "tuple": lambda data, at, depth: tuple(_decode_items(data, at, depth)),
    "dict": _decode_dict,
    "slice": _decode_slice,
    "range": _decode_range,
    "special": lambda data, at, _: look_up(data, _SPECIAL, at, "special value"),
    "slot": lambda data, at, _: Slot(expect_index(data, at)),
    "array": _decode_array,
    "scalar": _decode_scalar,
    "dtype": decode_dtype,
    "type": lambda data, at, _: look_up(data, TYPES, at, "type"),
    "generator": lambda data, at, _: look_up(data, GENERATORS, at, "random generator"),
}


_TYPE_KEYS: dict[str, tuple[str, ...]] = {
    "array": ("shape",), "scalar": (), "list": (), "deque": ("maxlen",), "set": (), "dict": ("factory",),
    "tuple": (), "generator": (),
    "optional": (),
    "maybe": ("name",),
}  # fmt: skip
"""The first key of each kind of type, and its additional keys."""


def decode_type(data: Any, at: str, depth: int = 0) -> StagedType | None:
    if data is None:
        return None
    check_depth(depth, at)
    fields = expect(data, dict, at)
    key = next((key for key in _TYPE_KEYS if key in fields), "maybe")
    check_keys(fields, at, key, *_TYPE_KEYS[key])
    if key == "array":
        lengths = expect(fields.get("shape"), list, at)
        shape = tuple(d if d is None else expect_index(d, at) for d in lengths)
        return ArrayType(decode_dtype(fields["array"], at), shape)
    if key == "scalar":
        return ScalarType(look_up(fields["scalar"], SCALARS, at, "Python scalar"))
    if key == "list":
        return ListType(decode_type(fields["list"], f"{at}.list", depth + 1))
    if key == "deque":
        maxlen = fields.get("maxlen")
        bound = None if maxlen is None else expect_index(maxlen, at)
        return DequeType(decode_type(fields["deque"], f"{at}.deque", depth + 1), bound)
    if key == "set":
        return SetType(decode_type(fields["set"], f"{at}.set", depth + 1))
    if key == "dict":
        return _decode_dict_type(fields, at, depth)
    if key == "tuple":
        expect(fields["tuple"], list, at)
        parts = expect_items(fields["tuple"], f"{at}.tuple")
        return TupleType(tuple(_decode_required_type(part, place, depth + 1) for part, place in parts))
    if key == "generator":
        return look_up(fields["generator"], {"numpy": GeneratorType()}, at, "kind of generator")
    if key == "optional":
        return OptionalType(decode_type(fields["optional"], f"{at}.optional", depth + 1))  # type: ignore[arg-type]
    held = _decode_required_type(fields.get("maybe"), f"{at}.maybe", depth + 1)
    return MaybeType(held, expect_name(fields.get("name"), f"{at}.name"))


def _decode_dict_type(fields: dict[str, Any], at: str, depth: int) -> DictType:
    element = decode_type(fields["dict"], f"{at}.dict", depth + 1)
    if element is not None and not (isinstance(element, TupleType) and len(element.parts) == 2):
        raise format_error(at, "the types of a dict's keys and values are expected here")
    look_up(fields.get("factory"), DICTS, at, "kind of dict")
    return DictType(element, fields["factory"])


def _decode_required_type(data: Any, at: str, depth: int) -> StagedType:
    kind = decode_type(data, at, depth)
    if kind is None:
        raise format_error(at, "a type is missing")
    return kind
