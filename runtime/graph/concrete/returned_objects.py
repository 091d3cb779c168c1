"""Objects that a traced function creates and returns.

Each call returns new objects, with arrays in place of the staged values. Therefore nothing else may refer to
an object that contains a staged value.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ... import staging
from ...backends import BACKENDS, staged_by
from ...core.active_backends import active_backend
from ...core.traces import TRACES
from ...errors import LeakError
from ...values.locations import instance_attributes
from ...values.structures import Spec, flatten
from ..state.variables import Variable
from ..tracing.containers.iterables import IterableSource
from ..tracing.containers.objects import holds_instances, is_selected_object, known_node
from ..tracing.containers.stand_ins import InstanceReference
from ..tracing.trace import current_builder

_OPAQUE = (
    int, float, complex, str, bytes, type(None), np.generic, np.ndarray, type, types.ModuleType,
    types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.FrameType,
)  # fmt: skip
_REMEDY = "return its values in a tuple, list, dict, dataclass or plain object that the function creates"


def _none_or(marker: Any, parts: list[Any]) -> list[Any]:
    """Return the parts of a structure as values that are None where the structure is."""
    backend: Any = active_backend()
    references = {i: part for i, part in enumerate(parts) if isinstance(part, InstanceReference)}
    staged = {i: part for i, part in enumerate(parts) if staged_by(part) and i not in references}

    def known() -> tuple[Any, ...]:
        return tuple([staging.bound(backend, part) for part in staged.values()])

    chosen = staging.if_exp(backend, backend.is_none(marker), lambda: (None,) * len(staged), known, "")
    results = dict(zip(staged, chosen, strict=True))
    results |= {i: part.or_none(marker) for i, part in references.items()}
    return [results.get(i, part) for i, part in enumerate(parts)]


def _sources_unless_item(value: Any) -> tuple[Any, ...] | None:
    return () if known_node(value) is None else None


class ReturnedObjects:
    """The objects with staged values that one traced function returns or stores in its arguments."""

    def __init__(self) -> None:
        self.objects: list[Any] = []

    def flatten(self, value: Any) -> tuple[list[Any], Spec]:
        leaves, spec = flatten(
            value, mutable_dataclasses=True, attributes=self._attributes, sources=_sources_unless_item
        )
        found = [*staging.markers(spec)]
        for marker, count in found:
            inner = {i for m, n in found if marker < m <= marker + count for i in range(m + 1, m + 1 + n)}
            places = [i for i in range(marker + 1, marker + 1 + count) if i not in inner]
            for i, part in zip(places, _none_or(leaves[marker], [leaves[i] for i in places]), strict=True):
                leaves[i] = part
        return leaves, spec

    def _attributes(self, value: Any) -> dict[str, Any] | None:
        """Return the attributes of an object that contains staged values, or None for other values.

        Raises:
            LeakError: later calls cannot recreate the object.
        """
        if isinstance(value, _OPAQUE) or BACKENDS[type(value)] is not None:
            return None
        if known_node(value) is not None or not any(map(_is_staged, _reachable(value))):
            return None
        if any(value is other for other in self.objects):
            raise _leak_error(value, "occurs twice, so it would become two objects").about(value)
        attributes = instance_attributes(value)
        if not _has_only_attributes(type(value)):
            raise _leak_error(value, "has state other than attributes")
        if any(isinstance(part, Variable) for part in attributes.values()):
            raise _leak_error(value, "also contains a Variable")
        self.objects.append(value)
        return attributes

    def check(self, *roots: Any) -> None:
        """Raise `LeakError` if an object is referenced from outside `roots`."""
        seen = [item for root in roots for item in _reachable(root)]
        _check_identity(seen)
        selected = current_builder().root.selected
        own = {id(item) for item in (*seen, *_reachable(selected))}
        own |= {id(roots), id(seen), id(self.objects), *(id(trace.seen) for trace in TRACES)}
        if self.objects and _has_other_referrers(self.objects, own):
            gc.collect()  # unreachable cycles may still contain references
            for value in self.objects:
                if _has_other_referrers([value], own):
                    raise _leak_error(
                        value, "is also stored elsewhere, where staged values are invalid after the trace"
                    )


def _check_identity(values: list[Any]) -> None:
    """Raise `LeakError` if an object among the values may stand for another one."""
    for value in values:
        if not is_selected_object(value):
            continue
        for other in values:
            if other is not value and (type(other) is type(value) or holds_instances(other, type(value))):
                raise _leak_error(
                    value, "may be the same as another one that is returned or was passed"
                ).about(value)


def _has_other_referrers(values: list[Any], own: set[int]) -> bool:
    """Return whether an object whose id is not in `own` refers to one of the values."""
    arguments = tuple(values)  # in Python 3.13 the argument tuple is itself a referrer
    own = {*own, id(values), id(arguments)}
    return any(id(r) not in own and not isinstance(r, types.FrameType) for r in gc.get_referrers(*arguments))


def _leak_error(value: Any, reason: str) -> LeakError:
    return LeakError(
        f"the function returns a {type(value).__name__} with staged values, or stores it in an argument",
        why=f"each call creates new objects, with arrays in place of staged values, but this object {reason}",
        remedy=_REMEDY,
    )


def _has_only_attributes(kind: Any) -> bool:
    """Return whether the instances of a class have no state other than attributes."""
    new: Callable[[Any], Any] = object.__new__
    try:
        new(kind)
    except TypeError:
        return False
    return True


def _is_staged(value: Any) -> bool:
    return BACKENDS[type(value)] is not None and not isinstance(value, (Variable, IterableSource))


def _reachable(start: Any) -> Iterator[Any]:
    """Yield a value and every object reachable from it."""
    seen: set[int] = set()
    stack = [start]
    while stack:
        item = stack.pop()
        if id(item) in seen or isinstance(item, _OPAQUE):
            continue
        seen.add(id(item))
        yield item
        if BACKENDS[type(item)] is None:
            stack.extend(gc.get_referents(item))
