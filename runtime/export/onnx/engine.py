"""The engine "onnxruntime" of `function`: NumPy arrays in and out, a model of ONNX between them.

The model is made at the first call. Beside the graph's arguments it takes `alive`, which is true, so that no
optimiser knows that a check fails before the model runs; beside the results it gives the token of the checks.
"""

from __future__ import annotations

import builtins
import re
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import numpy as np
import onnxruntime

from ...errors import AutographError, SaveError
from ...graph.ir import Graph, Missing, Node
from ...graph.types import ListType, MaybeType, ScalarType, TupleType
from ..forms import array_results, given_forms
from . import refused
from .builder import BOOL, Model, Value, value_info
from .emitter import Emitter
from .model import Draft
from .values import Columns, Empty, Items, Maybe, coerced, flatten

_OUT_OF_BOUNDS = re.compile(r"out of data bounds, idx=(-?\d+) must be within the inclusive range \[-(\d+)")
_INVALID = re.compile(r"invalid ind\w+ found, ind\w+ = (-?\d+)")


class Engine:
    """Runs one graph.

    Args:
        graph: the graph.
        forms: for each argument of no dimensions whether it is an array, if that is known.
    """

    def __init__(self, graph: Graph, forms: dict[int, bool]):
        self.graph = graph
        self._arguments = {node: i for i, node in enumerate(graph.arguments)}
        self._arrays = array_results(graph, forms)
        self._lock = threading.Lock()
        self._program: _Program | None = None

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        with self._lock:
            if self._program is None:
                self._program = _Program(self.graph)
        values = self._program(arrays)
        made: dict[Node, Any] = {}
        for value, node, is_array in zip(values, self.graph.results, self._arrays, strict=True):
            if node in self._arguments:
                made[node] = arrays[self._arguments[node]]
            elif node not in made:
                made[node] = np.array(value, node.type.dtype) if is_array else value
        return tuple([made[node] for node in self.graph.results])

    def node_at(self, traceback: TracebackType | None) -> Node | None:
        """The node that raised, by the traceback of the error: of a composition, the node that it is of."""
        found = None
        while traceback is not None and traceback.tb_frame.f_code is not Emitter.composed.__code__:
            if traceback.tb_frame.f_code in _KNOWING:
                found = traceback.tb_frame.f_locals["node"]
            traceback = traceback.tb_next
        return found


class _Program(Draft):
    """The model of a graph as onnxruntime has loaded it: gives a value for each of the graph's results."""

    def __init__(self, graph: Graph):
        super().__init__(graph, Model())
        try:
            model = self._made()
        except SaveError as error:
            refused.by_engine(error)
            raise
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # errors are raised, and not told on stderr too
        options.execution_order = (
            onnxruntime.ExecutionOrder.PRIORITY_BASED
        )  # so what Python meets first fails
        try:
            self._session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - its errors have no class of their own
            self._fail(error)
        self._taken = [i.name for i in self._session.get_inputs()]

    def _made(self) -> Any:
        b = self.b
        for n, node in enumerate(self.graph.arguments):
            self.input(node, self.model.fresh(f"argument_{n}"))
        b.alive = Value(self.model.fresh("alive"), BOOL, 0)
        self.inputs.append(value_info(b.alive, b.alive.name))
        results = self.emitter.graph(self.graph)
        self._forms = [self._given(v, node) for v, node in zip(results, self.graph.results, strict=True)]
        self.output(self.model.fresh("checked"), b.token, [None])
        return self.proto()

    def _given(self, value: Any, node: Node) -> Any:
        """A result, whose tensors and sequences are made outputs."""
        self.b.at = node
        made = coerced(self.b, value, node.type)
        for part in flatten(made):
            self.output(self.model.fresh("result"), part, [None] * part.ndim)
        return made

    def __call__(self, arrays: tuple[Any, ...]) -> list[Any]:
        fed = [*map(_fed, arrays), np.array(True)]
        try:
            values = iter(self._session.run(None, dict(zip(self._taken, fed, strict=True))))
        except Exception as error:  # noqa: BLE001 - its errors have no class of their own
            self._fail(error)
        return [
            _received(form, node.type, values)
            for form, node in zip(self._forms, self.graph.results, strict=True)
        ]

    def _fail(self, error: Exception) -> None:
        """Raise what the program raises where onnxruntime failed."""
        text = str(error)
        named = {text.rfind(f"Name:'{label}'"): label for label in self.model.origins}
        last = max(named, default=-1)  # those before it are the loops and conditions around it
        node, message = self.model.origins[named[last]] if last >= 0 else (None, "")
        _raise(_as_python(text, node, message), node, error)


def _fed(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind == "U" else array


def _raise(raised: BaseException, node: Node | None, cause: Exception) -> None:
    raise raised from (cause if isinstance(raised, AutographError) else None)


def _as_python(text: str, node: Node | None, message: str) -> BaseException:
    """The exception of the program for what onnxruntime says; an error of ours where that cannot be told."""
    if node is not None and node.op == "raise":
        if not node.inputs:
            made: BaseException = node.attrs["function"](*node.attrs["args"])
            return made
        return AutographError(
            f"the program raises a {node.attrs['args'][0].__name__}, whose text is computed",
            why="a model that stops can tell only what is known before it runs",
            remedy="raise it with a text that is known, or use engine='numpy'",
        )
    name, _, told = message.partition(": ")
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        return known(told)
    if node is not None and node.op == "list_get":
        return IndexError(f"{'tuple' if node.inputs[0].op == 'tuple' else 'list'} index out of range")
    outside = _OUT_OF_BOUNDS.search(text)
    if outside:
        axis = "axis 0" if node is not None and getattr(node.inputs[0].type, "ndim", 0) == 1 else "an axis"
        return IndexError(f"index {outside[1]} is out of bounds for {axis} with size {outside[2]}")
    found = _INVALID.search(text)
    if found:
        return IndexError(f"index {found[1]} is out of bounds")
    if "Out of range value in index tensor" in text:
        return IndexError("an index is out of bounds")
    if "ttempting to broadcast" in text or "Incompatible dimensions" in text:
        return ValueError("operands could not be broadcast together")
    return AutographError(
        f"onnxruntime fails in {'the model' if node is None else node.op}{message and f': {message}'}",
        why=text,
        remedy="give it arguments that fit, or use engine='numpy', whose errors are those of NumPy",
    )


def _received(form: Any, kind: Any, values: Iterator[Any]) -> Any:
    """The value of a type whose tensors and sequences come next, as the embedded graph has it."""
    if isinstance(form, Maybe):
        there, held = bool(next(values)), _received(form.held, kind.held, values)
        return held if there else Missing.VALUE
    if isinstance(kind, MaybeType):
        kind = kind.held
    if isinstance(kind, TupleType):
        return tuple([_received(f, k, values) for f, k in zip(form, kind.parts, strict=True)])
    if not isinstance(kind, ListType):
        return _leaf(next(values), kind)
    if isinstance(form, Columns):
        columns = [
            _received(f, ListType(k), values)
            for f, k in zip(form.parts, kind.element.parts, strict=True)  # type: ignore[union-attr]
        ]
        return list(zip(*columns, strict=True))
    if isinstance(form, Empty):
        return []
    assert isinstance(form, (Items, Value))
    return [_leaf(item, kind.element) for item in next(values)]


def _leaf(value: Any, kind: Any) -> Any:
    if isinstance(kind, ScalarType):
        return kind.python(np.asarray(value).item())
    made = np.array(value, kind.dtype)
    return made.view(kind.dtype)[()]  # onnxruntime has NumPy's other int of 64 bits


_KNOWING = (
    _raise.__code__,
    Draft.argument.__code__,
    Emitter.node.__code__,
    _Program._given.__code__,  # noqa: SLF001
)
"""The code whose frames have the node that raised."""


def engine(graph: Graph, inputs: Any) -> Engine:
    """What runs a graph whose arguments are those of `inputs`."""
    return Engine(graph, given_forms(inputs))
