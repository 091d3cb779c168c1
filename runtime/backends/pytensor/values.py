"""PyTensor's variables: their types, truth, items, and the errors that a program raises."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.graph.basic import Variable

from ...core.active_backends import ACTIVE
from ...errors import StagingError
from ...staging.branches.exceptions import fields_of
from ...values.structures import flatten, unflatten
from ..functional.abstract_values import Aval, Maybe
from ..functional.capturing import CapturingBackend
from ..functional.iterables import StagedSequence
from ..functional.optional_values import Optional
from ..functional.staged_text import Text, operands_of
from . import items as indexing
from .builtins import BUILTINS, call_library, round_
from .errors import Failure, Failures, known_value
from .items import length_of
from .numpy import replaced
from .operators import OPERATORS, is_tensor, negated, typed
from .private import OperatorsInTraces
from .stacked_lists import Rows, StackedList, array_of, joined

_DTYPES = {bool: "bool", int: "int64", complex: "complex128"}


class _Calls(threading.local):
    """The outermost converted functions that are running: the errors that each may raise."""

    def __init__(self) -> None:
        self.failures: list[Failures] = []


class PytensorValues(CapturingBackend):
    """Operations of the backend on single values."""

    name = "pytensor"
    libraries = ("pytensor",)
    array_noun = "a tensor"
    announces = starts_at_calls = True
    builtins = BUILTINS
    boolean = Aval("bool", ())

    def __init__(self) -> None:
        super().__init__()
        self.calls = _Calls()
        self.operators = OperatorsInTraces(self.staging, OPERATORS)

    def owns(self, kind: type) -> bool:
        return issubclass(kind, Variable)

    is_array = staticmethod(is_tensor)

    def is_staged(self, value: Any) -> bool:
        return isinstance(value, (Variable, Maybe, Optional, StackedList, StagedSequence, Text))

    def staging(self) -> bool:
        return bool(self.calls.failures)

    # Calls of converted functions

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Collect the errors that a call of a converted function may raise, apart from those around it."""
        captures, self._local.captures = self.captures, []
        self.calls.failures.append(Failures())
        ACTIVE.append(self)
        try:
            with self.operators:
                yield
        finally:
            ACTIVE.remove(self)
            self.calls.failures.pop()
            self._local.captures = captures

    def returned(self, value: Any) -> Any:
        """Return a result whose computation raises the errors of the call."""
        leaves, spec = flatten(value)
        failures = self.calls.failures[-1]
        leaves = [self._returned(leaf) for leaf in leaves]
        if failures.found:
            arrays = {i: leaf for i, leaf in enumerate(leaves) if self.aval(leaf) is not None}
            if not arrays:
                raise StagingError(
                    "a function raises an error under a condition on PyTensor variables, but returns nothing",
                    why="PyTensor computes results only, and the error is raised where a result is computed",
                    remedy="return a number or a tensor, such as the value that the function checks",
                )
            for i, leaf in arrays.items():
                leaves[i] = failures.checked(leaf if is_tensor(leaf) else pt.as_tensor(np.asarray(leaf)))
        return unflatten(spec, leaves)

    def _returned(self, leaf: Any) -> Any:
        if isinstance(leaf, Optional):
            raise StagingError(
                "a function that is staged by PyTensor returns a value that may be None",
                why="its graphs compute tensors, and whether this one is None is known only when they run",
                remedy="return a number in its place, such as np.nan",
            )
        if isinstance(leaf, Text):
            raise StagingError(
                "a function that is staged by PyTensor returns text that contains staged values",
                why="its graphs compute tensors of numbers",
                remedy="return the values, and make the text of the results",
            )
        return array_of(self.bound(leaf))

    # Lists

    def unstaged(self, value: Any) -> Any:
        """Return a list that a loop has lengthened, once no branch or loop is being captured."""
        value = super().unstaged(value)
        has_rows = type(value) is list and any(isinstance(item, Rows) for item in value)
        return joined(value) if has_rows else value

    def sequence(self, iterated: Any) -> StagedSequence:
        return super().sequence(array_of(iterated))

    # Types

    def as_number(self, value: Any) -> Any:
        if is_tensor(value):
            value.tag.is_python_number = True
        return value

    def aval(self, value: Any) -> Aval | None:
        if is_tensor(value):
            is_weak = getattr(value.tag, "is_python_number", False)
            return Aval(value.dtype, tuple(value.type.shape), weak=is_weak)
        kind = type(value)
        if kind in _DTYPES:
            return Aval(_DTYPES[kind], (), weak=kind is not bool)
        if kind is float:
            return Aval(pytensor.config.floatX, (), weak=True)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
            return Aval(value.dtype.name, value.shape)
        return None

    def merge_avals(self, first: Aval, second: Aval) -> Aval:
        if len(first.shape) != len(second.shape):
            raise TypeError(
                f"one has {len(first.shape)} dimensions, the other {len(second.shape)}, and PyTensor's types "
                "have a fixed number of dimensions"
            )
        shape = tuple(a if a == b else None for a, b in zip(first.shape, second.shape, strict=True))
        return Aval(_common_dtype(first, second), shape, first.weak and second.weak)

    def widen(self, before: Any, after: Any) -> Any:
        """Merge the types of a value before and after an iteration. What a `scan` carries has one shape."""
        for a, b in zip(getattr(before, "shape", ()), getattr(after, "shape", ()), strict=False):
            if a != b and None not in (a, b):
                raise TypeError(f"a length changes from {a} to {b}, and PyTensor's loops carry fixed shapes")
        return super().widen(before, after)

    def cast(self, value: Any, aval: Aval) -> Any:
        if is_tensor(value):
            return value if value.dtype == aval.dtype else pt.cast(value, aval.dtype)
        if type(value) is int:
            return pt.constant(np.array(value, aval.dtype))
        return pt.constant(np.asarray(value).astype(aval.dtype))

    def zeros(self, aval: Aval) -> Any:
        return pt.constant(np.zeros([size or 0 for size in aval.shape], aval.dtype))

    # Values

    def truth_of_array(self, value: Any) -> Any:
        if not isinstance(value, Variable):
            return bool(value)
        value = pt.as_tensor(value)
        if value.ndim:
            if any(size != 1 for size in value.type.shape):
                raise ValueError(
                    "The truth value of an array with more than one element is ambiguous. "
                    "Use a.any() or a.all()"
                )
            value = value.reshape(())
        return value if value.dtype == "bool" else pt.neq(value, 0)

    negated = staticmethod(negated)
    where = staticmethod(pt.switch)

    @staticmethod
    def logical_and(first: Any, second: Any) -> Any:
        return pt.and_(typed(first), typed(second))

    @staticmethod
    def logical_or(first: Any, second: Any) -> Any:
        return pt.or_(typed(first), typed(second))

    minimum = staticmethod(pt.minimum)
    maximum = staticmethod(pt.maximum)
    contains = staticmethod(indexing.contains)
    call_library = staticmethod(call_library)

    def length(self, value: Any) -> Any:
        if not value.ndim:
            raise TypeError("iteration over a 0-d array")
        return length_of(value)

    def get_item(self, target: Any, key: Any) -> Any:
        return indexing.get_item(array_of(target), key, self.fail)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        return indexing.set_item(target, key, value, self.fail)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        if function is pt.stack:
            return lambda items, *axis, **rest: (
                items.array
                if isinstance(items, StackedList) and not (axis or rest)
                else pt.stack(items, *axis, **rest)
            )
        if function is round:
            return lambda value, *digits: (
                round_(value, *digits) if is_tensor(value) else round(value, *digits)
            )
        return replaced(function) if self.staging() else None

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        return super().call_builtin(function, tuple(map(array_of, args)), kwargs)

    # Errors

    @property
    def failures(self) -> Failures:
        """The errors of the code that is being traced."""
        self.check_traced()
        return self.captures[-1].failures if self.captures else self.calls.failures[-1]

    def check_traced(self) -> None:
        """Check that a call of a converted function is being traced, whose results raise the errors."""
        if not self.calls.failures:
            raise StagingError(
                "converted code meets a variable outside of a call of a function that ag.convert returned",
                why="PyTensor has no traces, so such a call is one; generators and to_graph have none",
                remedy="call it from a converted function: ag.convert(model), with def model(x): return f(x)",
            )

    def has_effects(self) -> bool:
        return bool(self.failures.found)

    def fail(self, failed: Any, error: BaseException) -> None:
        operands, rebuild = operands_of(error.args, is_tensor, known_value)
        flag = self.cast(failed, self.boolean)
        self.failures.add(Failure(type(error), flag, operands, rebuild, fields_of(error)))


def _common_dtype(first: Aval, second: Aval) -> str:
    """Return the promoted dtype. A Python number takes the other dtype unless its own kind is wider."""
    if first.dtype == second.dtype or first.weak == second.weak:
        return pytensor.scalar.upcast(first.dtype, second.dtype)
    weak, strong = (first, second) if first.weak else (second, first)
    ranks = [_RANKS[np.dtype(aval.dtype).kind] for aval in (weak, strong)]
    return strong.dtype if ranks[0] <= ranks[1] else pytensor.scalar.upcast(weak.dtype, strong.dtype)


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
