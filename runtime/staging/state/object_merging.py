"""Objects of dataclasses that a staged branch or loop makes anew: two of them become one, field by field."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ..errors import AliasError
from ..structures import Spec, fields_now, flatten, is_changeable
from .aliases import other_way


class TakenApart(BaseException):
    """Two objects of a dataclass are to be one: the statement starts again, with the fields as its values."""

    def __init__(self, kind: type):
        self.kind = kind


class Apart:
    """The dataclasses whose objects a statement takes apart."""

    def __init__(self) -> None:
        self.kinds: set[type] = set()

    def takes(self, value: Any) -> bool:
        return type(value) in self.kinds and is_changeable(value)

    def flatten(self, value: Any, sources: Callable[[Any], tuple[Any, ...] | None]) -> tuple[list[Any], Spec]:
        if not self.kinds:
            return flatten(value, sources=sources)
        return flatten(value, attributes=lambda v: fields_now(v) if self.takes(v) else None, sources=sources)

    def parts_of(self, values: Iterable[Any]) -> list[Any]:
        """The objects in values that are taken apart."""
        found: list[Any] = []
        stack = list(values) if self.kinds else []
        while stack:
            value = stack.pop()
            if self.takes(value):
                found.append(value)
                stack += fields_now(value).values()
            elif flatten(value)[1].kind is not None:
                stack += flatten(value)[0]
        return found

    def refuse_known(
        self, values: Iterable[Any], names: Collection[str], code: types.CodeType | None
    ) -> None:
        """Refuse objects in values to which more leads than the variables `names` of a function.

        Raises:
            AliasError: there is such an object.
        """
        objects = self.parts_of(values)
        for value in {id(v): v for v in objects}.values():
            other = other_way(value, names, code, accounted=self.parts_of)
            if not other and sum(v is value for v in objects) > 1:
                other = "another variable of the statement"
            if other:
                raise AliasError(
                    f"a variable may be one of two {type(value).__name__} objects, by a staged condition, "
                    f"and {other} leads to one of them too",
                    why="what is changed in one would have to change in both",
                    remedy="set the attributes of one object, or make the class a frozen dataclass",
                )

    def refuse_outside(self, values: Iterable[Any]) -> None:
        """Refuse such objects in what is no variable.

        Raises:
            AliasError: there is such an object in values.
        """
        for value in self.parts_of(values):
            raise AliasError(
                f"an attribute, global or item gets another {type(value).__name__} object "
                "in a staged branch or loop",
                why="what leads to the object that it held before would have to lead to the other one",
                remedy="set the attributes of the object that is there, or make the class a frozen dataclass",
            )
