"""Errors of operations, such as that of an index out of bounds, in a `try` whose handlers name their class.

The graph then performs the operation once to see whether it fails, and raises the error as a `raise` of the
traced code does.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import staging
from ...backends.functional.staged_text import StagedField
from ...core.active_backends import active_backend
from ...core.closures import nothing, set_nothing
from ...core.in_flight import running
from ...core.undefined import use_none
from ...staging.exceptions import raise_in_program
from ..ir.graph import Node, Slot
from ..ir.types import ArrayType, ScalarType
from .effects import staged_string
from .recording import add, is_staged, outputs, record, wrap
from .trace import Builder, check_failing, current_builder

Kinds = tuple[type[Exception], ...]
_DIVISIONS = ("truediv", "floordiv", "mod")


def _check_pop(items: list[Any], index: Any = -1) -> None:
    """Raise what `items.pop(index)` would raise."""
    if not items:
        raise IndexError("pop from empty list")
    if not -len(items) <= index < len(items):
        raise IndexError("pop index out of range")


def _check_write(items: list[Any], index: Any) -> None:
    """Raise what `items[index] = value` would raise."""
    if not -len(items) <= index < len(items):
        raise IndexError("list assignment index out of range")


def _use_of_none(value: Any, use: str, *args: Any) -> None:
    """Raise what the use of a value that is None raises."""
    if value is None:
        use_none(use, *args)


_ITEMS: dict[str, Callable[..., Any]] = {
    "list_get": operator.getitem, "list_pop": _check_pop, "list_set": _check_write,
}  # fmt: skip
_UPDATES = {"take": _check_pop, "put": _check_write}
_CONVERSIONS = ("int", "float", "round")


def _errors_of(op: str, inputs: Sequence[Node], attrs: dict[str, Any]) -> tuple[Any, Any, Kinds] | None:
    """Return the function of an operation, its arguments, and the errors that it may raise; None for none."""
    slots = tuple(map(Slot, range(len(inputs))))
    if op == "getitem" and len(inputs) > 1:
        return operator.getitem, attrs["args"], (IndexError,)
    if op == "getitem" and _has_number(attrs["args"][1]):
        return operator.getitem, attrs["args"], (IndexError,)
    if op == "setitem":
        return operator.getitem, (Slot(0), attrs["key"]), (IndexError,)
    if op == "some" and attrs.get("use"):
        return _use_of_none, (Slot(0), attrs["use"], *attrs["args"]), (TypeError, AttributeError)
    if op in _ITEMS:
        return _ITEMS[op], slots[:2], (IndexError,)
    if op == "reference_update" and attrs["method"] in _UPDATES:
        return _UPDATES[attrs["method"]], slots[:2], (IndexError,)
    is_number = all(isinstance(node.type, ScalarType) for node in inputs)
    if op in _DIVISIONS and is_number:
        return getattr(operator, op), slots, (ZeroDivisionError, OverflowError)
    if op == "pow" and is_number:
        return operator.pow, slots, (ZeroDivisionError, OverflowError)
    if op in _CONVERSIONS:
        return getattr(builtins, op), slots, (ValueError, OverflowError)
    if op.startswith("math."):
        return attrs["function"], attrs["args"], (ValueError, OverflowError)
    if op.startswith("numpy.linalg."):
        return attrs["function"], attrs["args"], (np.linalg.LinAlgError,)
    return None


def _has_number(key: Any) -> bool:
    return any(isinstance(part, int) for part in (key if isinstance(key, tuple) else (key,)))


def _check(builder: Builder, op: str, inputs: Sequence[Node], attrs: dict[str, Any]) -> Sequence[Node]:
    """Raise what an operation would raise, and return its inputs as nodes of the current graph."""
    found = _errors_of(op, inputs, attrs)
    tested = [node.inputs[0] if _is_unchecked(node) else node for node in inputs]
    if tested != [*inputs] and hasattr(operator, op):
        function, args, kinds = found or (getattr(operator, op), tuple(map(Slot, range(len(inputs)))), ())
        found = function, args, (*kinds, TypeError)
    for kind in running.flight.expected(found[2]) if found is not None else ():
        function, args, _ = found  # type: ignore[misc]
        own = [current_builder().capture(node, builder) for node in tested]
        if tested == [*inputs] and _is_item(op, inputs, args):
            is_failed, text = _index_failure(wrap(own[0]), wrap(own[1]))
        else:
            template = (kind, function, args, attrs.get("kwargs", {}))
            node = add("attempt", own, None, function=failure, args=template, kwargs={})
            is_failed, text = outputs(node, (ScalarType(bool), ScalarType(str)))

        def fail(kind: type[Exception] = kind, text: Any = text) -> None:
            raise_in_program(kind(text))

        staging.if_stmt(active_backend(), is_failed, fail, nothing, tuple, set_nothing, (), 0)
    return [current_builder().capture(node, builder) for node in inputs]


def _is_unchecked(node: Node) -> bool:
    """Return whether a node stands for a value that may be None, whose use raises the error."""
    return node.op == "some" and not node.attrs.get("use")


def _is_item(op: str, inputs: Sequence[Node], args: Any) -> bool:
    """Return whether an operation reads or writes the item of an array at one staged integer."""
    if op not in ("getitem", "setitem") or args[1] != Slot(1) or not isinstance(inputs[0].type, ArrayType):
        return False
    kind = inputs[1].type
    is_integer = isinstance(kind, ArrayType) and not kind.shape and kind.dtype.kind in "iu"
    return bool(inputs[0].type.shape) and (is_integer or kind == ScalarType(int))


def _index_failure(array: Any, index: Any) -> tuple[Any, Any]:
    """Return whether an index is out of bounds, and the text of NumPy's error."""
    size = array.dimension(0)
    is_failed = record("either", (index >= size, index < -size), ScalarType(bool))
    fields = [StagedField(value, "") if is_staged(value) else value for value in (index, size)]
    return is_failed, staged_string("index {} is out of bounds for axis 0 with size {}".format(*fields))


check_failing.append(_check)


def failure(kind: type[Exception], function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[bool, str]:
    """Return whether a call raises an exception of a class, and its text.

    >>> failure(ZeroDivisionError, lambda x: 1 / x, (0,), {})
    (True, 'division by zero')
    """
    try:
        with np.errstate(all="ignore"):
            function(*args, **kwargs)
    except kind as error:
        return True, str(error)
    except Exception:  # noqa: BLE001 - the operation itself raises it
        return False, ""
    return False, ""
