"""Items that an iteration reads after the iteration before has written them."""

import numpy as np
import pytest
from native_support import check, draw, needs_llvm, specs

from autograph_rs.runtime.graph.native.codegen import control_flow, recurrences
from autograph_rs.runtime.graph.native.linking import cache

pytestmark = needs_llvm


def cumulative(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i] + y[i - 1]
    return y


def filtered(x):
    y = np.zeros(len(x))
    for i in range(2, len(x)):
        y[i] = 0.5 * y[i - 1] - 0.25 * y[i - 2] + x[i]
    return y


def backwards(x):
    y = x.copy()
    for i in range(len(x) - 2, -1, -1):
        y[i] = y[i + 1] * 2 - y[i]
    return y


def ahead(x):
    y = x.copy()
    for i in range(len(x) - 1):
        y[i + 1] = y[i] - x[i]
    return y


def every_second(x):
    y = x.copy()
    for i in range(2, len(x), 2):
        y[i] = y[i - 2] * 3 - y[i - 1]
    return y


def switched(x):
    y = x > 0
    for i in range(1, len(x)):
        y[i] = y[i - 1] ^ y[i]
    return y


def rows(x):
    y = x.copy()
    for i in range(y.shape[0]):
        for j in range(1, y.shape[1]):
            y[i, j] = y[i, j] - y[i, j - 1]
    return y


def columns(x):
    y = x.copy()
    for j in range(y.shape[1]):
        for i in range(1, y.shape[0]):
            y[i, j] = min(y[i - 1, j], y[i, j])
    return y


def last_column(x):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i, -1] = y[i - 1, -1] + y[i, 0]
    return y


def in_argument(x):
    for i in range(1, len(x)):
        x[i] = x[i] * x[i - 1]


def constants(x):
    y = x.copy()
    for i in range(1, len(x)):
        x[i] = y[i] * y[i - 1]
        y[i] = 0.0
    return y


CARRIED = {
    cumulative: 1, filtered: 2, backwards: 1, ahead: 1, every_second: 1, switched: 1, rows: 1, columns: 1,
    last_column: 1, in_argument: 1, constants: 1,
}  # fmt: skip
"""The number of items that each function carries."""


def beside(x):
    y = x.copy()
    for i in range(2, len(x)):
        y[i] = y[i - 1]
        y[i - 2] = x[i]  # a second item
    return y


def at_end(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i - 1]  # the last one, at first
    return y


def after(x):
    y, last = x.copy(), np.float64(0)
    for i in range(1, len(x)):
        y[i] = x[i]
        last = y[i - 1] + last
    return y, last


def twice_before(x):
    y = x.copy()
    for i in range(2, len(x)):
        y[i] = y[i - 2]
    return y


def of_either(x):
    y = x.copy()
    for i in range(1, len(x)):
        if x[i] > 0:
            y[i] = y[i - 1]
    return y


def ended(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] + 1
        if y[i] > 5:
            break
    return y


def diagonal(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i, i] = y[i - 1, i - 1] + 1
    return y


OTHERS = (beside, at_end, after, twice_before, of_either, ended)


@pytest.fixture
def found(monkeypatch):
    """The recurrences that the compiler finds."""
    every: list = []

    def noted(*arguments):
        here = [*recurrences.recurrences(*arguments)]
        every.extend(here)
        return iter(here)

    monkeypatch.setattr(cache, "load", lambda _: None)
    monkeypatch.setattr(control_flow, "recurrences", noted)
    return every


def calls(f, dtype):
    if f in (rows, columns, last_column, diagonal):
        signature = specs(((None, None), dtype))
        shapes = [(5, 7), (1, 4), (4, 1), (2, 2), (0, 3), (3, 0), (30, 30)]
        return signature, [
            (draw(r * c, r + c, dtype).reshape(r, c),) for r, c in shapes if f is not diagonal or r == c
        ]
    return specs(((None,), dtype)), [(draw(n, n, dtype),) for n in (50, 0, 1, 2, 3, 4, 5, 400)]


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32", "int8", "uint64"])
@pytest.mark.parametrize("f", CARRIED, ids=lambda f: f.__name__)
def test_results_are_those_of_python(found, f, dtype):
    signature, arguments = calls(f, dtype)
    check(f, *arguments, input_signature=signature)
    assert {len(r.reads) for r in found} == {CARRIED[f]}


@pytest.mark.parametrize("f", [*OTHERS, diagonal], ids=lambda f: f.__name__)
def test_other_items_are_read_from_memory(found, f):
    signature, arguments = calls(f, "float64")
    check(f, *arguments, input_signature=signature)
    assert not found


def test_errors_have_the_state_of_python(found):
    def product(x, n):
        for i in range(1, n):
            x[i] = x[i - 1] + x[i]

    def overflowing(x):
        for i in range(1, len(x)):
            x[i] = x[i] + x[i - 1] + 1

    large = np.full(20, 2**60)
    signature = specs(((None,), "float64"), ((), "int64"))
    arguments = [(np.ones(5), np.int64(n)) for n in (5, 9)]
    check(product, *arguments, input_signature=signature, plain=False)
    check(overflowing, (large,), (np.full(30, 2**62),), input_signature=specs(((None,), "int64")))
    check(
        overflowing, (large,), errors={"all": "raise"}, plain=False, input_signature=specs(((None,), "int64"))
    )
    assert found
