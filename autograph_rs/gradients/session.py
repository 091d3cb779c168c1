"""The calls that are recorded while a `GradientTape` is open outside of any trace.

A `Session` notes each call with a `Taped` value or a `Variable`. For a gradient a `Block` makes these calls
once more in a trace, with staged values in the place of the taped ones and tapes of that trace; what comes of
it is a graph as any other. One block does for all sessions of the same calls.
"""

from __future__ import annotations

import operator
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograph_rs.functions import Function
from autograph_rs.runtime.errors import AutographError, GradientError
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.concrete import ConcreteGraph
from autograph_rs.runtime.graph.gradient import apart
from autograph_rs.runtime.graph.ir import Frames
from autograph_rs.runtime.graph.modes import MODES
from autograph_rs.runtime.graph.staged import Tensor
from autograph_rs.runtime.graph.taping import begin, unrecorded
from autograph_rs.runtime.graph.trace import current, is_tracing
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.places import reader
from autograph_rs.runtime.structures import Spec, flatten, unflatten
from autograph_rs.runtime.tracebacks import user_frame

from .calls import Run, refuse_changes, refuse_escapes, refuse_result, takes_any_number, writes
from .effects import refuse_effects
from .taped import Taped, untaped
from .values import holding, staged_number

MAX_BLOCKS = 64
_NOTHING = flatten(((), {}))[1]


@dataclass(frozen=True)
class Entry:
    """A call. `marks` has for each leaf of its arguments the number of a value, or None for a plain one.

    `results` has for each leaf of its result the number that it gets, if any. Slices are marks themselves,
    and a type is that of a plain number which may be another the next time.
    """

    function: Callable[..., Any]
    spec: Spec
    marks: tuple[Any, ...]
    results: tuple[int | None, ...] | None = None
    writes: bool = False
    source: Frames = field(default=(), compare=False)
    where: tuple[int, int] = (0, 0)  # the code object by its identity, and the instruction


class Session:
    """What is recorded from when the outermost of some tapes is entered until it is left."""

    _open = 0

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.plain: list[Any] = []
        self.variables: dict[int, tuple[Variable, Any]] = {}
        self._count = 0
        self._tapes = 0

    @property
    def is_open(self) -> bool:
        """Whether one of its tapes runs."""
        return self._tapes > 0

    def enter(self, tape: Any) -> int:
        """Begin a tape; its number among the values."""
        if not self._tapes:
            begin(self)
            with _LOCK:
                Session._open += 1
                MODES.add("taping")
        self._tapes += 1
        self._count += 1
        self.entries.append(Entry(type(tape)._begun, _NOTHING, (), (self._count,)))  # noqa: SLF001
        return self._count

    def leave(self) -> None:
        """End a tape."""
        self._tapes -= 1
        if not self._tapes:
            begin(None)
            with _LOCK:
                Session._open -= 1
                if not Session._open:
                    MODES.discard("taping")

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The result of a call, taped where it is of floats; noted, if it has such a result or writes."""
        refuse_escapes(self, function, args, kwargs)
        return self._called(function, args, kwargs)

    def call_function(
        self,
        name: str,
        find: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Sequence[Any], Any, ConcreteGraph]],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """The result of a call of what runs graphs; `find` gives the leaves, the arguments and the graph."""
        leaves, spec = flatten((args, kwargs), changeable=True)
        given = [staged_number(leaf.held) if type(leaf) is Taped else leaf for leaf in leaves]
        taped = {id(g): leaf for g, leaf in zip(given, leaves, strict=True) if type(leaf) is Taped}
        with unrecorded():
            args, kwargs = unflatten(spec, given)
            found, arguments, graph = find(args, kwargs)
            if not taped and not any(isinstance(value, Variable) for value in (*found, *graph.inputs.state)):
                return graph.run(found, arguments)
        leaves = [taped.get(id(leaf), leaf) for leaf in found]
        refuse_effects(graph, name, "a GradientTape outside of a function, which calls it")
        refuse_changes(self, graph, name, leaves)
        for variable in graph.inputs.variables(leaves):
            self._seen(variable)
        needed = {*graph.inputs.staged, *graph.inputs.state}
        return self._called(Run(graph), [v if n in needed else None for n, v in enumerate(leaves)], {})

    def watch(self, value: Any) -> Any:
        """A taped value of a plain one, which is copied."""
        if type(value) is Taped and value.owner is self:
            return value
        return self._called(_watched, (value,), {})

    def gradient(self, tape: Any, number: int, *arguments: Any) -> Any:
        """The gradient that a tape, entered under a number, is asked for, by the arguments of its method."""
        leaves, spec = flatten(((Taped(tape, self, number), *arguments), {}))
        marks, given = self._noted(leaves, numbers=False)
        entry = Entry(type(tape).gradient, spec, marks, **_called_at())
        plain = [*self.plain, *given]
        variables = list(self.variables.values())
        with unrecorded():
            block = _block_of((*self.entries, entry))
            made = block(plain, [variable for variable, _ in variables], [value for _, value in variables])
        return self._kept(entry, given, made, {}) if self._tapes else made

    def _called(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        leaves, spec = flatten((args, kwargs), changeable=True)
        marks, given = self._noted(leaves, numbers=takes_any_number(function))
        entry = Entry(function, spec, marks, None, writes(function, args), **_called_at())
        with unrecorded():
            args, kwargs = unflatten(spec, list(map(untaped, leaves)))
            made = function(*args, **kwargs)
        refuse_result(function, leaves, made)
        taped = [leaf for leaf in leaves if type(leaf) is Taped and isinstance(leaf.held, np.ndarray)]
        return self._kept(entry, given, made, {id(value.held): value for value in taped})

    def _kept(self, entry: Entry, given: list[Any], made: Any, arrays: dict[int, Taped]) -> Any:
        """A result with taped values in it; the entry of the call, with the numbers of these, is kept."""
        results, spec = flatten(made)
        numbers: list[int | None] = []
        for place, result in enumerate(results):
            taped = arrays.get(id(result))
            if taped is None and _can_be_taped(result):
                taped = self._taped(result)
            if taped is not None:
                results[place] = taped
            numbers.append(None if taped is None else taped.number)
        does_write = entry.writes or any(id(value) in arrays for value in flatten(made)[0])
        if does_write or any(number is not None for number in numbers):
            self.entries.append(replace(entry, results=tuple(numbers), writes=does_write))
            self.plain += given
        return unflatten(spec, results)

    def _noted(self, leaves: Sequence[Any], *, numbers: bool) -> tuple[tuple[Any, ...], list[Any]]:
        """A mark for each leaf, and the leaves that are no values of this session, arrays as they are."""
        marks: list[Any] = []
        plain: list[Any] = []
        for leaf in leaves:
            if type(leaf) is Taped and leaf.owner is self:
                marks.append(leaf.number)
            elif type(leaf) is slice:
                marks.append(tuple([_bound(part) for part in (leaf.start, leaf.stop, leaf.step)]))
            elif numbers and type(leaf) in (float, complex):
                plain.append(staged_number(leaf))
                marks.append(type(leaf))
            else:
                if isinstance(leaf, Variable):
                    self._seen(leaf)
                plain.append(_lasting(untaped(leaf)))
                marks.append(None)
        return tuple(marks), plain

    def _seen(self, variable: Variable) -> None:
        if id(variable) not in self.variables:
            with unrecorded():
                self.variables[id(variable)] = variable, variable.read_value()

    def _taped(self, value: Any) -> Taped:
        self._count += 1
        return Taped(value, self, self._count)


class Block(Function):
    """The noted calls, made in a trace."""

    runs_eagerly = False
    remedy_of_retraces = "Give what changes as an array, or put the block under @ag.function"

    def __init__(self, entries: Sequence[Entry]):
        self._entries = entries
        super().__init__(block_of_a_tape)
        self.__name__ = "the block of a GradientTape"

    def _to_graph(self, source: str | None) -> Callable[..., Any]:
        return self._made_again

    def _made_again(self, plain: list[Any], variables: list[Variable], values: list[Any]) -> Any:
        with holding(variables, values):
            return self._last_of([apart(v) if type(v) is Tensor else v for v in plain])

    def _last_of(self, plain: list[Any]) -> Any:
        graph = current().graph
        given = iter(plain)
        known: dict[int, Any] = {}
        made: Any = None
        for entry in self._entries:
            arguments = [_found(mark, known, given) for mark in entry.marks]
            start = len(graph.nodes)
            made = next((value for value in arguments if isinstance(value, _Failed)), None)
            if made is None:
                args, kwargs = unflatten(entry.spec, arguments)
                made = _made(entry, args, kwargs)
            if entry is not self._entries[-1]:
                for node in graph.nodes[start:]:
                    node.source = entry.source
            if isinstance(made, _Failed):  # only what needs the result fails with it
                if entry.writes or entry is self._entries[-1]:
                    raise made.error
                results = [made] * len(entry.results or ())
            else:
                results, _ = flatten(made)
            numbers = entry.results or ()
            known.update((n, value) for n, value in zip(numbers, results, strict=False) if n is not None)
        return made


class _Failed:
    """In the place of a result that there is not in a trace."""

    def __init__(self, error: Exception):
        self.error = error


def _made(entry: Entry, args: Any, kwargs: Any) -> Any:
    """The result of a call in a trace."""
    try:
        made = entry.function(*args, **kwargs)
    except AutographError as error:
        if entry.source and not error.sites:
            error.sites = (("it was recorded here", reader()(*entry.source[0])),)
        return _Failed(error)
    if entry.results is None or len(flatten(made)[0]) == len(entry.results):
        return made
    return _Failed(
        GradientError(
            f"{entry.function.__name__} has another result in a graph than outside",
            why="a GradientTape outside of a function records values, which it looks for there",
            remedy="put the block under @ag.function",
        )
    )


def _found(mark: Any, known: dict[int, Any], plain: Iterator[Any]) -> Any:
    if mark is None:
        return next(plain)
    if isinstance(mark, type):
        return record.item(next(plain))
    return slice(*mark) if isinstance(mark, tuple) else known[mark]


def block_of_a_tape(plain: list[Any], variables: list[Variable], values: list[Any]) -> Any:
    """What errors and warnings call a block."""
    raise NotImplementedError


_BLOCKS: OrderedDict[tuple[Entry, ...], Block] = OrderedDict()
_LOCK = threading.Lock()


def _block_of(entries: tuple[Entry, ...]) -> Block:
    with _LOCK:
        block = _BLOCKS.pop(entries, None) or Block(entries)
        _BLOCKS[entries] = block
        if len(_BLOCKS) > MAX_BLOCKS:
            _BLOCKS.popitem(last=False)
    return block


def _called_at() -> dict[str, Any]:
    """Where the user's code is, as fields of an entry."""
    frame = user_frame(sys._getframe(1))
    if frame is None:
        return {}
    return {"source": ((frame.f_code, frame.f_lasti),), "where": (id(frame.f_code), frame.f_lasti)}


def _lasting(value: Any) -> Any:
    """A value that later writes do not change."""
    base = value
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return value.copy()
        base = base.base
    return value


def _bound(part: Any) -> Any:
    """A bound of a slice as a plain int, which can be compared and hashed."""
    return None if part is None else operator.index(part)


def _watched(value: Any) -> Any:
    if is_tracing():
        return apart(value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _can_be_taped(value: Any) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fc"
    return type(value) in (float, complex)
