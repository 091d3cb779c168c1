"""Operators of another framework in the place of ours.

Those that were written for TensorFlow's AutoGraph or for malt have the signatures of ours but for one:
their `get_item` takes options too.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph_rs.runtime.calls import Replacements


def plugged(own: Any) -> Iterator[tuple[str, Any]]:
    """The operators that a module or object has, by name, as converted code calls them."""
    for name in dir(own) if own is not None else ():
        if name.startswith("__"):
            continue
        operator = getattr(own, name)
        if name == "get_item" and _takes_options(operator):
            options = getattr(own, "GetItemOpts", types.SimpleNamespace)(element_dtype=None)
            yield name, functools.partial(_with_options, operator, options)
        else:
            yield name, operator


def _takes_options(get_item: Callable[..., Any]) -> bool:
    try:
        return list(inspect.signature(get_item).parameters)[2:3] == ["opts"]
    except (TypeError, ValueError):  # it does not tell
        return False


def _with_options(get_item: Callable[..., Any], options: Any, target: Any, key: Any) -> Any:
    return get_item(target, key, options)


def by_call(
    converted_call: Callable[..., Any], replacements: Replacements
) -> Callable[[Any], Callable[..., Any]]:
    """The operator `callee` for operators that have `converted_call(f, args, kwargs)` instead."""

    def callee(function: Any) -> Callable[..., Any]:
        found = replacements(function)
        return lambda *args, **kwargs: converted_call(found or function, args, kwargs)

    return callee
