"""How the arguments and the result of a call correspond to those of its graph."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...values.structures import Spec, unflatten
from ..state.variables import Variable
from ..tracing.specs import TensorSpec


@dataclass
class Outputs:
    """The structure of a function's result.

    Args:
        spec: the structure.
        plain: the value of each plain leaf, and None for each staged leaf.
        indices: the index of each leaf among the graph's results, or None for a plain leaf.
        fresh: the indices of plain leaves that the traced function creates; each call returns copies of them.
    """

    spec: Spec
    plain: list[Any]
    indices: list[int | None]
    fresh: frozenset[int] = frozenset()

    def build(self, results: Sequence[Any]) -> Any:
        plain = self.plain
        if self.fresh:
            plain = [copy.copy(p) if n in self.fresh else p for n, p in enumerate(plain)]
        return unflatten(
            self.spec, [p if i is None else results[i] for p, i in zip(plain, self.indices, strict=True)]
        )


@dataclass
class Inputs:
    """The arguments of a graph: the staged leaves of the call's arguments, then variables.

    Args:
        spec: the structure of `(args, kwargs)`.
        leaves: each leaf as a `TensorSpec`, a plain number or string, or the `Identity` of an object.
        state: each Variable that the graph reads or writes, or its leaf index if the Variable is an argument.
        forms: by leaf index, the one form ("array" or "scalar") that the graph accepts for a 0-d leaf.
    """

    spec: Spec
    leaves: list[Any]
    state: list[Any] = field(default_factory=list)
    forms: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.staged = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, TensorSpec)]

    def variables(self, leaves: Sequence[Any]) -> list[Variable]:
        return [leaves[v] if isinstance(v, int) else v for v in self.state]

    def build(self) -> Any:
        return unflatten(self.spec, self.leaves)
