"""`function`: a Python function, traced into a graph for each signature of its arguments.

The *key* of a trace is made of the arguments' structure and of a key for each leaf: dtype and shape for
an array, value and exact type for a Python scalar, identity for any other object.
"""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_rs.runtime.backends import BACKENDS
from autograph_rs.runtime.errors import SignatureError
from autograph_rs.runtime.graph.concrete import ConcreteFunction, array_type, trace
from autograph_rs.runtime.graph.optimise import chosen
from autograph_rs.runtime.graph.staged import Staged, Tensor
from autograph_rs.runtime.graph.types import ArrayType
from autograph_rs.runtime.structures import flatten, paths
from autograph_rs.runtime.tracebacks import strip

from .api import DEFAULT

_BACKEND = BACKENDS[Tensor]


class TensorSpec:
    """The shape and dtype of an argument.

    Args:
        shape: a tuple of lengths; None is a length that is known only at run time.
        dtype: anything that `numpy.dtype` takes.

    >>> TensorSpec((None, 3), "float32")
    TensorSpec((None, 3), float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Sequence[int | None], dtype: Any = np.float64):
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)

    def __repr__(self) -> str:
        return f"TensorSpec({self.shape}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def admits(self, value: Any) -> bool:
        kind = array_type(value)
        if kind is None or kind.dtype != self.dtype or len(kind.shape) != len(self.shape):
            return False
        return all(own is None or own == given for own, given in zip(self.shape, kind.shape, strict=True))


class _Identity:
    """The key of an object that is told apart by identity, and not kept alive by a trace."""

    __slots__ = ("_hash", "_ref")

    def __init__(self, value: Any):
        self._hash = id(value)
        try:
            self._ref: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self._ref() is not None and self._ref() is other._ref()


_SCALARS = frozenset((bool, int, float, complex, str, bytes, type(None)))


def _key(leaf: Any) -> Any:
    if type(leaf) is np.ndarray or isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.dtype, leaf.shape, isinstance(leaf, np.ndarray)
    if isinstance(leaf, TensorSpec):
        return leaf
    if type(leaf) is complex:
        return complex, leaf.real.hex(), leaf.imag.hex()
    if type(leaf) in _SCALARS:
        return type(leaf), leaf.hex() if type(leaf) is float else leaf
    return _Identity(leaf)


class Function:
    """A callable that keeps one `ConcreteFunction` per signature; `function` makes it.

    Args:
        python_function: a function, method or callable object.
        input_signature: a `TensorSpec` for each argument, or None to trace whatever comes.
        optimise: whether to optimise the graphs, or the names of the optimisations to use.

    Raises:
        SignatureError: a call's arguments do not fit `input_signature`.
        StagingError: the function does to a staged value what cannot be staged.
        ConversionError: the source of the function cannot be had.

    >>> import autograph_rs as ag, numpy as np
    >>> double = ag.function(lambda x: x * 2)
    >>> double(np.array([1, 2])), double(1.5)
    (array([2, 4]), 3.0)
    """

    __name__: str

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Sequence[TensorSpec] | None = None,
        optimise: bool | Sequence[str] = True,
    ):
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._optimisations = chosen(optimise)
        self._converted = DEFAULT.to_graph(python_function)
        self._traces: dict[Any, ConcreteFunction] = {}
        self._lock = threading.RLock()
        functools.update_wrapper(self, python_function, updated=())

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if self.input_signature is not None and kwargs:
                args, kwargs = self._positional(args, kwargs)
            leaves, spec = flatten((args, kwargs))
            if any(isinstance(leaf, Staged) for leaf in leaves):
                return self._converted(*args, **kwargs)
            concrete = self._traces.get((spec, tuple(map(_key, leaves))))
            if concrete is None:
                concrete = self._trace(args, kwargs)
            return concrete(*[leaf for leaf in leaves if isinstance(leaf, (np.ndarray, np.generic))])
        except BaseException as error:
            strip(error)
            raise

    def _positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Arguments in the order of the signature, however they are passed."""
        bound = inspect.signature(self.python_function).bind(*args, **kwargs)
        return bound.args, bound.kwargs

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments; arrays may be given as `TensorSpec`.

        Raises:
            SignatureError: the arguments do not fit the input signature.

        >>> import autograph_rs as ag
        >>> @ag.function
        ... def f(x):
        ...     return x + x
        >>> print(f.get_concrete_function(ag.TensorSpec((None,), "int64")).graph.count("add"))
        1
        """
        return self._trace(args, kwargs)

    def _trace(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ConcreteFunction:
        leaves, spec = flatten((args, kwargs))
        key: Any = spec, tuple(map(_key, leaves))
        if self.input_signature is not None:
            self._check_signature(args, kwargs)
            key = "signature"
        with self._lock:
            concrete = self._traces.get(key)
            if concrete is None:
                types = [self._type_of(leaf) for leaf in leaves]
                if self.input_signature is not None:
                    types = [ArrayType(s.dtype, s.shape) for s in self.input_signature]
                names = self._names(args, kwargs)
                name = getattr(self.python_function, "__name__", "graph")
                concrete = trace(
                    self._converted, (args, kwargs), types, names, name, _BACKEND, self._optimisations
                )
                self._traces[key] = concrete
            if self.input_signature is not None:
                self._traces[spec, tuple(map(_key, leaves))] = concrete
        return concrete

    @staticmethod
    def _type_of(leaf: Any) -> ArrayType | None:
        if isinstance(leaf, TensorSpec):
            return ArrayType(leaf.dtype, leaf.shape)
        return array_type(leaf)

    def _check_signature(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = (*args, *kwargs.values())
        specs = self.input_signature or ()
        fits = len(given) == len(specs) and all(
            spec.admits(value) or (isinstance(value, TensorSpec) and value == spec)
            for spec, value in zip(specs, given, strict=True)
        )
        if not fits:
            shown = ", ".join(str(array_type(v) or repr(v)) for v in given)
            wanted = ", ".join(str(ArrayType(s.dtype, s.shape)) for s in specs)
            raise SignatureError(
                f"{self.__name__} was called with ({shown}), but its input_signature is ({wanted})"
            )

    def _names(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
        try:
            bound = inspect.signature(self.python_function).bind_partial(*args, **kwargs)
        except (TypeError, ValueError):
            bound = None
        parameters = [] if bound is None else list(bound.signature.parameters.values())
        names: list[str] = []
        for i, value in enumerate(args):
            if i < len(parameters) and parameters[i].kind <= 1:
                name = parameters[i].name
            else:
                name = f"args_{i}"
            names += paths(flatten(value)[1], name)
        for name, value in kwargs.items():
            names += paths(flatten(value)[1], name)
        return names


def function(
    f: Callable[..., Any] | None = None,
    *,
    input_signature: Sequence[TensorSpec] | None = None,
    optimise: bool | Sequence[str] = True,
) -> Any:
    """Trace a function into a graph over NumPy, once for each signature, and run the graph.

    Args:
        f: a function, method or callable object; without one, a decorator is returned.
        input_signature: a `TensorSpec` for each argument; all calls share one trace.
        optimise: False runs the graph as it was traced; a tuple of names uses these optimisations only.

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
    if f is None:
        return functools.partial(function, input_signature=input_signature, optimise=optimise)
    return Function(f, input_signature, optimise)
