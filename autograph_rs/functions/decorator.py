"""`function`, the decorator that creates a `Function`, or compiles with a framework instead."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, Literal, Self, TypedDict, Unpack, overload

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import OptionError

from ..frameworks.compilers import compile_for
from ..transpiler.default import DEFAULT
from .fast_path import P, R_co
from .function import Function, Instance, Q, R

Framework = Literal["jax", "tensorflow", "torch"]


class Options(TypedDict, total=False):
    """The options of `function` for the embedded graph."""

    input_signature: Sequence[Any] | None
    optimise: bool | Sequence[str]
    reduce_retracing: bool
    check_globals: bool
    source: str | None
    backend: Literal["graph"]
    engine: Literal["auto", "native", "numpy", "onnxruntime"]
    fast: bool
    parallel: bool


class CompiledFunction(ABC, Generic[P, R_co]):
    """The static type of what a framework compiles. Attributes are the framework's own, of any type.

    It is no Protocol, because pyright does not bind the instance to one that a class contains.
    """

    @abstractmethod
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload  # a class method, as for `Function`
    def __get__(  # type: ignore[misc]
        self: Callable[Concatenate[type[Any], Q], Any], instance: object, owner: type
    ) -> CompiledFunction[Q, R_co]: ...

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(
        self: Callable[Concatenate[Instance, Q], Any], instance: Instance, owner: type | None = None
    ) -> CompiledFunction[Q, R_co]: ...

    @overload  # a static method
    def __get__(self, instance: object, owner: type | None = None) -> Self: ...

    @abstractmethod
    def __get__(self, instance: Any, owner: type | None = None) -> Any: ...

    @abstractmethod
    def __getattr__(self, name: str) -> Any: ...


@overload
def function(f: Callable[P, R], **options: Unpack[Options]) -> Function[P, R]: ...


@overload
def function(f: None = None, **options: Unpack[Options]) -> Callable[[Callable[P, R]], Function[P, R]]: ...


@overload
def function(
    f: Callable[P, R], *, backend: Framework, source: str | None = None
) -> CompiledFunction[P, R]: ...


@overload
def function(
    f: None = None, *, backend: Framework, source: str | None = None
) -> Callable[[Callable[P, R]], CompiledFunction[P, R]]: ...


@api_boundary
def function(
    f: Callable[..., Any] | None = None,
    *,
    input_signature: Sequence[Any] | None = None,
    optimise: bool | Sequence[str] = True,
    reduce_retracing: bool = False,
    check_globals: bool = False,
    source: str | None = None,
    backend: str = "graph",
    engine: str = "auto",
    fast: bool = False,
    parallel: bool = False,
) -> Any:
    """Trace a function into a graph of NumPy operations, once for each signature, and run the graph.

    Args:
        f: a function, method or callable object. If it is omitted, the result is a decorator.
        input_signature: a `TensorSpec` for each argument, so that all calls share one trace.
        optimise: False runs the graph as traced; a tuple of names enables only these optimizations.
        reduce_retracing: trace with unknown dimensions once arrays of several shapes have been passed.
        check_globals: raise an error if a global that the graph captured has changed.
        source: the source of `f`, if it cannot be read from its file.
        backend: "jax", "tensorflow" or "torch" passes the converted function to `jax.jit`, `tf.function` or
            `torch.compile` instead.
        engine: what runs the graphs. "numpy" calls NumPy's functions. "auto" also compiles loops to machine
            code once they have taken a few milliseconds, in the background, if llvmlite is installed.
            "native" compiles them before the first call. "onnxruntime" runs the graph as an ONNX model.
            Results match those of NumPy; an engine that cannot reproduce them raises an error.
            `engine_report` of a `ConcreteFunction` says what became of each loop.
        fast: let machine code round floats in another way than NumPy, and not warn of overflow.
        parallel: run independent iterations of a compiled loop on several cores.

    Raises:
        ArgumentError: `f` is not a Python callable, or an option has the wrong type.
        OptionError: a backend, engine or optimization is unknown, or an option does not apply to the backend.
        MissingFrameworkError: the framework is not installed.

    Arrays and NumPy scalars are staged; every other argument is part of the signature. The result has the
    structure that `f` returns, with arrays and NumPy scalars in place of staged values.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def shrink(x):
    ...     while np.sum(x) > 1:
    ...         x = np.tanh(x)
    ...     return x
    >>> float(shrink(np.array([1.0, 2.0])).sum()) <= 1
    True
    """
    options: dict[str, Any] = {
        "input_signature": input_signature, "optimise": optimise,
        "reduce_retracing": reduce_retracing, "check_globals": check_globals, "engine": engine,
        "fast": fast, "parallel": parallel,
    }  # fmt: skip
    if f is None:
        return functools.partial(function, source=source, backend=backend, **options)
    if backend == "graph":
        return Function(f, source=source, **options)
    if list(options.values()) != [None, True, False, False, "auto", False, False]:
        raise OptionError(
            f"an option for the embedded graph was passed with backend={backend!r}",
            why="a framework's compiler does its own tracing and has its own options",
            remedy="remove the option, or pass ag.convert(f) to the framework's compiler with its options",
        )
    return compile_for(DEFAULT.convert(f, source=source), backend)
