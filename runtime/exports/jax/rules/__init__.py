"""What each op does: one table, beside those of the embedded graph.

A rule is called with the run, the node and the values of its inputs, and gives the node's value; a list of
them for a node with several results. An op that has no rule here calls the function of `jax.numpy` that has
the name of NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import control, lists
from . import builtins, effects, items, operators

RULES: dict[str, Callable[..., Any]] = {
    **operators.RULES,
    **builtins.RULES,
    **items.RULES,
    **lists.RULES,
    **effects.RULES,
    "cond": control.cond,
    "while": control.while_,
    "for": control.for_,
}
