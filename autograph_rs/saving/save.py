"""`save`: the traces of a function, written to a file that `load` reads where the source is not."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import SaveError, checked_truth, told
from autograph_rs.runtime.graph.saved import to_content
from autograph_rs.runtime.graph.serial import to_text

from .bound import BoundFunction
from .concrete import ConcreteFunction
from .functions import Function
from .loading import LoadedFunction, missing, path_of


@public
def save(function: Any, path: str | os.PathLike[str], *, source: bool = True) -> None:
    """Write a traced function to a file, as JSON.

    Args:
        function: a `ConcreteFunction`; a `Function`, or one as a method of an object, whose traces are all
            saved; or what `load` gave. Its Variables are saved as they are now.
        path: the file, which is replaced as a whole.
        source: whether the file tells the user's files, lines and their text, for errors and `print`.

    Raises:
        SaveError: there is no trace, or one holds what cannot be written down, such as a py_function.
        MissingFileError: there is no such folder, or a folder is where the file should be.
        ArgumentError: `path` is no path, or `source` neither True nor False.

    >>> import numpy as np, os, tempfile, autograph_rs as ag
    >>> double = ag.function(lambda x: x * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "double.json")
    ...     ag.save(double.get_concrete_function(ag.TensorSpec((None,))), path)
    ...     ag.load(path)(np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    file, source = path_of(path), checked_truth("source", source)
    name, traces = _traces(function)
    if not traces:
        raise SaveError(
            f"{name} cannot be saved: it has no trace",
            why="a file holds graphs, which are made when a function is called",
            remedy="call it first, or save what its get_concrete_function gives for a TensorSpec",
        )
    content = to_content(name, traces[0].signature, [trace.concrete for trace in traces], source=source)
    replace(file, to_text(content).encode("utf-8"))


def _traces(function: Any) -> tuple[str, list[ConcreteFunction]]:
    if isinstance(function, ConcreteFunction):
        return function.name, [function]
    if isinstance(function, LoadedFunction):
        return function.__name__, list(function.concrete_functions)
    if isinstance(function, BoundFunction):
        return function.__name__, function.traces()
    if isinstance(function, Function):
        name = function.__name__
        if any(owner for owner, _ in function.owned_traces()):
            raise SaveError(
                f"{name} cannot be saved: it has traces for objects whose method it is",
                why="a file holds the traces of one of them",
                remedy=f"save it as a method of one: ag.save(thing.{name}, path)",
            )
        return name, function.traces()
    raise SaveError(
        f"{told(function)} cannot be saved",
        why="a file holds graphs, which only traced functions have",
        remedy="give an ag.function, or one of its traces",
    )


def replace(path: Path, data: bytes) -> None:
    """Write a file; the one that was there stays until this one is whole.

    Raises:
        MissingFileError: there is no such folder, or a folder is where the file should be.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None
            if path.is_dir():
                what = f"{str(path)!r} is a folder"
                raise missing(what, _ONE, "give the path of a file in it", error) from error
            if not path.parent.is_dir():
                what = f"there is no folder {str(path.parent)!r} for the file"
                raise missing(what, _ONE, "make the folder first, or give another path", error) from error
        raise


_ONE = "what is saved is one file, in a folder that is there"
