"""Results that leave a frame: numbers, new arrays, and views of inputs or of each other."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.graph import Missing
from ..assembly.kinds import Kind, array_dtype
from ..codegen.layout import FRAME_HEADER, Leaving, RegionCode


def word_code(kind: Kind) -> str:
    """Return the `struct` code of the word of a number."""
    if kind.code == "f":
        return "d" if kind.bits == 64 else "f4x"
    if kind.code == "b":
        return "?7x"
    return "Q" if kind.code == "u" else "q"


def view_name(dtype: np.dtype) -> str:
    return f"view_{dtype.name}"


def read(buffer: Any, values: Sequence[Leaving], arguments: Sequence[Any]) -> list[Any]:
    """Read values from a frame. Arrays are copied, unless they are parts of arguments or of each other."""
    results: list[Any] = []
    addresses: list[int] = []
    parts: list[tuple[int, int, tuple[int, ...]]] = []
    word = FRAME_HEADER
    for i, form in enumerate(values):
        addresses.append(0)
        offset = 8 * (word + form.is_maybe)
        if form.kind is None or (form.is_maybe and not struct.unpack_from("?", buffer, 8 * word)[0]):
            results.append(None if form.is_optional else Missing.VALUE)
        elif form.source is not None:
            results.append(arguments[form.source])
        elif form.is_list:
            results.append(_read_list(buffer, offset, form))
        elif form.rank < 0:
            [value] = struct.unpack_from(word_code(form.kind), buffer, offset)
            results.append(value if form.kind.dtype is None else form.kind.dtype.type(value))
        else:
            origin, addresses[i], *dims = struct.unpack_from(f"qP{form.rank}q", buffer, offset)
            if origin >= len(arguments):
                parts.append((i, origin - len(arguments), tuple(dims)))
                results.append(None)
            elif origin >= 0:
                results.append(shared(arguments[origin], addresses[i], tuple(dims)))
            else:
                results.append(_copied(addresses[i], tuple(dims), form.kind.dtype))
        word += form.words
    for i, whole, shape in parts:
        results[i] = part_of(results[whole], addresses[i] - addresses[whole], shape)
    return results


def _copied(address: int, dims: tuple[int, ...], dtype: Any) -> np.ndarray:
    result = np.empty(dims, dtype)
    ctypes.memmove(result.ctypes.data, address, result.nbytes)
    return result


def _read_list(buffer: Any, offset: int, form: Leaving) -> list[Any]:
    address, length = struct.unpack_from("8xPq", buffer, offset)
    assert form.kind is not None
    if form.rank < 0:
        items = _copied(address, (length,), array_dtype(form.kind))
        return items.tolist() if form.kind.dtype is None else list(items)
    size = 8 * (2 + form.rank)
    rows = ctypes.string_at(address, size * length)
    found = (struct.unpack_from(f"PP{form.rank}q", rows, size * i) for i in range(length))
    return [_copied(start, tuple(dims), form.kind.dtype) for _, start, *dims in found]


def shared(argument: np.ndarray, address: int, dims: tuple[int, ...]) -> np.ndarray:
    """Return an argument, or the view of it that begins at an address."""
    return part_of(argument, address - argument.ctypes.data, dims)


def part_of(array: np.ndarray, distance: int, dims: tuple[int, ...]) -> np.ndarray:
    """Return an array, or the view of it that begins so many bytes after its first."""
    if not distance and array.shape == dims:
        return array
    return np.ndarray(dims, array.dtype, array.data, distance)


def result_lines(code: RegionCode, names: list[str], namespace: dict[str, Any]) -> list[str]:
    """Return the lines that read the outputs from the frame and return them."""
    lines: list[str] = []
    targets: list[str] = []
    results: list[str] = []
    objects: list[str] = []
    parts: list[str] = []
    layout, word = "", FRAME_HEADER
    for i, form in enumerate(code.outputs):
        word += form.words
        absent = "None" if form.is_optional else "MISSING"
        if form.source is not None or form.kind is None:
            layout += "8x" * form.words
            results.append(absent if form.source is None else names[form.source])
            continue
        if form.is_maybe:
            layout += "?7x"
            targets.append(f"b{i}")
        if form.is_object:
            rank = 1 if form.is_list else form.rank
            dims = [f"d{i}_{axis}" for axis in range(rank)]
            layout += f"qP{rank}q"
            targets += [f"r{i}", f"a{i}", *dims]
            objects += _object_lines(i, form, dims, names, word - form.words, namespace)
            parts += _part_lines(i, form, dims, len(names))
            text = f"r{i}"
        else:
            if form.kind.dtype is None:
                layout += word_code(form.kind)
                targets.append(f"r{i}")
            else:
                layout += "8x"
                lines.append(f"    r{i} = {view_name(form.kind.dtype)}[{word - 1}]")
            text = f"r{i}"
        results.append(f"{text} if b{i} else {absent}" if form.is_maybe else text)
    if targets:
        namespace["unpack"] = struct.Struct(layout).unpack_from
        lines.append(f"    {', '.join(targets)}, = unpack(buffer, {8 * FRAME_HEADER})")
    if objects:
        namespace["pack_object"] = struct.Struct("P").pack_into
    lines += objects + parts
    if objects or code.allocates:
        lines.append("    finish(address)")
    lines.append("    pool.append(frame)")
    lists = {i: f for i, f in enumerate(code.outputs) if f.is_list and f.source is None}
    for i, form in lists.items():
        assert form.kind is not None
        text = f"r{i}.tolist()" if form.kind.dtype is None else f"list(r{i})"
        lines.append(f"    r{i} = {f'{text} if b{i} else None' if form.is_maybe else text}")
    lines.append(f"    return ({''.join(f'{r}, ' if ' ' not in r else f'({r}), ' for r in results)})")
    return lines


def _object_lines(
    i: int, form: Leaving, dims: list[str], names: list[str], word: int, namespace: dict[str, Any]
) -> list[str]:
    """Return the lines that make the array object of an output, and pass it to `finish`."""
    assert form.kind is not None
    shape = f"({''.join(d + ', ' for d in dims)})"
    dtype = array_dtype(form.kind)
    namespace[f"e{i}"] = dtype
    if form.is_list:
        shape = f"({dims[0]}, {''.join(f'{d}, ' for d in form.shape)})"
    create = [f"r{i} = empty({shape}, e{i})", f"o{i} = id(r{i})"]
    inputs = f"({''.join(n + ', ' for n in names)})"
    share = [f"r{i} = shared({inputs}[r{i}], a{i}, {shape})", f"o{i} = 0"]
    lines = []
    indent = "    "
    if form.is_maybe:
        lines += [f"    o{i} = 0", f"    if b{i}:"]
        indent += "    "
    if form.is_list:
        lines += [indent + line for line in create]
    else:
        if form.others:
            lines += [f"{indent}if r{i} >= {len(names)}:", f"{indent}    o{i} = 0"]
        lines.append(f"{indent}{'elif' if form.others else 'if'} r{i} >= 0:")
        lines += [f"{indent}    {line}" for line in share]
        lines.append(f"{indent}else:")
        lines += [f"{indent}    {line}" for line in create]
    lines.append(f"    pack_object(buffer, {8 * (word + form.is_maybe)}, o{i})")
    return lines


def _part_lines(i: int, form: Leaving, dims: list[str], count: int) -> list[str]:
    """Return the lines that make an output which is a part of another one, after `count` inputs."""
    if not form.others:
        return []
    wholes = ", ".join(f"{count + j}: (r{j}, a{i} - a{j})" for j in form.others)
    test = f"type(r{i}) is int" + (f" and b{i}" if form.is_maybe else "")
    shape = f"({''.join(d + ', ' for d in dims)})"
    return [f"    if {test}:", f"        r{i} = part_of(*{{{wholes}}}[r{i}], {shape})"]
