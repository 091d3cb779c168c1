"""Errors of operations, such as that of an index out of bounds, in a `try` whose handlers name their class.

The graph then performs the operation once to see whether it fails, and raises the error as a `raise` of the
traced code does.
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
from ...staging.branches.exceptions import raise_in_program
from ..ir.graph import Node, Slot
from ..ir.types import ArrayType, ScalarType
from .effects import staged_string
from .operation_errors import errors_of, is_unchecked
from .recording import add, is_staged, outputs, record, wrap
from .trace import Builder, check_failing, current_builder


def _check(builder: Builder, op: str, inputs: Sequence[Node], attrs: dict[str, Any]) -> Sequence[Node]:
    """Raise what an operation would raise, and return its inputs as nodes of the current graph."""
    tested = [node.inputs[0] if is_unchecked(node) else node for node in inputs]
    found = errors_of(op, inputs, attrs)
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
        return True, str(error.args[0] if isinstance(error, KeyError) else error)
    except Exception:  # noqa: BLE001 - the operation itself raises it
        return False, ""
    return False, ""
