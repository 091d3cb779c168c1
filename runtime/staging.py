"""Staged statements: what is the same for every backend.

A *location* is something that a statement may change: a variable of its state, a slot that the heap
shows to have changed, or a staged value that was written in place. A branch or loop body is run
once, captured by the backend; what it leaves in each location is noted, and everything is put back.
The values that two paths leave in one location are merged leaf by leaf: numbers promote, a variable
without a value on one path becomes one that is checked where it is read, and what cannot be one
value is an error with a row for each such variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .backends import ACTIVE, BACKENDS, Backend, Capture, staged_by
from .errors import MismatchError, StagedRecursionError, StagingError
from .heap import Heap, Slot
from .structures import LEAF, Spec, flatten, paths, unflatten
from .undefined import Undefined

MAX_WIDENINGS = 12
MAX_UNROLLED = 10_000
MAX_RECURSION = 40

_depth: dict[Any, int] = {}


class AlwaysRaises(BaseException):
    """Ends a trace at a point that no path reaches: every one has raised before."""


@dataclass(frozen=True)
class Variable:
    """The n-th symbol of a statement's state."""

    index: int
    name: str


@dataclass(frozen=True)
class Written:
    """The contents of a staged value that is written in place."""

    handle: Any

    def __hash__(self) -> int:
        return id(self.handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Written) and self.handle is other.handle

    @property
    def name(self) -> str:
        return self.handle.name


@dataclass
class Path:
    """What one captured closure leaves: a value for each location that it changed."""

    capture: Capture
    values: dict[Any, tuple[list[Any], Spec]]
    result: Any = None

    def leaf(self, value: Any) -> Any:
        """A value as the path leaves it, if it was written in place there."""
        return next((left for handle, left in self.capture.writes if handle is value), value)


class Statement:
    """The locations of one staged statement, and how to read and write them."""

    def __init__(self, backend: Backend, closures: Sequence[Any], accessors: tuple, names: Sequence[str]):
        self.backend = backend
        self.get_state, self.set_state = accessors
        self.names = names
        self.staged_lists: list[list[Any]] = []
        self.before: tuple = self.get_state()
        own = [*closures, *accessors] if names else []
        self.heap = Heap([*closures, *self.before], own=own, opaque=_is_staged)
        self.variables = [Variable(i, name) for i, name in enumerate(names)]

    def run(self, closure: Callable[[], Any], arguments: Sequence[Any] = (), enter: Callable | None = None) -> Path:
        """Capture `closure`; `enter` gets the placeholders before it runs."""
        noted: dict[Any, tuple[list[Any], Spec]] = {}
        code = getattr(closure, "__code__", None)
        _depth[code] = _depth.get(code, 0) + 1
        if _depth[code] > MAX_RECURSION:
            _depth.clear()
            raise StagedRecursionError(
                f"{code.co_name!r} calls itself under a staged condition: the depth is known only at run time, so the "
                f"trace would not end ({MAX_RECURSION} levels were tried). Write it as a loop, or recurse on a plain number"
            )

        def traced(*placeholders: Any) -> Any:
            if enter is not None:
                enter(*placeholders)
            result = closure()
            for variable, value in zip(self.variables, self.get_state(), strict=True):
                noted[variable] = flatten(value)
            for slot, value in self.heap.changes().items():
                noted[slot] = flatten(value)
            return result

        try:
            capture = self.backend.capture(traced, arguments)
        finally:
            if _depth.get(code):
                _depth[code] -= 1
            self.restore()
        for handle, value in capture.writes:
            noted[Written(handle)] = ([value], LEAF)
        return Path(capture, noted, capture.value)

    def restore(self) -> None:
        self.set_state(self.before)
        self.heap.restore()

    def current(self, location: Any) -> tuple[list[Any], Spec]:
        """What a location held before the statement."""
        if isinstance(location, Variable):
            return flatten(self.before[location.index])
        if isinstance(location, Slot):
            return flatten(location.get())
        return [location.handle.read()], LEAF

    def stage_list(self, location: Any) -> bool:
        """Put a staged list in the place of the plain one that a location holds; whether there is one."""
        make = getattr(self.backend, "staged_list", None)
        held = location.owner if isinstance(location, Slot) else None
        if isinstance(location, Variable):
            held = self.before[location.index]
        if make is None or type(held) is not list or any(held is done for done in self.staged_lists):
            return False
        if not any(value is held for value in self.before):
            raise StagingError(
                f"{location.name} changes its length under a staged condition or in a staged loop, but is no variable "
                "of the function. Give the list to a local variable first, and use that"
            )
        staged = make(held)
        self.staged_lists.append(held)
        self.before = tuple(staged if value is held else value for value in self.before)
        self.restore()
        return True

    def write(self, values: dict[Any, Any]) -> None:
        state = list(self.before)
        for location, value in values.items():
            if isinstance(location, Variable):
                state[location.index] = value
            elif isinstance(location, Slot):
                location.set(value)
            else:
                location.handle.write(value)
        self.set_state(tuple(state))


@dataclass
class Rows:
    """The variables that cannot be merged, a row for each."""

    rows: list[str] = field(default_factory=list)

    def add(self, name: str, first: Any, second: Any, reason: str = "") -> None:
        note = f" ({reason})" if reason else ""
        self.rows.append(f"    {name}: {first} | {second}{note}")

    def check(self, what: str, remedy: str) -> None:
        if self.rows:
            raise MismatchError("\n".join([what, *self.rows, remedy]))


def _is_staged(value: Any) -> bool:
    return BACKENDS[type(value)] is not None


def describe(backend: Backend, value: Any) -> str:
    if isinstance(value, Undefined):
        return "no value"
    kind = backend.type_of(value) if value is not None else None
    return repr(value) if kind is None else str(kind)


def _is_same(first: Any, second: Any) -> bool:
    if first is second:
        return True
    if isinstance(first, Undefined) and isinstance(second, Undefined):
        return True
    return type(first) is type(second) and isinstance(first, (str, bytes, int, float)) and first == second


def merge_leaves(
    backend: Backend, name: str, first: Any, second: Any, rows: Rows
) -> Any | None:
    """The type of a leaf that is `first` on one path and `second` on the other; None when it fails."""
    kinds = [None if isinstance(v, Undefined) else backend.type_of(v) for v in (first, second)]
    for value, kind in zip((first, second), kinds, strict=True):
        if kind is None and not isinstance(value, Undefined):
            rows.add(name, describe(backend, first), describe(backend, second))
            return None
    try:
        if kinds[0] is None or kinds[1] is None:
            return backend.unbound(kinds[0] if kinds[1] is None else kinds[1], name)
        return backend.merge(*kinds)
    except TypeError as error:
        rows.add(name, describe(backend, first), describe(backend, second), str(error))
        return None


# Conditions


def if_stmt(
    backend: Backend,
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    outputs: int,
) -> None:
    """Both branches, captured, and one staged condition over what they leave."""
    statement = Statement(backend, (body, orelse), (get_state, set_state), names)
    first, second = statement.run(body), statement.run(orelse)
    if _grow_lists(statement, first, second):
        first, second = statement.run(body), statement.run(orelse)
    values = _join(statement, cond, first, second, outputs)
    if first.capture.raised is not None and second.capture.raised is not None:
        raise AlwaysRaises
    statement.write(values)


def _join(statement: Statement, cond: Any, first: Path, second: Path, outputs: int) -> dict[Any, Any]:
    """One condition for two paths; what it leaves in each location that they change."""
    backend, rows = statement.backend, Rows()
    paths_ = (first, second)
    plan: dict[Any, list[tuple[Any, Any]]] = {}
    specs: dict[Any, Spec] = {}
    merged: list[tuple[Any, Any, Any]] = []
    for location in {**first.values, **second.values}:
        if isinstance(location, Variable) and location.index >= outputs:
            continue
        name = location.name
        (a, a_spec), (b, b_spec) = (
            _left_by(statement, path, other, location)
            for path, other in (paths_, paths_[::-1])
        )
        if a_spec != b_spec:
            if not _undefined(a) and not _undefined(b):
                rows.add(name, a_spec, b_spec, "the structures differ")
                continue
            a, b, a_spec = _spread(a, a_spec, b, b_spec)
        slots = []
        for leaf_name, x, y in zip(paths(a_spec, name), a, b, strict=True):
            if _is_same(x, y):
                slots.append((None, x))
                continue
            x, y = first.leaf(x), second.leaf(y)
            kind = merge_leaves(backend, leaf_name, x, y, rows)
            slots.append((len(merged), None))
            merged.append((x, y, kind))
        plan[location], specs[location] = slots, a_spec
    rows.check(
        "the branches of an 'if' on a staged value leave different types (if true | if false):",
        "Give the variable one type in both branches, or a value before the 'if'",
    )
    results = backend.cond(cond, (first.capture, second.capture), merged)
    return {
        location: unflatten(specs[location], [value if i is None else results[i] for i, value in slots])
        for location, slots in plan.items()
    }


def _grow_lists(statement: Statement, first: Path, second: Path) -> bool:
    """Make lists staged that the branches leave with different lengths."""
    grown = False
    for location in {**first.values, **second.values}:
        (_, a), (_, b) = (_left_by(statement, p, o, location) for p, o in ((first, second), (second, first)))
        if a != b and list in (a.kind, b.kind):
            grown |= statement.stage_list(location)
    return grown


def _left_by(statement: Statement, path: Path, other: Path, location: Any) -> tuple[list[Any], Spec]:
    if path.capture.raised is not None and other.capture.raised is None:
        path = other
    return path.values.get(location) or statement.current(location)


def _undefined(leaves: list[Any]) -> bool:
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)


def _spread(a: list[Any], a_spec: Spec, b: list[Any], b_spec: Spec) -> tuple[list[Any], list[Any], Spec]:
    """A missing value, as many times as the other side has leaves."""
    if _undefined(a):
        return a * len(b), b, b_spec
    return a, b * len(a), a_spec


def if_exp(backend: Backend, cond: Any, if_true: Callable, if_false: Callable, text: str) -> Any:
    """A conditional expression: a statement whose branches leave one value."""
    result = Variable(0, f"the value of 'if {text}'" if text else "the value")

    def value_of(closure: Callable[[], Any]) -> Path:
        statement_path = statement.run(closure)
        statement_path.values[result] = flatten(statement_path.result)
        return statement_path

    statement = Statement(backend, (if_true, if_false), (tuple, _ignore), ())
    first, second = value_of(if_true), value_of(if_false)
    values = _join(statement, cond, first, second, 1)
    value = values.pop(result)
    statement.write(values)
    return value


def _ignore(values: tuple) -> None:
    """There are no variables."""


# Loops


class Carried:
    """The locations that a loop carries, leaf by leaf, and the types that they settle on."""

    def __init__(self, statement: Statement):
        self.statement, self.backend = statement, statement.backend
        self.init: dict[Any, tuple[list[Any], Spec]] = {v: statement.current(v) for v in statement.variables}
        self.types: dict[Any, list[Any]] = {}
        for location, (leaves, _) in self.init.items():
            self.types[location] = [self.first_type(leaf) for leaf in leaves]

    def first_type(self, leaf: Any) -> Any:
        """None for what is not carried: no value as yet, or an array whose contents may be, not its name."""
        if isinstance(leaf, Undefined) or self.backend.is_handle(leaf):
            return None
        return self.backend.type_of(leaf)

    def slots(self) -> Iterator[tuple[Any, int, Any]]:
        for location, types in self.types.items():
            for i, kind in enumerate(types):
                if kind is not None:
                    yield location, i, kind

    def arguments(self) -> list[Any]:
        return [kind for _, _, kind in self.slots()]

    def initial(self) -> list[Any]:
        return [self.init[location][0][i] for location, i, _ in self.slots()]

    def enter(self, values: Sequence[Any]) -> None:
        """Put placeholders, or results, where the loop's values are."""
        leaves = {location: list(old) for location, (old, _) in self.init.items()}
        for (location, i, _), value in zip(self.slots(), values, strict=True):
            leaves[location][i] = value
        self.statement.write(
            {location: unflatten(self.init[location][1], new) for location, new in leaves.items()}
        )

    def settle(self, path: Path, rows: Rows) -> bool:
        """Widen the types to what one iteration leaves; whether they held already."""
        settled = True
        for location, (leaves, spec) in path.values.items():
            if not settled and isinstance(location, Slot):
                break
            if location not in self.init:
                old, old_spec = self.statement.current(location)
                if old_spec == spec and all(_is_same(a, b) for a, b in zip(old, leaves, strict=True)):
                    continue
                self.init[location] = old, old_spec
                self.types[location] = [self.backend.type_of(leaf) for leaf in old]
                settled = False
            settled &= self.settle_location(location, path, leaves, spec, rows)
        return settled

    def settle_location(self, location: Any, path: Path, leaves: list[Any], spec: Spec, rows: Rows) -> bool:
        old, old_spec = self.init[location]
        types = self.types[location]
        if spec != old_spec:
            if list in (old_spec.kind, spec.kind) and self.statement.stage_list(location):
                self.begin_again()
                return False
            if _undefined(old) and types == [None]:
                self.init[location] = old * len(leaves), spec
                self.types[location] = types = [None] * len(leaves)
                old = self.init[location][0]
            elif _undefined(leaves):
                leaves = leaves * len(old)
            else:
                rows.add(location.name, old_spec, spec, "the structure changes")
                return True
        settled = True
        for i, (name, leaf) in enumerate(zip(paths(self.init[location][1], location.name), leaves, strict=True)):
            if types[i] is None and _is_same(old[i], leaf):
                continue
            leaf, previous = path.leaf(leaf), types[i]
            kind = self.widened(name, old[i], previous, leaf, rows)
            if kind is not None and kind != previous:
                types[i] = kind
                settled = False
        return settled

    def widened(self, name: str, old: Any, previous: Any, leaf: Any, rows: Rows) -> Any:
        backend = self.backend
        if previous is None:
            return merge_leaves(backend, name, old, leaf, rows)
        kind = None if isinstance(leaf, Undefined) else backend.type_of(leaf)
        try:
            if isinstance(leaf, Undefined):
                return backend.unbound(previous, name)
            if kind is None:
                raise TypeError("")
            return backend.merge(previous, kind)
        except TypeError as error:
            rows.add(name, previous, describe(backend, leaf), str(error))
            return None

    def begin_again(self) -> None:
        """The variables hold other values now."""
        for location in list(self.init):
            if isinstance(location, Variable):
                leaves, spec = self.statement.current(location)
                if spec != self.init[location][1]:
                    self.init[location] = leaves, spec
                    self.types[location] = [self.first_type(leaf) for leaf in leaves]
            elif isinstance(location, Slot) and isinstance(location.owner, list):
                del self.init[location], self.types[location]


def _fixed_point(carried: Carried, once: Callable[[], Path], what: str) -> Path:
    for _ in range(MAX_WIDENINGS):
        rows = Rows()
        path = once()
        settled = carried.settle(path, rows)
        rows.check(
            f"{what} changes the type of its variables (before | after one iteration):",
            "Give the variable the type that it ends with before the loop",
        )
        if settled:
            return path
    raise MismatchError(f"the variables of {what} do not settle on types after {MAX_WIDENINGS} tries")


def _results(carried: Carried, path: Path) -> list[Any]:
    found = []
    for location, i, _ in carried.slots():
        leaves = path.values[location][0] if location in path.values else carried.init[location][0]
        found.append(path.leaf(leaves[min(i, len(leaves) - 1)]))
    return found


def while_stmt(
    backend: Backend,
    going: Any,
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
) -> None:
    """`while going: body(); going = test()`: the first test has been made."""
    statement = Statement(backend, (test, body), (get_state, set_state), names)
    carried = Carried(statement)

    def step() -> Any:
        body()
        return test()

    def once() -> Path:
        return statement.run(step, carried.arguments(), lambda *values: carried.enter(values))

    path = _fixed_point(carried, once, "a staged 'while'")
    results = backend.while_loop(
        going, carried.initial(), carried.arguments(), path.capture, path.result, _results(carried, path), options
    )
    carried.enter(results)


def for_stmt(
    backend: Backend,
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    options: dict[str, Any],
) -> None:
    """A loop over a staged iterable; `extra_test` is asked after each iteration, as `break` is."""
    going = True if extra_test is None else extra_test()
    if going is False:
        return
    statement = Statement(backend, (extra_test or _ignore, body), (get_state, set_state), names)
    carried = Carried(statement)
    rebuild, element_types = backend.elements(iterated)
    element: list[Any] = []

    def step() -> Any:
        body(element[0])
        return True if extra_test is None else extra_test()

    def enter(*values: Any) -> None:
        count = len(element_types)
        element[:] = [rebuild(values[:count])]
        carried.enter(values[count:])

    def once() -> Path:
        return statement.run(step, [*element_types, *carried.arguments()], enter)

    path = _fixed_point(carried, once, "a staged 'for'")
    results = backend.for_loop(
        iterated, going, carried.initial(), carried.arguments(), path.capture, path.result,
        _results(carried, path), options,
    )  # fmt: skip
    carried.enter(results)


def finish_unrolled(
    backend: Backend,
    items: Iterator[Any],
    extra_test: Callable[[], Any],
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
) -> None:
    """The rest of a Python loop whose `break` turned out to be staged: each iteration under a condition."""
    for count, item in enumerate(items):
        going = extra_test()
        owner = staged_by(going)
        if owner is None:
            if not going:
                return
            body(item)
            continue
        if count == MAX_UNROLLED:
            raise StagingError(
                f"a 'break' on a staged value did not end a Python loop after {MAX_UNROLLED} iterations: a plain "
                "iterator is unrolled to its end. Loop over a staged range or array, or use 'while'"
            )
        if_stmt(owner, going, lambda item=item: body(item), _nothing, get_state, set_state, names, len(names))


def _nothing() -> None:
    """The branch that does nothing."""


# Expressions

_filter: list[Any] = []


def list_comp(backend: Backend, iterated: Any, comprehension: Callable[[Any], list]) -> Any:
    """A list comprehension over something staged, as a loop that appends to a staged list."""
    made = backend.staged_list([])

    def body(item: Any) -> None:
        _filter.append(None)
        try:
            first = comprehension([item])
            cond = _filter[-1]
        finally:
            _filter.pop()
        if cond is None:
            made.extend(first)
        else:
            if_stmt(backend, cond, lambda: _append_kept(made, comprehension, item), _nothing, tuple, _ignore, (), 0)

    for_stmt(backend, iterated, None, body, tuple, _ignore, (), {})
    return made


def _append_kept(made: Any, comprehension: Callable[[Any], list], item: Any) -> None:
    _filter.append(True)
    try:
        made.extend(comprehension([item]))
    finally:
        _filter.pop()


def keep(cond: Any) -> bool:
    """In the first run of a comprehension its condition is noted, in the second it holds."""
    if not _filter:
        raise StagingError(
            "the condition of a comprehension over plain values is staged. Loop over a staged array, or write a 'for' loop"
        )
    if _filter[-1] is True:
        return True
    _filter[-1] = cond
    return False


def bound(backend: Backend, value: Any) -> Any:
    """A staged value, checked where it is read if it may be unbound."""
    check = getattr(backend, "bound", None)
    return value if check is None else check(value)


def assert_stmt(backend: Backend, test: Any, msg: Callable[[], Any] | None) -> None:
    backend.assert_(test, msg)


def is_active() -> bool:
    """Whether any backend is at work in this process, so that items may be staged."""
    return bool(ACTIVE)


def has_staged(key: Any) -> bool:
    """Whether an index holds something staged."""
    if staged_by(key) is not None:
        return True
    if type(key) is tuple:
        return any(map(has_staged, key))
    if type(key) is slice:
        return any(staged_by(part) is not None for part in (key.start, key.stop, key.step))
    return False


def _owner_of(*values: Any) -> Backend | None:
    for value in values:
        parts = value if type(value) is tuple else (value,)
        for part in parts:
            bounds = (part.start, part.stop, part.step) if type(part) is slice else (part,)
            for leaf in bounds:
                backend = staged_by(leaf)
                if backend is not None:
                    return backend
    return None


def get_item(target: Any, key: Any) -> Any:
    backend = _owner_of(key, target)
    return backend.get_item(target, key)


def set_item(target: Any, key: Any, value: Any) -> Any:
    backend = _owner_of(target, key, value) or ACTIVE[-1]
    return backend.set_item(target, key, value)


def contains(item: Any, container: Any) -> Any:
    """`item in container` where one of them is staged; None where neither is."""
    backend = staged_by(container) or staged_by(item)
    if backend is None:
        if type(container) not in (tuple, list):
            return None
        backend = next((b for b in map(staged_by, container) if b is not None), None)
        if backend is None:
            return None
    return backend.contains(item, container)


def in_branch() -> bool:
    """Whether the backend at work is tracing a branch or a loop's body."""
    asks = getattr(ACTIVE[-1], "in_branch", None) if ACTIVE else None
    return asks is not None and asks()
