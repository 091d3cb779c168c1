"""Nested structures of values: tuples, lists, dicts, named tuples and dataclasses of leaves.

`flatten` splits a value into its leaves and a `Spec`, the structure without the leaves. Specs of values with
the same structure compare equal. Any other value is a leaf.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from . import selected_container
from .locations import instance_attributes, slot_names

REBUILT = "ag__rebuilt"
"""The static method of a class that returns an instance, or another value in its place, with given parts."""
OWN_PARTS = "ag__own_parts"
"""The static method of such a class that returns the parts of an instance, if they are not its `vars`."""


@dataclass(frozen=True, slots=True)
class Spec:
    """The structure of a value; `kind` is None for a leaf."""

    kind: type | None
    keys: tuple[Any, ...] = ()
    parts: tuple[Spec, ...] = ()
    kinds: tuple[type, ...] = ()  # of the keys of a dict: 1, 1.0 and True are equal
    sources: tuple[Any, ...] = field(default=(), compare=False)  # candidates of a selected container

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        inner = ", ".join(f"{k!r}: {p}" if self.keys else str(p) for k, p in self.items())
        return f"{self.kind.__name__}({inner})"

    def items(self) -> Iterator[tuple[Any, Spec]]:
        """Yield the parts with their keys or indices."""
        return iter(zip(self.keys or range(len(self.parts)), self.parts, strict=True))


LEAF = Spec(None)


def flatten(
    value: Any,
    *,
    mutable_dataclasses: bool = False,
    attributes: Callable[[Any], dict[str, Any] | None] | None = None,
    sources: Callable[[Any], tuple[Any, ...] | None] | None = None,
) -> tuple[list[Any], Spec]:
    """Split a value into its leaves and its spec.

    Args:
        value: any value.
        mutable_dataclasses: whether dataclasses that are not frozen are flattened too.
        attributes: a function that returns the attributes by which to flatten any other object, or None to
            make it a leaf.
        sources: a function that returns the `Spec.sources` of a list or dict, or None to make it a leaf.

    >>> leaves, spec = flatten({"a": 1, "b": (2, [3])})
    >>> leaves
    [1, 2, 3]
    >>> unflatten(spec, [4, 5, 6])
    {'a': 4, 'b': (5, [6])}
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves, mutable_dataclasses, attributes, sources)


def _flatten(value: Any, leaves: list[Any], *options: Any) -> Spec:
    kind = type(value)
    mutable_dataclasses, attributes, sources_of = options
    sources = sources_of(value) if sources_of is not None and kind in CONTAINERS else ()
    if sources is None:
        leaves.append(value)
        return LEAF
    if kind in _SEQUENCES or (isinstance(value, tuple) and hasattr(kind, "_fields")):
        plain_kind = list if kind is selected_container.SelectedList else kind
        return Spec(plain_kind, (), tuple([_flatten(part, leaves, *options) for part in value]), (), sources)
    if kind is dict or kind is selected_container.SelectedDict:
        parts = tuple([_flatten(part, leaves, *options) for part in value.values()])
        return Spec(dict, tuple(value), parts, tuple(map(type, value)), sources)
    values = None
    if REBUILT in vars(kind):
        values = own_parts(value)
    elif dataclasses.is_dataclass(kind) and (mutable_dataclasses or _is_frozen(kind)):
        values = field_values(value)
    elif attributes is not None:
        values = attributes(value)
    if values is not None:
        parts = tuple([_flatten(part, leaves, *options) for part in values.values()])
        return Spec(kind, tuple(values), parts)
    leaves.append(value)
    return LEAF


def is_reference(value: Any) -> bool:
    """Return whether a value stands for an object of a program, and has no parts but a reference to it."""
    return hasattr(type(value), OWN_PARTS)


def own_parts(value: Any) -> dict[str, Any]:
    """Return the parts of an instance of a class that has a method `REBUILT`."""
    return dict(getattr(type(value), OWN_PARTS, vars)(value))


CONTAINERS = (list, dict, *selected_container.KINDS)
_SEQUENCES = (tuple, list, selected_container.SelectedList)


def _is_frozen(kind: Any) -> bool:
    return bool(kind.__dataclass_params__.frozen)


def flatten_leaves(
    leaves: list[Any], spec: Spec, parts_of: Callable[[Any], tuple[list[Any], Spec] | None]
) -> tuple[list[Any], Spec]:
    """Flatten the leaves of a value further; `parts_of` returns a leaf's own leaves and spec, or None."""
    remaining, flat = iter(leaves), []

    def extend(spec: Spec) -> Spec:
        if spec.kind is not None:
            return replace(spec, parts=tuple(map(extend, spec.parts)))
        leaf = next(remaining)
        parts = parts_of(leaf)
        if parts is None:
            flat.append(leaf)
            return spec
        inner_leaves, inner_spec = flatten_leaves(*parts, parts_of)
        flat.extend(inner_leaves)
        return inner_spec

    extended = extend(spec)
    return flat, extended


def walk_specs(spec: Spec) -> Iterator[Spec]:
    yield spec
    for part in spec.parts:
        yield from walk_specs(part)


def merge_sources(first: Spec, second: Spec) -> Spec:
    """Return the first of two equal specs, with the sources of both."""
    sources = {id(source): source for source in (*first.sources, *second.sources)}
    parts = tuple(map(merge_sources, first.parts, second.parts))
    return replace(first, parts=parts, sources=tuple(sources.values()))


def field_values(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass instance that have values."""
    names = [f.name for f in dataclasses.fields(value)]
    return {n: getattr(value, n) for n in names if hasattr(value, n)}


def object_attributes(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an object that `object` creates, or None for a leaf."""
    if type(value).__new__ is not object.__new__ or isinstance(value, types.FunctionType):  # type: ignore[comparison-overlap]
        return None
    return instance_attributes(value)


def is_mutable_dataclass(value: Any) -> bool:
    """Return whether a value is an instance of a mutable dataclass with no attributes besides its fields."""
    kind = type(value)
    if not dataclasses.is_dataclass(kind) or _is_frozen(kind):
        return False
    attributes = {n for c in kind.__mro__ for n in slot_names(c) if hasattr(value, n)}
    attributes |= getattr(value, "__dict__", {}).keys()
    return kind.__new__ is object.__new__ and field_values(value).keys() >= attributes


def field_names(spec: Spec) -> tuple[str, ...]:
    return spec.keys or getattr(spec.kind, "_fields", ())


def is_compatible(spec: Spec, other: Spec) -> bool:
    """Return whether two specs have the same structure, treating a stand-in as the class that it replaces."""
    if spec.kind is not other.kind or spec.keys != other.keys:
        if not getattr(spec.kind, STANDS_IN, False) or other.kind is None or other.kind is dict:
            return False
        if spec.kind.__name__ != other.kind.__name__ or field_names(spec) != field_names(other):  # type: ignore[union-attr]
            return False
    return len(spec.parts) == len(other.parts) and all(map(is_compatible, spec.parts, other.parts))


STANDS_IN = "_stands_in"
"""The attribute that marks a *stand-in*: a class created in place of one that is not available."""


def unflatten(spec: Spec, leaves: list[Any]) -> Any:
    return _unflatten(spec, iter(leaves))


def _unflatten(spec: Spec, leaves: Iterator[Any]) -> Any:
    if spec.kind is None:
        return next(leaves)
    parts = [_unflatten(part, leaves) for part in spec.parts]
    if spec.kind in CONTAINERS:
        value: Any = parts if spec.kind is list else dict(zip(spec.keys, parts, strict=True))
        return selected_container.make_selected(value, spec.sources) if spec.sources else value
    if spec.kind is tuple:
        return tuple(parts)
    rebuilt = vars(spec.kind).get(REBUILT)
    if rebuilt is not None:
        return rebuilt(*parts)
    if spec.keys or not issubclass(spec.kind, tuple):
        value = object.__new__(spec.kind)
        for name, part in zip(spec.keys, parts, strict=True):
            object.__setattr__(value, name, part)
        return value
    return tuple.__new__(spec.kind, parts)  # a named tuple, without calling its constructor


def leaf_paths(spec: Spec, name: str) -> list[str]:
    """Return a readable path for each leaf of the value called `name`."""
    if spec.kind is None:
        return [name]
    paths: list[str] = []
    for key, part in spec.items():
        is_attribute = spec.keys and spec.kind is not dict
        paths.extend(leaf_paths(part, f"{name}.{key}" if is_attribute else f"{name}[{key!r}]"))
    return paths
