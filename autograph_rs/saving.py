"""`save`: the traces of a function, written to a file that `load` reads where the source is not."""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any

from autograph_rs.runtime.errors import SaveError
from autograph_rs.runtime.graph.concrete import ConcreteFunction
from autograph_rs.runtime.graph.saved import LoadedFunction, LoadedTrace, to_file
from autograph_rs.runtime.graph.signature import Signature, Tensor

from .functions import Function


def save(function: Any, path: str | os.PathLike[str], *, source: bool = True) -> None:
    """Write a traced function to a file, as JSON.

    Args:
        function: a `ConcreteFunction`; a `Function`, whose traces are all saved; the same as a method of an
            object, which becomes part of the traces; or what `load` gave.
        path: the file, which is replaced as a whole.
        source: whether the file tells the user's files, lines and their text, for errors and `print`.

    Raises:
        SaveError: there is no trace, or one holds what cannot be written down, such as a random generator.

    >>> import numpy as np, os, tempfile, autograph_rs as ag
    >>> double = ag.function(lambda x: x * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "double.json")
    ...     ag.save(double.get_concrete_function(ag.TensorSpec((None,))), path)
    ...     ag.load(path)(np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    bound: tuple[Any, ...] = ()
    if (
        isinstance(function, functools.partial)
        and isinstance(function.func, Function)
        and not function.keywords
    ):
        function, bound = function.func, function.args
    if isinstance(function, ConcreteFunction):
        to_file(function.graph.name, (), [function], path, source=source)
    elif isinstance(function, LoadedFunction):
        to_file(function.__name__, function.parameters, function.concrete_functions, path, source=source)
    elif isinstance(function, Function):
        traces = _traces(function, bound)
        if not traces:
            raise SaveError(f"{function.__name__} cannot be saved: it has no trace: call it first")
        to_file(function.__name__, _parameters(function)[len(bound) :], traces, path, source=source)
    else:
        raise SaveError(
            f"a {type(function).__name__} cannot be saved: give an ag.function, or one of its traces"
        )


def _traces(function: Function, bound: tuple[Any, ...]) -> list[ConcreteFunction]:
    """The traces of a function, those with the bound arguments, which the signatures then lack."""
    found = []
    for trace in function.traces():
        signature = trace.signature
        if signature is not None and function.input_signature is not None:
            leaves = tuple(Tensor(v.kind) if isinstance(v, Tensor) else v for v in signature.leaves)
            signature = Signature(signature.spec, leaves)
        if signature is not None and bound:
            signature = signature.without_first(bound)
            if signature is None:
                continue
        found.append(_with_signature(trace, signature))
    return found


def _with_signature(trace: ConcreteFunction, signature: Signature | None) -> ConcreteFunction:
    if signature is trace.signature:
        return trace
    spec, plain, places, writes, apart = trace.layout
    made = LoadedTrace(trace.graph, spec, plain, places, writes, twins=apart)
    made.signature = signature
    return made


def _parameters(function: Function) -> list[str]:
    try:
        known = inspect.signature(function.python_function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in known if p.kind is p.POSITIONAL_OR_KEYWORD]
