"""The programs of each row of the table: a workload on a system, eagerly, converted, and by hand."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from . import beam_search, lbfgs, maml, rnn, seq2seq, sgd, treelstm

SYSTEMS = {
    "graph": ("numpy", "in_numpy"),
    "jax": ("jax", "in_jax"),
    "tensorflow": ("tensorflow", "in_tensorflow"),
    "torch": ("torch", "in_torch"),
}
"""The package and the module of each system."""

WORKLOADS = {
    "rnn": (rnn, "dynamic RNN", "as by hand"),
    "sgd": (sgd, "gradient descent", ""),
    "beam_search": (beam_search, "beam search", "2.0-3.2x"),
    "lbfgs": (lbfgs, "L-BFGS", "2x"),
    "maml": (maml, "MAML", "1.9x"),
    "seq2seq": (seq2seq, "sequence to sequence", "1.2-3.0x"),
    "treelstm": (treelstm, "TreeLSTM", "2.4x"),
}
"""The module, the title and the published gain over eager execution of each workload."""

Programs = dict[str, Callable[[], Any]]
"""The programs of one row by column: "eager", "converted" and "by hand", each called without arguments."""


def single(given: Any) -> Any:
    """Return arrays with floats of single precision."""
    if isinstance(given, (tuple, list)):
        return type(given)(map(single, given))
    array = np.asarray(given)[()]
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def load(system: str) -> ModuleType | None:
    """Return the module of a system, or None if it is not installed."""
    package, module = SYSTEMS[system]
    return importlib.import_module(f"{__package__}.{module}") if importlib.util.find_spec(package) else None


def programs(system: ModuleType, name: str, sizes: dict[str, int]) -> dict[str, Programs]:
    """Return the rows of a workload on one system, by what makes them special."""
    module = WORKLOADS[name][0]
    given = system.arrays(single(module.arguments(np.random.default_rng(0), **sizes)))

    def bound(f: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: f(*given)

    eager_xp = getattr(system, "eager_xp", system.xp)
    converted = bound(system.converted(module.program(system.xp)))
    by_hand = bound(system.by_hand(system.BY_HAND[name]))
    rows: dict[str, Programs] = {"": {"converted": converted, "by hand": by_hand}}
    if eager_xp is not None:
        rows[""]["eager"] = bound(system.eager(module.program(eager_xp)))
    if name in getattr(system, "OWN", {}):
        own = bound(
            system.eager(system.OWN[name]) if system.OWN_IS_EAGER else system.by_hand(system.OWN[name])
        )
        rows["own RNN"] = {"converted": converted, "by hand": own}
    if hasattr(module, "python_loop"):
        step = system.converted(module.step(system.xp))
        rows["loop in Python"] = rows[""] | {"eager": bound(module.python_loop(step))}
    return rows
