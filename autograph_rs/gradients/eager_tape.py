"""Record eager calls for a `GradientTape`, and replay them in a trace to differentiate them.

A `Session` records an `Entry` for each call that involves a `TapedValue` or a `Variable`. To compute a
gradient, a `Replay` repeats the recorded calls in a trace and runs the resulting graph. In the trace, staged
values replace taped values, and traced tapes replace eager tapes. Sessions with equal entries share a replay.
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

from autograph_rs.functions.fast_path import Args, Kwargs, ResolvedCall
from autograph_rs.functions.function import Function
from autograph_rs.runtime.debugging.positions import position_reader
from autograph_rs.runtime.debugging.tracebacks import user_frame
from autograph_rs.runtime.errors import AutographError, GradientError
from autograph_rs.runtime.graph.gradient import with_own_node
from autograph_rs.runtime.graph.ir.graph import Frames
from autograph_rs.runtime.graph.state.taped_values import TapedValue, unwrap
from autograph_rs.runtime.graph.state.taping import pause_recording, set_session
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing import recording
from autograph_rs.runtime.graph.tracing.modes import MODES
from autograph_rs.runtime.graph.tracing.tensor import Tensor
from autograph_rs.runtime.graph.tracing.trace import current_builder, is_tracing
from autograph_rs.runtime.values.structures import Spec, flatten, unflatten

from .arguments import as_numpy_scalar, check_no_effects, variables_set_to
from .recorded_calls import (
    GraphCall,
    check_call,
    check_graph,
    check_result,
    is_generic_in_numbers,
    is_write,
)

MAX_REPLAYS = 64
_NO_ARGUMENTS = flatten(((), {}))[1]


@dataclass(frozen=True)
class Entry:
    """A recorded call.

    `operands` has one item for each leaf of the arguments: the number of a taped value, the bounds of a
    slice, or None for a plain value. A type stands for a plain Python number that may differ between
    sessions.
    `results` has one item for each leaf of the result: the number of its taped value, or None.
    """

    function: Callable[..., Any]
    spec: Spec
    operands: tuple[Any, ...]
    results: tuple[int | None, ...] | None = None
    is_write: bool = False
    source: Frames = field(default=(), compare=False)
    call_site: tuple[int, int] = (0, 0)  # identity of the code object, and instruction offset


class Session:
    """The calls recorded while the outermost of nested tapes is open."""

    _open = 0

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.plain: list[Any] = []
        self.variables: dict[int, tuple[Variable, Any]] = {}  # with their values at the beginning
        self._count = 0
        self._tapes = 0

    @property
    def is_open(self) -> bool:
        return self._tapes > 0

    def enter(self, tape: Any) -> int:
        """Open a tape, and return its number, which differs from those of taped values."""
        if not self._tapes:
            set_session(self)
            with _LOCK:
                Session._open += 1
                MODES.add("taping")
        self._tapes += 1
        self._count += 1
        self.entries.append(Entry(type(tape)._opened, _NO_ARGUMENTS, (), (self._count,)))  # noqa: SLF001
        return self._count

    def leave(self) -> None:
        self._tapes -= 1
        if not self._tapes:
            set_session(None)
            with _LOCK:
                Session._open -= 1
                if not Session._open:
                    MODES.discard("taping")

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function. Record the call if it writes to an argument or its result can be taped."""
        check_call(self, function, args, kwargs)
        return self._run_and_record(function, args, kwargs)

    def call_graph(
        self, name: str, resolve: Callable[[Args, Kwargs], ResolvedCall], args: Args, kwargs: Kwargs
    ) -> Any:
        """Call a traced function. `resolve` returns the leaves of a call, its arguments and its graph."""
        leaves, spec = flatten((args, kwargs), mutable_dataclasses=True)
        primals = [as_numpy_scalar(leaf.primal) if type(leaf) is TapedValue else leaf for leaf in leaves]
        taped = {id(p): leaf for p, leaf in zip(primals, leaves, strict=True) if type(leaf) is TapedValue}
        with pause_recording():
            args, kwargs = unflatten(spec, primals)
            bound, arguments, graph = resolve(args, kwargs)
            if not taped and not any(isinstance(value, Variable) for value in (*bound, *graph.inputs.state)):
                return graph.run(bound, arguments)
        leaves = [taped.get(id(leaf), leaf) for leaf in bound]
        check_no_effects(graph, name, "a GradientTape outside of a function")
        check_graph(self, graph, name, leaves)
        for variable in graph.inputs.variables(leaves):
            self._add_variable(variable)
        inputs = {*graph.inputs.staged, *graph.inputs.state}
        operands = [leaf if i in inputs else None for i, leaf in enumerate(leaves)]
        return self._run_and_record(GraphCall(graph), operands, {})

    def watch(self, value: Any) -> Any:
        """Return a taped copy of a plain value, or a taped value of this session unchanged."""
        if type(value) is TapedValue and value.session is self:
            return value
        return self._run_and_record(_copy_watched, (value,), {})

    def gradient(self, tape: Any, number: int, *arguments: Any) -> Any:
        """Compute `tape.gradient(*arguments)`. `number` is the result of `enter` for the tape."""
        leaves, spec = flatten(((TapedValue(tape, self, number), *arguments), {}))
        operands, plain = self._split_operands(leaves, is_generic=False)
        entry = Entry(type(tape).gradient, spec, operands, **_call_site())
        variables = list(self.variables.values())
        with pause_recording():
            replay = _cached_replay((*self.entries, entry))
            gradients = replay([*self.plain, *plain], [v for v, _ in variables], [v for _, v in variables])
        return self._record(entry, plain, gradients, {}) if self._tapes else gradients

    def _run_and_record(self, function: Callable[..., Any], args: Any, kwargs: Kwargs) -> Any:
        leaves, spec = flatten((args, kwargs), mutable_dataclasses=True)
        operands, plain = self._split_operands(leaves, is_generic=is_generic_in_numbers(function))
        entry = Entry(function, spec, operands, None, is_write(function, args), **_call_site())
        with pause_recording():
            args, kwargs = unflatten(spec, list(map(unwrap, leaves)))
            result = function(*args, **kwargs)
        check_result(function, leaves, result)
        taped = [v for v in leaves if type(v) is TapedValue and isinstance(v.primal, np.ndarray)]
        return self._record(entry, plain, result, {id(value.primal): value for value in taped})

    def _record(self, entry: Entry, plain: list[Any], result: Any, arrays: dict[int, TapedValue]) -> Any:
        """Replace floats in a result with taped values. Record the call if it writes or returns taped values.

        `arrays` maps the ids of array arguments to their taped values.
        """
        leaves, spec = flatten(result)
        is_writing = entry.is_write or any(id(leaf) in arrays for leaf in leaves)
        numbers: list[int | None] = []
        for i, leaf in enumerate(leaves):
            taped = arrays.get(id(leaf))
            if taped is None and _can_be_taped(leaf):
                self._count += 1
                taped = TapedValue(leaf, self, self._count)
            if taped is not None:
                leaves[i] = taped
            numbers.append(None if taped is None else taped.number)
        if is_writing or any(number is not None for number in numbers):
            self.entries.append(replace(entry, results=tuple(numbers), is_write=is_writing))
            self.plain += plain
        return unflatten(spec, leaves)

    def _split_operands(
        self, leaves: Sequence[Any], *, is_generic: bool
    ) -> tuple[tuple[Any, ...], list[Any]]:
        """Return the operands of an entry, and the plain values among the leaves."""
        operands: list[Any] = []
        plain: list[Any] = []
        for leaf in leaves:
            if type(leaf) is TapedValue and leaf.session is self:
                operands.append(leaf.number)
            elif type(leaf) is slice:
                bounds = (leaf.start, leaf.stop, leaf.step)
                operands.append(tuple([None if b is None else operator.index(b) for b in bounds]))
            elif is_generic and type(leaf) in (float, complex):
                plain.append(as_numpy_scalar(leaf))
                operands.append(type(leaf))
            else:
                if isinstance(leaf, Variable):
                    self._add_variable(leaf)
                plain.append(_snapshot(unwrap(leaf)))
                operands.append(None)
        return tuple(operands), plain

    def _add_variable(self, variable: Variable) -> None:
        if id(variable) not in self.variables:
            with pause_recording():
                self.variables[id(variable)] = variable, variable.read_value()


class Replay(Function[..., Any]):
    """The recorded calls of a session, repeated in a trace."""

    can_run_eagerly = False
    retracing_advice = "Pass varying values as arrays, or put the block into an @ag.function"

    def __init__(self, entries: Sequence[Entry]):
        self._entries = entries
        super().__init__(_block_of_a_tape)
        self.__name__ = "the block of a GradientTape"

    def _convert(self, source: str | None) -> Callable[..., Any]:
        return self._replay

    def _replay(self, plain: list[Any], variables: list[Variable], values: list[Any]) -> Any:
        """Repeat the recorded calls, and return the result of the last one."""
        with variables_set_to(variables, values):
            graph = current_builder().graph
            remaining = iter([with_own_node(v) if type(v) is Tensor else v for v in plain])
            environment: dict[int, Any] = {}
            for entry in self._entries:
                start = len(graph.nodes)
                result = _repeat(entry, [_operand(o, environment, remaining) for o in entry.operands])
                is_last = entry is self._entries[-1]
                if not is_last:
                    for node in graph.nodes[start:]:
                        node.source = entry.source
                numbers = entry.results or ()
                if isinstance(result, _Failure):  # raise only if a later call needs the result
                    if entry.is_write or is_last:
                        raise result.error
                    leaves = [result] * len(numbers)
                else:
                    leaves, _ = flatten(result)
                environment.update((n, v) for n, v in zip(numbers, leaves, strict=False) if n is not None)
            return result


class _Failure:
    """Placeholder for the result of a call that failed in the trace."""

    def __init__(self, error: Exception):
        self.error = error


def _repeat(entry: Entry, leaves: list[Any]) -> Any:
    """Repeat a call in a trace. Return its result, or a `_Failure` if it or one of its operands failed."""
    failed = next((leaf for leaf in leaves if isinstance(leaf, _Failure)), None)
    if failed is not None:
        return failed
    args, kwargs = unflatten(entry.spec, leaves)
    try:
        result = entry.function(*args, **kwargs)
    except AutographError as error:
        if entry.source and not error.sites:
            error.sites = (("it was recorded here", position_reader()(*entry.source[0])),)
        return _Failure(error)
    if entry.results is None or len(flatten(result)[0]) == len(entry.results):
        return result
    return _Failure(
        GradientError(
            f"the result of {entry.function.__name__} has a different structure inside a graph",
            why="an eager GradientTape repeats the recorded calls in a graph and expects the same structure",
            remedy="put the block into an @ag.function",
        )
    )


def _operand(operand: Any, environment: dict[int, Any], plain: Iterator[Any]) -> Any:
    if operand is None:
        return next(plain)
    if isinstance(operand, type):
        return recording.item(next(plain))
    return slice(*operand) if isinstance(operand, tuple) else environment[operand]


def _block_of_a_tape(plain: list[Any], variables: list[Variable], values: list[Any]) -> Any:
    """Provide the signature that errors and warnings show for a `Replay`."""
    raise NotImplementedError


_REPLAYS: OrderedDict[tuple[Entry, ...], Replay] = OrderedDict()
_LOCK = threading.RLock()  # garbage collection of a generator may leave a block in the meantime


def _cached_replay(entries: tuple[Entry, ...]) -> Replay:
    with _LOCK:
        replay = _REPLAYS.pop(entries, None) or Replay(entries)
        _REPLAYS[entries] = replay
        if len(_REPLAYS) > MAX_REPLAYS:
            _REPLAYS.popitem(last=False)
    return replay


def _call_site() -> dict[str, Any]:
    """Return the code position of the user's call, as fields of an entry."""
    frame = user_frame(sys._getframe(1))
    if frame is None:
        return {}
    return {"source": ((frame.f_code, frame.f_lasti),), "call_site": (id(frame.f_code), frame.f_lasti)}


def _snapshot(value: Any) -> Any:
    """Copy a value if it is an array that later writes could change; return any other value unchanged."""
    base = value
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return value.copy()
        base = base.base
    return value


def _copy_watched(value: Any) -> Any:
    if is_tracing():
        return with_own_node(value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _can_be_taped(value: Any) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fc"
    return type(value) in (float, complex)
