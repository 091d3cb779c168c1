"""Loops over generators: the body of the generator becomes part of the loop that consumes its items.

A *source* is a generator that has not started, or an `enumerate`, `zip`, `map` or `filter` over one. It is
*driven*: instead of yielding each item, it calls the *consumer*, which is the body of the loop. So conditions
and loops of the generator are staged around the body, and carry its state as well as their own.
"""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType, GeneratorType
from typing import Any

from ..backends import staged_by
from ..core.active_backends import active_backend
from ..core.closures import PUSH_FORMS, arguments_in, get_nothing, set_nothing
from ..errors import StagingError
from ..errors.recursion import refusal
from ..values.iterators import is_python_iterator
from ..values.plain_loops import LOOKED_THROUGH, iterating
from ..values.reachability import reaches
from .expressions import has_staged, in_branch
from .state.aliases import StateNames, holding_variables, is_held_otherwise, other_reference
from .state.heap import Heap, running_heaps

MAX_RECURSION = 32
"""How often the body of a recursive generator is traced under staged conditions."""

Loop = Callable[..., None]
"""The operator `for_stmt`."""


class Consumer:
    """The body of a loop, with the test that ends it early and the state that it changes."""

    def __init__(
        self,
        body: Callable[[Any], None],
        test: Callable[[], Any] | None,
        get_state: Callable[[], tuple],
        set_state: Callable[[tuple], None],
        names: tuple[str, ...],
        *,
        functions: tuple[Any, ...] = (),
        held: Callable[[], tuple] | None = None,
    ):
        """`held` returns the values of the state if `get_state` does more than that."""
        self.body, self.test, self.names = body, test, names
        self.held = held or get_state
        self.get_state, self.set_state = get_state, set_state
        self.functions: tuple[Any, ...] = (
            body, test, get_state, *functions, *getattr(get_state, "functions", ()),
        )  # fmt: skip

    def __call__(self, item: Any) -> None:
        self.body(item)

    def getter(self, get_state: Callable[[], tuple], *functions: Any) -> _JoinedState:
        """Return a getter of the state of the loop, followed by that of a statement around the body.

        `functions` are further functions that the statement may run.
        """
        return _JoinedState(self, get_state, (*self.functions, *functions))

    def setter(self, set_state: Callable[[tuple], None]) -> Callable[[tuple], None]:
        def set_both(values: tuple) -> None:
            self.set_state(values[: len(self.names)])
            set_state(values[len(self.names) :])

        return set_both

    def with_names(self, names: tuple[str, ...]) -> StateNames:
        return StateNames(self.names, getattr(self.body, "__code__", None), names)

    def outputs(self, count: int) -> int:
        return len(self.names) + count

    def state(
        self, get_state: Any = get_nothing, set_state: Any = set_nothing, *names: str, functions: Any = ()
    ) -> tuple[Any, ...]:
        """Return the accessors and names of the state of a statement around the body."""
        return self.getter(get_state, *functions), self.setter(set_state), self.with_names(names)


class _JoinedState:
    """The state of a loop and of a statement of the generator, and the functions that may change it."""

    def __init__(self, consumer: Consumer, get_state: Callable[[], tuple], functions: tuple[Any, ...]):
        self.first, self.count = consumer.get_state, len(consumer.names)
        self.second, self.functions = get_state, (*functions, get_state)

    def __call__(self) -> tuple[Any, ...]:
        return (*self.first(), *self.second())

    def getter_of(self, index: int) -> Callable[[], tuple]:
        """Return the accessor, of one function alone, that reads the variable at an index of the state."""
        getter, own = (self.first, index) if index < self.count else (self.second, index - self.count)
        return getter.getter_of(own) if isinstance(getter, _JoinedState) else getter


class StagedItems:
    """The items of a staged value, for a generator expression that iterates over it."""

    def __init__(self, value: Any):
        self.value = value
        self.items: Iterator[Any] | None = None

    def __iter__(self) -> StagedItems:
        return self

    def __next__(self) -> Any:
        if self.items is None:
            self.items = iter(self.value)
        return next(self.items)


def takes_staged(value: Any) -> bool:
    """Return whether a value is a generator expression that iterates over a staged value."""
    frame = value.gi_frame if type(value) is GeneratorType else None
    return frame is not None and isinstance(frame.f_locals.get(".0"), StagedItems)


class Passed:
    """An iterator that is an argument of a generator function, and that its push form lets go to drive it."""

    def __init__(self, generator: Any):
        self.generator = generator
        self.can_continue = True
        self.argument: Callable[[], Any] = lambda: None
        self.source: Any = None

    def items(self) -> Iterator[Any]:
        if not self.can_continue:
            raise continued_error("an argument of a generator")
        return iter(()) if self.generator is None else self.generator


def continued_error(iterator: str) -> StagingError:
    return StagingError(
        f"{iterator} cannot be continued after a staged loop that may have ended early",
        why="how many items the loop has taken is known only when the graph runs",
        remedy="collect the items in a list first, or take all of them in one loop",
    )


def _passed(passed: Passed) -> Iterator[Any]:
    for item in passed.items():  # noqa: UP028 - `yield from` would close the generator
        yield item


LOOKED_THROUGH[_passed.__code__] = lambda argument: argument.gi_frame.f_locals["passed"].generator


class Source:
    """Something to iterate over that can be driven.

    `objects` are the iterators that it stands for. It does not keep them alive: it can be driven only if no
    later code continues with one of them.
    """

    def __init__(
        self,
        drive: Callable[[Consumer, Loop], None],
        remake: Callable[[], Any],
        *objects: Any,
        inner: Source | None = None,
        passed: Passed | None = None,
        reached: tuple[Any, ...] = (),
        takes_all: bool = True,
    ):
        """Create a source from its parts.

        Args:
            drive: what passes the items to a consumer.
            remake: what returns an equal iterator.
            objects: the iterators that it stands for.
            inner: the source whose items it takes.
            passed: the argument of a generator function that it is.
            reached: functions that run when the source is driven, and values that these may change.
            takes_all: whether a loop that is not left early takes all items of the inner source.
        """
        self.reached = reached
        self._drive, self._remake = drive, remake
        own = [*map(weakref.ref, objects)]
        self._object = own[0] if own else remake
        self.refs: list[Any] = own
        self.unfinished: list[Any] = []
        """The references to iterators of which there may be items left where the source has ended."""
        self.passed: list[Passed] = [passed] if passed else []
        if inner is not None:
            self.add(inner, takes_all=takes_all)

    def add(self, inner: Source, *, takes_all: bool) -> None:
        """Note that the source takes items of another one."""
        self.refs += inner.refs
        self.unfinished += inner.unfinished if takes_all or inner.keep_position() else inner.refs
        self.reached += inner.reached
        self.passed += inner.passed

    def keep_position(self) -> bool:
        """Drive the source so that its iterator has the items that are left, or return False."""
        return False

    def iterator(self) -> Any:
        """Return the iterator, or an equal one if it is gone, as it has not started."""
        return self._object() or self._remake()

    def drive(self, consumer: Consumer, loop: Loop) -> None:
        self._drive(consumer, loop)

    def consume(self, consumer: Consumer, loop: Loop) -> bool:
        """Drive the source, unless other code may continue with an iterator. Return whether it was driven."""
        heaps = running_heaps()
        if any(heap.has_iterator(passed.argument()) for heap in heaps for passed in self.passed):
            return False  # a captured body may run several times
        for passed in self.passed:
            passed.generator = None
        may_continue = self._may_continue(consumer)
        if any(may_continue(ref) for ref in self.refs):
            for passed in self.passed:
                passed.generator = passed.source.iterator()
            return False
        for ref in self.refs:
            if isinstance(generator := ref(), GeneratorType):
                generator.close()  # it has ended for code that runs after the loop
            del generator
        for passed in self.passed:
            passed.can_continue = False
        self.drive(consumer, loop)
        for passed in self.passed:
            passed.can_continue = consumer.test is None and not self.unfinished
        return True

    def _may_continue(self, consumer: Consumer) -> Callable[[Any], bool]:
        """Return a function from a reference to whether other code may take items of the iterator."""
        roots = [*consumer.functions, *consumer.held()]

        def may_continue(ref: Any) -> bool:
            iterator = ref()
            if iterator is None:
                return False
            heaps = [*running_heaps(), Heap(roots, own=(), code=None)]
            if any(heap.has_iterator(iterator) for heap in heaps):
                return True
            if consumer.test is None and all(ref is not other for other in self.unfinished):
                return False
            is_named = any(True for _ in holding_variables(iterator))
            found = other_reference(iterator, (), None, is_deep=True)
            return bool(found) or (is_named and is_held_otherwise(iterator))

        return may_continue


def source_of(iterated: Any, *, of_objects: bool = True) -> Source | None:
    """Return the source that something iterable stands for, or None if Python has to iterate over it."""
    find = FINDERS.get(type(iterated)) or (FINDERS.get(object) if of_objects else None)
    return None if find is None or active_backend() is None else find(iterated)


def is_tested_by_staged(items: Any, test: Any) -> bool:
    """Return whether a function, which refers to a staged value, tests the items of a plain collection."""
    if test is None or not isinstance(items, (list, tuple, set, frozenset, dict, range, str)):
        return False
    return reaches([test], lambda value: staged_by(value) is not None) and not any(map(has_staged, items))


def function_of(generator: Any) -> FunctionType | None:
    """Return the function that has created a generator, or None if the generator has started."""
    if generator.gi_frame is None or generator.gi_running or generator.gi_suspended:
        return None
    code = generator.gi_code
    return next(
        (f for f in gc.get_referents(generator) if type(f) is FunctionType and f.__code__ is code), None
    )


def of_a_function(generator: Any) -> Source | None:
    """Return the source that the generator of a generator function stands for."""
    frame, code, function = generator.gi_frame, generator.gi_code, function_of(generator)
    if function is None:
        return None
    if code is _passed.__code__:
        passed = frame.f_locals["passed"]
        passed.source = source_of(passed.generator)
        return passed.source and Source(
            passed.source.drive, passed.argument, inner=passed.source, passed=passed
        )
    if not any(find(function, False) for find in PUSH_FORMS):
        return None
    args, kwargs = arguments_in(code, {name: as_argument(v) for name, v in frame.f_locals.items()})

    def drive(consumer: Consumer, _: Loop) -> None:
        ends = consumer.test is not None
        push = next(push for find in PUSH_FORMS if (push := find(function, ends)))
        with counted(code):
            push(*args, **kwargs, ag__consumer=consumer, ag__going=consumer.test)

    reached = function, *args, *kwargs.values()
    return Source(drive, lambda: function(*args, **kwargs), generator, reached=reached)


class _Counts(threading.local):
    def __init__(self) -> None:
        self.of_codes: dict[CodeType, int] = {}


_counts = _Counts()


def drives(frame: FrameType) -> bool:
    """Return whether a frame runs code of a generator that is driven."""
    code, line = frame.f_code, frame.f_lineno
    lines = [
        [n for *_, n in c.co_lines() if n] for c in _counts.of_codes if c.co_filename == code.co_filename
    ]
    return any(min(own) <= line <= max(own) for own in lines)


@contextlib.contextmanager
def counted(code: CodeType) -> Iterator[None]:
    """Count how often a generator is driven inside of itself under staged conditions, and refuse too many."""
    counts = _counts.of_codes
    is_outermost = code not in counts
    if not is_outermost and in_branch():
        counts[code] += 1
        if counts[code] > MAX_RECURSION:
            raise refusal(
                code,
                "it is a generator, whose body is traced again for each call",
                "let it append the items to a list that it takes as an argument, instead of yielding them",
            )
    counts.setdefault(code, 0)
    try:
        yield
    finally:
        if is_outermost:
            del counts[code]


def as_argument(value: Any) -> Any:
    """Return a value as an argument of a push form, which must be able to let go of an iterator."""
    if not is_python_iterator(value) or not isinstance(source_of(value, of_objects=False), Source):
        return value
    passed = Passed(value)
    argument: Any = _passed(passed)
    if isinstance(value, GeneratorType):
        argument.__name__, argument.__qualname__ = value.__name__, value.__qualname__
    passed.argument = weakref.ref(argument)
    return argument


def loop_over(
    inner: Source | None,
    items: Any,
    consumer: Consumer,
    body: Callable[[Any], None],
    loop: Loop,
    *state: Any,
    functions: tuple[Any, ...] = (),
) -> None:
    """Run `body` for each item of a source, or of another iterable, until the consumer ends the loop."""
    state = consumer.state(*state, functions=functions)
    with iterating(functions):
        if inner is None:
            loop(items, consumer.test, body, *state, {})
        else:
            inner.drive(Consumer(body, consumer.test, *state), loop)


FINDERS: dict[type, Callable[[Any], Source | None]] = {}
"""The functions that return the source of something iterable, by type; that of `object` is for the others."""
