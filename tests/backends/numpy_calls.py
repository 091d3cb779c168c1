"""Calls of NumPy's functions, each with what NumPy gives, to be made with staged arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

A = np.array([[1.5, -2.5, 3.0], [0.5, 4.0, -6.0]])
V = np.array([3.0, -1.0, 2.0, 2.0])
N = np.array([4, -7, 9, -3])
M = np.array([3, 2, -4, 2])
B = np.array([True, False, True])
S = np.array([[2.0, 1.0], [1.0, 3.0]])
I = np.array([2, -1, 0])  # noqa: E741 - indexes

SMOOTH = """
    abs negative sqrt exp log sin cos tan tanh sign floor ceil rint trunc square reciprocal isnan isfinite
    isinf arctan sinh cosh log1p expm1 log2 log10 cbrt exp2 deg2rad degrees signbit nan_to_num
"""
PAIRS = """
    add subtract multiply divide floor_divide mod remainder fmod maximum minimum fmax fmin arctan2 hypot
    copysign logaddexp greater equal not_equal less_equal heaviside float_power
"""

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def calls() -> Iterator[Call]:
    def call(names: str, *args: Any, **kwargs: Any) -> None:
        found.extend((name, args, kwargs) for name in names.split())

    found: list[Call] = []
    call(SMOOTH, np.abs(V))
    call(SMOOTH, V)
    call("floor ceil trunc sign abs square negative sqrt exp isnan invert mean std median prod", N)
    whole = "sum prod mean std var max min argmax argmin all any"
    call(f"{whole} median ptp cumsum cumprod sort argsort flip ravel diff count_nonzero nansum nanmax", A)
    call(f"{whole} median cumsum cumprod sort flip diff", V)
    call(f"{whole} cumsum sort flip diff", A, axis=1)
    call("sum mean max std var", A, axis=1, keepdims=True)
    call("std var", V, ddof=1)
    call("sum mean max cumsum argmax", B)
    call("sum prod cumsum", N.astype(np.int32))
    call("percentile", V, 30)
    call("quantile", V, 0.3)
    call("average", V, weights=np.abs(V))
    call(PAIRS, np.abs(V), V[::-1] + 0.5)
    call(PAIRS.replace("float_power", ""), V, V[::-1] + 0.5)
    call(PAIRS.replace("float_power", ""), N, M)
    call(f"{PAIRS} power", N, 2)
    call("floor_divide mod remainder fmod", N, -4)
    call("floor_divide mod", V, -2.0)
    call("bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm", np.abs(N), np.abs(M))
    call("logical_and logical_or logical_xor", B, ~B)
    call("logical_not", V)
    call("where", A > 0, A, 0.0)
    call("where", V > 0, N, V)
    call("clip", V, -1, 1)
    call("clip", N, 0, 5)
    call("take", V, I)
    call("take", A, I, axis=1)
    call("take", V, -1)
    call("take_along_axis", A, np.array([[0, 1, 2], [1, 0, 0]]), axis=1)
    call("reshape", A, (3, -1))
    call("transpose fliplr flipud rot90 atleast_2d zeros_like ones_like real imag conj", A)
    call("swapaxes moveaxis", A, 0, 1)
    call("expand_dims", A, -1)
    call("squeeze", V[None])
    call("broadcast_to", V, (2, 4))
    call("concatenate hstack vstack stack", [A, A])
    call("concatenate stack", [A, A], axis=1)
    call("concatenate", [V, N])
    call("append", V, N)
    call("split", V, 2)
    call("array_split", V, 3)
    call("tile repeat roll", V, 2)
    call("dot matmul inner outer kron vdot", S, S)
    call("dot inner outer vdot convolve", V, V)
    call("tensordot", S, S, 1)
    call("einsum", "ij,jk->ik", S, S)
    call("cross", V[:3], V[1:])
    call("diag trace tril triu diagonal", S)
    call("diag", V)
    call("full_like", A, 7)
    call("searchsorted", np.sort(V), 1.0)
    call("allclose isclose", V, V + 1e-9)
    call("array_equal", V, V)
    call("polyval", V, 2.0)
    call("pad", A, ((1, 0), (0, 1)), mode="edge")
    call("pad", V, 1, constant_values=3.0)
    call("round", V * 1.2345, 2)
    call("linalg.norm linalg.inv linalg.det linalg.cholesky linalg.eigvalsh linalg.pinv linalg.slogdet", S)
    call("linalg.solve", S, V[:2])
    call("add.reduce multiply.reduce maximum.reduce minimum.reduce add.accumulate multiply.accumulate", A)
    call("logical_and.reduce logical_or.reduce", A > 0)
    call("add.reduce", A, axis=1)
    call("add.reduce", A, keepdims=True)
    call("add.outer subtract.outer multiply.outer", A, V)
    yield from found


def functions() -> Iterator[tuple[Call, Callable[..., Any], list[np.ndarray], Any]]:
    """A call, a function of its arrays that makes it, these, and what NumPy gives."""
    for name, args, kwargs in calls():
        function: Any = np
        for part in name.split("."):
            function = getattr(function, part)
        arrays: list[np.ndarray] = []

        def lifted(value: Any, arrays: list[np.ndarray] = arrays) -> Callable[[Any], Any]:
            if isinstance(value, np.ndarray):
                arrays.append(value)
                place = len(arrays) - 1
                return lambda given: given[place]
            if isinstance(value, list):
                parts = [lifted(part) for part in value]
                return lambda given: [part(given) for part in parts]
            return lambda given: value

        made = [lifted(arg) for arg in args]

        def run(
            *given: Any, function: Any = function, made: Any = made, kwargs: dict[str, Any] = kwargs
        ) -> Any:
            return function(*[argument(given) for argument in made], **kwargs)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield (name, args, kwargs), run, arrays, function(*args, **kwargs)


def agrees(result: Any, expected: Any) -> bool:
    """Return whether a system's result equals NumPy's, with the same shape and kind of number."""
    if isinstance(expected, (tuple, list)):
        return len(result) == len(expected) and all(map(agrees, result, expected))
    result, expected = np.asarray(result), np.asarray(expected)
    is_same = result.shape == expected.shape and result.dtype.kind == expected.dtype.kind
    return is_same and np.allclose(result, expected, rtol=1e-4, atol=1e-5, equal_nan=True)


def differing(system: Callable[[Callable[..., Any], list[np.ndarray]], Any]) -> tuple[list[str], int]:
    """The calls in which a system differs from NumPy, and the number of those that it makes."""
    wrong, made = [], 0
    for (name, _, kwargs), run, arrays, expected in functions():
        try:
            result = system(run, arrays)
        except Exception:
            continue
        made += 1
        if not agrees(result, expected):
            wrong.append(
                f"{name} of {[f'{a.dtype}{a.shape}' for a in arrays]} {kwargs}: {result}, {expected}"
            )
    return wrong, made
