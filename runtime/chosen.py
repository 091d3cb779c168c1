"""A list or dict that is one of several, by a staged value: it can be read, and not be written."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from .errors import AliasError

TIED: list[Any] = []
"""The source of a list or dict that a branch or round has made, and given two names."""


class Chosen:
    """What one of several lists or dicts holds, whichever the program takes."""

    base: Any = list
    sources: tuple[Any, ...] = ()
    _seen: Sequence[list[Any]] | None = None

    def settle(self) -> None:
        """What the sources hold now is what the items were made of."""
        if self._seen is None:
            self._seen = [items_of(source) for source in self.sources]

    def is_stale(self) -> bool:
        """Whether one of the sources was written since."""
        for source, seen in zip(self.sources, self._seen or (), strict=False):
            now = items_of(source)
            if len(now) != len(seen) or any(map(operator.is_not, now, seen)):
                return True
        return False

    def stale_error(self) -> AliasError:
        kind = self.base.__name__
        return AliasError(
            f"a {kind} is read that is one of several by a staged value, and one of these was written since",
            why="whether the change is to be seen is known only when the program runs",
            remedy=f"take it again after the change, or make it a copy where you take it: {kind}(x)",
        )


class ChosenList(Chosen, list):
    """A list that is one of several."""


class ChosenDict(Chosen, dict):
    """A dict that is one of several."""

    base = dict


KINDS = (ChosenList, ChosenDict)


def chosen(value: list[Any] | dict[Any, Any], sources: Sequence[Any]) -> Chosen:
    """A list or dict with the items that one of the sources has."""
    made: Any = ChosenDict(value) if isinstance(value, dict) else ChosenList(value)
    made.sources = tuple(sources)
    return made


def settle(value: Any) -> None:
    """Let what is chosen in a value know what its sources hold now."""
    if type(value) in KINDS:
        value.settle()
    if isinstance(value, (list, tuple, dict)):
        for part in items_of(value):
            settle(part)


def items_of(value: Any) -> list[Any]:
    """The items of a list or tuple, or the keys and values of a dict, as they lie there."""
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value)]
    return list.__getitem__(value, slice(None)) if isinstance(value, list) else [*value]


def taken_apart(value: Any) -> tuple[list[Any], tuple[Any, ...] | None]:
    """What a framework's tree has for it: its items, and the keys of a dict."""
    return (list(value.values()), tuple(value)) if isinstance(value, dict) else (list(value), None)


def made_whole(keys: tuple[Any, ...] | None, items: Iterable[Any]) -> Any:
    """The plain list or dict that comes out of the framework's program."""
    return list(items) if keys is None else dict(zip(keys, items, strict=True))


def _reading(base: type, name: str) -> Callable[..., Any]:
    read = getattr(base, name)

    def method(self: Chosen, *args: Any, **kwargs: Any) -> Any:
        if self.is_stale():
            raise self.stale_error()
        return read(self, *args, **kwargs)

    return method


def _writing(kind: str) -> Callable[..., NoReturn]:
    def method(self: Chosen, *args: Any, **kwargs: Any) -> NoReturn:
        raise AliasError(
            f"a {kind} is written that is one of several by a staged value",
            why="the program would have to change that one, and which it is is known only when it runs",
            remedy=f"make it a copy, if the others need not change: {kind}(x); "
            "or use an array of two dimensions: a[i, j] = v",
        )

    return method


_READING = (
    "__contains__ __eq__ __ge__ __getitem__ __gt__ __iter__ __le__ __len__ __lt__ __ne__ __reversed__ copy"
)
_WRITING = "__delitem__ __setitem__ clear pop"
for _kind, _reads, _writes in (
    (
        ChosenList,
        "__add__ __mul__ __rmul__ count index",
        "__iadd__ __imul__ append extend insert remove reverse sort",
    ),
    (ChosenDict, "__or__ __ror__ get items keys values", "__ior__ popitem setdefault update"),
):
    for _name in f"{_READING} {_reads}".split():
        setattr(_kind, _name, _reading(_kind.base, _name))
    for _name in f"{_WRITING} {_writes}".split():
        setattr(_kind, _name, _writing(_kind.base.__name__))
