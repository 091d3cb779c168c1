"""Trace a function, and trace it again if the first trace finds out that it needs something.

That is objects in the place of values that it changes, or what `AutographError.needs` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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

    If it fails, repeat the trace with objects of the graph in the place of instances of the user's classes:
    of those whose objects are items of staged lists, or else of all that the traced code creates, unless the
    error says that the trace needs something else. What the traces before the last have changed is restored,
    as far as it can be reached from the arguments and from `reached`.
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
            candidates = [*kinds.stored] if changed is None else [changed]
            found = _new_kinds(candidates, kinds)
            if not (found and isinstance(error, AliasError)):
                first = first or error
            needs = {error.needs} - {"", *kinds.needs}
            if not (found or needs):
                found = _new_kinds(kinds.created, kinds)
            if not (found or needs) or heap.moved():
                raise first or error from None
            kinds.needs |= needs
            for kind in found:
                kinds.add(kind, error)
            kinds.stored.clear()
            kinds.created.clear()
            kinds.printed.begin()
            heap.restore()


def _new_kinds(candidates: Iterable[type], known: InstanceKinds) -> list[type]:
    """Return the classes whose instances may become objects of the graph, and are none yet."""
    return [kind for kind in candidates if known.error_of(kind) is None and can_have_instances(kind)]
