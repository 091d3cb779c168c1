"""The call that an ONNX rule emits, and the registries of rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.ir.graph import Node
from ....graph.ir.types import ScalarType
from .builder import Builder, Value
from .unsupported import unsupported_options
from .values import dtype_of


class Call:
    """The first argument of a rule: the builder `b` of the current graph, and the node to emit."""

    def __init__(self, b: Builder, node: Node):
        self.b, self.node = b, node

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the result."""
        return dtype_of(self.b, self.node.type)

    @property
    def is_python(self) -> bool:
        """Return whether the operands are Python numbers, whose operators raise where NumPy's warn."""
        return isinstance(self.node.type, ScalarType)

    def plain(self, name: str, value: Any) -> Any:
        """Return an argument that determines the model's structure, or raise if its value is unknown."""
        if isinstance(value, Value):
            if value.constant is None:
                raise unsupported_options(self.node, f"a computed {name}")
            return value.constant.item() if value.constant.ndim == 0 else tuple(value.constant.tolist())
        return value

    def unsupported(self, options: str) -> Exception:
        return unsupported_options(self.node, options)


OPS: dict[str, Any] = {}
"""Rules for the graph's own ops and Python's builtins: `rule(emitter, node)`."""

LISTS: dict[str, Any] = {}
"""Rules for ops with a list among their inputs: `rule(emitter, node)`."""

FUNCTIONS: dict[Any, Any] = {}
"""Rules for functions of NumPy and `math`: `rule(call, *args, **kwargs)` with the user's own arguments."""

METHODS: dict[tuple[Any, str], Any] = {}
"""Rules for ufunc methods, by the ufunc and the name of the method."""

COMPOSITIONS: dict[Any, Any] = {}
"""Functions that are exported as compositions of functions that have rules."""
