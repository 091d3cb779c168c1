"""`function`: a Python function, traced into a graph for each signature of its arguments.

The *key* of a trace is made of the arguments' structure and of a key for each leaf: dtype and shape for
an array, value and exact type for a Python number or text, identity for any other object.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from autograph_rs.runtime.backends import BACKENDS
from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import OptionError, checked_truth
from autograph_rs.runtime.graph.concrete import ConcreteGraph, trace
from autograph_rs.runtime.graph.modes import MODES
from autograph_rs.runtime.graph.optimise import chosen
from autograph_rs.runtime.graph.specs import Identity, TensorSpec, key
from autograph_rs.runtime.graph.staged import Tensor
from autograph_rs.runtime.graph.taping import session
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.structures import flatten, unflatten
from autograph_rs.runtime.tracebacks import strip, user_stacklevel

from . import signatures
from .api import DEFAULT
from .bound import BoundFunction
from .compilers import compiled
from .concrete import ConcreteFunction
from .direct import Direct, forget
from .engines import chosen_engine
from .frozen import Frozen
from .gradients.taped import Taped, untaped
from .pickling import ByName
from .shown import Shown
from .telling import now, tell_trace

_BACKEND = BACKENDS[Tensor]
MAX_RETRACES = 5
TRACES_BEFORE_GENERAL = 2


class RetraceWarning(UserWarning):
    """A function is traced again and again, which costs more than it gains."""


class Function(ByName, Shown, Direct):
    """A callable that keeps one `ConcreteFunction` per signature; `function` makes it.

    Args:
        python_function: a function, method or callable object.
        input_signature: a `TensorSpec` for each array argument, in the structure of the arguments.
        optimise: whether to optimise the graphs, or the names of the optimisations to use.
        reduce_retracing: trace for unknown lengths when arrays of several lengths have come.
        check_globals: raise when a global that is part of the graph has changed since.
        source: the text of the function, where it cannot be read.
        engine: who runs the graphs, "numpy", "jax" or "onnxruntime".

    Raises:
        SignatureError: a call's arguments do not fit `input_signature`.
        StagingError: the function does to a staged value what cannot be staged.
        ConversionError: the source of the function cannot be had.
        StateError: it makes a `Variable` at each call, or with `check_globals` a global has changed.

    >>> import autograph_rs as ag, numpy as np
    >>> double = ag.function(lambda x: x * 2)
    >>> double(np.array([1, 2])), double(1.5)
    (array([2, 4]), 3.0)
    """

    __name__: str
    remedy_of_retraces = (
        "Give numbers that change as arrays, lengths as TensorSpec((None,)) in input_signature or with "
        "reduce_retracing=True, and make the function once, not in a loop"
    )
    runs_eagerly = True  # where all functions do

    @public
    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Sequence[Any] | None = None,
        *,
        optimise: bool | Sequence[str] = True,
        reduce_retracing: bool = False,
        check_globals: bool = False,
        source: str | None = None,
        engine: str = "numpy",
    ):
        super().__init__()
        self.python_function = python_function
        self.reduce_retracing = checked_truth("reduce_retracing", reduce_retracing)
        self.check_globals = checked_truth("check_globals", check_globals)
        self._specs = None if input_signature is None else signatures.InputSignature(input_signature)
        self.input_signature = None if self._specs is None else self._specs.structure
        self.optimisations = chosen(optimise)
        self.engine, self._engine = engine, chosen_engine(engine)
        self._converted = self._to_graph(source)
        self._parameters = signatures.parameters_of(python_function)
        self._traces: dict[Any, ConcreteGraph] = {}
        self._keys: list[tuple[list[str], list[Any]]] = []
        self._last: Any = None  # names and keys of the latest trace
        self._frozen: Frozen | None = None
        self._called: dict[tuple[Identity, ...], bool] = {}
        self._warned = False
        self._lock = threading.RLock()
        functools.update_wrapper(self, python_function, updated=())
        self.__name__ = getattr(python_function, "__name__", type(python_function).__name__)

    def _to_graph(self, source: str | None) -> Callable[..., Any]:
        made: Callable[..., Any] = DEFAULT.to_graph(self.python_function, source=source)
        return made

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    def call_bound(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], quick: Any
    ) -> Any:
        """Call with `bound`, the instance of a method or nothing, before the arguments."""
        if is_tracing():
            return self._converted(*bound, *args, **kwargs)
        if MODES:
            if "eagerly" in MODES and self.runs_eagerly:
                return self.python_function(*bound, *args, **kwargs)
            now = session()
            if now is not None:
                find = functools.partial(self.concrete_for, bound)
                return now.call_function(self.__name__, find, args, kwargs)
        leaves, arguments, concrete = self.concrete_for(bound, args, kwargs)
        if self._specs is None and not self.check_globals:
            self.keep_direct(quick, concrete)
        return concrete.run(leaves, arguments)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments; arrays may be given as `TensorSpec`.

        Without arguments, the trace for the input signature, if the function has one.

        Raises:
            SignatureError: the arguments do not fit the input signature.

        >>> import autograph_rs as ag
        >>> @ag.function
        ... def f(x):
        ...     return x + x
        >>> print(f.get_concrete_function(ag.TensorSpec((None,), "int64")).graph.count("add"))
        1
        """
        try:
            return self.concrete_bound((), args, kwargs)
        except BaseException as error:
            strip(error)
            raise

    def concrete_bound(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> ConcreteFunction:
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        concrete = self._concrete(bound, args, kwargs, by_call=False)[2]
        return ConcreteFunction(self.__name__, concrete, self.signature_of(bound))

    def pretty_printed_concrete_signatures(self) -> str:
        """Every trace in a line: the arguments with dtype and shape, or value, and the result.

        >>> import autograph_rs as ag, numpy as np
        >>> power = ag.function(lambda x, n: x**n)
        >>> power(np.float32(2), 2), power(np.ones(3), 3)
        (np.float32(4.0), array([1., 1., 1.]))
        >>> print(power.pretty_printed_concrete_signatures())
        <lambda>(x: float32[], n=2) -> float32[]
        <lambda>(x: float64[3], n=3) -> float64[3]
        """
        return "\n".join(repr(concrete) for concrete in self.traces())

    # Traces

    def traces(self) -> list[ConcreteFunction]:
        """The traces so far, oldest first."""
        return [concrete for _, concrete in self.owned_traces()]

    def owned_traces(self) -> list[tuple[tuple[Identity, ...], ConcreteFunction]]:
        """The traces, each with the instance of whose method it is, or nothing."""
        distinct = {id(concrete): (full[2:], concrete) for full, concrete in list(self._traces.items())}
        return [
            (owner, ConcreteFunction(self.__name__, concrete, self.signature_of(owner)))
            for owner, concrete in distinct.values()
        ]

    def concrete_for(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], Any, ConcreteGraph]:
        """The leaves of a call, its arguments and its trace, for one that runs that by itself."""
        if self._frozen is not None:
            self._frozen.check(self.__name__)
        return self._concrete(bound, args, kwargs, by_call=True)

    def _concrete(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], *, by_call: bool
    ) -> tuple[list[Any], Any, ConcreteGraph]:
        """The leaves of a call, its arguments and its trace."""
        if kwargs:
            args, kwargs = self._positional(bound, args, kwargs)
        if self._specs is not None:
            fitted = self._specs.fitted(self.__name__, args if not kwargs else (*args, kwargs))
            args = unflatten(self._specs.spec, fitted)
        arguments = (args, kwargs)
        leaves, spec = flatten(arguments, changeable=True)
        keys = map(key, leaves if self._specs is None else self._specs.specs)
        full = (spec, tuple(keys), *map(Identity, bound))
        concrete = self._traces.get(full)
        if concrete is None:
            if any(type(leaf) is Taped for leaf in leaves):
                args, kwargs = unflatten(spec, list(map(untaped, leaves)))
                return self._concrete(bound, args, kwargs, by_call=by_call)
            with self._lock:
                concrete = self._traces.get(full) or self._trace(full, arguments, leaves, bound, by_call)
        return leaves, arguments, concrete

    def _positional(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments by position where they can be, so that a call has one key however it is written."""
        signature = self.signature_of(bound)
        if signature is None:
            return args, kwargs
        with contextlib.suppress(TypeError):
            found = signature.bind(*args, **kwargs)
            return found.args, found.kwargs
        self.python_function(*bound, *args, **kwargs)  # raises as Python does, before it runs
        signature.bind(*args, **kwargs)  # or else as its signature does
        return args, kwargs

    def signature_of(self, bound: Sequence[Any]) -> inspect.Signature | None:
        """The parameters that a call gives: those after the instance, if there is one."""
        if self._parameters is None:
            return None
        return self._parameters.replace(parameters=list(self._parameters.parameters.values())[len(bound) :])

    def _trace(
        self, full: Any, arguments: Any, leaves: list[Any], bound: tuple[Any, ...], by_call: bool
    ) -> ConcreteGraph:
        keys = full[1]
        names = signatures.leaf_names(self.signature_of(bound), *arguments)
        specs = [signatures.spec_of(leaf) for leaf in (leaves if self._specs is None else keys)]
        traced = functools.partial(self._traced, bound, arguments, keys)
        if self.reduce_retracing:
            general = self._general(full)
            if general is not None:
                if general in self._traces:
                    return self._kept(full, self._traces[general])
                specs = [
                    TensorSpec(k[1], k[0]) if signatures.is_array_key(k) else s
                    for k, s in zip(general[1], specs, strict=True)
                ]
                return self._kept(full, self._kept(general, traced(specs, names)))
        if by_call:
            self._warn_of_retraces(names, list(keys))
        return self._kept(full, traced(specs, names))

    def _traced(
        self,
        bound: tuple[Any, ...],
        arguments: Any,
        keys: Sequence[Any],
        specs: list[TensorSpec | None],
        names: list[str],
    ) -> ConcreteGraph:
        started = now()
        converted = functools.partial(self._converted, *bound) if bound else self._converted
        if self.check_globals:
            self._frozen = self._frozen or Frozen(self.python_function)

        again = functools.partial(
            trace, converted, arguments, specs, names, self.__name__, _BACKEND,
            optimisations=self.optimisations, engine=self._engine,
        )  # fmt: skip
        owner = tuple(map(Identity, bound))
        with signatures.Defaults(self._parameters):
            concrete, created = again(may_create=owner not in self._called)
            if created:
                concrete, _ = again(may_create=False)
        if owner not in self._called:
            self._called[owner] = True
            for instance in bound:
                self._at_death_of(instance, "_called", owner)
        if self._specs is not None:
            concrete.inputs.forms.clear()
        made = ConcreteFunction(self.__name__, concrete, self.signature_of(bound))
        tell_trace(made, names, keys, self._last, started)
        self._last = names, keys
        return concrete

    def _kept(self, full: Any, concrete: ConcreteGraph) -> ConcreteGraph:
        """Keep a trace that lasts, until an object dies that is part of its key."""
        if not concrete.lasts:
            return concrete
        self._traces[full] = concrete
        for part in (*full[1], *full[2:]):
            alive = part.get() if isinstance(part, Identity) else None
            if alive is not None:
                self._at_death_of(alive, "_traces", full)
        return concrete

    def _at_death_of(self, value: Any, table: str, known: Any) -> None:
        """Forget what is known of an object when that dies."""
        with contextlib.suppress(TypeError):  # the key itself keeps it alive
            weakref.finalize(value, forget, weakref.ref(self), table, known).atexit = False

    def _general(self, full: Any) -> Any:
        """The key of the trace that does for all lengths of arrays that have come, if there were several."""
        spec, keys, *owner = full
        like = signatures.ranks(keys)
        kept = list(self._traces)  # objects may die, and take theirs away
        seen = [k for s, k, *o in kept if (s, o) == (spec, owner) and signatures.ranks(k) == like]
        if len(seen) < TRACES_BEFORE_GENERAL:
            return None
        return (spec, tuple(signatures.generalised([*seen, keys])), *owner)

    def _warn_of_retraces(self, names: list[str], keys: list[Any]) -> None:
        if self._warned:
            return
        self._keys.append((names, keys))
        if len(self._keys) <= MAX_RETRACES + 1:
            return
        self._warned = True
        changed = signatures.changed_arguments(names, self._keys)
        warnings.warn(
            f"{self.__name__} has been traced {len(self._keys)} times: "
            f"{'; '.join(changed) or 'the structure of its arguments differs'}. {self.remedy_of_retraces}",
            RetraceWarning,
            stacklevel=user_stacklevel(),
        )


@public
def function(
    f: Callable[..., Any] | None = None,
    *,
    input_signature: Sequence[Any] | None = None,
    optimise: bool | Sequence[str] = True,
    reduce_retracing: bool = False,
    check_globals: bool = False,
    source: str | None = None,
    backend: str = "graph",
    engine: str = "numpy",
) -> Any:
    """Trace a function into a graph over NumPy, once for each signature, and run the graph.

    Args:
        f: a function, method or callable object; without one, a decorator is returned.
        input_signature: a `TensorSpec` for each argument; all calls share one trace.
        optimise: False runs the graph as it was traced; a tuple of names uses these optimisations only.
        reduce_retracing: trace for unknown lengths when arrays of several lengths have come.
        check_globals: raise when a global that is part of the graph has changed since.
        source: the text of `f`, where it cannot be read.
        backend: "jax", "tensorflow" or "torch" gives the converted function to `jax.jit`, `tf.function` or
            `torch.compile` instead, which have options of their own.
        engine: who runs the graphs, as NumPy would or by an error: "numpy", "jax" (XLA) or "onnxruntime".

    Raises:
        ArgumentError: `f` is no Python callable, or an option is of another kind.
        OptionError: there is no such backend, engine or optimisation, or another option does not go with it.
        MissingFrameworkError: the framework is not installed.

    Arrays and NumPy scalars are staged, every other argument is part of the signature. The result has
    the structure that `f` gives it, with arrays and scalars at run time in the place of staged values.

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
    }  # fmt: skip
    if f is None:
        return functools.partial(function, source=source, backend=backend, **options)
    if backend == "graph":
        return Function(f, source=source, **options)
    if list(options.values()) != [None, True, False, False, "numpy"]:
        raise OptionError(
            f"the options of the embedded graph do not go with backend={backend!r}",
            why="they say how our graphs are traced and made; a framework's compiler has options of its own",
            remedy="leave them out, or give ag.convert(f) to the framework's compiler with its options",
        )
    return compiled(DEFAULT.convert(f, source=source), backend)
