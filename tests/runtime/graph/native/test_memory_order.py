"""Arrays whose elements lie in another order in memory: NumPy visits them in that order."""

import numpy as np
import pytest
from native_support import needs_llvm

import autograph_rs as ag

pytestmark = needs_llvm
ROWS = np.random.default_rng(3).normal(size=(40, 30)) * 10.0 ** np.arange(40)[:, None]
LAYOUTS = {
    "C": ROWS,
    "Fortran": np.asfortranarray(ROWS),
    "transposed": ROWS[:30].T,
    "reversed": ROWS[::-1],
    "every second": np.repeat(ROWS, 2, axis=1)[:, ::2],
}


def total(rows, n):
    result = 0.0
    for _ in range(n):
        result = result * 0.5 + rows.sum()
    return result


def of_products(rows, n):
    result = 0.0
    for _ in range(n):
        result = result * 0.5 + (rows * rows).mean()
    return result


def of_columns(rows, n):
    result = np.zeros(rows.shape[1])
    for _ in range(n):
        result = result * 0.5 + rows.sum(axis=0)
    return result


def of_elements(rows, n):
    result = 0.0
    for i in range(n):
        result += rows[i, 0] * rows[0, i]
    return result


SPECS = [ag.TensorSpec((None, None), float), ag.TensorSpec((), int)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", [total, of_products, of_columns, of_elements])
def test_sums_have_the_same_bits(f, layout):
    rows, n = LAYOUTS[layout], np.int64(5)
    native = ag.function(f, engine="native", input_signature=SPECS)
    assert np.array_equal(native(rows, n), f(rows, n))
    assert [r.state for r in native.traces()[0].engine_report().regions] == ["native"]


def test_a_check_of_one_branch_leaves_at_its_own_checkpoint():
    def f(a, c, w, n):
        total = 0.0
        for i in range(n):
            if i % 2 == 0:
                total = c.sum()
            else:
                c = c % w[0]
                a = np.exp(a)
        return a, c, total

    given = np.array([1.0, 1000.0]), np.ones((2, 0)), np.zeros(1), np.int64(4)
    specs = [ag.TensorSpec((None,) * np.ndim(x), x.dtype) for x in given]
    results = {}
    for engine in ("numpy", "native"):
        with np.errstate(all="ignore"):
            results[engine] = ag.function(f, engine=engine, input_signature=specs)(*given)
    with pytest.warns(RuntimeWarning, match="overflow encountered in exp"):
        ag.function(f, engine="native", input_signature=specs)(*given)
    for one, other in zip(*results.values(), strict=True):
        assert np.array_equal(one, other)
