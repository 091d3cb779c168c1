"""Datasets in traced functions, and what eager code does with them and with variables."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import autograph_rs as ag

ROWS = [{"x": np.full((2, 3), float(i)), "y": (np.float64(i), np.int64(i))} for i in range(5)]


def weighted(dataset, limit):
    total, last = 0.0, -1
    for i, row in enumerate(dataset):
        y, n = row["y"]
        if y > limit:
            break
        if n % 2 == 1:
            continue
        total += row["x"].sum() * y
        last = i
    else:
        last = 100
    return total, last


@pytest.mark.parametrize("limit", [-1.0, 2.5, 9.0])
def test_a_loop_with_jumps_over_structures(limit):
    dataset = ag.data.from_iterable(ROWS)
    assert ag.function(weighted)(dataset, np.float64(limit)) == weighted(ROWS, limit)
    assert weighted(dataset, limit) == weighted(ROWS, limit)


def test_datasets_beside_arrays():
    def f(first, second, xs):
        total = np.float64(0)
        for a, b, x in zip(first, second, xs):  # noqa: B905 - of two lengths
            total += a * b * x
        return total

    numbers = [np.float64(i) for i in range(1, 5)]
    datasets = ag.data.from_iterable(numbers), ag.data.from_iterable(numbers[:3])
    assert ag.function(f)(*datasets, np.arange(9.0)) == f(numbers, numbers[:3], np.arange(9.0))


def test_a_factory_is_called_for_each_pass():
    passes = []

    def factory():
        passes.append(None)
        return (np.ones(n) for n in (2, 3))

    dataset = ag.data.from_iterable(factory, spec=ag.TensorSpec((None,)))

    @ag.function
    def f(dataset):
        total = 0.0
        for _ in range(3):
            for x in dataset:
                total += x.sum()
        return total

    assert f(dataset) == 15.0
    assert f(dataset) == 15.0
    assert len(passes) == 6


def test_one_iterator_goes_on_where_it_was():
    iterator = iter(ag.data.from_iterable([np.float64(i) for i in range(6)]))

    @ag.function
    def rest():
        total = 0.0
        for x in iterator:
            total += x
        return total

    take = ag.function(lambda: next(iterator))
    assert take() == 0.0
    assert next(iterator) == 1.0
    assert rest() == 14.0
    assert rest() == 0.0
    with pytest.raises(StopIteration):
        take()


def test_what_is_no_dataset():
    with pytest.raises(TypeError, match="only once"):
        ag.data.from_iterable(iter([1.0]))
    with pytest.raises(ValueError, match="no element"):
        ag.data.from_iterable([])
    with pytest.raises(TypeError, match="TensorSpec"):
        ag.data.from_iterable([1.0], spec=float)
    mixed = ag.data.from_iterable([np.ones(2), np.ones(3)])
    with pytest.raises(TypeError, match=r"has the type float64\[3\], but its spec is float64\[2\]"):
        ag.function(lambda d: [x.sum() for x in d])(mixed)
    with pytest.raises(ag.StagingError, match="cannot iterate over a dataset"):
        ag.function(lambda x: x + sum(map(len, list(mixed))))(np.float64(1))


def test_variables_outside_of_functions_are_arrays():
    v = ag.Variable([1.0, 2.0], name="v")
    assert (v + 1).tolist() == [2.0, 3.0]
    assert (3 - v).tolist() == [2.0, 1.0]
    assert (v @ v, len(v), v.shape, v.sum(), np.max(v), v[1]) == (5.0, 2, (2,), 3.0, 2.0, 2.0)
    assert [float(x) for x in v] == [1.0, 2.0]
    assert np.stack([v, v]).shape == (2, 2)
    v *= 2
    v[0] = 7.0
    assert isinstance(v, ag.Variable)
    assert str(v) == "[7. 4.]"
    assert repr(v) == "Variable('v', [7. 4.], dtype=float64)"
    assert (v == v).all()
    assert {v: 1}[v] == 1
    n = ag.Variable(3)
    assert (n // 2, n % 2, -n, bool(n), [1, 2, 3, 4][n], f"{n:>3}", divmod(n, 2)) == (
        1, 1, -3, True, 4, "  3", (1, 1),
    )  # fmt: skip
    held = n.numpy()
    n.assign_add(1)
    assert (held, n.numpy()) == (3, 4)
    for copied in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        copied.assign_add([1.0, 1.0])
        assert (copied - v).tolist() == [1.0, 1.0]


def test_variables_in_every_construct():
    v, w = ag.Variable(2.0), ag.Variable([1.0, 2.0, 3.0])

    def f(x):
        if v > 1:
            w[0] += x
        while v < 10:
            v.assign(v * 2)
        total = 0.0
        for e in w:
            total += e
        first, *rest = w
        chosen = w[1:] if x > 0 else w[:2]
        return total, first, rest, chosen, len(w), v if x > 0 else -v, not v, [e for e in w if e > 2]

    staged = ag.function(f)
    made = [staged(np.float64(x)) for x in (1, -1)]
    v.assign(2.0)
    w.assign([1.0, 2.0, 3.0])
    for x, found in zip((1, -1), made, strict=True):
        for a, b in zip(found, f(np.float64(x)), strict=True):
            np.testing.assert_array_equal(a, b)
