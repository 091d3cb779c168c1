"""Python functions that call machine code: arguments into a frame, then results out of it.

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
from ..codegen.layout import FRAME_HEADER, FUNCTIONS, RegionCode
from .results import part_of, read, result_lines, shared, view_name, word_code

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

    def call_plain(self, arguments: tuple) -> tuple | None:
        """Call with copies of arrays of another layout, or return None if there are none to copy.

        Memory maps become arrays with the same memory, unless a result could be a map, too.
        """
        has_maps = all(form.rank < 0 or form.source is not None for form in self.code.outputs)
        plain = list(arguments)
        for i, value in enumerate(arguments):
            if type(value) is np.memmap and has_maps:
                plain[i] = value.view(np.ndarray)
            if i in self.code.only_read and type(plain[i]) is np.ndarray and not plain[i].flags.carray:
                plain[i] = np.require(plain[i], requirements=("C", "A"))
        originals = {id(new): old for new, old in zip(plain, arguments, strict=True) if new is not old}
        return tuple([originals.get(id(r), r) for r in self.call(*plain)]) if originals else None

    def release(self, frame: Frame) -> None:
        if self.code.allocates:
            self.release_all(frame[1])
        self.pool.give(frame)


def give_up(native: NativeCode, status: int, frame: Any, _arguments: tuple) -> Any:
    """Free what a part of a region has allocated."""
    if frame is not None and status != NOT_RUN:
        native.release(frame)


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
        *result_lines(native.code, names, namespace),
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
        "shared": shared, "part_of": part_of, "empty": np.empty, "MISSING": Missing.VALUE,
        "errstate": _errstate, "default_errstate": _DEFAULT_ERRSTATE, "geterr": np.geterr,
    }  # fmt: skip


def _filling_lines(
    native: NativeCode, inputs: Sequence[Node], names: Sequence[str], namespace: dict[str, Any], refused: str
) -> list[str]:
    """Return the lines that write the inputs into a frame, or do what is said if they are refused."""
    varying = []
    layout, values, lists = "", [], []
    for name, node in zip(names, inputs, strict=True):
        kind, held = node.type, bound_type(node.type)
        is_number = isinstance(held, ScalarType) or (isinstance(held, ArrayType) and not held.shape)
        if is_number and node.attrs.get("may_vary"):
            namespace[f"type_{name}"] = held.python if isinstance(held, ScalarType) else held.dtype.type
            other = f"type({name}) is not type_{name}"
            varying.append(other if kind is held else f"({_bound_test(name, kind)} and {other})")
        form, text = _input_words(name, kind, namespace)
        layout += form
        values += text
        if isinstance(held, ListType):
            lists.append(f"        {name}_items = as_items_{name}({name})")
    namespace["pack"] = struct.Struct(layout).pack_into
    return [
        *([f"    if {_REPORTS_UNDERFLOW}:", f"        {refused}"] if native.code.uses_floats else ()),
        *([f"    if {' or '.join(varying)}:", f"        {refused}"] if varying else ()),
        "    try:",
        "        frame = pool.pop()",
        "    except IndexError:",
        "        frame = new()",
        f"    buffer, address{''.join(f', {view_name(d)}' for d in native.pool.dtypes)} = frame",
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
        bound = _bound_test(name, kind)
        return "?7x" + form, [bound, f"({text}) if {bound} else {absent}"]
    if isinstance(kind, ListType):
        element, rank = list_form(kind)
        namespace[f"as_items_{name}"] = _item_array(kind, element, rank)
        return "P", [f"id({name}_items)"]
    if isinstance(kind, ArrayType) and kind.shape:
        return "P", [f"id({name})"]
    return word_code(kind_of(kind)), [name]


def _bound_test(name: str, kind: Any) -> str:
    """Return the expression for whether a variable that may be unbound or None has a value."""
    return f"{name} is not {'MISSING' if isinstance(kind, MaybeType) else 'None'}"


def is_plain(array: np.ndarray) -> bool:
    """Return whether an array is in one piece and aligned."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned


def _item_array(kind: ListType, element: Kind, rank: int) -> Callable[[Any], np.ndarray]:
    """Return a function from a list to the array of its items, or of zero items for an unbound variable.

    It raises `TypeError` unless all items have the type that the graph knows: 0 may be in a list of `int64`.
    So it does for an array of another layout, since that of the array of the items tells the order of sums.
    """
    dtype = array_dtype(element)
    shape = () if rank < 0 else kind.element.shape  # type: ignore[union-attr]
    item_type: Any = np.ndarray
    if rank < 0:
        item_type = kind.element.python if element.dtype is None else dtype.type  # type: ignore[union-attr]

    def as_items(items: Any) -> np.ndarray:
        if not items or items is Missing.VALUE:
            return np.empty((0, *[d or 0 for d in shape]), dtype)
        if set(map(type, items)) != {item_type}:
            raise TypeError
        if rank >= 0 and any(i.dtype != dtype or not is_plain(i) for i in items):
            raise TypeError
        return np.array(items, dtype)

    return as_items
