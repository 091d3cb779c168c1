"""`profile`: measure a staged call by source line."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import ArgumentError, OptionError, StateError, describe
from autograph_rs.runtime.graph.state.taping import current_session
from autograph_rs.runtime.graph.tracing.trace import is_tracing

from ..frameworks import PACKAGES
from ..functions.bound_function import BoundFunction
from ..functions.concrete_function import ConcreteFunction
from ..functions.fast_path import FastPath
from ..functions.function import Function
from .measurement import measure
from .profile import Profile


@api_boundary
def profile(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Profile:
    """Call a staged function, and report the time of each line of the user's code.

    A graph without effects runs repeatedly, for about half a second, and each time is a median. What the call
    returns is `result`. Arguments and Variables are written once, as by a single call. A graph that prints,
    calls Python, or has other effects on the outside runs just once.

    Only the graph is timed: `tracing_seconds` has the time of conversion and tracing, if the call needed it.
    With the engine "auto", the graph first runs until its hot loops have been compiled, for a second at most.

    A loop or chain in machine code is timed as a unit. Its time is divided among its lines as it was among
    them in a short run of the same code in Python: these lines have the engine "native", and their times are
    estimates.

    Args:
        f: the result of `function`, `get_concrete_function` or `load`, or a Python function, which is staged
            with `function`.
        *args: arguments of `f`. Arrays and NumPy scalars are staged, as in any call.
        **kwargs: keyword arguments of `f`.

    Raises:
        ArgumentError: `f` is no function, or a framework has compiled it.
        OptionError: `f` has the engine "onnxruntime", which does not run line by line.
        StateError: a function is being traced, or a `GradientTape` is recording.

    An error of the call is raised as in any call.

    >>> import autograph_rs as ag, numpy as np
    >>> def smooth(x, steps):
    ...     for _ in range(steps):
    ...         x = np.sort(np.tanh(x))
    ...     return np.sum(x)
    >>> report = ag.profile(smooth, np.arange(5.0), np.int64(20))
    >>> {line.text: line.runs for line in report.lines}["x = np.sort(np.tanh(x))"]
    20
    >>> bool(report.result == ag.function(smooth)(np.arange(5.0), np.int64(20)))
    True
    """
    if is_tracing() or current_session() is not None:
        raise StateError(
            "profile was called while a function is traced or a tape records",
            why="it runs the graph of a function on arrays, several times",
            remedy="call profile outside",
        )
    target: Any = f
    if not callable(target) or type(target).__module__.partition(".")[0] in PACKAGES:
        raise ArgumentError(
            f"profile cannot time {describe(f)}",
            why="it times the graphs of the embedded backend, line by line",
            remedy="pass the Python function or, for a framework's program, use the framework's profiler",
        )
    began = perf_counter()
    if not isinstance(target, (BoundFunction, ConcreteFunction, FastPath)):
        target = Function(target)
    if _engine(target) == "onnxruntime":
        raise OptionError(
            "profile cannot time lines with engine='onnxruntime'",
            why="onnxruntime runs the graph as one model",
            remedy="use engine='auto', 'native' or 'numpy'",
        )
    known = _graphs(target)
    leaves, arguments, concrete = target.resolve_call(args, kwargs)
    tracing_seconds = None if concrete in known else perf_counter() - began
    result, measured = measure(concrete, leaves, arguments)
    return Profile(
        target.name if isinstance(target, ConcreteFunction) else target.__name__,
        _engine(target),
        measured.seconds,
        measured.repetitions,
        tracing_seconds,
        measured.stacks,
        result,
    )


def _engine(f: Any) -> str:
    return str(getattr(f, "engine", "numpy"))


def _graphs(f: Any) -> list[Any]:
    """Return the graphs that a callable already has."""
    if isinstance(f, ConcreteFunction):
        return [f.concrete]
    traces = getattr(f, "concrete_functions", None) or f.traces()
    return [trace.concrete for trace in traces]
