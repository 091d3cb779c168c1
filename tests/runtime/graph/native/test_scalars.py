"""Numbers in machine code: every operator on every pair of types, with values at the edges."""

from __future__ import annotations

import itertools
import linecache
import math
import re
from typing import Any

import numpy as np
import pytest
from breadth import some
from native_support import check, needs_llvm

import autograph_rs as ag

pytestmark = needs_llvm
N = np.int64
DTYPES = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "bool",
)
PYTHON = {"int": "int64", "float": "float64", "truth": "bool"}
"""Kinds of Python numbers, each with the dtype of the array that holds them."""
GROUPS = (
    ("+", "-", "*"), ("&", "|", "^", "<<", ">>"), ("<", "<=", ">", ">=", "==", "!="), ("/", "//", "%"),
)  # fmt: skip
UNARY = (
    ("-{}", "+{}", "abs({})"), ("~{}",), ("not {}", "bool({})"), ("float({})", "{} * 0.5"),
    ("{}**2", "np.square({})"), ("np.sqrt({})", "np.floor({})", "np.rint({})"),
    ("np.exp({})", "np.sin({})"), ("np.isnan({})", "np.isfinite({})"), ("np.sign({})",),
    ("np.logical_not({})",), ("math.sin({})", "math.atan2({0}, 0.5)", "math.fabs({})"), ("int({})",),
    ("math.floor({})",), ("math.ceil({})",), ("math.trunc({})",), ("math.sqrt({})",), ("math.exp({})",),
)  # fmt: skip
PAIRS = (("int64", "int64"), ("int", "int"), ("float64", "float64"), ("float", "int"), ("uint8", "int8"),
         ("float32", "int"), ("uint64", "uint64"), ("int32", "float32"))  # fmt: skip
STORED = (("uint64", "int8"), ("uint64", "int32"), ("int64", "uint8"), ("int16", "uint64"))
KINDS = (*DTYPES, *PYTHON)


def edges(dtype: str) -> list[Any]:
    """Return values of a dtype at which results are most likely to be wrong."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return [np.False_, np.True_]
    if kind.kind == "f":
        info = np.finfo(kind)
        values = [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, info.max, -info.max, info.tiny, info.smallest_subnormal,
                  2.0**53 - 1, 2.0**53 + 2, 2.0**62, 2.0**63, np.inf, -np.inf, np.nan]  # fmt: skip
    else:
        limits = np.iinfo(kind)
        values = [v for v in (0, 1, -1, 2, 3, 7, limits.min, limits.max, limits.max - 1, 2**53 - 1, 2**53 + 1,
                              2**62)
                  if limits.min <= v <= limits.max]  # fmt: skip
    return [kind.type(v) for v in dict.fromkeys(values)]


def loops(groups: Any, first: str, second: str = "") -> Any:
    """Return a function with a loop for each group of operations, on the second elements of its arguments."""
    names = {"x": ("a", first), "y": ("b", second)}
    lines, results = ["def f(a, b, n):"], []
    for group in groups:
        body = [f"{x} = {_item(array, kind, 'i')}" for x, (array, kind) in names.items() if kind]
        for text in group:
            result = f"r{len(results)}"
            results.append(result)
            start = text
            for x, (array, kind) in names.items():
                start = re.sub(rf"\b{x}\b", _item(array, kind, "0"), start)
            lines.append(f"    {result} = {start}")
            body.append(f"{result} = {text}")
        lines += ["    for i in range(1, n):", *(f"        {line}" for line in body)]
    source = "\n".join([*lines, f"    return ({', '.join(results)},)"]) + "\n"
    filename = f"<numbers {first} {second} {groups}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"np": np, "math": math}
    exec(compile(source, filename, "exec"), space)
    return space["f"]


def _item(array: str, kind: str, index: str) -> str:
    item = f"{array}[{index}]"
    return f"{'bool' if kind == 'truth' else kind}({item})" if kind in PYTHON else item


def arrays(kind: str) -> list[np.ndarray]:
    """Return arrays of a harmless first element and an edge value."""
    dtype = PYTHON.get(kind, kind)
    return [np.array([1, v], dtype) for v in edges(dtype)]


@pytest.mark.parametrize(("first", "second"), some(PAIRS, tuple(itertools.product(KINDS, KINDS))))
def test_operators(first, second):
    """Results, types, warnings and errors of all operators are those of NumPy and Python."""
    groups = [
        [f"x {op} y" for op in group]
        for group in GROUPS
        if first[:5] != "float" != second[:5] or group is not GROUPS[1]
    ]
    calls = [(a, b, N(2)) for a, b in itertools.product(arrays(first), arrays(second))]
    for group in groups:
        try:
            f = loops([group], first, second)
            with np.errstate(all="ignore"):
                f(arrays(first)[1], arrays(second)[1], N(2))
        except TypeError:
            continue  # no such operator
        check(f, *calls, is_native=(first, second) in PAIRS[:4])


def stored(a, b, n):
    for i in range(1, n):
        b[i] = a[i]
    return b


@pytest.mark.parametrize(("first", "second"), some(STORED, tuple(itertools.product(DTYPES, DTYPES))))
def test_stores(first, second):
    """Numbers that do not fit an array of another dtype are refused, or wrap around, as in NumPy."""
    check(
        stored,
        *((a, np.zeros(2, second), N(2)) for a in arrays(first)),
        is_native=(first, second) in STORED,
    )


@pytest.mark.parametrize("kind", some(("int64", "float64", "int", "float", "uint8"), KINDS))
def test_functions_of_one_number(kind):
    """Results, types, warnings and errors of functions of one number are those of NumPy and Python."""
    calls = [(a, a, N(2)) for a in arrays(kind)]
    for group in UNARY:
        f = loops([[text.format("x") for text in group]], kind)
        try:
            with np.errstate(all="ignore"):
                f(*calls[1][:2], N(2))
        except TypeError:
            continue
        check(f, *calls, is_native=False)


@pytest.mark.parametrize("mode", ["warn", "raise", "ignore"])
def test_a_divisor_that_is_zero_in_each_iteration(mode):
    """LLVM finds that out, and a division that it computes itself raises no flag."""

    def ratios(n):
        s, q, last = 0, False, np.float32(0)
        for _ in range(n):
            last = np.float32(1.5) / s
            s = -q
        return last, s

    check(ratios, (N(3),), (N(1),), errors={"divide": mode})


def limit_or_none(s, n):
    limit, total = None, 0.0
    if n > 1:
        limit = max(s, 2.0)
    for i in range(n):
        if limit is None:
            limit = s
        else:
            total = total + i
    return limit, total


def limit_of_later_iterations(s, n):
    total = 0.0
    if n > 1:
        limit = max(s, 2.0)
    for i in range(n):
        if n <= 1:
            limit = s
        total = total + i
    return limit, total


@pytest.mark.parametrize("function", [limit_or_none, limit_of_later_iterations])
def test_a_number_that_may_be_missing_has_the_type_that_it_has_in_python(function):
    """`max(np.float64(1), 2.0)` is a float, where the graph says `float64`."""
    s = np.float64
    check(function, *[(s(v), np.int64(n)) for v, n in ((1, 1), (3, 2), (1, 2), (2, 3))])


def power_of_items(items, exponent):
    total = 0.0
    for item in items:
        total = total + item**exponent
    return total


def power_to_items(items, base):
    total = 0.0
    for item in items:
        total = total + base**item
    return total


@pytest.mark.parametrize("number", [-2.0, 1.5, 0.5, 2.0, np.float64(1.5), np.float64(-2.0)])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float64", "bool"])
@pytest.mark.parametrize("f", [power_of_items, power_to_items])
def test_powers_round_as_in_numpy(f, dtype, number):
    """NumPy computes a power of its integers and Python's floats as one of arrays, with another function."""
    native = ag.function(f, engine="native")
    for first in range(2, 60):
        items = np.array([first, first + 1]).astype(dtype)
        with np.errstate(all="ignore"):
            assert native(items, number) == f(items, number), items
    [region] = native.traces()[0].engine_report().regions
    assert region.state == "native"
