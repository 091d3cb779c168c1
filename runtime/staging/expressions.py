"""Stage expressions: comprehensions, items, membership, and checks of unbound values."""

from __future__ import annotations

import contextlib
import functools
import gc
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType, FunctionType
from typing import Any, NoReturn

from ..backends import BACKENDS, Backend, staged_by
from ..core.active_backends import ACTIVE, active_backend
from ..core.closures import nothing, set_nothing
from ..core.in_flight import running
from ..core.rolling_attempts import is_rolling
from ..core.traces import TRACES
from ..errors import StagingError, UnsupportedFunctionError, ValueNeededError
from ..values.locations import defining_class
from ..values.plain_loops import watched
from ..values.selected_container import SelectedList, set_choice, snapshot_sources
from ..values.structures import Spec, flatten, merge_sources, unflatten, walk_specs
from . import special_methods
from .branches.conditions import if_exp, if_stmt
from .loop_options import sized
from .loops import for_stmt
from .rolling.rolled_uses import note_item_use
from .state.heap import Heap, is_of_user
from .state.missing_values import OptionalStructure, bound_parts


class _Filters(threading.local):
    """The comprehensions that this thread is running, outermost first.

    Each entry is the staged condition recorded so far, None before that, or, to keep all items, a function
    that undoes what the condition has changed.
    """

    def __init__(self) -> None:
        self.stack: list[Any] = []


_filters = _Filters()


def plain_comp(iterated: Iterable[Any], comprehension: Callable[[Any], list]) -> Any:
    """Run a comprehension over plain values during staging.

    Python runs it up to the first item whose condition is staged. From that item on, the results are
    appended to a staged list.
    """
    found: list[Any] = []
    items = iter(watched(iterated))

    def until_staged() -> Iterator[Any]:
        for item in items:
            yield item
            if _filters.stack[-1] is not None:
                found.append(item)
                return

    first, cond = run_noting_condition(comprehension, until_staged())
    if cond is None:
        return first
    backend = staged_by(cond)
    assert backend is not None
    made = staged_list(backend, first)
    extend(backend, made, comprehension, found[0], [], cond)
    for item in items:
        extend(backend, made, comprehension, item, *run_noting_condition(comprehension, [item]))
    return made


def list_comp(backend: Backend, iterated: Any, comprehension: Callable[[Any], list]) -> Any:
    """Stage a list comprehension as a loop that appends to a staged list."""

    def body(item: Any) -> None:
        extend(backend, made, comprehension, item, *run_noting_condition(comprehension, [item]))

    most = getattr(backend, "most_items", lambda _: None)(iterated)
    with contextlib.nullcontext() if most is None else sized(most):
        made = staged_list(backend, [])
        for_stmt(backend, iterated, None, body, tuple, set_nothing, (), {})
    unstaged = getattr(backend, "unstaged", None)
    return made if unstaged is None else unstaged(made)


def staged_list(backend: Backend, values: list[Any]) -> Any:
    make = getattr(backend, "staged_list", None)
    if make is None:
        raise StagingError(
            "a list comprehension creates a list whose length depends on staged values",
            why=f"{backend.name} has no lists of staged length",
            remedy="write into an array of the maximum length in a 'for' loop",
        )
    return make(values)


def run_noting_condition(
    comprehension: Callable[[Any], list], items: Iterable[Any], condition: Callable[[], None] | None = None
) -> tuple[list[Any], Any]:
    """Return a comprehension's items, and the staged condition of an item that it skipped, or None."""
    _filters.stack.append(condition)
    try:
        return comprehension(items), _filters.stack[-1]
    finally:
        _filters.stack.pop()


def extend(
    backend: Backend, made: Any, comprehension: Callable[[Any], list], item: Any, given: list[Any], cond: Any
) -> None:
    """Append the results of a comprehension for one item, under the item's condition if it is staged."""

    def append_if_true() -> None:
        made.extend(run_noting_condition(comprehension, [item], repetition(backend, comprehension))[0])

    if cond is None:
        made.extend(given)
    else:
        if_stmt(backend, cond, append_if_true, nothing, tuple, set_nothing, (), 0)


def repetition(backend: Any, function: FunctionType | Callable[..., Any]) -> Callable[[], None]:
    """Return a function that undoes what a condition changes until then, whose first run has changed it.

    Raises:
        UnsupportedFunctionError: the condition has an effect that cannot be undone.
    """
    heap = Heap([function], own=(), code=None)
    take_back = getattr(backend, "noted_effects", _no_effects)()

    def undo() -> None:
        heap.restore()
        if take_back()[1]:
            raise UnsupportedFunctionError(
                "a condition in a comprehension prints, draws a random number or changes a shared list",
                why="the condition is recorded a second time, for the items that are kept",
                remedy="use a loop: for x in xs: if ...: items.append(x)",
            )

    return undo


def without_effects(backend: Any, items: Any) -> Callable[[], None]:
    """Return a function that raises if the items that `map` or `filter` has made until then had an effect."""
    heap = Heap(gc.get_referents(items), own=(), code=None)
    take_back = getattr(backend, "noted_effects", _no_effects)()

    def check() -> None:
        if any(take_back()) or heap.changes() or heap.changed():
            raise UnsupportedFunctionError(
                f"any() or all() consumes a {type(items).__name__} object, and its function has an effect",
                why="a staged item decides how many items Python would ask for",
                remedy="use a loop with 'break'",
            )

    return check


def _no_effects() -> Callable[[], tuple[bool, bool]]:
    return lambda: (False, False)


def keep(cond: Any) -> bool:
    """In a comprehension's first run, record its condition and return False; in the second, return True."""
    if callable(undo := _filters.stack[-1]):
        undo()
        return True
    _filters.stack[-1] = cond
    return False


def owner_of_text(value: Any) -> Backend | None:
    """Return the backend that formats a tuple, list or dict of staged values, or None for plain values.

    Raises:
        ValueNeededError: the backend can format only single values.
    """
    leaves, spec = flatten(value)
    backend = next((b for b in map(staged_by, leaves) if b is not None), None)
    kinds = {part.kind for part in walk_specs(spec)}
    if backend is None or (
        getattr(backend, "formats_structures", False)
        and all(kind in (None, tuple, list, dict) or hasattr(kind, "_fields") for kind in kinds)
    ):
        return backend
    return refuse_text(value)


def refuse_text(value: Any) -> NoReturn:
    raise ValueNeededError(
        f"a {type(value).__name__} that contains staged values cannot be formatted as text",
        why="Python would format the placeholders that stand for the values during the trace",
        remedy="format its items, as in f'{x[0]}, {x[1]}', or pass it to print()",
    )


def shown(value: Any, *, is_exact: bool) -> Any:
    """Return the text of an exception with staged arguments or of a structure that may be None, or the value.

    With `is_exact`, the text is that of `repr`, which cannot be staged.
    """
    if isinstance(value, OptionalStructure) and not is_exact:
        parts, backend = value.ag__parts, value.ag__backend
        if not getattr(backend, "formats_structures", False):
            refuse_text(parts)
        text = lambda: backend.call_builtin(str, (bound_parts(parts),), {})  # noqa: E731
        return if_exp(backend, value.ag__is_none(), lambda: "None", text, "")
    if not isinstance(value, BaseException) or all(staged_by(v) is None for v in flatten(value.args)[0]):
        return value
    own, [first, *others] = type(value).__str__, value.args
    if not is_exact and own in _OF_ARGUMENTS and not others:
        return first
    backend = owner_of_text(value.args)
    if is_exact or own not in (*_OF_ARGUMENTS, KeyError.__str__):
        refuse_text(value.args)
    args, text_of = (value.args, str) if others else (first, repr)
    return backend.call_builtin(text_of, (args,), {})  # type: ignore[union-attr]


_OF_ARGUMENTS = tuple(
    kind.__str__ for kind in (BaseException, NameError, UnboundLocalError, AttributeError)
)  # fmt: skip
"""The methods that make the text of an exception from its arguments, as those of most classes do."""


def looping() -> Backend | None:
    """Return the active backend if it can stage a loop with options over a plain `range`, else None."""
    backend = active_backend()
    return backend if getattr(backend, "loops_over_ranges", False) else None


def tells_raises() -> bool:
    """Return whether the trace must record exceptions of user code, so that the program raises them."""
    backend = active_backend()
    asks = hasattr(backend, "ended") or hasattr(backend, "raise_last")
    return backend is not None and (asks or in_branch())


def ended(error: BaseException, frame: FrameType) -> bool:
    """Return whether the program will raise the exception that ended a trace.

    `frame` belongs to a converted call. Only the outermost such call decides, because an exception that ends
    an inner call ends the outer ones too.
    """
    ends = getattr(active_backend(), "ended", None)
    if ends is None:
        return False
    outer = frame.f_back
    while outer is not None:
        if outer.f_code is frame.f_code:
            return False
        outer = outer.f_back
    return bool(ends(error))


def has_staged(key: Any) -> bool:
    """Return whether an index is or contains a staged value."""
    if staged_by(key) is not None:
        return True
    if type(key) in (tuple, list):
        return any(map(has_staged, key))
    if type(key) is slice:
        return any(staged_by(part) is not None for part in (key.start, key.stop, key.step))
    return False


def owner_of(*values: Any) -> Backend | None:
    """Return the backend of a staged value among keys, containers and items, or None.

    The parts of a tuple may be lists of indices.
    """
    for value in values:
        parts = value if type(value) is tuple else (value,)
        for part in parts:
            leaves: Any = (part.start, part.stop, part.step) if type(part) is slice else (part,)
            for leaf in part if type(part) is list and parts is value else leaves:
                backend = staged_by(leaf)
                if backend is not None:
                    return backend
    return None


def get_item(target: Any, key: Any) -> Any:
    if _has_own_items(target):
        replacement = _replaced_item(target.__getitem__)
        return target[key] if replacement is None else replacement(key)
    backend = owner_of((key,) if type(key) is list else key, target)
    assert backend is not None
    if is_rolling():
        note_item_use(backend, target, key)
    if running.flight is not None:
        running.flight.refuse_item(backend)
    if isinstance(key, slice) and type(target) in (list, tuple) and not hasattr(backend, "staged_container"):
        raise ValueNeededError(
            f"a {type(target).__name__} is sliced with staged bounds",
            why="the length of the result would be known only when the program runs",
            remedy="use an array",
        )
    is_of_items = isinstance(target, (list, tuple)) and len(target) > 0 and staged_by(key) is not None
    if is_of_items and flatten(target[0])[1].kind is not None:
        items = [flatten(item, sources=lambda value: (value,)) for item in target]
        specs = [spec for _, spec in items]
        if specs.count(specs[0]) == len(specs):
            item = _item_by_parts(backend, target, key, [own for own, _ in items], specs)
            return found_in(backend, item, target, key)
    return found_in(backend, backend.get_item(target, key), target, key)


def found_in(backend: Backend, item: Any, container: Any, key: Any) -> Any:
    """Note where an item of a plain container was found, so that a change of it reaches the container."""
    note = getattr(backend, "note_item", None)
    if note is not None and staged_by(container) is None:
        note(item, container, key)
    return item


def _replaced_item(getter: Any) -> Callable[[Any], Any] | None:
    """Return a backend's replacement for the `__getitem__` of an object such as `np.r_`, or None."""
    for backend in ACTIVE:
        if (replaced := getattr(backend, "replaced", None)) and (replacement := replaced(getter)):
            return replacement
    if type(getter.__self__).__name__ in _COMPUTING_SUBSCRIPTS:
        raise UnsupportedFunctionError(
            "a NumPy object such as np.r_ or np.mgrid has a staged value in its subscript",
            why="the framework has no counterpart of it",
            remedy="use a function, such as np.concatenate, np.stack or np.meshgrid",
        )
    return None


_COMPUTING_SUBSCRIPTS = frozenset(("RClass", "CClass", "MGridClass", "OGridClass"))
"""The classes of NumPy's objects that compute an array from a subscript: `np.r_`, `np.c_`, `np.mgrid`, ..."""


def _has_own_items(target: Any, method: str = "__getitem__") -> bool:
    """Return whether Python code computes or sets an object's items, as that of `x.at` in JAX does."""
    kind = type(target)
    owner = defining_class(kind, method)
    if BACKENDS[kind] is not None or not isinstance(vars(owner).get(method), FunctionType):
        return False
    return is_of_user(owner) or not isinstance(target, (list, tuple, Mapping))


def _item_by_parts(
    backend: Backend, target: Any, key: Any, leaves: list[list[Any]], specs: list[Spec]
) -> Any:
    """Select an item of a list or tuple of equally structured containers, leaf by leaf."""
    kind = list if isinstance(target, list) else tuple
    taken = [backend.get_item(kind(of_all), key) for of_all in zip(*leaves, strict=True)]
    made = unflatten(functools.reduce(merge_sources, specs), taken)
    snapshot_sources(made)
    set_choice(made, key, kind(target), get_item)
    return made


def owner_of_item(target: Any, key: Any, value: Any) -> Backend | None:
    """Return the backend that writes an item: the owner of a staged operand, or the active backend."""
    if not ACTIVE or _has_own_items(target, "__setitem__"):
        return None
    backend = owner_of(target, key, value) or active_backend()
    if backend is not None and is_rolling() and has_staged(key):
        note_item_use(backend, target, key, is_write=True)
    if running.flight is not None and has_staged(key):
        running.flight.refuse_item(backend)
    return backend


def contains(item: Any, container: Any) -> Any:
    """Return `item in container` if either operand is staged, else None."""
    if TRACES and BACKENDS[type(container)] is None:
        found = special_methods.contains(item, container)
        if found is not None:
            return found
    backend = staged_by(container) or staged_by(item)
    if backend is None and type(container) in (tuple, list, SelectedList):
        compares_tuples = getattr(active_backend(), "compares_tuples", False)
        values = flatten((item, container))[0] if compares_tuples else container
        backend = next((b for b in map(staged_by, values) if b is not None), None)
    return None if backend is None else backend.contains(item, container)


def in_branch() -> bool:
    """Return whether the active backend is capturing a branch or loop body."""
    asks = getattr(active_backend(), "in_branch", None)
    return asks is not None and asks()
