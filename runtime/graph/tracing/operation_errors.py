"""Which exceptions an operation may raise when the graph runs, and the function that raises them."""

from __future__ import annotations

import itertools
import operator
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.in_flight import running
from ...core.undefined import unbound_error, use_none
from ..ir.graph import Graph, Missing, Node, Slot
from ..ir.subgraphs import has_effect
from ..ir.types import ArrayType, DictType, OptionalType, ReferenceType, ScalarType, SetType

Kinds = tuple[type[Exception], ...]
Found = tuple[Callable[..., Any], Any, Kinds]


def _pop(items: list[Any], index: Any = -1) -> None:
    """Raise what `items.pop(index)` would raise."""
    if not items:
        raise IndexError("pop from empty list")
    if not -len(items) <= index < len(items):
        raise IndexError("pop index out of range")


def _write(items: list[Any], index: Any) -> None:
    """Raise what `items[index] = value` would raise."""
    if not -len(items) <= index < len(items):
        raise IndexError("list assignment index out of range")


def _pop_end(items: deque[Any]) -> None:
    if not items:
        raise IndexError("pop from an empty deque")


def _pop_heap(items: list[Any], *_: Any) -> None:
    if not items:
        raise IndexError("index out of range")


def _pop_member(members: set[Any]) -> None:
    if not members:
        raise KeyError("pop from an empty set")


def _pop_pair(values: dict[Any, Any]) -> None:
    if not values:
        raise KeyError("popitem(): dictionary is empty")


def _remove(items: Any, value: Any) -> None:
    if value not in items:
        items.copy().remove(value)


def _index(items: Any, value: Any) -> None:
    items.index(value)


def _use_of_none(value: Any, use: str, *args: Any) -> None:
    """Raise what the use of a value that is None raises."""
    if value is None:
        use_none(use, *args)


def _use_of_unbound(value: Any, symbol: str) -> None:
    """Raise the error of reading a variable that is not bound."""
    if value is Missing.VALUE:
        raise unbound_error(symbol)


_LISTS: dict[str, Callable[..., Any]] = {
    "list_get": operator.getitem, "list_pop": _pop, "list_set": _write
}  # fmt: skip
_METHODS: dict[str, tuple[Callable[..., Any], Kinds]] = {
    "take": (_pop, (IndexError,)),
    "put": (_write, (IndexError,)),
    "popleft": (_pop_end, (IndexError,)),
    "heappop": (_pop_heap, (IndexError,)),
    "heapreplace": (_pop_heap, (IndexError,)),
    "remove": (_remove, (ValueError,)),
}
_CONVERSIONS = (float, int, round)
DIVISIONS = ("truediv", "floordiv", "mod")
_FUNCTIONS: dict[str, Callable[..., Any]] = {"range": range, "list_index": _index}


def errors_of(op: str, inputs: Sequence[Node], attrs: dict[str, Any]) -> Found | None:
    """Return the function of an operation, its arguments, and the errors that it may raise; None for none."""
    slots = tuple(map(Slot, range(len(inputs))))
    if op == "some" and attrs.get("use"):
        return _use_of_none, (Slot(0), attrs["use"], *attrs["args"]), (TypeError, AttributeError)
    if op == "check_bound":
        symbol = attrs.get("symbol", "")
        return _use_of_unbound, (Slot(0), symbol), (type(unbound_error(symbol)),)
    if op in ("getitem", "setitem"):
        key = attrs["key"] if op == "setitem" else attrs["args"][1]
        if _is_within(inputs[0].type, key):
            return None
        if op == "setitem":
            return operator.getitem, (Slot(0), key), _kinds(inputs[:2], IndexError)
    if op in _LISTS:
        return _LISTS[op], slots[:2], _kinds(inputs, IndexError)
    if op in ("list_update", "reference_update"):
        function, kinds = _of_method(inputs[0].type, attrs["method"])
        return None if function is None else (function, slots, kinds)
    function = attrs.get("function") or _FUNCTIONS.get(op) or getattr(operator, op, None)
    kinds = _kinds(inputs, *_of_function(op, function, inputs, attrs))
    return (function, attrs.get("args", slots), kinds) if kinds and callable(function) else None


def keep_errors(graph: Graph) -> None:
    """Keep operations that may raise, even if unused: the error that ends the graph comes after theirs."""
    if running.has_tried:
        return  # a `finally` that raises replaces theirs
    for node in graph.nodes:
        for inner in node.graphs():
            keep_errors(inner)
        may_raise = errors_of(node.op, node.inputs, node.attrs) is not None
        node.effect = node.effect or may_raise or any(map(has_effect, node.graphs()))


def is_unchecked(node: Node) -> bool:
    """Return whether a node stands for a value that may be None, whose use raises the error."""
    return node.op == "some" and not node.attrs.get("use")


def _is_within(kind: Any, key: Any) -> bool:
    """Return whether a key of plain integers and slices is within the bounds of an array of static shape."""
    parts = key if isinstance(key, tuple) else (key,)
    return isinstance(kind, ArrayType) and all(
        isinstance(part, slice) or (type(part) is int and size is not None and -size <= part < size)
        for part, size in itertools.zip_longest(parts, kind.shape[: len(parts)])
    )


def _kinds(inputs: Sequence[Node], *kinds: type[Exception]) -> Kinds:
    may_be_none = any(is_unchecked(node) or isinstance(node.type, OptionalType) for node in inputs)
    return (*kinds, TypeError) if may_be_none else kinds


def _of_method(kind: Any, method: str) -> tuple[Any, Kinds]:
    """Return the function and the errors of a method that changes a list, deque, set or dict."""
    held = kind.held if isinstance(kind, ReferenceType) else kind
    if method == "pop":
        return (_pop_member, (KeyError,)) if isinstance(held, SetType) else (_pop_end, (IndexError,))
    is_list = not isinstance(held, (SetType, DictType))
    found = _METHODS if is_list else {"popitem": (_pop_pair, (KeyError,))}
    return found.get(method, (None, ()))


def _of_function(op: str, function: Any, inputs: Sequence[Node], attrs: dict[str, Any]) -> Kinds:
    kinds = [node.type for node in inputs]
    if op == "getitem":
        key = attrs["args"][1]
        has_number = any(isinstance(part, int) for part in (key if isinstance(key, tuple) else (key,)))
        return (IndexError,) if len(inputs) > 1 or has_number else ()
    is_number = all(isinstance(kind, ScalarType) for kind in kinds)
    if (op in DIVISIONS or op == "pow") and (is_number or inputs[0].op == "sum"):
        return ZeroDivisionError, OverflowError
    if op in ("lshift", "rshift") and is_number:
        return (ValueError,)
    if op.startswith("math.") or (function in _CONVERSIONS and not _is_integer(kinds[0])):
        return ValueError, OverflowError
    if function in (max, min) and len(inputs) == 1:
        return (ValueError,)
    if op == "list_index" or (op == "range" and not _is_constant(inputs[2])):
        return (ValueError,)
    linalg = (np.linalg.LinAlgError,) if op.startswith("numpy.linalg.") else ()
    is_open = any(isinstance(kind, ArrayType) and None in kind.shape for kind in kinds)
    is_array_operation = op.startswith("numpy.") or (len(inputs) == 2 and hasattr(operator, op))
    return (*linalg, ValueError) if is_open and is_array_operation else linalg


def _is_integer(kind: Any) -> bool:
    dtype = kind.dtype if isinstance(kind, ArrayType) else getattr(kind, "python", str)
    return np.dtype(dtype).kind in "biu"


def _is_constant(node: Node) -> bool:
    return node.op == "constant" and node.attrs["value"] != 0
