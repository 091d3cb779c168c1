"""Lists, dicts and objects among the arguments of a traced function, and the function's changes to them.

A trace works on copies. After each run, the final contents of a changed copy replace those of the caller's
container.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...errors import AliasError
from ...values.structures import Spec, unflatten

Path: TypeAlias = tuple[Any, ...]


@dataclass
class Change:
    """The new contents of the container at `path`.

    An item that is already among the arguments is given by its path. A new value is given by its spec, its
    plain leaves, and the result index of each leaf (None for a plain leaf).
    """

    path: Path
    items: dict[Any, Path | tuple[Spec, list[Any], list[int | None]]]

    def contents(self, arguments: Any, results: Sequence[Any]) -> dict[Any, Any]:
        """Return the new contents by key, given the results of a run."""
        contents = {}
        for key, item in self.items.items():
            if isinstance(item[0], Spec):
                spec, plain, indices = item
                leaves = [p if i is None else results[i] for p, i in zip(plain, indices, strict=True)]
                contents[key] = unflatten(spec, leaves)
            else:
                contents[key] = _at(arguments, item)
        return contents


def check_distinct_containers(arguments: Any, function: str) -> None:
    """Raise `AliasError` if a container occurs twice among the arguments, since the graph changes copies."""
    paths: dict[int, Path] = {}
    for path, container in mutable_containers(arguments):
        if len(path) > 1 and paths.setdefault(id(container), path) != path:
            raise AliasError(
                f"{function} changes its arguments, but was passed the same {type(container).__name__} twice",
                why="each occurrence is copied, and neither copy would have the changes made to the other",
                remedy=f"pass a copy: {type(container).__name__}(x)",
            )


def apply(changes: Sequence[Change], arguments: Any, results: Sequence[Any]) -> None:
    new_contents = [(_at(arguments, c.path), c.contents(arguments, results)) for c in changes]
    for container, contents in new_contents:
        _set_contents(container, contents)


def mutable_containers(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the mutable containers in a structure, each with its path."""
    items = _items(value)
    if items is None:
        return
    if not isinstance(value, tuple):
        yield path, value
    for key, part in items.items():
        yield from mutable_containers(part, (*path, key))


def changes(
    before: Sequence[tuple[Path, Any, dict[Any, Any]]],
    flatten: Callable[[Any], tuple[list[Any], Spec]],
    add_results: Callable[[Any], tuple[list[Any], list[int | None]]],
) -> list[Change]:
    """Return the changes to containers since a snapshot.

    `add_results` adds the staged leaves of a new value to the results of the graph.
    """
    paths = {id(container): path for path, container, _ in before}
    changed = []
    for path, container, old in before:
        new = _items(container) or {}
        if list(old) == list(new) and all(old[k] is new[k] for k in old):
            continue
        items: dict[Any, Any] = {}
        for key, value in new.items():
            if id(value) in paths:
                items[key] = paths[id(value)]
            elif value is old.get(key, paths):
                items[key] = (*path, key)  # unchanged
            else:
                leaves, spec = flatten(value)
                items[key] = (spec, *add_results(leaves))
        changed.append(Change(path, items))
    return changed


def snapshot(arguments: Any) -> list[tuple[Path, Any, dict[Any, Any]]]:
    """Return the mutable containers among the arguments, with paths and contents."""
    return [
        (path, value, dict(_items(value) or {}))
        for path, value in mutable_containers(arguments)
        if len(path) > 1
    ]


def _items(value: Any) -> dict[Any, Any] | None:
    """Return the contents of a container by key, or None for a leaf."""
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
        is_field = isinstance(key, str) and not isinstance(value, dict)
        value = getattr(value, key) if is_field else value[key]
    return value


def _set_contents(container: Any, contents: dict[Any, Any]) -> None:
    if isinstance(container, dict):
        container.clear()
        container.update(contents)
    elif isinstance(container, list):
        container[:] = contents.values()
    else:
        for name, value in contents.items():
            object.__setattr__(container, name, value)
