"""From a graph to one straight Python function over NumPy.

Each node becomes a line; `cond`, `while` and `for` become Python's own statements, their graphs inline.
A value is *owned* when no one else can see the array that holds it: writing an item of an owned value
at its last use writes in place, otherwise a copy is made first.
"""

from __future__ import annotations

import linecache
import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from ..undefined import unbound_local
from .ir import Graph, Missing, Node, Slot
from .run import EXPRESSIONS, FUNCTIONS
from .types import ListType
from .writes import held_type, written_arguments

_VIEWS = frozenset(
    ("getitem", "output", "list_get", "argument", "constant", "check_bound", "numpy.transpose",
     "numpy.reshape", "numpy.ravel", "numpy.squeeze", "numpy.swapaxes", "numpy.diagonal", "numpy.expand_dims",
     "numpy.moveaxis", "numpy.broadcast_to", "numpy.real", "numpy.imag", "numpy.asarray", "numpy.flip",
     "numpy.rollaxis", "numpy.split", "numpy.array_split", "numpy.atleast_1d", "numpy.atleast_2d",
     "numpy.rot90", "numpy.ndarray.reshape", "numpy.ndarray.transpose", "numpy.ndarray.astype")
)  # fmt: skip

Owned: TypeAlias = set[Node | tuple[Node, int]]
"""The nodes whose value is owned; of a node with several results, node and place."""


class Compiled:
    """A graph's function, and which node each line of it came from."""

    def __init__(self, function: Callable[..., tuple], source: str, nodes: dict[int, Node]):
        self.function, self.source, self.nodes = function, source, nodes


def compile_graph(graph: Graph) -> Compiled:
    """Compile a graph to a function from its arguments to the tuple of its results."""
    emitter = _Emitter()
    names = [f"a{i}" for i in range(len(graph.arguments))]
    emitter.line(f"def {_identifier(graph.name)}({', '.join(names)}):")
    emitter.indent += 1
    for node, name in zip(graph.arguments, names, strict=True):
        emitter.names[node] = name
    results = emitter.graph(graph, set())
    emitter.line(f"return ({''.join(r + ', ' for r in results)})")
    source = "\n".join(emitter.lines) + "\n"
    filename = f"<graph of {graph.name}>"
    exec(compile(source, filename, "exec"), emitter.namespace)  # noqa: S102 - this is the compiler
    linecache.cache.pop(filename, None)
    return Compiled(emitter.namespace[_identifier(graph.name)], source, emitter.nodes)


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "graph"


class _Emitter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.nodes: dict[int, Node] = {}
        self.names: dict[Node, Any] = {}  # a tuple of names for a node with several results
        self.namespace: dict[str, Any] = {
            **FUNCTIONS,
            "MISSING": Missing.VALUE,
            "unbound_local": unbound_local,
        }
        self.namespace["errstate"] = np.errstate
        self.kept: dict[int, str] = {}
        self.uses: Counter[Node] = Counter()
        self.root: dict[Node, Node] = {}
        self.views: dict[Node, list[Node]] = {}
        self.indent = 0
        self.count = 0

    def line(self, text: str, node: Node | None = None) -> None:
        self.lines.append("    " * self.indent + text)
        if node is not None:
            self.nodes[len(self.lines)] = node

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def keep(self, value: Any, stem: str = "k") -> str:
        """The name under which the function finds a Python object."""
        if id(value) not in self.kept:
            name = self.fresh(stem)
            self.namespace[name] = value
            self.kept[id(value)] = name
        return self.kept[id(value)]

    def literal(self, value: Any) -> str:
        if value is None or value is Ellipsis or type(value) in (bool, int, str):
            return _closed(repr(value))
        if type(value) is float and math.isfinite(value):
            return _closed(repr(value))
        if value is Missing.VALUE:
            return "MISSING"
        return self.keep(value)

    # Graphs

    def graph(self, graph: Graph, owned: Owned) -> list[str]:
        """The lines of a graph's nodes; the expressions of its results."""
        last: dict[Node, int] = {}
        for i, node in enumerate(graph.nodes):
            for used in node.inputs:
                last[used] = i
                self.uses[used] += 1
        for result in graph.results:
            last[result] = len(graph.nodes)
            self.uses[result] += 1
        for i, node in enumerate(graph.nodes):
            ends = {used for used in node.inputs if last[used] == i}
            ends -= {used for used in ends & owned if self.has_live_view(used, node)}
            self.node(node, ends, owned)
            self.uses.subtract(node.inputs)
            if node.op in _VIEWS and node.inputs:
                root = self.root.get(node.inputs[0], node.inputs[0])
                self.root[node] = root
                self.views.setdefault(root, []).append(node)
        return [self.names[r] for r in graph.results]

    def has_live_view(self, array: Node, user: Node) -> bool:
        """Whether a view of an array is used by later nodes than `user`."""
        root = self.root.get(array, array)
        return any(self.uses[v] > user.inputs.count(v) for v in self.views.get(root, ()) if v is not array)

    def node(self, node: Node, ends: set[Node], owned: Owned) -> None:
        special = getattr(self, f"emit_{node.op}", None)
        if special is not None:
            special(node, ends, owned)
            return
        name = self.fresh()
        errors = node.attrs.get("errstate")
        scope = f"with errstate(**{self.keep(errors)}): " if errors else ""
        self.line(f"{scope}{name} = {self.expression(node)}", node)
        self.names[node] = name
        if node.op not in _VIEWS:
            owned.add(node)

    def expression(self, node: Node) -> str:
        inputs = [self.names[i] for i in node.inputs]
        template = EXPRESSIONS.get(node.op)
        if template is not None:
            attrs = {k: self.literal(v) for k, v in node.attrs.items() if "{" + k + "}" in template}
            return template.format(*inputs, **attrs)
        function = node.attrs["function"]
        if "args" not in node.attrs:
            return f"{self.keep(function, function.__name__.strip('_<>') or 'f')}({', '.join(inputs)})"
        args = [self.argument(a, inputs) for a in node.attrs["args"]]
        if node.op == "getitem":
            return f"{args[0]}[{args[1]}]"
        args += [f"{k}={self.argument(v, inputs)}" for k, v in node.attrs["kwargs"].items()]
        return f"{self.keep(function, 'f')}({', '.join(args)})"

    def argument(self, value: Any, inputs: Sequence[str]) -> str:
        if isinstance(value, Slot):
            return inputs[value.index]
        if isinstance(value, list):
            return f"[{', '.join(self.argument(v, inputs) for v in value)}]"
        if type(value) is tuple:
            return f"({''.join(self.argument(v, inputs) + ', ' for v in value)})"
        if isinstance(value, dict):
            items = (f"{k!r}: {self.argument(v, inputs)}" for k, v in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, slice):
            parts = [self.argument(p, inputs) for p in (value.start, value.stop, value.step)]
            return f"slice({', '.join(parts)})"
        return self.literal(value)

    # Ops that are no single expression

    def emit_constant(self, node: Node, ends: set[Node], owned: Owned) -> None:
        self.names[node] = self.literal(node.attrs["value"])

    def emit_output(self, node: Node, ends: set[Node], owned: Owned) -> None:
        [source] = node.inputs
        names = self.names[source]
        if isinstance(names, tuple):
            self.names[node] = names[node.attrs["index"]]
            if (source, node.attrs["index"]) in owned:
                owned.add(node)
        else:
            name = self.fresh()
            self.line(f"{name} = {names}[{node.attrs['index']}]", node)
            self.names[node] = name

    def emit_list(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name = self.fresh()
        self.line(f"{name} = [{', '.join(self.names[i] for i in node.inputs)}]", node)
        self.names[node] = name
        owned.add(node)

    def emit_tuple(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name = self.fresh()
        self.line(f"{name} = ({''.join(self.names[i] + ', ' for i in node.inputs)})", node)
        self.names[node] = name

    def emit_zip(self, node: Node, ends: set[Node], owned: Owned) -> None:
        strict = ["strict=True"] if node.attrs["strict"] else []
        self.names[node] = f"zip({', '.join([*(self.names[i] for i in node.inputs), *strict])})"

    def emit_range(self, node: Node, ends: set[Node], owned: Owned) -> None:
        start, stop, step = (self.names[i] for i in node.inputs)
        text = (
            stop
            if (start, step) == ("0", "1")
            else f"{start}, {stop}"
            if step == "1"
            else f"{start}, {stop}, {step}"
        )
        self.names[node] = f"range({text})"

    def emit_enumerate(self, node: Node, ends: set[Node], owned: Owned) -> None:
        source, start = (self.names[i] for i in node.inputs)
        self.names[node] = f"enumerate({source}{'' if start == '0' else ', ' + start})"

    def emit_reversed(self, node: Node, ends: set[Node], owned: Owned) -> None:
        self.names[node] = f"reversed({self.names[node.inputs[0]]})"

    def mutable(self, node: Node, ends: set[Node], owned: Owned) -> str:
        """The name of the first input, which may be changed: a copy unless it is owned and ends here."""
        target = node.inputs[0]
        if target in ends and target in owned:
            return self.names[target]
        name = self.fresh()
        copy = "list({})" if isinstance(target.type, ListType) else "{}.copy()"
        self.line(f"{name} = {copy.format(self.names[target])}", node)
        return name

    def emit_setitem(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name = self.mutable(node, ends, owned)
        inputs = [name, *(self.names[i] for i in node.inputs[1:])]
        self.line(f"{name}[{self.argument(node.attrs['key'], inputs)}] = {inputs[-1]}", node)
        self.names[node] = name
        if name == self.names[node.inputs[0]]:
            self.root[node] = self.root.get(node.inputs[0], node.inputs[0])
        owned.add(node)

    def emit_list_append(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name = self.mutable(node, ends, owned)
        self.line(f"{name}.append({self.names[node.inputs[1]]})", node)
        self.names[node] = name
        owned.add(node)

    def emit_list_set(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name = self.mutable(node, ends, owned)
        self.line(f"{name}[{self.names[node.inputs[1]]}] = {self.names[node.inputs[2]]}", node)
        self.names[node] = name
        owned.add(node)

    def emit_list_pop(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name, value = self.mutable(node, ends, owned), self.fresh()
        self.line(f"{value} = {name}.pop({self.names[node.inputs[1]]})", node)
        self.names[node] = (name, value)
        owned.add((node, 0))

    def emit_check_bound(self, node: Node, ends: set[Node], owned: Owned) -> None:
        name = self.names[node.inputs[0]]
        self.line(f"if {name} is MISSING: raise unbound_local({node.attrs.get('symbol', '')!r})", node)
        self.names[node] = name

    def emit_raise(self, node: Node, ends: set[Node], owned: Owned) -> None:
        inputs = [self.names[i] for i in node.inputs]
        args = ", ".join(self.argument(a, inputs) for a in node.attrs["args"])
        self.line(f"raise {self.keep(node.attrs['function'], 'error')}({args})", node)

    def emit_print(self, node: Node, ends: set[Node], owned: Owned) -> None:
        inputs = [self.names[i] for i in node.inputs]
        args = [self.argument(a, inputs) for a in node.attrs["args"]]
        args += [f"{k}={self.argument(v, inputs)}" for k, v in node.attrs["kwargs"].items()]
        self.line(f"print({', '.join(args)})", node)

    # Control flow

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
                if o in ends and o in owned and operands.count(o) == 1
            }  # fmt: skip
            for argument, operand in zip(graph.arguments, operands, strict=True):
                self.names[argument] = self.names[operand]
            results = self.graph(graph, inner)
            self.assign(names, results)
            kept.append(
                {i for i, r in enumerate(graph.results) if r in inner and graph.results.count(r) == 1}
            )
            self.indent -= 1
        self.names[node] = names
        owned.update((node, i) for i in kept[0] & kept[1])

    def assign(self, names: Sequence[str], values: Sequence[str]) -> None:
        pairs = [(n, v) for n, v in zip(names, values, strict=True) if n != v]
        if pairs:
            self.line(f"{', '.join(n for n, _ in pairs)} = {', '.join(v for _, v in pairs)}")
        elif not self.lines or self.lines[-1].endswith(":"):
            self.line("pass")

    def enter_loop(
        self, node: Node, values: Sequence[Node], arguments: Sequence[Node], ends: set[Node], owned: Owned
    ) -> list[str]:
        """Give the carried values names of their own; arrays that the body writes become owned."""
        names = []
        written = written_arguments(node.attrs["body"])
        for value, argument in zip(values, arguments, strict=True):
            name = self.fresh("c")
            text = self.names[value]
            if argument in written and not (value in ends and value in owned and values.count(value) == 1):
                text = f"list({text})" if isinstance(held_type(argument), ListType) else f"{text}.copy()"
            self.line(f"{name} = {text}", node)
            self.names[argument] = name
            names.append(name)
        return names

    def loop_body(
        self, node: Node, names: list[str], arguments: Sequence[Node], operands: Sequence[Node]
    ) -> str:
        """The body's lines; the expression of the test for another round."""
        body = node.attrs["body"]
        count = len(body.arguments) - len(operands)
        for argument, operand in zip(body.arguments[count:], operands, strict=True):
            self.names[argument] = self.names[operand]
        written = written_arguments(body)
        inner: Owned = {a for a in arguments if a in written}
        again, *results = self.graph(body, inner)
        for i, (argument, result) in enumerate(zip(arguments, body.results[1:], strict=True)):
            shared = body.results.count(result) > 1
            if argument in written and (result not in inner or shared):
                copy = "list({})" if isinstance(held_type(argument), ListType) else "{}.copy()"
                results[i] = copy.format(results[i])
        test = again
        if again not in ("True", "False"):
            test = self.fresh("g")
            self.assign([test, *names], [again, *results])
        else:
            self.assign(names, results)
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
        again = self.loop_body(node, names, arguments, operands)
        self.line(f"{test} = {again}", node)
        self.indent -= 1
        self.finish_loop(node, names, arguments, owned)

    def emit_for(self, node: Node, ends: set[Node], owned: Owned) -> None:
        count, size, body = node.attrs["carried"], node.attrs["elements"], node.attrs["body"]
        going, source = node.inputs[:2]
        values, operands = node.inputs[2 : 2 + count], node.inputs[2 + count :]
        items = body.arguments[:size]
        arguments = body.arguments[size : size + count]
        names = self.enter_loop(node, values, arguments, ends, owned)
        for item in items:
            self.names[item] = self.fresh("x")
        outer = self.names[going] != "True"
        if outer:
            self.line(f"if {self.names[going]}:", node)
            self.indent += 1
        iterated = self.names[source]
        limit = node.attrs.get("maximum_iterations")
        if limit is not None:
            iterated = f"{self.keep(_first)}({iterated}, {limit})"
        self.line(
            f"for {_target(node.attrs['structure'], [self.names[i] for i in items])} in {iterated}:", node
        )
        self.indent += 1
        again = self.loop_body(node, names, arguments, operands)
        if again != "True":
            self.line(f"if not {again}: break", node)
        self.indent -= 1 + outer
        self.finish_loop(node, names, arguments, owned)

    def finish_loop(self, node: Node, names: list[str], arguments: Sequence[Node], owned: Owned) -> None:
        self.names[node] = tuple(names)
        written = written_arguments(node.attrs["body"])
        owned.update((node, i) for i, a in enumerate(arguments) if a in written)


def _closed(text: str) -> str:
    """The text of a number so that operators beside it do not take it apart: `-2 ** x` is `-(2 ** x)`."""
    return f"({text})" if text.startswith("-") else text


def _first(iterable: Any, limit: int) -> Any:
    return islice(iterable, limit)


def _target(structure: Any, names: Sequence[str]) -> str:
    if isinstance(structure, tuple):
        return f"({''.join(_target(part, names) + ', ' for part in structure)})"
    return names[structure]
