"""What stands in a trace for the objects of the user's classes that the graph changes. See `instances`."""

from __future__ import annotations

from typing import Any

from ....errors import StagingError
from ...ir.types import InstanceType, OptionalType, bound_type
from ..recording import add
from ..tensor import STRUCTURES, Staged, register_class
from ..trace import current_builder


class InstanceReference(Staged):
    """A reference to an instance, as branches and loops select and carry it."""

    __slots__ = ()
    noun, copy_remedy = "an object", "make a copy first: copy.copy(x)"

    def or_none(self, marker: Any) -> InstanceReference:
        """Return the reference, or None where the marker is None."""
        kind = bound_type(self.type)
        return InstanceReference(add("none_or", (marker, self), OptionalType(kind)), current_builder())


register_class(InstanceType, InstanceReference, "staged object")


class StandIn:
    """Base class of the classes of what stands for instances of a class of the user."""

    __slots__ = ()
    ag__type: InstanceType
    ag__reference: InstanceReference


STRUCTURES[InstanceType] = lambda node: stand_in_of(InstanceReference(node, current_builder()))


def leaf_of(value: Any) -> Any:
    """Return the reference in a stand-in, and any other value unchanged."""
    return value.ag__reference if isinstance(value, StandIn) else value


def stand_in_of(value: Any) -> Any:
    """Return what stands for the object of a reference, and any other value unchanged."""
    if not isinstance(value, InstanceReference):
        return value
    kind = bound_type(value.type).held
    made = object.__new__(current_builder().root.instance_classes[kind.kind, kind.names])
    object.__setattr__(made, "ag__reference", value)
    return made


def note_stored(value: Any) -> None:
    """Note that an object of the graph in the place of a plain one may be able to do what this one cannot."""
    current_builder().root.instance_kinds.stored[type(value)] = None


def refuse_plain(value: Any) -> None:
    """Raise if an object, other than a stand-in, is of a class whose instances are objects of the graph."""
    note_stored(value)
    kinds = current_builder().root.instance_kinds
    if kinds.error_of(type(value)) is not None:
        kind = type(value).__name__
        raise StagingError(
            f"a {kind} that converted code has not created is stored in a staged list, whose items change",
            why="the graph can change only the objects that it creates",
            remedy=f"create it in the function: {kind}(...)",
        )
