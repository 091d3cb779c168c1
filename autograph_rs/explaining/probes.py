"""Probes, which record values in converted code while `explain` traces it."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.converters.diagnostics.unsupported import Span
from autograph_rs.runtime import staging
from autograph_rs.runtime.backends import staged_by
from autograph_rs.runtime.core.active_backends import active_backend
from autograph_rs.runtime.operators.opt_out import is_opted_out
from autograph_rs.runtime.values.structures import flatten

_PLAIN_TESTS = (bool, int, float, str, bytes, tuple, list, dict, set, type(None))


@dataclass
class Probe:
    """A position in converted code where values are observed, and the observations.

    `operator` names the code at the position: an operator, an unconverted statement (`If`), "" for the
    start of a statement, or "value" for its value. `is_user_test` distinguishes a user's condition from the
    test of a flag that the conversion added.
    """

    file: str
    span: Span
    operator: str
    text: str = ""
    state: tuple[str, ...] = ()
    is_user_test: bool = True
    staged: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    true: int = 0
    false: int = 0
    iterations: list[int] = field(default_factory=list)
    open_iterations: int | None = None
    callees: dict[Any, Any] = field(default_factory=dict)

    def reset(self) -> None:
        self.staged, self.iterations, self.callees, self.open_iterations = Counter(), [], {}, None
        self.runs = self.true = self.false = 0

    # Instrumented code calls these methods. Except for `start`, each stands in for the value that it records.

    def start(self) -> None:
        self.runs += 1

    def test(self, value: Any) -> Any:
        """Record the value that an operator or condition tests."""
        self.runs += 1
        if not self._is_staged(value):
            kind = type(value)
            if kind in _PLAIN_TESTS or (kind.__module__ == "numpy" and kind.__name__ == "bool"):
                self.true, self.false = self.true + bool(value), self.false + (not value)
        return value

    def start_while(self, value: Any) -> Any:
        """Record the start of a `while`, and the end of its previous run if an exception ended it."""
        self.end_while()
        return value

    def test_while(self, value: Any) -> Any:
        """Record a test of a `while`."""
        if self.open_iterations is None:
            self.runs += 1
        if self._is_staged(value):
            self.end_while()
        elif type(value) in _PLAIN_TESTS and not value:
            self.open_iterations = self.open_iterations or 0
            self.end_while()
        else:
            self.open_iterations = (self.open_iterations or 0) + 1
        return value

    def end_while(self) -> None:
        """Record the end of the current run of a `while`, if any."""
        if self.open_iterations is not None:
            self.iterations.append(self.open_iterations)
        self.open_iterations = None

    def iterate(self, value: Any, has_options: bool) -> Any:
        """Record the iterable of a `for`, and wrap a plain iterable to count its iterations."""
        self.runs += 1
        looping = staging.looping() if has_options and type(value) is range else None
        if looping is None and staging.source_of(value) is not None:
            looping = active_backend()  # the generator becomes part of the loop
        if looping is not None:
            self.staged[looping.name] += 1
        elif not self._is_staged(value):
            return _CountedIterable(value, self)
        return value

    def value(self, value: Any, previous: Any = None) -> Any:
        """Record the value of a statement, and the previous value of its target."""
        if not self._is_staged(value):
            self._is_staged(previous)
        return value

    def callee(self, function: Any) -> Any:
        """Record the callee of a call, and whether conversion is disabled for it."""
        self.runs += 1
        is_disabled = is_opted_out()
        self.callees[_identity(function), is_disabled] = function, is_disabled
        return function

    def _is_staged(self, value: Any) -> bool:
        backend = staged_by(value)
        if backend is None and isinstance(value, (tuple, list, dict, slice)):
            parts = [value.start, value.stop, value.step] if type(value) is slice else flatten(value)[0]
            backend = next((b for b in map(staged_by, parts) if b is not None), None)
        if backend is not None:
            self.staged[backend.name] += 1
        return backend is not None


def _identity(function: Any) -> Any:
    """Return a key for a function that stays the same when attribute access creates new bound methods."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodType):
        return id(function.__func__)
    if isinstance(function, types.BuiltinFunctionType) and not isinstance(owner, types.ModuleType):
        return type(owner), function.__name__
    return id(function)


class _CountedIterable:
    """Wrap an iterable so that each pass over it adds the number of items drawn to the probe's iterations."""

    def __init__(self, iterable: Iterable[Any], probe: Probe):
        self.iterable, self.probe = iterable, probe

    def __iter__(self) -> Iterator[Any]:
        return _CountedIterator(iter(self.iterable), self.probe)


class _CountedIterator:
    """Count the items drawn from an iterator. Staging may roll the rest of the iterator `counted`."""

    def __init__(self, items: Iterator[Any], probe: Probe):
        self.counted, self._probe = items, probe
        self._counts, self._index = probe.iterations, len(probe.iterations)
        self._counts.append(0)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = next(self.counted)
        self._counts[self._index] += 1
        return item

    def rolled(self, backend: Any) -> None:
        """Record that a backend has staged the items from the last one on."""
        self._counts[self._index] -= 1
        self._probe.staged[backend.name] += 1
