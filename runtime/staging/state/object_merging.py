"""Merge instances of user classes created in staged branches and loops, attribute by attribute."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ...backends import Backend, staged_by
from ...core.closures import never
from ...errors import AliasError
from ...values.locations import instance_attributes
from ...values.reachability import reaches
from ...values.structures import Spec, field_values, flatten, is_mutable_dataclass, object_attributes
from .aliases import other_reference
from .heap import is_of_user
from .missing_values import Value, bound_parts, markers, unified


class MergeByField(BaseException):
    """Restart a statement with the instances of a class flattened into their attributes."""

    def __init__(self, kind: type):
        self.kind = kind

    def refusal(self) -> AliasError:
        """Return the error for instances that cannot be flattened, because they refer to each other."""
        return AliasError(
            f"a staged condition or loop decides which objects a {self.kind.__name__} refers to",
            why="the objects refer to each other, so their attributes cannot be merged one by one",
            remedy="keep the objects in a list, and let each have the index of the other",
        )


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


def bind_attributes(value: Any) -> None:
    """Check the staged attributes that may be unbound, if a user's class defines the object."""
    attributes = object_attributes(value)
    if not attributes or not is_of_user(type(value)):
        return
    for name, held in [*attributes.items()]:
        if staged_by(held) is None and object_attributes(held):
            bind_attributes(held)
        elif (checked := bound_parts(held)) is not held:
            object.__setattr__(value, name, checked)


class FieldMerging:
    """The classes whose instances a statement merges attribute by attribute."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.kinds: set[type] = set()
        self.shared: dict[type, AliasError] = {}

    def takes(self, value: Any) -> bool:
        return type(value) in self.kinds and is_mergeable(value)

    def flatten(self, value: Any, sources: Callable[[Any], tuple[Any, ...] | None]) -> tuple[list[Any], Spec]:
        def attributes(value: Any) -> dict[str, Any] | None:
            return own_attributes(value) if self.takes(value) else None

        return flatten(value, attributes=attributes if self.kinds else None, sources=sources)

    def unified(self, first: Value, second: Value) -> tuple[Value, Value] | None:
        """Return two values in one structure, in which parts that are None on one side are optional, or None.

        Raises:
            MergeByField: the structures would agree if the instances of a class were flattened.
        """
        can_keep = hasattr(self.backend, "keep_unchanged")
        both = unified(first, second, self.backend) if can_keep or not self.kinds else None
        if can_keep and any([*markers(spec)] for _, spec in (first, second, *(both or ()))):
            for leaf in (*first[0], *second[0]):
                if both is not None:
                    self.check_scope(leaf)
                elif self._is_left_whole(leaf):
                    raise MergeByField(type(leaf))
        return both

    def _is_left_whole(self, leaf: Any) -> bool:
        """Return whether a leaf is an object whose attributes could be merged."""
        return type(leaf) not in self.kinds and is_mergeable(leaf)

    def check_scope(self, leaf: Any) -> None:
        """Raise if a leaf is an object that holds values of a branch that has ended.

        Raises:
            MergeByField: its attributes have to be merged.
        """
        if self._is_left_whole(leaf) and self._is_made_in_branch(leaf):
            raise MergeByField(type(leaf))

    def _is_made_in_branch(self, value: Any) -> bool:
        """Return whether an object holds a value that was created in a branch or body that has ended."""
        is_inner: Any = getattr(self.backend, "is_inner", never)
        return reaches(instance_attributes(value).values(), is_inner)

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
        """Refuse changes of merged instances in `values` that have names besides the variables `names`."""
        objects = self.parts_of(values)
        for value in {id(v): v for v in objects}.values():
            other = other_reference(value, names, code, accounted=self.parts_of)
            if not other and sum(v is value for v in objects) > 1:
                other = "another variable of the statement"
            if not other and getattr(self.backend, "is_stand_in", never)(value):
                other = "a staged list"
            if other:
                self._share(
                    value,
                    f"a staged condition selects one of two {type(value).__name__} objects for a variable, "
                    f"and {other} refers to one of them too",
                )

    def check_not_stored(self, values: Iterable[Any]) -> None:
        """Refuse changes of the merged instances in `values`, which are not in variables of the statement."""
        for value in self.parts_of(values):
            self._share(
                value,
                f"a staged branch or loop assigns another {type(value).__name__} object to an attribute, "
                "global or item",
            )

    def _share(self, value: Any, what: str) -> None:
        """Refuse later changes of an instance, and of what the statement leaves in its place."""
        keep = getattr(self.backend, "keep_unchanged", None)
        error = AliasError(
            what if keep is None else f"{what}, and one of them changes later",
            why="the change would have to reach every name of the object",
            remedy="set the attributes of one object, or make the class a frozen dataclass",
        ).about(value)
        if keep is None:
            raise error
        keep(value, error)
        self.shared[type(value)] = error

    def keep_results(self, values: Iterable[Any]) -> None:
        """Refuse later changes of the instances that a statement has left in the place of shared ones."""
        for value in self.parts_of(values) if self.shared else ():
            if type(value) in self.shared:
                self.backend.keep_unchanged(value, self.shared[type(value)])  # type: ignore[attr-defined]
