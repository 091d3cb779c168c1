"""Items of plain containers at symbolic indices and keys, and membership in plain containers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from autograph_rs.runtime.errors import MismatchError, UnsupportedPlaceError, ValueNeededError, describe

from .conditions import OnlyTruth
from .values import Place, Running


class Items(Running):
    """The part of the backend of expressions that selects items, as chains of `where`."""

    bound: Callable[[Any], Any]
    fail: Callable[[Any, BaseException], None]
    in_branch: Callable[[], bool]
    is_staged: Callable[[Any], bool]
    merge: Callable[[Any, Any], Any]
    truth: Callable[[Any], Any]
    type_of: Callable[[Any], Any]

    def value_of(self, value: Any) -> Any:
        """Return a value that is used for more than its truth."""
        value = self.bound(value)
        if isinstance(value, OnlyTruth):
            value.refuse()
        return value

    def get_item(self, target: Any, key: Any) -> Any:
        target, key = self.value_of(target), self.value_of(key)
        if self.operators.owns(target):
            return target[key]
        if isinstance(target, str) or not target:
            return self._refuse_key(target)
        if not isinstance(key, Place):
            self._check_inside(target, key)
        return self.selected(target, key)

    def selected(self, target: Sequence[Any], key: Any) -> Any:
        """Return the item at a key that is inside of a sequence."""
        if isinstance(key, int):
            return target[key]
        count = len(target)
        self._check_kinds(target)
        chosen = target[-1]
        for i in reversed(range(count - 1)):
            chosen = self.conditions.select(self._is_item(key, i, count), target[i], chosen)
        return chosen

    def _check_kinds(self, items: Sequence[Any]) -> None:
        kinds = [self.type_of(item) for item in items]
        try:
            functools.reduce(self.merge, kinds)
        except (TypeError, AttributeError):
            raise MismatchError(
                f"a symbolic index selects one of {describe(items)}",
                why=f"{self.framework} has no expression that is one of them, or they have several types",
                remedy="use numbers, or values of another type that the operators list in 'constants'",
            ) from None

    def _check_inside(self, target: Any, key: Any) -> None:
        is_outside = self.conditions.or_(self.truth(key < -len(target)), self.truth(key >= len(target)))
        self.fail(is_outside, IndexError(f"{type(target).__name__} index out of range"))

    def _is_item(self, key: Any, i: int, count: int) -> Any:
        if isinstance(key, Place):
            return key == i
        return self.conditions.or_(self.truth(key == i), self.truth(key == i - count))

    def _refuse_key(self, target: Any) -> NoReturn:
        raise ValueNeededError(
            f"an item of {describe(target)} is accessed by a symbolic index",
            why="only items of tuples, lists and dicts can be selected by an expression",
            remedy="compare the index in an 'if'",
        )

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if self.run.captures and self.is_staged(target) and hasattr(type(target), "__setitem__"):
            raise UnsupportedPlaceError(
                "an item of a symbolic value is assigned under a symbolic condition",
                why="the framework changes the value in place, whatever the condition is",
                remedy="collect the items in a list",
            )
        if not self.is_staged(key) or self.is_staged(target):
            target[key] = value
            return target
        if not isinstance(target, list):
            self._refuse_key(target)
        self._check_inside(target, key)
        for i, before in enumerate(list(target)):
            target[i] = self.conditions.select(self._is_item(key, i, len(target)), value, before)
        return target

    def contains(self, item: Any, container: Any) -> Any:
        item, container = self.value_of(item), self.value_of(container)
        if self.is_staged(container) or isinstance(container, str):
            return self.operators.contains(item, container)
        result: Any = False
        for known in container:
            result = self.conditions.or_(result, self._equal(item, known))
        return result

    def _equal(self, first: Any, second: Any) -> Any:
        """Return the condition that two values, or two tuples, are equal."""
        if not isinstance(first, tuple) or not isinstance(second, tuple):
            return self.truth(first == second)
        result: Any = len(first) == len(second)
        for pair in zip(first, second, strict=False):
            result = self.conditions.and_(result, self._equal(*pair))
        return result

    def find(self, key: Any, keys: Sequence[Any], *, required: bool = False) -> Any:
        place = Place(self.conditions, [self._equal(key, known) for known in keys])
        if required:
            self.fail(place < 0, KeyError(key))
        return place
