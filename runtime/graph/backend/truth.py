"""`and`, `or` and `not` in the graph, and what the tests of the current branches have decided.

As a value, `queue and x > 0` has no type: it is a list or a bool. Nor has `best and best[0] > 0`, if `best`
is a tuple or None. As the test of an `if` or a `while`, only its truth matters. So it is a `Truth`, which
only conditions can use.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, NoReturn

import numpy as np

from ... import staging
from ...core.active_backends import CAPTURES, active_backend
from ...errors import MismatchError, StagingError
from ...staging.state.missing_values import OptionalStructure
from ..ir.graph import Graph, Node
from ..ir.types import ArrayType, ScalarType, bound_type
from ..tracing import recording
from ..tracing.containers.staged_lists import StagedList
from ..tracing.optional_lists import OptionalList
from ..tracing.tensor import Optional, Scalar, Staged, some
from ..tracing.trace import current_builder

_BOOL, _NUMPY_BOOL = ScalarType(bool), ArrayType(np.dtype(bool), ())


class Truth(Scalar):
    """The truth of an `and` or `or` whose operands have no common type."""

    __slots__ = ()

    def node(self) -> NoReturn:
        raise MismatchError(
            "the value of an 'and' or 'or' is a list or an object on one path and a value of another type on "
            "the other",
            why="the graph selects one of them at run time, and later code needs one type for both",
            remedy="use it only as a condition, or compute a bool: bool(items) and x > 0",
        )

    def as_bool(self) -> Any:
        return Scalar(self._node, self._owner)


def as_condition(value: Any) -> Any:
    """Return a value that a condition tests in a form that has a node."""
    return value.as_bool() if isinstance(value, Truth) else value


def and_(left: Any, right: Callable[[], Any]) -> Any:
    return short_circuit(left, right, is_and=True)


def or_(left: Any, right: Callable[[], Any]) -> Any:
    return short_circuit(left, right, is_and=False)


def not_(value: Any) -> Any:
    return recording.record("not_", (as_condition(value),), _BOOL)


def short_circuit(left: Any, right: Callable[[], Any], *, is_and: bool, test: Any = None) -> Any:
    """`left and right()` or `left or right()`. An object has its truth as `test`."""
    is_list, is_object = isinstance(left, (StagedList, OptionalList)), test is not None
    is_mixed, returns = isinstance(left, Truth), False

    def second() -> Any:
        nonlocal is_mixed, returns
        value = right()
        returns = True
        is_mixed = is_mixed or _is_mixed(left, value, is_object=is_object)
        return _truth(value) if is_mixed else value

    def first() -> Any:
        if is_mixed:
            return not is_and
        return left if is_and or is_object else some(left)

    test, backend = as_condition(left) if test is None else test, active_backend()
    if is_and:
        result = staging.if_exp(backend, test, second, first, "", (right,))
    elif is_list or is_object or is_mixed:
        result = staging.if_exp(backend, not_(test), second, first, "", (right,))
    else:
        result = staging.if_exp(backend, test, first, second, "", (right,))
    if not returns and _is_bool(left):
        return not is_and  # code after this runs only if the first operand decides
    if not is_mixed or not isinstance(result, Staged):
        return result
    result = _truth(result)
    return Truth(result.node(), current_builder())


def _is_mixed(left: Any, right: Any, *, is_object: bool) -> bool:
    """Return whether two operands have no common type, so that the result is a `Truth`.

    It is not one if the truth of an operand could change unseen, as that of an object could.
    """
    if isinstance(right, Truth):
        return True
    if is_object:
        return _is_bool(right)
    if _is_bool(left) and isinstance(right, (tuple, OptionalStructure)):
        return True
    lists = StagedList, OptionalList, list, deque
    return isinstance(right, lists) is not isinstance(left, lists[:2])


def _is_bool(value: Any) -> bool:
    return type(value) is bool or (
        isinstance(value, Staged) and bound_type(value.type) in (_BOOL, _NUMPY_BOOL)
    )


def _truth(value: Any) -> Any:
    value, _ = staging.truth(as_condition(value))
    if not isinstance(value, Staged):
        return bool(value)
    return value if value.type == _BOOL else recording.record("bool", (value,), _BOOL, function=bool)


def is_bool(value: Any) -> bool:
    """Return whether a staged value is a bool of Python, which can be tested for being True."""
    return bool(value.type == _BOOL)


def is_known(value: Any) -> bool:
    """Return whether a value is known not to be None in the current branch."""
    if not isinstance(value, Optional):
        return True
    tests = [(test.origin, outcome) for test, outcome in CAPTURES.tests if isinstance(test, Staged)]
    return any(
        fact.op == "is_none" and not truth and current_builder().stands_for(fact.inputs[0], value.origin)
        for test, outcome in tests
        for fact, truth in _implied(test, outcome)
    )


def _implied(test: Node, outcome: bool) -> Iterator[tuple[Node, bool]]:
    """Yield the nodes whose truth follows from a test: itself, and operands of `not`, `and` and `or`."""
    while test.op == "not_":
        test, outcome = test.inputs[0], not outcome
    yield test, outcome
    if test.op == "output" and test.inputs[0].op == "cond":
        condition, index = test.inputs[0], test.attrs["index"]
        for branch, decided in (condition.attrs["then"], True), (condition.attrs["orelse"], False):
            if _truth_in(branch, branch.results[index], condition, decided=decided) is (not outcome):
                yield from _implied(condition.inputs[0], not decided)
                break


def _truth_in(branch: Graph, result: Node, condition: Node, *, decided: bool) -> bool | None:
    """Return the truth of what a branch leaves, if that is a constant or the test, which has `decided`."""
    while result.op in ("convert", "bool"):
        result = result.inputs[0]
    if result.op == "constant":
        return bool(result.attrs["value"])
    outer = dict(zip(branch.arguments, condition.inputs[1:], strict=False))
    return decided if outer.get(result) is condition.inputs[0] else None


def is_member(value: Any, other: Any) -> Any:
    """Return whether a staged value and another are the same member, or NotImplemented if it is no member.

    Raises:
        StagingError: the members are numbers or text, which the graph does not tell from others.
    """
    if not isinstance(value, (Scalar, Optional)):
        return NotImplemented
    kind = bound_type(value.type)
    if isinstance(kind, ScalarType) and kind.is_enumeration:
        is_alike = bound_type(other.type) == kind if isinstance(other, Staged) else type(other) is kind.python
        return recording.record("is_same", (value, other), _BOOL) if is_alike else False
    if isinstance(other, Enum):
        raise StagingError(
            f"'is' compares a staged value of type {kind} with {other!r}",
            why="the graph holds the member as a plain value of its type",
            remedy="compare with == instead",
        )
    return NotImplemented
