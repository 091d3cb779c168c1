"""What loops iterate over during a trace, and the arrays that staged ones have replaced there."""

from __future__ import annotations

import contextlib
import gc
import itertools
import threading
import types
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..errors import AliasError
from .array_views import key_of_view
from .iterators import referents


class Watched(itertools.chain):
    """The iterator of a Python loop: the user's code, which may refer to what staged values replace.

    It adds no frame of its own to tracebacks.
    """

    def __init__(self, _: Any):
        _running.iterators.add(self)

    def parts(self) -> Iterator[Any]:
        """Yield the iterators and functions of the user's from which the items come."""
        stack = gc.get_referents(self)
        while stack:
            item = stack.pop()
            kind = type(item)
            is_builtin = kind.__module__ == "builtins" and kind not in _CODE
            if kind.__module__ == "itertools" or (is_builtin and hasattr(kind, "__next__")):
                stack += gc.get_referents(item)
            elif kind is not _ItemOf and not is_builtin:
                yield item


class KeyedItems:
    """The items of a set or dict, or of a view of one, also after a staged one has replaced it.

    Once `replacement` is set, `check` raises Python's error if members or keys have come or gone.
    """

    def __init__(self, iterable: Any):
        self.iterable, self.kind = iterable, type(iterable)
        [self.owner] = [iterable] if self.kind in (set, dict) else gc.get_referents(iterable)
        self.known, self.count, self.items = [*self.owner], 0, iter(iterable)
        self.replacement: Any = None
        self.check: Callable[..., None] = nothing
        self.goes_on: Callable[[], Any] | None = None
        """Returns whether the loop has not been left, if that is staged."""
        _running.keyed.add(self)

    def __iter__(self) -> KeyedItems:
        return self

    def __next__(self) -> Any:
        staged = self.replacement
        if staged is not None and not active_backend().is_inner(staged):
            self.check(staged, len(self.known), self.goes_on)
        try:
            item = next(self.items)
        except RuntimeError:
            if [*self.owner] != self.known:
                raise
            # A capture has changed the dict, and has restored it.
            self.items = itertools.islice(self.iterable, self.count, None)
            item = next(self.items)
        self.count += 1
        if staged is None or self.kind not in (_VALUES, _ITEMS):
            return item
        key = self.known[self.count - 1]
        return staged[key] if self.kind is _VALUES else (key, staged[key])


class _Running(threading.local):
    def __init__(self) -> None:
        self.iterators: weakref.WeakSet[Watched] = weakref.WeakSet()
        self.keyed: weakref.WeakSet[KeyedItems] = weakref.WeakSet()
        self.functions: list[Any] = []
        self.replaced: dict[int, tuple[Callable[[], Any], Any, Any]] = {}
        """The plain arrays that staged ones have replaced, by id: a reference, the other and its backend."""


_running = _Running()
_KEYS, _VALUES, _ITEMS = map(type, ({}.keys(), {}.values(), {}.items()))
_KEYED = frozenset((set, dict, _KEYS, _VALUES, _ITEMS))
_CODE = frozenset((types.GeneratorType, types.FunctionType, types.BuiltinFunctionType, types.MethodType))


def iterated_parts() -> Iterator[Any]:
    """Yield the user's iterators and functions from which the items of running loops come."""
    yield from _running.functions
    for loop in _running.iterators:
        yield from loop.parts()


def keyed_loops(container: Any) -> list[KeyedItems]:
    """Return the loops over a set or dict that follow what replaces it."""
    return [loop for loop in _running.keyed if loop.owner is container]


def is_looped_over(container: Any) -> bool:
    """Return whether a loop goes over a container in Python, and does not follow what replaces it."""
    iterators = [found for loop in _running.iterators for found in iterators_in(loop)]
    return any(container is held for found in iterators for held in gc.get_referents(found))


def iterators_in(iterator: Any, *, in_generators: bool = False) -> Iterator[Any]:
    """Yield an iterator and those from which it takes its items, up to generators.

    With `in_generators`, yield those to which variables of generators refer, too.
    """
    stack = [iterator]
    while stack:
        item = stack.pop()
        if hasattr(type(item), "__next__"):
            yield item
            inner = LOOKED_THROUGH.get(getattr(item, "gi_code", None))
            if inner is not None and item.gi_frame is not None:
                stack.append(inner(item))
            elif type(item) not in _CODE:
                stack += referents(item)
            elif in_generators:
                frame = getattr(item, "gi_frame", None)
                stack += referents(item) if frame is None else frame.f_locals.values()


LOOKED_THROUGH: dict[Any, Callable[[Any], Any]] = {}
"""Functions from a generator to the iterator from which it takes all its items, by the generator's code."""


@contextlib.contextmanager
def iterating(functions: Collection[Any]) -> Iterator[None]:
    """Run a loop whose items come from functions of the user's."""
    count = len(_running.functions)
    _running.functions += functions
    try:
        yield
    finally:
        del _running.functions[count:]


def watched(iterable: Any) -> Any:
    """Return an iterable over the same items to which `other_reference` pays attention.

    An item that is an array, or a view of one, is the staged array that has replaced it.
    """
    kind = type(iterable)
    if kind is np.ndarray:
        return followed_items(iterable)
    if kind is tuple:
        return map(followed, iterable)
    if kind is list:
        return map(followed, Watched(iterable))
    if kind in _KEYED:
        return KeyedItems(iterable)
    if kind.__module__ == "builtins" and hasattr(kind, "__next__") and kind not in _CODE:
        return map(followed, Watched(iterable))
    is_plain = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
    is_plain = is_plain or (kind.__module__ == "builtins" and kind not in _CODE)
    return iterable if is_plain else Watched(iterable)


def followed_items(value: Any) -> Any:
    """Return an iterable over the items of a plain array, also after a staged one has replaced it.

    Any other value is returned unchanged.
    """
    if type(value) is not np.ndarray or value.ndim == 0:
        return value
    return map(_ItemOf(value), range(len(value)))


class _ItemOf:
    """The items of an array, or of the staged array that has replaced it."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray):
        self.array = array

    def __call__(self, index: int) -> Any:
        return followed(self.array)[index]


def note_replaced(array: Any, staged: Any) -> None:
    """Remember that a staged array has replaced a plain one wherever the traced code refers to it."""
    if isinstance(array, np.ndarray):
        key, replaced = id(array), _running.replaced
        replaced[key] = weakref.ref(array, lambda _: replaced.pop(key, None)), staged, active_backend()


def note_restored(values: Iterable[Any]) -> None:
    """Forget what has replaced the plain arrays among values, to which the traced code refers again."""
    for value in values if _running.replaced or _running.keyed else ():
        for loop in keyed_loops(value):
            loop.replacement = None
        if isinstance(value, np.ndarray):
            _running.replaced.pop(id(value), None)


def followed(item: Any) -> Any:
    """Return the staged array or view that has replaced a plain one, or any other item unchanged.

    Raises:
        AliasError: the item is a view of a replaced array that slices of the array cannot express.
    """
    if not _running.replaced:
        return item
    if type(item) is tuple:
        parts = [*map(followed, item)]
        return item if all(a is b for a, b in zip(parts, item, strict=True)) else tuple(parts)
    if type(item) is not np.ndarray:
        return item
    staged = _replacement(item)
    if staged is not None:
        return staged
    base = None if item.base is None else _replacement(item.base)
    if base is None:
        return item
    key = key_of_view(item, item.base)  # type: ignore[arg-type] # only an array is replaced
    if key is None:
        raise AliasError(
            "a loop goes over a view of a plain array to which staged values were written",
            why="the items of the view were computed before the write",
            remedy="loop over the array itself, or over its indices: for i in range(len(x))",
        )
    return base[key]


def _replacement(array: Any) -> Any:
    reference, staged, backend = _running.replaced.get(id(array), (lambda: None, None, None))
    is_known = reference() is array and backend is active_backend() and not backend.is_inner(staged)
    return staged if is_known else None
