"""Emit conditionals and loops as Python statements.

Python allows 20 nested loops and 100 nested blocks. A conditional or loop nested deeper than `MAX_NESTING`
becomes a separate function.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from ..ir.graph import Graph, Node
from ..ir.inplace_writes import written_arguments
from ..ir.op_properties import is_single_number
from ..ir.subgraphs import Loop
from .operations import OpEmitter, copy_of
from .writer import Owned

MAX_NESTING = 12


class Emitter(OpEmitter):
    """Emitter of the Python function for a graph."""

    def __init__(
        self, graph: Graph, *, checked: bool = False, by_line: bool = False, shared: Emitter | None = None
    ) -> None:
        """Create an emitter, for a module in which `shared` emits other functions."""
        super().__init__(graph, checked=checked, by_line=by_line)
        self.function_names: dict[Graph, str] = {}
        if shared is not None:
            self.namespace, self.global_names = shared.namespace, shared.global_names
            self.function_names, self.count = shared.function_names, shared.count
        self.nesting = 0
        self.nested_functions: list[tuple[list[str], dict[int, Node]]] = []
        self._written: dict[Graph, set[Node]] = {}

    def function(self, graph: Graph, name: str) -> tuple[list[str], dict[int, Node]]:
        """Return the lines of the function and of its nested functions, and the node of each line."""
        names = [f"a{i}" for i in range(len(graph.arguments))]
        self.line(f"def {name}({', '.join(names)}):")
        self.indent += 1
        self.names.update(zip(graph.arguments, names, strict=True))
        results = self.graph(graph, set())
        self.line(f"return ({''.join(r + ', ' for r in results)})", self.result_node)
        for lines, nodes in self.nested_functions:
            self.nodes.update((len(self.lines) + n, node) for n, node in nodes.items())
            self.lines += lines
        return self.lines, self.nodes

    def written_arguments_of(self, graph: Graph) -> set[Node]:
        return written_arguments(graph, self._written)

    def node(self, node: Node) -> None:
        has_graphs = any(node.graphs())
        self.nesting += has_graphs
        if has_graphs and self.nesting > MAX_NESTING:
            self.write_as_function(node)
        else:
            super().node(node)
        self.nesting -= has_graphs

    def write_as_function(self, node: Node) -> None:
        """Emit a conditional or loop as a separate function, and a call to it."""
        self.flush()
        outer_state = self.lines, self.nodes, self.indent, self.nesting
        outer_names = {i: self.names[i] for i in node.inputs}
        parameters = {i: self.fresh("p") for i in outer_names if i.op != "constant"}
        name = self.fresh("nested")
        self.lines, self.nodes, self.indent, self.nesting = [], {}, 1, 1
        self.names.update(parameters)
        self.lines.append(f"def {name}({', '.join(parameters.values())}):")
        super().node(node)
        results = "".join(f"{result}, " for result in self.names[node])
        self.line(f"return ({results})")
        self.nested_functions.append((self.lines, self.nodes))
        self.lines, self.nodes, self.indent, self.nesting = outer_state
        self.names.update(outer_names)
        call = f"{name}({', '.join(outer_names[i] for i in parameters)})"
        self.line(f"({results}) = {call}" if results else call, node)

    def function_name(self, graph: Graph) -> str:
        """Return the name of the function for a called graph."""
        return self.function_names.setdefault(graph, f"called{len(self.function_names) + 1}")

    def emit_call(self, node: Node) -> None:
        called: Graph = node.attrs["graph"]
        names = tuple(self.fresh() for _ in called.results)
        call = f"{self.function_name(called)}({self.operands(node)})"
        self.line(f"({''.join(f'{name}, ' for name in names)}) = {call}" if names else call, node)
        self.names[node] = names
        self.disown(node, {operand for operand in node.inputs if not is_single_number(operand)})

    def emit_cond(self, node: Node) -> None:
        pred, *operands = node.inputs
        graphs = node.attrs["then"], node.attrs["orelse"]
        names = tuple(self.fresh() for _ in graphs[0].results)
        owned_results: list[set[int]] = []
        for head, graph in zip((f"if {self.names[pred]}:", "else:"), graphs, strict=True):
            self.line(head, node)
            self.indent += 1
            inner: Owned = {
                a for a, o in zip(graph.arguments, operands, strict=True) if self.is_free(o, operands)
            }
            for argument, operand in zip(graph.arguments, operands, strict=True):
                self.names[argument] = self.names[operand]
            results = self.graph(graph, inner)
            self.assign(names, results, self.result_node)
            owned_results.append(
                {i for i, r in enumerate(graph.results) if r in inner and graph.results.count(r) == 1}
            )
            self.indent -= 1
        self.names[node] = names
        self.owned.update((node, i) for i in owned_results[0] & owned_results[1])
        self.disown_passed_operands(node, [(g.arguments, operands, g.results) for g in graphs])

    def is_free(self, value: Node, inputs: Sequence[Node]) -> bool:
        """Return whether a value is owned, has no later use, and occurs only once among `inputs`."""
        if value not in self.last_uses or value not in self.owned:
            return False
        own = self.bases(value)
        return sum(not own.isdisjoint(self.bases(i)) for i in inputs) == 1

    def assign(self, names: Sequence[str], values: Sequence[str], node: Node | None) -> None:
        pairs = [(n, v) for n, v in zip(names, values, strict=True) if n != v]
        if pairs:
            self.line(f"{', '.join(n for n, _ in pairs)} = {', '.join(v for _, v in pairs)}", node)
        elif not self.lines or self.lines[-1].endswith(":"):
            self.line("pass")

    def enter_loop(self, loop: Loop) -> list[str]:
        """Assign the carried values to new names. Copy arrays that the body writes to, unless owned."""
        names = []
        written = self.written_arguments_of(loop.body)
        for value, argument in zip(loop.initial, loop.carried, strict=True):
            name, text = self.fresh("c"), self.names[value]
            if argument in written and not self.is_free(value, loop.node.inputs):
                text = copy_of(text, argument)
            self.line(f"{name} = {text}", loop.node)
            self.names[argument] = name
            names.append(name)
        return names

    def loop_body(self, loop: Loop, names: list[str], test: str) -> str:
        """Emit the body, and return the expression that tests whether to run another iteration."""
        for operand, argument in loop.captures():
            self.names[argument] = self.names[operand]
        written = self.written_arguments_of(loop.body)
        inner: Owned = {a for a in loop.carried if a in written}
        test_result, *results = self.graph(loop.body, inner)
        result_node = self.result_node
        for i, (argument, result) in enumerate(zip(loop.carried, loop.results, strict=True)):
            if argument in written and (result not in inner or loop.body.results.count(result) > 1):
                results[i] = copy_of(results[i], argument)
        if test_result in ("True", "False"):
            self.assign(names, results, result_node)
            return test_result
        self.assign([test, *names], [test_result, *results], result_node)
        return test

    def emit_while(self, node: Node) -> None:
        loop = Loop(node)
        names = self.enter_loop(loop)
        test = self.fresh("g")
        self.line(f"{test} = {self.names[node.inputs[0]]}", node)
        limit = node.attrs.get("maximum_iterations")
        if limit is not None:
            counter = self.fresh("n")
            self.line(f"{counter} = 0")
            self.line(f"while {test} and {counter} < {limit}:", node)
        else:
            self.line(f"while {test}:", node)
        self.indent += 1
        if limit is not None:
            self.line(f"{counter} += 1")
        test_result = self.loop_body(loop, names, test)
        if test_result != test:
            self.line(f"{test} = {test_result}", node)
        self.indent -= 1
        self.finish_loop(loop, names)

    def emit_for(self, node: Node) -> None:
        loop = Loop(node)
        self.keep_iterated(node.inputs[1])
        names = self.enter_loop(loop)
        self.plain_for(loop, names)
        self.finish_loop(loop, names)

    def plain_for(self, loop: Loop, names: list[str]) -> None:
        """Emit a `for` loop whose carried values have names."""
        node = loop.node
        test, source = node.inputs[:2]
        for item in loop.elements:
            self.names[item] = self.fresh("x")
        has_test = self.names[test] != "True"
        if has_test:
            self.line(f"if {self.names[test]}:", node)
            self.indent += 1
        text = self.names[source]
        limit = node.attrs.get("maximum_iterations")
        if limit is not None:
            text = f"{self.global_name(islice)}({text}, {limit})"
        target = _target(node.attrs["structure"], [self.names[i] for i in loop.elements])
        self.line(f"for {target} in {text}:", node)
        self.indent += 1
        test_result = self.loop_body(loop, names, self.fresh("g"))
        if test_result != "True":
            self.line(f"if not {test_result}: break", node)
        self.indent -= 1 + has_test

    def keep_iterated(self, source: Node) -> None:
        """Keep the body of a loop from writing to the containers that the loop iterates over."""
        iterated = self.iterated_containers(source)
        self.last_uses = {v for v in self.last_uses if self.array_root.get(v, v) not in iterated}

    def iterated_containers(self, source: Node) -> set[Node]:
        """Return the arrays and lists that a loop over `source` iterates over."""
        if source.op in ("zip", "enumerate", "reversed"):
            return {array for part in source.inputs for array in self.iterated_containers(part)}
        return {self.array_root.get(source, source)}

    def finish_loop(self, loop: Loop, names: list[str]) -> None:
        self.names[loop.node] = tuple(names)
        written = self.written_arguments_of(loop.body)
        self.owned.update((loop.node, i) for i, a in enumerate(loop.carried) if a in written)
        first = {a: v for v, a, _ in loop.carries() if a not in written}
        arguments, operands = [*first, *loop.captured], [*first.values(), *loop.operands]
        self.disown_passed_operands(loop.node, [(arguments, operands, [*first, *loop.results])])

    def disown_passed_operands(self, node: Node, parts: Sequence[Any]) -> None:
        """Mark as not owned the operands that a result may alias: writing to them would change the result.

        Each of `parts` is a tuple for one inner graph: its arguments, their operands, and its results.
        """
        passed_operands = set()
        for arguments, outer, results in parts:
            outside = dict(zip(arguments, outer, strict=True))
            bases = {base for result in results for base in self.bases(result)}
            passed_operands |= {outside[base] for base in bases if base in outside}
        self.disown(node, passed_operands)

    def disown(self, node: Node, passed_operands: set[Node]) -> None:
        """Mark operands as not owned because the results of a node may alias them."""
        self.passed_operands[node] = passed_operands
        for value in passed_operands:
            self.owned -= self.bases(value) - {value}
            if value not in self.last_uses:
                self.owned.discard(value)


def _target(structure: Any, names: Sequence[str]) -> str:
    if isinstance(structure, tuple):
        return f"({''.join(_target(part, names) + ', ' for part in structure)})"
    return names[structure]
