"""Values made of values: tuples, lists, dicts and named tuples of leaves.

`flatten` takes a value apart into its leaves and a `Spec`, which tells how to put them together
again and compares equal for values of one shape. Everything else is a leaf.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from . import chosen


@dataclass(frozen=True, slots=True)
class Spec:
    """How a value is made of its parts; `kind` is None for a leaf."""

    kind: type | None
    keys: tuple[Any, ...] = ()
    parts: tuple[Spec, ...] = ()
    kinds: tuple[type, ...] = ()  # of the keys of a dict: 1, 1.0 and True are equal
    sources: tuple[Any, ...] = field(default=(), compare=False)  # the lists or dicts that it may be

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        inner = ", ".join(f"{k!r}: {p}" if self.keys else str(p) for k, p in self.items())
        return f"{self.kind.__name__}({inner})"

    def items(self) -> Iterator[tuple[Any, Spec]]:
        return iter(zip(self.keys or range(len(self.parts)), self.parts, strict=True))


LEAF = Spec(None)


def flatten(
    value: Any,
    *,
    changeable: bool = False,
    attributes: Callable[[Any], dict[str, Any] | None] | None = None,
    sources: Callable[[Any], tuple[Any, ...] | None] | None = None,
) -> tuple[list[Any], Spec]:
    """The leaves of a value, and its spec.

    Args:
        value: anything.
        changeable: whether a dataclass that is not frozen is taken apart too.
        attributes: the attributes of another object, which is then taken apart too, or None for a leaf.
        sources: the `Spec.sources` of a list or dict, or None where it is a leaf.

    >>> leaves, spec = flatten({"a": 1, "b": (2, [3])})
    >>> leaves
    [1, 2, 3]
    >>> unflatten(spec, [4, 5, 6])
    {'a': 4, 'b': (5, [6])}
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves, changeable, attributes, sources)


def _flatten(value: Any, leaves: list[Any], *how: Any) -> Spec:
    kind = type(value)
    changeable, attributes, sources_of = how
    sources = sources_of(value) if sources_of is not None and kind in CONTAINERS else ()
    if sources is None:
        leaves.append(value)
        return LEAF
    if kind in _SEQUENCES or (isinstance(value, tuple) and hasattr(kind, "_fields")):
        made = list if kind is chosen.ChosenList else kind
        return Spec(made, (), tuple([_flatten(part, leaves, *how) for part in value]), (), sources)
    if kind is dict or kind is chosen.ChosenDict:
        parts = tuple([_flatten(part, leaves, *how) for part in value.values()])
        return Spec(dict, tuple(value), parts, tuple(map(type, value)), sources)
    held = None
    if dataclasses.is_dataclass(kind) and (changeable or kind.__dataclass_params__.frozen):  # type: ignore[attr-defined]
        held = fields_now(value)
    elif attributes is not None:
        held = attributes(value)
    if held is not None:
        parts = tuple([_flatten(part, leaves, *how) for part in held.values()])
        return Spec(kind, tuple(held), parts)
    leaves.append(value)
    return LEAF


CONTAINERS = (list, dict, *chosen.KINDS)
_SEQUENCES = (tuple, list, chosen.ChosenList)


def spread(
    leaves: list[Any], spec: Spec, parts_of: Callable[[Any], tuple[list[Any], Spec] | None]
) -> tuple[list[Any], Spec]:
    """A value whose leaves are taken apart further, where `parts_of` gives the leaves and spec of one."""
    given, found = iter(leaves), []

    def within(spec: Spec) -> Spec:
        if spec.kind is not None:
            return replace(spec, parts=tuple(map(within, spec.parts)))
        leaf = next(given)
        parts = parts_of(leaf)
        if parts is None:
            found.append(leaf)
            return spec
        inner, made = spread(*parts, parts_of)
        found.extend(inner)
        return made

    made = within(spec)
    return found, made


def specs_in(spec: Spec) -> Iterator[Spec]:
    """A spec and those of all its parts."""
    yield spec
    for part in spec.parts:
        yield from specs_in(part)


def with_sources_of(first: Spec, second: Spec) -> Spec:
    """A spec with the sources of another, equal one too."""
    sources = {id(source): source for source in (*first.sources, *second.sources)}
    parts = tuple(map(with_sources_of, first.parts, second.parts))
    return replace(first, parts=parts, sources=tuple(sources.values()))


def fields_now(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that have values."""
    names = [f.name for f in dataclasses.fields(value)]
    return {n: getattr(value, n) for n in names if hasattr(value, n)}


def is_changeable(value: Any) -> bool:
    """Whether a value is of a dataclass that is not frozen, and has no attributes besides its fields."""
    kind = type(value)
    if not dataclasses.is_dataclass(kind) or kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return False
    slots = {n for c in kind.__mro__ for n in _names(vars(c).get("__slots__", ())) if hasattr(value, n)}
    held = (slots | getattr(value, "__dict__", {}).keys()) - {"__dict__", "__weakref__"}
    return kind.__new__ is object.__new__ and fields_now(value).keys() >= held


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def fields_of(spec: Spec) -> tuple[str, ...]:
    """The names of the fields of a namedtuple or dataclass."""
    return spec.keys or getattr(spec.kind, "_fields", ())


def fits(spec: Spec, given: Spec) -> bool:
    """Whether a value is of a structure; a class that stands for another is as good as that one."""
    if spec.kind is not given.kind or spec.keys != given.keys:
        if not getattr(spec.kind, STANDS_IN, False) or given.kind is None or given.kind is dict:
            return False
        if spec.kind.__name__ != given.kind.__name__ or fields_of(spec) != fields_of(given):  # type: ignore[union-attr]
            return False
    return len(spec.parts) == len(given.parts) and all(map(fits, spec.parts, given.parts))


STANDS_IN = "_stands_in"
"""The attribute of a class that was made for one whose source is not there."""


def unflatten(spec: Spec, leaves: list[Any]) -> Any:
    """The value of a spec with these leaves."""
    return _unflatten(spec, iter(leaves))


def _unflatten(spec: Spec, leaves: Iterator[Any]) -> Any:
    if spec.kind is None:
        return next(leaves)
    parts = [_unflatten(part, leaves) for part in spec.parts]
    if spec.kind in CONTAINERS:
        made: Any = parts if spec.kind is list else dict(zip(spec.keys, parts, strict=True))
        return chosen.chosen(made, spec.sources) if spec.sources else made
    if spec.kind is tuple:
        return tuple(parts)
    if spec.keys:
        made = object.__new__(spec.kind)
        for name, part in zip(spec.keys, parts, strict=True):
            object.__setattr__(made, name, part)
        return made
    return tuple.__new__(spec.kind, parts)  # a named tuple, as it was


def paths(spec: Spec, name: str) -> list[str]:
    """A readable name for each leaf."""
    if spec.kind is None:
        return [name]
    found: list[str] = []
    for key, part in spec.items():
        attribute = spec.keys and spec.kind is not dict
        found.extend(paths(part, f"{name}.{key}" if attribute else f"{name}[{key!r}]"))
    return found
