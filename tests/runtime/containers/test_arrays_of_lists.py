"""Arrays of lists that are empty when a loop begins, or whose items are None at first."""

import numpy as np
import pytest

import autograph_rs as ag


def returned_before_the_first_item(xs, limit):
    kept = []
    for k, x in enumerate(xs):
        if x < limit:
            return k, np.array(kept)
        kept.append(x * 2)
    return -1, np.array(kept)


def returned_from_an_inner_loop(xs, limit):
    kept, count = [], 0
    for k, x in enumerate(xs):
        for y in xs:
            if x + y < limit:
                return np.array(kept), count
            count += 1
        kept.append(k)
    return np.array(kept), count


def two_lists(xs, limit):
    def total(values):
        return np.array(values).sum()

    low, high = [], []
    for i, x in enumerate(xs):
        if x < limit and i > 1:
            return total(low), total(high), np.array(high)
        if x < 2 * limit:
            low.append(x)
        else:
            high.append(i + 2**53)
    return total(low), total(high), np.array(high)


def never_filled(xs, limit):
    kept = []
    for x in xs:
        if x > 1000 + limit:
            kept.append(x)
    return np.array(kept), np.sum(kept), len(kept)


def rows(xs, limit):
    found = []
    for i, x in enumerate(xs):
        if x < limit and i > 2:
            return np.array(found)
        if x > limit:
            found.append([i, x])
    return np.array(found)


def in_a_try(xs, limit):
    kept = []
    try:
        for x in xs:
            if x < limit:
                raise ValueError
            kept.append(x)
    except ValueError:
        return np.array(kept).sum(), True
    return np.array(kept).sum(), False


def filled_afterwards(xs, limit):
    placed = [None] * len(xs)
    for i, x in enumerate(xs):
        placed[-i - 1] = max(x, limit)
    return np.array(placed), np.mean(placed), np.cumsum(placed)


def none_or_a_number(xs, limit):
    kept = []
    for x in xs:
        inside = None
        for k in range(20):
            if x > limit + k:
                inside = k
        kept.append(np.nan if inside is None else inside)
    return np.array(kept)


FUNCTIONS = [
    returned_before_the_first_item, returned_from_an_inner_loop, two_lists, never_filled, rows,
    in_a_try, filled_afterwards, none_or_a_number,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("xs", [[1.0, 2.0, 3.0, 0.2], [0.1, 2.0], [3.0, 0.5, 9.0]])
def test_lists(f, xs):
    expected = f(np.array(xs), 0.5)
    found = ag.function(f)(np.array(xs), np.float64(0.5))
    for a, b in zip(*[v if isinstance(v, tuple) else (v,) for v in (found, expected)], strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype


def placed_where(xs, limit):
    placed = [None] * len(xs)
    for i, x in enumerate(xs):
        if x > limit:
            placed[i] = x
    return np.array(placed).sum()


def test_none_among_the_items():
    staged = ag.function(placed_where)
    assert staged(np.array([1.0, 2.0]), np.float64(0.5)) == 3.0
    with pytest.raises(ag.StagingError, match="a list that contains None") as error:
        staged(np.array([1.0, 0.2]), np.float64(0.5))
    assert "np.array(placed)" in str(error.value)


def test_always_before_the_first_item():
    """The dtype of what is added up follows from the items, which the loop appends afterwards."""

    def f(xs):
        kept, total = [], 0
        for x in xs:
            total = total + np.array(kept).sum()
            kept.append(int(x))
        return total

    with pytest.raises(ag.StagingError, match="whose items are no numbers or arrays of one type"):
        ag.function(f)(np.array([1.0, 2.0]))


def test_derivative():
    gradient = ag.grad(placed_where)
    np.testing.assert_array_equal(gradient(np.array([1.0, 2.0]), 0.5), [1.0, 1.0])


def test_saved(tmp_path):
    staged = ag.function(placed_where)
    staged(np.array([1.0, 2.0]), np.float64(0.5))
    ag.save(staged, tmp_path / "placed.ag")
    loaded = ag.load(tmp_path / "placed.ag")
    assert loaded(np.array([1.0, 2.0]), np.float64(0.5)) == 3.0
