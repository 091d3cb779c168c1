"""Registry of live transpilers, and lookup of the functions that they converted."""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_rs import converters
from autograph_rs.converters.passes.generators import to_push_form
from autograph_rs.converters.trees.python_trees import gast_tree
from autograph_rs.runtime.core.closures import PUSH_FORMS
from autograph_rs.runtime.errors import ConversionError
from autograph_rs.runtime.operators.calls import ConversionCache

from ..source import definitions
from ..source.code_objects import unwrap_callable
from ..source.recursion_limit import deep_recursion, guarded_conversion
from . import loader
from .forwarding import WRAPPER_CODE, conversion_of

_transpilers: weakref.WeakSet[Any] = weakref.WeakSet()
_lock = threading.RLock()  # a set cannot be iterated while it grows


def register(transpiler: Any) -> None:
    """Add a transpiler to the registry, which does not keep it alive."""
    with _lock:
        _transpilers.add(transpiler)


def live_transpilers() -> list[Any]:
    with _lock:
        return list(_transpilers)


def is_generated(f: types.FunctionType) -> bool:
    """Return whether converted code created `f`. If so, its source does not compile to its code."""
    return any(transpiler.has_generated(f.__code__) for transpiler in live_transpilers())


def resolve_original(f: Any, source: str | None = None) -> tuple[types.FunctionType, str | None]:
    """Return the function that the user wrote, and its text if the user passed one.

    `source` overrides a text that was passed earlier.
    """
    while not isinstance(f, types.FunctionType):
        staged = getattr(getattr(f, "__func__", f), "python_function", None)  # of `ag.function`
        f = staged if callable(staged) and not isinstance(f, type) else unwrap_callable(f)
    while True:
        if f.__code__ == WRAPPER_CODE:
            earlier = conversion_of(f).source
        else:
            results = [t.results[f] for t in live_transpilers() if f in t.results]
            if not results:
                return f, source
            earlier = results[0].source
        source, f = earlier if source is None else source, f.__wrapped__  # type: ignore[attr-defined]


_push_codes = {ends: ConversionCache() for ends in (False, True)}


def push_form(function: types.FunctionType, ends: bool) -> Callable[..., None] | None:
    """Return the push form of a generator function that a transpiler converted, or None if it has none."""
    code = function.__code__
    owner = next((t for t in live_transpilers() if t.has_generated(code)), None)
    if owner is None:
        return None
    codes: Any = _push_codes[ends]
    if id(code) not in codes:
        codes.add(code, _compile_push_form(function, owner, ends))
    push = codes[id(code)]
    return None if push is None else loader.bind(push, function, types.CellType(owner.namespace))


def _compile_push_form(function: types.FunctionType, owner: Any, ends: bool) -> types.CodeType | None:
    code = function.__code__
    source, file_text = owner.conversions.text_of_generated(code)
    try:
        definition, _ = definitions.find(function, source, verify=False, known_text=file_text)
        place = definition.node, code.co_filename, function.__name__
        with deep_recursion(), guarded_conversion(repr(function.__qualname__), *place):
            tree = gast_tree(definition.node)
            if definition.class_name is not None:
                converters.mangle(tree, definition.class_name)
            if not to_push_form(tree, ends=ends):
                return None
            generated = converters.convert_tree(tree, passes=owner.pipeline.passes)
            push = loader.compile_function(tree, code, generated)
    except ConversionError:
        return None  # Python pulls the items
    owner.conversions.add_generated(push, source, file_text)
    return push


PUSH_FORMS.append(push_form)
