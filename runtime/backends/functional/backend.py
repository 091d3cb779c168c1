"""What the backends of systems with functional control flow have in common.

Such a system has a condition over two functions and loops over one, whose results are arrays. This part
says what stands for a variable that may be unbound, how iterables are indexed, and what Python's builtins
are; a system adds its conditions, its loops and a few functions on arrays.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import staging
from ..closures import family
from ..empty import nothing, set_nothing
from ..errors import AliasError, StagingError
from ..staging.aliases import user_frames
from ..tracebacks import variables
from ..undefined import unbound_local
from .avals import Added, ListAval, Maybe, MaybeAval, is_bound
from .growing import GrowingList
from .iterables import StagedSequence, staged_enumerate, staged_range, staged_reversed, staged_zip


@dataclass
class Capture:
    """One closure, as a program from arrays to arrays; `places` are the results by identity of the leaf.

    `decided` are the identities of results whose values the trace knows.
    """

    program: Any = None
    value: Any = None
    raised: BaseException | None = None
    writes: list[tuple[Any, Any]] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    failed: Any = False
    decided: set[int] = field(default_factory=set)
    lists: dict[int, tuple[GrowingList, list[Any] | None]] = field(default_factory=dict)

    def close(self) -> None:
        """Note what was appended to lists from outside, and take it away again."""
        for grown, before in self.lists.values():
            self.writes.append((grown, grown.read()))
            grown.added = before


_ADDED = re.compile(r"(base|updated|value|element)(_\d+)?$")  # names that the converter gives


class _Captures(threading.local):
    def __init__(self) -> None:
        self.captures: list[Any] = []
        self.in_operator = False
        self.traced: tuple[Any, Any] = (None, False)  # a trace, and whether it has raised


class FunctionalBackend:
    """The part of a `Backend` that is written in terms of a few functions on arrays."""

    name = ""
    copied = "{}.copy()"

    # What a system says of itself

    def is_array(self, value: Any) -> bool:
        raise NotImplementedError

    def aval(self, value: Any) -> Any:
        raise NotImplementedError

    def merged(self, first: Any, second: Any) -> Any:
        raise NotImplementedError

    def cast(self, value: Any, kind: Any) -> Any:
        raise NotImplementedError

    def zeros(self, kind: Any) -> Any:
        raise NotImplementedError

    boolean: Any = None

    def truth(self, value: Any) -> Any:
        raise NotImplementedError

    def where(self, test: Any, first: Any, second: Any) -> Any:
        raise NotImplementedError

    def logical_and(self, first: Any, second: Any) -> Any:
        raise NotImplementedError

    def logical_or(self, first: Any, second: Any) -> Any:
        raise NotImplementedError

    def conditional(
        self, test: Any, captures: tuple[Any, Any], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        raise NotImplementedError

    def length(self, value: Any) -> Any:
        raise NotImplementedError

    # Conditions

    def cond(
        self, pred: Any, captures: tuple[Any, Any], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        """A condition of the system's; what is true on one path and false on the other is the test itself."""
        test = self.truth(pred)
        known: dict[int, Any] = {}
        for i, (first, second, _) in enumerate(outputs if self.is_array(test) else ()):
            if first is True and second is False:
                known[i] = test
            elif first is False and second is True:
                known[i] = self.not_(test)
        others = [output for i, output in enumerate(outputs) if i not in known]
        results = iter(self.conditional(test, captures, others))
        return [known[i] if i in known else next(results) for i in range(len(outputs))]

    def chosen(
        self, test: Any, sides: Sequence[Sequence[Any]], outputs: Sequence[tuple[Any, Any, Any]]
    ) -> list[Any]:
        """One of each pair of numbers, in which both paths hold what they leave."""
        left: list[tuple[Any, Any]] = []
        for first, second, kind in outputs:
            count = len(self.parts(kind))
            if isinstance(kind, MaybeAval) and kind.is_flagged:
                left += [(None, None)] * (count - 1) + [(is_bound(first), is_bound(second))]
            else:
                left += [(first, second) if count == 1 else (None, None)] * count
        return [self._chosen(test, a, b, known) for a, b, known in zip(*sides, left, strict=True)]

    def _chosen(self, test: Any, first: Any, second: Any, left: tuple[Any, Any]) -> Any:
        if first.dtype == self.boolean.dtype:
            if left[0] is True:
                return test if left[1] is False else self.logical_or(test, second)
            if left[1] is False:
                return self.logical_and(test, first)
            if left[0] is False:
                test = self.not_(test)
                return test if left[1] is True else self.logical_and(test, second)
            if left[1] is True:
                return self.logical_or(self.not_(test), first)
        return self.where(test, first, second)

    # The protocol

    def __init__(self) -> None:
        self._local = _Captures()

    @property
    def captures(self) -> list[Any]:
        """The captures that this thread is in, from the outside in."""
        return self._local.captures

    def is_handle(self, value: Any) -> bool:
        return isinstance(value, GrowingList)

    def in_branch(self) -> bool:
        return bool(self.captures)

    def staged_list(self, values: Sequence[Any]) -> Any:
        return GrowingList(self, values)

    def unstaged(self, value: Any) -> Any:
        """A list again, when no loop appends to it any more."""
        return value.items if isinstance(value, GrowingList) and not self.captures else value

    def type_of(self, value: Any) -> Any:
        if isinstance(value, Maybe):
            return MaybeAval(self.type_of(value.value), value.name)
        if isinstance(value, Added):
            return ListAval(tuple(map(self.type_of, value.items)))
        return self.aval(value)

    def widen(self, before: Any, after: Any) -> Any:
        """The type of what a loop carries; of a list it is what one iteration appends."""
        return (
            after
            if isinstance(before, ListAval) and isinstance(after, ListAval)
            else self.merge(before, after)
        )

    def merge(self, first: Any, second: Any) -> Any:
        if isinstance(first, MaybeAval) or isinstance(second, MaybeAval):
            name = first.name if isinstance(first, MaybeAval) else second.name
            held = [k.held if isinstance(k, MaybeAval) else k for k in (first, second)]
            return MaybeAval(self.merge(*held), name)
        if isinstance(first, ListAval) and isinstance(second, ListAval):
            if len(first.items) != len(second.items):
                raise TypeError("a list grows on one path only; use an array with a count")
            return ListAval(tuple(map(self.merge, first.items, second.items)))
        return self.merged(first, second)

    def parts(self, kind: Any) -> list[Any]:
        """The types of the arrays in which a value of a type is held."""
        if isinstance(kind, MaybeAval):
            return [*self.parts(kind.held), *([self.boolean] if kind.is_flagged else [])]
        return list(kind.items) if isinstance(kind, ListAval) else [kind]

    def held(self, value: Any, kind: Any) -> list[Any]:
        """A value as the arrays of a type."""
        if isinstance(kind, ListAval):
            return [self.cast(v, k) for v, k in zip(value.items, kind.items, strict=True)]
        if not isinstance(kind, MaybeAval):
            return [self.cast(value, kind)]
        bound = is_bound(value)
        if bound is False:
            held = list(map(self.zeros, self.parts(kind.held)))
        else:
            held = self.held(value.value if isinstance(value, Maybe) else value, kind.held)
        return [*held, self.cast(bound, self.boolean)] if kind.is_flagged else held

    def built(self, kinds: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        """Values of types, out of their arrays in order."""
        found: list[Any] = []
        rest = list(arrays)
        for kind in kinds:
            count = len(self.parts(kind))
            found.append(self.one(kind, rest[:count]))
            rest = rest[count:]
        return found

    def one(self, kind: Any, own: list[Any], *more: Any) -> Any:
        """A value of a type, out of its arrays; `more` is what a system says of values besides."""
        if isinstance(kind, MaybeAval):
            if not kind.is_flagged:
                return Maybe(self.one(kind.held, own, *more), True, kind.name)
            return Maybe(self.one(kind.held, own[:-1], *more), own[-1], kind.name)
        return Added(tuple(own)) if isinstance(kind, ListAval) else own[0]

    def unbound(self, held: Any, name: str) -> MaybeAval:
        if not name.isidentifier():
            raise TypeError("one path leaves it without a value: give it one of that type on each")
        return held if isinstance(held, MaybeAval) else MaybeAval(held, name)

    def arrays_in(self, leaves: Sequence[Any]) -> list[Any]:
        """The staged arrays of leaves, each once."""
        found: dict[int, Any] = {}
        for leaf in leaves:
            parts: list[Any] = [leaf]
            if isinstance(leaf, Maybe):
                parts = [leaf.value, leaf.bound]
            elif isinstance(leaf, Added):
                parts = self.arrays_in(leaf.items)
            found.update((id(p), p) for p in parts if self.is_array(p))
        return list(found.values())

    def is_empty(self, iterated: Any) -> bool:
        count = self.sequence(iterated).count
        return isinstance(count, int) and count <= 0

    def sources(self, iterated: Any) -> list[Any]:
        return list(self.sequence(iterated).sources)

    def sequence(self, iterated: Any) -> StagedSequence:
        """Any iterable as items by index."""
        if isinstance(iterated, StagedSequence):
            return iterated
        if self.is_array(iterated):
            return StagedSequence(
                "array", self.length(iterated), lambda i: self.item(iterated, i), [iterated]
            )
        if isinstance(iterated, range):
            start, step = iterated.start, iterated.step
            return staged_range(start, start + len(iterated) * step, step, self.clipped)
        if isinstance(iterated, (list, tuple, GrowingList)):
            items = list(iterated)
            return StagedSequence(
                "list", len(items), lambda i: items[i] if isinstance(i, int) else self.get_item(items, i)
            )
        raise StagingError(
            f"a {type(iterated).__name__} is iterated together with staged values",
            why="what takes part in a staged zip or enumerate has items that can be taken by a staged index",
            remedy="make it a list (list(items)), or an array",
        )

    def first_and_rest(self, iterated: Any) -> tuple[Any, Any, Any]:
        """Whether an iterable has an item, what gives the first, and an iterable of the others."""
        items = self.sequence(iterated)
        count, rest = items.length, items.count - 1
        if self.is_array(iterated):
            others = iterated[1:]
        else:
            others = StagedSequence(items.name, rest, lambda i: items.item(i + 1), items.sources)
        return count > 0, lambda: items.item(0), others

    def item(self, array: Any, index: Any) -> Any:
        return array[index]

    def iterable(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> StagedSequence:
        if function is range:
            start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
            if self.is_array(step):
                self.fail(step == 0, ValueError("range() arg 3 must not be zero"))
            return staged_range(start, stop, step, self.clipped)
        if function is enumerate:
            return staged_enumerate(self.sequence(args[0]), *args[1:], **kwargs)
        if function is zip:
            return staged_zip([self.sequence(a) for a in args], self.least)
        return staged_reversed(self.sequence(args[0]))

    def clipped(self, count: Any) -> Any:
        return max(count, 0) if isinstance(count, int) else self.maximum(count, 0)

    def least(self, a: Any, b: Any) -> Any:
        return min(a, b) if isinstance(a, int) and isinstance(b, int) else self.minimum(a, b)

    def fail(self, failed: Any, error: BaseException) -> None:
        raise NotImplementedError

    def minimum(self, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def maximum(self, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def bound(self, value: Any) -> Any:
        if not isinstance(value, Maybe):
            return value
        if value.bound is not True:
            self.fail(self.not_(value.bound), unbound_local(value.name))
        return value.value

    def refuse_other_names(self, target: Any) -> None:
        """An array is a value here: a write gives one variable another, and no other name sees it.

        Raises:
            StagingError: another variable of the converted functions that run names the array.
        """
        names: dict[tuple[str, str], set[str]] = {}
        for frame in user_frames(converted=True):
            own = {n for n, v in variables(frame).items() if v is target and not _ADDED.match(n)}
            names.setdefault(family(frame.f_code), set()).update(own)
        found = [name for own in names.values() for name in sorted(own)]
        if len(found) > 1:
            raise AliasError(
                f"an item is written of the array that is both {found[0]!r} and {found[1]!r}",
                why=f"an array of {self.name} is a value, so only one of the two would change",
                remedy=f"copy it first ({found[0]} = {self.copied.format(found[0])}), and return "
                "it from a function that changes it",
            )

    def and_(self, left: Any, right: Callable[[], Any]) -> Any:
        return self._operand(left, right, lambda: False if self._is_truth(left) else left)

    def or_(self, left: Any, right: Callable[[], Any]) -> Any:
        return self._operand(left, lambda: True if self._is_truth(left) else left, right)

    def _is_truth(self, value: Any) -> bool:
        return bool(self.type_of(value) == self.boolean)

    def _operand(self, left: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        before, self._local.in_operator = self._local.in_operator, True
        try:
            return staging.if_exp(self, left, then, orelse, "")
        finally:
            self._local.in_operator = before

    @property
    def selects_numbers(self) -> bool:
        """Whether a condition on numbers may compute both: it may run often, or is an operator's."""
        return bool(self.captures) or self._local.in_operator

    def assert_(self, test: Any, msg: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*([] if msg is None else [msg()]))

        failed = self.not_(test)
        staging.if_stmt(self, failed, fail, nothing, tuple, set_nothing, (), 0)

    def not_(self, value: Any) -> Any:
        raise NotImplementedError

    def get_item(self, target: Any, key: Any) -> Any:
        raise NotImplementedError
