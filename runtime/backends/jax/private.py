"""Interfaces of JAX that are private or move between its versions, each with its fallback.

Only this module imports `jax._src` and `jax.extend`. It raises ImportError for an interface that has no
fallback, and the registry then treats the installed JAX as unsupported.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import lax


def _optional(name: str, *modules: str) -> Any:
    """Return `name` from the first of the modules that has it, or None."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    return None


def _required(name: str, *modules: str) -> Any:
    found = _optional(name, *modules)
    if found is None:
        raise ImportError(f"cannot import name {name!r} from {modules[0]!r}", name=modules[0])
    return found


_trace_state_clean = _optional("trace_state_clean", "jax._src.core")
_convert_element_type = _optional("_convert_element_type", "jax._src.lax.lax")
_register_exclusion = _optional(
    "register_exclusion", "jax.extend.source_info_util", "jax._src.source_info_util"
)
api_boundary = _optional("api_boundary", "jax._src.traceback_util")
"""JAX's decorator that shortens tracebacks, or None. Libraries for JAX use it too."""
# Public from JAX 0.10 on. JAX 0.6 requires its argument, which every version ignores.
_get_trace_state = _required("get_opaque_trace_state", "jax.extend.core", "jax._src.core")

if not hasattr(jax.core.Tracer, "to_concrete_value"):
    raise ImportError("jax.core.Tracer has no method 'to_concrete_value'", name="jax.core")


_partial_eval = _optional("partial_eval", "jax._src.interpreters")
_core = _optional("core", "jax._src")
_source_info = _optional("source_info_util", "jax._src")
_ClosedJaxpr = _optional("ClosedJaxpr", "jax.extend.core", "jax.core")
_debug_info = _optional("debug_info", "jax._src.api_util")
can_open_programs = _debug_info is not None and all(
    hasattr(module, name)
    for module, name in (
        (_partial_eval, "DynamicJaxprTrace"), (_core, "set_current_trace"), (_core, "trace_ctx"),
        (_source_info, "current"),
    )
)  # fmt: skip
"""Whether this JAX can trace a program statement by statement, rather than a function."""
_has_parents = (
    can_open_programs and "parent_trace" in _partial_eval.DynamicJaxprTrace.__init__.__code__.co_varnames
)
"""Whether a trace refers to the one around it, and tracers are made with their source: from JAX 0.7 on."""


class OpenProgram:
    """A program without arguments whose operations are those of a `with` block."""

    def __init__(self) -> None:
        self.info = _debug_info("branch", lambda: None, (), {}, result_paths_thunk=lambda: ())
        around = {"parent_trace": _core.trace_ctx.trace} if _has_parents else {}
        self.trace = _partial_eval.DynamicJaxprTrace(self.info, **around)
        self.source = _source_info.current()

    def recording(self) -> Any:
        return _core.set_current_trace(self.trace)

    def close(self, results: Sequence[Any]) -> Any:
        """Return the program that computes some arrays of the block."""
        source = [self.source] if _has_parents else []
        tracers = [self.trace.to_jaxpr_tracer(array, *source) for array in results]
        jaxpr, consts = self.trace.frame.to_jaxpr(self.trace, tracers, self.info, *source)[:2]
        return _ClosedJaxpr(jaxpr, consts)


def known_value(tracer: Any) -> Any:
    """Return the value of a tracer if it is known during the trace, or None."""
    return tracer.to_concrete_value()


def distance(first: Any, second: Any) -> int | None:
    """Return `second - first` if two staged integers are a third one plus known numbers, else None."""
    (root, before), (other, after) = _sum_of(first), _sum_of(second)
    return after - before if root is other else None


def _sum_of(tracer: Any) -> tuple[Any, int]:
    """Return a tracer and a number whose sum a tracer is."""
    total = 0
    while (equation := getattr(tracer, "parent", None)) is not None:
        name, operands = str(getattr(equation, "primitive", "")), getattr(equation, "in_tracers", ())
        numbers: list[Any] = [getattr(getattr(operand, "val", None), "val", None) for operand in operands]
        places = [i for i, number in enumerate(numbers) if isinstance(number, (int, np.integer))]
        if name not in ("add", "sub") or len(places) != 1 or (name == "sub" and places != [1]):
            break
        number = int(numbers[places[0]])
        total += number if name == "add" else -number
        tracer = operands[1 - places[0]]
    return tracer, total


def is_idle() -> bool:
    """Return whether JAX is certainly not tracing. Without JAX's own test, it may always be."""
    return _trace_state_clean is not None and _trace_state_clean()


def current_trace() -> Any:
    """Return an object that equals another one only if both come from the same trace."""
    return _get_trace_state(None)


def weak_array(array: Any, dtype: Any) -> Any:
    """Cast an array to a weak dtype, like that of a Python number, or if JAX cannot, to a strong one."""
    if _convert_element_type is None:
        return lax.convert_element_type(array, dtype)
    return _convert_element_type(array, dtype, weak_type=True)


def hide_frames(folder: str) -> None:
    """Make JAX skip frames of a folder when it records the user's line as the source of an operation."""
    if _register_exclusion is not None:
        _register_exclusion(folder)
