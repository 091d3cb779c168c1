"""`explain`: one function, and what became of it."""

from __future__ import annotations

import functools
import textwrap
import types
from collections.abc import Callable
from typing import Any

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import ArgumentError, told
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.source_maps import SourceMap
from autograph_rs.runtime.tracebacks import is_ours, put

from .. import source
from ..api import DEFAULT
from ..bound import BoundFunction
from ..depth import converting
from ..functions import Function
from ..known import made_inside
from ..refusals import node_place
from ..reports import report_function
from . import judging, tracing
from .report import Report
from .watching import Watching


@public
def explain(f: Any, /, *args: Any, **kwargs: Any) -> Report:
    """What becomes of a function, statement by statement.

    Without arguments nothing runs: the report says what the conversion made of each statement, and which
    calls would be converted. With arguments the function is traced once, as `function` would trace it; for
    arguments of JAX, TensorFlow or PyTorch as `jax.jit`, `tf.function` or `torch.export` would. The report
    then says what happened. What the function does besides computing, such as to print, it does as in any
    trace.

    A trace that fails is reported up to where it did, with the error.

    Args:
        f: what `convert` takes, or what `function` or `convert` made.
        *args: what `f` takes; an array may be given as `TensorSpec`.
        **kwargs: the same, by name.

    Raises:
        ArgumentError: `f` is no callable that was written in Python.
        ConversionError: the source of `f` cannot be had.

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
      4      if x > limit:
                 # staged: graph by if_stmt, carries total
      5          total += x
                     # staged: graph
      6  for scale in (2, 3):
             # unrolled: 2 times
             #   what it iterates is plain
      7      total = total * scale
                 # staged: graph
      8  return total
             # staged: graph
    """
    run: Callable[..., Any]
    inner, like, compiled = _unwrapped(f)
    function = DEFAULT.original(inner)
    if is_ours(function.__code__):
        raise ArgumentError(
            f"{told(f)} has no statements of yours",
            why="it runs a graph, and no Python",
            remedy="give the function that the graph was made of, or print the graph",
        )
    watching = Watching()
    text = DEFAULT.text_of(inner) if like is None else like.given_text
    watching.to_graph(function, source=text)
    watched = functools.partial(watching.watched, source=text)
    graph, backend, error = None, "", None
    if args or kwargs:
        backend = tracing.system_of((args, kwargs), compiled)
        run = functools.partial(tracing.run, backend, compiled, watched(inner))
        if backend == "graph" and not is_tracing():
            run = tracing.Watched(inner, like, watched).graph_for
        try:
            graph = run(args, kwargs)
        except Exception as raised:  # noqa: BLE001 - whatever ends the trace is reported
            error = raised
    return _report(function, text, watching, backend, graph, error)


_INSIDE = ("python_function", "_torchdynamo_orig_callable", "__wrapped__")
"""Where the compilers of the frameworks keep what they compile."""


def _unwrapped(f: Any) -> tuple[Any, Function | None, Any]:
    """What is to be traced, the `Function` that it is of, and the compiled object in which it was found."""
    compiled = f
    if isinstance(f, BoundFunction):
        return types.MethodType(f.__func__.python_function, f.__self__), f.__func__, compiled
    while tracing.framework_of(type(f)) or hasattr(f, _INSIDE[1]):
        inner = next((getattr(f, name) for name in _INSIDE if hasattr(f, name)), None)
        if inner is None:
            break
        f = inner
    bound = getattr(f, "__wrapped__", None)
    if isinstance(bound, types.MethodType) and tracing.framework_of(type(bound.__self__)) == "tensorflow":
        instance: Any = bound.__self__
        f = functools.partial(bound.__func__, instance.target)  # in a wrapper, for its weak `self`
    if isinstance(f, Function):
        return f.python_function, f, compiled
    is_module = "torch" in map(tracing.framework_of, type(f).__mro__)
    return getattr(f, "forward", f) if is_module else f, None, compiled


def _report(
    function: types.FunctionType,
    text: str | None,
    watching: Watching,
    backend: str,
    graph: Any,
    error: Exception | None,
) -> Report:
    code = function.__code__
    node, lines = _found(function, text)
    first, last = source.first_line(node), node.end_lineno or node.lineno
    with converting(
        repr(function.__qualname__), lambda: node_place(node, code.co_filename, function.__name__)
    ):
        functions = report_function(node, lines)
    for site in watching.sites:
        site.close()
    sites = [s for s in watching.sites if s.file == code.co_filename and first <= s.span.line <= last]
    converted, found = DEFAULT.to_code(function, source=text), DEFAULT.source_map(function, source=text)
    return Report(
        function.__qualname__.rpartition("<locals>.")[2],
        code.co_filename,
        first,
        tuple(lines[first - 1 : last]),
        converted,
        _origins(converted, found),
        judging.statements(functions, sites, has_run=bool(backend)),
        judging.calls(sites, function, watching, has_run=bool(backend)),
        backend,
        DEFAULT.policy.reason_to_leave(function) or "",
        graph,
        error,
        _line_of(error, code.co_filename, range(first, last + 1)),
    )


def _found(function: types.FunctionType, text: str | None) -> tuple[source.FunctionNode, list[str]]:
    """The node of a function, and the lines of its file; a text that was given stands where that does."""
    if text is None:
        found, whole = source.find(function, trusted=made_inside(function))
        return found.node, whole.split("\n")
    given = textwrap.dedent(text)
    blank = len(given) - len(given.lstrip("\n"))
    lines = [*[""] * (function.__code__.co_firstlineno - 1 - blank), *given.split("\n")]
    return source.find(function, text)[0].node, lines


def _origins(converted: str, found: SourceMap) -> tuple[tuple[int, ...], ...]:
    """The user's lines that each line of converted code came from."""
    origins: list[tuple[int, ...]] = []
    before: tuple[int, ...] = ()
    by_line: dict[int, list[int]] = {}
    for row, _, line, _ in found.segments:
        by_line.setdefault(row, []).append(line)
    for number, text in enumerate(converted.split("\n"), 1):
        before = tuple(dict.fromkeys(by_line.get(number, before)))
        origins.append(before if text.strip() else ())
    return tuple(origins)


def _line_of(error: BaseException | None, file: str, lines: range) -> int | None:
    """The line of the function below which an error was raised; the error forgets its frames."""
    found = None
    place = None if error is None else error.__traceback__
    while place is not None:
        if place.tb_frame.f_code.co_filename == file and place.tb_lineno in lines:
            found = place.tb_lineno
        place = place.tb_next
    rest, seen = [error], set[int]()
    while rest:
        error = rest.pop()
        if error is not None and id(error) not in seen:
            seen.add(id(error))
            put(error, "__traceback__", None)
            rest += [error.__cause__, error.__context__]
            rest += error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return found
