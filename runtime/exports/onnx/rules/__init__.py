"""What each op is in ONNX, family by family.

`OPS` and `LISTS` have the rules of the graph's own ops and of Python's builtins, which get the emitter and
the node; those of `LISTS` hold where an input is a list. `FUNCTIONS` and `METHODS` have those of functions of
NumPy and `math` and of methods of ufuncs: they get the `Call`, and the user's own arguments. A function that
has no rule may have a composition, here or among those by which gradients are made: it is traced, and what it
is made of exported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.rules.summing import sum_to
from .. import control
from . import (
    bits,
    compositions,
    creation,
    elementwise,
    functions,
    indexing,
    lists,
    products,
    python,
    reductions,
    searching,
    shaping,
)

_FAMILIES: tuple[Any, ...] = (
    elementwise, bits, functions, reductions, shaping, creation, indexing, searching, products
)  # fmt: skip

FUNCTIONS: dict[Any, Any] = {
    **{f: rule for family in _FAMILIES for f, rule in family.FUNCTIONS.items()},
    sum_to: reductions.sum_to_rule,
}

METHODS: dict[Any, Any] = {
    **reductions.METHODS,
    **{
        (ufunc, "outer"): products.outer(rule)
        for ufunc, rule in FUNCTIONS.items()
        if isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and ufunc is not np.matmul
    },
}

COMPOSITIONS: dict[Any, Any] = compositions.COMPOSITIONS

LISTS: dict[str, Any] = lists.LISTS

_REFUSED = {
    "print": ("ONNX has no operator that prints", "give out what is to be seen as a result, and print that"),
    "py_function": ("Python is called when the graph runs", "write it with functions of NumPy"),
    "dataset": ("its elements come from Python when the graph runs", "give the function arrays"),
    "next": ("its elements come from Python when the graph runs", "give the function arrays"),
    "default_rng": ("ONNX's generators draw other numbers than NumPy's", "give what is drawn as an argument"),
    "complex": (
        "onnxruntime computes with no complex numbers",
        "keep real and imaginary parts in two arrays",
    ),
}

OPS: dict[str, Any] = {
    **python.OPS,
    **lists.OPS,
    "cond": control.emit_cond,
    "while": control.emit_while,
    "for": control.emit_for,
    "raise": control.emit_raise,
    "setitem": indexing.emit_setitem,
    "add_at": indexing.emit_add_at,
    **{op: control.refuse(*reason) for op, reason in _REFUSED.items()},
}
