"""Regions at run time: parts of one graph that run as Python until their machine code is ready."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from ...debugging.loggers import NATIVE
from ..compile import Compiled, compile_graph
from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop
from .assembly.statuses import FLAGGED, NOT_RUN, Mode, UnsupportedError
from .linking.calls import NativeCode, give_up
from .linking.compilation import Build
from .regions import Layout, located, region_graph

if TYPE_CHECKING:
    from .independence import Independence

HOT_SECONDS = 0.01
"""The time in Python after which a loop or a chain is compiled."""
CHUNK_SECONDS = 0.001
MEASURED_CALLS = 8
"""The calls of machine code that are timed to decide whether it pays."""
TRIALS = 4
"""The calls of each way, in turn, that decide where machine code seems slower: calls may grow."""
MAX_NESTED_BAILOUTS = 16
"""The bailouts of one call after which its later iterations run in Python."""


def timed(function: Callable[..., tuple], arguments: tuple) -> tuple[tuple, float]:
    """Call a function; return its results, and the seconds that they took."""
    began = perf_counter()
    results = function(*arguments)
    return results, perf_counter() - began


class Owner(Protocol):
    """What has regions: an engine."""

    graph: Graph
    is_fast: bool
    is_parallel: bool

    def compile_later(self, region: Region) -> None: ...

    def changed(self) -> None: ...


class Region:
    """Nodes of a graph as a graph of their own. `run` maps its inputs to its results.

    Args:
        node: the node where the region stands in the user's code.
        make_graph: the function that makes the region's graph when it is first needed. Most never get hot.
        owner: the engine that the region belongs to.
        what: the noun for it in messages.
    """

    begin = staticmethod(perf_counter)

    def __init__(self, node: Node, make_graph: Callable[[], Graph], owner: Owner, what: str):
        self.node, self.owner, self.what = node, owner, what
        self._make_graph = make_graph
        self._graph: Graph | None = None
        self.reason = ""
        """Why the region is not compiled, as a phrase."""
        self.ready = self.runs_native = False
        self.is_settled = False
        self.run: Callable[..., tuple] = self.run_python
        self.python_seconds = self.compile_seconds = self.native_seconds = self.native_longest = 0.0
        self.python_calls = self.native_calls = self.bailouts = 0
        self.from_cache = False
        self.compiled: list[Compiled] = []
        self._mode = Mode.FAST if owner.is_fast else Mode.FLAGS
        self._is_requested = False
        self._native: NativeCode | None = None
        self._plain: Compiled | None = None
        self._lock = threading.RLock()

    @property
    def graph(self) -> Graph:
        """The region as a graph of its own."""
        with self._lock:
            if self._graph is None:
                self._graph = self._make_graph()
                self._graph.name = self.owner.graph.name  # for warnings and tracebacks
            return self._graph

    # --- Compilation ------------------------------------------------------------------------------

    def compile(self) -> None:
        """Compile the region to machine code.

        Raises:
            UnsupportedError: an operation of the region cannot be compiled.
        """
        started = perf_counter()
        build = self._build()
        native = build.load()
        self.from_cache = native is not None
        self._use(native or build.compile(), started)

    def load(self) -> None:
        """Use the machine code of an earlier process, if the cache has it. A fault costs only speed."""
        started = perf_counter()
        with contextlib.suppress(Exception):  # such as a `RecursionError` deep in the user's calls
            native = self._build().load(without_llvm=True)
            if native is not None:
                self._is_requested = self.from_cache = True
                self._use(native, started)

    def _use(self, native: NativeCode, started: float) -> None:
        """Run machine code from the next call on. Its compilation or loading has `started` then."""
        with self._lock:
            self._native = native
            self._call = self._call_native(native)
            self.run = self._call if self.is_settled or not self._is_requested else self._run_measured
            self.ready = self.runs_native = True
        self.compile_seconds = perf_counter() - started
        done, ms = "loaded" if self.from_cache else "compiled", 1000 * self.compile_seconds
        NATIVE.info("%s the %s at %s in %.1f ms", done, self.what, self.node.place, ms)

    def _build(self) -> Build:
        """Return how the machine code of the region is made."""
        return Build(self.graph, self._mode, self._recover)

    def try_compile(self) -> bool:
        """Compile the region, or note why it cannot be compiled."""
        try:
            self.compile()
        except UnsupportedError as error:
            self.refuse(located(error.reason, error.node, self.node))
        return self.ready

    def compile_in_background(self) -> bool:
        """Compile the region like `try_compile`. A fault of the compiler costs only speed."""
        try:
            return self.try_compile()
        except Exception:  # noqa: BLE001 - the loop runs in Python, whatever is wrong
            NATIVE.exception("the %s at %s could not be compiled", self.what, self.node.place)
            self.refuse("the compiler failed")
            return False

    def refuse(self, reason: str) -> None:
        """Keep the region in Python."""
        self.reason, self.is_settled = reason, True
        self.ready = self.runs_native = False
        self.run = self.run_python
        NATIVE.info("the %s at %s stays in Python: %s", self.what, self.node.place, reason)

    @property
    def hot_seconds(self) -> float:
        """The time in Python after which the region is compiled."""
        return HOT_SECONDS

    @property
    def is_cold(self) -> bool:
        """Whether nothing is known of the region yet: it has not been hot, and nothing was loaded."""
        return not (self._is_requested or self.is_settled)

    @property
    def is_compiling(self) -> bool:
        """Whether the region has been hot, and its machine code is not ready yet."""
        return self._is_requested and not (self.ready or self.reason)

    # --- Measurement ------------------------------------------------------------------------------

    def end(self, began: float) -> None:
        """Note that the loop has ended in Python, which began it at the time `began`."""
        self.python_seconds += perf_counter() - began
        self.python_calls += 1
        if self.python_seconds > self.hot_seconds:
            self._request()

    def _request(self) -> None:
        if not self._is_requested:
            self._is_requested = True
            self.owner.compile_later(self)

    def _run_measured(self, *arguments: Any) -> tuple:
        """Run machine code, and decide after some calls whether it pays."""
        results, elapsed = timed(self._call, arguments)
        self.native_seconds += elapsed
        self.native_longest = max(self.native_longest, elapsed)
        self.native_calls += 1
        if self.native_calls >= MEASURED_CALLS and not self.is_settled:
            self.settle()
        return results

    @property
    def python_average(self) -> float:
        return self.python_seconds / max(1, self.python_calls)

    @property
    def native_average(self) -> float:
        return self.native_seconds / max(1, self.native_calls)

    def settle(self) -> None:
        """Keep machine code, or go back to Python if that took less time for each call."""
        python, native = self.python_average, self.native_average
        if self.python_calls and native > python:
            self._refuse_slower(native, python)
        else:
            self.keep()

    def _refuse_slower(self, native: float, python: float) -> None:
        """Go back to Python, given the seconds of a call of each."""
        self.refuse(f"machine code took {1e6 * native:.1f} us for each call, Python {1e6 * python:.1f} us")
        self.owner.changed()

    def keep(self) -> None:
        """Run machine code from the next call on, and measure no more."""
        self.is_settled, self.run, self.runs_native = True, self._call, True
        self.owner.changed()

    # --- Running ----------------------------------------------------------------------------------

    def run_python(self, *arguments: Any) -> tuple:
        """Run the region as Python code."""
        if self._plain is None:
            self._plain = compile_graph(self.graph)
            self.compiled.append(self._plain)
        return self._plain.function(*arguments)

    def _call_native(self, native: NativeCode) -> Callable[..., tuple]:
        """Return the function from the inputs of the region to its results."""
        return native.call

    def _recover(self, native: NativeCode, status: int, frame: Any, arguments: tuple) -> tuple:
        """Return the results of a call that machine code did not finish."""
        raise NotImplementedError


class Trial:
    """Calls of Python and of machine code in turn. Python loses if it takes far longer in one of them."""

    def __init__(self, longest: float):
        self.limit = 2 * longest
        self.python_seconds = self.native_seconds = 0.0
        self.count = 0

    def ends_with(self, seconds: float) -> bool:
        """Add the time of a call of machine code; return whether it was the last."""
        self.native_seconds += seconds
        self.limit = max(self.limit, 2 * seconds)
        self.count += 1
        return self.count >= TRIALS


class LoopRegion(Region):
    """A loop. It may move to machine code while it runs."""

    def __init__(self, node: Node, read: set[int], owner: Owner):
        """Make a region of a loop of which only the results with the indices `read` are needed."""
        super().__init__(node, lambda: region_graph(node, read), owner, "loop")
        self._resumed: dict[tuple[NativeCode, int], Callable[..., tuple]] = {}
        self._nesting = threading.local()
        self._trial: Trial | None = None
        self._layout: Layout | None = None
        self._independence: Independence | None = None
        if owner.is_parallel:
            from .independence import independence  # noqa: PLC0415 - only for `parallel=True`

            self._independence = independence(node, read)

    @property
    def is_parallel(self) -> bool:
        """Whether several threads may run its iterations."""
        return self._independence is not None

    def load(self) -> None:
        if not self.is_parallel:  # which has machine code for a part of the iterations, too
            super().load()

    def _call_native(self, native: NativeCode) -> Callable[..., tuple]:
        if self._independence is None or self._mode is Mode.CHECKS:
            return native.call
        from .parallel import ParallelLoop  # noqa: PLC0415 - only for `parallel=True`

        build = Build(self.graph, self._mode, give_up, backs_up=False)
        part = build.load() or build.compile()
        loop = Loop(self.node)
        step = self.node.inputs[1].inputs[2].attrs["value"]
        return ParallelLoop(native.call, part.call, self._independence, len(loop.carried), step)

    def next_chunk(self, began: float, size: int) -> int:
        """Return the number of iterations to run after a chunk of `size`, or 0 if machine code takes over.

        Chunks grow until they take long. Have the region compiled if it has taken long.
        """
        elapsed = perf_counter() - began
        trial = self._trial
        if trial is not None and elapsed > trial.limit:
            self._end_trial(pays=True)
        elif self.python_seconds + elapsed > self.hot_seconds:
            self._request()
        if self.runs_native:
            return 0
        return 2 * size if elapsed < CHUNK_SECONDS else size

    def take_over(self, *arguments: Any) -> tuple:
        """Run the later iterations of a loop that has begun in Python. They are not timed."""
        return self._call(*arguments) if self.ready else self.run(*arguments)

    # --- Trials -----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Keep machine code, or compare it with Python on further calls, which may have grown."""
        if self.python_calls and self.native_average > self.python_average:
            self._trial, self.runs_native = Trial(self.native_longest), False
        else:
            super().settle()

    def end(self, began: float) -> None:
        trial = self._trial
        if trial is None:
            super().end(began)
        else:
            trial.python_seconds += perf_counter() - began
            self.runs_native = True

    def _run_measured(self, *arguments: Any) -> tuple:
        trial = self._trial
        if trial is None:
            return super()._run_measured(*arguments)
        results, elapsed = timed(self._call, arguments)
        if trial.ends_with(elapsed):
            self._end_trial(pays=trial.native_seconds <= trial.python_seconds)
        else:
            self.runs_native = False
        return results

    def _end_trial(self, *, pays: bool) -> None:
        """Keep machine code if it pays, or else Python."""
        trial, self._trial = self._trial, None
        if trial is None:
            return
        if pays:
            self.keep()
        else:
            self._refuse_slower(trial.native_seconds / TRIALS, trial.python_seconds / TRIALS)

    def _recover(self, native: NativeCode, status: int, frame: Any, arguments: tuple) -> tuple:
        """Return the results of a call that machine code did not finish."""
        if status == NOT_RUN:
            if self._layout is None:
                self._layout = Layout(self.graph)
            results = native.call_plain(arguments) if self._layout.may_copy(arguments) else None
            return self.run_python(*arguments) if results is None else results
        if status == FLAGGED:
            native.release(frame)
            return self._run_checked(native, arguments)
        self.bailouts += 1
        values = native.leave(frame, status, arguments)
        resume = self._resumed.get((native, status)) or self._resume_function(native, status)
        return resume(*values)

    def _run_checked(self, native: NativeCode, arguments: tuple) -> tuple:
        """Run the region again, compiled to leave machine code at the operation that warns."""
        with self._lock:
            if self._native is native:
                self._mode = Mode.CHECKS
                if not self.try_compile():
                    self.owner.changed()
                    return self.run_python(*arguments)
                self.owner.changed()
            current = self._native
        assert current is not None
        return current.call(*arguments)

    def _resume_function(self, native: NativeCode, status: int) -> Callable[..., tuple]:
        """Return the function that goes on at a checkpoint."""
        from .resume import resume_graph  # noqa: PLC0415 - only after a bailout

        checkpoint = next(c for c in native.code.checkpoints if c.number == status)
        resumed = resume_graph(checkpoint)
        regions = {} if resumed.outer_loop is None else {resumed.outer_loop: self._continue}
        compiled = compile_graph(resumed.graph, regions=regions)
        self.compiled.append(compiled)
        self._resumed[native, status] = compiled.function
        return compiled.function

    def _continue(self, *arguments: Any) -> tuple:
        """Run the later iterations of the loop, in Python if this call has had many bailouts."""
        depth = getattr(self._nesting, "depth", 0)
        if depth >= MAX_NESTED_BAILOUTS:
            return self.run_python(*arguments)
        self._nesting.depth = depth + 1
        try:
            return self.run(*arguments)
        finally:
            self._nesting.depth = depth
