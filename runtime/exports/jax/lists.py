"""Lists: plain ones of values while their length is known on all paths, else rows of arrays."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...graph.ir import Node
from ...graph.types import ArrayType, ListType, ScalarType, TupleType
from . import refused
from .paths import Paths
from .run import Run
from .values import INT, Grown, Iterated, Said, dtype_of, is_known, of_array


def iterated(run: Run, value: Any) -> Iterated:
    """What a loop takes items of."""
    if isinstance(value, Iterated):
        return value
    if isinstance(value, (list, tuple, Grown)):
        grown = in_rows(run, value)
        if grown is None:
            return Iterated(0, lambda _: (), tuple)
        return Iterated(grown.length, lambda i: _row(grown, i), lambda: _known_rows(grown), most=grown.most)
    return of_array(value)


def _known_rows(grown: Grown) -> Any:
    return jax.tree.map(lambda row: row[: grown.length], grown.rows)


def _row(grown: Grown, index: Any) -> Any:
    return jax.tree.map(lambda row: row[index], grown.rows)


def in_rows(run: Run, value: Any, kind: Any = None) -> Grown | None:
    """A list in rows; None where it is empty and nobody knows of what it would be."""
    if isinstance(value, Grown):
        return value
    if not value:
        return None
    paths, value = Paths(run), list(value)
    form = paths.single(value, kind or ListType(_type_of(value[0])), known=False)
    return Grown(paths.rows(value, form.element, len(value)), None, len(value), len(value))


def only_row(run: Run, grown: Grown) -> Any:
    """The items of a list of numbers or arrays."""
    rows = jax.tree.leaves(grown.rows)
    if len(rows) != 1:
        raise refused.unsupported(run.node, "the items of the list are tuples")
    return rows[0]


def _type_of(value: Any) -> Any:
    """The type of an item, by the item."""
    if isinstance(value, tuple):
        return TupleType(tuple(map(_type_of, value)))
    if type(value) in (bool, int, float, complex):
        return ScalarType(type(value))
    return ArrayType(jnp.asarray(value).dtype, jnp.shape(value))


def length_of(value: Any) -> Any:
    return len(value) if isinstance(value, (list, tuple)) else value.length


def stacked(run: Run, value: Any, kind: Any) -> jax.Array:
    """A list of numbers or arrays as an array."""
    if isinstance(value, Grown) and not is_known(value.length):
        raise refused.value_needed(run.node, "takes a list whose length depends on values")
    grown = in_rows(run, value, kind)
    if grown is None:
        dtype = dtype_of(kind.element) if kind.element is not None else dtype_of(ScalarType(float))
        return jnp.zeros((0, *getattr(kind.element, "shape", ())), dtype)
    return _known_rows(grown)


def list_(run: Run, node: Node, values: list[Any]) -> Any:
    return list(values)


def append(run: Run, node: Node, values: list[Any]) -> Any:
    target, value = values
    if isinstance(target, list):
        return [*target, value]
    paths = Paths(run)
    target = _with_room(paths, target, node.type, target.most + 1)
    return _written(
        paths,
        Grown(target.rows, target.base, target.extra + 1, target.most + 1),
        target.length,
        value,
        node.type,
    )


def _with_room(paths: Paths, target: Grown, kind: Any, most: int) -> Grown:
    form = paths.single(target, kind, known=False)
    if most <= target.capacity:
        return target
    return Grown(paths.rows(target, form.element, most), target.base, target.extra, target.most)


def _written(paths: Paths, target: Grown, index: Any, value: Any, kind: Any) -> Grown:
    element = paths.single(target, kind, known=False).element
    found = paths.single(value, kind.element, known=False)
    if found != element:
        raise refused.differs(paths.node, f"a list gets {found}, and has {element}")
    leaves, tree = jax.tree.flatten(target.rows)
    parts = paths.arrays(element, value)
    rows = [row.at[index].set(part) for row, part in zip(leaves, parts, strict=True)]
    return Grown(jax.tree.unflatten(tree, rows), target.base, target.extra, target.most)


def get(run: Run, node: Node, values: list[Any]) -> Any:
    target, index = values
    if isinstance(target, (list, tuple)) and is_known(index):
        return target[index]
    what = "tuple" if isinstance(target, tuple) else "list"
    if isinstance(target, (list, tuple)) and target and all(isinstance(v, str) for v in target):
        size = len(target)
        place = jnp.where(index < 0, index + size, index)
        run.check((place < 0) | (place >= size), IndexError, f"{what} index out of range")
        return Said([((text,), ()) for text in target], [()] * size, jnp.clip(place, 0, size - 1))
    kind = ListType(node.type) if isinstance(target, tuple) else node.inputs[0].type
    grown = in_rows(run, target, kind)
    if grown is None:
        run.raises(IndexError("list index out of range"))
        return run.nothing(node.type)
    _check(run, grown, index, f"{what} index out of range")
    return _row(grown, jnp.clip(_from_start(index, grown), 0, grown.length - 1))


def _check(run: Run, target: Grown, index: Any, text: str) -> None:
    place = _from_start(index, target)
    run.check(jnp.logical_or(place < 0, place >= target.length), IndexError, text)


def _from_start(index: Any, target: Grown) -> Any:
    """An index that counts from the start."""
    if is_known(index):
        return index if index >= 0 else target.length + index
    return jnp.where(index < 0, index + target.length, index)


def set_(run: Run, node: Node, values: list[Any]) -> Any:
    target, index, value = values
    if isinstance(target, list) and is_known(index):
        made = list(target)
        made[index] = value
        return made
    grown = in_rows(run, target, node.type)
    if grown is None:
        run.raises(IndexError("list assignment index out of range"))
        return target
    _check(run, grown, index, "list assignment index out of range")
    place = _from_start(index, grown)
    place = jnp.where(place < 0, grown.capacity, place)  # where nothing is written
    return _written(Paths(run), grown, place, value, node.type)


def pop(run: Run, node: Node, values: list[Any]) -> Any:
    target, index = values
    if isinstance(target, list) and is_known(index):
        left = list(target)
        value = left.pop(index)
        return [left, value]
    grown = in_rows(run, target, node.inputs[0].type)
    if grown is None:
        run.raises(IndexError("pop from empty list"))
        return [target, run.nothing(node.inputs[0].type.element)]
    run.fail(grown.length == 0, lambda: IndexError("pop from empty list"))
    _check(run, grown, index, "pop index out of range")
    place = _from_start(index, grown)
    value, rows = _row(grown, place), grown.rows
    if not (is_known(index) and index == -1):
        rows = jax.tree.map(lambda row: _without(row, place), rows)
    return [Grown(rows, grown.base, grown.extra - 1, max(0, grown.most - 1)), value]


def _without(row: Any, place: Any) -> Any:
    after = (jnp.arange(row.shape[0]) >= place).reshape(-1, *[1] * (row.ndim - 1))
    return jnp.where(after, jnp.roll(row, -1, 0), row)


def insert(run: Run, node: Node, values: list[Any]) -> Any:
    """The list from which `pop(index)` would take a value."""
    target, index, value = values
    if isinstance(target, list) and is_known(index):
        made = list(target)
        made.insert(len(made) + 1 + index if index < 0 else index, value)
        return made
    paths = Paths(run)
    grown = in_rows(run, target, node.type)
    if grown is None:
        return [value]
    longer = _with_room(paths, grown, node.type, grown.most + 1)
    opened = Grown(longer.rows, grown.base, grown.extra + 1, grown.most + 1)
    place = _from_start(index, opened)
    opened.rows = jax.tree.map(lambda row: _opened(row, place), opened.rows)
    return _written(paths, opened, place, value, node.type)


def _opened(row: Any, place: Any) -> Any:
    after = (jnp.arange(row.shape[0]) > place).reshape(-1, *[1] * (row.ndim - 1))
    return jnp.where(after, jnp.roll(row, 1, 0), row)


def concatenated(run: Run, node: Node, first: Any, second: Any) -> Any:
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    if isinstance(second, list):
        made = first
        for item in second:
            made = append(run, node, [made, item])
        return made
    one = in_rows(run, first, node.type)
    if one is None:
        return second
    paths = Paths(run)
    most = one.most + second.most
    longer = _with_room(paths, one, node.type, one.most + second.capacity)
    place = jnp.arange(longer.capacity)

    def joined(row: Any, other: Any) -> Any:
        moved = jnp.take(other, jnp.clip(place - one.length, 0, other.shape[0] - 1), axis=0)
        return jnp.where((place < one.length).reshape(-1, *[1] * (row.ndim - 1)), row, moved)

    rows = jax.tree.map(joined, longer.rows, second.rows)
    if one.base is None or second.base is None:
        base = second.base if one.base is None else one.base
        return Grown(rows, base, one.extra + second.extra, most)
    return Grown(rows, one.base + second.base, one.extra + second.extra, most)


def repeated(run: Run, node: Node, target: Any, count: Any) -> Any:
    if is_known(count):
        if isinstance(target, list) or count <= 0:
            return target * count if isinstance(target, list) else []
        return functools.reduce(functools.partial(concatenated, run, node), [target] * count)
    if not isinstance(target, list) or not target:
        raise refused.value_needed(node, "repeats a list as often as a value says")
    room = run.most_rounds()
    grown = in_rows(run, target * room, node.type)
    assert grown is not None
    times = jnp.maximum(run.array(count, INT), 0)
    run.fail(times > room, lambda: refused.no_room(node, room))
    return Grown(grown.rows, times * len(target), 0, room * len(target))


def sliced(run: Run, node: Node, target: Any, key: slice) -> Any:
    parts = (key.start, key.stop, key.step)
    if is_known(parts) and is_known(length_of(target)):
        if isinstance(target, list):
            return target[key]
        rows = jax.tree.map(lambda row: row[: target.length][key], target.rows)
        size = len(range(target.length)[key])
        return Grown(rows, None, size, size)
    grown = in_rows(run, target, node.type)
    if grown is None:
        return []
    if not is_known(key.step) or key.step not in (None, 1):
        raise refused.value_needed(node, "takes every n-th item of a list whose length depends on values")
    start = _bound(key.start, 0, grown)
    stop = _bound(key.stop, grown.length, grown)
    length = jnp.maximum(stop - start, 0)
    rows = jax.tree.map(lambda row: jnp.roll(row, -start, 0), grown.rows)
    return Grown(rows, run.array(length, INT), 0, grown.most)


def _bound(given: Any, default: Any, target: Grown) -> Any:
    if given is None:
        return default
    return jnp.clip(jnp.where(given < 0, given + target.length, given), 0, target.length)


def equal(run: Run, node: Node, first: Any, second: Any) -> Any:
    """Whether two lists of numbers are equal, as an array."""
    one, other = (in_rows(run, v, i.type) for v, i in zip((first, second), node.inputs, strict=True))
    if one is None or other is None:
        return jnp.asarray(length_of(first) == length_of(second))
    size = min(one.capacity, other.capacity)
    pairs = zip(jax.tree.leaves(one.rows), jax.tree.leaves(other.rows), strict=True)
    unread = jnp.arange(size) >= one.length
    found = jnp.asarray(one.length == other.length)
    for row, beside in pairs:
        found &= jnp.all((row[:size] == beside[:size]) | unread)
    return found


def zeros(run: Run, node: Node, values: list[Any]) -> Any:
    def zero(part: Any) -> Any:
        if isinstance(part, Grown):
            return Grown(jax.tree.map(zero, part.rows), part.base, part.extra, part.most)
        return jnp.zeros_like(part) if isinstance(part, (jax.Array, np.ndarray)) else type(part)(0)

    return jax.tree.map(zero, values[0], is_leaf=lambda part: isinstance(part, Grown))


def sums(run: Run, node: Node, values: list[Any]) -> Any:
    first, second = values
    if isinstance(first, list) and isinstance(second, list):
        return [jax.tree.map(jnp.add, a, b) for a, b in zip(first, second, strict=True)]
    one, other = in_rows(run, first, node.type), in_rows(run, second, node.type)
    if one is None or other is None:
        return first
    size = min(one.capacity, other.capacity)
    rows = jax.tree.map(lambda a, b: a[:size] + b[:size], one.rows, other.rows)
    return Grown(rows, one.base, one.extra, min(one.most, size))


def add_at(run: Run, node: Node, values: list[Any]) -> Any:
    target, index, value = values
    old = get(run, node, [target, index])
    return set_(run, node, [target, index, jax.tree.map(jnp.add, old, value)])


RULES = {
    "list": list_,
    "tuple": lambda run, node, values: tuple(values),
    "list_copy": lambda run, node, values: values[0],
    "list_append": append,
    "list_get": get,
    "list_set": set_,
    "list_pop": pop,
    "list_insert": insert,
    "list_zeros": zeros,
    "list_sum": sums,
    "list_add_at": add_at,
}
