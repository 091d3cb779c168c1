"""Values that some path leaves unbound, and tuples and frozen dataclasses that are None on one path.

A structure that may be None is a *marker*, a staged value that is None or True, and the parts, which nothing
reads where the marker is None. So the backend's values that may be None do all that depends on the path.
"""

from __future__ import annotations

import inspect
import operator
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from types import SimpleNamespace
from typing import Any, NoReturn

from ...backends import BACKENDS, Backend, staged_by
from ...core.active_backends import CAPTURES, active_backend
from ...core.undefined import RETURN_VALUE, Undefined
from ...debugging.tracebacks import is_internal, user_opcode
from ...errors import AliasError, MissingValueError, ValueNeededError
from ...values import structures
from ...values.structures import CONTAINERS, LEAF, REBUILT, Spec, flatten, object_attributes, unflatten

Value = tuple[list[Any], Spec]


def bound(backend: Backend, value: Any) -> Any:
    """Return a staged value, with a run-time check if it may be unbound."""
    check = getattr(backend, "bound", None)
    return value if check is None else check(value)


def bound_parts(value: Any) -> Any:
    """Return a structure with run-time checks for the staged values that may be unbound.

    Lists and dicts stay the same objects.
    """
    if type(value) in (list, dict):
        for key, item in [*enumerate(value)] if type(value) is list else [*value.items()]:
            value[key] = bound_parts(item)
        return value
    if isinstance(value, tuple):
        parts = [*map(bound_parts, value)]
        is_same = all(map(operator.is_, parts, value))
        return value if is_same else getattr(type(value), "_make", type(value))(parts)
    leaves, spec = flatten(value)
    checked = [_bound_part(v) if is_one else v for v, is_one in zip(leaves, is_read(spec), strict=True)]
    return value if all(map(operator.is_, checked, leaves)) else unflatten(spec, checked)


def _bound_part(value: Any) -> Any:
    backend = staged_by(value)
    if backend is not None:
        return bound(backend, value)
    attributes = object_attributes(value) if BACKENDS[type(value)] is None else None
    if not attributes:
        return value
    parts = [*map(bound_parts, attributes.values())]
    if all(map(operator.is_, parts, attributes.values())):
        return value
    made = unflatten(Spec(type(value), tuple(attributes), (LEAF,) * len(parts)), parts)
    active_backend().keep_unchanged(made, _change_error(made))
    return made


def _change_error(value: Any) -> AliasError:
    return AliasError(
        f"a {type(value).__name__} that is None on another path is changed",
        why="the change would have to reach every name of the object",
        remedy="make a changed copy, or use a value that is never None",
    ).about(value)


def is_read(spec: Spec, *, is_known: bool = True) -> Iterator[bool]:
    """Yield for each leaf whether reading the structure reads it. Of what may be None, that is its marker."""
    if spec.kind is None:
        yield is_known
    for i, part in enumerate(spec.parts):
        yield from is_read(part, is_known=is_known and (i == 0 or REBUILT not in vars(spec.kind)))


def certain(value: Any, name: str) -> Any:
    """Return an attribute's value, or raise if its existence is known only at run time."""
    backend = BACKENDS[type(value)]
    if backend is not None and backend.is_staged(value) and bound(backend, value) is not value:
        raise MissingValueError(
            f"whether the attribute {name!r} exists depends on a staged value",
            why="hasattr() and getattr() decide during the trace, but "
            "the answer is known only when the graph runs",
            remedy=f"assign the attribute {name!r} on each path",
        )
    return value


# Structures that are None on one path


class OptionalStructure:  # noqa: PLW1641 - it refuses to be hashed
    """A structure that is None on one path. What uses it takes the structure, or raises like Python."""

    def __init__(self, marker: Any, parts: Any):
        vars(self).update(ag__marker=marker, ag__parts=parts)

    @staticmethod
    def ag__rebuilt(marker: Any, parts: Any) -> Any:
        """Return a structure whose marker has a new value: if that is known, None or the parts."""
        if marker is None:
            return None
        if getattr(marker, "may_be_none", False):
            return OptionalStructure(marker, parts)
        return bound_parts(parts)

    @property
    def ag__backend(self) -> Any:
        return staged_by(self.ag__marker)

    def ag__of(self, use: str, *others: Any) -> Any:
        """Return the structure for a use, a key of `NONE_USES`."""
        self.ag__backend.some(bound(self.ag__backend, self.ag__marker), use, *others)
        return bound_parts(self.ag__parts)

    def ag__is_none(self) -> Any:
        return self.ag__backend.is_none(bound(self.ag__backend, self.ag__marker))

    def ag__is_known(self) -> bool:
        """Return whether the value is known not to be None where the program is."""
        return bool(self.ag__backend.is_known(bound(self.ag__backend, self.ag__marker)))

    def ag__truth(self) -> Any:
        """Return the truth of the value, which an empty tuple does not have."""
        return False if self.ag__parts == () else self.ag__backend.not_(self.ag__is_none())

    def ag__refuse_identity(self) -> NoReturn:
        raise AliasError(
            f"the identity of a {type(self.ag__parts).__name__} that may be None is tested",
            why="which object it is is known only when the program runs",
            remedy="test whether it is None first, and compare an attribute that identifies the object",
        ).about(self.ag__parts)

    def ag__refuse(self, *_: Any) -> NoReturn:
        raise needed_error(type(self.ag__parts).__name__)

    def __getitem__(self, key: Any) -> Any:
        return self.ag__of("getitem", key)[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ag__of("unpack" if user_opcode() == "UNPACK_SEQUENCE" else "iter"))

    def __len__(self) -> int:
        return len(self.ag__of("len"))

    def __contains__(self, item: Any) -> Any:
        return item in self.ag__of("contains", item)

    def __getattr__(self, name: str) -> Any:
        if CAPTURES.reads_state and structures.is_reference(self.ag__parts):
            return Undefined(name)
        if name.startswith("__") or inspect.getattr_static(self.ag__parts, name, self) is self:
            raise AttributeError(f"{type(self.ag__parts).__name__!r} object has no attribute {name!r}")
        return getattr(self.ag__of("getattr", name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.ag__of("setattr", name), name, value)

    def __eq__(self, other: object) -> Any:
        backend, is_none = self.ag__backend, self.ag__is_none()
        if other is None:
            return is_none
        if not _compares_parts(self.ag__parts):
            self.ag__refuse_identity()
        is_known = backend.not_(is_none)
        if not isinstance(other, OptionalStructure):
            return _equal(backend, is_known, self.ag__parts, other)
        known = backend.and_(is_known, lambda: backend.not_(other.ag__is_none()))
        equal = _equal(backend, known, self.ag__parts, other.ag__parts)
        return backend.or_(backend.and_(is_none, other.ag__is_none), lambda: equal)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return self.ag__backend.not_(equal) if staged_by(equal) else not equal

    __bool__ = __repr__ = __format__ = __reduce__ = __hash__ = ag__refuse


def _define_operators() -> None:
    for name in ("lt", "le", "gt", "ge", "add", "mul"):
        function = getattr(operator, name)
        method = lambda self, other, n=name, f=function: f(self.ag__of(n, ()), other)  # noqa: E731
        setattr(OptionalStructure, f"__{name}__", method)
        if name in ("add", "mul"):
            method = lambda self, other, n=name, f=function: f(other, self.ag__of(n, ()))  # noqa: E731
            setattr(OptionalStructure, f"__r{name}__", method)


_define_operators()


def _equal(backend: Any, result: Any, first: Any, second: Any) -> Any:
    """Return `result and first == second` for a structure and any other value."""
    if structures.is_reference(first):
        return backend.and_(result, lambda: bound_parts(first) == bound_parts(second))
    if isinstance(first, tuple) and isinstance(second, tuple):
        pairs = [*zip(first, second, strict=False)] if len(first) == len(second) else None
    elif is_dataclass(first) and type(first) is type(second):
        names = [f.name for f in fields(first) if f.compare]
        pairs = [(getattr(first, n), getattr(second, n)) for n in names]
    else:
        pairs = None
    for own, other in pairs or ():
        if isinstance(own, tuple) or is_dataclass(own):
            result = _equal(backend, result, own, other)
        else:
            result = backend.and_(result, lambda x=own, y=other: _bound_leaf(x) == _bound_leaf(y))
    return False if pairs is None else result


def _compares_parts(value: Any) -> bool:
    """Return whether `==` compares the parts of a structure, rather than the identity of an object."""
    return isinstance(value, tuple) or is_dataclass(value) or structures.is_reference(value)


def _bound_leaf(value: Any) -> Any:
    owner = staged_by(value)
    return value if owner is None else bound(owner, value)


def needed_error(kind: str) -> ValueNeededError:
    return ValueNeededError(
        f"Python needs to know whether a {kind} is None",
        why="it is known only when the program runs",
        remedy="test it first, in converted code: if x is not None",
    )


def is_optional(value: Any) -> bool:
    return isinstance(value, OptionalStructure)


def is_none(value: Any) -> Any:
    return isinstance(value, OptionalStructure) and value.ag__is_none()


def used(value: Any, use: str, *others: Any) -> Any:
    """Return a structure that may be None for a use, a key of `NONE_USES`, and any other value unchanged."""
    return value.ag__of(use, *others) if isinstance(value, OptionalStructure) else value


def whole(value: Any) -> Any:
    """Return a structure that is known not to be None where the program is, and any other value unchanged.

    Raises:
        ValueNeededError: Python looks at a structure that may be None.
    """
    if not isinstance(value, OptionalStructure):
        return value
    return bound_parts(value.ag__parts) if value.ag__is_known() else value.ag__refuse()


def inspected(value: Any) -> Any:
    """Return a value whose class Python looks at. It must not be a value that may be None."""
    if not isinstance(value, OptionalStructure) and getattr(value, "may_be_none", False):
        backend: Any = staged_by(value)
        if not backend.is_known(value):
            raise needed_error("staged value")
    return whole(value)


# Merging


_NO_PART = Undefined(RETURN_VALUE)
"""Stands for each leaf of a structure that is None. Like a returned value, it has no flag of its own."""


def unified(first: Value, second: Value, backend: Any) -> tuple[Value, Value] | None:
    """Return two values in one structure, in which parts that are None on one side are optional, or None."""
    if not hasattr(backend, "optional") or any(isinstance(v, _CHANGEABLE) for v in (*first[0], *second[0])):
        return None
    leaves: tuple[list[Any], list[Any]] = [], []
    spec = _unified(first[1], second[1], (iter(first[0]), iter(second[0])), leaves)
    return None if spec is None else ((leaves[0], spec), (leaves[1], spec))


def _unified(
    first: Spec, second: Spec, rest: tuple[Iterator[Any], Iterator[Any]], leaves: tuple[list[Any], list[Any]]
) -> Spec | None:
    if first == second:
        for side in (0, 1):
            leaves[side].extend(next(rest[side]) for _ in range(_count(first)))
        return first
    kinds = first.kind, second.kind
    for side, (own, other) in enumerate(((first, second), (second, first))):
        if own.kind is None and _can_be_none(other):
            if next(rest[side]) is not None:
                return None
            return _promoted(side, other, rest, leaves)
        if own.kind is OptionalStructure and other.kind is own.parts[1].kind:
            leaves[side].append(next(rest[side]))
            leaves[1 - side].append(True)
            pair = (own.parts[1], other) if side == 0 else (other, own.parts[1])
            inner = _unified(*pair, rest, leaves)
            return None if inner is None else replace(own, parts=(LEAF, inner))
    if kinds[0] is not kinds[1] or first.keys != second.keys or len(first.parts) != len(second.parts):
        return None
    parts = []
    for pair in zip(first.parts, second.parts, strict=True):
        part = _unified(*pair, rest, leaves)
        if part is None:
            return None
        parts.append(part)
    return replace(first, parts=tuple(parts))


def _promoted(
    side: int, other: Spec, rest: tuple[Iterator[Any], Iterator[Any]], leaves: tuple[list[Any], ...]
) -> Spec:
    """Take the leaves of a structure that is None on one side."""
    given = [next(rest[1 - side]) for _ in range(_count(other))]
    if other.kind is OptionalStructure:
        leaves[side].extend([None, *[_NO_PART] * (len(given) - 1)])
        leaves[1 - side].extend(given)
        return other
    leaves[side].extend([None, *[_NO_PART] * len(given)])
    leaves[1 - side].extend([True, *given])
    return Spec(OptionalStructure, ("ag__marker", "ag__parts"), (LEAF, other))


def markers(spec: Spec, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the position of each marker among the leaves of a value, and how many parts come after it."""
    if spec.kind is OptionalStructure:
        yield start, _count(spec.parts[1])
    for part in spec.parts:
        yield from markers(part, start)
        start += _count(part)


def optional_leaves(
    backend: Any, before: Sequence[Any], after: Sequence[Any], spec: Spec
) -> tuple[list[Any], list[Any]]:
    """Return the leaves that a loop carries for a structure, and the types of those that may be missing."""
    leaves: list[Any] = [*before]
    types: list[Any] = [None] * len(leaves)
    for i, (own, new) in enumerate(zip(before, after, strict=True)):
        if own is _NO_PART and new is not _NO_PART:
            kind = backend.type_of(new)
            if kind is None:
                leaves[i] = new
            else:
                types[i] = backend.unbound(kind, _NO_PART.error)
    for i, _ in markers(spec):
        types[i] = backend.optional(backend.type_of(True))
    return leaves, types


def known_part(first: Any, second: Any) -> list[Any]:
    """Return a plain leaf that a structure has on only one of two paths, in a list, if there is one."""
    for own, other in ((first, second), (second, first)):
        if own is _NO_PART and other is not _NO_PART and BACKENDS[type(other)] is None:
            return [other]
    return []


def _can_be_none(spec: Spec) -> bool:
    """Return whether a structure cannot be changed, and does what tuples and dataclasses do."""
    kind: Any = spec.kind
    if kind is None or kind is OptionalStructure:
        return kind is not None
    if kind in CONTAINERS:
        return False
    if issubclass(kind, tuple):
        is_plain = _has_only(kind, tuple)
    else:
        is_plain = getattr(kind, "__dataclass_params__", _MUTABLE).eq and _has_only(kind, object)
    return is_plain and all(part.kind is None or _can_be_none(part) for part in spec.parts)


def _has_only(kind: type, base: type) -> bool:
    """Return whether a class has no special methods but those of a base, a named tuple or a dataclass."""
    own = {name for c in kind.__mro__ if c not in base.__mro__ for name in vars(c)}
    method = inspect.unwrap(getattr(kind, "__eq__"))  # noqa: B009 - a trace may have replaced it
    code = method.__code__ if "__eq__" in own else bound.__code__
    is_users = code.co_filename != "<string>" and not is_internal(code)
    return not own & _SPECIAL and not is_users


_MUTABLE = SimpleNamespace(frozen=False, eq=True)
"""The parameters of a class that is no dataclass."""
_SPECIAL = frozenset(
    f"__{name}__"
    for name in "bool len iter next getitem contains getattribute getattr call enter exit array float int "
    "index add radd sub rsub mul rmul neg pos abs".split()
)
_CHANGEABLE = (list, dict, set, bytearray, deque)


def _count(spec: Spec) -> int:
    return sum(map(_count, spec.parts)) if spec.kind is not None else 1
