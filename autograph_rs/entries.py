"""What becomes of one code object."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import loader


@dataclass
class Converted:
    """The converted code of one code object, and how a function is made of it."""

    code: types.CodeType
    operators: types.CellType
    shared: Callable[..., Any] | None = None
    globals: dict[str, Any] | None = None
    tree: Any = field(default=None, repr=False)

    def bind(self, function: types.FunctionType) -> types.FunctionType:
        return loader.bind(self.code, function, self.operators)


class Thin:
    """The entry of the callables that `convert` makes: a call of one is a call of what it wraps."""

    shared = None
    globals = None

    def bind(self, function: Any) -> Any:
        owner = function.__closure__[function.__code__.co_freevars.index("self")].cell_contents
        return owner.callee(function.__wrapped__)
