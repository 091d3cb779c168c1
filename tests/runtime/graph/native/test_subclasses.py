"""Subclasses of arrays compute in their own way, which machine code leaves to Python."""

from __future__ import annotations

import numpy as np
import pytest
from native_support import check, described, engine_of, needs_llvm, specs
from whole_graphs import compile_whole

import autograph_rs as ag

pytestmark = needs_llvm
N = np.int64
X = np.array([1.0, 5.0, 2.0, 7.0])


class Constant(np.ndarray):
    def __getitem__(self, _key):
        return 42.0


def masked(values=X):
    return np.ma.masked_array(values.copy(), [0, 1, 0, 0] * (len(values) // 4))


def tail_sums(x, n):
    total = np.float64(0.0)
    for i in range(n):
        total = total + x[i:].sum()
    return total


def items(x, n):
    total = np.float64(0.0)
    for i in range(n):
        total = total + x[i]
    return total


def doubled(x, n):
    for i in range(n):
        x[i] = x[i] * 2
    return x


def squared(x, n):
    for _ in range(n):
        x = x * x
    return x


def from_list(x, y, n):
    rows = [x * 0]
    for i in range(1, n):
        rows.append(x * i)  # noqa: PERF401 - a loop of the graph
    total = np.float64(0.0)
    for i in range(n):
        total = total + (rows[i] * y).sum()
    return total


def chained(x, y):
    return (x * 2 + y) * x - y


def values(result):
    """Return a result with its class and, unlike its bits, what a mask hides."""
    return type(result), np.asarray(result).tolist() if result is not np.ma.masked else None, str(result)


@pytest.mark.parametrize("function", [tail_sums, items, doubled, squared])
@pytest.mark.parametrize("make", [masked, lambda: X.copy().view(Constant)])
def test_a_later_call_with_an_instance_of_a_subclass(function, make):
    native, whole, numpy = (ag.function(function, engine=e) for e in ("native", "native", "numpy"))
    for f in (native, whole, numpy):
        f(X.copy(), N(1))
    assert compile_whole(whole)
    for n in (0, 2, 3):
        expected = values(numpy(make(), N(n)))
        assert values(native(make(), N(n))) == values(whole(make(), N(n))) == expected
        assert described(native(X.copy(), N(n))) == described(function(X.copy(), N(n)))


def test_a_first_call_with_a_signature():
    signature = specs(((None,), "float64"), ((), "int64"))
    for engine in ("numpy", "native", "auto"):
        f = ag.function(tail_sums, engine=engine, input_signature=signature)
        assert f(masked(), N(2)) == tail_sums(masked(), 2) == 19.0


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_multiply():
    native = ag.function(squared, engine="native")
    native(np.eye(2), N(1))
    result = native(np.matrix([[1.0, 2.0], [3.0, 4.0]]), N(1))
    assert type(result) is np.matrix and result.tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_items_of_lists():
    native = ag.function(from_list, engine="native")
    native(X, X, N(2))
    assert native(masked(), X, N(2)) == from_list(masked(), X, 2) == 54.0
    assert native(X, masked(), N(2)) == 54.0


@pytest.mark.parametrize("shape", [(5000,), (80, 80), (300_000,)])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_chains(shape):
    plain = np.random.default_rng(1).standard_normal(shape)
    native, numpy = ag.function(chained, engine="native"), ag.function(chained, engine="numpy")
    native(plain, plain), numpy(plain, plain)
    assert engine_of(native).regions
    others = [np.ma.masked_array(plain.copy(), plain > 0), plain.view(Constant), plain]
    if len(shape) == 2:
        others.append(plain.view(np.matrix))
    for other in others:
        for arguments in ((other, plain), (plain, other)):
            result, expected = native(*arguments), numpy(*arguments)
            assert type(result) is type(expected)
            assert np.asarray(result).tobytes() == np.asarray(expected).tobytes()
            assert np.array_equal(*map(np.ma.getmaskarray, (result, expected)))


# --- Memory maps ----------------------------------------------------------------------------------


@pytest.fixture
def memory_map(tmp_path):
    def make(mode="r+"):
        X.tofile(tmp_path / "x")
        return np.memmap(tmp_path / "x", dtype=X.dtype, mode=mode, shape=X.shape)

    return make


def filled(x, n):
    y = np.zeros(4)
    for i in range(n):
        y[i] = x[i]
    return y, x


def copied(x, n):
    y = x
    for _ in range(n):
        y = x.copy()
    return y


@pytest.mark.parametrize("function", [tail_sums, items, doubled, filled, squared, copied])
def test_memory_maps_are_arrays_unless_a_result_may_be_one(memory_map, function):
    native = ag.function(function, engine="native")
    native(X.copy(), N(1))
    for n in (0, 1, 3):
        maps = memory_map(), memory_map()
        expected = described(function(maps[0], n)), maps[0].tolist()
        maps = memory_map(), memory_map()
        result = native(maps[0], N(n))
        assert (described(result), maps[0].tolist()) == expected
        if function is doubled:
            assert result is maps[0]
    [loop] = engine_of(native).regions
    assert (loop._plain is None) == (function not in (squared, copied))


def test_a_memory_map_that_is_read_only(memory_map):
    native = check(tail_sums, (X, N(2)))
    assert native(memory_map("r"), N(3)) == tail_sums(X, 3)
    with pytest.raises(ValueError, match="read-only"):
        ag.function(doubled, engine="native")(memory_map("r"), N(3))
