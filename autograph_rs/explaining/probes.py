"""What comes by at the places of converted code where an operator looks at a value."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.converters.places import Span
from autograph_rs.runtime import staging
from autograph_rs.runtime.backends import staged_by
from autograph_rs.runtime.structures import flatten
from autograph_rs.runtime.switch import is_off

_TRUTHS = (bool, int, float, str, bytes, tuple, list, dict, set, type(None))


@dataclass
class Site:
    """A place in converted code, and what came by there.

    `operator` is what stands there: an operator, a statement that is Python's (`If`), or "" for a statement
    that is begun and "value" for its value. `is_own` tells an `if` of the user from a test of a flag at its
    place.
    """

    file: str
    span: Span
    operator: str
    text: str = ""
    state: tuple[str, ...] = ()
    is_own: bool = True
    staged: Counter[str] = field(default_factory=Counter)
    passed: int = 0
    true: int = 0
    false: int = 0
    rounds: list[int] = field(default_factory=list)
    going: int | None = None
    callees: dict[Any, Any] = field(default_factory=dict)

    def forget(self) -> None:
        self.staged, self.rounds, self.callees, self.going = Counter(), [], {}, None
        self.passed = self.true = self.false = 0

    # What instrumented code calls

    def ran(self) -> None:
        self.passed += 1

    def asked(self, value: Any) -> Any:
        """What decides: a staged value, or a plain one that is true or false."""
        self.passed += 1
        if not self._is_staged(value):
            self._count(value)
        return value

    def asked_again(self, value: Any) -> Any:
        """What a `while` is asked before each round."""
        if self.going is None:
            self.passed += 1
        if self._is_staged(value):
            self.close()
        elif type(value) in _TRUTHS and not value:
            self.going = self.going or 0
            self.close()
        else:
            self.going = (self.going or 0) + 1
        return value

    def begun(self, value: Any) -> Any:
        """What a `while` is given at its beginning; the run before may have been left by an exception."""
        self.close()
        return value

    def iterated(self, value: Any, is_asked: bool) -> Any:
        """What a `for` iterates; a plain one counts its rounds."""
        self.passed += 1
        looping = staging.looping() if is_asked and type(value) is range else None
        if looping is not None:
            self.staged[looping.name] += 1
        elif not self._is_staged(value):
            return _Counted(value, self)
        return value

    def made(self, value: Any, before: Any = None) -> Any:
        """The value of a statement, and what was in its target before."""
        if not self._is_staged(value):
            self._is_staged(before)
        return value

    def called(self, function: Any) -> Any:
        """What a call calls, and whether that is in a `do_not_convert()` block."""
        self.passed += 1
        off = is_off()
        self.callees[_identity(function), off] = function, off
        return function

    def close(self) -> None:
        """Take what was going on as ended."""
        if self.going is not None:
            self.rounds.append(self.going)
        self.going = None

    def _is_staged(self, value: Any) -> bool:
        backend = staged_by(value)
        if backend is None and isinstance(value, (tuple, list, dict, slice)):
            parts = [value.start, value.stop, value.step] if type(value) is slice else flatten(value)[0]
            backend = next((b for b in map(staged_by, parts) if b is not None), None)
        if backend is not None:
            self.staged[backend.name] += 1
        return backend is not None

    def _count(self, value: Any) -> None:
        kind = type(value)
        if kind in _TRUTHS or (kind.__module__ == "numpy" and kind.__name__ == "bool"):
            self.true, self.false = self.true + bool(value), self.false + (not value)


def _identity(function: Any) -> Any:
    """One key for what is the same function, though a bound method is another object each time."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodType):
        return id(function.__func__)
    if isinstance(function, types.BuiltinFunctionType) and not isinstance(owner, types.ModuleType):
        return type(owner), function.__name__
    return id(function)


class _Counted:
    """What a loop iterates, with a count of the rounds of each run."""

    def __init__(self, iterated: Iterable[Any], site: Site):
        self.iterated, self.site = iterated, site

    def __iter__(self) -> Iterator[Any]:
        return _Rounds(iter(self.iterated), self.site.rounds)


class _Rounds:
    def __init__(self, items: Iterator[Any], rounds: list[int]):
        self.items, self.rounds, self.place = items, rounds, len(rounds)
        rounds.append(0)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = next(self.items)
        self.rounds[self.place] += 1
        return item
