"""Captures, conditions and loops.

A branch is captured as a graph whose inputs are what it uses; `cond`, `while_loop` and `scan` of torch's
higher-order operators run the graphs. Eager tensors, and those whose value is known, are plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ... import staging
from ...errors import AliasError, StagedRecursionError
from ...staging.raises import is_own_raise, refuse_caught
from ...structures import flatten, unflatten
from ..avals import ListAval
from ..functional import Capture
from ..iterables import StagedSequence
from . import capture as captured
from .autograd import chosen, decoded, encoded, joined, may_need_gradient
from .capture import Program, assert_holds, trace, untraced
from .selection import is_selectable, separated
from .values import Handle, TensorType, TorchValues
from .writes import Writes, is_number, mark_shared

UNROLLED = 4
"""Loops of at most so many rounds are written out: one graph instead of a graph in a graph."""


class TorchBackend(TorchValues):
    """Conditions and loops of torch's higher-order operators."""

    # Captures

    def capture(self, run: Callable[..., Any], arguments: Sequence[Any] = ()) -> Capture:
        made = Capture()
        kinds = self.argument_types(arguments)

        def traced(*placeholders: Any) -> list[Any]:
            self.captures.append(made)
            try:
                with Writes():
                    made.value, leaves = run(*self.arguments(arguments, placeholders))
            except staging.AlwaysRaises as error:
                made.raised, leaves = error, []
            except Exception as error:
                if not is_own_raise(error, ("torch",)):
                    raise
                made.raised, leaves = error, []
                refuse_caught(error)
                self.fail(True, error)
            finally:
                made.close()
                self.captures.pop()
            made.kept = self.arrays_in([*leaves, *flatten(made.value)[0], *[v for _, v in made.writes]])
            made.decided = {id(array) for array in made.kept if not self.is_staged(array)}
            return made.kept

        examples = self.examples(kinds)
        try:
            made.program = trace(traced, examples)
        except RecursionError as error:
            raise _too_deep(error) from None
        if any(w is e for w in made.program.written for e in examples):
            raise AliasError(
                "a staged loop writes in place to a tensor that it also gives another "
                "value, or to an item of what it loops over",
                why="other names of that tensor would have to change with it",
                remedy="compute a new tensor: x = x + 1 in the place of x += 1",
            )
        self._note_written(made)
        return made

    def _note_written(self, made: Capture) -> None:
        """What is left in a tensor that was written has an identity of its own, beside that of the tensor."""
        count = len(made.kept)
        written = made.program.written
        with untraced():
            left = [torch.empty_like(tensor) for tensor in written]
        made.places = {id(array): i for i, array in enumerate([*made.kept, *written])}
        made.places |= {id(array): count + i for i, array in enumerate(left)}
        made.kept += [*written, *left]
        made.writes += [(Handle.of(tensor), array) for tensor, array in zip(written, left, strict=True)]

    def _is_shared(self, capture: Capture, leaf: Any) -> bool:
        """Whether what a closure left in a variable may have another name, outside or among what it left."""
        if not isinstance(leaf, torch.Tensor) or is_number(leaf):
            return False
        place = capture.places.get(id(leaf))
        if place is None:
            return True
        return capture.program.shared[place] and not any(leaf is left for _, left in capture.writes)

    def examples(self, kinds: Sequence[TensorType]) -> list[torch.Tensor]:
        with untraced():
            return [self.zeros(kind) for kind in kinds]

    def results(self, capture: Capture, arguments: Sequence[Any]) -> Callable[[Any], Any]:
        """Run a captured program; a function from a leaf that the closure left to its value."""
        values = capture.program.results(arguments)
        return self.value_of(capture, values)

    # Conditions and loops

    def conditional(
        self, test: Any, captures: tuple[Capture, Capture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        kinds = [kind for _, _, kind in outputs]
        parts = [part for kind in kinds for part in self.parts(kind)]
        used = [v for c in captures for v in c.program.operands]
        grows = may_need_gradient([*used, *self.arrays_in([leaf for out in outputs for leaf in out[:2]])])
        has_effects = any(c.program.has_effects for c in captures)
        if not kinds and not has_effects:
            return []
        programs = [c.program for c in captures]
        is_plain = not any(c.raised for c in captures)
        if is_plain and is_selectable(programs, parts, compute=self.selects_numbers):
            return self._noted(self._selected(test, captures, outputs), captures, outputs)

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

        left = captured.conditional(test, (branch(0), branch(1)))
        if has_effects:
            assert_holds(decoded(left.pop(), torch.bool), "")
        left = [decoded(a, part.dtype) for a, part in zip(left, parts, strict=True)]
        return self._noted(self.built(kinds, left), captures, outputs)

    def _selected(
        self, test: Any, captures: tuple[Capture, Capture], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        values = [self.value_of(c, c.program.results((), fresh=False)) for c in captures]
        sides = self.sides(values, outputs)
        arrays = self.chosen(self.cast(test, self.boolean), sides, outputs)
        return self.built([kind for _, _, kind in outputs], arrays)

    def _noted(
        self,
        made: list[Any],
        captures: tuple[Capture, Capture],
        outputs: Sequence[tuple[Any, Any, Any]],
    ) -> list[Any]:
        for result, out in zip(made, outputs, strict=True):
            if any(self._is_shared(c, leaf) for c, leaf in zip(captures, out, strict=False)):
                mark_shared(result, "it may be another name of a tensor from before an 'if'")
        return made

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
        self.refuse_lists(types)
        limit = options.get("maximum_iterations")
        start = self.carried(init, types)

        def step(i: Any, carry: list[Any]) -> tuple[Any, list[Any]]:
            value_of = self.results(body, carry)
            return self.truth(value_of(again)), self.left(value_of, results, types)

        return self._after(
            body, results, self.built(types, self._loop(self.truth(going), limit, start, step, body, results))
        )

    def _loop(
        self,
        going: Any,
        length: Any,
        start: list[Any],
        step: Callable[[Any, list[Any]], tuple[Any, list[Any]]],
        body: Capture,
        results: Sequence[Any],
    ) -> list[Any]:
        """A loop that goes on as long as `step` says so, and for at most `length` rounds."""
        counter = TensorType(torch.int64, ())
        bound = None if length is None else self.cast(length, counter)
        counts = [] if bound is None else [self.cast(0, counter)]
        head = [self.cast(going, self.boolean), *counts]
        ran = head[0] if bound is None else torch.logical_and(head[0], bound > 0)

        def round_(_: Any, *rest: Any) -> list[Any]:
            i = rest[0] if counts else None
            kept, left = step(i, list(rest[len(counts) :]))
            return [self.cast(kept, self.boolean), *([] if i is None else [i + 1]), *left]

        with untraced():
            examples = [torch.zeros_like(a) for a in (*head, *start)]
        program = trace(round_, examples, fresh=True)
        is_apart = self._is_apart(body, results, start) and not body.program.has_effects
        asked = separated(program, len(examples)) if is_apart else None
        if asked is not None:
            del head[0], examples[0]

        def test(*given: Any) -> list[Any]:
            on = given[0] if asked is None else asked(*given)
            return [on if bound is None else torch.logical_and(on, given[len(head) - 1] < bound)]

        tested = trace(test, examples, fresh=True)
        carried = joined(_own([*head, *start]), [*tested.operands, *program.operands])
        left = captured.loop(tested, program, carried)
        if body.program.has_effects:
            assert_holds(torch.logical_or(left[0], torch.logical_not(left[0])), "")
        return chosen(ran, left[len(head) :], carried[len(head) :])

    def _is_apart(self, body: Capture, results: Sequence[Any], start: Sequence[Any]) -> bool:
        """Whether the test after a round asks of the variables what the test before the first asked.

        Each must be left a tensor of its own, staged, that was made in the round and is carried as it is: the
        test knows values by their tensors, and a plain one may have decided it in the trace.
        """
        if len(results) != len(start) or len(set(map(id, results))) != len(results):
            return False
        for leaf, carried in zip(results, start, strict=True):
            if not isinstance(leaf, torch.Tensor) or id(leaf) in body.decided or id(leaf) not in body.places:
                return False
            if leaf.dtype != carried.dtype or body.program.shared[body.places[id(leaf)]]:
                return False
        return True

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
        start = self.carried(init, types)
        limit = options.get("maximum_iterations")
        length = items.count if limit is None else self.least(items.count, limit)
        if going is True and again is True and isinstance(length, int):
            return self._scan(items, length, init, types, start, body, results)
        self.refuse_lists(types)

        def step(i: Any, carry: list[Any]) -> tuple[Any, list[Any]]:
            value_of = self.results(body, [*self._element(items.item(i)), *carry])
            kept = True if again is True else self.truth(value_of(again))
            return kept, self.left(value_of, results, types)

        return self._after(
            body,
            results,
            self.built(types, self._loop(self.truth(going), length, start, step, body, results)),
        )

    def _after(self, body: Capture, results: Sequence[Any], made: list[Any]) -> list[Any]:
        for result, leaf in zip(made, results, strict=True):
            if self._is_shared(body, leaf):
                mark_shared(result, "it may be another name of a tensor from a loop or before it")
        return made

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
            return self.left(value_of, results, types), rows

        if length <= UNROLLED:
            left, rows = _own(start), []
            for i in range(length):
                left, row = step(items.item(i), left)
                rows.append(row)
        else:
            left, stacked = self._scanned(items, length, start, step, body)
            types_of_rows = [part.dtype for i in grown for part in types[i].items]
            stacked = [decoded(a, dtype) for a, dtype in zip(stacked, types_of_rows, strict=True)]
            rows = [[a[i] for a in stacked] for i in range(length)]
        return self._after(body, results, self.gathered(types, init, left, rows))

    def _scanned(
        self, items: StagedSequence, length: int, start: list[Any], step: Callable[..., Any], body: Capture
    ) -> tuple[list[Any], list[Any]]:
        whole = items.name == "array" and length == items.count
        rows = items.sources[0] if whole else torch.arange(length)

        ran = self.cast(True, self.boolean)
        carried = [ran, *start] if body.program.has_effects or not start else start
        dtypes = [a.dtype for a in carried]
        grows = may_need_gradient([*carried, rows, *body.program.operands])

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
        left = captured.scanned(program, carried, [rows])
        found = [decoded(a, dtype) for a, dtype in zip(left, dtypes, strict=False)]
        if body.program.has_effects:
            assert_holds(found[0], "")
        return found[len(found) - len(start) :], left[len(found) :]

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
        return [self.cast(leaf, kind) for leaf in flatten(item)[0] if (kind := self.aval(leaf)) is not None]


def _too_deep(error: RecursionError) -> RecursionError:
    if isinstance(error, StagedRecursionError):
        return error
    return StagedRecursionError(
        "staged statements stand inside each other too deep for PyTorch's tracer",
        why="a function calls itself under a staged condition, or there are very many branches",
        remedy="write it as a loop, or split the function",
    )


def _own(values: Sequence[Any]) -> list[Any]:
    """What a loop starts with: memory of its own for each."""
    return [value.clone(memory_format=torch.contiguous_format) for value in values]
