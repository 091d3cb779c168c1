"""Staged lists, deques, sets and dicts that may be None.

What uses such a value takes the list, or raises like Python if it is None. A change of the list is a change
of the value, too.
"""

from __future__ import annotations

import weakref
from typing import Any

from ...errors import AliasError
from ..ir.graph import Node
from ..ir.types import ListType, OptionalType
from .tensor import CLASSES, Optional, Staged, register_class, some
from .trace import current_builder, is_tracing


class OptionalList(Optional):
    """A list, deque, set or dict that may be None."""

    __slots__ = ("lost",)

    noun, copy_remedy = "a list", "assign a copy to the other name, or return a copy: items.copy()"
    is_reference, home = False, None

    def __init__(self, node: Node, owner: Any, base: Any = None):
        super().__init__(node, owner, base)
        self.lost = ""
        if is_tracing():
            current_builder().root.registry.handles.append(weakref.ref(self))

    def node(self) -> Node:
        if self.lost:
            self.fail("is used", self.lost, self.copy_remedy, AliasError)
        return super().node()

    def lose(self) -> None:
        """Refuse later uses, because a change of the list would not be seen."""
        self.lost = "the list has become an object of the graph since it was read"

    @property
    def python_class(self) -> type:
        """The class of the list."""
        return self.list("getattr", "copy").python_class

    def list(self, use: str = "", *args: Any) -> Any:
        """Return the list, whose changes are changes of this value."""
        return some(self, use, *args)

    def __getattr__(self, name: str) -> Any:
        kind: Any = CLASSES[type(self.type.held)]
        kind = kind.python_class
        kind = kind if isinstance(kind, type) else dict  # or a subclass, as the type of a staged dict says
        if name.startswith("__") or not hasattr(kind, name):
            raise AttributeError(f"a staged value that may be None has no attribute {name!r}")
        return getattr(self.list("getattr", name), name)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.list("setitem", 0, 0)[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.list("delitem", 0)[key]

    def _changed(name: str) -> Any:  # type: ignore[misc]  # noqa: N805 - it makes methods
        return lambda self, other: getattr(self.list(f"i{name}", other), f"__i{name}__")(other)

    __iadd__, __ior__, __iand__, __isub__, __ixor__ = map(_changed, ("add", "or", "and", "sub", "xor"))
    __hash__ = Staged.__hash__


register_class((ListType, OptionalType), OptionalList, "staged value")
