"""Subscripts: an item that is read, and an array that differs at some items."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....graph.ir import Node, Slot
from ....graph.types import ArrayType, ScalarType
from ...calls import filled
from .. import lists, refused
from ..run import Run
from ..values import INT, Grown, is_known
from .checks import check_bounds, check_fits, check_whole


def _index(key: Any) -> Any:
    """A key as JAX takes it: no lists."""
    if isinstance(key, tuple):
        return tuple(map(_index, key))
    return np.asarray(key) if isinstance(key, list) and is_known(key) else key


def _check(run: Run, node: Node, target: Any, key: Any) -> None:
    """Raise as NumPy does where all that counts is known; refuse slices that are not."""
    parts = key if isinstance(key, tuple) else (key,)
    if any(isinstance(p, slice) and not is_known((p.start, p.stop, p.step)) for p in parts):
        raise refused.value_needed(node)
    if is_known(list(parts)):
        np.broadcast_to(np.empty((), np.int8), target.shape)[key]
    else:
        check_bounds(run, parts, target.shape)


def getitem(run: Run, node: Node, values: list[Any]) -> Any:
    target, template = values[0], node.attrs["args"][1]
    key = _index(filled(template, values))
    if isinstance(target, (list, Grown)):
        return lists.sliced(run, node, target, key)
    if isinstance(key, slice) and isinstance(template, slice):
        window = _window(run, node, jnp.asarray(target), template, values)
        if window is not None:
            return window
    _check(run, node, target, key)
    return run.array(target, node.inputs[0].type)[key]


def _window(run: Run, node: Node, target: Any, template: slice, values: list[Any]) -> Any:
    """`x[i : i + n]` where n is known, which has n items unless it reaches beyond an end."""
    start, stop = template.start, template.stop
    if template.step not in (None, 1) or not isinstance(start, Slot) or not isinstance(stop, Slot):
        return None
    begin, end = node.inputs[start.index], node.inputs[stop.index]
    if end.op != "add" or is_known(values[start.index]) or begin not in end.inputs:
        return None
    size = end.inputs[end.inputs[0] is begin]
    if size.op != "constant" or type(size.attrs["value"]) is not int:
        return None
    count, first = size.attrs["value"], values[start.index]
    if not 0 <= count <= target.shape[0]:
        return None
    first = jnp.where((first < 0) & (first + count < 0), first + target.shape[0], first)
    beyond = jnp.logical_or(first < 0, first + count > target.shape[0])
    run.fail(beyond, lambda: refused.beyond_end(node, count))
    return lax.dynamic_slice_in_dim(target, first, count)


def _is_mask(run: Run, key: Any, target: Any) -> bool:
    return (
        isinstance(key, jax.Array)
        and key.dtype == bool
        and key.ndim > 0
        and key.shape == target.shape[: key.ndim]
    )


def _written(run: Run, node: Node, values: list[Any], how: str) -> Any:
    kind = node.inputs[0].type
    assert isinstance(kind, ArrayType)
    if node.inputs[-1].type == INT:
        check_fits(run, values[-1], kind.dtype)
    elif node.inputs[-1].type == ScalarType(float) and kind.dtype.kind in "iu":
        check_whole(run, run.array(values[-1], ScalarType(float)))
    target, value = run.array(values[0], kind), run.number(values[-1], kind.dtype)
    key = _index(filled(node.attrs["key"], values))
    if _is_mask(run, key, target):
        if value.size != 1:
            raise refused.value_needed(node, "writes as many items as a mask has true ones")
        mask = jnp.reshape(key, key.shape + (1,) * (target.ndim - key.ndim))
        value = jnp.reshape(value, ())
        return jnp.where(mask, value if how == "set" else target + value, target)
    _check(run, node, target, key)
    return getattr(target.at[key], how)(value)


RULES = {
    "getitem": getitem,
    "setitem": lambda run, node, values: _written(run, node, values, "set"),
    "add_at": lambda run, node, values: _written(run, node, values, "add"),
}
