"""How values are called in messages."""

from __future__ import annotations

import types
from typing import Any

_LONGEST = 80


def told(value: Any) -> str:
    """What a value is, in a few words and without its address in memory."""
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = getattr(value, "__qualname__", None)
    if callable(value) and isinstance(name, str):
        builtin = isinstance(value, types.BuiltinFunctionType)
        return f"the {'builtin' if builtin else 'function'} {name}"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a message must not fail
        text = ""
    if text and len(text) <= _LONGEST and " at 0x" not in text and "\n" not in text:
        return text
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"
