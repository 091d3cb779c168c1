"""Conditions and loops, which become Python's own statements.

Python nests 20 loops and 100 blocks at most, so below `DEEPEST` a condition or loop becomes a function
of its own, called where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from ..ir import Graph, Node
from ..types import ListType
from ..writes import held_type, written_arguments
from .operations import Operations
from .writer import Owned

DEEPEST = 12


class Emitter(Operations):
    """Writes a function for a graph."""

    def __init__(self, graph: Graph, *, checked: bool = False) -> None:
        super().__init__(graph, checked=checked)
        self.level = 0
        self.finished: list[tuple[list[str], dict[int, Node]]] = []
        self._written: dict[Graph, set[Node]] = {}

    def function(self, graph: Graph, name: str) -> tuple[list[str], dict[int, Node]]:
        """The lines of a graph's function and of those that it calls; which node each line came from."""
        names = [f"a{i}" for i in range(len(graph.arguments))]
        self.line(f"def {name}({', '.join(names)}):")
        self.indent += 1
        self.names.update(zip(graph.arguments, names, strict=True))
        results = self.graph(graph, set())
        self.line(f"return ({''.join(r + ', ' for r in results)})", self.tail)
        for lines, nodes in self.finished:
            self.nodes.update((len(self.lines) + n, node) for n, node in nodes.items())
            self.lines += lines
        return self.lines, self.nodes

    def written(self, graph: Graph) -> set[Node]:
        return written_arguments(graph, self._written)

    def node(self, node: Node, ends: set[Node], owned: Owned) -> None:
        inner = any(node.graphs())
        self.level += inner
        if inner and self.level > DEEPEST:
            self.apart(node, ends, owned)
        else:
            super().node(node, ends, owned)
        self.level -= inner

    def apart(self, node: Node, ends: set[Node], owned: Owned) -> None:
        """Write a condition or loop to a function of its own, and a call of it."""
        self.flush()
        outside = self.lines, self.nodes, self.indent, self.level
        before = {used: self.names[used] for used in node.inputs}
        parameters = {used: self.fresh("p") for used in before if used.op != "constant"}
        name = self.fresh("nested")
        self.lines, self.nodes, self.indent, self.level = [], {}, 1, 1
        self.names.update(parameters)
        self.lines.append(f"def {name}({', '.join(parameters.values())}):")
        super().node(node, ends, owned)
        results = "".join(f"{result}, " for result in self.names[node])
        self.line(f"return ({results})")
        self.finished.append((self.lines, self.nodes))
        self.lines, self.nodes, self.indent, self.level = outside
        self.names.update(before)
        call = f"{name}({', '.join(before[used] for used in parameters)})"
        self.line(f"({results}) = {call}" if results else call, node)

    def emit_cond(self, node: Node, ends: set[Node], owned: Owned) -> None:
        pred, *operands = node.inputs
        then, orelse = node.attrs["then"], node.attrs["orelse"]
        names = tuple(self.fresh() for _ in then.results)
        kept: list[set[int]] = []
        for head, graph in ((f"if {self.names[pred]}:", then), ("else:", orelse)):
            self.line(head, node)
            self.indent += 1
            inner: Owned = {
                a for a, o in zip(graph.arguments, operands, strict=True)
                if o in ends and o in owned and not self.is_shared(o, operands)
            }  # fmt: skip
            for argument, operand in zip(graph.arguments, operands, strict=True):
                self.names[argument] = self.names[operand]
            results = self.graph(graph, inner)
            self.assign(names, results, self.tail)
            kept.append(
                {i for i, r in enumerate(graph.results) if r in inner and graph.results.count(r) == 1}
            )
            self.indent -= 1
        self.names[node] = names
        owned.update((node, i) for i in kept[0] & kept[1])
        self.pass_on(node, [(g.arguments, operands, g.results) for g in (then, orelse)], ends, owned)

    def assign(self, names: Sequence[str], values: Sequence[str], node: Node | None) -> None:
        pairs = [(n, v) for n, v in zip(names, values, strict=True) if n != v]
        if pairs:
            self.line(f"{', '.join(n for n, _ in pairs)} = {', '.join(v for _, v in pairs)}", node)
        elif not self.lines or self.lines[-1].endswith(":"):
            self.line("pass")

    def enter_loop(
        self, node: Node, values: Sequence[Node], arguments: Sequence[Node], ends: set[Node], owned: Owned
    ) -> list[str]:
        """Give the carried values names of their own; arrays that the body writes become owned."""
        names = []
        written = self.written(node.attrs["body"])
        for value, argument in zip(values, arguments, strict=True):
            name = self.fresh("c")
            text = self.names[value]
            is_own = value in ends and value in owned and not self.is_shared(value, node.inputs)
            if argument in written and not is_own:
                text = f"list({text})" if isinstance(held_type(argument), ListType) else f"{text}.copy()"
            self.line(f"{name} = {text}", node)
            self.names[argument] = name
            names.append(name)
        return names

    def is_shared(self, value: Node, inputs: Sequence[Node]) -> bool:
        """Whether a value, or a view of its array, stands twice among the inputs of a condition or loop."""
        own = self.bases(value)
        return sum(not own.isdisjoint(self.bases(i)) for i in inputs) > 1

    def loop_body(
        self, node: Node, names: list[str], arguments: Sequence[Node], operands: Sequence[Node], test: str
    ) -> str:
        """The body's lines, which leave in `test` whether there is another round, unless that is known."""
        body = node.attrs["body"]
        count = len(body.arguments) - len(operands)
        for argument, operand in zip(body.arguments[count:], operands, strict=True):
            self.names[argument] = self.names[operand]
        written = self.written(body)
        inner: Owned = {a for a in arguments if a in written}
        again, *results = self.graph(body, inner)
        tail = self.tail
        for i, (argument, result) in enumerate(zip(arguments, body.results[1:], strict=True)):
            shared = body.results.count(result) > 1
            if argument in written and (result not in inner or shared):
                copy = "list({})" if isinstance(held_type(argument), ListType) else "{}.copy()"
                results[i] = copy.format(results[i])
        if again not in ("True", "False"):
            self.assign([test, *names], [again, *results], tail)
        else:
            self.assign(names, results, tail)
            test = again
        return test

    def emit_while(self, node: Node, ends: set[Node], owned: Owned) -> None:
        count, body = node.attrs["carried"], node.attrs["body"]
        going, values, operands = node.inputs[0], node.inputs[1 : 1 + count], node.inputs[1 + count :]
        arguments = body.arguments[:count]
        names = self.enter_loop(node, values, arguments, ends, owned)
        test = self.fresh("g")
        self.line(f"{test} = {self.names[going]}", node)
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
        again = self.loop_body(node, names, arguments, operands, test)
        if again != test:
            self.line(f"{test} = {again}", node)
        self.indent -= 1
        self.finish_loop(node, names, arguments, values, operands, ends, owned)

    def emit_for(self, node: Node, ends: set[Node], owned: Owned) -> None:
        count, size, body = node.attrs["carried"], node.attrs["elements"], node.attrs["body"]
        going, source = node.inputs[:2]
        values, operands = node.inputs[2 : 2 + count], node.inputs[2 + count :]
        items = body.arguments[:size]
        arguments = body.arguments[size : size + count]
        iterated = self.iterated(source)
        ends = {value for value in ends if self.root.get(value, value) not in iterated}
        names = self.enter_loop(node, values, arguments, ends, owned)
        for item in items:
            self.names[item] = self.fresh("x")
        outer = self.names[going] != "True"
        if outer:
            self.line(f"if {self.names[going]}:", node)
            self.indent += 1
        text = self.names[source]
        limit = node.attrs.get("maximum_iterations")
        if limit is not None:
            text = f"{self.keep(_first)}({text}, {limit})"
        self.line(f"for {_target(node.attrs['structure'], [self.names[i] for i in items])} in {text}:", node)
        self.indent += 1
        again = self.loop_body(node, names, arguments, operands, self.fresh("g"))
        if again != "True":
            self.line(f"if not {again}: break", node)
        self.indent -= 1 + outer
        self.finish_loop(node, names, arguments, values, operands, ends, owned)

    def iterated(self, source: Node) -> set[Node]:
        """The arrays and lists that a loop over `source` reads while its body runs."""
        if source.op in ("zip", "enumerate", "reversed"):
            return {array for part in source.inputs for array in self.iterated(part)}
        return {self.root.get(source, source)}

    def finish_loop(
        self,
        node: Node,
        names: list[str],
        arguments: Sequence[Node],
        values: Sequence[Node],
        operands: Sequence[Node],
        ends: set[Node],
        owned: Owned,
    ) -> None:
        self.names[node] = tuple(names)
        body = node.attrs["body"]
        written = self.written(body)
        owned.update((node, i) for i, a in enumerate(arguments) if a in written)
        first = {a: v for a, v in zip(arguments, values, strict=True) if a not in written}
        captured = body.arguments[len(body.arguments) - len(operands) :]
        parts = [([*first, *captured], [*first.values(), *operands], [*first, *body.results[1:]])]
        self.pass_on(node, parts, ends, owned)

    def pass_on(self, node: Node, parts: Sequence[Any], ends: set[Node], owned: Owned) -> None:
        """Let go of arrays that a result may be, or show: a later write to them must not change that.

        Args:
            node: a condition or loop.
            parts: arguments of an inner graph, what they stand for outside, and what it gives.
            ends: the values that nothing uses later.
            owned: the values whose arrays may be written.
        """
        passed = set()
        for arguments, outer, results in parts:
            outside = dict(zip(arguments, outer, strict=True))
            bases = {base for result in results for base in self.bases(result)}
            passed |= {outside[base] for base in bases if base in outside}
        self.passed[node] = passed
        for value in passed:
            owned -= self.bases(value) | {value} if value not in ends else self.bases(value) - {value}


def _first(iterable: Iterable[Any], limit: int) -> Any:
    return islice(iterable, limit)


def _target(structure: Any, names: Sequence[str]) -> str:
    if isinstance(structure, tuple):
        return f"({''.join(_target(part, names) + ', ' for part in structure)})"
    return names[structure]
