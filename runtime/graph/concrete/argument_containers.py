"""Lists, dicts and objects among the arguments of a traced function, and what it does to them.

A trace works on copies. What it leaves in a copy is put into the caller's own container after each run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..errors import AliasError
from ..structures import Spec, unflatten

Path: TypeAlias = tuple[Any, ...]


@dataclass
class Change:
    """New contents of the container at `path`: for each key a container that was there, or a new value.

    A new value is its spec, its plain leaves, and for each leaf the place of a result or None.
    """

    path: Path
    items: dict[Any, Path | tuple[Spec, list[Any], list[int | None]]]

    def contents(self, arguments: Any, results: Sequence[Any]) -> dict[Any, Any]:
        contents = {}
        for key, item in self.items.items():
            if isinstance(item[0], Spec):
                spec, plain, places = item
                leaves = [p if i is None else results[i] for p, i in zip(plain, places, strict=True)]
                contents[key] = unflatten(spec, leaves)
            else:
                contents[key] = _at(arguments, item)
        return contents


def refuse_repeated(arguments: Any, function: str) -> None:
    """A container that the function changes must not be given twice: it has a copy of its own for each."""
    places: dict[int, Path] = {}
    for path, container in contained(arguments):
        if len(path) > 1 and places.setdefault(id(container), path) != path:
            raise AliasError(
                f"{function} changes a {type(container).__name__} among its arguments, "
                "and one stands there twice",
                why="the graph works on a copy of each argument, and the two would have to be one",
                remedy=f"give it a copy: {type(container).__name__}(x)",
            )


def apply(changes: Sequence[Change], arguments: Any, results: Sequence[Any]) -> None:
    """Put what a run left in the copies into the caller's own containers."""
    made = [(_at(arguments, c.path), c.contents(arguments, results)) for c in changes]
    for container, contents in made:
        _fill(container, contents)


def contained(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The containers in a structure that can be changed, with the way to each."""
    items = _items(value)
    if items is None:
        return
    if not isinstance(value, tuple):
        yield path, value
    for key, part in items.items():
        yield from contained(part, (*path, key))


def changes(
    before: Sequence[tuple[Path, Any, dict[Any, Any]]],
    flattened: Callable[[Any], tuple[list[Any], Spec]],
    result: Callable[[Any], tuple[list[Any], list[int | None]]],
) -> list[Change]:
    """What has become of containers; `flattened` takes a value apart, `result` makes results of the graph of
    its leaves.
    """
    paths = {id(container): path for path, container, _ in before}
    found = []
    for path, container, old in before:
        new = _items(container) or {}
        if list(old) == list(new) and all(old[k] is new[k] for k in old):
            continue
        items: dict[Any, Any] = {}
        for key, value in new.items():
            if id(value) in paths:
                items[key] = paths[id(value)]
            elif value is old.get(key, paths):
                items[key] = (*path, key)  # the caller's own
            else:
                leaves, spec = flattened(value)
                items[key] = (spec, *result(leaves))
        found.append(Change(path, items))
    return found


def snapshot(arguments: Any) -> list[tuple[Path, Any, dict[Any, Any]]]:
    """The changeable containers among arguments, with what they hold."""
    return [(path, value, dict(_items(value) or {})) for path, value in contained(arguments) if len(path) > 1]


def _items(value: Any) -> dict[Any, Any] | None:
    """What a container holds, by key; None for what is a leaf."""
    if type(value) is dict:
        return value
    if type(value) is list or isinstance(value, tuple):
        return dict(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value)]
        return {n: getattr(value, n) for n in names if hasattr(value, n)}
    return None


def _at(value: Any, path: Path) -> Any:
    for key in path:
        named = isinstance(key, str) and not isinstance(value, dict)
        value = getattr(value, key) if named else value[key]
    return value


def _fill(container: Any, contents: dict[Any, Any]) -> None:
    if isinstance(container, dict):
        container.clear()
        container.update(contents)
    elif isinstance(container, list):
        container[:] = contents.values()
    else:
        for name, value in contents.items():
            object.__setattr__(container, name, value)
