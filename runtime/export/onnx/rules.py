"""Register the ONNX rules for all ops and functions. Importing this module fills the registries.

A function without a rule may have a composition, in `COMPOSITIONS` or among the definitions for gradients.
The emitter traces the composition and emits its nodes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...graph.functions import register, register_gradients
from ...graph.functions.creation import onnx as creation
from ...graph.functions.elementwise import onnx_arithmetic, onnx_comparisons, onnx_functions
from ...graph.functions.joining import onnx as joining
from ...graph.functions.linear_algebra import onnx as linear_algebra
from ...graph.functions.products import onnx as products
from ...graph.functions.reductions import onnx as reductions
from ...graph.functions.searching import onnx as searching
from ...graph.functions.shaping import onnx as shaping
from . import control_flow, indexing, lists, python_ops
from .builder.call import COMPOSITIONS, FUNCTIONS, LISTS, METHODS, OPS

register_gradients()
register(
    (
        creation, onnx_arithmetic, onnx_comparisons, onnx_functions, joining, linear_algebra, products,
        reductions, searching, shaping,
    ),
    FUNCTIONS=FUNCTIONS,
    METHODS=METHODS,
    COMPOSITIONS=COMPOSITIONS,
)  # fmt: skip
FUNCTIONS.update(indexing.FUNCTIONS)
METHODS.update(
    ((ufunc, "outer"), products.outer(rule))
    for ufunc, rule in FUNCTIONS.items()
    if isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and ufunc is not np.matmul
)
LISTS.update(lists.LISTS)

_UNSUPPORTED = {
    "call": ("a function of an ONNX model cannot call itself", "write the recursion as a loop"),
    "print": ("ONNX has no operator that prints", "return the value, and print it outside the function"),
    "attempt": ("ONNX operators raise no exceptions that a 'try' could catch", "test the condition instead"),
    "py_function": ("it calls Python when the graph runs", "write it with NumPy functions"),
    "dataset": ("its elements come from Python when the graph runs", "pass arrays to the function"),
    "next": ("its elements come from Python when the graph runs", "pass arrays to the function"),
    "default_rng": (
        "the random generators of ONNX and NumPy produce different numbers",
        "pass the random numbers as an argument",
    ),
    "complex": (
        "onnxruntime does not support complex numbers",
        "keep the real and imaginary parts in two arrays",
    ),
}

OPS.update(
    {
        **python_ops.OPS,
        **lists.OPS,
        "cond": control_flow.emit_cond,
        "while": control_flow.emit_while,
        "for": control_flow.emit_for,
        "raise": control_flow.emit_raise,
        "setitem": partial(indexing.emit_write, adds=False),
        "add_at": partial(indexing.emit_write, adds=True),
        **{op: control_flow.unsupported_op(*reason) for op, reason in _UNSUPPORTED.items()},
    }
)
