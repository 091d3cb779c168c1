"""Calls that a graph recorded, made again of values."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.ir import Node, Slot
from ..graph.record import UFUNCS
from ..graph.run import convert


def by_numpy(node: Node, values: list[Any]) -> Any:
    """What NumPy makes of values in a node; None for ops that are no call of it."""
    if node.op in UFUNCS:
        return UFUNCS[node.op](*values)
    if node.op in ("setitem", "add_at"):
        values[0][filled(node.attrs["key"], values)] = values[-1]
    elif node.op == "convert":
        return convert(values[0], node.attrs["dtype"])
    elif node.op == "list_get":
        return operator.getitem(*values)
    elif node.op == "list_pop":
        return values[0].pop(values[1])
    elif "args" in node.attrs:
        args, kwargs = filled(node.attrs["args"], values), filled(node.attrs["kwargs"], values)
        return (operator.getitem if node.op == "getitem" else node.attrs["function"])(*args, **kwargs)
    return None


@functools.cache
def takes_one_item() -> bool:
    """Whether NumPy makes a number of an array of one item, as it did before 2.4."""
    try:
        with warnings.catch_warnings(action="ignore"):
            int(np.ones(1))
    except TypeError:
        return False
    return True


NO_SCALAR = "only 0-dimensional arrays can be converted to Python scalars"


def filled(template: Any, values: Sequence[Any]) -> Any:
    """A call's recorded arguments with values in the places of its inputs."""
    if isinstance(template, Slot):
        return values[template.index]
    if isinstance(template, tuple):
        made = getattr(template, "_make", tuple)
        return made([filled(part, values) for part in template])
    if isinstance(template, list):
        return [filled(part, values) for part in template]
    if isinstance(template, dict):
        return {key: filled(part, values) for key, part in template.items()}
    if isinstance(template, slice):
        return slice(*(filled(part, values) for part in (template.start, template.stop, template.step)))
    return template
