"""What a staged value is before it exists: its type.

An `ArrayType` is a NumPy array or NumPy scalar (shape `()`); a dimension that is known only at
run time is `None`. A `ScalarType` is a Python number, truth value or string: the compiled graph
holds it as just that, so that it promotes weakly and counts without bounds, as in Python. A
`ListType` is a Python list of staged values of one type. A `MaybeType` is a variable that some
path leaves unbound; reading it is checked at run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Shape: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A NumPy array or scalar of a known dtype and rank; `None` is a dimension known at run time."""

    dtype: np.dtype
    shape: Shape = ()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' if d is None else str(d) for d in self.shape)}]"


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A Python `bool`, `int`, `float`, `complex` or `str`."""

    python: type

    def __str__(self) -> str:
        return self.python.__name__


@dataclass(frozen=True, slots=True)
class ListType:
    """A Python list whose elements all have one type; `None` while nothing was put in."""

    element: StagedType | None

    def __str__(self) -> str:
        return f"list[{'?' if self.element is None else self.element}]"


@dataclass(frozen=True, slots=True)
class TupleType:
    """A Python tuple as an element of a list."""

    parts: tuple[StagedType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class MaybeType:
    """A variable of the user, called `name`, that holds `held` or is unbound."""

    held: StagedType
    name: str

    def __str__(self) -> str:
        return f"{self.held} or unbound"


@dataclass(frozen=True, slots=True)
class GeneratorType:
    """A generator of random numbers that the graph makes each time that it runs."""

    def __str__(self) -> str:
        return "generator"


StagedType: TypeAlias = ArrayType | ScalarType | ListType | TupleType | MaybeType | GeneratorType

SAMPLES: dict[type, Any] = {bool: True, int: 1, float: 1.0, complex: 1j, str: "1"}
"""A value of each Python scalar type, to ask Python itself what an operation makes of it."""
