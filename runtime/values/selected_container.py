"""Read-only lists and dicts that a staged condition selects from several candidates.

Which of its candidates, the *sources*, such a container stands for is known only when the graph runs. Its
items are merged from those of the sources at the selection, so reading it after a source has changed is an
error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..errors import AliasError

ALIASED_SOURCE: list[Any] = []
"""Stands for the source of a container that a branch or iteration created and bound to two names."""


STAGE_SOURCES: list[Callable[[Any], None]] = []
"""The function that has the candidates staged before the condition, once its module is loaded."""


class SelectedContainer:
    """Base class of containers that a staged condition selects."""

    base: Any = list
    sources: tuple[Any, ...] = ()
    choice: tuple[Any, Sequence[Any]] | None = None
    """The staged index that selects the container, and the candidates by index, if it is known."""
    select_again: Callable[[], Any] | None = None
    """Select the container again by the same index, after its candidates have changed."""
    find_object: Callable[[], Any] | None = None
    """Return what the container stands for as an object of the graph, if the backend has such objects."""
    _snapshots: Sequence[list[Any]] | None = None

    is_lost = False

    def as_object(self) -> Any:
        """Return what the container stands for, which can be changed.

        Raises:
            AliasError: the backend has no such objects, or the container is not an item of another one.
        """
        for stage in STAGE_SOURCES:
            stage(self)
        if self.find_object is None:
            kind = self.base.__name__
            raise AliasError(
                f"a {kind} selected by a staged condition cannot be modified",
                why="which original would have to change is known only when the graph runs",
                remedy=f"modify a copy if the original need not change: {kind}(x); "
                "or use a two-dimensional array: a[i, j] = v",
            )
        return self.find_object()

    def lose(self) -> None:
        """Refuse later reads: a staged container has taken the place of the one that contains the sources."""
        self.sources = ()
        self.choice = self.select_again = self.find_object = self._snapshots = None
        self.is_lost = True

    def snapshot_sources(self) -> None:
        if self._snapshots is None:
            self._snapshots = [raw_items(source) for source in self.sources]

    def refresh(self) -> None:
        """Take the current items of the candidates."""
        if self.select_again is None:
            raise self.stale_error()
        other = self.select_again()
        if isinstance(self, dict):
            dict.update(self, dict.items(other))
        else:
            list.__setitem__(self, slice(None), raw_items(other))  # type: ignore[call-overload]
        self._snapshots = None
        self.snapshot_sources()

    def is_stale(self) -> bool:
        """Return whether a source has changed since its snapshot."""
        if self.is_lost:
            return True
        for source, snapshot in zip(self.sources, self._snapshots or (), strict=False):
            items = raw_items(source)
            if len(items) != len(snapshot) or any(map(operator.is_not, items, snapshot)):
                return True
        return False

    def stale_error(self) -> AliasError:
        kind = self.base.__name__
        return AliasError(
            f"a {kind} selected by a staged condition is read after one of the candidates has changed",
            why="whether the changed candidate was selected is known only when the graph runs",
            remedy=f"select it after the change, or select a copy: {kind}(x)",
        )


class SelectedList(SelectedContainer, list):
    """A list that a staged condition selects."""


class SelectedDict(SelectedContainer, dict):
    """A dict that a staged condition selects."""

    base = dict


KINDS = (SelectedList, SelectedDict)


def make_selected(value: list[Any] | dict[Any, Any], sources: Sequence[Any]) -> SelectedContainer:
    selected: Any = SelectedDict(value) if isinstance(value, dict) else SelectedList(value)
    selected.sources = tuple(sources)
    return selected


def snapshot_sources(value: Any) -> None:
    if type(value) in KINDS:
        value.snapshot_sources()
    if isinstance(value, (list, tuple, dict)):
        for part in raw_items(value):
            snapshot_sources(part)


def set_choice(
    selected: Any,
    index: Any,
    candidates: list[Any] | tuple[Any, ...],
    select: Callable[[list[Any], Any], Any],
) -> None:
    """Record that an index has selected a container, and the containers in it. `select` does it again."""
    if type(selected) in KINDS:
        selected.choice = index, candidates
        selected.select_again = lambda: select([*candidates], index)
    if isinstance(selected, dict):
        for key, part in dict.items(selected):
            set_choice(part, index, type(candidates)([dict.__getitem__(c, key) for c in candidates]), select)
    elif isinstance(selected, (list, tuple)):
        for i, part in enumerate(raw_items(selected)):
            set_choice(part, index, type(candidates)([raw_items(c)[i] for c in candidates]), select)


def raw_items(value: Any) -> list[Any]:
    """Return the items of a list or tuple, or the keys and values of a dict, without staleness checks."""
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value)]
    return list.__getitem__(value, slice(None)) if isinstance(value, list) else [*value]


def tree_flatten(value: Any) -> tuple[list[Any], tuple[Any, ...] | None]:
    """Flatten a selected container for a framework's pytrees: its items, and the keys of a dict."""
    return (list(value.values()), tuple(value)) if isinstance(value, dict) else (list(value), None)


def tree_unflatten(keys: tuple[Any, ...] | None, items: Iterable[Any]) -> Any:
    return list(items) if keys is None else dict(zip(keys, items, strict=True))


def _reader(base: type, name: str) -> Callable[..., Any]:
    read = getattr(base, name)

    def read_selected(self: SelectedContainer, *args: Any, **kwargs: Any) -> Any:
        if self.is_stale():
            self.refresh()
        return read(self, *args, **kwargs)

    return read_selected


def _writer(name: str) -> Callable[..., Any]:
    def method(self: SelectedContainer, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.as_object(), name)(*args, **kwargs)

    return method


_READERS = (
    "__contains__ __eq__ __ge__ __getitem__ __gt__ __iter__ __le__ __len__ __lt__ __ne__ __reversed__ copy"
)
_WRITERS = "__delitem__ __setitem__ clear pop"
for _kind, _readers, _writers in (
    (
        SelectedList,
        "__add__ __mul__ __rmul__ count index",
        "__iadd__ __imul__ append extend insert remove reverse sort",
    ),
    (SelectedDict, "__or__ __ror__ get items keys values", "__ior__ popitem setdefault update"),
):
    for _name in f"{_READERS} {_readers}".split():
        setattr(_kind, _name, _reader(_kind.base, _name))
    for _name in f"{_WRITERS} {_writers}".split():
        setattr(_kind, _name, _writer(_name))
