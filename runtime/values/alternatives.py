"""Results of a function that have unlike structures on two paths.

A *part* is what one path leaves in a place of such a result whose structure only the running program knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..core.undefined import Undefined
from .structures import LEAF, REBUILT, Spec, flatten, unflatten, walk_specs


@dataclass(eq=False)
class Part:
    """The leaves and the structure of what one path leaves in a place of the result."""

    leaves: list[Any]
    spec: Spec

    @property
    def sources(self) -> list[Any]:
        """The lists and dicts, created before the statement, that the part consists of."""
        return [source for spec in walk_specs(self.spec) for source in spec.sources]


def part_of(value: Any) -> Part:
    """Return a value as a part.

    >>> part_of({"a": [1, 2]}).leaves
    [1, 2]
    """
    return value if isinstance(value, Part) else Part(*flatten(value))


def split(
    first: tuple[Sequence[Any], Spec], second: tuple[Sequence[Any], Spec]
) -> tuple[tuple[list[Any], Spec], tuple[list[Any], Spec]]:
    """Return two values in one structure, whose leaves are parts where the structures differ.

    Lists of two lengths, and a list beside a leaf, become leaves.

    >>> (leaves, spec), _ = split(flatten({"n": 1, "x": (2, 3)}), flatten({"n": 4, "x": 5}))
    >>> print(spec, leaves[0], leaves[1].spec)
    dict('n': *, 'x': *) 1 tuple(*, *)
    """
    rest = iter(first[0]), iter(second[0])
    leaves: tuple[list[Any], list[Any]] = [], []
    spec = _split(first[1], second[1], rest, leaves)
    return (leaves[0], spec), (leaves[1], spec)


def _split(one: Spec, other: Spec, rest: tuple[Iterator[Any], ...], leaves: tuple[list[Any], ...]) -> Spec:
    is_same_kind = one.kind is other.kind and len(one.parts) == len(other.parts)
    if is_same_kind and (one.keys, one.kinds) == (other.keys, other.kinds) and not _is_optional(one):
        parts = [_split(*pair, rest, leaves) for pair in zip(one.parts, other.parts, strict=True)]
        if one.kind is None:
            for side in (0, 1):
                leaves[side].append(next(rest[side]))
        return replace(one, parts=tuple(parts), sources=(*one.sources, *other.sources))
    are_lists = {one.kind, other.kind} <= {list, None}
    for side, spec in enumerate((one, other)):
        own = [next(rest[side]) for part in walk_specs(spec) if part.kind is None]
        if all(isinstance(leaf, Undefined) for leaf in own) and own:
            leaves[side].append(own[0])
        elif spec.kind is None or (are_lists and not any(part.sources for part in walk_specs(spec))):
            leaves[side].append(unflatten(spec, own))
        else:
            leaves[side].append(Part(own, spec))
    return LEAF


def _is_optional(spec: Spec) -> bool:
    return spec.kind is not None and REBUILT in vars(spec.kind)


def changed_leaves(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a part, or a list, with other leaves."""
    if isinstance(value, Part):
        return Part([*map(leaf, value.leaves)], value.spec)
    return [changed_leaves(item, leaf) for item in value] if type(value) is list else leaf(value)


def parts_of(value: Any) -> list[Any]:
    """Return the leaves of a part, and any other value in a list."""
    return value.leaves if isinstance(value, Part) else [value]
