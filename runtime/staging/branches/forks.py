"""Capture what follows a condition once for each outcome, where its branches leave unlike values.

    if c:                      if c:
        t = (a, b)                 t = (a, b)
    else:                          y = sum(t)
        t = (a,)               else:
    y = sum(t)                     t = (a,)
                                   y = sum(t)

The function, branch or loop body around the condition runs again, as the two branches of a new condition. In
each run the outcome is decided, so that `t` has one type. What precedes the condition is captured in both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...backends import Backend
from ...core.closures import nothing, set_nothing
from ...core.forks import Fork, Reached, Run, begin_trace, current_run
from ...core.undefined import RETURN_VALUE
from ...errors import MismatchError, StagingError
from ..state.statement import SPLIT, Statement
from . import conditions


def fork_if_stmt(
    backend: Backend,
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    outputs: int,
) -> None:
    """Stage an `if` statement of user code, or run the branch that is decided."""
    state = get_state, set_state, names, outputs

    def stage(is_exact: bool) -> None:
        conditions.if_stmt(backend, cond, body, orelse, *state, is_exact=is_exact)

    _run_or_fork(backend, cond, body, orelse, stage)


def fork_if_exp(backend: Backend, cond: Any, if_true: Callable, if_false: Callable, text: str) -> Any:
    """Stage a conditional expression of user code, or evaluate the branch that is decided."""

    def stage(is_exact: bool) -> Any:
        return conditions.if_exp(backend, cond, if_true, if_false, text, is_exact=is_exact)

    return _run_or_fork(backend, cond, if_true, if_false, stage)


def _run_or_fork(
    backend: Any, cond: Any, first: Callable[[], Any], second: Callable[[], Any], stage: Callable[[bool], Any]
) -> Any:
    run = _run_of(backend)
    if run is None:
        return stage(False)
    index = run.meet(cond, backend.is_same_test)
    if index in run.outcomes:
        run.depth += 1
        try:
            return first() if run.outcomes[index] else second()
        finally:
            run.depth -= 1
    try:
        run.merging = index
        return stage(run.is_exact)
    except StagingError as error:
        run.fork(index, error)
        raise
    finally:
        run.merging = None


def decide(backend: Any, cond: Any, error: StagingError) -> bool:
    """Return the outcome of a condition, for which the code that follows is captured once for each.

    Raises:
        StagingError: that is impossible; `error` is raised.
    """
    error.can_fork = True  # type: ignore[attr-defined]
    run = _run_of(backend)
    if run is not None:
        index = run.meet(cond, backend.is_same_test)
        if index in run.outcomes:
            return run.outcomes[index]
        run.fork(index, error)
    raise error


def _run_of(backend: Any) -> Run | None:
    """Return the run that the condition of user code belongs to, or None if the backend cannot fork runs."""
    return current_run() if hasattr(backend, "rewound") else None


class Split:
    """A closure whose run a condition has forked: a condition with two runs of it."""

    def __init__(self, statement: Statement, closure: Callable[[], Any], fork: Fork):
        self.statement, self.closure, self.fork = statement, closure, fork
        if statement.heap.moved():  # an iterator has advanced, and cannot be put back
            raise self._error()
        self.restart: Callable[[], None] = nothing
        """Restore what was before the closure ran."""
        self.result: Any = None

    def __call__(self) -> Any:
        statement, backend = self.statement, self.statement.backend
        test = self._test()
        names = (*statement.names, f"{RETURN_VALUE}_0")
        try:
            conditions.if_stmt(
                backend, test, self._decided(outcome=True), self._decided(outcome=False), _State(self),
                self._set_state, names, len(names), closures=statement.closures,
                reached=[self.closure, *statement.reached],
            )  # fmt: skip
        except MismatchError:
            raise self._error() from None
        return self.result

    def _test(self) -> Any:
        """Run the closure again up to the condition, and return its test."""
        run = Run(self.fork.run.outcomes, self.fork.index, is_root=self.fork.run.is_root)
        backend: Any = self.statement.backend
        try:
            with backend.rewound(Reached), run:
                self.closure()
        except Reached as reached:
            if reached.run is not run:
                raise
            self.restart()
            if reached.condition is not None:
                return reached.condition
        raise self._error()

    def _error(self) -> Exception:
        """Return the error that the fork was to prevent, raised where it was."""
        return self.fork.error.with_traceback(self.fork.__traceback__)

    def _decided(self, *, outcome: bool) -> Callable[[], None]:
        def run() -> None:
            self.result = self.closure()

        outcomes = {**self.fork.run.outcomes, self.fork.index: outcome}
        forked = {"outcomes": outcomes, "is_root": self.fork.run.is_root, "printed": self.fork.printed}
        run.forked = forked  # type: ignore[attr-defined]
        return run

    def _set_state(self, values: tuple) -> None:
        self.statement.set_state(values[:-1])
        self.result = values[-1]


class _State:
    """The accessor that returns the state of a closure, and its result."""

    def __init__(self, split: Split):
        self.split, self.getter = split, split.statement.get_state
        self.functions = getattr(self.getter, "functions", ())

    def __call__(self) -> tuple:
        return (*self.getter(), self.split.result)

    def getter_of(self, index: int) -> Callable[[], tuple]:
        """Return the accessor of one variable."""
        return self.getter.getter_of(index) if hasattr(self.getter, "getter_of") else self.getter


SPLIT.append(Split)


def run_function(backend: Any, function: Callable[[], Any], reached: Sequence[Any]) -> Any:
    """Run the function that is traced. `reached` are values that it may change."""
    begin_trace()
    statement = Statement(backend, (function,), (tuple, set_nothing), (), is_expression=True, reached=reached)
    run, ended = Run(is_root=True), None
    try:
        with backend.undone_after(Fork):
            try:
                with run:
                    return function()
            except Fork:
                raise
            except BaseException as error:  # noqa: BLE001 - its attributes may be read-only
                ended = error
    except Fork as fork:
        if fork.run is not run:
            raise
        split = Split(statement, function, fork)
    if ended is not None:
        raise ended
    split.restart = statement.restore
    statement.restore()
    return split()
