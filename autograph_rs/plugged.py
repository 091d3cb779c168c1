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


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _takes_options(get_item: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(get_item).parameters.values()
    except (TypeError, ValueError):  # it does not tell
        return False
    return len([p for p in parameters if p.default is p.empty and p.kind in _POSITIONAL]) == 3


def _with_options(get_item: Callable[..., Any], options: Any, target: Any, key: Any) -> Any:
    return get_item(target, key, options)
