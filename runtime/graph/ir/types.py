"""Types of staged values.

An `ArrayType` describes a NumPy array, or a NumPy scalar if its shape is `()`. A `ScalarType` describes a
Python number, bool or string: the compiled graph keeps it as a Python object, so it promotes weakly and ints
do not overflow. A `ListType` describes a Python list whose elements have one type. A `MaybeType` describes a
variable that some path leaves unbound: each read of it is checked at run time. An `OptionalType` describes a
value that is None on some path, and then does what None does in Python.
"""

from __future__ import annotations

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
