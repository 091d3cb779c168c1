"""Gradients of functions that write to their first argument, as selections between old and new elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...gradient.cotangents import ndim_of, shape_of
from ...gradient.unsupported import unsupported_argument
from ...rules.writes import WRITES
from ...tracing import recording


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    return np.where(where, np.broadcast_to(src, shape_of(dst)), dst)


def _putmask(a: Any, mask: Any, values: Any) -> Any:
    if ndim_of(values) and shape_of(values) != shape_of(a):
        raise unsupported_argument("numpy.putmask", "values that are repeated")
    return np.where(mask, values, a)


def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    if mode != "raise" or (ndim_of(v) and shape_of(v) != np.shape(ind)):
        raise unsupported_argument("numpy.put", "a mode, or values that are repeated")
    flat = recording.setitem(np.reshape(a, (-1,)), np.asarray(ind), v)
    return np.reshape(flat, shape_of(a))


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    if ndim_of(a) != 2 or wrap or ndim_of(val):
        raise unsupported_argument("numpy.fill_diagonal", "other arguments than a matrix and a number")
    rows, columns = shape_of(a)
    return np.where(np.eye(rows, columns, dtype=bool), val, a)


DEFINITIONS = {
    WRITES[np.copyto]: _copyto,
    WRITES[np.putmask]: _putmask,
    WRITES[np.put]: _put,
    WRITES[np.fill_diagonal]: _fill_diagonal,
}
