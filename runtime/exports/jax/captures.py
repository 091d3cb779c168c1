"""A branch or a round of a loop, traced once to a program of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax

from .run import Run
from .values import Computed


class Capture:
    """What `call` computes of some arrays; what it uses from outside, it closes over.

    `values` is what it returns, and `failed` the flag that it leaves, with a `Computed` in the place of each
    array that is not from outside.
    """

    def __init__(self, run: Run, call: Callable[..., Any], arguments: Sequence[Any], outer: Iterable[Any]):
        known = {id(leaf) for leaf in jax.tree.leaves(list(outer)) if isinstance(leaf, jax.Array)}
        before = run.failed
        self._leaves: list[Any] = []
        if isinstance(before, jax.Array):
            known.add(id(before))

        def traced(*given: Any) -> list[Any]:
            places = {id(array): i for i, array in enumerate(given)}
            kept: list[Any] = []
            made = call(*given)
            leaves, self._tree = jax.tree.flatten((run.failed, made))
            for leaf in leaves:
                if isinstance(leaf, jax.Array) and id(leaf) not in known:
                    self._leaves.append(Computed(leaf.shape, leaf.dtype, len(kept), places.get(id(leaf))))
                    kept.append(leaf)
                else:
                    self._leaves.append(leaf)
            return kept

        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arguments]
        try:
            self.program = jax.make_jaxpr(traced)(*specs)
        finally:
            run.failed = before
        self.failed, self.values = jax.tree.unflatten(self._tree, self._leaves)

    @property
    def has_effects(self) -> bool:
        return bool(self.program.effects)

    def run(self, *arrays: Any) -> tuple[Any, Any]:
        """The flag and the values, for the arrays of one run."""
        made = jax.core.eval_jaxpr(self.program.jaxpr, self.program.consts, *arrays)
        leaves = [made[leaf.place] if isinstance(leaf, Computed) else leaf for leaf in self._leaves]
        flag, values = jax.tree.unflatten(self._tree, leaves)
        return flag, values


def is_computed(value: Any) -> bool:
    """Whether a captured value holds an array that is not from outside."""
    return any(isinstance(leaf, Computed) for leaf in jax.tree.leaves(value))
