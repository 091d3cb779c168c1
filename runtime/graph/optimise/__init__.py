"""Graph optimizations that preserve results exactly.

Each optimization rewrites a graph and its inner graphs in place. It preserves the order of the remaining
nodes, every effect, and every bit of the results: NumPy's rounding, signed zeros, NaNs, dtypes, shapes, and
which results are separate arrays. It may drop the error of a node that no result needs, and may emit a
repeated warning only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...errors import OptionError, describe
from ..ir.graph import Graph
from .algebraic_identities import simplify_algebra
from .common_subexpressions import eliminate_common_subexpressions
from .constant_conditions import simplify_control_flow
from .constant_folding import fold_constants
from .dead_code import eliminate_dead_code
from .loop_invariants import hoist_invariants

OPTIMISATIONS: dict[str, Callable[[Graph], None]] = {
    "fold": fold_constants,
    "branches": simplify_control_flow,
    "identities": simplify_algebra,
    "cse": eliminate_common_subexpressions,
    "hoist": hoist_invariants,
    "dead": eliminate_dead_code,
}
"""The optimizations by name. Most leave unused nodes behind for `dead` to remove."""

ALL = tuple(OPTIMISATIONS)
_ORDER = ("fold", "branches", "fold", "identities", "cse", "hoist", "cse", "dead")


def optimisation_names(which: bool | Iterable[str]) -> tuple[str, ...]:
    """Return the names of the optimizations that the value of an `optimise=` option selects.

    Raises:
        OptionError: a name is unknown.
    """
    if isinstance(which, bool):
        return ALL if which else ()
    names = (which,) if isinstance(which, str) or not isinstance(which, Iterable) else tuple(which)
    for name in names:
        if name not in OPTIMISATIONS:
            raise OptionError(
                f"there is no optimization {describe(name)}",
                why="optimise= must be True, False, or a list of optimization names",
                remedy=f"choose from {', '.join(ALL)}",
            )
    return names


def optimise(
    graph: Graph, names: Iterable[str] = ALL, *, check: Callable[[Graph], None] | None = None
) -> None:
    """Optimize the graph of a trace in place, calling `check` after each of the named optimizations."""
    names = frozenset(names)
    program = graph.program()
    for name in _ORDER:
        if name in names:
            for part in program:
                OPTIMISATIONS[name](part)
            if check is not None:
                check(graph)


__all__ = ["ALL", "OPTIMISATIONS", "optimisation_names", "optimise"]
