"""`save`: write the traces of a function to a file, from which `load` reads them without the source."""

from __future__ import annotations

import os
from typing import Any

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import SaveError, check_bool, describe
from autograph_rs.runtime.files import writing as files
from autograph_rs.runtime.files.writing import checked_path
from autograph_rs.runtime.graph.serialization.graphs import to_text
from autograph_rs.runtime.graph.serialization.saved_function import to_content

from ..functions.bound_function import BoundFunction
from ..functions.concrete_function import ConcreteFunction
from ..functions.function import Function
from .load import LoadedFunction

Saveable = ConcreteFunction | LoadedFunction | Function[..., Any] | BoundFunction[..., Any]


@api_boundary
def save(function: Saveable, path: str | os.PathLike[str], *, source: bool = True) -> None:
    """Write a traced function to a file, as JSON.

    Args:
        function: a `ConcreteFunction`; a `Function` or bound method, with all its traces; or a function
            that `load` returned. Its Variables are saved with their current values.
        path: the output file. An existing file is replaced atomically.
        source: whether to store file names, line numbers and source lines of user code, for errors and
            `print`.

    Raises:
        SaveError: the function has no trace, or a trace that cannot be serialized, such as one with a
            py_function.
        MissingFileError: the parent directory does not exist, or the path is a directory.
        ArgumentError: `path` is not the path of a file, or `source` is neither True nor False.

    >>> import numpy as np, os, tempfile, autograph_rs as ag
    >>> double = ag.function(lambda x: x * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "double.json")
    ...     ag.save(double.get_concrete_function(ag.TensorSpec((None,))), path)
    ...     ag.load(path)(np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    file, source = checked_path(path), check_bool("source", source)
    name, traces = _traces(function)
    if not traces:
        raise SaveError(
            f"{name} cannot be saved: it has no trace",
            why="a file contains graphs, and a function has no graph before it is traced",
            remedy="call the function first, or save the result of get_concrete_function(ag.TensorSpec(...))",
        )
    content = to_content(name, traces[0].signature, [trace.concrete for trace in traces], source=source)
    files.save(file, to_text(content).encode("utf-8"))


def _traces(function: Any) -> tuple[str, list[ConcreteFunction]]:
    if isinstance(function, ConcreteFunction):
        return function.name, [function]
    if isinstance(function, LoadedFunction):
        return function.__name__, list(function.concrete_functions)
    if isinstance(function, BoundFunction):
        return function.__name__, function.traces()
    if isinstance(function, Function):
        name = function.__name__
        if any(instance for instance, _ in function.bound_traces()):
            raise SaveError(
                f"{name} cannot be saved: it is a method, with separate traces for each object",
                why="a file can contain the traces for only one object",
                remedy=f"pass the method of one object: ag.save(instance.{name}, path)",
            )
        return name, function.traces()
    raise SaveError(
        f"{describe(function)} cannot be saved",
        why="a file contains graphs, which only traced functions have",
        remedy="pass an ag.function, or one of its traces",
    )
