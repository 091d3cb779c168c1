"""`EngineReport`: what runs the graph of one trace, as data, as text, and for notebooks."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.runtime.graph import native
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.ir.graph import Graph
from autograph_rs.runtime.graph.ir.printer import text_of
from autograph_rs.runtime.graph.native.report import (
    RegionReport,
    engine_regions,
    uncompiled_loops,
    whole_graph,
)

_WITHOUT_REGIONS = {
    "numpy": "Python code that calls NumPy runs the graph",
    "onnxruntime": "onnxruntime runs the graph, as an ONNX model",
}
_WAYS = "in Python", "in machine code"
_WAYS_OF_A_WHOLE = "whole call: with Python around the loops", "as machine code"
_HEADS = ("line", "code", "state", "compiled", "in Python", "in machine code", "bailouts")


@dataclass(frozen=True)
class EngineReport:
    """What runs the graph of a trace: the state of each *region*, a part of it that may become machine code.

    `regions` is empty for the engines that compile none. Each region has the `file`, `line` and `text` of the
    user's code, its `kind`, its `state` ("native", "waiting" or "in Python"), the reason `why`,
    `compile_seconds`, `from_cache`, the average `python_seconds` and `native_seconds` of the `python_calls`
    and `native_calls` that were timed, the number of `bailouts`, and its `node` in the graph. `whole` reports
    the code around the loops, once all of them are machine code; its times are those of whole calls. A report
    is a snapshot: it does not change.

    Notebooks display a report as a table.
    """

    function: str
    engine: str
    regions: tuple[RegionReport, ...]
    graph: Graph = field(repr=False, compare=False)
    whole: RegionReport | None = None

    @property
    def graph_text(self) -> str:
        """The graph as text, with the state of each region in brackets."""
        return text_of(self.graph, {r.node: r.state for r in self.regions if r.node is not None})

    @property
    def summary(self) -> str:
        """The engine, and the number of regions in each state, in one line."""
        if self.engine in _WITHOUT_REGIONS:
            return f"engine {self.engine!r}: {_WITHOUT_REGIONS[self.engine]}"
        states = [r.state for r in self.regions]
        counts = ", ".join(f"{states.count(s)} {s}" for s in dict.fromkeys(states))
        return f"engine {self.engine!r}: {counts or 'the graph has nothing to compile'}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.function
        yield f"  {self.summary}"
        files = {r.file for r in self.regions}
        places = [str(r.line) if len(files) == 1 else _place(r) for r in self.regions]
        width = max(map(len, places), default=0)
        for place, r in zip(places, self.regions, strict=True):
            yield f"  {place:>{width}}  {r.text}"
            yield from (f"  {'':{width}}      # {text}" for text in _descriptions(r))
        if self.whole is not None:
            yield f"  {'':{width}}  code around the loops"
            texts = _descriptions(self.whole, _WAYS_OF_A_WHOLE)
            yield from (f"  {'':{width}}      # {text}" for text in texts)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _HEADS)
        rows = "".join(f"<tr>{''.join(_cells(r))}</tr>" for r in self.regions)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        return (
            f"<div><code>{html.escape(self.function)}</code><p>{html.escape(self.summary)}</p>{table}</div>"
        )


def report_engine(function: str, engine: str, concrete: ConcreteGraph) -> EngineReport:
    """Report what runs a graph. `function` describes the trace; `engine` is the option of `function`."""
    regions: list[RegionReport] = []
    whole = None
    if engine not in _WITHOUT_REGIONS:
        if concrete.engine is not None:
            engine_object: Any = concrete.engine
            regions, whole = engine_regions(engine_object), whole_graph(engine_object)
        else:
            why = "" if native.is_available() else "llvmlite is not installed"
            regions = uncompiled_loops(concrete.graph, why)
    return EngineReport(function, engine, tuple(regions), concrete.graph, whole)


def _place(region: RegionReport) -> str:
    return f"{os.path.basename(region.file)}:{region.line}"


def _descriptions(region: RegionReport, ways: tuple[str, str] = _WAYS) -> Iterator[str]:
    """Yield what a report says about a region, in one or two lines."""
    state = f"{region.state}: {region.why}" if region.why else region.state
    compiled = _compilation(region)
    yield f"{state}, {compiled}" if compiled and region.state == "native" else state
    timings = (
        _timing(region.python_seconds, region.python_calls),
        _timing(region.native_seconds, region.native_calls),
    )
    parts = [f"{way} {timing}" for way, timing in zip(ways, timings, strict=True) if timing]
    if region.bailouts:
        parts.append(f"{region.bailouts} bailout{'s' * (region.bailouts > 1)}")
    if parts:
        yield ", ".join(parts)


def _cells(region: RegionReport) -> Iterator[str]:
    why = f"<br><small>{html.escape(region.why)}</small>" if region.why else ""
    yield f"<td>{html.escape(_place(region))}</td>"
    yield f'<td style="text-align: left"><code>{html.escape(region.text)}</code></td>'
    yield f'<td style="text-align: left"><b>{region.state}</b>{why}</td>'
    yield f"<td>{_compilation(region)}</td>"
    yield f"<td>{_timing(region.python_seconds, region.python_calls)}</td>"
    yield f"<td>{_timing(region.native_seconds, region.native_calls)}</td>"
    yield f"<td>{region.bailouts}</td>"


def _compilation(region: RegionReport) -> str:
    if region.compile_seconds is None:
        return ""
    return f"{'loaded' if region.from_cache else 'compiled'} in {1000 * region.compile_seconds:.1f} ms"


def _timing(seconds: float | None, calls: int) -> str:
    """Format the average time of a call, or return "" if none was timed."""
    if seconds is None:
        return ""
    return f"{1e6 * seconds:,.1f} us ({calls} call{'s' * (calls > 1)} timed)"
