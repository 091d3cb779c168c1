"""The machine code of one region as LLVM assembly.

The function `region` has one parameter, the address of its *frame*. Python calls it through a function of
the C interface, which takes a fifth of the time of `ctypes`. The frame begins with the list of allocated
blocks and that of kept ones; the words after these are the inputs when the function is called, and afterwards
the outputs or, after a bailout, the live values of the checkpoint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...ir.graph import Graph, Node
from ...ir.types import ArrayType
from ..assembly.memory import HEADER, PRELUDE
from ..assembly.statuses import DONE, FLAGGED, INTERRUPTED, NOT_RUN, Mode, UnsupportedError
from ..assembly.values import Access, Array, Expression, Maybe, Scalar
from ..assembly.writer import METADATA
from .bailouts import Checkpoint, Frame
from .boundary import BoundaryEmitter, finish_function, may_be_part, words_of
from .control_flow import POLL_INTERVAL
from .identity import PRODUCTS, SUMS, Memory, check_results
from .layout import FRAME_HEADER, Leaving, RegionCode
from .parts import METHODS, SHARED_METHODS, SYMBOLS


class RegionEmitter(BoundaryEmitter):
    """Emitter of a whole region."""

    def __init__(
        self, mode: Mode, *, backs_up: bool = True, keeps_arguments: bool = False, in_one_loop: bool = False
    ) -> None:
        super().__init__(mode)
        self.backs_up, self.keeps_arguments, self.in_one_loop = backs_up, keeps_arguments, in_one_loop

    def emit(self, graph: Graph, target_types: Sequence[ArrayType] = ()) -> tuple[str, RegionCode]:
        """Emit a region. Arrays of the target types follow the arguments, and receive the results."""
        self.memory = Memory(graph)
        self.multiplied = self.memory.may_be_operands(graph, *PRODUCTS)
        self.summed = self.memory.may_be_operands(graph, *SUMS)
        check_results(graph, self.memory)
        w = self.w
        self._thread, self._budget = w.alloca("ptr"), w.alloca("i64")
        w.line("store ptr null, ptr %frame")
        w.line(f"store ptr null, ptr {w.offset('%frame', '8')}")
        w.line(f"store i64 {POLL_INTERVAL}, ptr {self._budget}")
        if self.tests_flags:  # before inputs are read: LLVM moves operations above calls
            w.external("i32", "feclearexcept", ("i32", str(self.flags)))
        parameters = [*graph.arguments, *(Node("argument", (), {}, t) for t in target_types)]
        self.inputs, self.input_words, self.origins, self.words = [], [], set(), FRAME_HEADER
        for node in parameters:
            self.inputs.append(self.enter(node, self.words))
            self.input_words.append(self.words)
            self.words += words_of(node.type)
        self._targets = self.inputs[len(graph.arguments) :]
        self.values.update(zip(graph.arguments, self.inputs, strict=False))
        self.input_dims = {d for v in self.inputs if isinstance(v, Array) for d in v.dims if not d.isdigit()}
        start = len(w.lines)
        if not self.in_one_loop:
            w.line(f"store ptr {w.external('ptr', 'PyEval_SaveThread')}, ptr {self._thread}")
        written = set() if self.keeps_arguments else self.written_in(graph)
        self._back_up([v for n, v in zip(graph.arguments, self.inputs, strict=False) if n in written])
        self.frames.append(Frame(None, graph, 0))
        if self.in_one_loop:
            self._emit_one_loop(graph)
            results = self._targets
        else:
            results, _, _ = self.graph(graph, {a for a in graph.arguments if a in written})
        self._leave_if_flagged(results)
        outputs = self.leaving_all(results, graph.results)
        self.store_all(results, outputs, graph.results)
        self._return(DONE)
        exits = {c.number: self._exit(c) for c in self.checkpoints}
        if self.tests_flags:
            w.label("flagged")
            self._restore()
            self._return(FLAGGED)
        w.lines[start:start] = self._requirements()
        only_read = [
            i
            for i, entry in enumerate(self.inputs[: len(graph.arguments)])
            if graph.arguments[i] not in written and not any(may_be_part(r, entry) for r in results)
        ]
        return self._code(outputs, exits, tuple(only_read))

    # --- One loop ---------------------------------------------------------------------------------

    def _emit_one_loop(self, graph: Graph) -> None:
        """Emit a graph as one loop over the elements of its arrays, which computes each value once."""
        w, size = self.w, self._targets[0].dims[0]

        def sized(value: Any) -> Any:
            if not isinstance(value, Array) or not value.dims:
                return value
            self.require(w.compare("eq", value.dims[0], size))
            return replace(value, dims=(size,))

        self._targets = [sized(target) for target in self._targets]
        self.values.update([(node, sized(value)) for node, value in self.values.items()])
        results, _, _ = self.graph(graph, set())
        self.evaluate_all(list(zip(results, self._targets, strict=True)))

    def node(self, node: Node) -> None:
        super().node(node)
        value = self.values[node]
        if self.in_one_loop and isinstance(value, Expression):
            self.values[node] = replace(value, element=_computed_once(value))

    def is_whole(self, value: Expression, node: Node) -> bool:
        return self.in_one_loop or super().is_whole(value, node)

    def _exit(self, checkpoint: Checkpoint) -> list[Leaving]:
        """Emit the block that leaves at a checkpoint."""
        self.w.label(f"bail{checkpoint.number}")
        self._leave_if_flagged(checkpoint.slots)
        forms = self.leaving_all(checkpoint.slots, checkpoint.live)
        self.store_all(checkpoint.slots, forms, checkpoint.live)
        self._return(checkpoint.number)
        return forms

    def _code(
        self, outputs: list[Leaving], exits: dict[int, list[Leaving]], only_read: tuple[int, ...]
    ) -> tuple[str, RegionCode]:
        w = self.w
        w.declarations["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        methods = SHARED_METHODS if self.in_one_loop else METHODS
        functions = [w.text("region"), finish_function(outputs), methods]
        text = "\n".join([PRELUDE, *w.constants, *w.declarations.values(), *functions, METADATA])
        symbols, uses_floats = sorted({*w.symbols, *SYMBOLS}), bool(_FLOAT_CODE.search(text))
        return text, RegionCode(
            symbols, self.words, outputs, self.checkpoints, exits, self.allocates, uses_floats, only_read
        )

    def bail_if(self, condition: str) -> None:
        if self.scopes:
            super().bail_if(condition)
        else:
            self.require(self.w.op(f"xor i1 {condition}, true"))

    def _result(self, node: Node) -> Any:
        """Return a result of the current graph. Those of a region with targets are computed into them."""
        if self.in_one_loop:
            return self.value(node)
        if len(self.scopes) > 1 or not self._targets:
            return super()._result(node)
        target = self._targets[self.scopes[0].graph.results.index(node)]
        value = self.value(node)
        if not isinstance(value, (Array, Expression)):
            raise UnsupportedError("a result is not an array")
        self.evaluate(value, target)
        return target

    def is_fusable(self, node: Node) -> bool:
        if self.in_one_loop:
            return True
        if self._targets and len(self.scopes) == 1 and node in self.scopes[0].graph.results:
            return self.scopes[0].uses[node] == 1
        return super().is_fusable(node)

    def _requirements(self) -> list[str]:
        """Return the lines that refuse arrays which are too small for constant indices, or overlap."""
        lines, self.w.lines = self.w.lines, []
        for dim, least in self.least_dims.items():
            self.require(self.w.op(f"icmp sge i64 {dim}, {least}"))
        self.require_origins()
        lines, self.w.lines = self.w.lines, lines
        return lines

    # --- Flags ------------------------------------------------------------------------------------

    def _back_up(self, written: list[Any]) -> None:
        """Copy the inputs that the region writes to, to restore them if a flag is raised."""
        self._backups: list[tuple[Array, str, str]] = []
        if not self.tests_flags:
            return
        w = self.w
        for array in written:
            if not isinstance(array, Array) or not self.backs_up:
                continue  # the elements of a list are a copy
            size = self.byte_count(array)
            copy = w.op(f"call ptr @block_new(ptr %frame, i64 {size}, i1 false)")
            self.allocates = True
            failed = w.op(f"icmp eq ptr {copy}, null")
            w.leave_if(failed, "out_of_memory")
            address = w.offset(copy, str(HEADER))
            self.copy_bytes(address, array.address, size)
            self._backups.append((array, address, size))
        if self._backups:
            w.cold.append("out_of_memory:")
            thread = f"%{w.fresh()}"
            w.cold += [
                f"  {thread} = load ptr, ptr {self._thread}",
                f"  call void @PyEval_RestoreThread(ptr {thread})",
                f"  ret i64 {NOT_RUN}",
            ]

    def _restore(self) -> None:
        for array, address, size in self._backups:
            self.copy_bytes(array.address, address, size)

    def _leave_if_flagged(self, leaving: Iterable[Any] = ()) -> None:
        """Test the flags. LLVM would compute the values that are `leaving` the region behind the test."""
        if self.tests_flags:
            for value in leaving:
                number = value.value if isinstance(value, Maybe) else value
                if isinstance(number, Scalar) and number.kind.code == "f":
                    self.pin(number.register, number.kind.llvm)
            self.w.leave_if(self.raised_flags(), "flagged")

    def keep_flags(self) -> None:
        for register, llvm in (result for results in self.recent for result in results):
            self.pin(register, llvm)
        self.recent[-1].clear()
        self._leave_if_flagged()

    # --- The thread -------------------------------------------------------------------------------

    def _return(self, status: int) -> None:
        self._restore_thread()
        self.w.line(f"ret i64 {status}")

    def _restore_thread(self) -> None:
        w = self.w
        if not self.in_one_loop:
            w.external("void", "PyEval_RestoreThread", ("ptr", w.op(f"load ptr, ptr {self._thread}")))

    def poll(self, count: str | None) -> None:
        w = self.w
        left = w.op(f"load i64, ptr {self._budget}")
        less = w.op(f"sub i64 {left}, {count or 1}")
        w.line(f"store i64 {less}, ptr {self._budget}")
        cold, following = w.fresh("poll"), w.fresh("b")
        # With `eq`, decrement and branch are one instruction on x86; the budget is positive before.
        is_spent = f"icmp slt i64 {less}, 1" if count else f"icmp eq i64 {less}, 0"
        w.line(f"br i1 {w.op(is_spent)}, label %{cold}, label %{following}, !prof !0")
        lines, w.lines = w.lines, []
        w.label(cold)
        w.line(f"store i64 {POLL_INTERVAL}, ptr {self._budget}")
        self._leave_if_flagged()
        self._restore_thread()
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


def _computed_once(value: Expression) -> Callable[[Access], Scalar]:
    """Return a function that emits an element at its first use."""
    known: list[Scalar] = []

    def element(access: Access) -> Scalar:
        if not known:
            known.append(value.element(access))
        return known[0]

    return element


_FLOAT_CODE = re.compile(r"= f(add|sub|mul|div|rem|ptrunc)|@numpy_loop|@autograph_")


def compile_region(
    graph: Graph,
    mode: Mode,
    targets: Sequence[ArrayType] = (),
    **options: bool,
) -> tuple[str, RegionCode]:
    """Return the machine code of a region as LLVM assembly, and how to call it.

    The arrays of the types `targets` are passed after the arguments, and receive the results.
    A region `in_one_loop` has arrays of one dimension and one size, and only element-wise operations.
    Unless the region `backs_up` the inputs that it writes to, they are changed when it ends as `FLAGGED`.
    A region that `keeps_arguments` writes to none of them.
    After `FLAGGED`, a region that was compiled in the mode `FLAGS` needs the mode `CHECKS`. A region without
    floats always has that mode: it needs neither flags nor backups.

    Raises:
        UnsupportedError: an operation of the region cannot be compiled.
    """

    def emit(mode: Mode) -> tuple[str, RegionCode]:
        return RegionEmitter(mode, **options).emit(graph, targets)

    text, code = emit(mode)
    return (text, code) if mode is not Mode.FLAGS or code.uses_floats else emit(Mode.CHECKS)
