"""Merge instances of user classes created in staged branches and loops, attribute by attribute."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ...errors import AliasError
from ...values.locations import instance_attributes
from ...values.reachability import reaches
from ...values.structures import Spec, field_values, flatten, is_mutable_dataclass
from .aliases import other_reference
from .heap import is_of_user


class MergeByField(BaseException):
    """Restart a statement with the instances of a class flattened into their attributes."""

    def __init__(self, kind: type):
        self.kind = kind


def own_attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object: the fields of a dataclass, or else all of them, by name."""
    if is_mutable_dataclass(value):
        return field_values(value)
    return dict(sorted(instance_attributes(value).items()))


def is_mergeable(value: Any) -> bool:
    """Return whether an object is no more than its attributes, and does not refer to itself.

    No library defines its class or a base of it, and `object` creates its instances.
    """
    if is_mutable_dataclass(value):
        return True
    kind = type(value)
    if kind.__new__ is not object.__new__ or not all(map(is_of_user, kind.__mro__[:-1])):  # type: ignore[comparison-overlap]
        return False
    return not reaches(instance_attributes(value).values(), lambda held: held is value)


class FieldMerging:
    """The classes whose instances a statement merges attribute by attribute."""

    def __init__(self) -> None:
        self.kinds: set[type] = set()

    def takes(self, value: Any) -> bool:
        return type(value) in self.kinds and is_mergeable(value)

    def flatten(self, value: Any, sources: Callable[[Any], tuple[Any, ...] | None]) -> tuple[list[Any], Spec]:
        def attributes(value: Any) -> dict[str, Any] | None:
            return own_attributes(value) if self.takes(value) else None

        return flatten(value, attributes=attributes if self.kinds else None, sources=sources)

    def parts_of(self, values: Iterable[Any]) -> list[Any]:
        """Return the instances in `values` that are merged attribute by attribute."""
        found: list[Any] = []
        stack = list(values) if self.kinds else []
        while stack:
            value = stack.pop()
            if self.takes(value):
                found.append(value)
                stack += own_attributes(value).values()
            elif flatten(value)[1].kind is not None:
                stack += flatten(value)[0]
        return found

    def check_aliases(
        self, values: Iterable[Any], names: Collection[str], code: types.CodeType | None
    ) -> None:
        """Check that only the variables `names` of a function refer to the merged instances in `values`."""
        objects = self.parts_of(values)
        for value in {id(v): v for v in objects}.values():
            other = other_reference(value, names, code, accounted=self.parts_of)
            if not other and sum(v is value for v in objects) > 1:
                other = "another variable of the statement"
            if other:
                raise AliasError(
                    f"a staged condition selects one of two {type(value).__name__} objects for a variable, "
                    f"and {other} refers to one of them too",
                    why="a change to the selected object would have to reach the original one",
                    remedy="set the attributes of one object, or make the class a frozen dataclass",
                )

    def check_not_stored(self, values: Iterable[Any]) -> None:
        """Check that no merged instance in `values` is stored outside the statement's variables."""
        for value in self.parts_of(values):
            raise AliasError(
                f"a staged branch or loop cannot assign another {type(value).__name__} object to an "
                "attribute, global or item",
                why="every reference to the previous object would have to refer to the new one",
                remedy="set the attributes of the existing object, or make the class a frozen dataclass",
            )
