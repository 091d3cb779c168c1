"""Cache the converted code of each code object."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograph_rs.runtime.operators.calls import ConversionCache

from ..source.code_objects import walk_code
from . import loader

MAX_SHARED = 512


@dataclass
class ConvertedCode:
    """The converted form of one code object; `bind` creates functions from it."""

    code: types.CodeType
    operators: types.CellType
    shared: Callable[..., Any] | None = None
    globals: dict[str, Any] | None = None
    source: str | None = field(default=None, repr=False)
    """The text that the user passed as `source`."""
    file_text: str = field(default="", repr=False)
    """The text that contains the definition."""

    def share(self, function: types.FunctionType, sharing: deque[ConvertedCode]) -> None:
        """Share one converted function among all functions with this code, if they cannot differ.

        Only the latest `MAX_SHARED` conversions are shared, because a shared function keeps its module alive.
        """
        if (function.__closure__, function.__defaults__, function.__kwdefaults__) != (None, None, None):
            return
        self.shared, self.globals = self.bind(function), function.__globals__
        sharing.append(self)
        if len(sharing) > MAX_SHARED:
            oldest = sharing.popleft()
            oldest.shared = oldest.globals = None

    def bind(self, function: types.FunctionType) -> types.FunctionType:
        """Return the converted form of a function that has the original code."""
        return loader.bind(self.code, function, self.operators)


class ConversionTable:
    """The conversions of each code object, from its own source and from texts passed as `source=`.

    Each text has its own conversion. Calls in converted code use the conversion of the latest text, but only
    if the code has no source of its own.
    """

    def __init__(self, entries: ConversionCache):
        self._entries = entries  # looked up by calls
        self._from_source: Any = ConversionCache()
        self._texts: Any = ConversionCache()

    def get(self, code: types.CodeType, source: str | None) -> ConvertedCode | None:
        conversions = self._from_source.get(id(code), {})
        entry = self._entries.get(id(code)) if source is None else conversions.get(source)
        return entry if isinstance(entry, ConvertedCode) and entry.source == source else None

    def add(self, code: types.CodeType, entry: ConvertedCode) -> ConvertedCode:
        if entry.source is None:
            self._entries.add(code, entry)
        else:
            conversions = self._from_source.get(id(code)) or self._from_source.add(code, {})
            conversions[entry.source] = entry
            if getattr(self._entries.get(id(code)), "source", "") is not None:
                self._entries.discard(code)  # calls found no source, or use an earlier text
        return entry

    def add_generated(self, code: types.CodeType, source: str | None, file_text: str) -> None:
        """Leave generated code unconverted, and note the text that it comes from."""
        for inner in walk_code(code):
            self._entries.add(inner, None)
            self._texts.add(inner, (source, file_text))

    def text_of_generated(self, code: types.CodeType) -> tuple[str | None, str] | None:
        """Return what the user passed as `source`, and the text that contains it, or None for other code."""
        return self._texts.get(id(code))  # type: ignore[no-any-return]

    def latest_from_source(self, code: types.CodeType) -> ConvertedCode | None:
        return next(reversed([*self._from_source.get(id(code), {}).values()]), None)

    def __contains__(self, code: types.CodeType) -> bool:
        return isinstance(self._entries.get(id(code)), ConvertedCode) or id(code) in self._from_source
