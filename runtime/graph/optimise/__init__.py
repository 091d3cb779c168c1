"""Graph to graph: what computes the same result with less work.

Each optimisation is a function that rewrites a graph, and the graphs inside it, in place. It keeps the
program order of what is left, every effect, and every bit of the results: NumPy's rounding, signed
zeros and NaNs, dtypes and shapes, and which results are arrays of their own. An error that a needed
node raises is raised; one of a node that nobody needs is not. A warning may come once where the code
would have repeated it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...errors import OptionError, told
from ..ir import Graph
from .branches import branches
from .common import cse
from .dead import dead
from .fold import fold
from .hoist import hoist
from .identities import identities

OPTIMISATIONS: dict[str, Callable[[Graph], None]] = {
    "fold": fold,
    "branches": branches,
    "identities": identities,
    "cse": cse,
    "hoist": hoist,
    "dead": dead,
}
"""By name, in their order. A node that one of them leaves without users is for `dead` to drop."""

ALL = tuple(OPTIMISATIONS)
_ORDER = ("fold", "branches", "fold", "identities", "cse", "hoist", "dead")


def chosen(which: bool | Iterable[str]) -> tuple[str, ...]:
    """The names of optimisations that a user's `optimise=` stands for.

    Raises:
        OptionError: there is no optimisation of a name.
    """
    if isinstance(which, bool):
        return ALL if which else ()
    names = (which,) if isinstance(which, str) or not isinstance(which, Iterable) else tuple(which)
    for name in names:
        if name not in OPTIMISATIONS:
            raise OptionError(
                f"there is no optimisation {told(name)}",
                why="optimise= is True, False, or the names of some optimisations",
                remedy=f"give some of {', '.join(ALL)}",
            )
    return names


def optimise(
    graph: Graph, names: Iterable[str] = ALL, *, check: Callable[[Graph], None] | None = None
) -> None:
    """Rewrite a graph and the graphs inside it, in place.

    Args:
        graph: what a trace left.
        names: the optimisations to use; their order is always that of `OPTIMISATIONS`.
        check: is called with the graph after each of them.
    """
    names = frozenset(names)
    for name in _ORDER:
        if name in names:
            OPTIMISATIONS[name](graph)
            if check is not None:
                check(graph)


__all__ = ["ALL", "OPTIMISATIONS", "chosen", "optimise"]
