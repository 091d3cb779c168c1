"""How values enter and leave machine code: the layout of the frame.

A number takes one word. An input array is the address of its Python object; a list enters as an array of its
items. An array that leaves takes a word for the index of the value whose memory it shares, or -1, then its
address and its dimensions; the inputs have the first indices, and what leaves has those after. A list of
numbers leaves as an array with one dimension, a list of arrays as its length and the address of its rows. A
variable that may be unbound has a word before these that says whether it is bound.

Where the first word of an array or a list has been replaced by the address of a new array object, the
function `finish` copies the elements into that object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ...ir.graph import Missing, Node
from ...ir.types import NULLABLE_TYPES, ArrayType, ListType, OptionalType, ScalarType, bound_type
from ..assembly.kinds import Kind, array_dtype, kind_of, list_form
from ..assembly.statuses import NOT_RUN, UnsupportedError
from ..assembly.values import Array, List, Maybe, Scalar
from ..assembly.writer import Writer
from ..operations.numpy_loops import ARRAY_TYPE
from ..operations.places import make_place
from .control_flow import ControlFlowEmitter
from .layout import FRAME_HEADER, Leaving
from .loop_facts import FAR

_HEAD = object.__basicsize__
_TYPE = _HEAD - 8
_DATA, _RANK, _DIMS, _DESCR, _FLAGS = (_HEAD + n for n in (0, 8, 16, 40, 48))
_CONTIGUOUS_ALIGNED = 0x1 | 0x100
_TYPE_NUMBER, _BYTE_ORDER = _HEAD + 12, _HEAD + 10
_FOREIGN = ord(">" if np.little_endian else "<")


def may_be_part(result: Any, entry: Any) -> bool:
    """Return whether a result may be an input or a view of it."""
    value, array = _held(result), _held(entry)
    if not isinstance(value, Array) or not isinstance(array, Array) or value.kind != array.kind:
        return False
    return None in (value.root, array.root) or value.root == array.root


def _held(value: Any) -> Any:
    """Return a value that may be unbound as if it were bound."""
    return value.value if isinstance(value, Maybe) else value


def words_of(kind: Any) -> int:
    """Return the words that an input of a type takes."""
    return 2 if isinstance(kind, NULLABLE_TYPES) else 1


class BoundaryEmitter(ControlFlowEmitter):
    """Emitter of the values that enter and leave a region."""

    inputs: list[Any]
    input_words: list[int]
    words: int
    origins: set[tuple[int, int]]
    """Pairs of inputs of which a value that leaves may be the one or the other."""

    # --- Entering ---------------------------------------------------------------------------------

    def enter(self, node: Node, word: int) -> Any:
        """Read an input from a word of the frame."""
        kind = node.type
        if not isinstance(kind, NULLABLE_TYPES):
            return self._enter(kind, node, word)
        w = self.w
        place = make_place(self, kind, (Missing.VALUE,))
        place.store(Missing.VALUE)
        flag = w.op(f"load i8, ptr {w.offset('%frame', str(8 * word))}")
        bound, following = w.fresh("bound"), w.fresh("b")
        w.branch(w.op(f"trunc i8 {flag} to i1"), bound, following)
        w.label(bound)
        place.store(self._enter(kind.held, node, word + 1))
        w.jump(following)
        w.label(following)
        return place.load()

    def _enter(self, kind: Any, node: Node, word: int) -> Any:
        w = self.w
        place = w.offset("%frame", str(8 * word))
        if isinstance(kind, ListType):
            return self._enter_list(w.op(f"load ptr, ptr {place}"), kind)
        if isinstance(kind, ArrayType) and kind.shape:
            return self._enter_array(w.op(f"load ptr, ptr {place}"), kind_of(kind), kind.shape)
        if not isinstance(kind, (ScalarType, ArrayType)):
            raise UnsupportedError(f"values of type {kind} are not compiled")
        return self._enter_number(place, kind_of(kind), least=node.attrs.get("least"))

    def _enter_number(self, place: str, kind: Kind, *, least: int | None) -> Scalar:
        w = self.w
        if kind.code in "bf":
            return Scalar(w.load(kind, place), kind)
        word = w.op(f"load i64, ptr {place}")
        if kind.bits < 64:
            return Scalar(w.op(f"trunc i64 {word} to {kind.llvm}"), kind)
        if kind.code == "u":
            return Scalar(word, kind)
        low = -FAR if least is None else least
        self.require(w.op(f"icmp sge i64 {word}, {low}"))
        self.require(w.op(f"icmp sle i64 {word}, {FAR}"))
        return Scalar(word, kind, bounds=(low, FAR))

    def _enter_array(self, array: str, kind: Kind, shape: tuple[int | None, ...]) -> Array:
        """Read an array object. If its type or layout is not the expected one, do not run the region.

        Instances of subclasses may compute otherwise.
        """
        w = self.w
        class_ = w.op(f"load ptr, ptr {w.offset(array, str(_TYPE))}")
        self.require(w.op(f"icmp eq ptr {class_}, {w.external_data(ARRAY_TYPE)}"))
        rank = w.op(f"load i32, ptr {w.offset(array, str(_RANK))}")
        self.require(w.op(f"icmp eq i32 {rank}, {len(shape)}"))
        flags = w.op(f"load i32, ptr {w.offset(array, str(_FLAGS))}")
        layout = w.op(f"and i32 {flags}, {_CONTIGUOUS_ALIGNED}")
        self.require(w.op(f"icmp eq i32 {layout}, {_CONTIGUOUS_ALIGNED}"))
        descr = w.op(f"load ptr, ptr {w.offset(array, str(_DESCR))}")
        number = w.op(f"load i32, ptr {w.offset(descr, str(_TYPE_NUMBER))}")
        is_known = "false"
        for n in _type_numbers(array_dtype(kind)):
            is_known = w.either(is_known, w.op(f"icmp eq i32 {number}, {n}"))
        self.require(is_known)
        order = w.op(f"load i8, ptr {w.offset(descr, str(_BYTE_ORDER))}")
        self.require(w.op(f"icmp ne i8 {order}, {_FOREIGN}"))
        sizes = w.op(f"load ptr, ptr {w.offset(array, str(_DIMS))}")
        dims = []
        for axis, size in enumerate(shape):
            dim = w.op(f"load i64, ptr {w.offset(sizes, str(8 * axis))}")
            if size is not None:
                self.require(w.op(f"icmp eq i64 {dim}, {size}"))
            dims.append(dim if size is None else str(size))
        address = w.op(f"load ptr, ptr {w.offset(array, str(_DATA))}")
        return Array(kind, address, tuple(dims), root=address)

    def _enter_list(self, array: str, kind: ListType) -> List:
        """Read the array of the items of a list."""
        element, rank = list_form(kind)
        shape = (None,) if rank < 0 else (None, *kind.element.shape)  # type: ignore[union-attr]
        items = self._enter_array(array, element, shape)
        length = items.dims[0]
        if rank < 0:
            return List(element, rank, items.address, length, length)
        result = self.new_list(element, rank, length, length)
        row = self.w.mul(self.element_count(items.dims[1:]), str(element.size))

        def body(i: str) -> None:
            item = replace(
                items, address=self.w.offset(items.address, self.w.mul(i, row)), dims=items.dims[1:]
            )
            self.put_row(result, i, item)

        self.counted(length, body)
        return result

    def require(self, condition: str) -> None:
        """Do not run the region unless a condition holds."""
        if not any(line == "refused:" for line in self.w.cold):
            self.w.cold += ["refused:", f"  ret i64 {NOT_RUN}"]
        following = self.w.fresh("b")
        self.w.branch(condition, following, "refused")
        self.w.label(following)

    # --- Leaving ----------------------------------------------------------------------------------

    def leaving(self, value: Any, kind: Any = None) -> Leaving:
        """Return how a value leaves. `kind` is its type."""
        is_optional = isinstance(kind, OptionalType)
        if isinstance(value, Maybe):
            form = self.leaving(value.value, bound_type(kind))
            return replace(form, is_maybe=True, is_optional=is_optional, source=None)
        if value is Missing.VALUE:
            return Leaving(None, is_optional=is_optional)
        if isinstance(value, Scalar):
            return Leaving(value.kind)
        if isinstance(value, List):
            shape: tuple[Any, ...] = (
                () if value.rank < 0 else getattr(getattr(kind, "element", None), "shape", (None,))
            )
            if None in shape:
                raise UnsupportedError("a list of arrays whose shapes are not known leaves the region")
            return Leaving(value.kind, value.rank, is_list=True, shape=shape)
        if isinstance(value, Array) and value.strides is None:
            return Leaving(value.kind, len(value.dims), self._position(value))
        raise UnsupportedError("a value of this type leaves the region")

    def _position(self, value: Array) -> int | None:
        """Return the index of the input that an array is, or None."""
        for i, entry in enumerate(self.inputs):
            if isinstance(entry, Array) and (entry.address, entry.dims) == (value.address, value.dims):
                return i
        return None

    def leaving_all(self, values: list[Any], nodes: Sequence[Node]) -> list[Leaving]:
        """Return how values leave together. The first of them are those of `nodes`."""
        forms = [self.leaving(v, n.type) for v, n in zip(values, nodes, strict=False)]
        arrays = [i for i, form in enumerate(forms) if form.is_array]
        for i in arrays:
            alike = [j for j in arrays if j != i and forms[j].kind == forms[i].kind]
            others = [j for j in alike if self.memory.have_common_source(nodes[i], nodes[j])]
            forms[i] = replace(forms[i], others=tuple(others))
        return forms + [self.leaving(v) for v in values[len(nodes) :]]

    def store_all(self, values: list[Any], forms: list[Leaving], nodes: Sequence[Node]) -> None:
        """Store values in the frame. The first of them are those of `nodes`."""
        w, word = self.w, FRAME_HEADER
        held = [v.value if f.is_maybe else v for v, f in zip(values, forms, strict=True)]
        for i, (value, form) in enumerate(zip(values, forms, strict=True)):
            place = w.offset("%frame", str(8 * word))
            word += form.words
            if form.kind is None or form.source is not None:
                continue
            if form.is_maybe:
                w.line(f"store i64 {w.op(f'zext i1 {value.is_bound} to i64')}, ptr {place}")
                place = w.offset(place, "8")
            owners = self._owners(held[i], nodes[i]) if i < len(nodes) else []
            self._store(held[i], place, i, [(j, held[j]) for j in form.others], owners)
        self.words = max(self.words, word)

    def _store(
        self,
        value: Any,
        place: str,
        index: int,
        others: list[tuple[int, Array]],
        owners: list[tuple[int, Array]],
    ) -> None:
        w = self.w
        if isinstance(value, Scalar):
            w.line(f"store {self._word(value)}, ptr {place}")
            return
        dims = (value.length,) if isinstance(value, List) else value.dims
        origin = "-1" if isinstance(value, List) else self._origin(value, index, others, owners)
        w.line(f"store i64 {origin}, ptr {place}")
        w.line(f"store ptr {value.address}, ptr {w.offset(place, '8')}")
        for axis, dim in enumerate(dims, 2):
            w.line(f"store i64 {dim}, ptr {w.offset(place, str(8 * axis))}")

    def _owners(self, value: Any, node: Node) -> list[tuple[int, Array]]:
        """Return the inputs that an array may be, or be a part of, with their indices."""
        if not isinstance(value, Array):
            return []
        arguments = self.memory.arguments_of(node)
        owners = []
        for i, (argument, entry) in enumerate(zip(self.memory.arguments, self.inputs, strict=False)):
            if argument in arguments and may_be_part(value, entry):
                owners.append((i, _held(entry)))
        self.origins.update(combinations([i for i, _ in owners], 2))
        return owners

    def require_origins(self) -> None:
        """Do not run the region if the memory of a value does not tell which of two inputs it is."""
        w = self.w
        for pair in sorted(self.origins):
            entries = [self.inputs[i] for i in pair]
            a, b = map(_held, entries)
            words = [self.input_words[i] + isinstance(e, Maybe) for i, e in zip(pair, entries, strict=True)]
            objects = [w.op(f"load ptr, ptr {w.offset('%frame', str(8 * word))}") for word in words]
            is_apart = w.op(f"icmp ne ptr {a.address}, {b.address}")
            for x, y in ((a, b), (b, a)):
                begins_after = w.op(f"icmp uge i64 {self._distance(x, y)}, {self.byte_count(x)}")
                is_apart = w.op(f"and i1 {is_apart}, {begins_after}")
            self.require(w.either(w.op(f"icmp eq ptr {objects[0]}, {objects[1]}"), is_apart))

    def _origin(
        self, value: Array, index: int, others: list[tuple[int, Array]], owners: list[tuple[int, Array]]
    ) -> str:
        """Emit the index of the value whose memory an array shares, or -1.

        Of several inputs it is the one with the same elements, if any. Of several results it is the largest,
        which is itself no part of another. Of equal ones it is the first.
        """
        w, origin = self.w, "-1"
        own = self.byte_count(value)
        most = w.add(own, "-1")
        for i, other in others if value.block != "null" else []:
            if i > index:
                most = w.call("i64", "llvm.smax.i64", ("i64", most), ("i64", own))
            size = self.byte_count(other)
            is_larger = w.op(f"icmp sgt i64 {size}, {most}")
            is_inside = w.op(f"and i1 {is_larger}, {self._contains(other, size, value, own)}")
            is_new = w.op(f"icmp ne ptr {value.block}, null")  # else it is a constant, which callers copy
            found = w.op(f"and i1 {is_new}, {is_inside}")
            origin = w.op(f"select i1 {found}, i64 {len(self.inputs) + i}, i64 {origin}")
            most = w.op(f"select i1 {found}, i64 {size}, i64 {most}")
        for test in (self._contains, self._is_all_of):
            for i, entry in reversed(owners):
                is_found = test(entry, self.byte_count(entry), value, own)
                origin = w.op(f"select i1 {is_found}, i64 {i}, i64 {origin}")
        return origin

    def byte_count(self, array: Array) -> str:
        return self.w.mul(self.element_count(array.dims), str(array.kind.size))

    def _contains(self, array: Array, size: str, part: Array, part_size: str) -> str:
        """Emit whether an array contains a part. Either may have no elements."""
        w = self.w
        is_larger = w.op(f"icmp uge i64 {size}, {part_size}")
        begins = w.op(f"icmp ule i64 {self._distance(array, part)}, {w.op(f'sub i64 {size}, {part_size}')}")
        return w.op(f"and i1 {is_larger}, {begins}")

    def _is_all_of(self, array: Array, _size: str, other: Array, _other_size: str) -> str:
        w = self.w
        is_same = w.op(f"icmp eq ptr {array.address}, {other.address}")
        if len(array.dims) != len(other.dims):
            return "false"
        for a, b in zip(array.dims, other.dims, strict=True):
            is_same = w.op(f"and i1 {is_same}, {w.compare('eq', a, b)}")
        return is_same

    def _distance(self, start: Array, end: Array) -> str:
        first, last = (self.w.op(f"ptrtoint ptr {a.address} to i64") for a in (start, end))
        return self.w.op(f"sub i64 {last}, {first}")

    def _word(self, value: Scalar) -> str:
        """Return a number as a typed word."""
        w, kind = self.w, value.kind
        if kind.code == "f" or kind.bits == 64:
            return f"{kind.llvm} {value.register}"
        op = "sext" if kind.code == "i" else "zext"
        return f"i64 {w.op(f'{op} {kind.llvm} {value.register} to i64')}"


def _type_numbers(dtype: np.dtype) -> list[int]:
    """Return the numbers of the C types of a dtype: `int64` is `long`, or elsewhere `long long`."""
    return sorted({dtype.num, *(np.dtype(c).num for c in "ilqILQ" if np.dtype(c) == dtype)})


def finish_function(outputs: list[Leaving]) -> str:
    """Return the function that copies the outputs into array objects and frees the blocks."""
    w, word = Writer(), FRAME_HEADER
    for form in outputs:
        if form.is_object:
            place = w.offset("%frame", str(8 * (word + form.is_maybe)))
            target = w.op(f"load ptr, ptr {place}")
            copies, following = w.fresh("copies"), w.fresh("b")
            w.branch(w.op(f"icmp ne ptr {target}, null"), copies, following)
            w.label(copies)
            data = w.op(f"load ptr, ptr {w.offset(target, str(_DATA))}")
            source = w.op(f"load ptr, ptr {w.offset(place, '8')}")
            if form.is_list and form.rank >= 0:
                _copy_rows(w, form, data, source, w.op(f"load i64, ptr {w.offset(place, '16')}"))
            else:
                assert form.kind is not None
                size = str(form.kind.size)
                for axis in range(1 if form.is_list else form.rank):
                    size = w.mul(size, w.op(f"load i64, ptr {w.offset(place, str(16 + 8 * axis))}"))
                w.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {data}, ptr {source}, i64 {size}, i1 false)")
            w.jump(following)
            w.label(following)
        word += form.words
    w.line("call void @release_all(ptr %frame)")
    w.line("ret i64 0")
    return w.text("finish")


def _copy_rows(w: Writer, form: Leaving, target: str, rows: str, length: str) -> None:
    """Emit the copy of the arrays in a list, one after the other."""
    assert form.kind is not None
    size = form.kind.size
    for dim in form.shape:
        size *= dim
    counter = w.alloca("i64")
    head, inside, end = w.fresh("head"), w.fresh("body"), w.fresh("end")
    w.line(f"store i64 0, ptr {counter}")
    w.jump(head)
    w.label(head)
    i = w.op(f"load i64, ptr {counter}")
    w.branch(w.op(f"icmp slt i64 {i}, {length}"), inside, end)
    w.label(inside)
    row = w.offset(rows, w.mul(i, str(8 * (2 + form.rank))))
    source = w.op(f"load ptr, ptr {w.offset(row, '8')}")
    place = w.offset(target, w.mul(i, str(size)))
    w.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {source}, i64 {size}, i1 false)")
    w.line(f"store i64 {w.op(f'add i64 {i}, 1')}, ptr {counter}")
    w.jump(head)
    w.label(end)
