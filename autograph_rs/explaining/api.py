"""`explain`: report how a function is staged."""

from __future__ import annotations

import functools
import textwrap
import types
from typing import Any

from autograph_rs.runtime.debugging.source_maps import SourceMap
from autograph_rs.runtime.debugging.tracebacks import api_boundary, is_internal, set_error_attribute
from autograph_rs.runtime.errors import ArgumentError, describe
from autograph_rs.runtime.graph.ir.graph import Graph
from autograph_rs.runtime.graph.tracing.trace import is_tracing

from ..ahead_of_time.reports import report_function
from ..functions.bound_function import BoundFunction
from ..functions.function import Function
from ..source import definitions
from ..source.code_objects import Convertible
from ..source.recursion_limit import guarded_conversion
from ..transpiler.default import DEFAULT
from ..transpiler.registry import is_generated
from . import abstract_trace, classification
from .instrumentation import InstrumentingTranspiler
from .machine_code import with_machine_code
from .report import Report


@api_boundary
def explain(f: Convertible, /, *args: Any, **kwargs: Any) -> Report:
    """Report how a function is staged, statement by statement.

    Without arguments, nothing runs: the report shows how each statement is converted, and which calls would
    be converted. With arguments, the function is traced once: as `function` would trace it or, if an argument
    belongs to JAX, TensorFlow or PyTorch, as `jax.jit`, `tf.function` or `torch.export` would. The report
    then shows what happened. Side effects of the function, such as printing, happen as in any trace.

    If the trace fails, the report covers the statements up to the failure and contains the error.

    Args:
        f: anything that `convert` accepts, or the result of `function` or `convert`.
        *args: arguments of `f`; a `TensorSpec` may stand for an array.
        **kwargs: keyword arguments of `f`.

    Raises:
        ArgumentError: `f` is not a callable written in Python.
        ConversionError: the source of `f` is unavailable.

    >>> import autograph_rs as ag, numpy as np
    >>> def total_above(xs, limit):
    ...     total = 0.0
    ...     for x in xs:
    ...         if x > limit:
    ...             total += x
    ...     for scale in (2, 3):
    ...         total = total * scale
    ...     return total
    >>> report = ag.explain(total_above, np.ones(3), limit=0.5)
    >>> report[3].what, report[3].operator, report[3].state, report[6].what, report[6].times
    ('staged', 'for_stmt', ('total',), 'unrolled', 2)
    >>> print(report)
    total_above (...:1), traced by graph
      2  total = 0.0
             # plain
      3  for x in xs:
             # staged: graph by for_stmt, carries total
             #   may be compiled to machine code
      4      if x > limit:
                 # staged: graph by if_stmt, carries total
      5          total += x
                     # staged: graph
      6  for scale in (2, 3):
             # unrolled: 2 times
             #   its iterable is plain
      7      total = total * scale
                 # staged: graph
      8  return total
             # staged: graph
    """
    inner, original, compiled = _unwrap(f)
    function = DEFAULT.original(inner)
    if is_internal(function.__code__):
        raise ArgumentError(
            f"{describe(f)} contains no user code",
            why="it runs a graph instead of Python statements",
            remedy="pass the function that the graph was traced from, or print the graph",
        )
    transpiler = InstrumentingTranspiler()
    source = DEFAULT.supplied_source(inner) if original is None else original.supplied_source
    transpiler.to_graph(function, source=source)
    instrument = functools.partial(transpiler.instrument, source=source)
    graph, backend, error = None, "", None
    if args or kwargs:
        backend = abstract_trace.backend_of((args, kwargs), compiled)
        traced: Any = instrument(inner)
        if backend == "graph" and not is_tracing():
            traced = abstract_trace.InstrumentedFunction(inner, original, instrument)
        try:
            if isinstance(traced, Function):
                graph = traced.get_concrete_function(*args, **kwargs).graph
            else:
                abstract_trace.trace(backend, compiled, traced, args, kwargs)
        except Exception as raised:  # noqa: BLE001 - the report contains any error that ends the trace
            error = raised
    engine = "auto" if original is None else original.engine
    return _report(function, source, transpiler, backend, graph, engine, error)


_WRAPPED_ATTRIBUTES = ("python_function", "_torchdynamo_orig_callable", "__wrapped__")
"""Attributes in which the frameworks' compilers store the function that they compile."""


def _unwrap(f: Any) -> tuple[Any, Function[..., Any] | None, Any]:
    """Return the callable to trace, the `Function` that wraps it or None, and `f` as it was passed."""
    compiled = f
    if isinstance(f, BoundFunction):
        return types.MethodType(f.__func__.python_function, f.__self__), f.__func__, compiled
    while abstract_trace.framework_of(type(f)) or hasattr(f, "_torchdynamo_orig_callable"):
        inner = next((getattr(f, name) for name in _WRAPPED_ATTRIBUTES if hasattr(f, name)), None)
        if inner is None:
            break
        f = inner
    bound = getattr(f, "__wrapped__", None)
    if (
        isinstance(bound, types.MethodType)
        and abstract_trace.framework_of(type(bound.__self__)) == "tensorflow"
    ):
        weak_method: Any = bound.__self__  # tf.function keeps a weak reference to the instance
        f = functools.partial(bound.__func__, weak_method.target)
    if isinstance(f, Function):
        return f.python_function, f, compiled
    is_module = "torch" in map(abstract_trace.framework_of, type(f).__mro__)
    return getattr(f, "forward", f) if is_module else f, None, compiled


def _report(
    function: types.FunctionType,
    source: str | None,
    transpiler: InstrumentingTranspiler,
    backend: str,
    graph: Graph | None,
    engine: str,
    error: Exception | None,
) -> Report:
    code = function.__code__
    node, lines = _node_and_lines(function, source)
    first, last = definitions.first_line(node), node.end_lineno or node.lineno
    with guarded_conversion(repr(function.__qualname__), node, code.co_filename, function.__name__):
        functions = report_function(node, lines)
    for probe in transpiler.probes:
        probe.end_while()
    probes = [p for p in transpiler.probes if p.file == code.co_filename and first <= p.span.line <= last]
    converted = DEFAULT.to_code(function, source=source)
    statements = classification.statements(functions, probes, has_run=bool(backend))
    if graph is not None:
        statements = with_machine_code(statements, graph, code.co_filename, engine)
    return Report(
        function.__qualname__.rpartition("<locals>.")[2],
        code.co_filename,
        first,
        tuple(lines[first - 1 : last]),
        converted,
        _line_origins(converted, DEFAULT.source_map(function, source=source)),
        statements,
        classification.calls(probes, function, transpiler, has_run=bool(backend)),
        backend,
        DEFAULT.policy.reason_unconverted(function) or "",
        graph,
        error,
        _pop_error_line(error, code.co_filename, range(first, last + 1)),
    )


def _node_and_lines(
    function: types.FunctionType, source: str | None
) -> tuple[definitions.FunctionNode, list[str]]:
    """Return the node of a function, and the lines of its file or of the supplied source."""
    if source is None:
        definition, text = definitions.find(function, verify=not is_generated(function))
        return definition.node, text.split("\n")
    dedented = textwrap.dedent(source)
    blank = len(dedented) - len(dedented.lstrip("\n"))
    lines = [*[""] * (function.__code__.co_firstlineno - 1 - blank), *dedented.split("\n")]
    return definitions.find(function, source)[0].node, lines


def _line_origins(converted: str, source_map: SourceMap) -> tuple[tuple[int, ...], ...]:
    """Return, for each line of converted code, the user's lines that it came from."""
    by_line: dict[int, list[int]] = {}
    for row, _, line, _ in source_map.segments:
        by_line.setdefault(row, []).append(line)
    origins: list[tuple[int, ...]] = []
    latest: tuple[int, ...] = ()
    for number, text in enumerate(converted.split("\n"), 1):
        latest = tuple(dict.fromkeys(by_line.get(number, latest)))
        origins.append(latest if text.strip() else ())
    return tuple(origins)


def _pop_error_line(error: BaseException | None, file: str, lines: range) -> int | None:
    """Return the line that raised an error, and clear the error's tracebacks, which keep frames alive."""
    error_line = None
    traceback = None if error is None else error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file and traceback.tb_lineno in lines:
            error_line = traceback.tb_lineno
        traceback = traceback.tb_next
    stack, seen = [error], set[int]()
    while stack:
        error = stack.pop()
        if error is not None and id(error) not in seen:
            seen.add(id(error))
            set_error_attribute(error, "__traceback__", None)
            stack += [error.__cause__, error.__context__]
            stack += error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return error_line
