"""Python functions that call machine code: arguments into a frame, results out of it.

The words of a frame are packed and unpacked with `struct`; NumPy scalars are read as elements of views of
the frame, which takes a tenth of the time of `np.int64(value)`. An array goes in as the address of its
object, which the caller keeps alive. Frames are pooled, so that calls allocate nothing and threads do not
share one.
"""

from __future__ import annotations

import contextvars
import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from ...ir.graph import Missing, Node
from ...ir.types import NULLABLE_TYPES, ArrayType, ListType, MaybeType, ScalarType, bound_type
from ..assembly.kinds import Kind, array_dtype, kind_of, list_form
from ..assembly.statuses import CALL_FILE, NOT_RUN
from ..codegen.layout import FRAME_HEADER, FUNCTIONS, Leaving, RegionCode

_umath: Any = np._core.umath  # type: ignore[attr-defined] # noqa: SLF001 - `np.geterr` takes a microsecond
_errstate: Callable[[], Any] = getattr(getattr(_umath, "_extobj_contextvar", None), "get", object)
_DEFAULT_ERRSTATE = contextvars.Context().run(_errstate)
_REPORTS_UNDERFLOW = "errstate() is not default_errstate and geterr()['under'] != 'ignore'"
"""Machine code takes no notice of underflow, which NumPy ignores by default."""

Frame: TypeAlias = "tuple[Any, int, *tuple[np.ndarray, ...]]"
"""The buffer of a frame, its address, and for some dtypes the values that begin at each word."""


class FramePool:
    """Frames of one size, with views of some dtypes."""

    def __init__(self, words: int, dtypes: Sequence[np.dtype]):
        self.words, self.dtypes = words, dtypes
        self.free: list[Frame] = []

    def new(self) -> Frame:
        buffer = ctypes.create_string_buffer(8 * self.words)
        memory = memoryview(buffer)
        views = [np.ndarray((self.words,), dtype, memory, strides=(8,)) for dtype in self.dtypes]
        return buffer, ctypes.addressof(buffer), *views

    def give(self, frame: Frame) -> None:
        self.free.append(frame)


class _Method(ctypes.Structure):
    """A `PyMethodDef` of machine code with one argument. It has to live as long as its function."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )
    _TAKES_ONE_OBJECT = 8

    def __init__(self, name: str, address: int):
        super().__init__(name.encode(), address, self._TAKES_ONE_OBJECT, None)

    def function(self) -> Callable[[int], int]:
        made: Callable[[int], int] = _new_function(ctypes.addressof(self), None, None)
        return made


_new_function = ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_void_p] * 3)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)


class Library(Protocol):
    """Linked machine code."""

    def address(self, name: str) -> int:
        """Return the address of a function."""


class NativeCode:
    """The linked machine code of a region, and how to call it."""

    def __init__(
        self, code: RegionCode, library: Library, inputs: Sequence[Node], recover: Callable[..., tuple]
    ):
        self.code, self._library, self._inputs, self.recover = code, library, inputs, recover
        kinds = {f.kind for f in code.outputs if f.kind is not None and f.rank < 0 and not f.is_list}
        self.pool = FramePool(code.words, [kind.dtype for kind in kinds if kind.dtype is not None])
        enter, finish, release = FUNCTIONS
        self._methods: list[_Method] = []
        self.enter, self.finish = self.method(enter), self.method(finish)
        self.release_all = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(library.address(release))
        self.call = _caller(self, inputs)

    def method(self, name: str) -> Callable[[int], int]:
        """Return a function of the machine code. It is valid as long as this object lives."""
        self._methods.append(_Method(name, self._library.address(name)))
        return self._methods[-1].function()

    def filler(self) -> Callable[..., Frame | None]:
        """Return a function from the inputs to a frame that holds them, or None if they are refused."""
        names, namespace = _names(self._inputs), _namespace(self)
        filling = _filling_lines(self, self._inputs, names, namespace, "return None")
        return _function([f"def call({', '.join(names)}):", *filling, "    return frame"], namespace)

    def leave(self, frame: Frame, status: int, arguments: Sequence[Any]) -> list[Any]:
        """Return the values at the checkpoint where machine code gave up."""
        try:
            return read(frame[0], self.code.exits[status], arguments)
        finally:
            self.release(frame)

    def contiguous(self, arguments: tuple) -> tuple | None:
        """Return the inputs with copies of arrays of another layout, or None if there are none to copy."""
        copies = {
            i: np.require(arguments[i], requirements=("C", "A"))
            for i in self.code.only_read
            if type(arguments[i]) is np.ndarray and not arguments[i].flags.carray
        }
        copies = {i: copy for i, copy in copies.items() if copy is not arguments[i]}
        return tuple([copies.get(i, x) for i, x in enumerate(arguments)]) if copies else None

    def release(self, frame: Frame) -> None:
        if self.code.allocates:
            self.release_all(frame[1])
        self.pool.give(frame)


def give_up(native: NativeCode, status: int, frame: Any, _arguments: tuple) -> Any:
    """Free what a part of a region has allocated."""
    if frame is not None and status != NOT_RUN:
        native.release(frame)


def read(buffer: Any, values: Sequence[Leaving], arguments: Sequence[Any]) -> list[Any]:
    """Read values from a frame. Arrays are copied, unless they are arguments or views of arguments."""
    results: list[Any] = []
    word = FRAME_HEADER
    for form in values:
        offset = 8 * (word + form.is_maybe)
        if form.kind is None or (form.is_maybe and not struct.unpack_from("?", buffer, 8 * word)[0]):
            results.append(None if form.is_optional else Missing.VALUE)
        elif form.source is not None:
            results.append(arguments[form.source])
        elif form.is_list:
            results.append(_read_list(buffer, offset, form))
        elif form.rank < 0:
            [value] = struct.unpack_from(_code(form.kind), buffer, offset)
            results.append(value if form.kind.dtype is None else form.kind.dtype.type(value))
        else:
            origin, address, *dims = struct.unpack_from(f"qP{form.rank}q", buffer, offset)
            if origin >= 0:
                results.append(shared(arguments[origin], address, tuple(dims)))
            else:
                results.append(_copied(address, tuple(dims), form.kind.dtype))
        word += form.words
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
    distance = address - argument.ctypes.data
    if not distance and argument.shape == dims:
        return argument
    return np.ndarray(dims, argument.dtype, argument.data, distance)


def _code(kind: Kind) -> str:
    """Return the `struct` code of the word of a number."""
    if kind.code == "f":
        return "d" if kind.bits == 64 else "f4x"
    if kind.code == "b":
        return "?7x"
    return "Q" if kind.code == "u" else "q"


def _view_name(dtype: np.dtype) -> str:
    return f"view_{dtype.name}"


def _caller(native: NativeCode, inputs: Sequence[Node]) -> Callable[..., tuple]:
    """Return a function from a region's inputs to the tuple of its results.

    If machine code gives up, `recover` returns the results.
    """
    names, namespace = _names(inputs), _namespace(native)
    arguments = f"({''.join(n + ', ' for n in names)})"
    refused = f"return native.recover(native, {NOT_RUN}, None, {arguments})"
    lines = [
        f"def call({', '.join(names)}):",
        *_filling_lines(native, inputs, names, namespace, refused),
        "    try:",
        "        status = enter(address)",
        "    except BaseException:",
        "        native.release(frame)",
        "        raise",
        "    if status:",
        f"        if status == {NOT_RUN}:",
        "            native.release(frame)",
        f"        return native.recover(native, status, frame, {arguments})",
        *_result_lines(native.code, names, namespace),
    ]
    return _function(lines, namespace)


def _function(lines: Sequence[str], namespace: dict[str, Any]) -> Callable[..., Any]:
    exec(compile("\n".join(lines), CALL_FILE, "exec"), namespace)  # noqa: S102 - this is the compiler
    function: Callable[..., Any] = namespace["call"]
    return function


def _names(inputs: Sequence[Node]) -> list[str]:
    return [f"x{i}" for i in range(len(inputs))]


def _namespace(native: NativeCode) -> dict[str, Any]:
    return {
        "native": native, "enter": native.enter, "finish": native.finish,
        "pool": native.pool.free, "new": native.pool.new, "error": struct.error,
        "shared": shared, "empty": np.empty, "MISSING": Missing.VALUE,
        "errstate": _errstate, "default_errstate": _DEFAULT_ERRSTATE, "geterr": np.geterr,
    }  # fmt: skip


def _filling_lines(
    native: NativeCode, inputs: Sequence[Node], names: Sequence[str], namespace: dict[str, Any], refused: str
) -> list[str]:
    """Return the lines that write the inputs into a frame, or do what is said if they are refused."""
    varying = []
    layout, values, lists = "", [], []
    for name, node in zip(names, inputs, strict=True):
        kind = node.type
        is_number = isinstance(kind, ScalarType) or (isinstance(kind, ArrayType) and not kind.shape)
        if is_number and node.attrs.get("may_vary"):
            namespace[f"type_{name}"] = kind.python if isinstance(kind, ScalarType) else kind.dtype.type
            varying.append(f"type({name}) is not type_{name}")
        form, text = _input_words(name, kind, namespace)
        layout += form
        values += text
        if isinstance(bound_type(kind), ListType):
            lists.append(f"        {name}_items = as_items_{name}({name})")
    namespace["pack"] = struct.Struct(layout).pack_into
    return [
        *([f"    if {_REPORTS_UNDERFLOW}:", f"        {refused}"] if native.code.uses_floats else ()),
        *([f"    if {' or '.join(varying)}:", f"        {refused}"] if varying else ()),
        "    try:",
        "        frame = pool.pop()",
        "    except IndexError:",
        "        frame = new()",
        f"    buffer, address{''.join(f', {_view_name(d)}' for d in native.pool.dtypes)} = frame",
        "    try:",
        *lists,
        f"        pack(buffer, {8 * FRAME_HEADER}{''.join(', ' + v for v in values)})",
        "    except (error, OverflowError, TypeError, ValueError):",
        "        pool.append(frame)",
        f"        {refused}",
    ]


def _input_words(name: str, kind: Any, namespace: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the `struct` code of the words of an input, and the expressions for them."""
    if isinstance(kind, NULLABLE_TYPES):
        form, [text] = _input_words(name, kind.held, namespace)
        absent = "False" if form == "?7x" else "0"
        bound = f"{name} is not {'MISSING' if isinstance(kind, MaybeType) else 'None'}"
        return "?7x" + form, [bound, f"({text}) if {bound} else {absent}"]
    if isinstance(kind, ListType):
        element, rank = list_form(kind)
        namespace[f"as_items_{name}"] = _item_array(kind, element, rank)
        return "P", [f"id({name}_items)"]
    if isinstance(kind, ArrayType) and kind.shape:
        return "P", [f"id({name})"]
    return _code(kind_of(kind)), [name]


def _item_array(kind: ListType, element: Kind, rank: int) -> Callable[[Any], np.ndarray]:
    """Return a function from a list to the array of its items, or of zero items for an unbound variable.

    It raises `TypeError` unless all items have the type that the graph knows: 0 may be in a list of `int64`.
    """
    dtype = array_dtype(element)
    shape = () if rank < 0 else kind.element.shape  # type: ignore[union-attr]
    item_type: Any = np.ndarray
    if rank < 0:
        item_type = kind.element.python if element.dtype is None else dtype.type  # type: ignore[union-attr]

    def as_items(items: Any) -> np.ndarray:
        if not items or items is Missing.VALUE:
            return np.empty((0, *[d or 0 for d in shape]), dtype)
        if set(map(type, items)) != {item_type} or (rank >= 0 and any(i.dtype != dtype for i in items)):
            raise TypeError
        return np.array(items, dtype)

    return as_items


def _result_lines(code: RegionCode, names: list[str], namespace: dict[str, Any]) -> list[str]:
    """Return the lines that read the outputs from the frame and return them."""
    lines: list[str] = []
    targets: list[str] = []
    results: list[str] = []
    objects: list[str] = []
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
            text = f"r{i}"
        else:
            if form.kind.dtype is None:
                layout += _code(form.kind)
                targets.append(f"r{i}")
            else:
                layout += "8x"
                lines.append(f"    r{i} = {_view_name(form.kind.dtype)}[{word - 1}]")
            text = f"r{i}"
        results.append(f"{text} if b{i} else {absent}" if form.is_maybe else text)
    if targets:
        namespace["unpack"] = struct.Struct(layout).unpack_from
        lines.append(f"    {', '.join(targets)}, = unpack(buffer, {8 * FRAME_HEADER})")
    if objects:
        namespace["pack_object"] = struct.Struct("P").pack_into
    lines += objects
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
        lines.append(f"{indent}if r{i} >= 0:")
        lines += [f"{indent}    {line}" for line in share]
        lines.append(f"{indent}else:")
        lines += [f"{indent}    {line}" for line in create]
    lines.append(f"    pack_object(buffer, {8 * (word + form.is_maybe)}, o{i})")
    return lines
