"""Arrays whose elements lie in another order in memory: NumPy visits them in that order."""

import numpy as np
import pytest
from native_support import check, engine_of, needs_llvm, specs

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


# --- Products and sums ----------------------------------------------------------------------------

RNG = np.random.default_rng(4)
LINE, SQUARE = RNG.normal(size=60_000), RNG.normal(size=(100, 101))
N = np.int64
LENGTHS = 3, 4, 9, 100, 20_000


def misaligned(array):
    copy = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


LINES = {
    "reversed": lambda size: LINE[:size][::-1],
    "every second": lambda size: LINE[: 2 * size : 2],
    "misaligned": lambda size: misaligned(LINE[:size]),
    "every third, reversed": lambda size: LINE[: 3 * size][::-3],
}


def product_of_parts(x, n):
    total = 0.0
    for i in range(n):
        total = total + x[i:] @ x[i:]
    return total


def product_of_carried_parts(x, n):
    total = 0.0
    for _ in range(n):
        total = total + x @ x
        x = x[1:]
    return total


def product_of_carried_halves(x, n):
    total = 0.0
    for _ in range(n):
        total = total + x @ x
        x = x[::2]
    return total


def sum_of_parts(x, n):
    total = 0.0
    for i in range(n):
        total = total + x[i:].sum() + x.mean()
    return total


def sum_of_results(x, n):
    total = 0.0
    for i in range(n):
        total = total + (x * (i + 0.1)).sum()
    return total


@pytest.mark.parametrize("layout", LINES)
@pytest.mark.parametrize(
    "f",
    [product_of_parts, product_of_carried_parts, product_of_carried_halves, sum_of_parts, sum_of_results],
)
def test_vectors_of_another_layout(f, layout):
    """BLAS has other functions for elements that lie apart, and NumPy sums what is not aligned in parts."""
    native = ag.function(f, engine="native", input_signature=specs(((None,), "float64"), ((), "int64")))
    for size in LENGTHS:
        for x in LINE[:size].copy(), LINES[layout](size):
            assert native(x, N(2)) == f(x, N(2)), size


def column_by_vector(m, v, n):
    total = 0.0
    for i in range(n):
        total = total + m[:, i] @ v
    return total


def row_by_column(m, v, n):
    total = np.zeros((1, 1))
    for i in range(n):
        total = total + m[i : i + 1, :100] @ m[:, i : i + 1]
    return total


def vector_by_column(m, v, n):
    total = 0.0
    for i in range(n):
        total = total + v[i:] @ m[i:, 1] + v @ m[:, i]
    return total


def part_by_vector(m, v, n):
    total = np.zeros(100)
    for i in range(n):
        total = total + m[:, 1:] @ v + v[i:] @ m[i:, 1:]
    return total


def part_by_part(m, v, n):
    total = np.zeros((100, 1))
    for i in range(n):
        total = total + m[:, 1:] @ m[:, i : i + 1] + m[:, i : i + 90] @ v[10:, None]
    return total


def chosen(m, v, n):
    total = 0.0
    for i in range(n):
        column = m[:, i] if i > 1 else m[:, i + 2]
        total = total + column @ v
    return total


def listed(m, v, n):
    columns = [m[:, i] for i in range(n)]
    total = 0.0
    for column in columns:
        total = total + column @ v
    return total


PRODUCTS = column_by_vector, row_by_column, vector_by_column, part_by_vector, part_by_part


@pytest.mark.parametrize("f", PRODUCTS)
def test_products_of_parts_of_a_matrix(f):
    calls = [(m, v, N(5)) for m in (SQUARE, SQUARE[::-1], np.asfortranarray(SQUARE), misaligned(SQUARE))
             for v in (LINE[:100].copy(), LINE[:200:2])]  # fmt: skip
    check(f, *calls, input_signature=specs(((None, None), "float64"), ((None,), "float64"), ((), "int64")))


@pytest.mark.parametrize("f", [chosen, listed])
def test_columns_that_machine_code_would_copy(f):
    forms = specs(((None, None), "float64"), ((None,), "float64"), ((), "int64"))
    check(f, (SQUARE, LINE[:100].copy(), N(5)), input_signature=forms, is_native=False)


def test_a_matrix_whose_rows_lie_apart_stays_native():
    """BLAS computes with such rows as with a copy. A loop gets the part of a matrix from outside."""
    forms = specs(((None, None), "float64"), ((None,), "float64"), ((), "int64"))
    native = check(part_by_vector, (SQUARE, LINE[:100].copy(), N(5)), input_signature=forms)
    [trace] = native.traces()
    assert [r.state for r in trace.engine_report().regions] == ["native"]
    assert engine_of(native).regions[0]._plain is None  # it never ran in Python
