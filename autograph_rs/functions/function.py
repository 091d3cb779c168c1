"""`function`: trace a Python function into a graph for each signature of its arguments.

The *key* of a trace combines the structure of the arguments with a key for each leaf: dtype and shape for an
array, value and exact type for a Python number or string, identity for any other object. For a method, the
key ends with the identity of the *bound* instance.
"""

from __future__ import annotations

import contextlib
import functools
import html
import inspect
import threading
import weakref
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, overload

from autograph_rs.runtime import staging
from autograph_rs.runtime.backends import BACKENDS
from autograph_rs.runtime.core.annotations import copy_attributes, signature_of
from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import check_bool
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.concrete.tracing import trace
from autograph_rs.runtime.graph.optimise import optimisation_names
from autograph_rs.runtime.graph.state.taped_values import TapedValue, unwrap
from autograph_rs.runtime.graph.state.taping import current_session
from autograph_rs.runtime.graph.tracing.modes import MODES
from autograph_rs.runtime.graph.tracing.specs import Identity, TensorSpec, leaf_key
from autograph_rs.runtime.graph.tracing.tensor import Tensor
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten, unflatten

from ..frameworks.compilers import engine_factory
from ..logging.messages import log_trace
from ..transpiler.default import DEFAULT
from . import retracing, signatures
from .bound_function import BoundFunction
from .captured_constants import CapturedConstants
from .concrete_function import ConcreteFunction
from .fast_path import Args, FastPath, Kwargs, P, R_co, ResolvedCall
from .pickling import PickleSupport

Instance = TypeVar("Instance")
R = TypeVar("R")
Q = ParamSpec("Q")
"""The parameters of a method without the instance."""
_BACKEND = BACKENDS[Tensor]
TRACES_BEFORE_GENERALIZING = 2


class Function(PickleSupport, FastPath[P, R_co]):
    """A callable that caches one `ConcreteFunction` per signature, created by `function` with its options.

    Raises:
        SignatureError: the arguments of a call do not match `input_signature`.
        StagingError: the function uses a staged value in a way that cannot be staged.
        ConversionError: the source of the function is unavailable.
        StateError: the function creates a `Variable` in each call, or, with `check_globals`, a captured
            global has changed.

    >>> import autograph_rs as ag, numpy as np
    >>> double = ag.function(lambda x: x * 2)
    >>> double
    <Function <lambda>(x): not traced yet>
    >>> double(np.array([1, 2])), double(1.5)
    (array([2, 4]), 3.0)
    """

    __name__: str
    retracing_advice = (
        "Pass varying numbers as NumPy numbers, such as np.int64(n), declare varying dimensions with "
        "TensorSpec((None,)) in input_signature or with reduce_retracing=True, and create the function once, "
        "outside of loops"
    )
    can_run_eagerly = True

    @api_boundary
    def __init__(
        self,
        python_function: Callable[P, R_co],
        input_signature: Sequence[Any] | None = None,
        *,
        optimise: bool | Sequence[str] = True,
        reduce_retracing: bool = False,
        check_globals: bool = False,
        source: str | None = None,
        engine: str = "auto",
        fast: bool = False,
        parallel: bool = False,
    ):
        super().__init__()
        self.python_function = python_function
        self.reduce_retracing = check_bool("reduce_retracing", reduce_retracing)
        self.check_globals = check_bool("check_globals", check_globals)
        self._specs = None if input_signature is None else signatures.InputSignature(input_signature)
        self.input_signature = None if self._specs is None else self._specs.structure
        self.optimisations = optimisation_names(optimise)
        self.fast, self.parallel = check_bool("fast", fast), check_bool("parallel", parallel)
        self.engine, self._engine = engine, engine_factory(engine, fast=fast, parallel=parallel)
        self._converted = self._convert(source)
        self._parameters = signature_of(python_function)
        self._traces: dict[Any, ConcreteGraph] = {}
        self._history: list[tuple[list[str], Sequence[Any]]] = []  # leaf names and keys of traces
        self._latest: tuple[list[str], Any] | None = None  # leaf names and keys of the latest trace
        self._captured: CapturedConstants | None = None
        # Bound instances that have been traced; only the first trace may create Variables.
        self._initialized: dict[tuple[Identity, ...], bool] = {}
        self._lock = threading.RLock()
        copy_attributes(self, python_function, updated=())
        self.__name__ = getattr(python_function, "__name__", type(python_function).__name__)

    def _convert(self, source: str | None) -> Callable[..., Any]:
        is_function = isinstance(self.python_function, FastPath)  # as in `grad(function(f))`
        return self.python_function if is_function else DEFAULT.to_graph(self.python_function, source=source)

    @overload  # a class method; mypy does not compare its first parameter if `self` is a `Function`
    def __get__(  # type: ignore[misc] # `self` is narrower than the class on purpose
        self: Callable[Concatenate[type[Any], Q], Any], instance: object, owner: type
    ) -> BoundFunction[Q, R_co]: ...

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(
        self: Callable[Concatenate[Instance, Q], Any], instance: Instance, owner: type | None = None
    ) -> BoundFunction[Q, R_co]: ...

    @overload  # a static method
    def __get__(self, instance: object, owner: type | None = None) -> Self: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    def call_bound(self, bound: Args, args: Args, kwargs: Kwargs, fast_key: Any) -> Any:
        """Call the function. `bound` contains the instance of a method, and is empty for a function."""
        if is_tracing():
            return staging.recursive_callee(self._converted)(*bound, *args, **kwargs)
        if MODES:
            if "eagerly" in MODES and self.can_run_eagerly:
                return self.python_function(*bound, *args, **kwargs)
            session = current_session()
            if session is not None:
                resolve = functools.partial(self.resolve_call, bound=bound)
                return session.call_graph(self.__name__, resolve, args, kwargs)
        leaves, arguments, concrete = self.resolve_call(args, kwargs, bound)
        if not self.check_globals:
            self.cache_fast_path(fast_key, concrete)
        return concrete.run(leaves, arguments)

    @api_boundary
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for these arguments. A `TensorSpec` may stand for an array.

        Without arguments, return the trace for the input signature, if the function has one.

        Raises:
            SignatureError: the arguments do not match the input signature.

        >>> import autograph_rs as ag
        >>> @ag.function
        ... def f(x):
        ...     return x + x
        >>> print(f.get_concrete_function(ag.TensorSpec((None,), "int64")).graph.count("add"))
        1
        """
        return self.concrete_function_for((), args, kwargs)

    def concrete_function_for(self, bound: Args, args: Args, kwargs: Kwargs) -> ConcreteFunction:
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        concrete = self._find_trace(bound, args, kwargs, is_call=False)[2]
        return ConcreteFunction(self.__name__, concrete, self.signature_of(bound), self.engine)

    def pretty_printed_concrete_signatures(self) -> str:
        """Return the signature of each trace, one per line.

        >>> import autograph_rs as ag, numpy as np
        >>> power = ag.function(lambda x, n: x**n)
        >>> power(np.float32(2), 2), power(np.ones(3), 3)
        (np.float32(4.0), array([1., 1., 1.]))
        >>> print(power.pretty_printed_concrete_signatures())
        <lambda>(x: float32[], n=2) -> float32[]
        <lambda>(x: float64[3], n=3) -> float64[3]
        """
        return "\n".join(map(repr, self.traces()))

    def __repr__(self) -> str:
        count = len(self.traces())
        traces = "not traced yet" if not count else "1 trace" if count == 1 else f"{count} traces"
        return f"<Function {self.__name__}{self.signature_of(()) or '(...)'}: {traces}>"

    def _repr_html_(self) -> str:
        traces = "".join(f"<li><code>{html.escape(repr(trace))}</code></li>" for trace in self.traces())
        return f"<div><code>{html.escape(repr(self))}</code><ul>{traces}</ul></div>"

    def traces(self) -> list[ConcreteFunction]:
        """Return the traces, oldest first."""
        return [concrete for _, concrete in self.bound_traces()]

    def bound_traces(self) -> list[tuple[tuple[Identity, ...], ConcreteFunction]]:
        """Return the traces, each with a tuple that contains the `Identity` of its bound instance, if any."""
        distinct = {id(concrete): (key[2:], concrete) for key, concrete in list(self._traces.items())}
        return [
            (bound, ConcreteFunction(self.__name__, concrete, self.signature_of(bound), self.engine))
            for bound, concrete in distinct.values()
        ]

    def resolve_call(self, args: Args, kwargs: Kwargs, bound: Args = ()) -> ResolvedCall:
        """Check captured constants, then return the leaves, arguments and trace of a call."""
        if self._captured is not None:
            self._captured.check(self.__name__)
        return self._find_trace(bound, args, kwargs, is_call=True)

    def _find_trace(self, bound: Args, args: Args, kwargs: Kwargs, *, is_call: bool) -> ResolvedCall:
        if kwargs:
            args, kwargs = self._normalize_arguments(bound, args, kwargs)
        if self._specs is not None:
            leaves = self._specs.checked_leaves(self.__name__, args if not kwargs else (*args, kwargs))
            args = unflatten(self._specs.spec, leaves)
        arguments = (args, kwargs)
        leaves, spec = flatten(arguments, mutable_dataclasses=True)
        leaf_keys = map(leaf_key, leaves if self._specs is None else self._specs.specs)
        trace_key = (spec, tuple(leaf_keys), *map(Identity, bound))
        concrete = self._traces.get(trace_key)
        if concrete is None:
            if any(type(leaf) is TapedValue for leaf in leaves):
                args, kwargs = unflatten(spec, list(map(unwrap, leaves)))
                return self._find_trace(bound, args, kwargs, is_call=is_call)
            with self._lock:
                concrete = self._traces.get(trace_key) or self._create_trace(
                    trace_key, arguments, leaves, bound, is_call
                )
        return leaves, arguments, concrete

    def _normalize_arguments(self, bound: Args, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
        """Pass arguments by position where possible, so that equivalent calls have the same key."""
        signature = self.signature_of(bound)
        if signature is None:
            return args, kwargs
        with contextlib.suppress(TypeError):
            arguments = signature.bind(*args, **kwargs)
            return arguments.args, arguments.kwargs
        self.python_function(*bound, *args, **kwargs)  # raises the usual TypeError, before the body runs
        signature.bind(*args, **kwargs)  # raises if the function accepts more than its signature says
        return args, kwargs

    def signature_of(self, bound: Sequence[Any]) -> inspect.Signature | None:
        """Return the signature without the parameters that `bound` fills."""
        if self._parameters is None:
            return None
        return self._parameters.replace(parameters=list(self._parameters.parameters.values())[len(bound) :])

    def _create_trace(
        self, trace_key: Any, arguments: Any, leaves: list[Any], bound: Args, is_call: bool
    ) -> ConcreteGraph:
        leaf_keys = trace_key[1]
        names = signatures.leaf_names(self.signature_of(bound), *arguments)
        specs = [signatures.spec_of(leaf) for leaf in (leaves if self._specs is None else leaf_keys)]
        run_trace = functools.partial(self._run_trace, bound, arguments, leaf_keys)
        if self.reduce_retracing:
            general_key = self._generalized_key(trace_key)
            if general_key is not None:
                concrete = self._traces.get(general_key)
                if concrete is None:
                    specs = [
                        TensorSpec(k[1], k[0]) if retracing.is_array_key(k) else s
                        for k, s in zip(general_key[1], specs, strict=True)
                    ]
                    concrete = self._cache_trace(general_key, run_trace(specs, names))
                return self._cache_trace(trace_key, concrete)
        if is_call:
            retracing.record_trace(self._history, self.__name__, names, leaf_keys, self.retracing_advice)
        return self._cache_trace(trace_key, run_trace(specs, names))

    def _run_trace(
        self,
        bound: Args,
        arguments: Any,
        leaf_keys: Sequence[Any],
        specs: list[TensorSpec | None],
        names: list[str],
    ) -> ConcreteGraph:
        started = perf_counter()
        converted = functools.partial(self._converted, *bound) if bound else self._converted
        if self.check_globals:
            self._captured = self._captured or CapturedConstants(self.python_function)

        run = functools.partial(
            trace, (self.python_function, *bound), converted, arguments, specs, names, self.__name__,
            _BACKEND,
            optimisations=self.optimisations, engine=self._engine,
        )  # fmt: skip
        owner = tuple(map(Identity, bound))
        tracing = staging.Tracing(DEFAULT.namespace, self.python_function, arguments)
        with signatures.DefaultsGuard(self._parameters), tracing:
            concrete, has_created = run(may_create=owner not in self._initialized)
            if has_created:
                concrete, _ = run(may_create=False)
        if owner not in self._initialized:
            self._initialized[owner] = True
            for instance in bound:
                self._evict_with(instance, "_initialized", owner)
        if self._specs is not None:
            concrete.inputs.forms.clear()
        previous, self._latest = self._latest, (names, leaf_keys)
        log_trace(
            ConcreteFunction(self.__name__, concrete, self.signature_of(bound), self.engine),
            lambda: retracing.retrace_reason(previous, (names, leaf_keys)) if previous else "",
            started,
        )
        return concrete

    def _cache_trace(self, trace_key: Any, concrete: ConcreteGraph) -> ConcreteGraph:
        """Cache a reusable trace until an object in its key is deleted."""
        if not concrete.is_reusable:
            return concrete
        self._traces[trace_key] = concrete
        for part in (*trace_key[1], *trace_key[2:]):
            value = part.get() if isinstance(part, Identity) else None
            if value is not None:
                self._evict_with(value, "_traces", trace_key)
        return concrete

    def _evict_with(self, value: Any, table: str, entry: Any) -> None:
        """Evict an entry from a table of this function when an object is deleted."""
        with contextlib.suppress(TypeError):  # without weak references, the key keeps the object alive
            weakref.finalize(value, _evict, weakref.ref(self), table, entry).atexit = False

    def _generalized_key(self, trace_key: Any) -> Any:
        """Return a key with None for each dimension that varies, or None if too few similar traces exist."""
        spec, leaf_keys, *owner = trace_key
        form = retracing.without_dimensions(leaf_keys)
        cached = list(self._traces)  # a copy, since deleted objects evict their traces
        similar = [
            k for s, k, *o in cached if (s, o) == (spec, owner) and retracing.without_dimensions(k) == form
        ]
        if len(similar) < TRACES_BEFORE_GENERALIZING:
            return None
        return (spec, retracing.generalize([*similar, leaf_keys]), *owner)


def _evict(function: weakref.ref[Any], table: str, entry: Any) -> None:
    owner = function()
    if owner is not None:
        getattr(owner, table).pop(entry, None)
