"""`ConcreteFunction`: one trace of a function, as a public object."""

from __future__ import annotations

import html
import inspect
import os
from typing import Any

from autograph_rs.runtime.debugging.tracebacks import strip_internal_frames
from autograph_rs.runtime.errors import OptionError, describe, import_framework
from autograph_rs.runtime.files.writing import checked_path, save
from autograph_rs.runtime.graph.concrete.concrete_graph import ConcreteGraph
from autograph_rs.runtime.graph.ir.graph import Graph
from autograph_rs.runtime.graph.state.taped_values import unwrap_arguments
from autograph_rs.runtime.graph.state.taping import current_session
from autograph_rs.runtime.graph.state.variables import Variable

from . import signatures
from .engine_report import EngineReport, report_engine
from .fast_path import Args, Kwargs, ResolvedCall


class ConcreteFunction:
    """One trace of a function, callable with the arguments that it was traced for.

    Arguments may be positional or named. An argument that was a Python value when the function was traced may
    be omitted; if it is passed, it must equal that value.

    Raises:
        SignatureError: an argument differs in dtype, shape or value from the traced one.
        StagingError: an argument that the graph writes to shares memory with another.

    >>> import autograph_rs as ag, numpy as np
    >>> @ag.function
    ... def scale(x, by):
    ...     return x * by
    >>> concrete = scale.get_concrete_function(ag.TensorSpec((2,)), by=3.0)
    >>> concrete(np.array([1.0, 2.0]))
    array([3., 6.])
    >>> concrete
    scale(x: float64[2], by=3.0) -> float64[2]
    """

    def __init__(
        self,
        name: str,
        concrete: ConcreteGraph,
        signature: inspect.Signature | None,
        engine: str = "numpy",
    ):
        self.name = name
        self.concrete, self.signature = concrete, signature
        self.engine = engine

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The `Variable`s that the graph reads or writes, except those passed as arguments."""
        return tuple([v for v in self.concrete.inputs.state if isinstance(v, Variable)])

    @property
    def graph(self) -> Graph:
        """The optimized `Graph`."""
        return self.concrete.graph

    @property
    def python_source(self) -> str:
        """The source of the compiled Python function that runs the graph."""
        return self.concrete.python_source

    @property
    def structured_input_signature(self) -> tuple[Args, Kwargs]:
        """`(args, kwargs)`, with a `TensorSpec` for each array and the traced value of everything else."""
        return self.concrete.inputs.build()  # type: ignore[no-any-return]

    @property
    def structured_outputs(self) -> Any:
        """The result, with a `TensorSpec` for each array and the Python type of other staged values."""
        return self.concrete.structured_outputs

    def engine_report(self) -> EngineReport:
        """Report what runs the graph: for each loop and chain, whether it is machine code, and how fast.

        >>> import autograph_rs as ag
        >>> @ag.function(engine="numpy")
        ... def halvings(x):
        ...     n = 0
        ...     while x > 1:
        ...         x, n = x / 2, n + 1
        ...     return n
        >>> print(halvings.get_concrete_function(ag.TensorSpec(())).engine_report())
        halvings(x: float64[]) -> int
          engine 'numpy': Python code that calls NumPy runs the graph
        """
        return report_engine(repr(self), self.engine, self.concrete)

    def to_onnx(self, path: str | os.PathLike[str], *, variables: str = "constant") -> None:
        """Write the graph to a file as an ONNX model, which runs without this package and without Python.

        Inputs keep the dtypes, shapes and names of the function's arguments: `x`, and `x.0.key` for a leaf
        of a nested argument. Dimensions that are unknown in the trace stay dynamic. The outputs are named
        `output_0`, `output_1` and so on, or by the keys of a returned dict. An array that the function writes
        to is also an output: `x.new`. docs/exporting.md lists what ONNX cannot represent.

        Args:
            path: the output file. An existing file is replaced atomically.
            variables: "constant" embeds the current values of Variables. "explicit" makes each Variable an
                input under its own name, and also an output if the function writes it: `v` and `v.new`.

        Raises:
            SaveError: ONNX cannot represent part of the graph, or the graph writes a constant Variable.
            MissingFrameworkError: the package onnx is not installed.
            MissingFileError: the parent directory does not exist, or the path is a directory.
            ArgumentError: `path` is not the path of a file.
            OptionError: `variables` is neither "constant" nor "explicit".

            @ag.function
            def halvings(x):
                n = 0
                while x > 1:
                    x, n = x / 2, n + 1
                return n

            halvings.get_concrete_function(ag.TensorSpec(())).to_onnx("halvings.onnx")
            session = onnxruntime.InferenceSession("halvings.onnx")
            session.run(None, {"x": np.array(1000.0)})  # [array(10)]
        """
        file = checked_path(path)
        if variables not in ("constant", "explicit"):
            raise OptionError(
                f"variables= must be 'constant' or 'explicit', not {describe(variables)}",
                why="Variables are either constants of the model, or its inputs and outputs",
                remedy='pass variables="explicit" to keep Variables outside the model',
            )
        import_framework("onnx", "to_onnx")
        from autograph_rs.runtime.export.onnx.model import to_model  # noqa: PLC0415 - it imports onnx

        save(file, to_model(self.concrete, explicit=variables == "explicit").SerializeToString())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            session = current_session()
            if session is not None:
                return session.call_graph(self.name, self.resolve_call, args, kwargs)
            leaves, arguments, concrete = self.resolve_call(*unwrap_arguments(args, kwargs))
            return concrete.run(leaves, arguments)
        except BaseException as error:
            strip_internal_frames(error)
            raise

    def resolve_call(self, args: Args, kwargs: Kwargs) -> ResolvedCall:
        """Return the leaves of a call, its bound arguments and the graph."""
        leaves, arguments = signatures.bind_to_trace(self.concrete.inputs, self.signature, args, kwargs)
        return leaves, arguments, self.concrete

    def __repr__(self) -> str:
        call = signatures.format_call(self.name, self.concrete.inputs, self.signature)
        return f"{call} -> {signatures.format_result(self.concrete)}"

    def _repr_html_(self) -> str:
        return f"<div><code>{html.escape(repr(self))}</code>{self.graph._repr_html_()}</div>"
