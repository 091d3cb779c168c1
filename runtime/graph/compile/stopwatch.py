"""Measure the time of each line of a compiled graph, by clock reads that are added between its statements.

A clock read charges the time since the read before it to one line. The code of the graph is otherwise
unchanged, and keeps its line numbers. What a clock read itself takes is measured and left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from ..ir.graph import Node
from . import Compiled

_MARK, _RESULTS = "mark", "results"
_UNTIMED = (ast.Break, ast.Continue, ast.Pass, ast.Raise)
_TRIALS, _READS = 7, 500


class Stopped(Exception):  # noqa: N818 - it ends a measurement, and is no error
    """The time limit of a stopwatch has passed."""


@dataclass(frozen=True)
class LineTime:
    """What one line of a compiled graph took: its node, the time in seconds, and how often it ran."""

    node: Node
    seconds: float
    runs: int


class Stopwatch:
    """A compiled graph with clock reads. `program` is its function with them.

    Call `start` right before the function, and whenever time has passed that belongs to no line. After
    `limit_seconds` of measured time, the function raises `Stopped`.
    """

    def __init__(self, compiled: Compiled, limit_seconds: float | None = None):
        self._slots: dict[int, int] = {}  # by line
        self._nodes: list[Node] = []
        self._compiled, self._read_cost = compiled, _read_cost()
        module = ast.parse(compiled.source)
        module.body = [part for statement in module.body for part in self._statement(statement)]
        self._spent, self._runs = [0] * len(self._nodes), [0] * len(self._nodes)
        limit = None if limit_seconds is None else int(1e9 * limit_seconds)
        self.start, mark = _clock(self._spent, self._runs, limit)
        namespace = {**compiled.function.__globals__, _MARK: mark}
        code = compile(ast.fix_missing_locations(module), compiled.function.__code__.co_filename, "exec")
        exec(code, namespace)  # noqa: S102 - the code of a compiled graph
        codes = [part for part in code.co_consts if isinstance(part, type(code))]
        function = namespace[compiled.function.__name__]
        self.program = Compiled(function, compiled.source, compiled.nodes, codes)

    def take(self) -> list[LineTime]:
        """Return what each line took since the last call of `take`, in the order of the lines."""
        times = [
            LineTime(node, max(0.0, 1e-9 * (spent - self._read_cost * runs)), runs)
            for node, spent, runs in zip(self._nodes, self._spent, self._runs, strict=True)
        ]
        self._spent[:] = self._runs[:] = [0] * len(self._nodes)
        return times

    def _statement(self, statement: Any) -> Iterator[ast.stmt]:
        """Yield a statement of the compiled graph with clock reads in it and after it."""
        match statement:
            case ast.FunctionDef():
                statement.body = self._block(statement.body)
                yield statement
            case ast.If():
                statement.body = [*self._mark(statement), *self._block(statement.body)]
                statement.orelse = [*self._mark(statement), *self._block(statement.orelse)]
                yield statement
            case ast.For() | ast.While():
                statement.body = [*self._mark(statement), *self._block(statement.body)]
                yield statement
                yield from self._mark(statement)
            case ast.Return(value=ast.expr() as value):
                yield ast.Assign([ast.Name(_RESULTS, ast.Store())], value, lineno=statement.lineno)
                yield from self._mark(statement)
                yield ast.Return(ast.Name(_RESULTS, ast.Load()))
            case _:
                yield statement
                if not isinstance(statement, _UNTIMED):
                    yield from self._mark(statement)

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [part for statement in statements for part in self._statement(statement)]

    def _mark(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """Yield a clock read, if the statement belongs to a node."""
        node = self._compiled.nodes.get(statement.lineno)
        if node is not None:
            slot = self._slots.setdefault(statement.lineno, len(self._nodes))
            if slot == len(self._nodes):
                self._nodes.append(node)
            call = ast.Call(ast.Name(_MARK, ast.Load()), [ast.Constant(slot)], [])
            yield ast.copy_location(ast.Expr(call), statement)


def _clock(
    spent: list[int], runs: list[int], limit: int | None = None
) -> tuple[Callable[[], None], Callable[[int], None]]:
    """Return `start`, and `mark`, which adds the nanoseconds since the last call of either to a slot."""
    last, remaining = 0, limit or 0

    def start() -> None:
        nonlocal last
        last = perf_counter_ns()

    def mark(slot: int) -> None:
        nonlocal last
        spent[slot] += perf_counter_ns() - last
        runs[slot] += 1
        last = perf_counter_ns()

    def mark_with_limit(slot: int) -> None:
        nonlocal last, remaining
        passed = perf_counter_ns() - last
        spent[slot] += passed
        runs[slot] += 1
        remaining -= passed
        if remaining < 0:
            raise Stopped
        last = perf_counter_ns()

    return start, mark if limit is None else mark_with_limit


def _read_cost() -> float:
    """Return the nanoseconds that a clock read adds to the time of a line."""
    averages = []
    for _ in range(_TRIALS):
        spent, runs = [0], [0]
        start, mark = _clock(spent, runs)
        start()
        for _ in range(_READS):
            mark(0)
        averages.append(spent[0] / runs[0])
    return min(averages)
