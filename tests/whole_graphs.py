"""Have graphs run as a whole at once, which otherwise depends on measured times."""

from __future__ import annotations

from typing import Any


def compile_whole(function: Any) -> bool:
    """Have the graphs of a function run as a whole from now on; return whether one does."""
    engines = [c.engine for c in function._traces.values() if c.engine is not None]
    wholes = [e.whole for e in engines if e.whole is not None]
    for whole in wholes:
        if not whole.is_settled and whole.try_compile():
            whole.keep()
    return any(whole.ready for whole in wholes)
