"""Cache the converted code of each code object."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograph_rs.runtime.core.closures import cells_of
from autograph_rs.runtime.errors import ConversionError
from autograph_rs.runtime.operators.calls import ConversionCache

from ..source.code_objects import walk_code
from ..source.recursion_limit import deep_recursion
from . import loader
from .registry import resolve_original

MAX_SHARED = 512


class Result(NamedTuple):
    """How a transpiler created a callable."""

    is_converted: bool
    """True for results of `to_graph`, and False for wrappers that `convert` created."""
    source: str | None
    """The text that the user passed as `source`."""


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


class NotTailRecursive(Exception):  # noqa: N818 - it only ends a conversion
    """The function calls itself elsewhere than in `return f(...)`, so that it cannot become a loop."""


class LoopForms:
    """Tail-recursive functions as loops, for systems that cannot call a function from itself."""

    def __init__(self, transpiler: Any):
        self._transpiler = weakref.proxy(transpiler)
        self._codes: Any = ConversionCache()

    def of(self, f: types.FunctionType) -> Callable[..., Any] | None:
        """Return a function that does what `f` does, or None if `f` calls itself other than by tail calls."""
        if is_method(f):
            loop = self._bind(f)
            return loop and functools.partial(self._call_method, f, loop)
        cells, name = cells_of(f), f.__code__.co_name
        named = cells[name].cell_contents if name in cells else f.__globals__.get(name)
        is_own = isinstance(named, types.FunctionType) and resolve_original(named)[0] is f
        return self._bind(f) if is_own else None

    def _bind(self, f: types.FunctionType) -> types.FunctionType | None:
        key, transpiler = id(f.__code__), self._transpiler
        if key not in self._codes:
            try:
                with deep_recursion():
                    code, _ = transpiler.compile(f, None, as_loop=True)
            except (NotTailRecursive, ConversionError):
                code = None
            self._codes.add(f.__code__, code)
        code = self._codes[key]
        return None if code is None else loader.bind(code, f, transpiler.cell)

    def _call_method(
        self, f: types.FunctionType, loop: types.FunctionType, receiver: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Call a method as a loop, unless the receiver has another method of its name."""
        own = inspect.getattr_static(receiver, f.__code__.co_name, None)
        called = loop if own is f else self._transpiler.converted_code(f).bind(f)
        return called(receiver, *args, **kwargs)


def is_method(f: types.FunctionType) -> bool:
    """Return whether a function is defined in the body of a class."""
    outer = f.__code__.co_qualname.rpartition(".")[0]
    return bool(outer) and not outer.endswith("<locals>")
