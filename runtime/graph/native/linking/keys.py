"""What identifies the machine code of a region: the text of its graph, and the version of the compiler.

The text has all that code generation reads: the ops, attributes and types of the nodes, and the constants.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ...ir.graph import Graph, Missing, Node
from ...rules.methods import METHODS

_ROOTS = frozenset(("numpy", "math", "operator", "_operator", "builtins", __name__.partition(".")[0]))
"""The packages whose functions are known by their names. NumPy's version is part of each key."""


_COMPILER = ("ir", "tracing", "rules", "native")
"""The folders of our own code on which machine code depends."""


class UnknownValueError(Exception):
    """A value in a graph that has no text."""


class GraphText:
    """The text of a graph. `nodes` and `graphs` are numbered in the order in which the text has them.

    Raises:
        UnknownValueError: an attribute of a node has no text.
    """

    def __init__(self, graph: Graph):
        self.nodes: dict[Node, int] = {}
        self.graphs: dict[Graph, int] = {}
        self._parts: list[str] = []
        self._types: dict[int, str] = {}
        self._graph(graph)
        self.text = "".join(self._parts)

    def _graph(self, graph: Graph) -> None:
        self.graphs[graph] = len(self.graphs)
        self._parts.append("{")
        for node in (*graph.arguments, *graph.nodes, *graph.results):
            self._node(node)
            self._parts.append("\n")
        self._parts.append(f"{len(graph.arguments)} {len(graph.results)}}}")

    def _node(self, node: Node) -> None:
        if node in self.nodes:
            self._parts.append(f"%{self.nodes[node]}")
            return
        self._parts.append(f"({node.op} {node.effect} ")
        for value in node.inputs:  # constants may be in no graph
            self._node(value)
        self._value(node.attrs)
        self._type(node.type)
        self._parts.append(")")
        self.nodes[node] = len(self.nodes)

    def _type(self, kind: Any) -> None:
        if id(kind) in self._types:
            self._parts.append(self._types[id(kind)])
            return
        begin = len(self._parts)
        self._value(kind)
        self._types[id(kind)] = "".join(self._parts[begin:])

    def _value(self, value: Any) -> None:
        kind = type(value)
        write = _WRITERS.get(kind)
        if write is not None:
            self._parts.append(f"{kind.__name__}:{write(value)};")
        elif kind is tuple or kind is list:
            self._values(kind.__name__, value)
        elif kind is dict:
            self._values("dict", [part for item in value.items() for part in item])
        elif kind is slice:
            self._values("slice", (value.start, value.stop, value.step))
        elif isinstance(value, Graph):
            self._graph(value)
        elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            self._parts.append(f"{kind.__name__} {value.shape} {value.strides} ")
            self._value(value.dtype)
            self._parts.append(value.tobytes().hex())
        elif is_dataclass(kind):
            self._values(_name(kind), [getattr(value, name) for name in _field_names(kind)])
        elif kind.__hash__ is None:
            raise UnknownValueError(value)
        else:
            self._parts.append(f"<{_name(value)}>")

    def _values(self, name: str, values: Iterable[Any]) -> None:
        self._parts.append(f"{name}[")
        for value in values:
            self._value(value)
        self._parts.append("]")


_WRITERS: dict[type, Callable[[Any], str]] = {
    **dict.fromkeys((type(None), bool, int, str, bytes, type(Ellipsis), Missing), repr),
    float: lambda number: struct.pack("<d", number).hex(),
    complex: lambda number: struct.pack("<dd", number.real, number.imag).hex(),
    **dict.fromkeys({type(np.dtype(code)) for code in "?bBhHiIlLqQefdgFDG"}, lambda dtype: dtype.str),
}


@functools.cache
def _field_names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


@functools.lru_cache(maxsize=1024)
def _name(value: Any) -> str:
    """Return the name of a function or a class of a known package.

    Raises:
        UnknownValueError: it is something else.
    """
    if isinstance(value, np.ufunc):
        if getattr(np, value.__name__, None) is value:
            return f"numpy.{value.__name__}"  # type: ignore[union-attr]
        raise UnknownValueError(value)
    if METHODS.get(getattr(value, "__name__", "")) is value:
        return f"method {value.__name__}"  # type: ignore[union-attr]
    owner = getattr(value, "__objclass__", value)  # of a method in C
    module, path = getattr(owner, "__module__", None), getattr(value, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(path, str) and module.partition(".")[0] in _ROOTS):
        raise UnknownValueError(value)
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not value:
        raise UnknownValueError(value)
    return f"{module}.{path}"


_CPU_FIELDS = frozenset(("vendor_id", "cpu family", "model", "model name", "stepping", "flags"))


@functools.cache
def target_name() -> str:
    """Return what machine code depends on besides the graph and our own code: LLVM and the CPU.

    Files tell both on Linux, where llvmlite is imported only to compile.
    """
    try:
        return f"{_llvmlite_version()} {_cpu()}"
    except OSError:
        from .llvm import target_name  # noqa: PLC0415

        return target_name()


def _llvmlite_version() -> str:
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        raise FileNotFoundError
    with open(os.path.join(os.path.dirname(spec.origin), "_version.py"), encoding="utf-8") as file:
        return file.read()


def _cpu() -> str:
    """Return the model and the features of the first processor.

    Raises:
        OSError: the system does not tell them.
    """
    lines = []
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        while (line := file.readline()).strip():
            if line.partition("\t")[0] in _CPU_FIELDS:
                lines.append(line)
    if len(lines) < len(_CPU_FIELDS):
        raise FileNotFoundError
    return "".join(lines)


@functools.cache
def compiler_version() -> str:
    """Return what machine code depends on besides the graph and the CPU: our own code, NumPy and Python.

    Raises:
        UnknownValueError: our own code is not in files.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    try:
        own = [text for folder in _COMPILER for text in _files(os.path.join(package, folder))]
    except OSError as error:
        raise UnknownValueError(package) from error
    return "\n".join([sys.version, sys.platform, np.__version__, *sorted(own)])


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
