"""`load`: read a function from a file that `save` wrote."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import FormatError, SignatureError, VersionError
from autograph_rs.runtime.files.writing import checked_path, missing_file_error
from autograph_rs.runtime.graph.concrete.inlining import abstract_leaf, inline
from autograph_rs.runtime.graph.ir.graph import Graph
from autograph_rs.runtime.graph.serialization.graphs import from_text
from autograph_rs.runtime.graph.serialization.loaded_function import SavedFunction, from_content
from autograph_rs.runtime.graph.serialization.reading import not_a_graph
from autograph_rs.runtime.graph.state.taped_values import unwrap_arguments
from autograph_rs.runtime.graph.state.taping import current_session
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten

from ..functions import signatures
from ..functions.concrete_function import ConcreteFunction
from ..functions.fast_path import Args, FastPath, Kwargs, ResolvedCall


class LoadedFunction(FastPath[..., Any]):
    """A saved function, as returned by `load`.

    Call it like the original function: the most specific trace that accepts the arguments runs. A call inside
    another traced function inlines the graph of that trace. All traces share the Variables in `variables`,
    which start with their saved values.

    Raises:
        SignatureError: no trace accepts the arguments.
    """

    def __init__(self, saved: SavedFunction):
        super().__init__()
        self.__name__ = saved.name
        self.variables: tuple[Variable, ...] = tuple(saved.variables)
        self.concrete_functions = tuple(
            ConcreteFunction(saved.name, graph, saved.signature) for graph in saved.graphs
        )
        self._signature = saved.signature
        self._traces = sorted(self.concrete_functions, key=_generality)

    def __repr__(self) -> str:
        return f"<loaded function: {', '.join(map(repr, self._traces))}>"

    def call_bound(self, bound: Args, args: Args, kwargs: Kwargs, fast_key: Any) -> Any:
        session = current_session()
        if session is not None:
            return session.call_graph(self.__name__, self.resolve_call, args, kwargs)
        if is_tracing():
            leaves, arguments, concrete = self.resolve_call(args, kwargs)
            return inline(concrete, leaves, arguments)
        leaves, arguments, concrete = self.resolve_call(*unwrap_arguments(args, kwargs))
        self.cache_fast_path(fast_key, concrete)
        return concrete.run(leaves, arguments)

    def resolve_call(self, args: Args, kwargs: Kwargs) -> ResolvedCall:
        """Return the leaves and the arguments of a call, and the graph that accepts them."""
        if self._signature is not None and kwargs:  # pass by position where possible, as traces do
            with contextlib.suppress(TypeError):
                bound = self._signature.bind_partial(*args, **kwargs)
                args, kwargs = bound.args, bound.kwargs
        leaves, spec = flatten((args, kwargs), mutable_dataclasses=True)
        abstract_leaves = list(map(abstract_leaf, leaves)) if is_tracing() else leaves
        for trace in self._traces:
            if signatures.accepts(trace.concrete.inputs, spec, abstract_leaves):
                return leaves, (args, kwargs), trace.concrete
        texts = [signatures.format_value(v) for v in args]
        texts += [f"{k}={signatures.format_value(v)}" for k, v in kwargs.items()]
        raise SignatureError(
            f"{self.__name__} was called with ({', '.join(texts)}), but has no trace for these arguments",
            why="the file contains graphs for certain dtypes and shapes, but no code to trace others",
            remedy="pass arguments that match a saved trace, or save the function with a trace for these",
            rows=["it was saved for", *(f"  {trace!r}" for trace in self._traces)],
        )

    @property
    def _single_trace(self) -> ConcreteFunction:
        if len(self.concrete_functions) != 1:
            raise AttributeError(
                f"{self.__name__} has {len(self.concrete_functions)} traces: use one of .concrete_functions"
            )
        return self.concrete_functions[0]

    @property
    def graph(self) -> Graph:
        """The graph of the only trace."""
        return self._single_trace.graph

    @property
    def structured_outputs(self) -> Any:
        """The structured outputs of the only trace; see `ConcreteFunction.structured_outputs`."""
        return self._single_trace.structured_outputs

    @property
    def python_source(self) -> str:
        """The source of the compiled Python function that runs the only trace."""
        return self._single_trace.python_source


def _generality(trace: ConcreteFunction) -> int:
    """Count the unknown dimensions, and the arguments that may be either a scalar or an array of shape ()."""
    inputs = trace.concrete.inputs
    shapes = [(i, inputs.leaves[i].shape) for i in inputs.staged]
    return sum(shape.count(None) + (shape == () and i not in inputs.forms) for i, shape in shapes)


@api_boundary
def load(path: str | os.PathLike[str], *, types: Sequence[type] = ()) -> LoadedFunction:
    """Read a function that `save` wrote to a file. No code from it runs until the function is called.

    Args:
        path: the file.
        types: the namedtuple and dataclass types that occur in arguments and results. A type that is missing
            here is replaced in results by a namedtuple with the same name and fields.

    Raises:
        MissingFileError: the file does not exist.
        FormatError: the file does not contain a saved function, or is damaged.
        VersionError: a later version of this package wrote the file.
        ArgumentError: `path` is not the path of a file.

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
    file = checked_path(path)
    name = os.fspath(path)
    try:
        raw = file.read_bytes()
    except OSError as error:
        if file.is_dir():
            what, why = f"{name!r} is a directory", "a function is saved to a single file"
        elif isinstance(error, FileNotFoundError):
            what = f"the file {name!r} does not exist"
            why = "a relative path is resolved against the working directory"
        else:
            raise
        raise missing_file_error(what, why, "pass the path that you passed to ag.save", error) from error
    try:
        return LoadedFunction(from_content(from_text(raw.decode("utf-8")), types))
    except UnicodeDecodeError:
        failure: FormatError | VersionError = not_a_graph("it is not text")
    except (FormatError, VersionError) as error:
        failure = error
    message = f"{name} cannot be loaded: {failure.args[0]}"
    raise type(failure)(message, why=failure.why, remedy=failure.remedy)
