"""Values that some path leaves unbound, and tuples and frozen dataclasses that are None on one path.

A structure that may be None is a *marker*, a staged value that is None or True, and the parts, which nothing
reads where the marker is None. So the backend's values that may be None do all that depends on the path.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, NoReturn

from ...backends import BACKENDS, Backend, staged_by
from ...core.undefined import Undefined
from ...debugging.tracebacks import user_opcode
from ...errors import MissingValueError, ValueNeededError
from ...values.structures import LEAF, REBUILT, Spec, flatten, is_frozen, unflatten

Value = tuple[list[Any], Spec]


def bound(backend: Backend, value: Any) -> Any:
    """Return a staged value, with a run-time check if it may be unbound."""
    check = getattr(backend, "bound", None)
    return value if check is None else check(value)


def bound_parts(value: Any) -> Any:
    """Return a structure with run-time checks for the staged values that may be unbound."""
    leaves, spec = flatten(value)
    owners = list(map(staged_by, leaves))
    if not any(owners):
        return value
    read = is_read(spec)
    checked = [
        bound(o, leaf) if o is not None and is_one else leaf
        for o, leaf, is_one in zip(owners, leaves, read, strict=True)
    ]
    if all(map(operator.is_, checked, leaves)):
        return value
    return unflatten(spec, checked)


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


@dataclass(frozen=True, eq=False)
class OptionalStructure:
    """A structure that is None on one path. What uses it takes the structure, or raises like Python."""

    marker: Any
    parts: Any

    @staticmethod
    def ag__rebuilt(marker: Any, parts: Any) -> Any:
        """Return a structure whose marker has a new value: if that is known, None or the parts."""
        if marker is None:
            return None
        if getattr(marker, "may_be_none", False):
            return OptionalStructure(marker, parts)
        return bound_parts(parts)

    @property
    def backend(self) -> Any:
        return staged_by(self.marker)

    def of(self, use: str, *others: Any) -> Any:
        """Return the structure for a use, a key of `NONE_USES`."""
        self.backend.some(bound(self.backend, self.marker), use, *others)
        return bound_parts(self.parts)

    def is_none(self) -> Any:
        return self.backend.is_none(bound(self.backend, self.marker))

    def is_known(self) -> bool:
        """Return whether the value is known not to be None where the program is."""
        return bool(self.backend.is_known(bound(self.backend, self.marker)))

    def truth(self) -> Any:
        """Return the truth of the value, which an empty tuple does not have."""
        is_empty = isinstance(self.parts, tuple) and not self.parts
        return False if is_empty else self.backend.not_(self.is_none())

    def __getitem__(self, key: Any) -> Any:
        return self.of("getitem", key)[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.of("unpack" if user_opcode() == "UNPACK_SEQUENCE" else "iter"))

    def __len__(self) -> int:
        return len(self.of("len"))

    def __contains__(self, item: Any) -> Any:
        return item in self.of("contains", item)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self.parts, name):
            raise AttributeError(f"{type(self.parts).__name__!r} object has no attribute {name!r}")
        return getattr(self.of("getattr", name), name)

    def __eq__(self, other: object) -> Any:
        if other is None:
            return self.is_none()
        leaves, spec = flatten(self.parts)
        others, other_spec = flatten(other.parts if isinstance(other, OptionalStructure) else other)
        if spec != other_spec:
            return False
        backend = self.backend
        equal = backend.not_(self.is_none())
        if isinstance(other, OptionalStructure):
            both_none = backend.and_(self.is_none(), other.is_none)
            return backend.or_(both_none, lambda: backend.and_(equal, lambda: other == self.parts))
        for own, its in zip(leaves, others, strict=True):
            equal = backend.and_(equal, lambda own=own, its=its: bound_parts((own,))[0] == its)
        return equal

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return self.backend.not_(equal) if staged_by(equal) else not equal

    def refuse(self, *_: Any) -> NoReturn:
        raise ValueNeededError(
            f"Python needs to know whether a {type(self.parts).__name__} is None",
            why="it is known only when the program runs",
            remedy="test it first, in converted code: if x is not None",
        )

    __bool__ = __repr__ = __format__ = __reduce__ = refuse
    __hash__ = object.__hash__


def _define_comparisons() -> None:
    for name in ("lt", "le", "gt", "ge"):
        compare = getattr(operator, name)
        method = lambda self, other, n=name, f=compare: f(self.of(n, ()), other)  # noqa: E731
        setattr(OptionalStructure, f"__{name}__", method)


_define_comparisons()


def is_none(value: Any) -> Any:
    return isinstance(value, OptionalStructure) and value.is_none()


def whole(value: Any) -> Any:
    """Return a structure that is known not to be None where the program is, and any other value unchanged.

    Raises:
        ValueNeededError: Python looks at a structure that may be None.
    """
    if not isinstance(value, OptionalStructure):
        return value
    return bound_parts(value.parts) if value.is_known() else value.refuse()


# Merging


_NO_PART = Undefined("return_value")
"""Stands for each leaf of a structure that is None. Like a returned value, it has no flag of its own."""


def unified(first: Value, second: Value, backend: Any) -> tuple[Value, Value] | None:
    """Return two values in one structure, in which parts that are None on one side are optional, or None."""
    if not hasattr(backend, "optional"):
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
    return Spec(OptionalStructure, ("marker", "parts"), (LEAF, other))


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
    """Return whether a structure cannot be changed, so that no other name has to see a change."""
    kind: Any = spec.kind
    return kind is not None and (issubclass(kind, tuple) or (is_dataclass(kind) and is_frozen(kind)))


def _count(spec: Spec) -> int:
    return sum(map(_count, spec.parts)) if spec.kind is not None else 1


# Trees of a tensor system


def tree_flatten(value: OptionalStructure) -> tuple[list[Any], None]:
    return [value.marker, bound_parts(value.parts)], None


def tree_unflatten(_: None, children: Sequence[Any]) -> Any:
    marker, parts = children
    is_known = marker is None or hasattr(marker, "dtype")
    return OptionalStructure.ag__rebuilt(marker, parts) if is_known else OptionalStructure(marker, parts)
