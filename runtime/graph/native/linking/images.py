"""Machine code as an image of memory, which a process loads without LLVM.

LLVM writes an object file. Its sections, laid out one after the other, refer to each other by distances, and
to the process through a table of addresses, so the image fits at any place once the table is filled in.
Loading LLVM and its linker takes a hundred times as long. Only ELF files for x86-64 are understood, which
LLVM writes on Linux; other object files are left to LLVM.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..operations.numpy_loops import address_of

_MAGIC, _X86_64 = b"\x7fELF\x02\x01", 62
_HEADER = struct.Struct("<16xHH20xQ10xHHH")  # type, machine, place of the section headers, their size, count
_PROGRAM, _SYMBOLS, _RELOCATIONS = 1, 2, 4  # types of sections
_WRITABLE, _ALLOCATED = 1, 2  # flags of sections
_UNDEFINED = 0  # the number of the section of outer symbols
_GOT = "_GLOBAL_OFFSET_TABLE_"
_FROM_GOT, _SLOT, _TO_GOT, _DISTANCE = 25, 27, 29, 24
"""R_X86_64_GOTOFF64, GOT64, GOTPC64 and PC64: the relocations of the code model that is compiled for."""
_EXECUTABLE = 1 | 4  # PROT_READ | PROT_EXEC


@dataclass(frozen=True)
class Image:
    """Linked machine code.

    Args:
        data: the bytes.
        slots: for each place of an address, what stands there: the offset of a function, or an outer symbol.
        functions: the offsets of the functions that Python calls.
    """

    data: bytes
    slots: Sequence[tuple[int, int | str]]
    functions: dict[str, int]


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class _Symbol(NamedTuple):
    name: str
    section: int
    value: int


def link(code: bytes, functions: Sequence[str]) -> Image | None:
    """Return the image of an object file, or None if something in it needs LLVM's linker."""
    is_known = code.startswith(_MAGIC) and _HEADER.unpack_from(code)[1] == _X86_64
    return _Linker(code).image(functions) if is_known else None


class _Linker:
    """Layout of the sections of one object file."""

    def __init__(self, code: bytes):
        self.code = code
        _, _, place, size, count, _ = _HEADER.unpack_from(code)
        headers = (code[place + size * i :][:64] for i in range(count))
        self.sections = [_Section(*struct.unpack("<IIQQQQIIQQ", header)) for header in headers]
        self.begins: dict[int, int] = {}
        self.data = bytearray()
        self.slots: dict[str | int, int] = {}
        for number, section in enumerate(self.sections):
            if section.type == _PROGRAM and section.flags & _ALLOCATED:  # the rest is for debuggers
                self._align(section.alignment)
                self.begins[number] = len(self.data)
                self.data += code[section.offset :][: section.size]
        self._align(8)
        self.got = len(self.data)
        self.symbols = [s for n in self._of_type(_SYMBOLS) for s in self._symbols(n)]

    def image(self, functions: Sequence[str]) -> Image | None:
        if any(s.type == _PROGRAM and s.flags & _WRITABLE and s.size for s in self.sections):
            return None
        for number in self._of_type(_RELOCATIONS):
            if self.sections[number].info in self.begins and not self._relocate(number):
                return None
        if any(isinstance(target, str) and address_of(target) is None for target in self.slots):
            return None
        self.data += bytes(8 * len(self.slots))
        offsets = {s.name: self._offset(s) for s in self.symbols if s.name in functions}
        slots = [(place, target) for target, place in self.slots.items()]
        return Image(bytes(self.data), slots, {name: o for name, o in offsets.items() if o is not None})

    def _of_type(self, kind: int) -> list[int]:
        return [number for number, section in enumerate(self.sections) if section.type == kind]

    def _align(self, alignment: int) -> None:
        self.data += bytes(-len(self.data) % max(1, alignment))

    def _symbols(self, number: int) -> Iterator[_Symbol]:
        table = self.sections[number]
        names = self.sections[table.link].offset
        for name, section, value in struct.iter_unpack("<I2xHQ8x", self._bytes(table)):
            begin = names + name
            yield _Symbol(self.code[begin : self.code.index(b"\0", begin)].decode(), section, value)

    def _bytes(self, section: _Section) -> bytes:
        return self.code[section.offset :][: section.size]

    def _offset(self, symbol: _Symbol) -> int | None:
        """Return the offset of a symbol in the image, or None if it is not in it."""
        begin = self.begins.get(symbol.section)
        return None if begin is None else begin + symbol.value

    def _relocate(self, number: int) -> bool:
        """Fill in the distances in one section; return whether all are known."""
        section = self.sections[number]
        begin = self.begins[section.info]
        for place, kind, index, addend in struct.iter_unpack("<QIIq", self._bytes(section)):
            symbol = self.symbols[index]
            distance = self._distance(kind, symbol, begin + place)
            if distance is None:
                return False
            struct.pack_into("<q", self.data, begin + place, distance + addend)
        return True

    def _distance(self, kind: int, symbol: _Symbol, place: int) -> int | None:
        offset = self._offset(symbol)
        if kind == _TO_GOT and symbol.name == _GOT:
            return self.got - place
        if kind == _SLOT and (offset is not None or symbol.section == _UNDEFINED):
            return self._slot(symbol.name if offset is None else offset) - self.got
        if kind in (_FROM_GOT, _DISTANCE) and offset is not None:
            return offset - (self.got if kind == _FROM_GOT else place)
        return None

    def _slot(self, target: str | int) -> int:
        return self.slots.setdefault(target, self.got + 8 * len(self.slots))


class LoadedImage:
    """An image in the memory of the process. The functions are valid as long as the object lives.

    Raises:
        OSError: the process lacks a function that it calls, or the system forbids to execute it.
    """

    def __init__(self, image: Image):
        import mmap  # noqa: PLC0415 - not every platform has images

        memory = mmap.mmap(-1, len(image.data), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory[:] = image.data
        self._memory: Any = ctypes.c_char.from_buffer(memory)
        self._begin = ctypes.addressof(self._memory)
        self._functions = image.functions
        for place, target in image.slots:
            address = address_of(target) if isinstance(target, str) else self._begin + target
            if address is None:
                raise OSError(f"the process has no function {target}")
            struct.pack_into("<Q", memory, place, address)
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if protect(self._begin, len(image.data), _EXECUTABLE):
            raise OSError(ctypes.get_errno(), "machine code cannot be made executable")

    def address(self, name: str) -> int:
        return self._begin + self._functions[name]
