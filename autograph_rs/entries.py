"""What becomes of one code object."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.runtime.calls import Entries

from . import loader, source

MAX_SHARED = 512


@dataclass
class Converted:
    """The converted code of one code object, and how a function is made of it."""

    code: types.CodeType
    operators: types.CellType
    shared: Callable[..., Any] | None = None
    globals: dict[str, Any] | None = None
    text: str | None = field(default=None, repr=False)
    """The text that was given for it, if one was."""
    read: str = field(default="", repr=False)
    """The text that it was found in."""

    def share(self, function: types.FunctionType, others: deque[Converted]) -> None:
        """Make one function for all that have this code, if they differ in nothing, for a bounded number."""
        own = function.__closure__, function.__defaults__, function.__kwdefaults__
        if own != (None, None, None):
            return
        self.shared, self.globals = self.bind(function), function.__globals__
        others.append(self)
        if len(others) > MAX_SHARED:
            oldest = others.popleft()  # what is shared keeps its module alive
            oldest.shared = oldest.globals = None

    def bind(self, function: types.FunctionType) -> types.FunctionType:
        return loader.bind(self.code, function, self.operators)


class Texts:
    """What was made of functions: of a code's own source, and of each text that was given for it.

    A text is for the conversion that it is given to. Where there is no other, calls take the latest.
    """

    def __init__(self, entries: Entries):
        self._entries = entries  # what calls look up
        self._given: Any = Entries()

    def known(self, code: types.CodeType, text: str | None) -> Converted | None:
        found = self._entries.get(id(code)) if text is None else self._given.get(id(code), {}).get(text)
        return found if isinstance(found, Converted) and found.text == text else None

    def keep(self, code: types.CodeType, entry: Converted) -> Converted:
        if entry.text is None:
            self._entries.keep(code, entry)
        else:
            given = self._given.get(id(code)) or self._given.keep(code, {})
            given[entry.text] = entry
            if getattr(self._entries.get(id(code)), "text", "") is not None:
                self._entries.drop(code)  # calls had no source, or an earlier text
        return entry

    def latest(self, code: types.CodeType) -> Converted | None:
        return next(reversed([*self._given.get(id(code), {}).values()]), None)

    def has(self, code: types.CodeType) -> bool:
        return isinstance(self._entries.get(id(code)), Converted) or id(code) in self._given


class Made(list[Callable[..., Any]]):
    """What a callable of `convert` runs while a backend is staging, once it is made.

    Libraries that pickle functions by value pickle this too; the text of the function goes with it.
    """

    def __init__(self, transpiler: Any, function: types.FunctionType, text: str | None):
        super().__init__()
        self.transpiler, self.function, self.text = transpiler, function, text

    def __reduce__(self) -> Any:
        return Made, (self.transpiler, self.function, self.text or source.text_of(self.function))


class Thin:
    """The entry of the callables that `convert` makes: a call of one is a call of what it wraps."""

    shared = None
    globals = None

    def bind(self, function: Any) -> Any:
        made = made_of(function)
        transpiler, inner = made.transpiler, made.function
        if made.text is None or transpiler.policy.reason_to_leave(inner) is not None:
            return transpiler.callee(inner)
        return transpiler.entry(inner, made.text).bind(inner)


def made_of(function: types.FunctionType) -> Made:
    """What a callable of `convert` has made."""
    assert function.__closure__ is not None
    made: Made = function.__closure__[function.__code__.co_freevars.index("made")].cell_contents
    return made
