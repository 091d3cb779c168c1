"""The "onnxruntime" engine of `function`, which runs graphs as ONNX models.

The first call builds the model. Its inputs are the graph's arguments and `alive`, which is always true.
Optimizers do not know that, so they cannot evaluate a failing check before the model runs. Its outputs are
the results and the token of the checks.
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

from ...core.closures import nothing
from ...errors import AutographError, SaveError
from ...graph.ir.graph import Graph, Missing, Node
from ...graph.ir.types import ListType, OptionalType, ScalarType, TupleType, bound_type
from .builder import unsupported
from .builder.builder import BOOL, Model, Value, value_info
from .builder.values import Columns, Empty, Items, Maybe, coerce, flatten
from .emitter import Emitter
from .model import ModelDraft
from .zero_dim_results import argument_forms, array_results

_OUT_OF_BOUNDS = re.compile(r"out of data bounds, idx=(-?\d+) must be within the inclusive range \[-(\d+)")
_INVALID = re.compile(r"invalid ind\w+ found, ind\w+ = (-?\d+)")


class Engine:
    """Run one graph in onnxruntime. `forms` maps each 0-d argument to whether it is an array, if known."""

    def __init__(self, graph: Graph, forms: dict[int, bool]):
        self.graph = graph
        self.function = self.run
        self.on_change = nothing
        self._arguments = {node: i for i, node in enumerate(graph.arguments)}
        self._arrays = array_results(graph, forms)
        self._lock = threading.Lock()
        self._program: Program | None = None

    def run(self, *arrays: Any) -> tuple[Any, ...]:
        with self._lock:
            if self._program is None:
                self._program = Program(self.graph)
        values = self._program(arrays)
        result: dict[Node, Any] = {}
        for value, node, is_array in zip(values, self.graph.results, self._arrays, strict=True):
            if node in self._arguments:
                result[node] = arrays[self._arguments[node]]
            elif node not in result:
                result[node] = np.array(value, node.type.dtype) if is_array else value
        return tuple([result[node] for node in self.graph.results])

    def node_at(self, traceback: TracebackType | None) -> Node | None:
        """Return the node that raised, given the error's traceback. A composition counts as one node."""
        match = None
        while traceback is not None and traceback.tb_frame.f_code is not Emitter.emit_composition.__code__:
            if traceback.tb_frame.f_code in NODE_FRAMES:
                match = traceback.tb_frame.f_locals["node"]
            traceback = traceback.tb_next
        return match


class Program(ModelDraft):
    """A graph's model, loaded by onnxruntime. Calling it returns a value for each of the graph's results."""

    def __init__(self, graph: Graph):
        super().__init__(graph, Model())
        try:
            model = self._build()
        except SaveError as error:
            unsupported.reword_for_engine(error)
            raise
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # errors are raised, so do not log them to stderr
        # If several operators would fail, the error that Python would raise first must be raised.
        options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED
        try:
            self._session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - its errors have no class of their own
            self._fail(error)
        self._input_names = [i.name for i in self._session.get_inputs()]

    def _build(self) -> Any:
        b = self.b
        for n, node in enumerate(self.graph.arguments):
            self.add_input(node, self.model.fresh(f"argument_{n}"))
        b.alive = Value(self.model.fresh("alive"), BOOL, 0)
        self.inputs.append(value_info(b.alive, b.alive.name))
        results = self.emitter.graph(self.graph)
        self._structures = [
            self._add_result(v, node) for v, node in zip(results, self.graph.results, strict=True)
        ]
        self.add_output(self.model.fresh("checked"), b.token, [None])
        return self.proto()

    def _add_result(self, value: Any, node: Node) -> Any:
        """Add outputs for the tensors and sequences of a result."""
        self.b.current_node = node
        result = coerce(self.b, value, node.type)
        for part in flatten(result):
            self.add_output(self.model.fresh("result"), part, [None] * part.ndim)
        return result

    def __call__(self, arrays: tuple[Any, ...]) -> list[Any]:
        feeds = [np.asarray(array) for array in (*arrays, True)]
        feeds = [array.astype(object) if array.dtype.kind == "U" else array for array in feeds]
        try:
            values = iter(self._session.run(None, dict(zip(self._input_names, feeds, strict=True))))
        except Exception as error:  # noqa: BLE001 - its errors have no class of their own
            self._fail(error)
        return [
            read_result(form, node.type, values)
            for form, node in zip(self._structures, self.graph.results, strict=True)
        ]

    def _fail(self, error: Exception) -> None:
        """Raise the exception that the user's program would raise, given an error of onnxruntime."""
        text = str(error)
        named = {text.rfind(f"Name:'{label}'"): label for label in self.model.origins}
        last = max(named, default=-1)  # earlier ones are the enclosing loops and conditionals
        node, message = self.model.origins[named[last]] if last >= 0 else (None, "")
        raise_from(python_error(text, node, message), node, error)


def raise_from(raised: BaseException, node: Node | None, cause: Exception) -> None:
    raise raised from (cause if isinstance(raised, AutographError) else None)


def python_error(text: str, node: Node | None, message: str) -> BaseException:
    """Return the exception that the program would raise, or an AutographError if it is unknown."""
    if node is not None and node.op == "raise":
        if not node.inputs:
            result: BaseException = node.attrs["function"](*node.attrs["args"])
            return result
        return AutographError(
            f"the program raises {node.attrs['args'][0].__name__} with a computed message",
            why="a failing model can only report a message that is known before it runs",
            remedy="raise it with a constant message, or use engine='numpy'",
        )
    name, _, detail = message.partition(": ")
    exception_type = getattr(builtins, name, None)
    if isinstance(exception_type, type) and issubclass(exception_type, Exception):
        return exception_type(detail)
    if node is not None and node.op == "list_get":
        return IndexError(f"{'tuple' if node.inputs[0].op == 'tuple' else 'list'} index out of range")
    if outside := _OUT_OF_BOUNDS.search(text):
        axis = "axis 0" if node is not None and getattr(node.inputs[0].type, "ndim", 0) == 1 else "an axis"
        return IndexError(f"index {outside[1]} is out of bounds for {axis} with size {outside[2]}")
    if match := _INVALID.search(text):
        return IndexError(f"index {match[1]} is out of bounds")
    if "Out of range value in index tensor" in text:
        return IndexError("an index is out of bounds")
    if "ttempting to broadcast" in text or "Incompatible dimensions" in text:
        return ValueError("operands could not be broadcast together")
    return AutographError(
        f"onnxruntime failed in {'the model' if node is None else node.op}{message and f': {message}'}",
        why=text,
        remedy="check the arguments, or use engine='numpy', which raises NumPy's errors",
    )


def read_result(form: Any, kind: Any, values: Iterator[Any]) -> Any:
    """Build a value of type `kind` from the next tensors and sequences."""
    if isinstance(form, Maybe):
        is_bound, value = bool(next(values)), read_result(form.held, kind.held, values)
        return value if is_bound else None if isinstance(kind, OptionalType) else Missing.VALUE
    kind = bound_type(kind)
    if isinstance(kind, TupleType):
        return tuple([read_result(f, k, values) for f, k in zip(form, kind.parts, strict=True)])
    if not isinstance(kind, ListType):
        return read_leaf(next(values), kind)
    if isinstance(form, Columns):
        columns = [
            read_result(f, ListType(k), values)
            for f, k in zip(form.parts, kind.element.parts, strict=True)  # type: ignore[union-attr]
        ]
        return list(zip(*columns, strict=True))
    if isinstance(form, Empty):
        return []
    assert isinstance(form, (Items, Value))
    return [read_leaf(item, kind.element) for item in next(values)]


def read_leaf(value: Any, kind: Any) -> Any:
    if isinstance(kind, ScalarType):
        return kind.python(np.asarray(value).item())
    result = np.array(value, kind.dtype)
    return result.view(kind.dtype)[()]  # onnxruntime may return NumPy's other 64-bit int type


NODE_FRAMES = (
    raise_from.__code__,
    ModelDraft.add_argument.__code__,
    Emitter.node.__code__,
    Program._add_result.__code__,  # noqa: SLF001
)
"""Code objects whose frames have the failing node in the local variable `node`."""


def engine(graph: Graph, inputs: Any) -> Engine:
    """Return the engine for a graph. `inputs` describes its arguments."""
    return Engine(graph, argument_forms(inputs))
