"""The protocol that a tensor system implements to stage control flow.

Names, structures, promotion between branches and unbound variables are handled once for all backends by
`autograph_rs.runtime.staging`; a backend implements only values, conditionals and loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

Leaf: TypeAlias = Any
Type: TypeAlias = Any
OwnCapture: TypeAlias = Any
"""A `Capture` made by the backend that receives it."""


class Capture(Protocol):
    """The trace of one closure, called once with staged arguments.

    `value` is the closure's result, `raised` the exception that its own `raise` or `assert` raised, and
    `writes` the outer staged values that it changed in place, each with its final value.
    """

    value: Any
    raised: BaseException | None
    writes: list[tuple[Any, Leaf]]


@runtime_checkable
class Backend(Protocol):
    """A tensor system that can stage conditionals and loops.

    `type_of` returns the system's description of a value (dtype, shape, ...), or None for a value that it
    cannot stage. `is_handle` returns whether a value is written to in place. `merge` returns a type
    that can hold the values of two types, or raises a `TypeError` that explains why there is none. A loop
    starts if `first_test` is true, and continues after an iteration if `next_test` is true.

    Optional members, used where they exist:

    - `announces`: True if the backend adds itself to `ACTIVE` while it stages; any other is always in it
    - `starts_at_calls`: True if the system has no traces of its own, as its values are symbols everywhere. A
      call of a converted function that a staged value reaches then is a trace, within `entered`
    - `staged_list(values)`: a list whose length may depend on staged values
    - `sized(maximum)`: a context around a loop whose arrays and lists have at most so many items
    - `most_items(iterated)`: the largest number of items of an iterable of staged length, or None
    - `staged_deque(values)`: the same for a `collections.deque`
    - `is_text(value)`: whether a staged value is text
    - `is_stand_in(value)`, `is_bool(value)`: whether others stand for the same object, so that `is` is
      refused; whether `value is True` tests the value
    - `keep_unchanged(value, error)`: raise an error when the trace ends if an object has changed by then
    - `equal_text(value, text)`: compare staged text with a `str`, if `==` does not
    - `formats_structures`: True if `fmt` takes lists, tuples and dicts of staged values
    - `find(key, keys, required=False)`: the position of a staged key among plain keys, or -1
    - `update_list`, `bisect`, `sorting_order`, `by_key`, `argsort`, `join`: operations on lists, by name
    - `bound(value)`: check a possibly unbound value when it is read
    - `optional(held)`: the type of a value that is None on another path; then also `allows_none(kind)`,
      whether a type is such a type, `is_none(value)`, the test, `some(value, use, *others)`, the value as one
      that is not None, for a use in `core.undefined`, and `iterated(value)`, what a loop goes over
    - `short_circuit(left, right, is_and, test)`: `and` or `or` of an object, whose truth is `test`
    - `as_condition(value)`: what a condition tests, as a value that a branch can return
    - `narrowed(value)`: a value in the form in which the current branch leaves it, whose tests are known
    - `replaced(function)`: the replacement for a builtin that the shared tables do not list
    - `unpacked(value)`: the iterable that Python unpacks in place of `value`
    - `in_branch()`: whether a branch or a loop body is being captured
    - `entered()`: a context manager around the outermost converted function
    - `returned(value)`: check and return what the outermost converted function returns
    - `is_inner(value)`: whether a value belongs to a capture that has ended
    - `draws`: True if Python's and NumPy's random numbers are drawn when the program runs
    - `is_given(value)`: whether an argument of the traced function is the caller's own object
    - `rolls_ranges`: True if `for_loop` takes the rest of a plain `range` that a staged condition may end
    - `set_number_bound(value, bound)`: mark the counter of such a loop, of at most this magnitude
    - `check_counter_arithmetic(capture, bound)`: end the attempt to roll a loop whose captured body computes
      numbers from its counter that differ from Python's
    - `files`: the files of the system besides that of the backend, whose code keeps no loop from being rolled
    - `codes`: the code objects of the system in other files, likewise
    - `can_raise`: False if programs of the system raise nothing, so that a loop is refused if it carries a
      variable that is None at first
    - `leaves_none`: True if the variable stays None after such a loop if it runs no iterations. Else the
      program raises then
    - `loop_options`: the names of the backend's own options for `set_loop_options`
    """

    @property
    def name(self) -> str: ...

    def owns(self, kind: type) -> bool: ...
    def is_staged(self, value: Any) -> bool: ...
    def staging(self) -> bool: ...
    def type_of(self, value: Leaf) -> Type | None: ...
    def is_handle(self, value: Leaf) -> bool: ...
    def merge(self, first: Type, second: Type) -> Type: ...
    def unbound(self, held: Type, name: str) -> Type: ...
    def capture(self, run: Callable[..., Any], arguments: Sequence[Type] = ()) -> Capture: ...
    def cond(
        self, pred: Leaf, captures: tuple[OwnCapture, OwnCapture], outputs: Sequence[tuple[Leaf, Leaf, Type]]
    ) -> list[Leaf]: ...
    def while_loop(
        self,
        first_test: Leaf,
        init: Sequence[Leaf],
        types: Sequence[Type],
        body: OwnCapture,
        next_test: Leaf,
        results: Sequence[Leaf],
        options: dict[str, Any],
    ) -> list[Leaf]: ...
    def for_loop(
        self,
        iterated: Any,
        first_test: Leaf,
        init: Sequence[Leaf],
        types: Sequence[Type],
        body: OwnCapture,
        next_test: Leaf,
        results: Sequence[Leaf],
        options: dict[str, Any],
    ) -> list[Leaf]: ...
    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any: ...
    def get_item(self, target: Any, key: Any) -> Any: ...
    def set_item(self, target: Any, key: Any, value: Any) -> Any: ...
    def contains(self, item: Any, container: Any) -> Any: ...
    def fmt(self, value: Leaf, conversion: str) -> Any: ...
    def text(self, text: str) -> Any: ...
    def assert_(self, test: Leaf, msg: Callable[[], Any] | None) -> None: ...
    def elements(self, iterated: Any) -> tuple[Any, Sequence[Type]]: ...
    def and_(self, left: Leaf, right: Callable[[], Any]) -> Any: ...
    def or_(self, left: Leaf, right: Callable[[], Any]) -> Any: ...
    def not_(self, value: Leaf) -> Any: ...


class BackendNeutral:
    """Base class of staged values that several backends share: the active backend owns them."""
