"""Emit what machine code runs, and loops that are measured until their machine code is ready.

A measured loop runs in chunks of iterations. After a chunk, machine code that has become ready takes over
with the carried values of that moment.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, Protocol

from ..ir.graph import Graph, Node
from ..ir.subgraphs import Loop, is_embedded, source_leaves
from .control_flow import Emitter

concatenated = itertools.chain.from_iterable


class MeasuredLoop(Protocol):
    """A loop that may be compiled while it runs. Its functions take the time at which the loop began."""

    runs_native: bool
    """Whether the next call begins with `run`."""
    run: Callable[..., tuple]
    """From the inputs of the loop to its carried values."""
    begin: Callable[[], float]

    def take_over(self, *arguments: Any) -> tuple:
        """Run the later iterations of a loop that has begun in Python, like `run`."""

    def next_chunk(self, began: float, size: int) -> int:
        """Return the number of iterations to run after a chunk of `size`, or 0 if machine code takes over.

        Have the loop compiled if it has taken long.
        """

    def end(self, began: float) -> None:
        """Note that the loop has ended in Python."""


@dataclass
class CompiledChain:
    """Element-wise operations that follow each other, and the function from their inputs to their results."""

    nodes: Sequence[Node]
    inputs: Sequence[Node]
    results: Sequence[Node]
    function: Callable[..., tuple]


class CompiledLoopEmitter(Emitter):
    """Emitter of a graph some of whose parts are compiled (`regions`, `chains`) or measured."""

    def __init__(
        self,
        graph: Graph,
        *,
        regions: Mapping[Node, Callable[..., tuple]],
        measured: Mapping[Node, MeasuredLoop],
        chains: Sequence[CompiledChain],
        by_line: bool = False,
        shared: Emitter | None = None,
    ) -> None:
        super().__init__(graph, by_line=by_line, shared=shared)
        self.regions, self.measured = regions, measured
        self.chain_of = {node: chain for chain in chains for node in chain.nodes}

    def node(self, node: Node) -> None:
        chain = self.chain_of.get(node)
        if chain is None:
            super().node(node)
        elif node is chain.nodes[-1]:
            self.flush()
            inputs = ", ".join(self.names[i] for i in chain.inputs)
            for result in chain.results:
                self.names[result] = self.name_of(result)
                self.owned.add(result)
            targets = "".join(f"{self.names[r]}, " for r in chain.results)
            self.line(f"{targets}= {self.global_name(chain.function, 'chain')}({inputs})", node)

    def emit_while(self, node: Node) -> None:
        self._emit_loop(node, super().emit_while)

    def emit_for(self, node: Node) -> None:
        self._emit_loop(node, super().emit_for)

    def _emit_loop(self, node: Node, emit: Callable[[Node], None]) -> None:
        if node in self.regions:
            self.emit_region(node)
        elif node in self.measured:
            self.emit_measured(node)
        else:
            emit(node)

    def emit_skip(self, node: Node) -> None:
        """Emit an iterable without its first elements, over which a loop has gone already."""
        source, count = (self.names[i] for i in node.inputs)
        self.names[node] = f"{self.global_name(islice)}({source}, {count}, None)"

    def emit_region(self, node: Node) -> None:
        """Emit the call of machine code in place of a loop."""
        loop = Loop(node)
        if node.op == "for":
            self.keep_iterated(node.inputs[1])
        names = self.enter_loop(loop)
        self.call(loop, self.global_name(self.regions[node], "region"), names)
        self.finish_loop(loop, names)

    def call(self, loop: Loop, function: str, names: list[str], start: list[str] | None = None) -> None:
        """Emit a call that maps the inputs of a loop to its carried values.

        `start` replaces the first inputs.
        """
        node = loop.node
        if start is None:
            start = [self.names[node.inputs[0]]]
            if node.op == "for":
                start += [self.names[leaf] for leaf in source_leaves(node.inputs[1])]
        captured = [self.names[o] for o in loop.operands if not is_embedded(o)]
        targets = "".join(f"{name}, " for name in names)
        self.line(f"{targets and f'{targets}= '}{function}({', '.join([*start, *names, *captured])})", node)

    def emit_measured(self, node: Node) -> None:
        loop, region = Loop(node), self.global_name(self.measured[node], "loop")
        if node.op == "for":
            self.keep_iterated(node.inputs[1])
        names = self.enter_loop(loop)
        self.line(f"if {region}.runs_native:", node)
        self.indent += 1
        self.call(loop, f"{region}.run", names)
        self.indent -= 1
        began, in_chunks = self.fresh("t"), node.op == "while" or node.inputs[1].op == "range"
        self.line(f"elif {self.names[node.inputs[0]]}:" if in_chunks else "else:", node)
        self.indent += 1
        self.line(f"{began} = {region}.begin()")
        if node.op == "while":
            self.while_in_chunks(loop, names, region, began)
        elif in_chunks:
            self.range_in_chunks(loop, names, region, began)
        else:
            self.plain_for(loop, names)
            self.line(f"{region}.end({began})")
        self.indent -= 1
        self.finish_loop(loop, names)

    def while_in_chunks(self, loop: Loop, names: list[str], region: str, began: str) -> None:
        node = loop.node
        chunks = f"{self.global_name(while_chunks)}({region}, {began})"
        self.line(f"for _ in {self.global_name(concatenated)}({chunks}):", node)
        self.indent += 1
        test = self.loop_body(loop, names, self.fresh("g"))
        self.line(f"if not {test}:", node)
        self.indent += 1
        self.line(f"{region}.end({began})")
        self.line("break")
        self.indent -= 2
        self.line("else:")
        self.indent += 1
        self.call(loop, f"{region}.take_over", names, [test])
        self.indent -= 1

    def range_in_chunks(self, loop: Loop, names: list[str], region: str, began: str) -> None:
        node = loop.node
        source = node.inputs[1]
        [element] = loop.elements
        self.names[element] = self.fresh("x")
        chunks, rest = self.fresh("r"), self.fresh("r")
        self.line(
            f"{chunks} = {self.global_name(RangeChunks)}({region}, {began}, {self.names[source]})", node
        )
        self.line(f"for {self.names[element]} in {self.global_name(concatenated)}({chunks}):", node)
        self.indent += 1
        test = self.loop_body(loop, names, self.fresh("g"))
        if test != "True":
            self.line(f"if not {test}: break", node)
        self.indent -= 1
        self.line(f"{rest} = {chunks}.rest")
        self.line(f"if {rest}:")
        self.indent += 1
        bounds = [f"{rest}.{name}" for name in ("start", "stop", "step")]
        self.call(loop, f"{region}.take_over", names, ["True", *bounds[: len(list(source_leaves(source)))]])
        self.indent -= 1
        self.line(f"else: {region}.end({began})")


def while_chunks(loop: MeasuredLoop, began: float) -> Iterator[repeat[None]]:
    """Iterate over chunks of the iterations of a `while` loop, until machine code takes over."""
    size = 1
    while size:
        yield repeat(None, size)
        size = loop.next_chunk(began, size)


class RangeChunks:
    """Iterate over chunks of a range, until machine code takes over its `rest`."""

    def __init__(self, loop: MeasuredLoop, began: float, values: range) -> None:
        self.loop, self.began, self.values = loop, began, values
        self.rest = range(0)

    def __iter__(self) -> Iterator[range]:
        values, size = self.values, 1
        while values:
            yield values[:size]
            values = values[size:]
            if values:
                size = self.loop.next_chunk(self.began, size)
                if not size:
                    self.rest = values
                    return
