"""Conditions on numbers, without a conditional.

A conditional of XLA calls one of two programs; a selection is one of the instructions around it, which the
compiler joins. A condition whose branches only give names to numbers selects one of each pair; in a body that
may run again and again, so does one whose branches add and compare numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..avals import Aval
from ..functional import Capture

NAMING: frozenset[str] = frozenset()
SAFE = frozenset(
    ("add", "sub", "neg", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "xor", "select_n",
     "convert_element_type")
)  # fmt: skip
"""Primitives that raise nothing, on any values, and whose gradients are finite where those of results are."""


def is_selectable(captures: Sequence[Capture], types: Sequence[Aval], *, compute: bool) -> bool:
    """Whether both programs are to run where one is asked for; with `compute` also those that compute."""
    primitives = SAFE if compute else NAMING
    return (
        bool(types)
        and all(kind.shape == () for kind in types)
        and not any(c.raised or c.failed is not False or c.program.effects for c in captures)
        and all(
            eqn.primitive.name in primitives and all(v.aval.shape == () for v in eqn.outvars)
            for c in captures
            for eqn in c.program.eqns
        )
    )
