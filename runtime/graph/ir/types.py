"""Types of staged values.

An `ArrayType` describes a NumPy array, or a NumPy scalar if its shape is `()`. A `ScalarType` describes a
Python number, bool or string: the compiled graph keeps it as a Python object, so it promotes weakly and ints
do not overflow. A `ListType` describes a Python list whose elements have one type. A `MaybeType` describes a
variable that some path leaves unbound: each read of it is checked at run time. An `OptionalType` describes a
value that is None on some path, and then does what None does in Python.

A list, deque, set or dict is a value: a change makes another one. A `ReferenceType` describes one that is an
object, as all of them are in Python: a change reaches all its names, and all containers that contain it. So
does an `InstanceType` an instance of a class of the user, which an `ObjectType` describes as a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

Shape: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A NumPy array or scalar of a known dtype and rank; a dimension of None is known only at run time."""

    dtype: np.dtype
    shape: Shape = ()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' if d is None else str(d) for d in self.shape)}]"


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A Python `bool`, `int`, `float`, `complex` or `str`, or a member of an enumeration that is none."""

    python: type

    def __str__(self) -> str:
        return self.python.__name__

    @property
    def is_enumeration(self) -> bool:
        return issubclass(self.python, Enum)


@dataclass(frozen=True, slots=True)
class ListType:
    """A Python list whose elements have one type. `element` is None while the list is empty."""

    element: StagedType | None

    def __str__(self) -> str:
        return f"list[{'?' if self.element is None else self.element}]"


@dataclass(frozen=True, slots=True)
class DequeType(ListType):
    """A `collections.deque` whose elements have one type."""

    maxlen: int | None = None

    def __str__(self) -> str:
        return f"deque[{'?' if self.element is None else self.element}]"


@dataclass(frozen=True, slots=True)
class SetType(ListType):
    """A Python set whose members have one type."""

    def __str__(self) -> str:
        return f"set[{'?' if self.element is None else self.element}]"


@dataclass(frozen=True, slots=True)
class DictType(ListType):
    """A Python dict. `element` is a tuple of the types of its keys and its values.

    `factory` is the name of what makes an empty one, a key of `list_operations.DICTS`.
    """

    factory: str = "dict"

    def __str__(self) -> str:
        name = self.factory if self.factory in ("dict", "Counter") else f"defaultdict({self.factory})"
        pair = "?" if self.element is None else ", ".join(map(str, self.element.parts))  # type: ignore[union-attr]
        return f"{name}[{pair}]"


class Referent:
    """The type of the object that some references refer to. References that may be equal share a referent.

    The type changes while a graph is traced. `made_in` is the builder of the graph that created the object.
    """

    __slots__ = ("made_in", "merged", "own_kind")

    def __init__(self, kind: Any, made_in: Any):
        self.own_kind, self.made_in = kind, made_in
        self.merged: Referent | None = None

    @property
    def root(self) -> Referent:
        """The referent that those merged with this one share."""
        root = self
        while root.merged is not None:
            root = root.merged
        return root

    @property
    def kind(self) -> Any:
        return self.root.own_kind

    def widen(self, kind: Any) -> None:
        root = self.root
        if kind != root.own_kind:
            root.own_kind = kind
            root.made_in.note_type_change()

    def merge_into(self, other: Referent, kind: Any) -> None:
        """Share the referent `other`, whose type is becoming `kind`."""
        root = self.root
        if kind != root.own_kind:
            root.made_in.note_type_change()
        root.merged = other.root


class Reference:
    """Base class of references to what has an identity. `held` is the type of what they refer to."""

    __slots__ = ()
    referent: Referent

    def __init__(self, referent: Referent):
        object.__setattr__(self, "referent", referent)

    @property
    def held(self) -> Any:
        return self.referent.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.referent.root is other.referent.root

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return str(self.held)

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (Referent(self.held, None),)


class ReferenceType(Reference, ListType):
    """A reference to a list, deque, set or dict that has an identity."""

    __slots__ = ("referent",)

    @property
    def element(self) -> Any:
        return self.held.element

    @property
    def maxlen(self) -> int | None:
        return self.held.maxlen

    @property
    def factory(self) -> str:
        return self.held.factory


class InstanceType(Reference):
    """A reference to an instance of a class of the user, which has an `ObjectType`.

    An attribute may be a reference of the same type.
    """

    __slots__ = ("referent",)

    def __str__(self) -> str:
        return self.held.kind.__name__

    __repr__ = __str__


def parts_of(kind: Any) -> tuple[Any, ...]:
    """Return the types of which a type is made, without those of the attributes of an instance."""
    if isinstance(kind, ListType):
        return (kind.element,)
    if isinstance(kind, InstanceType):
        return ()
    held = getattr(kind, "held", None)
    return getattr(kind, "parts", ()) if held is None else (held,)


def holds(kind: Any, is_sought: Callable[[Any], bool]) -> bool:
    """Return whether `is_sought` is true for a type, or for one of which it is made."""
    return is_sought(kind) or any(holds(part, is_sought) for part in parts_of(kind))


def is_reference(kind: Any) -> bool:
    return isinstance(kind, Reference)


def holds_references(kind: Any) -> bool:
    return holds(kind, is_reference)


def holds_lists(kind: Any) -> bool:
    return holds(kind, lambda part: isinstance(part, ListType))


@dataclass(frozen=True, slots=True)
class TupleType:
    """A Python tuple that is an element of a list."""

    parts: tuple[StagedType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class ObjectType:
    """An object that is an item of a list: an instance of `kind` with attributes of some names and types.

    A named tuple has the names of its fields.
    """

    kind: type
    names: tuple[str, ...]
    parts: tuple[StagedType, ...]

    def __str__(self) -> str:
        attributes = [f"{n}: {p}" for n, p in zip(self.names, self.parts, strict=True)]
        return f"{self.kind.__name__}({', '.join(attributes)})"


@dataclass(frozen=True, slots=True)
class MaybeType:
    """A user variable called `name` that is unbound or has a value of type `held`."""

    held: StagedType
    name: str

    def __str__(self) -> str:
        return f"{self.held} or unbound"


@dataclass(frozen=True, slots=True)
class OptionalType:
    """None, or a value of type `held`. `held` is None for an item of a list that contains nothing else."""

    held: StagedType

    def __str__(self) -> str:
        return f"{self.held} or None" if self.held else "None"  # type: ignore[truthy-bool]


@dataclass(frozen=True, slots=True)
class AlternativesType:
    """What a function returns, of which only the running graph knows the structure: one of several.

    `description` names one of them.
    """

    description: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.description} or another structure"


@dataclass(frozen=True, slots=True)
class GeneratorType:
    """A random number generator that each run of the graph creates."""

    def __str__(self) -> str:
        return "generator"


StagedType: TypeAlias = (
    ArrayType
    | ScalarType
    | ListType
    | TupleType
    | ObjectType
    | InstanceType
    | AlternativesType
    | MaybeType
    | OptionalType
    | GeneratorType
)

NULLABLE_TYPES = (MaybeType, OptionalType)
"""The types of values that may be missing: unbound, or None."""


class _Samples(dict[type, Any]):
    def __missing__(self, kind: Any) -> Any:
        return next(iter(kind))  # an enumeration


SAMPLES = _Samples({bool: True, int: 1, float: 1.0, complex: 1j, str: "1"})
"""A sample value of each Python scalar type, used to infer the result types of operations."""


def bound_type(kind: Any) -> Any:
    """Return the type of a variable once it is known to be bound, or not to be None."""
    return kind.held if isinstance(kind, NULLABLE_TYPES) else kind


_SCALARS = (bool, int, float, complex, str)


def constant_type(value: Any) -> StagedType | None:
    """Return the type of a plain value as a graph constant, or None if it cannot be a constant."""
    kind = type(value)
    if kind in _SCALARS:
        return ScalarType(kind)
    if isinstance(value, (np.ndarray, np.generic)):
        return ArrayType(value.dtype, value.shape)
    base = next((base for base in _SCALARS if isinstance(value, base)), None)
    if base is None and isinstance(value, Enum):
        base = kind
    return None if base is None else ScalarType(base)


def is_plain(kind: Any) -> bool:
    """Return whether values of a type are numbers, text, None or tuples of these."""
    if isinstance(kind, TupleType):
        return all(map(is_plain, kind.parts))
    if isinstance(kind, OptionalType):
        return kind.held is None or is_plain(kind.held)  # type: ignore[redundant-expr]
    return isinstance(kind, ScalarType) or (isinstance(kind, ArrayType) and not kind.shape)
