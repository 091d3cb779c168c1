"""How compiling a region and running it can end, and the ops that are compiled. Importing this is cheap."""

from __future__ import annotations

import enum
from typing import Any


class UnsupportedError(Exception):
    """A node that cannot be compiled, with the reason as a phrase: "it prints"."""

    def __init__(self, reason: str, node: Any = None):
        super().__init__(reason)
        self.reason, self.node = reason, node


class Mode(enum.Enum):
    """How a region treats the warnings of floats."""

    FLAGS = "flags"
    CHECKS = "checks"
    FAST = "fast"


DONE, NOT_RUN, INTERRUPTED, FLAGGED = 0, -1, -2, -3
"""What the function of a region returns. A positive number is that of the checkpoint at which it gave up."""

CALL_FILE = "<call of machine code>"
"""The file name of the functions that call machine code, in tracebacks."""

_NUMPY = (
    "zeros ones full empty zeros_like ones_like full_like empty_like copy where arange sum mean min max amin "
    "amax any all count_nonzero argmax argmin ndarray.copy ndarray.astype"
)
_GRAPH = (
    "argument constant output cond while for range enumerate zip reversed raise add sub mul truediv "
    "floordiv mod pow matmul lshift rshift and_ or_ xor lt le gt ge eq ne neg pos abs invert not_ either "
    "item dimension convert len same bool check_bound some is_none add_at list list_append list_copy "
    "list_get list_pop list_set int float min max getitem setitem"
)
OPS = frozenset((*_GRAPH.split(), *(f"numpy.{name}" for name in _NUMPY.split())))
"""The ops that are compiled, apart from ufuncs and the functions of `math`."""

ROUNDING = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "sqrt": "sqrt"}
INLINE = frozenset(
    (
        "square",
        "isnan",
        "isinf",
        "isfinite",
        "logical_not",
        "logical_and",
        "logical_or",
        "logical_xor",
        *ROUNDING,
    )
)
"""The ufuncs, apart from those of Python's operators, whose results machine code gives exactly for floats."""
