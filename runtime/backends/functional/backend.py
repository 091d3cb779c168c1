"""The backend protocol in terms of a few array functions, for systems with functional control flow.

Such a system has a conditional that takes two functions and loops that take one; all of them return arrays.
This module represents unbound variables, indexes iterables and selects builtins; a system adds its
conditionals, its loops and the functions that `FunctionalBackend` declares.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ... import staging
from ...core.closures import nothing, set_nothing
from ...core.rolling_attempts import is_rolling, note_use, refuse_rolling
from ...staging.branches.exceptions import refuse_caught
from ...values.structures import flatten
from .. import staged_by
from .abstract_values import AppendedItems, Compound, Maybe
from .builtins import SHALLOW, SHOWING
from .captures import Capture, Loop, undone_after
from .counter_arithmetic import is_from_counter, merged_bound
from .iterables import Iterables, StagedSequence
from .nullable_values import NullableValues, flag_of, is_flagged
from .optional_values import KnownTests, Optional
from .staged_text import StagedField, Text

Outputs = Sequence[tuple[Any, Any, Any]]
"""For each output of a conditional: its leaf in the first branch, its leaf in the second, and its type."""


def noting(closure: Callable[[], Any], results: list[Any]) -> Callable[[], Any]:
    """Return a closure that also appends its result to a list."""

    def call() -> Any:
        results.append(closure())
        return results[-1]

    return call


class _State(threading.local):
    def __init__(self) -> None:
        self.captures: list[Any] = []
        self.in_operator = False
        self.failure: tuple[Any, Any] = (None, False)  # a trace, and whether it has raised


class FunctionalBackend(NullableValues, Iterables):
    """The part of `Backend` that all systems with functional control flow share."""

    name = ""
    has_effects: Callable[[], bool] = staticmethod(lambda: True)
    """Return whether the current program has an effect; True if that is not known."""
    loops_over_ranges = rolls_ranges = True
    boolean: Any = None
    builtins: Mapping[Any, Callable[..., Any]] = {}

    def __init__(self) -> None:
        missing = [name for name in FunctionalBackend.__annotations__ if not hasattr(self, name)]
        if missing:
            raise TypeError(f"{type(self).__name__} lacks {', '.join(missing)}")
        self._local = _State()
        self.known = KnownTests()

    # What a system implements

    is_array: Callable[[Any], bool]
    aval: Callable[[Any], Any]
    """Return the type of a bound value, or None."""
    merge_avals: Callable[[Any, Any], Any]
    cast: Callable[[Any, Any], Any]
    zeros: Callable[[Any], Any]
    truth_of_array: Callable[[Any], Any]
    negated: Callable[[Any], Any]
    """Negate a truth value."""
    where: Callable[[Any, Any, Any], Any]
    logical_and: Callable[[Any, Any], Any]
    logical_or: Callable[[Any, Any], Any]
    minimum: Callable[[Any, Any], Any]
    maximum: Callable[[Any, Any], Any]
    length: Callable[[Any], Any]
    """Return the number of items in an array that a loop iterates over."""
    get_item: Callable[[Any, Any], Any]
    fail: Callable[[Any, BaseException], Any]
    """Make the program raise an error at run time if a staged truth value is true."""
    is_user_error: Callable[[BaseException], bool]
    """Return whether user code, rather than the system, raised an error during the trace."""
    call_library: Callable[[Callable[..., Any], tuple, dict[str, Any]], Any]
    """Call the system's counterpart of a function outside `builtins`."""
    conditional: Callable[[Any, tuple[Any, Any], Outputs], list[Any]]
    stage_while: Callable[[Loop], list[Any]]
    stage_for: Callable[[Any, Loop], list[Any]]

    # Captures

    @property
    def captures(self) -> list[Any]:
        """The captures under way in this thread, outermost first."""
        return self._local.captures

    def in_branch(self) -> bool:
        return bool(self.captures)

    @contextmanager
    def capturing(self, capture: Capture) -> Iterator[None]:
        """Stage an exception raised by the closure traced in this context, and restore changed lists.

        This is a context manager because a call would add a frame to the stack, whose depth limits staged
        recursion.
        """
        self.captures.append(capture)
        try:
            yield
        except staging.AlwaysRaises as error:
            capture.raised = error
        except Exception as error:
            if not self.is_user_error(error):
                raise
            capture.raised = error
            refuse_caught(error)
            self.fail(True, error)
        finally:
            capture.restore_lists()
            self.captures.pop()

    undone_after = undone_after

    # Truth

    def truth(self, value: Any) -> Any:
        """Return the truth value of a staged value, as `bool` would."""
        if not isinstance(value, Optional):
            return self.truth_of_array(value)
        test = self.truth_of_array(value.value)
        return test if value.is_known else self.logical_and(value.is_present, test)

    def not_(self, value: Any) -> Any:
        result = self.negated(self.truth(value))
        for outcome in (True, False):
            self.known.note(result, outcome, [value], not outcome)
        return result

    # Conditionals

    def cond(self, pred: Any, captures: tuple[Any, Any], outputs: Outputs) -> list[Any]:
        """Stage a conditional.

        An output that is True on one path and False on the other becomes the test or its negation.
        """
        test = self.truth(pred)
        known: dict[int, Any] = {}
        for i, (first, second, _) in enumerate(outputs if self.is_array(test) else ()):
            if first is True and second is False:
                known[i] = test
            elif first is False and second is True:
                known[i] = self.not_(test)
        others = [output for i, output in enumerate(outputs) if i not in known]
        results = self.conditional(test, captures, others)
        if is_rolling():
            for (first, second, _), result in zip(others, results, strict=True):
                values = first, second
                self.set_number_bound(result, merged_bound(list(map(self.number_bound, values)), values))
        remaining = iter(results)
        return [known[i] if i in known else next(remaining) for i in range(len(outputs))]

    def select_arrays(self, test: Any, branches: Sequence[Sequence[Any]], outputs: Outputs) -> list[Any]:
        """Select between the result arrays of two branches, pair by pair."""
        leaves: list[tuple[Any, Any]] = []
        for first, second, aval in outputs:
            count = len(self.array_avals(aval))
            if is_flagged(aval):
                leaves += [(None, None)] * (count - 1) + [(flag_of(first, aval), flag_of(second, aval))]
            else:
                leaves += [(first, second) if count == 1 else (None, None)] * count
        return [self._select(test, *arrays) for arrays in zip(*branches, leaves, strict=True)]

    def _select(self, test: Any, first: Any, second: Any, leaves: tuple[Any, Any]) -> Any:
        """Select one of two arrays, by logical operations on the test if a leaf is True or False."""
        if first.dtype == self.boolean.dtype:
            if leaves[0] is True:
                return test if leaves[1] is False else self.logical_or(test, second)
            if leaves[1] is False:
                return self.logical_and(test, first)
            if leaves[0] is False:
                test = self.not_(test)
                return test if leaves[1] is True else self.logical_and(test, second)
            if leaves[1] is True:
                return self.logical_or(self.not_(test), first)
        return self.where(test, first, second)

    @property
    def can_compute_both(self) -> bool:
        """Return whether conditionals on numbers may run both branches: within captures, `and` and `or`."""
        return bool(self.captures) or self._local.in_operator

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        last = noting(right, operands := [left])
        result = self._short_circuit(left, last, lambda: False if self._is_boolean(left) else left, right)
        self.known.note(result, True, operands, True)
        return result

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        last = noting(right, operands := [left])
        result = self._short_circuit(left, lambda: True if self._is_boolean(left) else left, last, right)
        self.known.note(result, False, operands, False)
        return result

    def _is_boolean(self, value: Any) -> bool:
        return bool(self.type_of(value) == self.boolean)

    def _short_circuit(
        self, left: Any, then: Callable[[], Any], orelse: Callable[[], Any], right: Callable[[], Any]
    ) -> Any:
        before, self._local.in_operator = self._local.in_operator, True
        try:
            return staging.if_exp(self, left, then, orelse, "", (right,))
        finally:
            self._local.in_operator = before

    def assert_(self, test: Any, msg: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*([] if msg is None else [msg()]))

        staging.if_stmt(self, self.not_(test), fail, nothing, tuple, set_nothing, (), 0)

    # Loops

    def while_loop(self, *loop: Any, **named: Any) -> list[Any]:
        note_use("while")
        return self.stage_while(Loop(*loop, **named))

    def for_loop(self, iterated: Any, *loop: Any, **named: Any) -> list[Any]:
        note_use("for")
        return self.stage_for(iterated, Loop(*loop, **named))

    # Numbers computed from the counter of a loop that is being rolled

    def number_bound(self, value: Any) -> Any:
        """Return the bound of a staged number computed from the counter and plain numbers, else None."""
        return None

    def set_number_bound(self, value: Any, bound: Any) -> None:
        """Mark a staged number as computed from the counter and plain numbers."""

    # Types, and the arrays that hold values

    def component_avals(self, aval: Any) -> list[Any]:
        """Return the types of the arrays that hold a bound value."""
        return [aval]

    def components(self, value: Any, aval: Any) -> list[Any]:
        """Return the arrays that hold a bound value."""
        return [self.cast(value, aval)]

    def compose(self, aval: Any, arrays: list[Any], count: Any) -> Any:
        """Return the bound value that arrays hold; the inverse of `components`."""
        return arrays[0]

    def arrays_in(self, leaves: Sequence[Any]) -> list[Any]:
        """Return the distinct arrays in the leaves."""
        arrays: dict[int, Any] = {}
        for leaf in leaves:
            parts: list[Any] = [leaf]
            if isinstance(leaf, Maybe):
                parts = self.arrays_in([leaf.value, leaf.bound])
            elif isinstance(leaf, Optional):
                parts = self.arrays_in([leaf.value, leaf.is_present])
            elif isinstance(leaf, Compound):
                parts = leaf.parts
            elif isinstance(leaf, AppendedItems):
                parts = self.arrays_in(leaf.items)
            arrays.update((id(p), p) for p in parts if self.is_array(p))
        return list(arrays.values())

    # Calls

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        if function in SHALLOW and not any(map(staged_by, args)):
            return function(*args, **kwargs)
        if function is bool and args and isinstance(args[0], Optional):
            return self.truth(args[0])
        if function not in SHOWING and any(isinstance(arg, Optional) for arg in args):
            args = tuple(arg.of(function) if isinstance(arg, Optional) else arg for arg in args)
            return (
                function(*args, **kwargs)
                if not any(map(staged_by, args))
                else self.call_builtin(function, args, kwargs)
            )
        if function in (range, enumerate, zip, reversed):
            return self.iterable(function, args, kwargs)
        if function is map:
            return self.map_items(args[0], self.iterable(zip, args[1:], {}))
        if is_rolling():
            self._check_call(function, args)
        implementation = self.builtins.get(function)
        if implementation is not None:
            return implementation(*args, **kwargs)
        return self.call_library(function, args, kwargs)

    def _check_call(self, function: Callable[..., Any], args: tuple) -> None:
        """End the attempt to roll a loop if a function takes, or prints rounded, numbers from the counter."""
        if function not in SHOWING:
            is_refused = is_from_counter(list(map(self.number_bound, args)), args)
        else:
            leaves = flatten(args)[0]
            values = [v for leaf in leaves for v in (leaf.values if isinstance(leaf, Text) else [leaf])]
            is_refused = math.inf in map(self.number_bound, values)
        if is_refused:
            refuse_rolling()

    def fmt(self, value: Any, conversion: str) -> Any:
        return StagedField(value, conversion)

    def map_items(self, function: Callable[..., Any], rows: StagedSequence) -> Any:
        return [function(*row) for row in rows]
