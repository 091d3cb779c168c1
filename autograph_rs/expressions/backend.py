"""The backend of all frameworks of expressions. It runs both branches and selects between their results."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from autograph_rs.runtime import staging
from autograph_rs.runtime.backends import BACKENDS, register_backend
from autograph_rs.runtime.backends.functional.abstract_values import Maybe
from autograph_rs.runtime.backends.functional.iterables import StagedSequence
from autograph_rs.runtime.core.active_backends import CAPTURES
from autograph_rs.runtime.core.closures import nothing, set_nothing
from autograph_rs.runtime.core.undefined import Undefined, is_return_variable, unbound_local_error
from autograph_rs.runtime.debugging.error_operands import has_staged_variable
from autograph_rs.runtime.debugging.tracebacks import is_user_frame, traceback_entries, user_position
from autograph_rs.runtime.errors import (
    MismatchError,
    MissingValueError,
    RaiseInTryError,
    UnsupportedPlaceError,
    ValueNeededError,
)
from autograph_rs.runtime.staging.branches.exceptions import is_own_raise, raise_in_program, refuse_caught
from autograph_rs.runtime.values.structures import flatten, unflatten

from .builtins import Builtins
from .conditions import OnlyTruth, result_of, results_of
from .loops import GraphCapture, known_or_maybe, pairs_of
from .values import EFFECTS, EXPRESSION, NONE, NUMBER, Kind, Place, UnknownText, show_message


class ExpressionBackend(Builtins):
    """A backend whose conditionals are selections, by the operators of the innermost run in a thread.

    It builds loops and effects if these operators have them.
    """

    announces = True

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[type] = set()

    def add(self, kinds: Sequence[type]) -> None:
        """Own the values of these classes, too."""
        if not self.kinds:
            register_backend(self)
        self.kinds.update(kinds)
        BACKENDS.clear()

    @property
    def name(self) -> str:
        return self.framework if self.stack else "expressions"

    # Values

    def owns(self, kind: type) -> bool:
        return issubclass(kind, tuple(self.kinds))

    def is_staged(self, value: Any) -> bool:
        return bool(self.stack) and (
            isinstance(value, (Maybe, OnlyTruth, Place, StagedSequence)) or self.operators.owns(value)
        )

    def is_bool(self, value: Any) -> bool:
        """Return whether `value is True` tests the value itself, and raise if that is not known."""
        if self.conditions.is_condition(value):
            return True
        raise ValueNeededError(
            "whether an expression is True is asked with 'is'",
            why="the expression may compute a number, and its value is known only when it is evaluated",
            remedy="test the value itself (if x), or define is_condition for the values that are bools",
        )

    @property
    def can_raise(self) -> bool:
        """Whether the function may raise when it is computed, rather than return the `failure`."""
        return self.run.has_effects

    def in_branch(self) -> bool:
        return bool(self.run.captures) or self.run.has_effects

    def is_inner(self, value: Any) -> bool:
        return False

    def is_handle(self, value: Any) -> bool:
        return False

    def type_of(self, value: Any) -> Kind | None:
        if isinstance(value, OnlyTruth):
            value.refuse()
        if isinstance(value, Maybe):
            held = self.type_of(value.value)
            return None if held is None else Kind(held.type, value.name)
        if value is None:
            return NONE if self.operators.allows_none else None
        if self.run.has_loops:
            is_held = isinstance(value, (*self.operators.kinds, *self.operators.constants))
            type_ = self.operators.type_of(value) if is_held else None
            if type_ is None and self.operators.owns(value):
                raise MismatchError(
                    f"a {type(value).__name__} without a type is the value of a branch or loop",
                    why=f"type_of of {self.framework} returns None for it",
                    remedy="return a type for each symbolic value that a branch or loop may leave",
                )
            return None if type_ is None else Kind(type_)
        if self.is_staged(value):
            return EXPRESSION
        if isinstance(value, self.operators.constants):
            return NUMBER if isinstance(value, (int, float, complex)) else Kind(type(value).__name__)
        return None

    def merge(self, first: Kind, second: Kind) -> Kind:
        unbound = first.unbound or second.unbound
        kinds = dict.fromkeys(Kind(kind.type) for kind in (first, second))
        kinds.pop(NONE, None)
        if len(kinds) < 2:
            return Kind(next(iter(kinds), NONE).type, unbound)
        if self.run.has_loops:
            return Kind(self.operators.merge(*[kind.type for kind in kinds]), unbound)
        if EXPRESSION not in kinds:
            raise TypeError("values of two types have no common expression")
        return Kind(EXPRESSION.type, unbound)

    def unbound(self, held: Kind, name: str) -> Kind:
        if not name.isidentifier():
            raise TypeError("one path leaves it without a value; assign a value on each path")
        return held if held.unbound else Kind(held.type, name)

    def bound(self, value: Any) -> Any:
        """Return the value of a variable that is read, or fail where it has none."""
        if not isinstance(value, Maybe):
            return value
        test = is_return_variable(value.name) or self.known(value.bound)
        if test is not True and not self.operators.can_fail:
            raise MissingValueError(
                f"the variable {value.name!r} is read, but an earlier 'if' or loop may leave it unbound",
                why="its condition is symbolic, so an expression for each path is needed",
                remedy=f"assign {value.name!r} on each path, or before the statement",
            )
        self.fail(self.conditions.not_(test), unbound_local_error(value.name))
        return value.value

    def returned(self, value: Any) -> Any:
        for leaf in flatten(value)[0]:
            if isinstance(leaf, (OnlyTruth, UnknownText)):
                leaf.refuse()
        return self.bound(value)

    # Conditions

    def known(self, value: Any) -> Any:
        """Return a value as it is known where the tests of the running branches have been decided."""
        for test, outcome in CAPTURES.tests:
            value = self.conditions.assuming(value, test, outcome=outcome)
        return value

    def narrowed(self, value: Any) -> Any:
        if not isinstance(value, Maybe):
            return self.known(value) if self.is_staged(value) else value
        is_bound = self.known(value.bound)
        if isinstance(is_bound, bool):
            return value.value if is_bound else Undefined(value.name)
        return value

    def truth(self, value: Any) -> Any:
        return self.known(self.conditions.truth(self.bound(value)))

    def not_(self, value: Any) -> Any:
        return self.conditions.not_(self.truth(value))

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        first = False if self.conditions.is_condition(left) else left
        return self._chosen(left, right, lambda: first, right)

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        first = True if self.conditions.is_condition(left) else left
        return self._chosen(left, lambda: first, right, right)

    def both(self, first: Any, second: Any) -> Any:
        return self.known(self.conditions.and_(self.truth(first), self.truth(second)))

    def either(self, first: Any, second: Any) -> Any:
        return self.known(self.conditions.or_(self.truth(first), self.truth(second)))

    def _chosen(self, left: Any, then: Callable[[], Any], orelse: Callable[[], Any], last: Any) -> Any:
        test = self.truth(left)
        if isinstance(test, bool):
            return then() if test else orelse()
        try:
            return staging.if_exp(self, test, then, orelse, "", (last,))
        except MismatchError as error:
            error.remedy = "make both operands conditions, such as x != 0, or use the result only as a test"
            truths = [lambda value=value: self.truth(value()) for value in (then, orelse)]
            return OnlyTruth(staging.if_exp(self, test, *truths, "", (last,)), error)

    def is_none(self, value: Any) -> Any:
        value = self.value_of(value)
        return self.operators.owns(value) and self.known(self.operators.is_none(value))

    # Statements

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> GraphCapture:
        if arguments and not self.run.has_loops:
            self.refuse_loop()
        with self._capturing(arguments) as (capture, values):
            capture.value, capture.leaves = run(*values)
        return capture

    @contextmanager
    def _capturing(self, arguments: Sequence[Any] = ()) -> Iterator[tuple[GraphCapture, list[Any]]]:
        token, failed = self.run.token, self.run.failed
        capture, values = self.enter_body(arguments) if arguments else (GraphCapture(), [])
        self.run.captures.append(capture)
        try:
            yield capture, values
        except staging.AlwaysRaises as error:
            capture.raised = error
        except Exception as error:
            if not self._is_own_raise(error):
                raise
            self._refuse_caught(error)
            self._failed(True, error)
            capture.raised = error
        finally:
            self.run.captures.pop()
            capture.token, self.run.token = self.run.token, token
            if arguments:
                capture.failed, self.run.failed = self.run.failed, failed

    @property
    def open_branch(self) -> Callable[[], AbstractContextManager[GraphCapture]]:
        """Return a context manager that captures a branch, which `try` needs. It needs effects."""
        if not self.run.has_effects:
            raise AttributeError("exceptions need effects")
        return self._open_branch

    @contextmanager
    def _open_branch(self) -> Iterator[GraphCapture]:
        with self._capturing() as (capture, _):
            yield capture

    @contextmanager
    def undone_after(self, error: type[BaseException]) -> Iterator[None]:
        token = self.run.token
        try:
            yield
        except error:
            self.run.token = token
            raise

    def cond(
        self, pred: Any, captures: tuple[Any, Any], outputs: Sequence[tuple[Any, Any, Kind]]
    ) -> list[Any]:
        test = self.truth(pred)
        pairs = [pair for output in outputs for pair in pairs_of(*output)]
        tokens = [capture.token for capture in captures]
        if tokens[0] is not tokens[1]:
            pairs.append((*tokens, None))
        results = self._selected(test, pairs)
        self.run.token = results.pop() if tokens[0] is not tokens[1] else tokens[0]
        values = iter(results)
        return [known_or_maybe(kind, values) for _, _, kind in outputs]

    def _selected(self, test: Any, pairs: Sequence[tuple[Any, Any, Any]]) -> list[Any]:
        """Select between two values in each pair, which has a type at the end unless it needs none."""
        if not self.run.has_loops:
            return [self.conditions.select(test, first, second) for first, second, _ in pairs]
        results, others = [], []
        for i, (first, second, type_) in enumerate(pairs):
            is_flag = self.conditions.is_condition(first) and self.conditions.is_condition(second)
            select = self.conditions.select if is_flag else self.conditions.simple_selection
            results.append(select(test, first, second))
            if results[i] is NotImplemented:
                sides = [v if type_ is None else self.cast(v, type_) for v in (first, second)]
                others.append((i, *sides))
        if others:
            positions, then, orelse = zip(*others, strict=True)
            values = results_of(self.operators, "cond", len(then), test, list(then), list(orelse))
            for i, *sides, value in zip(positions, then, orelse, values, strict=True):
                results[i] = self.conditions.note("where", (test, *sides), value)
        return results

    # Failures

    def fail(self, test: Any, error: BaseException) -> None:
        """Note that the function raises an error where a condition is true."""
        test = self.truth(test)
        if test is True:
            raise_in_program(error)
        if test is not False:
            self._refuse_caught(error)
            self._failed(test, error)

    def _is_own_raise(self, error: BaseException) -> bool:
        """Return whether the program raises an exception, rather than the system about a symbolic value."""
        files, codes = self.files, self.codes
        frames = [entry.tb_frame for entry in traceback_entries(error.__traceback__)]
        of_system = itertools.takewhile(
            lambda frame: frame.f_code.co_filename in files or frame.f_code in codes, reversed(frames)
        )
        is_unbound = type(error) in (NameError, UnboundLocalError) and is_user_frame(frames[-1])
        return (is_unbound or is_own_raise(error)) and not any(map(has_staged_variable, of_system))

    def _refuse_caught(self, error: BaseException) -> None:
        try:
            refuse_caught(error)
        except RaiseInTryError as refused:
            if self.run.has_loops and not self.run.has_effects:
                refused.remedy += f", or define {EFFECTS} in {self.framework}"
            raise

    def _failed(self, test: Any, error: BaseException) -> None:
        show_message(error)
        self._check_failure(error)
        if self.run.has_effects:
            raised = result_of(self.operators, "raise_", self.run.token, error)
            [self.run.token] = self._selected(test, [(raised, self.run.token, None)])
            return
        for outer, outcome in reversed(CAPTURES.tests):
            outer = self.conditions.truth(outer)
            test = self.conditions.and_(outer if outcome else self.conditions.not_(outer), test)
        self.run.failed = self.conditions.or_(self.run.failed, test)

    def _check_failure(self, error: BaseException) -> None:
        """Raise if the operators have no value for a function that raises."""
        if self.operators.can_fail:
            return
        text = ", ".join("<symbolic>" if self.is_staged(a) else str(a) for a in error.args)
        missing, remedy = "'failure' to return", "return a value that stands for the error, such as math.nan"
        if self.run.has_loops:
            missing, remedy = f"effects ({EFFECTS})", f"define these, or {remedy}"
        if isinstance(error, NameError):
            remedy = "assign a value on each path that reads one"
        raise UnsupportedPlaceError(
            f"{type(error).__name__} is raised under a symbolic condition" + f": {text}" * bool(text),
            why=f"an expression raises nothing, and {self.framework} has no {missing}",
            remedy=remedy,
            place=user_position(error) or ...,
        ) from error

    def finished(self, result: Any) -> Any:
        """Return the result of a function, which is the `failure` of the operators where it raises."""
        failed = self.run.failed
        if self.run.has_effects:
            return self.operators.finish(result, self.run.token)
        if failed is False:
            return result
        leaves, spec = flatten(result)
        return unflatten(
            spec, [self.conditions.select(failed, self.operators.failure, leaf) for leaf in leaves]
        )

    def assert_(self, test: Any, msg: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*([] if msg is None else [msg()]))

        test = self.not_(test)
        if isinstance(test, bool):
            (fail if test else nothing)()
        else:
            staging.if_stmt(self, test, fail, nothing, tuple, set_nothing, (), 0)

    def ended(self, error: BaseException) -> bool:
        """Return whether an error ends a function that has raised under all other conditions."""
        has_failed = self.run.failed is not False or self.run.token is not self.run.start
        if isinstance(error, staging.AlwaysRaises):
            self.run.failed = True
        elif has_failed and self._is_own_raise(error):
            self._failed(True, error)
        else:
            return False
        return True


BACKEND = ExpressionBackend()
