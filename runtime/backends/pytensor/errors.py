"""Errors that a program raises when it runs.

A graph of PyTensor has no effects: an error is raised by an operation on a result. Each call of a converted
function therefore notes when it would fail, and its results pass through operations that raise.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.raise_op import CheckAndRaise

from ...debugging.positions import format_position, position_at
from ...debugging.tracebacks import user_frame
from ...errors import StagingError
from ...staging.branches.exceptions import revived
from .operators import negated


@dataclass
class Failure:
    """An error, raised if the staged truth value `flag` is true.

    `operands` are the staged values in its arguments, and `rebuild` inserts their values into them.
    """

    kind: type[BaseException]
    flag: Any
    operands: Sequence[Any]
    rebuild: Callable[[Sequence[Any]], Any]
    fields: Any = None

    @property
    def leaves(self) -> list[Any]:
        return [self.flag, *self.operands]

    def at(self, leaves: Sequence[Any]) -> Failure:
        """Return the same error with other variables for its flag and its operands."""
        return Failure(self.kind, leaves[0], leaves[1:], self.rebuild, self.fields)

    def checked(self, value: Any) -> Any:
        """Return a variable equal to `value` whose computation raises the error."""
        if self._has_plain_text:
            return CheckAndRaise(self.kind, *self.rebuild(()))(value, negated(self.flag))
        return RaiseIf(self.kind, self.rebuild, self.fields)(value, *self.leaves)

    @property
    def _has_plain_text(self) -> bool:
        """Return whether the error is made of one text, which every linker of PyTensor raises."""
        if self.operands or not issubclass(self.kind, Exception):
            return False
        args = self.rebuild(())
        if len(args) > 1 or not all(isinstance(arg, str) for arg in args):
            return False
        made = revived(self.kind, args, self.fields)
        return type(made) is self.kind and vars(made) == {} and str(made) == str(self.kind(*args or ("",)))


@dataclass
class Failures:
    """The errors that the traced code may raise, in program order: only the first is raised."""

    found: list[Failure] = field(default_factory=list)

    def add(self, failure: Failure) -> None:
        earlier = self.flag
        if earlier is not False:
            failure = failure.at([pt.and_(failure.flag, negated(earlier)), *failure.operands])
        self.found.append(failure)

    @property
    def flag(self) -> Any:
        """Return whether the code fails: False if it cannot, else a variable."""
        flags = [failure.flag for failure in self.found]
        return functools.reduce(pt.or_, flags) if flags else False

    def checked(self, value: Any) -> Any:
        for failure in self.found:
            value = failure.checked(value)
        return value


class ShapeChangeError(StagingError):
    """A loop changes the shape of an array when the graph runs."""

    def __init__(self, position: str):
        super().__init__(
            f"a loop changes the shape of an array\n  {position}",
            why="PyTensor's scan stores the array of each iteration, and all have one shape",
            remedy="use an array of the final shape, and assign its items",
            place=None,
        )


def position() -> str:
    """Return the position of the running statement of the user."""
    frame = user_frame(sys._getframe(1))
    return "" if frame is None else "\n    ".join(format_position(position_at(frame.f_code, frame.f_lasti)))


class RaiseIf(Op):
    """Returns its first input, or raises an error with values in its arguments if the second is true."""

    __props__ = ("kind", "rebuild")
    view_map = {0: [0]}

    def __init__(self, kind: type[BaseException], rebuild: Callable[[Sequence[Any]], Any], fields: Any):
        self.kind, self.rebuild, self.fields = kind, rebuild, fields

    def make_node(self, value: Any, flag: Any, *operands: Any) -> Apply:
        return Apply(self, [value, flag, *operands], [value.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Sequence[list[Any]]) -> None:
        value, flag, *operands = inputs
        if flag:
            raise revived(self.kind, self.rebuild(operands), self.fields)
        outputs[0][0] = value

    def pullback(self, inputs: Any, outputs: Any, gradients: Sequence[Any]) -> list[Any]:
        return [gradients[0], *[DisconnectedType()() for _ in inputs[1:]]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i == 0] for i in range(len(node.inputs))]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0]]


def known_value(array: Any, _: Any) -> Any:
    return np.asarray(array)[()]
