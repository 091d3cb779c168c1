"""What the backend of expressions works with: kinds of values, text, positions of keys, and runs."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from autograph_rs.runtime.backends import BackendNeutral
from autograph_rs.runtime.backends.functional.captures import Capture
from autograph_rs.runtime.core.active_backends import ACTIVE
from autograph_rs.runtime.core.undefined import is_return_variable
from autograph_rs.runtime.debugging.positions import position_at
from autograph_rs.runtime.debugging.tracebacks import user_frame
from autograph_rs.runtime.errors import StagingError, ValueNeededError

from .conditions import Conditions, result_of


@dataclass(frozen=True)
class Kind:
    """The type of a value. `unbound` is the name of a variable that some path leaves without a value.

    Symbolic values of a framework without types have one type, and plain ones that of their class.
    """

    type: Any
    unbound: str = ""

    def __str__(self) -> str:
        name = self.type.__name__ if isinstance(self.type, type) else str(self.type)
        return f"{name} or unbound" if self.unbound else name

    @property
    def is_flagged(self) -> bool:
        """Return whether a flag tells if there is a value. Code that returns one needs no flag to know."""
        return bool(self.unbound) and not is_return_variable(self.unbound)


EXPRESSION, NUMBER, NONE = Kind("expression"), Kind("number"), Kind("None")
EFFECTS = "start, print, raise_ and finish"


class Place(BackendNeutral):
    """The position of a symbolic key among plain keys. `tests` has the condition for each of them."""

    def __init__(self, conditions: Conditions, tests: list[Any]):
        self.conditions, self.tests = conditions, tests

    def __ge__(self, _: int) -> Any:
        return functools.reduce(self.conditions.or_, self.tests, False)

    def __lt__(self, _: int) -> Any:
        return self.conditions.not_(self >= 0)

    def __eq__(self, place: object) -> Any:
        return self.tests[place]  # type: ignore[call-overload]

    __hash__ = None  # type: ignore[assignment] # it is no number


class Field:
    """A symbolic value in an f-string, which leaves a mark in the text."""

    def __init__(self, run: Run, value: Any, conversion: str):
        self.run, self.value, self.conversion = run, value, conversion

    def __format__(self, spec: str) -> str:
        self.run.fields.append((self.value, self.conversion, spec))
        return f"\0{len(self.run.fields) - 1}\0"

    def __str__(self) -> str:
        return format(self, "")


class Run:
    """One run of a converted function: its operators, and the branches that are running."""

    def __init__(self, operators: Any):
        self.operators, self.conditions = operators, Conditions(operators)
        self.has_loops = hasattr(operators, "while_loop")
        self.has_effects = hasattr(operators, "start")
        self.start = self.token = result_of(operators, "start") if self.has_effects else None
        self.captures: list[Capture] = []
        self.failed: Any = False
        self.made: dict[Any, Any] = {}
        self.fields: list[tuple[Any, str, str]] = []


class _Runs(threading.local):
    def __init__(self) -> None:
        self.stack: list[Run] = []


class Running:
    """The runs of converted functions in each thread, and what the innermost one defines."""

    def __init__(self) -> None:
        self._runs = _Runs()

    @property
    def stack(self) -> list[Run]:
        """The runs of this thread, innermost last."""
        return self._runs.stack

    def staging(self) -> bool:
        return bool(self.stack)

    @contextmanager
    def running(self, operators: Any) -> Iterator[None]:
        self.stack.append(Run(operators))
        ACTIVE.append(self)
        try:
            yield
        finally:
            ACTIVE.remove(self)
            self.stack.pop()

    def is_running(self, operators: Any) -> bool:
        return self.staging() and self.operators is operators

    @property
    def run(self) -> Run:
        if not self.stack:
            raise StagingError(
                "operators on expressions are used outside of a converted function",
                why="conditions and failures belong to one run of a function",
                remedy="call them in a function that `convert` of the operators has converted",
            )
        return self.stack[-1]

    @property
    def operators(self) -> Any:
        return self.run.operators

    @property
    def conditions(self) -> Conditions:
        return self.run.conditions

    @property
    def framework(self) -> str:
        """The name of the operators."""
        return type(self.operators).__name__


class UnknownText:
    """The text of an f-string for which the framework has no expression: the message of an error, at most."""

    def __init__(self, name: str, parts: Sequence[Any]):
        self.name, self.parts = name, parts
        frame = user_frame(sys._getframe())
        self.place = None if frame is None else position_at(frame.f_code, frame.f_lasti)

    def as_message(self) -> str:
        return "".join(part if isinstance(part, str) else "<symbolic>" for part in self.parts)

    def refuse(self, *_: Any) -> NoReturn:
        raise ValueNeededError(
            "text of symbolic values is used",
            why=f"{self.name} has no method 'text', which would build its expression",
            remedy="define it, or return numbers",
            place=self.place,
        )

    __str__ = __format__ = __eq__ = __add__ = __radd__ = __bool__ = __len__ = refuse
    __hash__ = None  # type: ignore[assignment]


def show_message(error: BaseException) -> None:
    """Give an error whose message has text of symbolic values a message that Python can show."""
    if any(isinstance(a, UnknownText) for a in error.args):
        error.args = tuple(a.as_message() if isinstance(a, UnknownText) else a for a in error.args)
