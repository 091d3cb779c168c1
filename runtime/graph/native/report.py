"""Report the state of each region of a graph, and which loops can be compiled, without compiling any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...debugging.positions import CodePosition
from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop
from .assembly.statuses import Mode, UnsupportedError
from .engine import Engine
from .region import LoopRegion, Region
from .regions import excluded, is_loop, located, obstacle, read_results, region_graph

State: TypeAlias = Literal["native", "waiting", "in Python"]
_KINDS = {"for": "for loop", "while": "while loop"}


@dataclass(frozen=True)
class RegionReport:
    """A region, and what runs it.

    `state` is "native" (machine code), "waiting" (Python, until the region is hot and has been compiled) or
    "in Python" (and stays there, for the reason `why`). `python_seconds` and `native_seconds` are averages of
    the calls that were timed, or None if there were none; once it is clear that machine code pays, calls are
    timed no more. `bailouts` counts how often machine code has handed a call over to Python.
    """

    file: str
    line: int
    text: str
    kind: str
    state: State
    why: str = ""
    compile_seconds: float | None = None
    from_cache: bool = False
    python_seconds: float | None = None
    python_calls: int = 0
    native_seconds: float | None = None
    native_calls: int = 0
    bailouts: int = 0
    node: Node | None = field(default=None, repr=False, compare=False)


def engine_regions(engine: Engine) -> list[RegionReport]:
    """Report the regions of an engine and the loops that it excludes, in the order of the user's lines."""
    regions = dict.fromkeys((*engine.regions, *engine.refused))
    rows = [_report(region) for region in regions]
    rows += [_in_python(node, reason) for g in engine.graph.program() for node, reason in excluded(g)]
    return sorted(rows, key=_position)


def whole_graph(engine: Engine) -> RegionReport | None:
    """Report the graph as a whole, if it is a region of its own."""
    return None if engine.whole is None else _report(engine.whole)


def uncompiled_loops(graph: Graph, why: str) -> list[RegionReport]:
    """Report the loops of a graph that no engine compiles: those that could be, for the reason `why`."""
    loops = (loop for part in graph.program() for loop in forecast(part))
    rows = [_in_python(node, reason or why) for node, reason in loops if reason or why]
    return sorted(rows, key=_position)


def forecast(graph: Graph) -> Iterator[tuple[Node, str]]:
    """Yield each loop with the reason why it cannot become machine code, or "" if it can.

    A loop inside of one that can be compiled becomes part of its machine code.
    """
    for node in graph.nodes:
        reason = _reason(node, graph) if is_loop(node) else ""
        if is_loop(node):
            yield node, reason
        if is_loop(node) and not reason:
            yield from ((inner, "") for inner in Loop(node).body.walk() if is_loop(inner))
        else:
            for inside in node.graphs():
                yield from forecast(inside)


def _reason(loop: Node, graph: Graph) -> str:
    """Return why a loop of a graph cannot become machine code, as the code generator says, or ""."""
    from .codegen.region import compile_region  # noqa: PLC0415 - imported with the first report or region

    reason = obstacle(loop)
    if not reason:
        try:
            compile_region(region_graph(loop, read_results(loop, graph)), Mode.FLAGS)
        except UnsupportedError as error:
            return located(error.reason, error.node, loop)
    return reason


def _report(region: Region) -> RegionReport:
    python, native = region.python_calls, region.native_calls
    state: State = "in Python" if region.reason else "native" if region.ready else "waiting"
    place, kind = _described(region.node)
    if not isinstance(region, LoopRegion):
        kind = region.what
    return RegionReport(
        place.file, place.line, place.text, kind, state,
        why=_why_waiting(region) if state == "waiting" else region.reason,
        compile_seconds=region.compile_seconds or None,
        from_cache=region.from_cache,
        python_seconds=region.python_average if python else None,
        python_calls=python,
        native_seconds=region.native_average if native else None,
        native_calls=native,
        bailouts=region.bailouts,
        node=region.node,
    )  # fmt: skip


def _why_waiting(region: Region) -> str:
    if region.is_compiling:
        return "it is being compiled"
    return f"it is compiled once it has taken {1000 * region.hot_seconds:.0f} ms in Python"


def _in_python(node: Node, reason: str) -> RegionReport:
    place, kind = _described(node)
    return RegionReport(place.file, place.line, place.text, kind, "in Python", reason, node=node)


def _described(node: Node) -> tuple[CodePosition, str]:
    """Return the user's place of a node, and its kind in words."""
    place = next(iter(node.places[-1:]), CodePosition("", 0, 0, 0, 0, "", "", ""))
    return place, _KINDS.get(node.op, node.op)


def _position(row: RegionReport) -> tuple[str, int]:
    return row.file, row.line
