"""PyTorch: tensors that `export` (with strict=False) or `make_fx` traces are staged, and sizes of dynamic shape.

A branch is captured as a graph whose inputs are what it uses; `cond`, `while_loop` and `scan` of torch's
higher-order operators run the graphs. Eager tensors, and those whose value is known, are plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .. import staging
from ..errors import StagingError
from ..staging.raises import is_own_raise
from ..structures import flatten, unflatten
from ..undefined import unbound_local
from . import register_backend, torch_capture, torch_items
from .functional import Added, Aval, Capture, FunctionalBackend, ListAval, Maybe
from .iterables import StagedSequence
from .texts import Text, resolved
from .torch_autograd import chosen, decoded, encoded, joined, needs_gradient
from .torch_capture import SYMBOLS, Program, expression, is_capturing, is_traced, trace, untraced
from .torch_effects import assert_holds, raise_error
from .torch_numbers import Numbers, is_number, mark_number

UNROLLED = 4
"""Loops of at most so many rounds are written out: one graph instead of a graph in a graph."""

_PYTHON = {bool: torch.bool, int: torch.int64, torch.SymInt: torch.int64, torch.SymBool: torch.bool}
_KINDS = {torch.bool: 0}


@dataclass(frozen=True, eq=False)
class TensorType(Aval):
    """Also the device; `number` says that it was a Python number on some path."""

    device: Any = torch.device("cpu")
    number: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.dtype, tuple(map(expression, self.shape)), self.weak, self.device, self.number


class Handle:
    """A tensor that a branch or loop writes in place; what it leaves there is copied into it."""

    name, shared = "a tensor that is written in place", ""

    def __init__(self, tensor: torch.Tensor):
        self.tensor = tensor

    def read(self) -> torch.Tensor:
        return self.tensor

    def write(self, value: torch.Tensor) -> None:
        if value is not self.tensor:
            self.tensor.copy_(value)

    @staticmethod
    def of(tensor: torch.Tensor) -> Handle:
        found: Handle | None = tensor.__dict__.get("autograph_rs_handle")
        if found is None:
            found = tensor.__dict__["autograph_rs_handle"] = Handle(tensor)
        return found


class TorchBackend(FunctionalBackend):
    """Conditions and loops of torch's higher-order operators."""

    name = "torch"
    boolean = TensorType(torch.bool, ())

    def owns(self, kind: type) -> bool:
        return issubclass(kind, (torch.Tensor, *SYMBOLS, Maybe, StagedSequence, Text))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (torch.Tensor, *SYMBOLS))

    def is_handle(self, value: Any) -> bool:
        return (isinstance(value, torch.Tensor) and not is_number(value)) or super().is_handle(value)

    def is_staged(self, value: Any) -> bool:
        return is_traced(value) if self.is_array(value) else isinstance(value, (Maybe, StagedSequence, Text))

    def staging(self) -> bool:
        return is_capturing()

    # Types

    def aval(self, value: Any) -> TensorType | None:
        if isinstance(value, torch.Tensor):
            number = is_number(value)
            return TensorType(value.dtype, tuple(value.shape), number, value.device, number)
        kind = type(value)
        if kind in _PYTHON:
            return TensorType(_PYTHON[kind], (), weak=True, number=True)
        if kind in (float, torch.SymFloat):
            return TensorType(torch.get_default_dtype(), (), weak=True, number=True)
        if kind is complex:
            return TensorType(torch.get_default_dtype().to_complex(), (), weak=True, number=True)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
            return TensorType(torch.from_numpy(np.zeros(0, value.dtype)).dtype, value.shape)
        return None

    def merged(self, first: TensorType, second: TensorType) -> TensorType:
        if tuple(map(expression, first.shape)) != tuple(map(expression, second.shape)):
            shapes = [f"({', '.join(map(str, kind.shape))})" for kind in (first, second)]
            raise TypeError(f"one has the shape {shapes[0]}, the other {shapes[1]}")
        strong = [kind for kind in (first, second) if not kind.number]
        if len({kind.device for kind in strong}) > 1:
            raise TypeError(f"one is on {first.device}, the other on {second.device}")
        device = strong[0].device if strong else first.device
        number = first.number or second.number
        return TensorType(_common(first, second), first.shape, first.weak and second.weak, device, number)

    def cast(self, value: Any, kind: TensorType) -> torch.Tensor:
        if isinstance(value, torch.Tensor):
            moved = value if value.device == kind.device else value.to(kind.device)
            return moved if moved.dtype == kind.dtype else moved.to(kind.dtype)
        if isinstance(value, np.ndarray):
            return torch.tensor(value, dtype=kind.dtype, device=kind.device)
        if isinstance(value, torch.SymBool):
            value = torch.sym_ite(value, 1, 0)
        plain = value.item() if isinstance(value, np.generic) else value
        return torch.full((), plain, dtype=kind.dtype, device=kind.device)

    def zeros(self, kind: TensorType) -> torch.Tensor:
        return torch.zeros(kind.shape, dtype=kind.dtype, device=kind.device)

    def built(self, kinds: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        parts = [part for kind in kinds for part in self.parts(kind)]
        for array, part in zip(arrays, parts, strict=True):
            if part.number:
                mark_number(array)
        return super().built(kinds, arrays)

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> Capture:
        made = Capture()
        kinds = [part for kind in arguments for part in ([] if isinstance(kind, ListAval) else self.parts(kind))]

        def traced(*placeholders: Any) -> list[Any]:
            rest, values = list(placeholders), []
            for kind in arguments:
                if isinstance(kind, ListAval):
                    values.append(Added())
                    continue
                count = len(self.parts(kind))
                values += self.built([kind], rest[:count])
                rest = rest[count:]
            self.captures.append(made)
            try:
                with Numbers():
                    made.value, leaves = run(*values)
            except staging.AlwaysRaises as error:
                made.raised, leaves = error, []
            except Exception as error:
                if not is_own_raise(error):
                    raise
                made.raised, leaves = error, []
                self.fail(True, error)
            finally:
                made.close()
                self.captures.pop()
            made.kept = self.arrays_in([*leaves, *flatten(made.value)[0], *[v for _, v in made.writes]])
            return made.kept

        examples = self.examples(kinds)
        made.program = trace(traced, examples)
        if any(w is e for w in made.program.written for e in examples):
            raise StagingError(
                "a staged loop writes in place to a tensor that it also gives another value (or to an item of what it "
                "loops over): other names of that tensor would have to change with it. Compute a new tensor: "
                "x = x + 1 in the place of x += 1"
            )
        made.kept += made.program.written
        made.places = {id(array): i for i, array in enumerate(made.kept)}
        made.writes += [(Handle.of(tensor), tensor) for tensor in made.program.written]
        return made

    def examples(self, kinds: Sequence[TensorType]) -> list[torch.Tensor]:
        with untraced():
            return [self.zeros(kind) for kind in kinds]

    def results(self, capture: Capture, arguments: Sequence[Any]) -> Callable[[Any], Any]:
        """Run a captured program; a function from a leaf that the closure left to its value."""
        values = capture.program(*arguments)

        def value_of(leaf: Any) -> Any:
            if isinstance(leaf, Maybe):
                return Maybe(value_of(leaf.value), value_of(leaf.bound), leaf.name)
            if isinstance(leaf, Added):
                return Added(tuple(map(value_of, leaf.items)))
            place = capture.places.get(id(leaf))
            return leaf if place is None else values[place]

        return value_of

    # Conditions and loops

    def cond(
        self, pred: Any, captures: tuple[Capture, Capture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        kinds = [kind for _, _, kind in outputs]
        parts = [part for kind in kinds for part in self.parts(kind)]
        used = [v for c in captures for v in c.program.operands]
        grows = needs_gradient([*used, *self.arrays_in([leaf for out in outputs for leaf in out[:2]])])
        has_effects = any(c.program.has_effects for c in captures)
        if not kinds and not has_effects:
            return []

        def branch(side: int) -> Program:
            def run() -> list[Any]:
                value_of = self.results(captures[side], ())
                if captures[side].raised is not None:
                    left = [self.zeros(part) for part in parts]
                else:
                    left = [a for out in outputs for a in self.held(value_of(out[side]), out[2])]
                left += [self.cast(True, self.boolean)] if has_effects else []
                return list(map(encoded, left)) if grows else left

            return trace(run, fresh=True)

        left = torch_capture.conditional(_truth(pred), (branch(0), branch(1)))
        if has_effects:
            assert_holds(decoded(left.pop(), torch.bool), "")
        return self.built(kinds, [decoded(a, part.dtype) for a, part in zip(left, parts, strict=True)])

    def while_loop(
        self,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: Capture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        self._refuse_lists(types)
        limit = options.get("maximum_iterations")
        start = [a for v, k in zip(init, types, strict=True) for a in self.held(v, k)]

        def step(i: Any, carry: list[Any]) -> tuple[Any, list[Any]]:
            value_of = self.results(body, carry)
            return _truth(value_of(again)), self._left(value_of, results, types)

        return self.built(types, self._loop(_truth(going), limit, start, step, body))

    def _loop(
        self,
        going: Any,
        length: Any,
        start: list[Any],
        step: Callable[[Any, list[Any]], tuple[Any, list[Any]]],
        body: Capture,
    ) -> list[Any]:
        """A loop that goes on as long as `step` says so, and for at most `length` rounds."""
        counter = TensorType(torch.int64, ())
        bound = None if length is None else self.cast(length, counter)
        head = [self.cast(going, self.boolean), self.cast(0, counter)]

        def test(on: Any, i: Any, *_: Any) -> list[Any]:
            return [on if bound is None else torch.logical_and(on, i < bound)]

        def round_(on: Any, i: Any, *carry: Any) -> list[Any]:
            kept, left = step(i, list(carry))
            return [self.cast(kept, self.boolean), i + 1, *left]

        with untraced():
            examples = [torch.zeros_like(a) for a in (*head, *start)]
        programs = [trace(f, examples, fresh=True) for f in (test, round_)]
        carried = joined(_own([*head, *start]), [v for p in programs for v in p.operands])
        left = torch_capture.loop(programs[0], programs[1], carried)
        if body.program.has_effects:
            assert_holds(left[1] >= 0, "")
        return chosen(left[1] > 0, left[2:], carried[2:])

    def for_loop(
        self,
        iterated: Any,
        going: Any,
        init: Sequence[Any],
        types: Sequence[Any],
        body: Capture,
        again: Any,
        results: Sequence[Any],
        options: dict[str, Any],
    ) -> list[Any]:
        items = self.sequence(iterated)
        start = [a for v, k in zip(init, types, strict=True) if not isinstance(k, ListAval) for a in self.held(v, k)]
        limit = options.get("maximum_iterations")
        length = items.length if limit is None else self.least(items.length, limit)
        if going is True and again is True and isinstance(length, int):
            return self._scan(items, length, init, types, start, body, results)
        self._refuse_lists(types)

        def step(i: Any, carry: list[Any]) -> tuple[Any, list[Any]]:
            value_of = self.results(body, [*self._element(items.item(i)), *carry])
            kept = True if again is True else _truth(value_of(again))
            return kept, self._left(value_of, results, types)

        return self.built(types, self._loop(_truth(going), length, start, step, body))

    def _scan(
        self,
        items: StagedSequence,
        length: int,
        init: Sequence[Any],
        types: Sequence[Any],
        start: list[Any],
        body: Capture,
        results: Sequence[Any],
    ) -> list[Any]:
        """A loop of known length: what it appends to lists is stacked, and it can be differentiated."""
        grown = [i for i, kind in enumerate(types) if isinstance(kind, ListAval)]

        def step(element: Any, carry: list[Any]) -> tuple[list[Any], list[Any]]:
            value_of = self.results(body, [*self._element(element), *carry])
            rows = [a for i in grown for a in self.held(value_of(results[i]), types[i])]
            return self._left(value_of, results, types), rows

        if length <= UNROLLED:
            left, rows = start, []
            for i in range(length):
                left, row = step(items.item(i), left)
                rows.append(row)
        else:
            left, stacked = self._scanned(items, length, start, step, body)
            types_of_rows = [part.dtype for i in grown for part in types[i].items]
            stacked = [decoded(a, dtype) for a, dtype in zip(stacked, types_of_rows, strict=True)]
            rows = [[a[i] for a in stacked] for i in range(length)]
        found, rest = [], list(left)
        for kind, value in zip(types, init, strict=True):
            if isinstance(kind, ListAval):
                own = [row[: len(kind.items)] for row in rows]
                rows = [row[len(kind.items) :] for row in rows]
                found.append(Added((*value.items, *[a for row in own for a in row])))
            else:
                count = len(self.parts(kind))
                found += self.built([kind], rest[:count])
                rest = rest[count:]
        return found

    def _scanned(
        self, items: StagedSequence, length: int, start: list[Any], step: Callable[..., Any], body: Capture
    ) -> tuple[list[Any], list[Any]]:
        whole = items.name == "array" and length == items.length
        rows = items.sources[0] if whole else torch.arange(length)

        def round_(ran: Any, *rest: Any) -> list[Any]:
            *carry, x = rest
            left, row = step(x if whole else items.item(x), carry)
            return [ran, *left, *row]

        ran = self.cast(True, self.boolean)
        carried = [ran, *start] if body.program.has_effects or not start else start
        dtypes = [a.dtype for a in carried]
        grows = needs_gradient([*carried, rows, *body.program.operands])

        def round_(*given: Any) -> list[Any]:
            *carry, x = given
            carry = [decoded(a, dtype) for a, dtype in zip(carry, dtypes, strict=True)]
            head = carry[: len(carry) - len(start)]
            left, row = step(x if whole else items.item(x), carry[len(head) :])
            return list(map(encoded, [*head, *left, *row])) if grows else [*head, *left, *row]

        carried = _own(list(map(encoded, carried)) if grows else carried)
        with untraced():
            examples = [torch.zeros_like(a) for a in (*carried, rows[0])]
        program = trace(round_, examples, fresh=True)
        left = torch_capture.scanned(program, carried, [rows])
        found = [decoded(a, dtype) for a, dtype in zip(left, dtypes, strict=False)]
        if body.program.has_effects:
            assert_holds(found[0], "")
        return found[len(found) - len(start) :], left[len(found) :]

    def _left(self, value_of: Callable[[Any], Any], results: Sequence[Any], types: Sequence[Any]) -> list[Any]:
        return [
            array
            for leaf, kind in zip(results, types, strict=True)
            if not isinstance(kind, ListAval)
            for array in self.held(value_of(leaf), kind)
        ]

    def _refuse_lists(self, types: Sequence[Any]) -> None:
        if any(isinstance(kind, ListAval) for kind in types):
            raise StagingError(
                "a list is appended to in a loop whose number of iterations is known only at run time. Make a "
                "tensor of the greatest length before the loop and write its items, or loop a fixed number of "
                "times"
            )

    def elements(self, iterated: Any) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        items = self.sequence(iterated)
        found: list[Any] = []

        def first(i: Any) -> list[Any]:
            leaves, spec = flatten(items.item(i))
            found[:] = [self.aval(leaf) for leaf in leaves], spec
            return []

        trace(first, self.examples([TensorType(torch.int64, ())]))
        kinds, spec = found
        return (lambda values: unflatten(spec, list(values))), kinds

    def _element(self, item: Any) -> list[Any]:
        return [self.cast(leaf, self.aval(leaf)) for leaf in flatten(item)[0]]

    # Values

    def length(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return value.shape[0]

    def item(self, array: Any, index: Any) -> Any:
        return torch_items.get_item(array, index)

    def minimum(self, a: Any, b: Any) -> Any:
        return _pairwise(torch.minimum, a, b)

    def maximum(self, a: Any, b: Any) -> Any:
        return _pairwise(torch.maximum, a, b)

    def not_(self, value: Any) -> Any:
        return torch.sym_not(value) if isinstance(value, torch.SymBool) else torch.logical_not(_truth(value))

    def get_item(self, target: Any, key: Any) -> Any:
        return torch_items.get_item(target, key)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        return torch_items.set_item(target, key, value)

    def contains(self, item: Any, container: Any) -> Any:
        return torch_items.contains(item, container)

    def bound(self, value: Any) -> Any:
        if not isinstance(value, Maybe):
            return value
        if not value.name.startswith("return_value"):
            self.fail(torch.logical_not(value.bound), unbound_local(value.name))
        return value.value

    # Effects

    def fail(self, failed: Any, error: BaseException) -> None:
        """Raise `error` when the program runs, where `failed` is true."""
        raise_error(failed, error)

    def fmt(self, value: Any, conversion: str) -> Any:
        return Text.mark(value, conversion)

    def text(self, text: str) -> Any:
        return resolved(text)

    def replaced(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        from .torch_numpy import replaced

        return replaced(function) if is_capturing() else None

    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        from .torch_builtins import call

        return call(self, function, args, kwargs)


def _own(values: Sequence[Any]) -> list[Any]:
    """What a loop starts with: memory of its own for each."""
    return [value.clone(memory_format=torch.contiguous_format) for value in values]


def _common(first: TensorType, second: TensorType) -> torch.dtype:
    """The dtype of both; a Python number takes that of what it meets, if that is of a kind that holds it."""
    if first.dtype == second.dtype or first.weak == second.weak:
        return torch_capture.promoted(first.dtype, second.dtype)
    weak, strong = (first, second) if first.weak else (second, first)
    if _rank(weak.dtype) <= _rank(strong.dtype):
        return strong.dtype
    return torch_capture.promoted(weak.dtype, strong.dtype) if weak.dtype.is_complex else weak.dtype


def _rank(dtype: torch.dtype) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else int(dtype != torch.bool)


def _truth(value: Any) -> Any:
    """A staged truth value, as Python asks it."""
    if not isinstance(value, torch.Tensor):
        return value if isinstance(value, (bool, torch.SymBool)) else value != 0
    if value.numel() != 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    value = value.reshape(()) if value.ndim else value
    return value if value.dtype == torch.bool else value != 0


def _pairwise(function: Callable[..., Any], a: Any, b: Any) -> Any:
    a, b = (v if isinstance(v, torch.Tensor) else torch.full((), v) for v in (a, b))
    return function(a, b)


def register() -> None:
    register_backend(TorchBackend())
