"""Regions at run time: loops of one graph that run as Python until their machine code is ready."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any, Protocol

from ...debugging.loggers import NATIVE
from ..compile import Compiled, compile_graph
from ..ir.graph import Node
from . import cache
from .calls import NativeCode
from .codegen.kinds import Unsupported
from .codegen.region import FLAGGED, NOT_RUN, compile_region
from .llvm import Library, object_code, target_name
from .regions import RegionGraph, located, region_graph
from .resume import resume_graph

HOT_SECONDS = 0.004
"""The time in Python after which a region is compiled."""
CHUNK_SECONDS = 0.001
MEASURED_CALLS = 8
"""The calls of machine code that are timed to decide whether it pays."""
MAX_NESTED_BAILOUTS = 16
"""The bailouts of one call after which its later iterations run in Python."""


class Owner(Protocol):
    """What has regions: an engine."""

    def compile_later(self, region: Region) -> None: ...

    def changed(self) -> None: ...


class Region:
    """One loop. `run` maps its inputs to its results once the region is `ready`."""

    begin = staticmethod(perf_counter)

    def __init__(self, node: Node, owner: Owner):
        self.node = node
        self.owner = owner
        self.form: RegionGraph = region_graph(node)
        self.reason = ""
        """Why the region is not compiled, as a phrase."""
        self.ready = False
        self.is_settled = False
        self.run: Callable[..., tuple] = self.run_python
        self.python_seconds = self.compile_seconds = self.native_seconds = 0.0
        self.python_calls = self.native_calls = self.bailouts = 0
        self.from_cache = False
        self.compiled: list[Compiled] = []
        self._by_flags = True
        self._is_requested = False
        self._native: NativeCode | None = None
        self._resumed: dict[int, Callable[..., tuple]] = {}
        self._plain: Compiled | None = None
        self._lock = threading.RLock()
        self._nesting = threading.local()

    # --- Compilation ------------------------------------------------------------------------------

    def compile(self) -> None:
        """Compile the region to machine code.

        Raises:
            Unsupported: an operation of the region cannot be compiled.
        """
        started = perf_counter()
        code = compile_region(self.form.graph, by_flags=self._by_flags)
        key = cache.key_of(code.text, target_name())
        binary = cache.load(key)
        self.from_cache = binary is not None
        if binary is None:
            binary = object_code(code.text)
            cache.store(key, binary)
        native = NativeCode(code, Library(binary, code.symbols), self.form.graph.arguments, self._recover)
        with self._lock:
            self._native, self._resumed = native, {}
            self.run = native.call if self.is_settled or not self._is_requested else self._run_measured
            self.ready = True
        self.compile_seconds = perf_counter() - started
        NATIVE.info(
            "%s the loop at %s in %.1f ms",
            "loaded" if self.from_cache else "compiled",
            self.node.place,
            1000 * self.compile_seconds,
        )

    def try_compile(self) -> bool:
        """Compile the region, or note why it cannot be compiled."""
        try:
            self.compile()
        except Unsupported as error:
            self.refuse(located(error.reason, error.node, self.node))
        return self.ready

    def compile_in_background(self) -> bool:
        """Compile the region like `try_compile`. A fault of the compiler costs only speed."""
        try:
            return self.try_compile()
        except Exception:
            NATIVE.exception("the loop at %s could not be compiled", self.node.place)
            self.refuse("the compiler failed")
            return False

    def refuse(self, reason: str) -> None:
        """Keep the region in Python."""
        self.reason, self.ready, self.is_settled = reason, False, True
        self.run = self.run_python
        NATIVE.info("the loop at %s stays in Python: %s", self.node.place, reason)

    @property
    def is_compiling(self) -> bool:
        """Whether the region has been hot, and its machine code is not ready yet."""
        return self._is_requested and not (self.ready or self.reason)

    # --- Measurement ------------------------------------------------------------------------------

    def next_chunk(self, began: float, size: int) -> int:
        """Return the number of iterations to run after a chunk of `size`, or 0 if machine code takes over.

        Chunks grow until they take long. Have the region compiled if it has taken long.
        """
        elapsed = perf_counter() - began
        if self.python_seconds + elapsed > HOT_SECONDS:
            self._request()
        if self.ready:
            return 0
        return 2 * size if elapsed < CHUNK_SECONDS else size

    def end(self, began: float) -> None:
        """Note that the loop has ended, in Python code that called at the time `began`."""
        self.python_seconds += perf_counter() - began
        self.python_calls += 1
        if self.python_seconds > HOT_SECONDS:
            self._request()

    def _request(self) -> None:
        if not self._is_requested:
            self._is_requested = True
            self.owner.compile_later(self)

    def _run_measured(self, *arguments: Any) -> tuple:
        """Run machine code, and decide after some calls whether it pays."""
        native = self._native
        assert native is not None
        started = perf_counter()
        results = native.call(*arguments)
        self.native_seconds += perf_counter() - started
        self.native_calls += 1
        if self.native_calls >= MEASURED_CALLS and not self.is_settled:
            self.settle()
        return results

    def settle(self) -> None:
        """Keep machine code, or go back to Python if that took less time for each call."""
        python = self.python_seconds / max(1, self.python_calls)
        native = self.native_seconds / max(1, self.native_calls)
        if self.python_calls and native > python:
            self.refuse(
                f"machine code took {1e6 * native:.1f} us for each call, Python {1e6 * python:.1f} us"
            )
        else:
            assert self._native is not None
            self.is_settled, self.run = True, self._native.call
        self.owner.changed()

    # --- Running ----------------------------------------------------------------------------------

    def run_python(self, *arguments: Any) -> tuple:
        """Run the region as Python code."""
        if self._plain is None:
            self._plain = compile_graph(self.form.graph)
            self.compiled.append(self._plain)
        return self._plain.function(*arguments)

    def _recover(self, native: NativeCode, status: int, frame: Any, arguments: tuple) -> tuple:
        """Return the results of a call that machine code did not finish."""
        if status == NOT_RUN:
            return self.run_python(*arguments)
        if status == FLAGGED:
            native.release(frame)
            return self._run_checked(native, arguments)
        self.bailouts += 1
        values = native.leave(frame, status, arguments)
        resume = self._resumed.get(status) if native is self._native else None
        if resume is None:
            resume = self._resume_function(native, status)
        return resume(*values)

    def _run_checked(self, native: NativeCode, arguments: tuple) -> tuple:
        """Run the region again, compiled to leave machine code at the operation that warns."""
        with self._lock:
            if self._native is native:
                self._by_flags = False
                if not self.try_compile():
                    self.owner.changed()
                    return self.run_python(*arguments)
                self.owner.changed()
            current = self._native
        assert current is not None
        return current.call(*arguments)

    def _resume_function(self, native: NativeCode, status: int) -> Callable[..., tuple]:
        """Return the function that goes on at a checkpoint."""
        checkpoint = next(c for c in native.code.checkpoints if c.number == status)
        resumed = resume_graph(checkpoint)
        regions = {} if resumed.outer_loop is None else {resumed.outer_loop: self._continue}
        compiled = compile_graph(resumed.graph, regions=regions)
        self.compiled.append(compiled)
        if native is self._native:
            self._resumed[status] = compiled.function
        return compiled.function

    def _continue(self, *arguments: Any) -> tuple:
        """Run the later iterations of the loop, in Python if machine code has given up often during this call."""
        depth = getattr(self._nesting, "depth", 0)
        if depth >= MAX_NESTED_BAILOUTS:
            return self.run_python(*arguments)
        self._nesting.depth = depth + 1
        try:
            return self.run(*arguments)
        finally:
            self._nesting.depth = depth
