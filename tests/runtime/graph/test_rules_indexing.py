"""Subscripts have the type that NumPy gives them, and fail as they fail in NumPy."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from test_rules_support import Constant, Python, compare, filled, values

from autograph_rs.runtime.graph.ir.types import ArrayType
from autograph_rs.runtime.graph.rules import check_setitem, getitem_type

PARTS = (
    0,
    -1,
    7,
    Constant(np.int64(1)),
    None,
    Ellipsis,
    True,
    False,
    slice(None),
    slice(1, None),
    slice(None, -1),
    slice(-1, 0, -2),
    slice(None, None, -1),
    slice(0, None, -1),
    slice(5, 2),
    [0, 1],
    [[0], [1]],
    [],
    [True, False],
    Constant(np.array(1)),
    Constant(np.array([1, 0, 1])),
    Constant(np.zeros((2, 0), int)),
    Constant(np.array([True, True, False])),
    Constant(np.ones((2, 3), bool)),
    1.5,
    Constant(np.array([1.0, 2.0])),
)
STAGED_PARTS = (
    Python(1),
    np.array([0, 1]),
    np.array([[0], [0]]),
    np.array([True, False, True]),
    np.ones((2, 3), bool),
    slice(Python(1), None),
    slice(None, Python(2), None),
)


def strict() -> bool:
    """Return whether this NumPy checks the bounds of an index that selects nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.zeros((0, 1))[:, [1]] is None
        except IndexError:
            return True


STRICT = strict()


def keys(count: int, parts: tuple[Any, ...], seed: int) -> Any:
    """Arrays of assorted ranks, each with a key of parts picked at random."""
    choose = random.Random(seed)
    for _ in range(count):
        shape = [choose.choice((0, 1, 2, 3, 3)[not STRICT :]) for _ in range(choose.randint(0, 4))]
        key = tuple(choose.choice(parts) for _ in range(choose.randint(0, 4)))
        lone = len(key) == 1 and choose.random() < 0.5
        yield filled(np.float32, *shape), key[0] if lone else key


def getitem(array: Any, key: Any) -> Any:
    return array[key]


# A tuple of parts, or one part; lists are arrays of integers to NumPy, and so they are here.
@pytest.mark.slow
@pytest.mark.parametrize("parts", [PARTS, PARTS + STAGED_PARTS], ids=["constant", "staged"])
def test_getitem(parts: tuple[Any, ...]) -> None:
    """Keys picked at random: shape, dtype, and errors, which only constants make certain."""
    for array, key in keys(6000, parts, seed=len(parts)):
        if parts is PARTS:
            check(getitem, getitem_type, array, key)
            continue
        try:
            getitem(array, values(key))
        except Exception:
            continue
        check(getitem, getitem_type, array, key, exact=False)


def check(function: Any, rule: Any, *args: Any, exact: bool = True) -> None:
    if not STRICT and selects_nothing(*args[:2]):
        return
    try:
        compare(function, rule, args, {}, exact=exact)
    except Exception as error:
        error.add_note(f"in {args}")
        raise


def selects_nothing(array: Any, key: Any) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return array[values(key)].size == 0
        except IndexError:
            return False


def setitem(array: Any, key: Any, value: Any) -> None:
    array = array.copy()
    array[key] = value


def test_setitem() -> None:
    """A value that cannot be stretched to its place fails as in NumPy."""
    choose = random.Random(5)
    for array, key in keys(6000, PARTS, seed=9):
        value = filled(np.float32, *choose.choice(((), (1,), (2,), (3,), (2, 3), (1, 3), (1, 1, 2))))
        check(setitem, check_setitem, array, key, value)


@pytest.mark.parametrize(
    ("shape", "key", "expected"),
    [
        ((None, 3), slice(2), (None, 3)),
        ((None, 3), slice(None), (None, 3)),
        ((None, 3), slice(None, None, -1), (None, 3)),
        ((None, 3), 5, (3,)),
        ((None, 3), (Ellipsis, 0), (None,)),
        ((None, 3), np.array([True, False]), (1, 3)),
        ((5, 3), ArrayType(np.dtype(bool), (5,)), (None, 3)),
        ((5, 3), ArrayType(np.dtype(bool), (5, 3)), (None,)),
        ((5, 3), ArrayType(np.dtype(int), (None, 2)), (None, 2, 3)),
        ((5, 3), (ArrayType(np.dtype(int), (None,)), np.array([0, 1])), (2,)),
    ],
)
def test_unknown_dimensions(shape: Any, key: Any, expected: Any) -> None:
    """The inferred type of a subscript of an array with unknown dimensions."""
    assert getitem_type(ArrayType(np.dtype("f4"), shape), key).shape == expected
