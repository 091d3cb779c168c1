"""Run a graph with clock reads between its lines, and attribute the times to the user's stacks."""

from __future__ import annotations

import contextlib
import statistics
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

from autograph_rs.runtime.debugging.positions import CodePosition
from autograph_rs.runtime.graph.compile import CompiledChain, compile_graph
from autograph_rs.runtime.graph.compile.stopwatch import LineTime, Stopped, Stopwatch
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.ir.graph import Graph, Node
from autograph_rs.runtime.graph.ir.subgraphs import unrepeatable_effects
from autograph_rs.runtime.graph.native.engine import Engine
from autograph_rs.runtime.graph.native.region import Region, timed
from autograph_rs.runtime.graph.tracing.modes import MODES

from .lines import Frame, Stack

REPEATED_SECONDS, MOST_REPETITIONS = 0.25, 1000
WARM_UP_SECONDS = 1.0
SAMPLED_SECONDS = 1.0
"""The time for which the code of a region runs in Python, to see how its time is divided."""

NO_LINE = "(code of no line, such as what a gradient keeps)"

Key: TypeAlias = tuple[tuple[Frame, ...], bool]
"""A stack, and whether it is machine code."""


@dataclass(frozen=True)
class Measurement:
    """The median time of a run of the graph, the number of timed runs, and the time of each stack."""

    seconds: float
    repetitions: int
    stacks: tuple[Stack, ...]


def measure(concrete: ConcreteGraph, leaves: list[Any], arguments: Any) -> tuple[Any, Measurement]:
    """Call a graph, and measure it. Arguments and Variables are written once."""
    checked = "numerics" in MODES
    has_effects = any(unrepeatable_effects(concrete.graph)) or concrete.graph.count("dataset") > 0
    is_repeatable = not (checked or has_effects)
    inputs = concrete.inputs
    values = [leaves[i] for i in inputs.staged]
    values += [variable.value for variable in (inputs.variables(leaves) if inputs.state else ())]
    if is_repeatable and isinstance(concrete.engine, Engine):
        with _without_warnings():
            _warm_up(concrete, concrete.engine, values)
    graph = _TimedGraph(concrete.graph, None if checked else concrete.engine, checked=checked)
    undisturbed: list[float] = []
    if is_repeatable:
        with _without_warnings():
            _repeat(concrete, graph, values, undisturbed)
    graph.watch.start()
    result = concrete.run(leaves, arguments, graph.watch.program)
    graph.end_run()
    stacks = graph.stacks()
    seconds = statistics.median(undisturbed) if undisturbed else sum(stack.seconds for stack in stacks)
    return result, Measurement(seconds, len(graph.runs), stacks)


def _without_warnings() -> warnings.catch_warnings[None]:
    """Keep repetitions from repeating the warnings of the call."""
    return warnings.catch_warnings(action="ignore")


def _warm_up(concrete: ConcreteGraph, engine: Engine, values: Sequence[Any]) -> None:
    """Run a graph until its loops are machine code or have turned out not to become any."""
    began = perf_counter()
    with contextlib.suppress(Exception):  # the call that follows raises it
        while engine.is_changing and (
            perf_counter() - began < WARM_UP_SECONDS or any(r.is_compiling for r in engine.regions)
        ):
            concrete.function(*values)


def _repeat(concrete: ConcreteGraph, graph: _TimedGraph, values: Sequence[Any], times: list[float]) -> None:
    """Run a graph without and with clock reads in turn, or only once without if that takes long."""
    with contextlib.suppress(Exception):  # the call that follows raises it
        while sum(times) < REPEATED_SECONDS and len(times) < MOST_REPETITIONS:
            times.append(timed(concrete.function, tuple(values))[1])
            if times[0] < REPEATED_SECONDS:
                graph.watch.start()
                graph.watch.program.function(*values)
                graph.end_run()
    graph.watch.take()


class _TimedGraph:
    """A graph with clock reads, in which machine code runs what is machine code when it is created."""

    def __init__(self, graph: Graph, engine: Any, *, checked: bool):
        self.runs: list[list[LineTime]] = []
        self._samples: dict[Node, _RegionSample] = {}
        if isinstance(engine, Engine):
            loops = {n: self._sampled(n, region) for n, region in list(engine.loops.items()) if region.ready}
            chains = [
                CompiledChain(c.nodes, c.inputs, c.results, self._sampled(c.nodes[-1], region))
                for region in list(engine.chains)
                if region.ready
                for c in (region.chain,)
            ]
            compiled = compile_graph(graph, by_line=True, regions=loops, chains=chains)
        else:
            compiled = compile_graph(graph, by_line=True, checked=checked)
        self.watch = Stopwatch(compiled)

    def _sampled(self, node: Node, region: Region) -> Callable[..., tuple[Any, ...]]:
        """Return a function that runs a region, after sampling it in the first run of the graph."""
        sample = self._samples[node] = _RegionSample(region)

        def run(*arguments: Any) -> tuple[Any, ...]:
            if not self.runs and sample.is_open:
                sample.take(arguments)
                self.watch.start()
            return region.run(*arguments)

        return run

    def end_run(self) -> None:
        self.runs.append(self.watch.take())

    def stacks(self) -> tuple[Stack, ...]:
        """Return the median time of each stack of the user's code, and how often its line ran."""
        seconds: defaultdict[Key, float] = defaultdict(float)
        runs: dict[Key, int | None] = {}
        for times in zip(*self.runs, strict=True):
            median, last = statistics.median(time.seconds for time in times), times[-1]
            sample = self._samples.get(last.node)
            for node, share, count in [(last.node, 1.0, last.runs)] if sample is None else sample.shares():
                key = _frames(node), sample is not None
                seconds[key] += share * median
                known = runs.get(key, 0)
                runs[key] = None if known is None or count is None else max(known, count)
        return tuple([
            Stack(frames, seconds[frames, is_native], runs[frames, is_native], is_native)
            for frames, is_native in runs
            if runs[frames, is_native] != 0
        ])  # fmt: skip


class _RegionSample:
    """How the time of a region is divided among its lines, from running it in Python for a short time."""

    def __init__(self, region: Region):
        self._region = region
        self._watch: Stopwatch | None = None
        self._is_complete = True
        self._times: list[LineTime] | None = None
        self.is_open = not any(unrepeatable_effects(region.graph))

    def take(self, arguments: tuple[Any, ...]) -> None:
        if self._watch is None:
            self._watch = Stopwatch(compile_graph(self._region.graph, by_line=True), SAMPLED_SECONDS)
        self._watch.start()
        try:
            with _without_warnings():
                self._watch.program.function(*arguments)
        except Stopped:
            self.is_open = self._is_complete = False
        except Exception:  # noqa: BLE001 - machine code raises it, too
            self._is_complete = False

    def shares(self) -> Iterator[tuple[Node, float, int | None]]:
        """Yield nodes, the share of each in the time, and how often its line ran, or None if unknown."""
        if self._times is None:
            self._times = [] if self._watch is None else self._watch.take()
        total = sum(time.seconds for time in self._times)
        if not total:
            yield self._region.node, 1.0, None
            return
        for time in self._times:
            yield time.node, time.seconds / total, time.runs if self._is_complete else None


def _frames(node: Node) -> tuple[Frame, ...]:
    """Return the frames of a node's stack. Parts of a statement that are on one line are one frame."""
    frames: dict[tuple[str, int], Frame] = {}
    for place in node.places or (CodePosition("", 0, 0, 0, 0, "", "", NO_LINE),):
        frames.setdefault((place.file, place.line), Frame(place.file, place.line, place.qualname, place.text))
    return tuple(frames.values())
