"""Arrays that are None after a loop without iterations: each use and each change of them is as in Python."""

import numpy as np
import pytest
from after_loops import doubled

import autograph_rs as ag


def number(x, n):
    found = None
    for _ in range(n):
        found = np.array(5.0)
    return found


def fills(t):
    t.fill(7.0)
    return t


def fills_if_there(t):
    if t is not None:
        t.fill(7.0)
    return t


def sorts_and_puts(t):
    t.sort()
    t.put([0], [5.0])
    np.put(t, [1], 3.0)
    np.add.at(t, [0], 1.0)
    return t


def writes_to_a_view(t):
    v = t[:1]
    v[0] = 8
    np.asarray(t)[1] = 4
    return t


def writes_by_two_names(t):
    u = t
    u[0] = 5
    t[1] = 6
    u.fill(t[0])
    return t, u


def computes_in_place(t):
    t += 1
    t *= 2
    t -= t.mean()
    np.add(t, 1, out=t)
    return t


def sets_by_masks_and_slices(t):
    t[t > 2] = 0
    t[1:] = 9
    return t


def sets_an_item_again_and_again(t):
    for _ in range(3):
        t[0] += 1
    return t


def sets_after_an_assertion(t):
    assert t is not None, "it is None"
    t[0] = 1
    return t


def sets_after_an_early_return(t):
    if t is None:
        return np.zeros(2)
    t[0] = 1
    return t


def adds_after_a_raise(t):
    if t is None:
        raise ValueError("no iterations")
    t += 1
    return t


def replaces_none(t):
    if t is None:
        t = np.zeros(2)
    return t


def selects(t):
    return np.zeros(2) if t is None else t


def searches(t):
    return 2.0 in t, tuple(t), list(t), max(t)


def sets_in_branches(t):
    if t[0] > 3:
        t[0] = 5
    else:
        t[0] = 6
    if t[1] < 0:
        t[1] = 7
    return t


def puts_it_in_a_list(t):
    held = [t]
    held[0][0] = 9
    return t


def changes_an_attribute(t):
    class Holder:
        pass

    holder = Holder()
    holder.t = t
    holder.t[0] = 4
    holder.t.sort()
    return t


def adds_by_another_name(t):
    u = t
    u += 1
    return t


def handles_none(t):
    try:
        t[0] = 4
        return t.sum()
    except (TypeError, AttributeError):
        return -1.0


def shown(value):
    return np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic, list, tuple)) else value


def outcome(f, *arguments):
    try:
        return shown(f(*arguments))
    except Exception as error:
        return type(error), str(error).partition("\n")[0]  # pytest adds lines to assertions


OF_ARRAYS = [
    fills,
    fills_if_there,
    sorts_and_puts,
    writes_to_a_view,
    writes_by_two_names,
    computes_in_place,
    sets_by_masks_and_slices,
    sets_an_item_again_and_again,
    sets_after_an_assertion,
    sets_after_an_early_return,
    adds_after_a_raise,
    replaces_none,
    selects,
    searches,
    sets_in_branches,
    puts_it_in_a_list,
    changes_an_attribute,
    adds_by_another_name,
    handles_none,
]
OF_NUMBERS = [fills, adds_by_another_name, fills_if_there]


@pytest.mark.parametrize(
    ("make", "use"), [*[(doubled, f) for f in OF_ARRAYS], *[(number, f) for f in OF_NUMBERS]]
)
def test_as_in_python(make, use):
    def f(x, n):
        return use(make(x, n))

    staged = ag.function(f)
    for n in range(3):
        expected = outcome(f, np.array([3.0, 1.0]), n)
        assert outcome(staged, np.array([3.0, 1.0]), np.int64(n)) == expected, n


def test_nested_loops():
    def sums(x, n):
        total, counts = None, None
        for k in range(n):
            for _ in range(n):
                total = x.copy() if total is None else total + x
            for j in range(k + 1):
                if counts is None:
                    counts = np.zeros(4)
                counts[j] += 1
        return total, counts

    staged = ag.function(sums)
    assert staged(np.ones(2), np.int64(0)) == (None, None)
    for n in (1, 2, 3):
        for got, expected in zip(staged(np.ones(2), np.int64(n)), sums(np.ones(2), n), strict=True):
            assert np.array_equal(got, expected)


def argument(x, n):
    found = None
    for _ in range(n):
        found = x
    return found


def part_of_the_argument(x, n):
    found = None
    for _ in range(n):
        found = x[1:]
    return found


@pytest.mark.parametrize("make", [argument, part_of_the_argument])
def test_a_write_that_would_have_to_reach_another_name_is_refused(make):
    with pytest.raises(ag.AliasError, match="cannot be written to in place"):
        ag.function(lambda x, n: fills(make(x, n)))(np.array([3.0, 1.0]), np.int64(1))


@pytest.mark.parametrize("convert", [lambda x: x, lambda x: x.tolist()], ids=["array", "list"])
def test_items_of_what_may_be_none(convert):
    def items(xs):
        found = np.flatnonzero(xs > 0)
        kept = convert(xs[found[0] : found[0] + 2]) if found.size else None
        if kept is None:
            return 0.0
        first, second = kept
        return first * second

    def starred(xs):
        kept = convert(xs[: np.sum(xs > 0)]) if xs[0] > 0 else None
        return 0.0 if kept is None else max(0.5, *kept)

    staged = ag.function(items)
    for xs in (np.array([-1.0, 2.0, 3.0]), -np.ones(3)):
        assert staged(xs) == items(xs)
    with pytest.raises(ag.ValueNeededError, match="cannot be iterated by Python"):
        ag.function(starred)(np.ones(2))
