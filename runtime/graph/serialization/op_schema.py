"""The schema of each op: the number of its inputs, and its attributes with their kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.undefined import NONE_USES
from ...staging.state.side_effects import DRAWERS
from ..ir.expressions import EXPRESSIONS, RANDOM_OPS
from ..ir.graph import Graph, Node, Slot
from ..ir.list_operations import DICTS, RETURNING, TEXT_METHODS, UPDATES

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class OpSchema:
    """The schema of one op.

    Args:
        inputs: the minimum and maximum number of inputs.
        attrs: the checks of the attributes, by name.
        optional: the attributes that may be missing.
        effect: whether nodes must be marked as having an effect.
        is_multi_result: whether nodes may have several results, or none.
        unsupported: why a file cannot contain the op, optionally followed by ". " and a remedy; "" if it can.
    """

    inputs: tuple[int, int | None]
    attrs: dict[str, Check] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    effect: bool = False
    is_multi_result: bool = False
    unsupported: str = ""

    @property
    def graphs(self) -> list[str]:
        """The names of the attributes that are inner graphs."""
        return [name for name, check in self.attrs.items() if check is _graph]


def _instance(kind: type) -> Check:
    return lambda value: isinstance(value, kind)


def _exactly(kind: type) -> Check:
    return lambda value: type(value) is kind


_graph, _called, _dtype = _instance(Graph), _instance(Graph), _instance(np.dtype)
_boolean, _text, _args, _kwargs = map(_exactly, (bool, str, tuple, dict))


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _raise_args(value: Any) -> bool:
    return type(value) is tuple and list(map(type, value[1:])) == [tuple, dict]


def _print_kwargs(value: Any) -> bool:
    is_valid = type(value) is dict and set(value) <= {"sep", "end", "flush", "file"}
    return is_valid and ("file" not in value or hasattr(value["file"], "write"))


def _text_parts(value: Any) -> bool:
    """Return whether a value is the parts of an f-string: strings, and tuples (slot, conversion, format)."""
    return type(value) is tuple and all(
        type(p) is str
        or (type(p) is tuple and list(map(type, p[1:])) == [str, str] and p[1] in ("", "r", "s", "a", "%"))
        for p in value
    )


def _none_or_count(value: Any) -> bool:
    return value is None or _count(value)


def _empty(value: Any) -> bool:
    return value == {}


def _structure(value: Any) -> bool:
    return all(map(_structure, value)) if isinstance(value, tuple) else _count(value)


def _getitem_args(value: Any) -> bool:
    """Return whether a value can be the arguments of `getitem`: a container and a key."""
    return type(value) is tuple and len(value) == 2 and isinstance(value[0], Slot)


def _draw_args(value: Any) -> bool:
    """Return whether a value describes a draw: a generator, a method's name, and the method's arguments."""
    is_valid = type(value) is tuple and list(map(type, value[1:])) == [str, tuple, dict]
    return is_valid and isinstance(value[0], (Slot, *DRAWERS))


def _with_shape_args(value: Any) -> bool:
    """Return whether a value can be the arguments of `with_shape`: an array, its shape and a description."""
    is_valid = type(value) is tuple and list(map(type, value)) == [Slot, tuple, str]
    return is_valid and all(map(_count, value[1]))


_CALL: dict[str, Check] = {"args": _args, "kwargs": _kwargs}
_LOOP: dict[str, Check] = {"body": _graph, "carried": _count, "maximum_iterations": _none_or_count}
_PYTHON: dict[str, Check] = {**_CALL, "function": callable}
_READS_PYTHON = (
    "its elements come from Python when the graph runs. pass arrays to the function and loop over them"
)
_CALLS_PYTHON = "it calls Python when the graph runs"
_CHANGES_OBJECTS = (
    "it changes a list, set, dict or object that is an item of another one, and may have several names. "
    "use a two-dimensional array, or indices into one list"
)
_ATTEMPTS = (
    "it performs an operation to see whether it raises an exception that a 'try' catches. "
    "test the condition before the operation"
)
_LIMIT = frozenset(("maximum_iterations",))

_OF_CLASS: dict[str, Check] = {**_CALL, "function": callable}
"""The attributes of ops on objects, which no file contains."""

CALL = OpSchema((0, None), _CALL, is_multi_result=True)
"""The schema of a call to a function of NumPy or `math`."""

_ATTRS_OF_EXPRESSIONS: dict[str, dict[str, Check]] = {
    "dimension": {"axis": _count},
    "deque": {"maxlen": _none_or_count},
    "part_of_optional": {"path": lambda path: isinstance(path, tuple) and all(map(_count, path))},
    "dict_of": {"factory": DICTS.__contains__},
    "convert": {"dtype": _dtype},
}

OPS: dict[str, OpSchema] = {
    **{
        op: OpSchema((n, n), _ATTRS_OF_EXPRESSIONS.get(op, {}))
        for op, template in EXPRESSIONS.items()
        for n in [sum(f"{{{i}}}" in template for i in range(3))]
    },
    **dict.fromkeys(
        ("int", "float", "bool", "complex", "str", "any", "all", "iterate", "_real"), OpSchema((1, 1))
    ),
    "constant": OpSchema((0, 0), {"value": lambda _: True}),
    "output": OpSchema((1, 1), {"index": _count}),
    "list": OpSchema((0, None)),
    "tuple": OpSchema((0, None)),
    "new_object": OpSchema((0, None), _OF_CLASS),
    "attribute": OpSchema((1, 1), _OF_CLASS),
    "zip": OpSchema((0, None), {"strict": _boolean}),
    "range": OpSchema((3, 3)),
    "enumerate": OpSchema((2, 2)),
    "reversed": OpSchema((1, 1)),
    "list_append": OpSchema((2, 2)),
    **dict.fromkeys(("list_set", "list_add_at", "list_insert"), OpSchema((3, 3))),
    "list_pop": OpSchema((2, 2)),
    "list_update": OpSchema((1, 3), {"method": UPDATES.__contains__}),
    "reference": OpSchema((1, 1), {"conversion": _args}, unsupported=_CHANGES_OBJECTS),
    "reference_update": OpSchema(
        (1, 3), {"method": UPDATES.__contains__}, effect=True, unsupported=_CHANGES_OBJECTS
    ),
    "join": OpSchema((2, 2)),
    "text_method": OpSchema((1, None), {"method": TEXT_METHODS.__contains__}),
    "find": OpSchema((1, 1), {"keys": _args, "required": _boolean}),
    "min": OpSchema((1, None)),
    "max": OpSchema((1, None)),
    "sum": OpSchema((1, 2)),
    "round": OpSchema((1, 2)),
    "sorted": OpSchema((1, 1), _CALL, frozenset(_CALL)),
    "text": OpSchema((0, None), {"args": _text_parts, "kwargs": _empty}),
    "getitem": OpSchema((1, None), {"args": _getitem_args, "kwargs": _empty}),
    **dict.fromkeys(("setitem", "add_at"), OpSchema((2, None), {"key": lambda _: True})),
    "list_some": OpSchema((1, 1), effect=True),
    "check_bound": OpSchema((1, 1), {"symbol": _text}, effect=True),
    "some": OpSchema(
        (1, None), {**_CALL, "use": NONE_USES.__contains__}, frozenset(("use", *_CALL)), effect=True
    ),
    "print": OpSchema((0, None), {"args": _args, "kwargs": _print_kwargs}, effect=True),
    "raise": OpSchema((0, None), {"args": _raise_args}, effect=True),
    "with_shape": OpSchema((1, 1), {"args": _with_shape_args, "kwargs": _empty}),
    "default_rng": OpSchema((0, None), _CALL, effect=True),
    **dict.fromkeys(
        RANDOM_OPS,
        OpSchema((0, None), {"args": _draw_args, "kwargs": _empty}, effect=True, is_multi_result=True),
    ),
    "dataset": OpSchema((0, 0), {"function": callable}, unsupported=_READS_PYTHON),
    "next": OpSchema((0, 0), _PYTHON, effect=True, is_multi_result=True, unsupported=_READS_PYTHON),
    "py_function": OpSchema((0, None), _PYTHON, effect=True, is_multi_result=True, unsupported=_CALLS_PYTHON),
    "attempt": OpSchema((0, None), _PYTHON, is_multi_result=True, unsupported=_ATTEMPTS),
    "call": OpSchema((0, None), {"graph": _called}, effect=True, is_multi_result=True),
    "cond": OpSchema((1, None), {"then": _graph, "orelse": _graph}),
    "while": OpSchema((1, None), _LOOP, _LIMIT),
    "for": OpSchema((2, None), {**_LOOP, "elements": _count, "structure": _structure}, _LIMIT),
}

ITERABLES = frozenset(("dataset", "zip", "range", "enumerate", "reversed"))
UNTYPED = frozenset(
    (*ITERABLES, "attempt", "list_pop", "list_update", "print", "raise", "call", "cond", "while", "for")
)
"""Ops whose nodes have no type, since they have several results or none, or produce an iterable."""

RESULT_COUNTS: dict[str, Callable[[Node], int]] = {
    "call": lambda node: len(node.attrs["graph"].results),
    "cond": lambda node: len(node.attrs["then"].results),
    "while": lambda node: node.attrs["carried"],
    "for": lambda node: node.attrs["carried"],
    "list_pop": lambda _: 2,
    "list_update": lambda node: 1 + (node.attrs["method"] in RETURNING),
    "attempt": lambda _: 2,
}
"""Functions that return the number of results of a node, by op."""

_ERROR_MODES = ("ignore", "warn", "raise", "print")
ERROR_STATES: dict[str, tuple[str, ...]] = dict.fromkeys(("divide", "over", "under", "invalid"), _ERROR_MODES)
