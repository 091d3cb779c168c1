"""Python functions that call machine code: arguments into a frame, results out of it.

The words of a frame are packed and unpacked with `struct`. An array goes in as the address of its object, which
the caller keeps alive. Frames are pooled, so that calls allocate nothing and threads do not share one.
"""

from __future__ import annotations

import contextvars
import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.graph import Missing, Node
from ..ir.types import ArrayType, bound_type
from .codegen.kinds import Kind, kind_of
from .codegen.region import NOT_RUN, Leaving, RegionCode
from .llvm import Library

_errstate: Callable[[], Any] = getattr(
    getattr(np._core.umath, "_extobj_contextvar", None), "get", object  # noqa: SLF001 - as fast as can be asked
)
_DEFAULT_ERRSTATE = contextvars.Context().run(_errstate)
_REPORTS_UNDERFLOW = "errstate() is not default_errstate and geterr()['under'] != 'ignore'"
"""Machine code takes no notice of underflow, which NumPy ignores by default."""

Frame = tuple[Any, int]
"""The buffer of a frame and its address."""


class FramePool:
    """Frames of one size."""

    def __init__(self, words: int):
        self.words = words
        self.free: list[Frame] = []

    def take(self) -> Frame:
        try:
            return self.free.pop()
        except IndexError:
            buffer = ctypes.create_string_buffer(8 * (self.words + 1))
            return buffer, ctypes.addressof(buffer)

    def give(self, frame: Frame) -> None:
        self.free.append(frame)


class NativeCode:
    """The linked machine code of a region, and how to call it."""

    def __init__(
        self, code: RegionCode, library: Library, inputs: Sequence[Node], recover: Callable[..., tuple]
    ):
        self.code, self._library, self.recover = code, library, recover
        self.pool = FramePool(code.words)
        self.enter = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(library.address("region"))
        self.finish = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(library.address("finish"))
        self.release_all = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(library.address("release_all"))
        self.call = _caller(self, inputs)

    def leave(self, frame: Frame, status: int, arguments: Sequence[Any]) -> list[Any]:
        """Return the values at the checkpoint where machine code gave up."""
        try:
            return read(frame[0], self.code.exits[status], arguments)
        finally:
            self.release(frame)

    def release(self, frame: Frame) -> None:
        if self.code.allocates:
            self.release_all(frame[1])
        self.pool.give(frame)


def read(buffer: Any, values: Sequence[Leaving], arguments: Sequence[Any]) -> list[Any]:
    """Read values from a frame. Arrays are copied, unless they are arguments or views of arguments."""
    results, word = [], 1
    for form in values:
        if form.kind is None:
            results.append(Missing.VALUE)
        elif form.source is not None:
            results.append(arguments[form.source])
        elif form.rank < 0:
            [value] = struct.unpack_from(_code(form.kind), buffer, 8 * word)
            results.append(_wrap(value, form.kind))
        else:
            origin, address, *dims = struct.unpack_from(f"qP{form.rank}q", buffer, 8 * word)
            results.append(_array(origin, address, tuple(dims), form.kind, arguments))
        word += form.words
    return results


def _wrap(value: Any, kind: Kind) -> Any:
    if kind.dtype is None:
        return value
    return kind.dtype.type(value)


def _array(
    origin: int, address: int, dims: tuple[int, ...], kind: Kind, arguments: Sequence[Any]
) -> np.ndarray:
    if origin >= 0:
        return shared(arguments[origin], address, dims)
    result = np.empty(dims, kind.dtype)
    ctypes.memmove(result.ctypes.data, address, result.nbytes)
    return result


def shared(argument: np.ndarray, address: int, dims: tuple[int, ...]) -> np.ndarray:
    """Return an argument, or the view of it that begins at an address."""
    distance = address - argument.ctypes.data
    if not distance and argument.shape == dims:
        return argument
    return np.ndarray(dims, argument.dtype, argument.data, distance)


def _code(kind: Kind) -> str:
    """Return the `struct` code of the word of a number."""
    if kind.code == "f":
        return "d"
    if kind.code == "b":
        return "?7x"
    return "Q" if kind.code == "u" else "q"


def _caller(native: NativeCode, inputs: Sequence[Node]) -> Callable[..., tuple]:
    """Return a function from a region's inputs to the tuple of its results.

    If machine code gives up, `recover` returns the results.
    """
    code = native.code
    kinds = [bound_type(i.type) for i in inputs]
    is_array = [isinstance(k, ArrayType) and bool(k.shape) for k in kinds]
    names = [f"x{i}" for i in range(len(inputs))]
    pack = struct.Struct("".join("P" if a else _code(kind_of(k)) for a, k in zip(is_array, kinds, strict=True)))
    values = ", ".join(f"id({n})" if a else n for n, a in zip(names, is_array, strict=True))
    arguments = f"({''.join(n + ', ' for n in names)})"
    namespace: dict[str, Any] = {
        "native": native, "enter": native.enter, "pool": native.pool.free, "take": native.pool.take,
        "pack": pack.pack_into, "error": struct.error, "shared": shared, "empty": np.empty,
        "errstate": _errstate, "default_errstate": _DEFAULT_ERRSTATE, "geterr": np.geterr,
    }  # fmt: skip
    refused = f"return native.recover(native, {NOT_RUN}, None, {arguments})"
    lines = [
        f"def call({', '.join(names)}):",
        *([f"    if {_REPORTS_UNDERFLOW}:", f"        {refused}"] if code.uses_floats else ()),
        "    frame = pool.pop() if pool else take()",
        "    buffer, address = frame",
        "    try:",
        f"        pack(buffer, 8{', ' if values else ''}{values})",
        "        status = enter(address)",
        "    except (error, OverflowError, TypeError):",
        "        pool.append(frame)",
        f"        {refused}",
        "    except BaseException:",
        "        native.release(frame)",
        "        raise",
        "    if status:",
        f"        if status == {NOT_RUN}:",
        "            pool.append(frame)",
        f"        return native.recover(native, status, frame, {arguments})",
    ]
    lines += _result_lines(code, names, namespace)
    exec("\n".join(lines), namespace)  # noqa: S102 - this is the compiler
    function: Callable[..., Any] = namespace["call"]
    return function


def _result_lines(code: RegionCode, names: list[str], namespace: dict[str, Any]) -> list[str]:
    """Return the lines that read the outputs from the frame and return them."""
    lines: list[str] = []
    targets: list[str] = []
    results: list[str] = []
    new_arrays: list[str] = []
    new_objects: list[str] = []
    object_words: list[int] = []
    layout, word = "", 1
    for i, form in enumerate(code.outputs):
        if form.source is not None or form.kind is None:
            layout += "8x" * form.words
            word += form.words
            results.append("None" if form.source is None else names[form.source])
            continue
        namespace[f"t{i}"] = form.kind.dtype.type if form.kind.dtype is not None else None
        targets.append(f"r{i}")
        results.append(f"t{i}(r{i})" if form.kind.dtype is not None else f"r{i}")
        if form.rank < 0:
            layout += _code(form.kind)
            word += 1
            continue
        dims = [f"d{i}_{axis}" for axis in range(form.rank)]
        layout += f"qP{form.rank}q"
        object_words.append(word)
        word += form.words
        targets += [f"a{i}", *dims]
        namespace[f"t{i}"] = form.kind.dtype
        shape = f"({''.join(d + ', ' for d in dims)})"
        new_arrays += [
            f"    if r{i} >= 0:",
            f"        r{i}, o{i} = shared(({''.join(n + ', ' for n in names)})[r{i}], a{i}, {shape}), 0",
            "    else:",
            f"        r{i} = empty({shape}, t{i})",
            f"        o{i} = id(r{i})",
        ]
        new_objects.append(f"o{i}")
        results[-1] = f"r{i}"
    if targets:
        namespace["unpack"] = struct.Struct(layout).unpack_from
        lines.append(f"    {', '.join(targets)}, = unpack(buffer, 8)")
    if new_arrays:
        # The words between the objects are not written: those of a pad byte would be zeroed.
        for target, word in zip(new_objects, object_words, strict=True):
            new_arrays.append(f"    pack_object(buffer, {8 * word}, {target})")
        namespace["pack_object"] = struct.Struct("P").pack_into
        lines += new_arrays
    if new_arrays or code.allocates:
        lines.append("    native.finish(address)")
    lines.append("    pool.append(frame)")
    lines.append(f"    return ({''.join(r + ', ' for r in results)})")
    return lines


def _known(form: Leaving) -> Kind:
    assert form.kind is not None
    return form.kind
