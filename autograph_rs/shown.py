"""How a `Function` shows itself: what it takes, and its traces."""

from __future__ import annotations

import html
import inspect
from typing import Any, Protocol


class Traced(Protocol):
    __name__: str

    def traces(self) -> list[Any]: ...
    def signature_of(self, bound: tuple[Any, ...]) -> inspect.Signature | None: ...


class Shown:
    """A callable that has traces; in a notebook it displays them.

    >>> import autograph_rs as ag
    >>> ag.function(lambda x: x * 2)
    <Function <lambda>(x): not traced yet>
    """

    def __repr__(self: Traced) -> str:
        count = len(self.traces())
        traced = "not traced yet" if not count else "1 trace" if count == 1 else f"{count} traces"
        return f"<Function {self.__name__}{self.signature_of(()) or '(...)'}: {traced}>"

    def _repr_html_(self: Traced) -> str:
        traces = "".join(f"<li><code>{html.escape(repr(trace))}</code></li>" for trace in self.traces())
        return f"<div><code>{html.escape(repr(self))}</code><ul>{traces}</ul></div>"
