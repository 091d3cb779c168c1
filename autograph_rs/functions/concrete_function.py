"""`ConcreteFunction`: one trace of a function, as users hold it."""

from __future__ import annotations

import html
import inspect
import os
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.graph.concrete import ConcreteGraph
from autograph_rs.runtime.graph.taping import session
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.tracebacks import strip

from . import exporting, signatures
from .gradients.taped import all_untaped


class ConcreteFunction:
    """One trace of a function: it takes the arguments for which it was traced, and only those.

    Arguments may be given by position or by name. One that was a Python value when the function was
    traced may be left out, or given as that very value.

    Raises:
        SignatureError: an argument is of another dtype, shape or value than it was traced for.
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

    def __init__(self, name: str, concrete: ConcreteGraph, signature: inspect.Signature | None):
        self.name = name
        self.concrete, self.signature = concrete, signature

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The `Variable`s that it reads or writes, beside those among its arguments."""
        return tuple([v for v in self.concrete.inputs.state if isinstance(v, Variable)])

    @property
    def graph(self) -> Any:
        """The optimised `Graph`."""
        return self.concrete.graph

    @property
    def python_source(self) -> str:
        """The Python that runs the graph."""
        return self.concrete.python_source

    @property
    def structured_input_signature(self) -> Any:
        """`(args, kwargs)`, with a `TensorSpec` for each array and the traced value of all else."""
        return self.concrete.inputs.build()

    @property
    def structured_outputs(self) -> Any:
        """The result, with a `TensorSpec` for each array and the Python type of other staged values."""
        return self.concrete.structured_outputs

    def to_onnx(self, path: str | os.PathLike[str], *, variables: str = "constant") -> None:
        """Write the graph to a file as an ONNX model, which runs without this package and without Python.

        Inputs have the dtypes, shapes and names of the function's arguments: `x`, and `x.0.key` for a part of
        one. A length that the trace left open stays open. The results are the outputs `output_0`, `output_1`
        and on, or have the keys of a dict that is returned. An array that the function writes is an output
        too: `x.new`. docs/exporting.md has more, and what ONNX cannot say.

        Args:
            path: the file, which is replaced as a whole.
            variables: "constant" for Variables as constants with the values that they have now, "explicit"
                for each as an input of its name, and where it is written an output: `v` and `v.new`.

        Raises:
            SaveError: the graph holds what ONNX cannot say, or writes a Variable that is a constant.
            MissingFrameworkError: the package onnx is not installed.
            MissingFileError: there is no such folder, or a folder is where the file should be.
            ArgumentError: `path` is no path.
            OptionError: `variables` is something else.

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
        from .onnx_files import write_onnx  # noqa: PLC0415 - which knows this class

        write_onnx(self, path, variables)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            now = session()
            if now is not None:
                return now.call_function(self.name, self._bound, args, kwargs)
            leaves, arguments, concrete = self._bound(*all_untaped(args, kwargs))
            return concrete.run(leaves, arguments)
        except BaseException as error:
            strip(error)
            raise

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any, ConcreteGraph]:
        """The leaves of a call, its arguments and the graph."""
        leaves, arguments = signatures.bound_leaves(self.concrete.inputs, self.signature, args, kwargs)
        return leaves, arguments, self.concrete

    @public
    def to_jax(self, *, variables: str = "read", list_room: int | None = None) -> Callable[..., Any]:
        """The graph as a function of JAX: `jit`, `grad`, `vmap` and shardings work on it.

        It takes the arguments of this trace, with arrays of JAX of these dtypes and shapes, and gives the
        result in its structure. Numbers are arrays without dimensions in it. Text with values in it is an
        object whose `str()` is the text; a list whose length depends on values has a length and items once
        these are known.

        Args:
            variables: "read" takes the values that Variables have when it is called; where it is called in
                `jax.jit`, when that traces. "explicit" makes them its first argument, as a tuple in the order
                of the graph's last arguments; it gives a pair, the result and a tuple: what the graph leaves
                in the Variables, and then in the arrays among its arguments that it writes.
            list_room: how many rounds a loop may have that makes a list longer and that nothing else bounds;
                without it such a loop is refused. More rounds raise when the program runs.

        Raises:
            StateError: the graph writes Variables or arguments, and `variables` is not "explicit"; or it
                changes a list, dict or object among its arguments.
            OptionError: `variables` is neither, or (when it is called) the graph computes with 64 bits and
                JAX is told to have 32.
            MissingFrameworkError: JAX is not installed.

        What it refuses is told before JAX is asked for; docs/exporting.md has the rest.

        >>> import autograph_rs as ag, numpy as np
        >>> total = ag.Variable(0.0, name="total")
        >>> count = ag.function(lambda x: total.assign_add(x).value).get_concrete_function(np.float64(1))
        >>> count.to_jax()
        Traceback (most recent call last):
            ...
        autograph_rs.StateError: <lambda> writes 'total'...
        """
        return exporting.to_jax(self, variables=variables, list_room=list_room)

    def __repr__(self) -> str:
        call = signatures.call_text(self.name, self.concrete.inputs, self.signature)
        return f"{call} -> {signatures.shown_value(self.structured_outputs)}"

    def _repr_html_(self) -> str:
        return f"<div><code>{html.escape(repr(self))}</code>{self.graph._repr_html_()}</div>"
