"""Find the running activation that a call repeats, when it may be repeated in every branch or loop body."""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from ..core.active_backends import active_backend
from ..core.closures import cells_of
from ..core.in_flight import running
from ..debugging.tracebacks import is_internal
from .state.heap import running_heaps
from .state.search import ROOT
from .state.statement import Statement

_CAPTURE = Statement.run.__code__


def recursive_callee(
    called: Callable[..., Any], loop_form: Callable[[], Callable[..., Any] | None] = lambda: None
) -> Callable[..., Any]:
    """Return what to call instead of `called`, a function that may be running, during a capture.

    `loop_form` returns the function as a loop if it is tail-recursive. Backends that can call a function from
    itself do not need it.
    """
    if type(called) is not types.FunctionType or is_internal(called.__code__):
        return called
    find = getattr(active_backend(), "recursive_callee", None)
    if find is not None:
        return find(called)
    if running_activation(called) is None:
        return called
    return loop_form() or called


def note_activation(called: types.FunctionType) -> None:
    """Have the captured statements track the variables that another activation of their function may set."""
    for heap in running_heaps():
        heap.add_variables(called)


def running_activation(
    called: types.FunctionType, boundary: types.CodeType | None = None
) -> dict[str, Any] | None:
    """Return the variables of the innermost running activation of a function, which is called again.

    Return None if there is none, if no branch or loop body is captured between it and this call, or if it
    began outside of the innermost activation of `boundary`.
    """
    is_captured = False
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code is called.__code__:
            is_staged = is_captured or (running.flight is not None and running.flight.has_rest(frame))
            variables = dict(frame.f_locals) if is_staged else None
            if variables is None or not _has_cells(called, variables):
                return None
            note_activation(called)
            return variables
        if code is _CAPTURE:
            is_captured = True
        elif code is boundary or code.co_name == ROOT:
            return None
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _has_cells(called: types.FunctionType, variables: dict[str, Any]) -> bool:
    """Return whether the free variables of a function have the values in `variables`."""
    return all(variables.get(name) is value for name, value in free_variables(called).items())


def free_variables(function: types.FunctionType) -> dict[str, Any]:
    """Return the values of the variables that a function closes over."""
    values = {}
    for name, cell in cells_of(function).items():
        try:
            values[name] = cell.cell_contents
        except ValueError:
            continue
    return values


@functools.lru_cache(maxsize=256)
def rebound_names(code: types.CodeType) -> frozenset[str]:
    """Return the names of variables that a function or one of its closures assigns."""
    stores = ("STORE_FAST", "STORE_DEREF")
    names = {i.argval for i in dis.get_instructions(code) if i.opname in stores}
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return frozenset(names).union(*map(rebound_names, inner))
