"""A builder of ONNX models that embeds the transpiler: `if` and `while` become the operators If and Loop.

python -m pip install onnx
python examples/embed_onnx.py

Each branch and loop body is a separate `Graph`, which refers to outer values by name, as in ONNX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import autograph_rs as ag

ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "Div", "matmul": "MatMul"}
COMPARISONS = {"lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}


class Graph:
    """The nodes of one graph, in order. `open_` contains the graphs under construction, outermost first."""

    open_: list[Graph] = []
    numbers = count()

    def __init__(self) -> None:
        self.nodes: list[Any] = []

    @classmethod
    def fresh(cls, stem: str) -> str:
        return f"{stem}_{next(cls.numbers)}"

    @contextmanager
    def building(self) -> Iterator[Graph]:
        self.open_.append(self)
        try:
            yield self
        finally:
            self.open_.pop()

    def closed(
        self, name: str, inputs: Sequence[Value], outputs: Sequence[Value], shape: Sequence[int] | None = None
    ) -> Any:
        """Return the finished ONNX graph, in which each output has a unique name."""

        def described(values: Sequence[Value]) -> list[Any]:
            return [helper.make_tensor_value_info(value.name, value.dtype, shape) for value in values]

        results = [node("Identity", [value], value.dtype, graph=self) for value in outputs]
        return helper.make_graph(self.nodes, name, described(inputs), described(results))


class Value:
    """A tensor that the running model will compute."""

    def __init__(self, name: str, dtype: int):
        self.name, self.dtype = name, dtype

    def __bool__(self) -> bool:
        raise TypeError(f"the truth value of {self.name} is known only when the model runs")

    def __neg__(self) -> Value:
        return node("Neg", [self], self.dtype)


def node(kind: str, inputs: Sequence[Value], dtype: int, *, graph: Graph | None = None) -> Value:
    made = Value(Graph.fresh(kind.lower()), dtype)
    place = graph or Graph.open_[-1]
    place.nodes.append(helper.make_node(kind, [value.name for value in inputs], [made.name]))
    return made


def as_value(given: Any, dtype: int = TensorProto.FLOAT) -> Value:
    if isinstance(given, Value):
        return given
    kind = TensorProto.BOOL if isinstance(given, bool) else dtype
    made = Value(Graph.fresh("constant"), kind)
    array = numpy_helper.from_array(np.array(given, helper.tensor_dtype_to_np_dtype(kind)))
    Graph.open_[-1].nodes.append(helper.make_node("Constant", [], [made.name], value=array))
    return made


for method, kind in {**ARITHMETIC, **COMPARISONS}.items():

    def of_two(a: Value, b: Any, kind: str = kind, method: str = method) -> Value:
        return node(kind, [a, as_value(b, a.dtype)], TensorProto.BOOL if method in COMPARISONS else a.dtype)

    setattr(Value, f"__{method}__", of_two)
    if method in ("add", "mul"):
        setattr(Value, f"__r{method}__", of_two)


def if_stmt(cond, body, orelse, get_state, set_state, names, _outputs):
    if not isinstance(cond, Value):
        (body if cond else orelse)()
        return
    before, graphs, kinds = get_state(), [], []
    for branch in (body, orelse):
        set_state(before)
        with Graph().building() as graph:
            branch()
            left = [as_value(value) for value in get_state()]
            graphs.append(graph.closed(Graph.fresh("branch"), [], left))
        kinds.append([value.dtype for value in left])
    if kinds[0] != kinds[1]:
        raise TypeError(f"the branches leave different types in {', '.join(names)}")
    results = [Value(Graph.fresh("chosen"), dtype) for dtype in kinds[0]]
    if results:
        chosen = [value.name for value in results]
        made = helper.make_node("If", [cond.name], chosen, then_branch=graphs[0], else_branch=graphs[1])
        Graph.open_[-1].nodes.append(made)
    set_state(tuple(results))


def while_stmt(test, body, get_state, set_state, names, _options):
    going = test()
    while not isinstance(going, Value):
        if not going:
            return
        body()
        going = test()
    init = [as_value(value) for value in get_state()]
    with Graph().building() as graph:
        rounds = Value(Graph.fresh("round"), TensorProto.INT64)
        before = Value(Graph.fresh("before"), TensorProto.BOOL)
        carried = [Value(Graph.fresh(name), value.dtype) for name, value in zip(names, init, strict=True)]
        set_state(tuple(carried))
        body()
        left = [as_value(value) for value in get_state()]
        outputs = [test(), *left]
        made = graph.closed(Graph.fresh("body"), [rounds, before, *carried], outputs)
    results = [Value(Graph.fresh("left"), value.dtype) for value in init]
    inputs = ["", going.name, *[value.name for value in init]]
    Graph.open_[-1].nodes.append(helper.make_node("Loop", inputs, [v.name for v in results], body=made))
    set_state(tuple(results))


class Operators:
    if_stmt, while_stmt = staticmethod(if_stmt), staticmethod(while_stmt)

    @staticmethod
    def and_(first, second):
        left = first()
        return node("And", [left, second()], left.dtype) if isinstance(left, Value) else left and second()


TRANSPILER = ag.Transpiler(operators=Operators, name="onnx")


def to_model(function: Callable[..., Any], *names: str, shape: Sequence[int] = ()) -> ModelProto:
    """Build the ONNX model of a function whose arguments and result are float32 tensors of one shape."""
    inputs = [Value(name, TensorProto.FLOAT) for name in names]
    with Graph().building() as graph:
        result = as_value(TRANSPILER.to_graph(function)(*inputs))
        made = graph.closed(function.__name__, inputs, [result], shape)
    model = helper.make_model(made)
    checker.check_model(model)
    return model


def root(a, tolerance):
    """Compute a square root. This function does not mention ONNX."""
    x, step = a, tolerance + 1
    while magnitude(step) > tolerance:
        step = (x * x - a) / (2.0 * x)
        x = x - step
    return x


def magnitude(x):
    if x < 0.0:
        x = -x
    return x


def main() -> None:
    model = to_model(root, "a", "tolerance")
    print("operators:", sorted({made.op_type for made in model.graph.node}))
    program = ReferenceEvaluator(model)
    for number in (2.0, 9.0):
        [result] = program.run(None, {"a": np.float32(number), "tolerance": np.float32(1e-4)})
        print(f"root of {number}: {result:.4f}")


if __name__ == "__main__":
    main()
