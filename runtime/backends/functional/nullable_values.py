"""Variables that some path leaves unbound, and values that are None on some path.

Either is held by the arrays of the value and, at the end, one that tells whether there is a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...core.undefined import NONE_USES, Undefined, is_return_variable, unbound_local_error
from .abstract_values import ListAval, Maybe, MaybeAval, OptionalAval
from .optional_values import Optional, present


def is_flagged(aval: Any) -> bool:
    """Return whether an array tells whether there is a value."""
    return isinstance(aval, OptionalAval) or (isinstance(aval, MaybeAval) and aval.is_flagged)


def flag_of(value: Any, aval: Any) -> Any:
    """Return whether there is a value, as a bool or a staged truth value."""
    if isinstance(aval, OptionalAval):
        value = value.value if isinstance(value, Maybe) else value
        return value.is_present if isinstance(value, Optional) else value is not None
    if isinstance(value, Maybe):
        return value.bound
    return not isinstance(value, Undefined) and (value is not None or isinstance(aval.aval, OptionalAval))


class NullableValues:
    """The types of values, and the arrays that hold them."""

    aval: Callable[[Any], Any]
    boolean: Any
    cast: Callable[[Any, Any], Any]
    compose: Callable[[Any, list[Any], Any], Any]
    component_avals: Callable[[Any], list[Any]]
    components: Callable[[Any, Any], list[Any]]
    fail: Callable[[Any, BaseException], Any]
    merge_avals: Callable[[Any, Any], Any]
    returns_none = False
    """Whether a program can return None to its caller."""
    not_: Callable[[Any], Any]
    zeros: Callable[[Any], Any]

    def type_of(self, value: Any) -> Any:
        if isinstance(value, Maybe):
            return MaybeAval(self.type_of(value.value), value.name)
        if isinstance(value, Optional):
            return OptionalAval(self.aval(value.value))
        return self.aval(value)

    def merge(self, first: Any, second: Any) -> Any:
        for kind in (MaybeAval, OptionalAval):
            found = [a for a in (first, second) if isinstance(a, kind)]
            if found:
                held = self.merge(*[a.aval if isinstance(a, kind) else a for a in (first, second)])
                return replace(found[0], aval=held)
        return self.merge_avals(first, second)

    # Unbound variables

    def unbound(self, held: Any, name: str) -> MaybeAval:
        if not name.isidentifier():
            raise TypeError("one path leaves it without a value; assign a value of this type on each path")
        return held if isinstance(held, MaybeAval) else MaybeAval(held, name)

    def bound(self, value: Any) -> Any:
        if not isinstance(value, Maybe):
            return value
        if value.bound is not True:
            self.fail(self.not_(value.bound), unbound_local_error(value.name))
        return value.value

    # Values that may be None

    def optional(self, held: Any) -> OptionalAval:
        if isinstance(held, MaybeAval) and is_return_variable(held.name):
            held = held.aval  # it is bound on the path that has returned
        if self.cannot_be_none(held):
            raise TypeError(f"a value of type {held} on one path cannot be None on the other")
        return held if isinstance(held, OptionalAval) else OptionalAval(held)

    def cannot_be_none(self, aval: Any) -> bool:
        return isinstance(aval, (MaybeAval, ListAval))

    def allows_none(self, aval: Any) -> bool:
        return isinstance(aval, OptionalAval)

    def is_none(self, value: Any) -> Any:
        return isinstance(value, Optional) and value.is_none

    def some(self, value: Any, use: str, *others: Any) -> Any:
        return value.of(NONE_USES[use], *others) if isinstance(value, Optional) else value

    def is_known(self, value: Any) -> bool:
        """Return whether a value is known not to be None where the program is."""
        return not isinstance(value, Optional) or value.is_known

    def iterated(self, value: Any) -> Any:
        return present(value, iter)

    def optional_value(self, value: Any, is_present: Any) -> Optional:
        return Optional(self, value, is_present)

    def narrowed(self, value: Any) -> Any:
        """Return a value that is known not to be None in the current branch as one that never is."""
        return value.value if isinstance(value, Optional) and value.is_known else value

    # Arrays

    def array_avals(self, aval: Any) -> list[Any]:
        """Return the types of the arrays that hold a value."""
        if isinstance(aval, (MaybeAval, OptionalAval)):
            return [*self.array_avals(aval.aval), *([self.boolean] if is_flagged(aval) else [])]
        return self.component_avals(aval)

    def to_arrays(self, value: Any, aval: Any) -> list[Any]:
        """Return the arrays that hold a value, cast to a type."""
        if not isinstance(aval, (MaybeAval, OptionalAval)):
            if isinstance(value, Undefined):  # no code reads it
                return list(map(self.zeros, self.array_avals(aval)))
            return self.components(value, aval)
        if isinstance(value, Maybe) and isinstance(aval, OptionalAval):
            value = value.value  # of a variable for the returned value, which is bound
        flag = flag_of(value, aval)
        if flag is False:
            arrays = list(map(self.zeros, self.array_avals(aval.aval)))
        else:
            kind = Maybe if isinstance(aval, MaybeAval) else Optional
            arrays = self.to_arrays(value.value if isinstance(value, kind) else value, aval.aval)
        return [*arrays, self.cast(flag, self.boolean)] if is_flagged(aval) else arrays

    def from_arrays(
        self, avals: Sequence[Any], arrays: Sequence[Any], counts: Sequence[Any] | None = None
    ) -> list[Any]:
        """Return the values of types `avals` that arrays hold; `counts` contains the lengths of lists."""
        values: list[Any] = []
        start = 0
        for i, aval in enumerate(avals):
            end = start + len(self.array_avals(aval))
            values.append(self._from_arrays(aval, list(arrays[start:end]), counts[i] if counts else None))
            start = end
        return values

    def _from_arrays(self, aval: Any, arrays: list[Any], count: Any) -> Any:
        if not isinstance(aval, (MaybeAval, OptionalAval)):
            return self.compose(aval, arrays, count)
        flag = arrays.pop() if is_flagged(aval) else True
        value = self._from_arrays(aval.aval, arrays, count)
        return (
            self.optional_value(value, flag)
            if isinstance(aval, OptionalAval)
            else Maybe(value, flag, aval.name)
        )
