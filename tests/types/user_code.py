"""Code of a user, as type checkers see it: the type of each expression, and calls that they must report.

`test_static_types.py` runs mypy and pyright on this file. A comment after `reveal_type` is the type that both
must show, and `# error` marks a line on which both must report an error. The file is never run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Self, TypeVar, reveal_type

import numpy as np
from numpy.typing import NDArray

import autograph_rs as ag
from autograph_rs import converters, runtime, testing

Array = NDArray[np.float64]
T = TypeVar("T")


# Decorators of functions


@ag.convert
def converted(x: int, y: str = "") -> str:
    return y * x


@ag.convert()
def converted_with_call(x: int, *, y: str = "") -> str:
    return y * x


@ag.convert(recursive=False)
def converted_alone(*xs: float, **named: int) -> float:
    return sum(xs) + len(named)


@ag.do_not_convert
def unconverted(x: int) -> int:
    return x


@ag.do_not_convert()
def unconverted_with_call(x: int) -> int:
    return x


@ag.function
def traced(x: int, y: str = "") -> float:
    return len(y) * x / 2


@ag.function()
def traced_with_call(x: int) -> list[int]:
    return [x]


@ag.function(reduce_retracing=True, input_signature=[ag.TensorSpec((None,))])
def traced_with_options(x: Array) -> Array:
    return x


@ag.function(backend="jax")
def compiled(x: int) -> int:
    return x


@ag.convert
async def coroutine(x: int) -> str:
    return str(x)


reveal_type(converted)  # (x: int, y: str = ...) -> str
reveal_type(converted(1))  # str
reveal_type(converted_with_call)  # (x: int, *, y: str = ...) -> str
reveal_type(converted_alone)  # (*xs: float, **named: int) -> float
reveal_type(unconverted)  # (x: int) -> int
reveal_type(unconverted_with_call)  # (x: int) -> int
reveal_type(traced)  # Function[[x: int, y: str = ...], float]
reveal_type(traced(1))  # float
reveal_type(traced_with_call)  # Function[[x: int], list[int]]
reveal_type(traced_with_options(np.ones(2)))  # ndarray[tuple[Any, ...], dtype[float64]]
reveal_type(compiled)  # CompiledFunction[[x: int], int]
reveal_type(compiled(1))  # int
reveal_type(compiled.lower)  # Any
reveal_type(ag.convert(traced))  # Function[[x: int, y: str = ...], float]

converted("a")  # error
converted(1, 2)  # error
converted_with_call(1, "a")  # error
unconverted()  # error
traced("x")  # error
traced()  # error
traced(1, z=2)  # error
compiled("x")  # error
wrong_result: int = traced(1)  # error
traced.to_onnx("file.onnx")  # error


# Decorators of methods


class Model(Generic[T]):
    def __init__(self, weight: T) -> None:
        self.weight = weight

    @ag.function
    def call(self, x: int) -> list[T]:
        return [self.weight] * x

    @ag.function(optimise=False)
    def call_with_options(self, x: int, *, k: float = 1.0) -> T:
        return self.weight

    @ag.convert
    def convert(self, x: int) -> T:
        return self.weight

    @ag.do_not_convert
    def plain(self) -> Self:
        return self

    @ag.function
    def unannotated(self, x):  # type: ignore[no-untyped-def]
        return x

    @staticmethod
    @ag.function
    def static(x: int) -> str:
        return str(x)

    @staticmethod
    @ag.convert
    def static_converted(x: int) -> str:
        return str(x)

    @ag.convert
    @staticmethod
    def converted_static(x: int) -> str:
        return str(x)

    @classmethod
    @ag.function
    def make(cls, x: int) -> str:
        return cls.__name__ * x

    @classmethod
    @ag.convert
    def make_converted(cls, x: int) -> str:
        return cls.__name__ * x

    @ag.convert
    @classmethod
    def converted_make(cls, x: int) -> str:
        return cls.__name__ * x

    @ag.function(backend="torch")
    def compiled(self, x: int) -> T:
        return self.weight

    @property
    @ag.convert
    def size(self) -> int:
        return 1

    @ag.function
    def __call__(self, x: T) -> list[T]:
        return [x]


class Larger(Model[float]):
    def both(self) -> float:
        reveal_type(super().call(1))  # list[float]
        return self.convert(1)


model = Larger(1.0)
reveal_type(model.call)  # BoundFunction[[x: int], list[float]]
reveal_type(model.call(1))  # list[float]
reveal_type(Larger.call(model, 1))  # list[float]
reveal_type(model.call_with_options)  # BoundFunction[[x: int, *, k: float = ...], float]
reveal_type(model.convert)  # (x: int) -> float
reveal_type(model.plain())  # Larger
reveal_type(model.unannotated(1))  # Any
reveal_type(model.static)  # Function[[x: int], str]
reveal_type(Larger.static(1))  # str
reveal_type(model.static_converted)  # (x: int) -> str
reveal_type(Larger.converted_static)  # (x: int) -> str
reveal_type(model.make)  # BoundFunction[[x: int], str]
reveal_type(Larger.make(1))  # str
reveal_type(Larger.make_converted)  # (x: int) -> str
reveal_type(Larger.converted_make(1))  # str
reveal_type(model.compiled)  # CompiledFunction[[x: int], float]
reveal_type(model.size)  # int
reveal_type(model(2.0))  # list[float]
reveal_type(ag.convert(model.convert))  # (x: int) -> float
reveal_type(ag.function(model.convert))  # Function[[x: int], float]

model.call("a")  # error
model.call(1, 2)  # error
model.convert()  # error
model.static("a")  # error
Larger.make("a")  # error
Larger.converted_static("a")  # error
model("a")  # error


# Traces


trace = traced.get_concrete_function(1)
reveal_type(trace)  # ConcreteFunction
reveal_type(trace.graph)  # Graph
reveal_type(trace.graph.count("add"))  # int
reveal_type(trace.python_source)  # str
reveal_type(trace.variables)  # tuple[Variable, ...]
reveal_type(trace.structured_input_signature)  # tuple[tuple[Any, ...], dict[str, Any]]
reveal_type(traced.traces())  # list[ConcreteFunction]
reveal_type(model.call.get_concrete_function(1))  # ConcreteFunction
reveal_type(model.call.traces())  # list[ConcreteFunction]
reveal_type(traced.python_function)  # (x: int, y: str = ...) -> float
annotated: ag.Function[[int], int] = ag.function(unconverted)
as_callable: Callable[[int], int] = annotated

traced.traces().graph  # error
trace.to_onnx(1)  # error


# Gradients


def loss(w: Array, x: float, n: int = 2) -> float:
    return float(np.sum(w)) * x**n


def loss_and_name(w: Array, x: float) -> tuple[float, str]:
    return loss(w, x), "loss"


w = np.ones(3)
reveal_type(ag.grad(loss)(w, 1.0))  # Any
reveal_type(ag.grad(loss, (0, 1))(w, 1.0))  # tuple[Any, ...]
reveal_type(ag.grad(loss_and_name, has_aux=True)(w, 1.0))  # tuple[Any, str]
reveal_type(ag.grad(traced))  # Function[[x: int, y: str = ...], Any]
reveal_type(ag.value_and_grad(loss)(w, 1.0))  # tuple[float, Any]
reveal_type(ag.value_and_grad(loss, [0])(w, 1.0))  # tuple[float, tuple[Any, ...]]
reveal_type(ag.value_and_grad(loss_and_name, has_aux=True)(w, 1.0))  # tuple[tuple[float, str], Any]
reveal_type(ag.vjp(loss, w, 1.0))  # tuple[float, (float) -> tuple[Any, ...]]
reveal_type(ag.grad(model.call_with_options))  # Function[[x: int, *, k: float = ...], Any]
with ag.GradientTape() as tape:
    reveal_type(tape)  # GradientTape

ag.grad(loss)("a", 1.0)  # error
ag.grad(loss)(w)  # error
ag.grad(loss, "x")  # error
ag.grad(loss, has_aux=True)  # error
ag.grad(loss, (0, 1), wrt=ag.Variable(1.0))  # error
ag.value_and_grad(loss)(w, 1.0, 2, 3)  # error
ag.vjp(loss, w, "a")  # error


# The other functions and classes


reveal_type(ag.to_graph(loss)(w, 1.0))  # float
reveal_type(ag.to_code(loss))  # str
reveal_type(ag.Transpiler().convert(unconverted))  # (x: int) -> int
reveal_type(ag.Transpiler().to_graph(unconverted))  # (x: int) -> int
reveal_type(ag.load("file.json"))  # LoadedFunction
reveal_type(ag.load("file.json").graph)  # Graph
reveal_type(ag.explain(loss, w, 1.0))  # Report
reveal_type(ag.Variable(1.0).assign_add(2.0))  # Variable
reveal_type(ag.TensorSpec((None,)).shape)  # tuple[int | None, ...]
reveal_type(ag.convert_module(model))  # Larger
reveal_type(runtime.not_)  # (a: Any) -> Any
reveal_type(runtime.nothing)  # () -> None
reveal_type(runtime.is_staging())  # bool
reveal_type(converters.FEATURES)  # dict[str, type[Rewriter] | None]
reveal_type(converters.PIPELINE)  # tuple[type[Pass], ...]
reveal_type(testing.all_samples())  # tuple[Sample, ...]


@testing.samples((1,), (2,))
def sample(x: int) -> int:
    return x


reveal_type(sample)  # (x: int) -> int
with ag.do_not_convert():
    pass
reveal_type(ag.do_not_convert(np).__name__)  # str
try:
    ag.save(traced, "file.json")
except ag.SaveError as error:
    reveal_type(error.why)  # str

ag.convert(3)  # error
ag.convert(loss, recursiv=True)  # error
ag.to_graph()  # error
ag.to_code(3)  # error
ag.do_not_convert(1)  # error
ag.function(loss, optimize=True)  # error
ag.function(loss, engine="cuda")  # error
ag.function(loss, backend="mxnet")  # error
ag.function(loss, backend="jax", engine="numpy")  # error
ag.function(loss, reduce_retracing="yes")  # error
ag.save(loss, "file.json")  # error
ag.load(1)  # error
ag.explain(1)  # error
ag.Variable()  # error
ag.TensorSpec("float64")  # error
ag.set_verbosity("high")  # error
ag.register_backend(3)  # error
ag.Transpiler(recursive="no")  # error
ag.convrt(loss)  # error
