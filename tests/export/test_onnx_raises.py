"""The engine "onnxruntime" raises the exceptions of Python and NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from backends.support import required
from engine_support import same

import autograph_rs as ag

required("onnx")
required("onnxruntime")

XS = np.array([3.0, -1.0, 2.0, -5.0, 0.5])
ROWS = np.arange(6.0).reshape(2, 3)


def set_item(x, i):
    y = x.copy()
    y[i] = 1.0
    return y


def set_of_list(x, i):
    items = [x[0], x[1]]
    items[i] = 1.0
    return items


def popped(x, i):
    items = [v for v in x if v > i]
    return items.pop(i)


@pytest.mark.parametrize(
    ("function", "arguments", "kind", "text"),
    [
        (lambda x, i: x[i], (XS, np.int64(-6)), IndexError, "index -6 is out of bounds"),
        (lambda x, i: [x[0], x[1]][i], (XS, np.int64(2)), IndexError, "^list index out of range"),
        (lambda x, i: (x[0], x[1])[i], (XS, np.int64(2)), IndexError, "^tuple index out of range"),
        (lambda x, i: x[np.stack([i, i]), [0, 1]], (ROWS, np.int64(-3)), IndexError, "^index -3 is out of"),
        (set_item, (XS, np.int64(5)), IndexError, "^index 5 is out of bounds"),
        (set_of_list, (XS, np.int64(2)), IndexError, "^list assignment index out of range"),
        (popped, (XS, np.int64(2)), IndexError, "^pop index out of range"),
        (popped, (XS, np.int64(9)), IndexError, "^pop from empty list"),
        (lambda x, i: np.zeros(i), (XS, np.int64(-1)), ValueError, "^negative dimensions are not allowed"),
        (lambda x, i: np.ones((2, i)), (XS, np.int64(-1)), ValueError, "^negative dimensions"),
        (lambda x, i: np.eye(i), (XS, np.int64(-1)), ValueError, "^negative dimensions are not allowed"),
        (lambda x, i: np.repeat(x, i, 0), (XS, np.int64(-1)), ValueError, "^negative dimensions are not"),
        (lambda x, i: np.repeat(x[:2], np.stack([i, i])), (XS, np.int64(-1)), ValueError, "^repeats may not"),
        (lambda x, i: np.digitize(x, x * i), (XS, np.int64(1)), ValueError, "^bins must be monotonically"),
        (lambda x, i: np.pad(x[:i], 1, "edge"), (XS, np.int64(0)), ValueError, "^can't extend empty axis 0"),
        (lambda x, i: math.log(x[2], i), (XS, np.float64(1)), ZeroDivisionError, "division by zero"),
        (lambda x, i: math.log(i, x[2]), (XS, np.float64(-1)), ValueError, "math domain|positive"),
        (lambda x, i: 1 // int(i), (XS, np.int64(0)), ZeroDivisionError, "by zero"),
        (lambda x, i: int(x[0] / i), (XS, np.int64(0)), OverflowError, "cannot convert"),
        (lambda x, i: np.array([2, 3]) ** i, (XS, np.int64(-1)), ValueError, "negative integer powers"),
    ],
)
def test_what_python_raises(function: Any, arguments: Any, kind: type, text: str) -> None:
    """Indices, divisors, lengths and conversions are looked at."""
    for engine in ("numpy", "onnxruntime"):
        with np.errstate(all="ignore"), pytest.raises(kind, match=text):
            ag.function(function, engine=engine)(*arguments)


def test_lengths_that_do_not_fit() -> None:
    """They are known when the model runs; then nothing is written."""
    total = ag.Variable(0.0)

    @ag.function(input_signature=[ag.TensorSpec((None,)), ag.TensorSpec((None,))], engine="onnxruntime")
    def added(x, y):
        total.assign_add(1.0)
        return x + y

    same(added(np.ones(2), np.ones(1)), np.full(2, 2.0))
    with pytest.raises(ValueError, match="could not be broadcast"):
        added(np.ones(2), np.ones(3))
    assert float(total.value) == 1
