"""Trace a function, and trace it again with objects in the place of values where it changes these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import AliasError
from ...staging.state.heap import Heap
from ..tracing.containers.instances import can_have_instances
from .concrete_graph import ConcreteGraph, trace_once


def trace(
    function: Callable[..., Any], arguments: Any, *args: Any, **options: Any
) -> tuple[ConcreteGraph, bool]:
    """Trace `function(*args, **kwargs)` as `trace_once` does, whose arguments these are.

    What a trace that is repeated has changed outside of the function is restored.
    """
    positional, named = arguments
    heap = Heap([function, *positional, *named.values()], own=(), code=None)
    kinds: dict[type, Exception] = {}
    while True:
        try:
            return trace_once(function, arguments, *args, instance_kinds=kinds, **options)
        except AliasError as error:
            kind = error.changed_class
            if kind is None or kind in kinds or not can_have_instances(kind) or heap.moved():
                raise
            kinds[kind] = error
            heap.restore()
