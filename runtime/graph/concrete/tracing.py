"""Trace a function, and trace it again with objects in the place of values where it changes these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import AutographError
from ...staging.state.heap import Heap
from ..tracing.containers.instances import can_have_instances
from ..tracing.containers.stand_ins import InstanceKinds
from .concrete_graph import ConcreteGraph, trace_once


def trace(
    function: Callable[..., Any], arguments: Any, *args: Any, **options: Any
) -> tuple[ConcreteGraph, bool]:
    """Trace `function(*args, **kwargs)` as `trace_once` does, where `arguments` is `(args, kwargs)`.

    If it fails and objects are items of staged lists, repeat the trace with objects of the graph in the place
    of instances of their classes. What the traces before the last have changed is restored.
    """
    positional, named = arguments
    heap = Heap([function, *positional, *named.values()], own=(), code=None)
    kinds, first = InstanceKinds(), None
    while True:
        try:
            return trace_once(function, arguments, *args, instance_kinds=kinds, **options)
        except AutographError as error:
            changed = getattr(error, "changed_class", None)
            found = {*kinds.stored, changed} if changed is None else {changed}
            found = {k for k in found - {None} if kinds.error_of(k) is None and can_have_instances(k)}
            if not found or heap.moved():
                raise first or error from None
            if changed is None:
                first = first or error
            for kind in found:
                kinds.add(kind, error)
            kinds.stored.clear()
            heap.restore()
