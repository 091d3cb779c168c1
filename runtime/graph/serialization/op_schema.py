"""What a node of each op has: how many inputs, and which attributes of which kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .effects import DRAWERS, DRAWS
from .ir import Graph, Node, Slot
from .run import EXPRESSIONS

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Kind:
    """The inputs of an op, fewest and most; its attributes, which of them may lack; whether it must be
    marked as an effect; whether it may have several results, or none; why no file can hold it.
    """

    inputs: tuple[int, int | None]
    attrs: dict[str, Check] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    effect: bool = False
    several: bool = False
    unsaved: str = ""

    @property
    def graphs(self) -> list[str]:
        return [name for name, check in self.attrs.items() if check is _graph]


def _graph(value: Any) -> bool:
    return isinstance(value, Graph)


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _truth(value: Any) -> bool:
    return type(value) is bool


def _text(value: Any) -> bool:
    return type(value) is str


def _dtype(value: Any) -> bool:
    return isinstance(value, np.dtype)


def _args(value: Any) -> bool:
    return type(value) is tuple


def _raised(value: Any) -> bool:
    return type(value) is tuple and list(map(type, value[1:])) == [tuple, dict]


def _kwargs(value: Any) -> bool:
    return type(value) is dict


def _printing(value: Any) -> bool:
    fits = type(value) is dict and set(value) <= {"sep", "end", "flush", "file"}
    return fits and ("file" not in value or hasattr(value["file"], "write"))


def _nothing(value: Any) -> bool:
    return value == {}


def _pieces(value: Any) -> bool:
    """The parts of an f-string: text, and values with conversion and format."""
    return type(value) is tuple and all(
        type(p) is str or (type(p) is tuple and len(p) == 3 and _conversion(p[1]) and type(p[2]) is str)
        for p in value
    )


def _conversion(value: Any) -> bool:
    return type(value) is str and value in ("", "r", "s", "a")


def _structure(value: Any) -> bool:
    return all(map(_structure, value)) if isinstance(value, tuple) else _count(value)


def _item(value: Any) -> bool:
    """The arguments of an item's getting: what has it, and the key."""
    return type(value) is tuple and len(value) == 2 and isinstance(value[0], Slot)


def _anything(value: Any) -> bool:
    return True


def _drawing(value: Any) -> bool:
    """What draws, the name of its method, and the arguments of that."""
    fits = type(value) is tuple and list(map(type, value[1:])) == [str, tuple, dict]
    return fits and isinstance(value[0], (Slot, *DRAWERS))


def _shaping(value: Any) -> bool:
    """The arguments of `with_shape`: the array, its shape, and what it is."""
    fits = type(value) is tuple and list(map(type, value)) == [Slot, tuple, str]
    return fits and all(map(_count, value[1]))


def _called(value: Any) -> bool:
    return callable(value)


def _none_or_count(value: Any) -> bool:
    return value is None or _count(value)


_CALL: dict[str, Check] = {"args": _args, "kwargs": _kwargs}
_LOOP: dict[str, Check] = {"body": _graph, "carried": _count, "maximum_iterations": _none_or_count}
_PYTHON: dict[str, Check] = {**_CALL, "function": _called}
_PULLS = "its elements come from Python when the graph runs. Give the function arrays, and loop over them"
_CALLS = "it calls Python when the graph runs"
_LIMIT = frozenset(("maximum_iterations",))

CALL = Kind((0, None), _CALL, several=True)
"""A call of a function of NumPy or `math`."""

_ATTRS_OF_EXPRESSIONS: dict[str, dict[str, Check]] = {
    "dimension": {"axis": _count},
    "convert": {"dtype": _dtype},
}

OPS: dict[str, Kind] = {
    **{
        op: Kind((n, n), _ATTRS_OF_EXPRESSIONS.get(op, {}))
        for op, template in EXPRESSIONS.items()
        for n in [sum(f"{{{i}}}" in template for i in range(3))]
    },
    **dict.fromkeys(
        ("int", "float", "bool", "complex", "str", "any", "all", "iterate", "_real"), Kind((1, 1))
    ),
    "constant": Kind((0, 0), {"value": _anything}),
    "output": Kind((1, 1), {"index": _count}),
    "list": Kind((0, None)),
    "tuple": Kind((0, None)),
    "zip": Kind((0, None), {"strict": _truth}),
    "range": Kind((3, 3)),
    "enumerate": Kind((2, 2)),
    "reversed": Kind((1, 1)),
    "list_append": Kind((2, 2)),
    **dict.fromkeys(("list_set", "list_add_at", "list_insert"), Kind((3, 3))),
    "list_pop": Kind((2, 2)),
    "min": Kind((1, None)),
    "max": Kind((1, None)),
    "sum": Kind((1, 2)),
    "round": Kind((1, 2)),
    "sorted": Kind((1, 1), _CALL, frozenset(_CALL)),
    "text": Kind((0, None), {"args": _pieces, "kwargs": _nothing}),
    "getitem": Kind((1, None), {"args": _item, "kwargs": _nothing}),
    **dict.fromkeys(("setitem", "add_at"), Kind((2, None), {"key": _anything})),
    "check_bound": Kind((1, 1), {"symbol": _text}, effect=True),
    "print": Kind((0, None), {"args": _args, "kwargs": _printing}, effect=True),
    "raise": Kind((0, None), {"args": _raised}, effect=True),
    "with_shape": Kind((1, 1), {"args": _shaping, "kwargs": _nothing}),
    "default_rng": Kind((0, None), _CALL, effect=True),
    **dict.fromkeys(
        DRAWS, Kind((0, None), {"args": _drawing, "kwargs": _nothing}, effect=True, several=True)
    ),
    "dataset": Kind((0, 0), {"function": _called}, unsaved=_PULLS),
    "next": Kind((0, 0), _PYTHON, effect=True, several=True, unsaved=_PULLS),
    "py_function": Kind((0, None), _PYTHON, effect=True, several=True, unsaved=_CALLS),
    "cond": Kind((1, None), {"then": _graph, "orelse": _graph}),
    "while": Kind((1, None), _LOOP, _LIMIT),
    "for": Kind((2, None), {**_LOOP, "elements": _count, "structure": _structure}, _LIMIT),
}

ITERABLES = frozenset(("dataset", "zip", "range", "enumerate", "reversed"))
UNTYPED = frozenset((*ITERABLES, "list_pop", "print", "raise", "cond", "while", "for"))
"""Ops whose nodes have several results, none, or one that is no value."""

MANY: dict[str, Callable[[Node], int]] = {
    "cond": lambda node: len(node.attrs["then"].results),
    "while": lambda node: node.attrs["carried"],
    "for": lambda node: node.attrs["carried"],
    "list_pop": lambda _: 2,
}
"""How many results the nodes of some ops have."""

_TREATMENTS = ("ignore", "warn", "raise", "print")
ERROR_STATES: dict[str, tuple[str, ...]] = dict.fromkeys(("divide", "over", "under", "invalid"), _TREATMENTS)
