"""Instances of the user's classes that are objects of the graph.

An object is a value at first: the traced code creates it, and where it is stored in a staged list, the graph
creates one with the attributes that it has then. That does not do if the traced code changes such an item, or
if staged conditions decide which objects refer to each other, as in linked lists and trees. Then the function
is traced again, and all objects of the class that it creates are *instances*. The graph creates an instance
where the code does, and reads and writes its attributes in the order of the code, so that all names and
containers see a change.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import inspect
import weakref
from collections.abc import Callable, Mapping
from types import FrameType, MappingProxyType
from typing import Any, NoReturn

from ....backends import staged_by
from ....core.active_backends import CAPTURES, active_backend
from ....core.traces import current_trace
from ....core.undefined import Undefined
from ....errors import AliasError, AutographError, MismatchError
from ....staging import identity
from ....staging.state.heap import is_of_user
from ....staging.state.missing_values import OptionalStructure, bound
from ....staging.state.object_merging import is_mergeable, own_attributes
from ....values.structures import OWN_PARTS, REBUILT
from ...ir.graph import Node, Slot
from ...ir.type_merging import merge_types
from ...ir.types import InstanceType, ObjectType, Referent, ScalarType, is_plain
from ..recording import add, is_staged
from ..tensor import wrap
from ..trace import RootBuilder, current_builder
from . import lists, objects
from .stand_ins import StandIn, stand_in_of

IS_ATTRIBUTE = "it is an attribute of an object, to which a new array has to be assigned"


class Instance(StandIn):
    """What the classes of stand-ins have in common."""

    __slots__ = ()

    def ag__refuse(self, what: str, remedy: str) -> NoReturn:
        kind = self.ag__type.held.kind.__name__
        raise AliasError(
            f"{what} a {kind}, of which objects in staged lists change",
            why="the graph creates the object with the attributes that it has after __init__, reads them and "
            "assigns to them, and can do nothing else with it",
            remedy=remedy,
        )

    def ag__is(self, other: Any) -> Any:
        """Return whether another value is the same object."""
        if self is other:
            return True
        if isinstance(other, OptionalStructure) and isinstance(other.ag__parts, StandIn):
            backend: Any = active_backend()
            is_known = backend.not_(other.ag__is_none())
            return backend.and_(is_known, lambda: self.ag__is(other.ag__parts))
        if not isinstance(other, StandIn) or other.ag__type != self.ag__type:
            return False
        references = self.ag__reference, other.ag__reference
        return wrap(add("is_same", [bound(active_backend(), r) for r in references], ScalarType(bool)))

    def __setattr__(self, name: str, value: Any) -> None:
        if not inspect.isdatadescriptor(inspect.getattr_static(type(self), name, None)):
            self.ag__refuse(f"the new attribute {name!r} is assigned to", "assign all attributes in __init__")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self.ag__refuse(f"the attribute {name!r} is deleted from", "assign None to it")

    def __copy__(self) -> Any:
        return created(self.ag__type.held.kind, attributes_read(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not all(map(is_plain, self.ag__type.held.parts)):
            self.ag__refuse("copy.deepcopy() copies", "copy the object and its attributes one by one")
        return self.__copy__()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self.ag__refuse("pickle or copy takes the state of", "read its attributes one by one")


# Classes of stand-ins


def can_have_instances(kind: type) -> bool:
    """Return whether the graph can create instances of a class and read and write their attributes."""
    own = {name for base in kind.__mro__[:-1] for name in vars(base)}
    members = [value for base in kind.__mro__[:-1] for value in vars(base).values()]
    return (
        type(kind) is type
        and all(map(is_of_user, kind.__mro__[:-1]))
        and not own & _CREATING
        and not (dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]
        and not any(isinstance(value, functools.cached_property) for value in members)
    )


_CREATING = frozenset(
    f"__{name}__"
    for name in "new init_subclass getattr getattribute setattr delattr del copy deepcopy reduce reduce_ex "
    "getstate setstate".split()
)
"""Special methods of a class whose instances the graph cannot have."""


def _stand_in_class(kind: type, names: tuple[str, ...], root: RootBuilder) -> type[Instance]:
    """Return the class of what stands for the instances of a class that have some attributes."""
    known = root.instance_classes.get((kind, names))
    if known is not None:
        return known
    of_instances = InstanceType(Referent(ObjectType(kind, names, ()), root))

    equality: Any = kind.__eq__
    inherits_identity = equality in (object.__eq__, identity.is_same)
    members = {
        "__slots__": ("ag__reference",),
        "__module__": __name__,
        "__qualname__": kind.__qualname__,
        "ag__class": kind,
        "__class__": property(lambda _: kind),
        "__dict__": property(lambda self: MappingProxyType(attributes_read(self))),
        "ag__type": of_instances,
        OWN_PARTS: staticmethod(lambda self: {"ag__reference": self.ag__reference}),
        REBUILT: staticmethod(stand_in_of),
        **({"__eq__": Instance.ag__is, "__ne__": _is_not} if inherits_identity else {}),
        "__hash__": identity.hash_of_identity if inherits_identity else kind.__hash__,
        **{name: _attribute(name) for name in names},
    }
    made_class: Any = type(kind.__name__, (Instance, kind), members)
    root.instance_classes[kind, names] = made_class
    return made_class


def _is_not(self: Any, other: Any) -> Any:
    same = self.ag__is(other)
    backend: Any = staged_by(same)
    return not same if backend is None else backend.not_(same)


def _attribute(name: str) -> property:
    return property(lambda self: _read(self, name), lambda self, value: _write(self, name, value))


def attributes_read(value: Instance) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.ag__type.held.names}


def _read(self: Instance, name: str) -> Any:
    if CAPTURES.reads_state:
        return Undefined(name)
    node = _object_node(self)
    kind = node.type.held
    part = kind.parts[kind.names.index(name)]
    if part == lists.NOTHING:
        return None
    get = objects.getter(name, is_item=False)
    value = wrap(add("attribute", [node], part, function=get, args=(Slot(0),), kwargs={}))
    if is_staged(value):
        value.shared = IS_ATTRIBUTE
    return value


def _write(self: Instance, name: str, value: Any) -> None:
    if type(value) is Undefined:  # of a state
        return
    target, node = _object_node(self), lists.stored_node(value)
    _widen(self.ag__type, {name: node.type})
    add("reference_update", (target, name, node), None, effect=True, method="set_attribute")


def _object_node(value: Instance) -> Node:
    """Return the node of an object whose attribute is read or written."""
    return bound(active_backend(), value.ag__reference).node()


def _widen(of_instances: InstanceType, new: Mapping[str, Any]) -> None:
    """Let attributes have further types."""
    kind: ObjectType = of_instances.held
    parts = dict(zip(kind.names, kind.parts, strict=False))
    for name, part in new.items():
        try:
            parts[name] = merge_types(parts.get(name, part), part)
        except TypeError as error:
            raise MismatchError(
                f"the attribute {name!r} of a {kind.kind.__name__}, of which objects in staged lists change, "
                f"has two types, {parts[name]} and {part}",
                why=f"which object it is is known only when the graph runs, so they need one type: {error}",
                remedy="assign values of one type, or None",
            ) from None
    of_instances.referent.widen(dataclasses.replace(kind, parts=tuple([parts[n] for n in kind.names])))


# Creation


def constructor(kind: type, construct: Callable[..., Any]) -> Callable[..., Any]:
    """Return what creates the instances of a class in a trace. `construct` is its own constructor."""
    kinds = current_builder().root.instance_kinds
    error = kinds.error_of(kind)
    if error is None:
        kinds.created[kind] = None
        return construct

    def create(*args: Any, **kwargs: Any) -> Any:
        held = [construct(*args, **kwargs)]
        attributes = own_attributes(held[0])
        if not is_mergeable(held[0]) or _is_left_elsewhere(held):
            raise error
        return created(kind, attributes)

    return create


def replace(value: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace`"""
    return constructor(value.__class__, functools.partial(dataclasses.replace, value))(**changes)


def created(kind: type, attributes: dict[str, Any]) -> Any:
    """Return what stands for a new instance of a class with given attributes."""
    root = current_builder().root
    try:
        parts = [lists.stored_node(value) for value in attributes.values()]
    except AutographError as error:
        raise root.instance_kinds.error_of(kind) from error  # type: ignore[misc]
    made_class = _stand_in_class(kind, tuple(attributes), root)
    new = {name: part.type for name, part in zip(attributes, parts, strict=True)}
    _widen(made_class.ag__type, new)
    slots = tuple([Slot(i) for i in range(len(parts))])
    make = objects.maker(kind, tuple(attributes))
    return wrap(add("new_object", parts, made_class.ag__type, function=make, args=slots, kwargs={}))


def _is_left_elsewhere(held: list[Any]) -> bool:
    """Return whether anything but a list refers to its only item, which is taken from it."""
    try:
        found = weakref.ref(held[0])
    except TypeError:  # a class with slots
        found = functools.partial(held.__getitem__, 0)  # type: ignore[assignment]
    else:
        held.clear()
        if found() is None:
            return False
    gc.collect()
    trace = current_trace()
    known = [held, trace.seen if trace is not None else held]
    value = found()
    return value is not None and any(
        not isinstance(holder, FrameType) and not any(holder is own for own in known)
        for holder in gc.get_referrers(value)
    )
