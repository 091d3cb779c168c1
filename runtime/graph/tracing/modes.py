"""What every `function` does besides its work, or instead of it."""

from __future__ import annotations

from ..boundary import public
from ..errors import checked_truth

MODES: set[str] = set()
"""Of the whole process: "numerics" checks results, "eagerly" runs no graph, "taping" may record calls."""


@public
def run_functions_eagerly(eagerly: bool) -> None:
    """Let every `function` run its Python function as it is, or trace again, for the whole process.

    Args:
        eagerly: whether functions run without a graph.

    Raises:
        ArgumentError: it is neither True nor False.

    >>> import autograph_rs as ag
    >>> @ag.function
    ... def f(x):
    ...     print("running")
    ...     return x
    >>> ag.run_functions_eagerly(True)
    >>> f(1), f(1)
    running
    running
    (1, 1)
    >>> ag.run_functions_eagerly(False)
    """
    (MODES.add if checked_truth("eagerly", eagerly) else MODES.discard)("eagerly")
