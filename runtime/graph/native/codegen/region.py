"""The machine code of one region: how values come in and go out, and its LLVM assembly.

The function `region` has one parameter, the address of its *frame*. The first word of the frame is the list of
allocated blocks; the words after it are the inputs when the function is called, and afterwards the outputs or,
after a bailout, the live values of the checkpoint. A number takes one word. An input array is the address of
its Python object. An array that leaves takes a word for the index of the input whose memory it shares, or -1,
then its address and its dimensions. The caller replaces the first of these words by the address of a new array
object, and the function `finish` copies the elements into it and frees the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.graph import Graph, Missing, Node
from ...ir.types import ArrayType, ScalarType, bound_type
from .bailouts import Checkpoint, Frame
from .control_flow import POLL_INTERVAL, ControlFlowEmitter
from .kinds import Kind, Unsupported, kind_of
from .loop_facts import FAR
from .memory import HEADER, PRELUDE
from .values import Array, Expression, Scalar
from .writer import METADATA, Writer

DONE, NOT_RUN, INTERRUPTED, FLAGGED = 0, -1, -2, -3
_HEAD = object.__basicsize__
_DATA, _RANK, _DIMS, _STRIDES, _DESCR, _FLAGS = (_HEAD + n for n in (0, 8, 16, 24, 40, 48))
_CONTIGUOUS_ALIGNED = 0x1 | 0x100
_TYPE_NUMBER, _BYTE_ORDER = _HEAD + 12, _HEAD + 10


@dataclass(frozen=True)
class Leaving:
    """A value that leaves machine code: a number, or an array of this rank. `source` is the input that it is."""

    kind: Kind | None
    rank: int = -1  # of an array
    source: int | None = None

    @property
    def words(self) -> int:
        return 1 if self.rank < 0 else 2 + self.rank


@dataclass
class RegionCode:
    """A region in LLVM assembly, and what is needed to call it."""

    text: str
    symbols: list[str]
    words: int
    outputs: list[Leaving]
    checkpoints: list[Checkpoint]
    exits: dict[int, list[Leaving]] = field(default_factory=dict)
    allocates: bool = False
    uses_floats: bool = False


class RegionEmitter(ControlFlowEmitter):
    """Emitter of a whole region."""

    def emit(self, graph: Graph, targets: Sequence[ArrayType] = ()) -> RegionCode:
        """Emit a region. `targets` are arrays after the arguments that receive the results."""
        w = self.w
        self._thread, self._budget = w.alloca("ptr"), w.alloca("i64")
        self._words = len(graph.arguments) + len(targets)
        w.line("store ptr null, ptr %frame")
        w.line(f"store i64 {POLL_INTERVAL}, ptr {self._budget}")
        inputs = [self._enter(node, i) for i, node in enumerate(graph.arguments)]
        inputs += [
            self._enter(Node("argument", (), {}, t), len(inputs) + i) for i, t in enumerate(targets)
        ]
        self._inputs, self._targets = inputs, inputs[len(graph.arguments) :]
        self.values.update(zip(graph.arguments, inputs, strict=False))
        self.input_dims = {d for v in inputs if isinstance(v, Array) for d in v.dims if not d.isdigit()}
        start = len(w.lines)
        w.line(f"store ptr {w.external('ptr', 'PyEval_SaveThread')}, ptr {self._thread}")
        written = self.written_in(graph)
        self._back_up([v for n, v in zip(graph.arguments, inputs, strict=False) if n in written])
        self.frames.append(Frame(None, graph, 0))
        results, _, _ = self.graph(graph, {a for a in graph.arguments if a in written})
        self._leave_if_flagged()
        outputs = [self._leave(value, inputs) for value in results]
        self._store(results, outputs)
        self._return(DONE)
        exits = {}
        for checkpoint in self.checkpoints:
            w.label(f"bail{checkpoint.number}")
            self._leave_if_flagged()
            exits[checkpoint.number] = [self._leave(v, inputs) for v in checkpoint.slots]
            self._store(checkpoint.slots, exits[checkpoint.number])
            self._return(checkpoint.number)
        if self.by_flags:
            w.label("flagged")
            self._restore()
            self._return(FLAGGED)
        w.lines[start:start] = self._requirements()
        w.declarations["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        functions = [w.text("region"), _finish(outputs)]
        text = "\n".join([PRELUDE, *self._declarations(), *functions, METADATA])
        return RegionCode(
            text, sorted(w.symbols), self._words, outputs, self.checkpoints, exits, self.allocates, bool(_FLOAT_CODE.search(text))
        )

    def _result(self, node: Node) -> Any:
        """Return a result of the current graph. Those of a region with targets are computed into them."""
        if len(self.scopes) > 1 or not self._targets:
            return super()._result(node)
        target = self._targets[self.scopes[0].graph.results.index(node)]
        value = self.value(node)
        if not isinstance(value, (Array, Expression)):
            raise Unsupported("a result is not an array")
        self.evaluate(value, target)
        return target

    def is_fusable(self, node: Node) -> bool:
        if self._targets and len(self.scopes) == 1 and node in self.scopes[0].graph.results:
            return self.scopes[0].uses[node] == 1
        return super().is_fusable(node)

    def _requirements(self) -> list[str]:
        """Return the lines that refuse arrays which are too small for constant indices."""
        lines, self.w.lines = self.w.lines, []
        for dim, least in self.least_dims.items():
            self._require(self.w.op(f"icmp sge i64 {dim}, {least}"))
        lines, self.w.lines = self.w.lines, lines
        return lines

    # --- Flags ------------------------------------------------------------------------------------

    def _back_up(self, written: list[Array]) -> None:
        """Copy the inputs that the region writes to, to restore them if a flag is raised."""
        self._backups: list[tuple[Array, str, str]] = []
        if not self.by_flags:
            return
        w = self.w
        w.external("i32", "feclearexcept", ("i32", str(self.flags)))
        for array in written:
            size = w.mul(self.element_count(array.dims), str(array.kind.size))
            copy = w.op(f"call ptr @block_new(ptr %frame, i64 {size}, i1 false)")
            self.allocates = True
            address = w.offset(copy, str(HEADER))
            self._copy(address, array.address, size)
            self._backups.append((array, address, size))

    def _restore(self) -> None:
        for array, address, size in self._backups:
            self._copy(array.address, address, size)

    def _copy(self, target: str, source: str, size: str) -> None:
        self.w.call("void", "llvm.memcpy.p0.p0.i64", ("ptr", target), ("ptr", source), ("i64", size), ("i1", "false"))

    def _leave_if_flagged(self) -> None:
        if self.by_flags:
            self.w.leave_if(self.raised_flags(), "flagged")

    def _declarations(self) -> list[str]:
        return [d for name, d in self.w.declarations.items() if name not in ("malloc", "calloc", "free")]

    # --- Entering ---------------------------------------------------------------------------------

    def _enter(self, node: Node, index: int) -> Any:
        w, kind = self.w, kind_of(bound_type(node.type))
        place = w.offset("%frame", str(8 * (index + 1)))
        if isinstance(node.type, ArrayType) and node.type.shape:
            return self._enter_array(w.op(f"load ptr, ptr {place}"), kind, node)
        if not isinstance(node.type, (ScalarType, ArrayType)):
            raise Unsupported(f"values of type {node.type} are not compiled")
        if kind.code == "f":
            wide = w.op(f"load double, ptr {place}")
            return Scalar(w.op(f"fptrunc double {wide} to float") if kind.llvm == "float" else wide, kind)
        if kind.code == "b":
            return Scalar(w.load(kind, place), kind)
        word = w.op(f"load i64, ptr {place}")
        if kind.bits < 64 or kind.code == "u":
            return Scalar(word if kind.bits == 64 else w.op(f"trunc i64 {word} to {kind.llvm}"), kind)
        low, high = _assumed_bounds(node)
        self._require(w.op(f"icmp sge i64 {word}, {low}"))
        self._require(w.op(f"icmp sle i64 {word}, {high}"))
        return Scalar(word, kind, bounds=(low, high))

    def _enter_array(self, array: str, kind: Kind, node: Node) -> Array:
        """Read an array object. If its type or layout is not the expected one, do not run the region."""
        w, shape = self.w, node.type.shape
        assert kind.dtype is not None
        rank = w.op(f"load i32, ptr {w.offset(array, str(_RANK))}")
        self._require(w.op(f"icmp eq i32 {rank}, {len(shape)}"))
        flags = w.op(f"load i32, ptr {w.offset(array, str(_FLAGS))}")
        layout = w.op(f"and i32 {flags}, {_CONTIGUOUS_ALIGNED}")
        self._require(w.op(f"icmp eq i32 {layout}, {_CONTIGUOUS_ALIGNED}"))
        descr = w.op(f"load ptr, ptr {w.offset(array, str(_DESCR))}")
        number = w.op(f"load i32, ptr {w.offset(descr, str(_TYPE_NUMBER))}")
        equal = [w.op(f"icmp eq i32 {number}, {n}") for n in _type_numbers(kind.dtype)]
        self._require(equal[0] if len(equal) == 1 else w.op(f"or i1 {equal[0]}, {equal[1]}"))
        order = w.op(f"load i8, ptr {w.offset(descr, str(_BYTE_ORDER))}")
        self._require(w.op(f"icmp ne i8 {order}, {ord(_FOREIGN)}"))
        sizes = w.op(f"load ptr, ptr {w.offset(array, str(_DIMS))}")
        dims = []
        for axis, size in enumerate(shape):
            dim = w.op(f"load i64, ptr {w.offset(sizes, str(8 * axis))}")
            if size is not None:
                self._require(w.op(f"icmp eq i64 {dim}, {size}"))
            dims.append(dim if size is None else str(size))
        address = w.op(f"load ptr, ptr {w.offset(array, str(_DATA))}")
        return Array(kind, address, tuple(dims), root=address)

    def _require(self, condition: str) -> None:
        refused = "refused"
        if not any(line == f"{refused}:" for line in self.w.cold):
            self.w.cold += [f"{refused}:", f"  ret i64 {NOT_RUN}"]
        following = self.w.fresh("b")
        self.w.branch(condition, following, refused)
        self.w.label(following)

    # --- Leaving ----------------------------------------------------------------------------------

    def _leave(self, value: Any, inputs: list[Any]) -> Leaving:
        if value is Missing.VALUE:
            return Leaving(None, -1)
        if isinstance(value, Scalar):
            leaving = Leaving(value.kind)
        elif isinstance(value, Array):
            if value.strides is not None:
                raise Unsupported("a view is needed after a bailout")
            leaving = Leaving(value.kind, len(value.dims), _position(value, inputs))
        else:
            raise Unsupported("a value of this type leaves the region")
        return leaving

    def _store(self, values: list[Any], leaving: list[Leaving]) -> None:
        w, word = self.w, 1
        for value, form in zip(values, leaving, strict=True):
            place = w.offset("%frame", str(8 * word))
            word += form.words
            if form.kind is None or form.source is not None:
                continue
            if form.rank < 0:
                w.line(f"store {self._word(value)}, ptr {place}")
                continue
            w.line(f"store i64 {self._origin(value)}, ptr {place}")
            w.line(f"store ptr {value.address}, ptr {w.offset(place, '8')}")
            for axis, dim in enumerate(value.dims, 2):
                w.line(f"store i64 {dim}, ptr {w.offset(place, str(8 * axis))}")
        self._words = max(self._words, word)

    def _origin(self, value: Array) -> str:
        """Emit the index of the input whose memory an array shares, or -1."""
        w, origin = self.w, "-1"
        address = w.op(f"ptrtoint ptr {value.address} to i64")
        for i, entry in enumerate(self._inputs):
            if isinstance(entry, Array) and entry.kind == value.kind:
                size = w.mul(self.element_count(entry.dims), str(entry.kind.size))
                start = w.op(f"ptrtoint ptr {entry.address} to i64")
                distance = w.op(f"sub i64 {address}, {start}")
                inside = w.op(f"icmp ult i64 {distance}, {size}")
                origin = w.op(f"select i1 {inside}, i64 {i}, i64 {origin}")
        return origin

    def _word(self, value: Scalar) -> str:
        """Return a number as a typed word."""
        w, kind = self.w, value.kind
        if kind.llvm == "float":
            return f"double {w.op(f'fpext float {value.register} to double')}"
        if kind.code == "f" or kind.bits == 64:
            return f"{kind.llvm} {value.register}"
        op = "sext" if kind.code == "i" else "zext"
        return f"i64 {w.op(f'{op} {kind.llvm} {value.register} to i64')}"

    def _return(self, status: int) -> None:
        w = self.w
        w.external("void", "PyEval_RestoreThread", ("ptr", w.op(f"load ptr, ptr {self._thread}")))
        w.line(f"ret i64 {status}")

    # --- Ctrl-C -----------------------------------------------------------------------------------

    def poll(self, count: str | None) -> None:
        w = self.w
        left = w.op(f"load i64, ptr {self._budget}")
        less = w.op(f"sub i64 {left}, {count or 1}")
        w.line(f"store i64 {less}, ptr {self._budget}")
        cold, following = w.fresh("poll"), w.fresh("b")
        w.line(f"br i1 {w.op(f'icmp slt i64 {less}, 0')}, label %{cold}, label %{following}, !prof !0")
        lines, w.lines = w.lines, []
        w.label(cold)
        w.line(f"store i64 {POLL_INTERVAL}, ptr {self._budget}")
        self._leave_if_flagged()
        w.external("void", "PyEval_RestoreThread", ("ptr", w.op(f"load ptr, ptr {self._thread}")))
        failed = w.external("i32", "PyErr_CheckSignals")
        stop, go = w.fresh("stop"), w.fresh("go")
        w.branch(w.op(f"icmp ne i32 {failed}, 0"), stop, go)
        w.label(stop)
        w.line(f"ret i64 {INTERRUPTED}")
        w.label(go)
        w.line(f"store ptr {w.external('ptr', 'PyEval_SaveThread')}, ptr {self._thread}")
        w.jump(following)
        w.cold += w.lines
        w.lines = lines
        w.label(following)


def _finish(outputs: list[Leaving]) -> str:
    """Return the function that copies the outputs into array objects and frees the blocks."""
    w, word = Writer(), 1
    for form in outputs:
        if form.rank >= 0 and form.source is None and form.kind is not None:
            place = w.offset("%frame", str(8 * word))
            target = w.op(f"load ptr, ptr {place}")
            copies, following = w.fresh("copies"), w.fresh("b")
            w.branch(w.op(f"icmp ne ptr {target}, null"), copies, following)
            w.label(copies)
            size = str(form.kind.size)
            for axis in range(form.rank):
                size = w.mul(size, w.op(f"load i64, ptr {w.offset(place, str(16 + 8 * axis))}"))
            data = w.op(f"load ptr, ptr {w.offset(target, str(_DATA))}")
            source = w.op(f"load ptr, ptr {w.offset(place, '8')}")
            w.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {data}, ptr {source}, i64 {size}, i1 false)")
            w.jump(following)
            w.label(following)
        word += form.words
    w.line("call void @release_all(ptr %frame)")
    w.line("ret i64 0")
    return w.text("finish")


def _assumed_bounds(node: Node) -> tuple[int, int]:
    """Return the bounds of an integer input with which the region runs."""
    return (0 if node.attrs.get("is_natural") else -FAR), FAR


_FLOAT_CODE = re.compile(r"= f(add|sub|mul|div|rem|ptrunc)|@numpy_loop|@autograph_")
_FOREIGN = ">" if np.little_endian else "<"


def _type_numbers(dtype: np.dtype) -> list[int]:
    """Return the numbers of the C types that a dtype may have: `int64` is `long`, and elsewhere `long long`."""
    same = [np.dtype(c).num for c in "ilqILQ" if np.dtype(c) == dtype]
    return sorted({dtype.num, *same})[:2]


def _position(value: Array, inputs: list[Any]) -> int | None:
    """Return the index of the input that an array is, or None."""
    for i, entry in enumerate(inputs):
        if isinstance(entry, Array) and (entry.address, entry.dims, entry.kind) == (
            value.address, value.dims, value.kind
        ):  # fmt: skip
            return i
    return None


def compile_region(
    graph: Graph, *, by_flags: bool, targets: Sequence[ArrayType] = ()
) -> RegionCode:
    """Return the machine code of a region as LLVM assembly.

    The arrays of the types `targets` are passed after the arguments, and receive the results.
    `by_flags` is the faster way to detect float warnings; after `FLAGGED`, the other way is needed.

    Raises:
        Unsupported: an operation of the region cannot be compiled.
    """
    return RegionEmitter(by_flags=by_flags).emit(graph, targets)
