"""Errors of operations, such as that of an index out of bounds, in a `try` or `with` that catches them.

The graph tests the operands, or performs the operation once, to see whether it fails, and raises the error as
a `raise` of the traced code does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import staging
from ...backends.functional.staged_text import StagedField
from ...core.active_backends import active_backend
from ...core.closures import nothing, set_nothing
from ...core.in_flight import running
from ...staging.attempts.flight import ErrorText
from ...staging.branches.exceptions import raise_in_program
from ..ir.graph import Node, Slot
from ..ir.types import ArrayType, ListType, ScalarType
from .effects import staged_string
from .operation_errors import DIVISIONS, errors_of, is_unchecked
from .recording import add, is_staged, outputs, record, wrap
from .trace import Builder, check_failing, current_builder


def _check(builder: Builder, op: str, inputs: Sequence[Node], attrs: dict[str, Any]) -> Sequence[Node]:
    """Raise what an operation would raise, and return its inputs as nodes of the current graph."""
    tested = [node.inputs[0] if is_unchecked(node) else node for node in inputs]
    found = errors_of(op, inputs, attrs)
    for kind in running.flight.expected(found[2]) if found is not None else ():
        function, args, _ = found  # type: ignore[misc]
        own = [current_builder().capture(node, builder) for node in tested]
        test = _test(kind, op, function, args, own) if tested == [*inputs] else None
        if test is not None:
            is_failed, text = test
        else:
            template = (kind, function, args, attrs.get("kwargs", {}))
            node = add("attempt", own, None, function=failure, args=template, kwargs={})
            is_failed, text = outputs(node, (ScalarType(bool), ScalarType(str)))

        def fail(kind: type[Exception] = kind, text: Any = text) -> None:
            raise_in_program(kind(text))

        staging.if_stmt(active_backend(), is_failed, fail, nothing, tuple, set_nothing, (), 0)
    return [current_builder().capture(node, builder) for node in inputs]


def _test(
    kind: type[Exception], op: str, function: Callable[..., Any], args: Any, inputs: Sequence[Node]
) -> tuple[Any, Any] | None:
    """Return whether an operation on numbers fails and the error's text, in operations that loops compile.

    None stands for an operation that has to be performed to see whether it fails.
    """
    if kind is IndexError and len(inputs) > 1 and _is_index(inputs[1]):
        index = wrap(inputs[1])
        if op in ("getitem", "setitem") and args[1] == Slot(1) and _has_items(inputs[0]):
            size = wrap(inputs[0]).dimension(0)
            return _is_outside(index, size), ErrorText(_index_text, (index, size))
        empty = _empty_like(inputs[0])
        if op in ("list_get", "list_set") and empty is not None:
            size = record("len", (inputs[0],), ScalarType(int), function=len)
            _, text = failure(kind, function, (empty, 0), {})
            return _is_outside(index, size), text
    types = [node.type.python for node in inputs if isinstance(node.type, ScalarType)]
    if kind is ZeroDivisionError and op in DIVISIONS and len(types) == len(inputs):
        _, text = failure(kind, function, (types[0](1), types[1](0)), {})
        return wrap(inputs[1]) == 0, text
    return None


def _empty_like(node: Node) -> Any:
    """Return an empty list, tuple or string as a node's value is one, or None for other containers."""
    if type(node.type) is not ListType:
        return "" if node.type == ScalarType(str) else None
    return () if node.op == "tuple" or node.attrs.get("function") is tuple else []


def _is_outside(index: Any, size: Any) -> Any:
    return record("either", (index >= size, index < -size), ScalarType(bool))


def _is_index(node: Node) -> bool:
    kind = node.type
    if isinstance(kind, ArrayType):
        return not kind.shape and kind.dtype.kind in "iu" and kind.dtype != np.uint64  # which may not fit
    return kind == ScalarType(int)


def _has_items(node: Node) -> bool:
    return isinstance(node.type, ArrayType) and bool(node.type.shape)


def _index_text(*values: Any) -> Any:
    fields = [StagedField(value, "") if is_staged(value) else value for value in values]
    return staged_string("index {} is out of bounds for axis 0 with size {}".format(*fields))


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
        return True, str(error.args[0] if isinstance(error, KeyError) else error)
    except Exception:  # noqa: BLE001 - the operation itself raises it
        return False, ""
    return False, ""
