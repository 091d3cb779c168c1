"""Process-wide execution modes of functions."""

from __future__ import annotations

from ...debugging.tracebacks import api_boundary
from ...errors import check_bool

MODES: set[str] = set()
"""The enabled modes: "numerics" checks results, "eagerly" bypasses graphs, and "taping" records calls."""


@api_boundary
def run_functions_eagerly(eagerly: bool) -> None:
    """Choose whether every `function` in the process calls its Python function directly or runs graphs.

    Args:
        eagerly: whether functions run without graphs.

    Raises:
        ArgumentError: `eagerly` is neither True nor False.

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
    (MODES.add if check_bool("eagerly", eagerly) else MODES.discard)("eagerly")
