"""Trace a function, and trace it again with objects in the place of values where it changes these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import AliasError, AutographError
from ...staging.state.heap import Heap
from ...values.structures import flatten
from ..tracing.containers.instances import can_have_instances
from ..tracing.selected_values import InstanceKinds
from .concrete_graph import ConcreteGraph, trace_once


def trace(
    reached: Sequence[Any], function: Callable[..., Any], arguments: Any, *args: Any, **options: Any
) -> tuple[ConcreteGraph, bool]:
    """Trace `function(*args, **kwargs)` as `trace_once` does, where `arguments` is `(args, kwargs)`.

    If it fails and objects are items of staged lists, repeat the trace with objects of the graph in the place
    of instances of their classes. What the traces before the last have changed is restored, as far as it can
    be reached from the arguments and from `reached`.
    """
    leaves, _ = flatten(arguments, mutable_dataclasses=True)
    plain = [leaf for leaf in leaves if not isinstance(leaf, np.ndarray)]
    heap = Heap([*reached, *plain], own=(), code=None)
    kinds, first = InstanceKinds(), None
    while True:
        try:
            return trace_once(function, arguments, *args, instance_kinds=kinds, **options)
        except AutographError as error:
            changed = error.changed_class
            found = [*kinds.stored] if changed is None else [changed]
            found = [k for k in found if kinds.error_of(k) is None and can_have_instances(k)]
            if not found or heap.moved():
                raise first or error from None
            if not isinstance(error, AliasError):
                first = first or error
            for kind in found:
                kinds.add(kind, error)
            kinds.stored.clear()
            kinds.printed.begin()
            heap.restore()
