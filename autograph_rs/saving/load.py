"""`load`: functions from files that `save` wrote."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import ArgumentError, FormatError, MissingFileError, SignatureError, told
from autograph_rs.runtime.graph.concrete import ConcreteGraph
from autograph_rs.runtime.graph.inline import described, inline
from autograph_rs.runtime.graph.loaded import Saved, from_content
from autograph_rs.runtime.graph.reading import no_graph
from autograph_rs.runtime.graph.serial import from_text
from autograph_rs.runtime.graph.taping import session
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten

from . import signatures
from .concrete import ConcreteFunction
from .direct import Direct
from .gradients.taped import all_untaped


class LoadedFunction(Direct):
    """A function that `load` read from a file: a callable with the traces that were saved.

    It is called as the original is; in a traced function its graph becomes part of that one's. The arguments
    choose the trace: the most special one that they fit. `variables` are its Variables, which all its traces
    share; they have the values that were saved.

    Raises:
        SignatureError: the arguments fit none of the traces.
    """

    def __init__(self, saved: Saved):
        super().__init__()
        self.__name__ = saved.name
        self.variables: tuple[Variable, ...] = tuple(saved.variables)
        self.concrete_functions = tuple(
            ConcreteFunction(saved.name, graph, saved.signature) for graph in saved.graphs
        )
        self._signature = saved.signature
        self._ordered = sorted(self.concrete_functions, key=_openness)

    def __repr__(self) -> str:
        return f"<loaded function: {', '.join(map(repr, self._ordered))}>"

    def call_bound(
        self, bound: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], quick: Any
    ) -> Any:
        now = session()
        if now is not None:
            return now.call_function(self.__name__, self._found, args, kwargs)
        if is_tracing():
            leaves, given, concrete = self._found(args, kwargs)
            return inline(concrete, leaves, given)
        leaves, given, concrete = self._found(*all_untaped(args, kwargs))
        self.keep_direct(quick, concrete)
        return concrete.run(leaves, given)

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any, ConcreteGraph]:
        """The leaves of a call, its arguments and the graph that takes them."""
        given = self._bound(args, kwargs)
        leaves, spec = flatten(given, changeable=True)
        shown = list(map(described, leaves)) if is_tracing() else leaves
        for trace in self._ordered:
            if signatures.takes(trace.concrete.inputs, spec, shown):
                return leaves, given, trace.concrete
        raise self._no_trace(*given)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Arguments by position where they can be, as traces have them."""
        if self._signature is None or not kwargs:
            return args, kwargs
        try:
            found = self._signature.bind_partial(*args, **kwargs)
        except TypeError:
            return args, kwargs
        return found.args, found.kwargs

    def _no_trace(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SignatureError:
        shown = ", ".join(
            [
                *map(signatures.shown_value, args),
                *(f"{k}={signatures.shown_value(v)}" for k, v in kwargs.items()),
            ]
        )
        return SignatureError(
            f"{self.__name__} was called with ({shown}), but was not saved for that",
            why="a file holds the graphs for some dtypes and shapes, and no code to make others of",
            remedy="give what it was saved for, or save it with a trace for these arguments",
            rows=["it was saved for", *(f"  {trace!r}" for trace in self._ordered)],
        )

    @property
    def _only(self) -> ConcreteFunction:
        if len(self.concrete_functions) != 1:
            raise AttributeError(
                f"{self.__name__} has {len(self.concrete_functions)} traces: ask one of .concrete_functions"
            )
        return self.concrete_functions[0]

    @property
    def graph(self) -> Any:
        """The graph of the only trace."""
        return self._only.graph

    @property
    def structured_outputs(self) -> Any:
        """The result of the only trace, as `ConcreteFunction` has it."""
        return self._only.structured_outputs

    @property
    def python_source(self) -> str:
        """The Python that runs the graph of the only trace."""
        return self._only.python_source


def _openness(trace: ConcreteFunction) -> int:
    """How many lengths are left open, and whether an array of no dimensions may be a scalar."""
    inputs = trace.concrete.inputs
    shapes = [(i, inputs.leaves[i].shape) for i in inputs.staged]
    return sum(shape.count(None) + (shape == () and i not in inputs.forms) for i, shape in shapes)


def path_of(path: Any) -> Path:
    """The path of a file.

    Raises:
        ArgumentError: it is none.
    """
    if isinstance(path, str) or (hasattr(path, "__fspath__") and isinstance(os.fspath(path), str)):
        made = Path(path)
        if made.name and "\0" not in made.name:
            return made
    raise ArgumentError(
        f"the path of a file is a str or a pathlib.Path that ends with a name, not {told(path)}",
        why="what is saved is one file",
        remedy="give a path such as 'model.json'",
    )


def missing(what: str, why: str, remedy: str, error: OSError) -> MissingFileError:
    """The error of ours for one of the system."""
    made = MissingFileError(what, why=why, remedy=remedy)
    made.errno, made.filename = error.errno, error.filename
    return made


@public
def load(path: str | os.PathLike[str], *, types: Sequence[type] = ()) -> LoadedFunction:
    """A function that `save` wrote to a file. Nothing of the file is run before the function is called.

    Args:
        path: the file.
        types: namedtuples and dataclasses among arguments and results. A result of another class is a
            namedtuple of the same name and fields that is made for it.

    Raises:
        MissingFileError: there is no such file.
        FormatError: the file holds no function that was saved, or was damaged since.
        ArgumentError: `path` is no path.

    >>> import autograph_rs as ag, numpy as np, os, tempfile
    >>> total = ag.Variable(10.0, name="total")
    >>> add = ag.function(lambda x: {"total": total.assign_add(x)})
    >>> add(np.float64(5))
    {'total': np.float64(15.0)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(add, os.path.join(folder, "add.json"))
    ...     loaded = ag.load(os.path.join(folder, "add.json"))
    >>> loaded(np.float64(10)), loaded.variables
    ({'total': np.float64(25.0)}, (Variable('total', 25.0, dtype=float64),))
    """
    file = path_of(path)
    try:
        raw = file.read_bytes()
    except OSError as error:
        if not isinstance(error, FileNotFoundError) and not file.is_dir():
            raise
        if file.is_dir():
            what, why = f"{os.fspath(path)!r} is a folder", "a function is saved to one file"
        else:
            what = f"there is no file {os.fspath(path)!r}"
            why = "a relative path is one below the working folder"
        raise missing(what, why, "give the path that ag.save was given", error) from error
    try:
        return LoadedFunction(from_content(from_text(raw.decode("utf-8")), types))
    except UnicodeDecodeError:
        wrong = no_graph("it is no text")
    except FormatError as error:
        wrong = error
    said = f"{os.fspath(path)} cannot be loaded: {wrong.args[0]}"
    raise type(wrong)(said, why=wrong.why, remedy=wrong.remedy)
