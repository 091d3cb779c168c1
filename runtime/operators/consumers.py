"""Builtins that consume generators during staging, and `enumerate`, `zip`, `map` and `filter` over them.

A builtin collects items in a plain list for as long as no statement around them is staged. It changes to a
staged result when the first such statement asks for its state.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from .. import staging
from ..backends import staged_by
from ..backends.builtins import DISPATCHING
from ..containers.item_iterators import ItemIterator, in_generator
from ..containers.iterators import is_sized
from ..containers.ordering import raise_if
from ..core.active_backends import active_backend
from ..core.closures import nothing
from ..core.undefined import Undefined
from ..errors import ValueNeededError
from ..staging.generators import FINDERS, Consumer, Source, loop_over
from .control_flow import for_stmt, if_stmt
from .logical import and_, not_, or_
from .subscripts import get_item
from .variables import ld


class _Collected:
    """A list of the items; it becomes a staged list."""

    names: tuple[str, ...] = ()
    test: Callable[[], Any] | None = None
    functions: tuple[Any, ...] = ()

    def __init__(self) -> None:
        self.items: Any = []
        self.is_staged = False

    def body(self, item: Any) -> None:
        self.items.append(item)

    def get_state(self) -> tuple:
        if not self.is_staged:
            self.is_staged = True
            self.stage()
        return self.state()

    def stage(self) -> None:
        self.items = staging.staged_list(active_backend(), self.items)

    def state(self) -> tuple:
        return ()

    def set_state(self, values: tuple) -> None:
        pass

    def result(self) -> Any:
        unstaged = getattr(active_backend(), "unstaged", None)
        return self.items if unstaged is None else unstaged(self.items)

    def consume(self, source: Source, loop: Callable[..., None] = for_stmt) -> bool:
        state = self.get_state, self.set_state, self.names
        consumer = Consumer(self.body, self.test, *state, functions=self.functions, held=self.state)
        return source.consume(consumer, loop)


class _Reduced(_Collected):
    """A value that each item changes."""

    def __init__(self, function: Callable[..., Any], *args: Any):
        super().__init__()
        self.function, self.args = function, args
        self.value: Any = None

    def stage(self) -> None:
        self.value = self.of_items()

    def of_items(self) -> Any:
        return DISPATCHING[id(self.function)](self.items, *self.args)

    def state(self) -> tuple:
        return (self.value,)

    def set_state(self, values: tuple) -> None:
        [self.value] = values

    def result(self) -> Any:
        return self.value if self.is_staged else self.of_items()


class _Sum(_Reduced):
    names = ("the sum",)

    def body(self, item: Any) -> None:
        if self.is_staged:
            self.value = self.value + item
        else:
            self.items.append(item)


class _Decided(_Reduced):
    """The result of `any` or `all`. They stop at the item that decides."""

    names = ("the result",)

    def body(self, item: Any) -> None:
        if staged_by(item) is not None:
            self.get_state()
        if self.is_staged:
            value, either = self.value, or_ if self.function is any else and_
            self.value = either(lambda: value, lambda: DISPATCHING[id(bool)](item))
        else:
            self.items.append(bool(item))

    def test(self) -> Any:
        if self.is_staged:
            return not_(self.value) if self.function is any else self.value
        return not self.items or self.items[-1] is (self.function is all)


class _First(_Reduced):
    """The result of `next` with a default."""

    names = ("whether there is an item", "the item")
    is_found: Any = False

    def body(self, item: Any) -> None:
        self.value, self.is_found = item, True

    def test(self) -> Any:
        return not_(self.is_found)

    def stage(self) -> None:
        self.value = self.result_so_far()

    def result_so_far(self) -> Any:
        return self.value if self.is_found is True else self.args[0]

    def state(self) -> tuple:
        return self.is_found, self.value

    def set_state(self, values: tuple) -> None:
        self.is_found, self.value = values

    def result(self) -> Any:
        value = self.value if self.is_staged else self.result_so_far()
        if type(self.args[0]) is not Undefined:
            return value
        raise_if(active_backend(), not_(self.is_found), StopIteration())
        return ld(value)


_REDUCING: dict[Any, Callable[..., Any]] = {sum: _Sum, any: _Decided, all: _Decided, next: _First}


def consumed(function: Any, source: Source, args: tuple, kwargs: dict[str, Any]) -> tuple[Any] | None:
    """Return what a builtin returns for the items of a source, in a tuple, or None to leave it to Python."""
    if function in _REDUCING:
        args = (*args, *kwargs.values())
        if function is next and not args and not in_generator():
            args = (Undefined("item"),)
        if (function is next and len(args) != 1) or kwargs.keys() - {"start"}:
            return None
        reduced = _REDUCING[function](function, *args)
        return (reduced.result(),) if reduced.consume(source) else None
    made = None if args else collected(source, loop=_unrolled if function is tuple else for_stmt)
    if made is None:
        return None
    [items], call = made, DISPATCHING.get(id(function), function)
    backend = staged_by(items)
    if backend is None or "default" not in kwargs:
        return (call(items, *args, **kwargs),)
    default = kwargs.pop("default")
    is_empty = DISPATCHING[id(len)](items) == 0
    return (staging.if_exp(backend, is_empty, lambda: default, lambda: call(items, *args, **kwargs), ""),)


def collected(
    source: Source,
    comprehension: Callable[[list], list] | None = None,
    loop: Callable[..., None] = for_stmt,
) -> tuple[Any] | None:
    """Return a list of the items, or of what a list comprehension makes of them, in a tuple."""
    if not hasattr(active_backend(), "staged_list"):
        return None
    made = _Collected() if comprehension is None else _Comprehended(comprehension)
    return (made.result(),) if made.consume(source, loop) else None


def _unrolled(items: Any, *statement: Any) -> None:
    """Loop in Python if the number of items is known, so that a tuple of them has a known length."""
    known = getattr(staged_by(items), "known_items", None)
    for_stmt(items if known is None else known(items), *statement)


class _Comprehended(_Collected):
    """A list of what a list comprehension makes of the items."""

    def __init__(self, comprehension: Callable[[list], list]):
        super().__init__()
        self.functions = (comprehension,)

    def body(self, item: Any) -> None:
        [comprehension] = self.functions
        given, condition = staging.run_noting_condition(comprehension, [item])
        if condition is not None:
            self.get_state()
        staging.extend(active_backend(), self.items, comprehension, item, given, condition)


class _Numbers:
    """The number of the next item, as the state of a loop."""

    def __init__(self, first: Any):
        self.number = first

    def take(self) -> Any:
        number, self.number = self.number, self.number + 1
        return number

    def get_state(self) -> tuple:
        return (self.number,)

    def set_state(self, values: tuple) -> None:
        [self.number] = values


_NUMBER = "the number of the item"


def _enumerated(made: Any) -> Source | None:
    items, start = (*made.args, 0)[:2]
    inner = staging.source_of(items)
    if inner is None:
        return None

    def drive(consumer: Consumer, loop: Any) -> None:
        numbers = _Numbers(start)

        def body(item: Any) -> None:
            consumer((numbers.take(), item))

        loop_over(inner, None, consumer, body, loop, numbers.get_state, numbers.set_state, _NUMBER)

    return Source(drive, lambda: enumerate(inner.iterator(), start), made, inner=inner)


def _mapped(made: Any) -> Source | None:
    function, *iterables = made.args
    inner = staging.source_of(iterables[0])
    if inner is None or len(iterables) > 1:
        return None

    def drive(consumer: Consumer, loop: Any) -> None:
        def body(item: Any) -> None:
            consumer(function(item))

        loop_over(inner, None, consumer, body, loop, functions=(function,))

    return Source(drive, lambda: map(function, inner.iterator()), made, inner=inner)


def _filtered(made: Any) -> Source | None:
    function, items = made.args
    inner = staging.source_of(items)
    if inner is None and items is not made.own:
        return None

    def drive(consumer: Consumer, loop: Any) -> None:
        def body(item: Any) -> None:
            def keep() -> None:
                consumer(item)

            cond = item if function is None else function(item)
            state = consumer.state(functions=(function,))
            if_stmt(cond, keep, nothing, *state, consumer.outputs(0))  # type: ignore[call-arg]

        rest = None if inner is not None else [*items]  # which leaves none for later code
        loop_over(inner, rest, consumer, body, loop, functions=(function,))

    def remake() -> Any:
        return filter(function, items if inner is None else inner.iterator())

    return Source(drive, remake, made, inner=inner)


def _zipped(made: Any) -> Source | None:
    """Drive the only source among the arguments of `zip`. The others need a length and items by number."""
    sources = [staging.source_of(arg) for arg in made.args]
    places = [i for i, source in enumerate(sources) if source is not None]
    if len(places) != 1 or made.is_strict:
        return None
    [place] = places
    inner = sources[place]
    others = [*made.args[:place], *made.args[place + 1 :]]
    if not all(isinstance(o, (list, tuple, range)) or staged_by(o) is not None for o in others):
        return None

    def drive(consumer: Consumer, loop: Any) -> None:
        numbers, ended = _Numbers(0), False
        outer_test = consumer.test or (lambda: True)

        def has_item(sequences: list[Any]) -> Any:
            return _all(numbers.number < DISPATCHING[id(len)](s) for s in sequences)

        def going() -> Any:
            return and_(lambda: not_(ended), lambda: and_(lambda: has_item(others[:place]), outer_test))

        def body(item: Any) -> None:
            def consume() -> None:
                number = numbers.take()
                parts = [get_item(other, number) for other in others]
                consumer((*parts[:place], item, *parts[place:]))

            def end() -> None:
                nonlocal ended
                ended = True

            accessors = consumer.state(get_state, set_state, "whether zip has ended", _NUMBER)
            if_stmt(has_item(others[place:]), consume, end, *accessors, consumer.outputs(2))  # type: ignore[call-arg]

        def get_state() -> tuple:
            return ended, numbers.number

        def set_state(values: tuple) -> None:
            nonlocal ended
            ended, numbers.number = values

        outer = Consumer(consumer.body, going, consumer.get_state, consumer.set_state, consumer.names)
        loop_over(inner, None, outer, body, loop, get_state, set_state, "whether zip has ended", _NUMBER)

    def remake() -> Any:
        return zip(*others[:place], inner.iterator(), *others[place:], strict=False)

    return Source(drive, remake, made, inner=inner, takes_all=False)


def _all(conditions: Iterator[Any]) -> Any:
    return functools.reduce(lambda a, b: and_(lambda: a, lambda: b), conditions, True)


_DRIVES = {enumerate: _enumerated, map: _mapped, filter: _filtered, zip: _zipped}
_ITERATORS: dict[Any, Any] = {
    kind: type(kind.__name__, (kind,), {"__module__": "builtins"}) for kind in _DRIVES
}
"""Subclasses of `enumerate` and the like, whose objects can be driven."""
FINDERS.update({_ITERATORS[kind]: drive for kind, drive in _DRIVES.items()})


class _Zip:
    """A `zip` with an argument that Python cannot iterate over, so only a loop can take its items."""

    args: tuple[Any, ...]
    is_strict: bool

    def __iter__(self) -> _Zip:
        return self

    def __next__(self) -> Any:
        raise ValueNeededError(
            "Python cannot take the items of a zip of a value with a staged length",
            why="their number is known only when the graph runs",
            remedy="use a 'for' loop, a comprehension or list() in converted code",
        )


FINDERS[_Zip] = _zipped


def _begun_late(value: Any) -> Any:
    """Return an argument, or for an object an iterator that calls `__iter__` when it takes the first item."""
    is_object = staging.source_of(value, of_objects=False) is None and staging.source_of(value) is not None
    return (item for items in (value,) for item in items) if is_object else value


def taken_once(items: Any) -> Any:
    """Return the items of `map` or `filter`, which the backend has computed, as an iterator over them."""
    return ItemIterator(items) if is_sized(items) else items


def iterator(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Return `function(*args, **kwargs)` as an object that can be driven."""
    own = None
    if function is filter and staging.is_tested_by_staged(args[1], args[0]):
        own = iter(args[1])
        args = args[0], own
    try:
        made = _ITERATORS[function](*map(_begun_late, args), **kwargs)
    except ValueNeededError:
        if function is not zip:
            raise
        made = _Zip()
    made.args = (*args, *kwargs.values()) if function is enumerate else args
    made.is_strict, made.own = kwargs.get("strict", False), own
    return made
