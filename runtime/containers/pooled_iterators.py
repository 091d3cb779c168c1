"""The functions of `itertools` that make a pool of all items first, and the table of all functions."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import staging
from ..backends import staged_by
from ..backends.builtins import DISPATCHING
from ..core.closures import nothing
from ..debugging.tracebacks import drop_current_frame
from ..errors import ValueNeededError
from ..staging.generators import Consumer, Loop
from . import item_iterators
from . import sequential_iterators as sequential
from .iterators import Drive, Iterator, Part, both, is_number, is_range, is_sized
from .statements import branch

MAX_UNROLLED = 64
"""How many items or combinations Python makes in the trace if the lengths are known."""

_range, _list, _len, _zip = (DISPATCHING[id(f)] for f in (range, list, len, zip))


def _nested(*pools: Part, repeat: int = 1) -> Drive:
    def drive(consumer: Consumer, loop: Loop) -> None:
        def nest(left: Sequence[Part], items: tuple[Any, ...]) -> None:
            if left:
                left[0].drive(consumer, lambda item: nest(left[1:], (*items, item)), loop)
            else:
                consumer(items)

        nest(pools * repeat, ())

    return drive


def _choosing(
    *, first: Callable[[tuple[Any, ...]], Any], differs: bool = False
) -> Callable[[Part, Any], Drive]:
    """Return what drives a function that chooses `r` items.

    `first` is a function of the chosen positions, which returns the first one to choose next.
    """

    def make(pool: Part, r: Any) -> Drive:
        values: Any = pool.value

        def drive(consumer: Consumer, loop: Loop) -> None:
            def nest(places: tuple[Any, ...], items: tuple[Any, ...]) -> None:
                def body(place: Any) -> None:
                    is_other = True
                    for other in places if differs else ():
                        is_other = both(is_other, functools.partial(operator.ne, place, other))
                    item = staging.get_item(values, place) if staging.has_staged(place) else values[place]
                    inner = lambda: nest((*places, place), (*items, item))  # noqa: E731 - a single expression
                    branch(is_other, inner, nothing, *consumer.state(), consumer.outputs(0))

                if len(places) == r.value:
                    consumer(items)
                else:
                    positions = _range(first(places), _len(values))
                    loop(positions, consumer.test, body, *consumer.state(), {})

            nest((), ())

        return drive

    return make


# Which calls are replaced ------------------------------------------------------------------------------


def _needs_loop(iterables: Sequence[Any], depth: int = 1) -> bool:
    """Return whether a loop has to take the items, since Python cannot, or since they are too many."""
    if any(staging.source_of(items) is not None for items in iterables):
        return True
    if not any(hasattr(staged_by(items), "known_items") for items in iterables):
        return False
    lengths = [_len(items) if is_sized(items) else MAX_UNROLLED + 1 for items in iterables]
    return any(staged_by(n) is not None for n in lengths) or math.prod(lengths) ** depth > MAX_UNROLLED


def _holds_staged(items: Any) -> bool:
    return staged_by(items) is not None or (
        isinstance(items, (list, tuple)) and any(map(staging.has_staged, items))
    )


def _taking(
    function: Callable[..., Any], make: Callable[..., Drive], first: int = 0, last: int | None = None
) -> Callable[..., Any]:
    """Return the replacement of a function whose arguments from `first` to `last` are iterables."""

    def replaced(*args: Any, **kwargs: Any) -> Any:
        needs = _needs_loop(args[first:last]) or any(map(is_number, args[1:]))
        return Iterator(function, make, args, kwargs) if needs else function(*args, **kwargs)

    return replaced


def _from_iterable(iterables: Any) -> Any:
    function = itertools.chain.from_iterable
    parts = iterables if isinstance(iterables, (list, tuple)) else [iterables]
    return (
        Iterator(function, sequential.chain_from_iterable, (iterables,), {})
        if _needs_loop(parts)
        else function(iterables)
    )


def _testing(function: Callable[..., Any], make: Callable[..., Drive]) -> Callable[..., Any]:
    """Return the replacement of a function that tests each item of its second argument."""

    def replaced(test: Any, items: Any) -> Any:
        needs = _holds_staged(items) or staging.source_of(items) is not None
        needs = needs or staging.is_tested_by_staged(items, test)
        return Iterator(function, make, (test, items), {}) if needs else function(test, items)

    return replaced


def _compress(data: Any, selectors: Any) -> Any:
    if not _holds_staged(data) and not _holds_staged(selectors):
        return itertools.compress(data, selectors)
    pairs = _zip(data, selectors)
    return Iterator(_compressed, sequential.compress, (pairs,), {})


def _compressed(pairs: Iterable[tuple[Any, Any]]) -> Iterable[Any]:
    return (value for value, is_kept in pairs if is_kept)


def _pooling(function: Callable[..., Any], make: Callable[..., Drive]) -> Callable[..., Any]:
    """Return the replacement of a function that chooses a number of items of one iterable."""

    def replaced(iterable: Any, r: Any = None) -> Any:
        if not _needs_loop([iterable], 2 if r is None else _number(function, r)):
            return function(iterable) if r is None else function(iterable, r)
        pool = _pool(iterable)
        if r is None and function is itertools.permutations:
            r = _number(function, _len(pool))
        if r < 0:
            raise ValueError("r must be non-negative")
        return Iterator(function, make, (pool, r), {})

    return replaced


def _product(*iterables: Any, repeat: Any = 1) -> Any:
    repeat = _number(itertools.product, repeat)
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    if not _needs_loop(iterables, repeat):
        return itertools.product(*iterables, repeat=repeat)
    return Iterator(itertools.product, _nested, tuple(map(_pool, iterables)), {"repeat": repeat})


def _pool(items: Any) -> Any:
    """Return the items as they are now: a list, or a range."""
    source = staging.source_of(items)
    return items if is_range(items) else _list(items if source is None else source.iterator())


def _number(function: Any, value: Any) -> int:
    """Return how many items a tuple has.

    Raises:
        ValueNeededError: the number is staged.
    """
    if staged_by(value) is not None:
        raise ValueNeededError(
            f"itertools.{function.__name__} makes tuples of staged length",
            why="no tuple has a length that is known only when the graph runs",
            remedy="pass a plain number, such as 2",
        )
    return operator.index(value)


def _dropping_frames(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            drop_current_frame(error)
            raise

    return call


_COMBINATIONS = _choosing(first=lambda places: places[-1] + 1 if places else 0)
_WITH_REPLACEMENT = _choosing(first=lambda places: places[-1] if places else 0)
_PERMUTATIONS = _choosing(first=lambda _: 0, differs=True)

REPLACEMENTS: dict[str, Callable[..., Any]] = {
    name: _dropping_frames(function)  # type: ignore[arg-type]
    for name, function in {
        "accumulate": _taking(itertools.accumulate, sequential.accumulate, 0, 1),
        "chain": _taking(itertools.chain, sequential.chain),
        "combinations": _pooling(itertools.combinations, _COMBINATIONS),
        "combinations_with_replacement": _pooling(itertools.combinations_with_replacement, _WITH_REPLACEMENT),
        "compress": _compress,
        "count": item_iterators.count,
        "cycle": item_iterators.cycle,
        "dropwhile": _testing(itertools.dropwhile, sequential.dropwhile),
        "iter": item_iterators.iterate,
        "filterfalse": _testing(itertools.filterfalse, sequential.filterfalse),
        "from_iterable": _from_iterable,
        "islice": _taking(itertools.islice, sequential.islice, 0, 1),
        "pairwise": _taking(itertools.pairwise, sequential.pairwise),
        "permutations": _pooling(itertools.permutations, _PERMUTATIONS),
        "product": _product,
        "repeat": _taking(itertools.repeat, sequential.repeat, 0, 0),
        "starmap": _taking(itertools.starmap, sequential.starmap, 1),
        "takewhile": _testing(itertools.takewhile, sequential.takewhile),
    }.items()
}
"""The replacements of the functions of `itertools`, and of `iter`, by name. They take the same arguments."""
