"""What a rule knows of the call that it emits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.ir import Node
from ...graph.types import ScalarType
from . import refused
from .builder import Builder, Value
from .values import dtype_of


class Call:
    """What a rule gets first: the graph that is open as `b`, and the node whose call it emits."""

    def __init__(self, b: Builder, node: Node):
        self.b, self.node = b, node

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the result."""
        return dtype_of(self.b, self.node.type)

    @property
    def is_python(self) -> bool:
        """Whether Python's numbers are computed with, whose operators raise where NumPy's warn."""
        return isinstance(self.node.type, ScalarType)

    def plain(self, name: str, value: Any) -> Any:
        """An argument that the model's structure depends on, so it has to be known."""
        if isinstance(value, Value):
            if value.constant is None:
                raise refused.with_options(self.node, f"a computed {name}")
            return value.constant.item() if value.constant.ndim == 0 else tuple(value.constant.tolist())
        return value

    def unsupported(self, options: str) -> Exception:
        return refused.with_options(self.node, options)
