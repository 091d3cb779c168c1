"""The result of a function, where its structure is known only when the graph runs.

The graph creates the structure on each path, and passes it on. The traced code can return it and compare it
with None.
"""

from __future__ import annotations

import contextlib
import copy
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from ....backends import BACKENDS
from ....core.forks import Run
from ....errors import MismatchError
from ....values.alternatives import Part
from ....values.reachability import reaches
from ....values.structures import Spec, unflatten
from ...ir.graph import Node, Slot
from ...ir.types import AlternativesType, constant_type
from .. import unsupported
from ..recording import add, is_staged
from ..tensor import ARITHMETIC, Staged, register_class
from . import lists
from .objects import object_node


class Alternatives(Staged):
    """One of several structures, of which the traced code cannot know which."""

    __slots__ = ("decided_by",)

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.decided_by: tuple[Run, int] | None = None
        """The run, and the number of its condition, that decides the structure."""

    def passed_on(self) -> Node:
        """Return the node, to return it or to select it."""
        return super().node()

    def node(self) -> NoReturn:
        self.refuse()

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        try:
            self.fail(
                "is used",
                "a function returned it, and only the running graph knows which of the structures it has",
                "return values of one structure on each path of that function",
                MismatchError,
            )
        except MismatchError as error:
            error.needs = "lists in results"
            if self.decided_by is not None:
                run, index = self.decided_by
                run.fork_later(index, error)
            raise

    def ag__settle(self) -> None:
        """Have what follows captured once for each of the structures, if that is possible."""
        with contextlib.suppress(MismatchError):
            self.refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()

    for _name in ARITHMETIC:
        locals()[f"__{_name}__"] = locals()[f"__r{_name}__"] = refuse
    del _name
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __contains__ = refuse
    __getitem__ = __setitem__ = __delitem__ = __iter__ = __next__ = __len__ = __call__ = refuse
    __bool__ = __enter__ = __exit__ = __neg__ = __pos__ = __abs__ = __invert__ = refuse
    __array_ufunc__ = __array_function__ = __str__ = __format__ = __hash__ = refuse

    def __repr__(self) -> str:
        return f"<staged {self.type}>"


register_class(AlternativesType, Alternatives, "staged value")


def node_of(part: Part) -> Node:
    """Return the node that creates the structure of a part."""
    found = {i: node for i, leaf in enumerate(part.leaves) if (node := _leaf_node(leaf)) is not None}
    plain = [None if i in found else leaf for i, leaf in enumerate(part.leaves)]
    make = _Creation(_without_sources(part.spec), tuple(plain), tuple(found))
    slots = tuple(map(Slot, range(len(found))))
    kind = AlternativesType(describe(part))
    return add("new_object", [*found.values()], kind, function=make, args=slots, kwargs={})


def _leaf_node(leaf: Any) -> Node | None:
    """Return the node of a leaf, or None if it is a plain value, which each run returns."""
    if isinstance(leaf, Staged):
        return leaf.passed_on() if isinstance(leaf, Alternatives) else leaf.node()
    if BACKENDS[type(leaf)] is not None:
        raise unsupported.foreign_operand(leaf)
    if constant_type(leaf) is not None or not reaches([leaf], is_staged):
        return None
    node = object_node(leaf, lists.element_node)
    if node is None:
        error = unsupported.foreign_operand(leaf)
        error.can_fork = True  # type: ignore[attr-defined]
        raise error
    return node


@dataclass(frozen=True, eq=False)
class _Creation:
    """A function that returns a new structure with plain leaves and, at some places, other values.

    Each call gets its own copies of the plain leaves that may change.
    """

    spec: Spec
    plain: tuple[Any, ...]
    places: tuple[int, ...]

    def __call__(self, *values: Any) -> Any:
        leaves = [copy.copy(leaf) if isinstance(leaf, _COPIED) else leaf for leaf in self.plain]
        for place, value in zip(self.places, values, strict=True):
            leaves[place] = value
        return unflatten(self.spec, leaves)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Creation) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.places)

    def _key(self) -> tuple[Any, ...]:
        leaves = [id(leaf) if isinstance(leaf, _COPIED) else (type(leaf), leaf) for leaf in self.plain]
        return self.spec, self.places, leaves


_COPIED = (np.ndarray, set, bytearray)


def _without_sources(spec: Spec) -> Spec:
    return replace(spec, parts=tuple(map(_without_sources, spec.parts)), sources=())


def describe(part: Part) -> str:
    """Describe the structure of a part, with the types of its leaves."""
    leaves = iter(part.leaves)

    def outlined(spec: Spec) -> str:
        if spec.kind is None:
            leaf = next(leaves)
            return str(getattr(leaf, "type", None) or constant_type(leaf) or type(leaf).__name__)
        inner = [f"{key!r}: {outlined(p)}" if spec.keys else outlined(p) for key, p in spec.items()]
        return f"{spec.kind.__name__}({', '.join(inner)})"

    return outlined(part.spec)
