"""Every ufunc, by every method, has the type that NumPy gives its result."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from test_rules_support import Python, assorted, compare, filled

import autograph_rs as ag
from autograph_rs.runtime.errors import StagingError
from autograph_rs.runtime.graph.ir.types import ArrayType, ScalarType
from autograph_rs.runtime.graph.rules import ufunc_type

UFUNCS = sorted(
    {f for f in vars(np).values() if isinstance(f, np.ufunc)},
    key=lambda f: f.__name__,
)
ELEMENTWISE = [f for f in UFUNCS if f.signature is None]
STACKED = [f for f in UFUNCS if f.signature is not None]
KINDS = (np.bool_, np.uint8, np.int32, np.int64, np.float32, np.float64, np.complex128)
SCALARS = (Python(True), Python(2), Python(1.5), Python(2j), 3, 0.5, 1j, True)


def check(ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> None:
    def rule(*types: Any, **options: Any) -> Any:
        return ufunc_type(ufunc, method, types, options)

    try:
        compare(getattr(ufunc, method), rule, args, kwargs, sized=False)
    except Exception as error:
        error.add_note(f"in np.{ufunc.__name__}.{method}(*{args}, **{kwargs})")
        raise


@pytest.mark.slow
@pytest.mark.parametrize("ufunc", ELEMENTWISE, ids=lambda f: f.__name__)
def test_dtypes_of_calls(ufunc: np.ufunc) -> None:
    """All dtypes with each other, and with Python numbers, which promote weakly."""
    arrays = [filled(kind, 3) for kind in KINDS]
    if ufunc.nin == 1:
        for value in (*arrays, *SCALARS):
            check(ufunc, "__call__", value)
        return
    for pair in (*product(arrays, arrays), *product(arrays, SCALARS), *product(SCALARS, arrays)):
        check(ufunc, "__call__", *pair)
    for pair in product(SCALARS, SCALARS):
        check(ufunc, "__call__", *pair)


def test_shapes_of_calls() -> None:
    """Inputs broadcast, with `where` as one of them."""
    for left, right in product(assorted(dtypes=(np.float32,)), repeat=2):
        check(np.add, "__call__", left, right)
        check(np.divmod, "__call__", left, right)
    check(np.add, "__call__", filled(np.int32, 3), 1, where=filled(np.bool_, 2, 3))


def test_options_of_calls() -> None:
    """`dtype` and `casting` are honoured, and refused as NumPy refuses them."""
    whole, real = filled(np.int32, 3), filled(np.float64, 3)
    check(np.add, "__call__", whole, 1, dtype=np.float32)
    check(np.add, "__call__", real, 1, dtype=np.int32)
    check(np.add, "__call__", real, 1, dtype=np.float32, casting="safe")
    check(np.add, "__call__", whole, 1, casting="no")
    check(np.less, "__call__", whole, 1, dtype=object, casting="unsafe")
    check(np.add, "__call__", filled(np.uint8, 3), 300)


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "outer"])
def test_methods(method: str) -> None:
    """Reductions and their relatives, over all dtypes and several axes."""
    for ufunc in (np.add, np.multiply, np.maximum, np.logical_and, np.subtract, np.bitwise_or):
        for array in assorted():
            if method == "outer":
                check(ufunc, method, array, filled(np.float32, 2))
                continue
            between = ([0],) if method == "reduceat" else ()
            check(ufunc, method, array, *between)
            check(ufunc, method, array, *between, axis=-1)
            check(ufunc, method, array, *between, axis=1)
        if method == "reduce":
            array = filled(np.int32, 2, 3)
            for options in (
                {"axis": None},
                {"axis": (0, 1), "keepdims": True},
                {"dtype": np.float32},
                {"initial": Python(3)},
                {"initial": 1, "where": np.array([True, False, True])},
            ):
                check(ufunc, method, array, **options)


@pytest.mark.parametrize("ufunc", STACKED, ids=lambda f: f.__name__)
def test_generalised_ufuncs(ufunc: np.ufunc) -> None:
    """Core dimensions match by name, the others broadcast, and errors say what NumPy says."""
    shapes = ((), (3,), (4,), (2, 3), (3, 2), (3, 3), (5, 2, 3), (5, 3, 3), (2, 1, 3, 3), (0, 3))
    for left, right in product(shapes, shapes):
        check(ufunc, "__call__", filled(np.float32, *left), filled(np.int64, *right))
    cube = filled(np.float64, 3, 3, 3)
    options = {
        "matmul": [{"axes": [(0, 1), (1, 2), (0, 2)]}, {"axes": [(2, 0), (0, 1), (-1, -2)]}],
        "vecdot": [{"axis": 0}, {"axis": 1, "keepdims": True}, {"axes": [0, 2]}],
        "matvec": [{"axes": [(0, 2), (1,), (0,)]}],
        "vecmat": [{"axes": [(0,), (0, 2), (1,)]}],
    }
    for chosen in options[ufunc.__name__]:
        check(ufunc, "__call__", cube, cube, **chosen)


def test_strings() -> None:
    """Arrays of strings have a width; a staged Python string has none until run time."""
    words = np.array(["ab", "c"])
    check(np.add, "__call__", words, np.array(["def"]))
    check(np.equal, "__call__", words, Python("ab"))
    check(np.strings.str_len, "__call__", words)
    add = partial(ufunc_type, np.add, "__call__")
    with pytest.raises(StagingError, match="length"):
        add((ArrayType(words.dtype, (2,)), ScalarType(str)), {})


def test_no_warning_at_trace_time() -> None:
    """Dummies warn of nothing, whatever is computed with them."""
    assert ufunc_type(np.arctanh, "__call__", (ArrayType(np.dtype("f4"), (2,)),), {}) == ArrayType(
        np.dtype("f4"), (2,)
    )


def iterated_power(u, n):
    for _ in range(n):
        u = np.power(0.5, u)
    return u


def iterated_operator(u, n):
    for _ in range(n):
        u = 0.5**u
    return u


@pytest.mark.parametrize("f", [iterated_power, iterated_operator])
def test_a_power_of_a_plain_number_is_rounded_as_the_function_or_the_operator_does(f) -> None:
    """For numbers of NumPy, they round differently: here in the seventh iteration."""
    staged = ag.function(f, engine="numpy")
    for n in range(12):
        assert staged(np.float64(0), np.int64(n)) == f(np.float64(0), np.int64(n))


def power_of_a_scalar(v):
    return np.power(np.float32(200), v), np.float32(200) ** v


def test_a_power_of_a_scalar_of_numpy_is_rounded_as_the_function_or_the_operator_does() -> None:
    """They round differently where NumPy computes the function of arrays in another way: here on x86."""
    v = np.float32(-7.25)
    assert ag.function(power_of_a_scalar, engine="numpy")(v) == power_of_a_scalar(v)


def multiplied(a, b):
    c, d, e = a + 0, a + 0, a + 0
    c *= b
    np.multiply(d, b, out=d)
    e *= e
    e[:2] *= b[:2]
    return c, d, e, a * b


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_complex_products_in_place_have_every_bit(dtype, size):
    """NumPy uses another loop for them, which rounds some products otherwise."""
    rng = np.random.default_rng(0)
    staged = ag.function(multiplied)
    for _ in range(50):
        a, b = (rng.normal(size=(2, size, 2)) @ np.array([1, 1j])).astype(dtype)
        for actual, expected in zip(staged(a, b), multiplied(a, b), strict=True):
            assert actual.tobytes() == expected.tobytes()


def test_complex_products_in_place_have_gradients():
    def product(a, b):
        a = a + 0
        a *= b
        return a.real.sum()

    a, b = np.array([1 + 2j, 3 - 1j]), np.array([0.5 - 1j, 2 + 1j])
    for actual, expected in zip(ag.grad(product, (0, 1))(a, b), (b, a), strict=True):
        np.testing.assert_allclose(actual, expected)


@pytest.mark.parametrize("x", [np.float64(1.0), np.ones((2, 3)), np.ones(0), np.int32(1), 1])
@pytest.mark.parametrize(
    "f",
    [lambda x: x == "a", lambda x: x != "a", lambda x: x == f"{np.sum(x):.0f}"],
    ids=["==", "!=", "staged"],
)
def test_a_number_equals_no_text(f, x):
    expected, result = f(x), ag.function(f)(x)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected)
