"""Conditions and loops: `lax.cond`, `lax.scan` where the number of rounds is known, else `lax.while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ...backends.jax.loops import bounded_loop
from ...graph.ir import Node
from . import refused
from .captures import Capture, is_computed
from .lists import iterated
from .paths import BOOL, List, Paths, Same
from .run import Run, code_type, has_failed
from .values import Computed, Grown, Iterated, dtype_of, is_known

BOOL_DTYPE = dtype_of(BOOL)
_TRUE = np.array(True)


def cond(run: Run, node: Node, values: list[Any]) -> Any:
    pred, operands = run.truth(values[0]), values[1:]
    graphs = node.attrs["then"], node.attrs["orelse"]
    if is_known(pred):
        return run.graph(graphs[not pred], operands)
    paths = Paths(run)
    sides = []
    for graph, taken in zip(graphs, (pred, jnp.logical_not(pred)), strict=True):
        with run.only_where(taken):
            sides.append(Capture(run, _graph(run, graph, operands), (), operands))
    used = run.outputs.get(node, {})
    flag = paths.joined(sides[0].failed, sides[1].failed, code_type())
    forms = {i: _form(paths, sides, i, output.type) for i, output in used.items()}

    def branch(side: Capture) -> Callable[[], list[Any]]:
        def arrays() -> list[Any]:
            failed, made = side.run()
            found = paths.arrays(flag, failed)
            for i, form in forms.items():
                found += paths.zeros(form) if has_failed(failed) else paths.arrays(form, made[i])
            return found

        return arrays

    if all(isinstance(form, Same) for form in (flag, *forms.values())) and not any(
        side.has_effects for side in sides
    ):
        made = iter(())
    else:
        made = iter(lax.cond(pred, branch(sides[0]), branch(sides[1])))
    run.failed = paths.built(flag, made)
    results = [None] * len(graphs[0].results)
    for i, form in forms.items():
        results[i] = paths.built(form, made)
    return results


def _graph(run: Run, graph: Any, operands: Sequence[Any]) -> Callable[[], list[Any]]:
    return lambda: run.graph(graph, operands)


def _form(paths: Paths, sides: Sequence[Capture], i: int, kind: Any) -> Any:
    """The form of the i-th result; that of the other side where one can only raise."""
    values = [side.values[i] for side in sides if not has_failed(side.failed)]
    if len(values) == 2:
        return paths.joined(values[0], values[1], kind)
    [value] = values or [sides[0].values[i]]
    return paths.single(value, kind, known=True) if is_computed(value) else Same(value)


def while_(run: Run, node: Node, values: list[Any]) -> list[Any]:
    return _Loop(run, node, None, values[0], values[1:]).results()


def for_(run: Run, node: Node, values: list[Any]) -> list[Any]:
    return _Loop(run, node, iterated(run, values[1]), values[0], values[2:]).results()


class _Loop:
    """One loop: the forms of what it carries are found by capturing its body until they stay the same."""

    def __init__(self, run: Run, node: Node, items: Iterated | None, going: Any, values: list[Any]):
        self.run, self.node, self.items, self.paths = run, node, items, Paths(run)
        [self.body] = node.graphs()
        count, size = node.attrs["carried"], node.attrs.get("elements", 0)
        self.init, self.operands = values[:count], values[count:]
        self.elements = self.body.arguments[:size]
        self.kinds = [a.type for a in self.body.arguments[size : size + count]]
        self.going = run.truth(going)
        self.limit = node.attrs.get("maximum_iterations")
        self.fails = False

    @property
    def length(self) -> Any:
        """How many rounds there are at most; None where that is not known before."""
        length = None if self.items is None else self.items.length
        if self.limit is None:
            return length
        if length is None or is_known(length):
            return self.limit if length is None else min(length, self.limit)
        return jnp.minimum(length, self.limit)

    @property
    def most(self) -> int | None:
        """How many rounds there are at most, as far as that is known without running the loop."""
        bounds = (self.limit, None if self.items is None else self.items.most)
        return min([n for n in bounds if n is not None], default=None)

    def results(self) -> list[Any]:
        if self.going is False or (is_known(self.length) and self.length == 0):
            return self.init
        self._settle()
        always = self.going is True and self.capture.values[0] is True and not self.fails
        if always and isinstance(self.length, int):
            return self._scan(self.length)
        return self._while(self.most)

    # The body

    def _settle(self) -> None:
        paths, run = self.paths, self.run
        self.forms = [paths.carried(v, k) for v, k in zip(self.init, self.kinds, strict=True)]
        while True:
            self._capture_body()
            forms = [
                paths.widened(f, v, k)
                for f, v, k in zip(self.forms, self.capture.values[1:], self.kinds, strict=True)
            ]
            fails = self.fails or self.capture.failed is not run.failed
            if forms == self.forms and fails == self.fails:
                break
            self.forms, self.fails = forms, fails
        self.growth = self._growth()
        if not any(self.growth):
            return
        rounds = run.most_rounds() if self.most is None else self.most
        for i, more in enumerate(self.growth):
            form = self.forms[i]
            if isinstance(form, List):
                most = form.most + more * rounds
                capacity = max(form.capacity, most)
                self.forms[i] = List(form.element, capacity, form.base, 0, most - more)
        self._capture_body()
        if self._growth() != self.growth:
            raise refused.differs(self.node, "a list grows by more in each round")

    def _capture_body(self) -> None:
        self.specs = [self._arrays(i) for i in range(len(self.forms))]
        carried = [a for arrays in self.specs for a in arrays]
        flag = [self.run.code(0)] if self.fails else []
        sample = self._sample()
        leaves, self.tree = jax.tree.flatten(sample)

        def call(*given: Any) -> Any:
            rest = iter(given)
            reached = next(rest)
            item = jax.tree.unflatten(self.tree, [next(rest) for _ in leaves])
            if self.fails:
                self.run.failed = next(rest)
            values = [self.paths.built(form, rest) for form in self.forms]
            with self.run.only_where(reached):
                return self._round(item, values)

        outer = (self.operands, [f.value for f in self.forms if isinstance(f, Same)])
        self.capture = Capture(self.run, call, [_TRUE, *leaves, *flag, *carried], outer)

    def _arrays(self, i: int) -> list[Any]:
        return self.paths.arrays(self.forms[i], self.init[i])

    def _sample(self) -> Any:
        """The item of some round, as shapes."""
        if self.items is None:
            return ()
        if is_known(self.items.length):
            rows = jax.eval_shape(self.items.rows)
            return jax.tree.map(lambda row: jax.ShapeDtypeStruct(row.shape[1:], row.dtype), rows)
        return jax.eval_shape(lambda: jax.tree.map(jnp.asarray, self.items.item(jnp.zeros((), int))))

    def _round(self, item: Any, values: list[Any]) -> list[Any]:
        elements: list[Any] = [None] * len(self.elements)
        if self.items is not None:
            _place(self.node.attrs["structure"], item, elements)
        found = [self.run.fitted(v, a.type) for v, a in zip(elements, self.elements, strict=True)]
        again, *results = self.run.graph(self.body, [*found, *values, *self.operands])
        return [self.run.truth(again), *results]

    def _growth(self) -> list[int]:
        """By how much each list may be longer after a round."""
        found = []
        for form, value in zip(self.forms, self.capture.values[1:], strict=True):
            most = value.most if isinstance(value, Grown) else len(value) if isinstance(value, list) else 0
            found.append(max(0, most - form.most) if isinstance(form, List) else 0)
        return found

    def _step(
        self, reached: Any, item: Any, failed: list[Any], carry: Sequence[Any]
    ) -> tuple[Any, list[Any], list[Any]]:
        """Whether to go on, the flag, and the arrays after a round."""
        failed_after, (again, *values) = self.capture.run(reached, *jax.tree.leaves(item), *failed, *carry)
        arrays = [a for f, v in zip(self.forms, values, strict=True) for a in self.paths.arrays(f, v)]
        flag = [self.run.code(failed_after)] if self.fails else []
        return again, flag, arrays

    # What it becomes

    def _start(self) -> list[Any]:
        return [a for i in range(len(self.forms)) for a in self._arrays(i)]

    def _scan(self, length: int) -> list[Any]:
        rows = () if self.items is None else self.items.rows()
        if self.items is not None and self.items.length != length:
            rows = jax.tree.map(lambda row: row[:length], rows)

        def step(carry: list[Any], item: Any) -> tuple[list[Any], None]:
            return self._step(_TRUE, item, [], carry)[2], None

        left, _ = lax.scan(step, self._start(), rows, length=length)
        made = iter(left)
        return [self._exact(i, value, length) for i, value in enumerate(self._left(made))]

    def _left(self, arrays: Iterator[Any]) -> list[Any]:
        """The values after the last round, which may have made lists longer."""
        values = [self.paths.built(form, arrays) for form in self.forms]
        for value, more in zip(values, self.growth, strict=True):
            if isinstance(value, Grown):
                value.most += more
        return values

    def _exact(self, i: int, value: Any, rounds: int) -> Any:
        """A list that each round makes longer by as much has a known length after the last."""
        before, after = self.init[i], self.capture.values[1 + i]
        if not (isinstance(value, Grown) and isinstance(after, Grown) and isinstance(after.base, Computed)):
            return value
        first = before.extra if isinstance(before, Grown) and before.base is None else None
        first = len(before) if isinstance(before, list) else first
        if first is None or after.base.argument != self._argument_of_base(i):
            return value
        length = first + rounds * after.extra
        return Grown(value.rows, None, length, length)

    def _argument_of_base(self, i: int) -> int:
        """The place of a list's length among the arguments of the body: the last array of its form."""
        items = 1 + self.tree.num_leaves + bool(self.fails)
        return items + sum(map(len, self.specs[: i + 1])) - 1

    def _while(self, most: int | None) -> list[Any]:
        length, run = self.length, self.run
        going = self.going
        if run.going_on is not True:
            going = jnp.logical_and(going, run.going_on)
        flag = [run.code(run.failed)] if self.fails else []
        bounded = any(self.growth) and most is None

        def test(i: Any, going: Any, *_: Any) -> Any:
            return going if length is None else jnp.logical_and(going, i < length)

        def step(i: Any, going: Any, *state: Any) -> list[Any]:
            item = () if self.items is None else self.items.item(i)
            item = jax.tree.map(jnp.asarray, item)
            reached = has_room(i, going)
            again, failed, arrays = self._step(reached, item, list(state[: len(flag)]), state[len(flag) :])
            if failed:
                again = jnp.logical_and(again, failed[0] == 0)
            return [i + 1, run.number(again, BOOL_DTYPE), *failed, *arrays]

        def has_room(i: Any, going: Any, *state: Any) -> Any:
            return jnp.logical_and(test(i, going), i < run.room) if bounded else test(i, going)

        state = [jnp.zeros((), int), run.number(going, BOOL_DTYPE), *flag, *self._start()]
        if most is None:
            left = lax.while_loop(lambda s: has_room(*s), lambda s: step(*s), state)
        else:
            left = bounded_loop(test, step, state, most)
        i, going, *rest = left
        if flag:
            run.failed = rest.pop(0)
        if bounded:
            run.fail(test(i, going), lambda: refused.no_room(self.node, run.room or 0))
        return self._left(iter(rest))


def _place(structure: Any, value: Any, found: list[Any]) -> None:
    """Put the parts of an item where the body takes them."""
    if isinstance(structure, tuple):
        for part, inner in zip(structure, value, strict=True):
            _place(part, inner, found)
    else:
        found[structure] = value
