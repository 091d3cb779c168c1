"""Functions of which NumPy returns a view or a copy, depending on the array's memory layout."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def reshaped_and_written_since(x):
    y = x.reshape(-1)
    x[0, 0] = 9
    return y


def raveled_of_what_was_computed(x):
    y = x * 2
    z = y.ravel()
    y[0, 0] = 9
    return z


def raveled_row(x):
    y = np.ravel(x[0])
    x[0] = 9
    return y


def in_another_order(x):
    y = x.copy()
    z = y.reshape(-1, order="F")
    y[0, 0] = 9
    return z


def the_array_itself(x):
    y = np.asarray(x)
    y[0, 0] = 9


def as_the_type_that_it_has(x):
    y = x.astype(float, copy=False)
    y[0, 0] = 9


def parts_of(x):
    first, _ = np.split(x, [1])
    first[0, 0] = 9


def copied_and_raveled(x):
    y = x.copy()
    z = y.ravel()
    y[0, 0] = 9
    return z


def with_an_axis_more(x):
    y = x.reshape(1, 2, 3)
    x[0, 0] = 9
    return y


ALWAYS_VIEWS = (the_array_itself, copied_and_raveled, with_an_axis_more)


@pytest.mark.parametrize(
    "given",
    [np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2).T, np.arange(12.0).reshape(2, 6)[:, ::2]],
)
@pytest.mark.parametrize(
    "f",
    [
        *ALWAYS_VIEWS, reshaped_and_written_since, raveled_of_what_was_computed, raveled_row,
        in_another_order, as_the_type_that_it_has, parts_of,
    ],
)  # fmt: skip
def test_what_may_be_a_copy_is_as_in_numpy_or_refused(f, given):
    """One trace does for arrays of every layout in memory."""
    staged = ag.function(f)
    if f not in ALWAYS_VIEWS:
        with pytest.raises(ag.StagingError, match=r"make a copy first|write to the array itself"):
            staged(np.ones((2, 3)))
        return
    staged(np.ones((2, 3)))
    own = np.empty_like(given)
    own[...] = given
    np.testing.assert_equal((staged(given), given), (f(own), own))


def test_a_truth_value_as_an_index_copies():
    def f(a):
        b = a[True]
        b[:, 0] = 9
        return b

    given = np.array([1, 2])
    assert ag.function(f)(given).tolist() == f(given).tolist() == [[9, 2]]
    assert given.tolist() == [1, 2]


@pytest.mark.parametrize("view", [lambda a: a[-1], lambda a: a])
def test_another_name_of_what_a_loop_held_before(view):
    """In the first round the write is seen through the variable, in the others it is not."""

    def f(a, n):
        other = view(a)
        for _ in range(n):
            other += 1.0
            a = a * 2
        return a, other

    with pytest.raises(
        ag.StagingError, match="assigns another array to 'a', and also writes to the original"
    ):
        ag.function(f)(np.ones((2, 3)), np.int64(2))


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        np.copy,
        lambda n: np.where(n > 1, n, n),
        lambda n: np.full((), n),
        lambda n: np.full_like(n, 2),
    ],
)
def test_an_array_without_dimensions_is_written_in_place(make):
    def f(n):
        made = make(n)
        other = made
        made += 1
        return other

    assert ag.function(f)(np.int64(3)) == f(np.int64(3))


def of_a_loop(n):
    a = np.zeros(())
    for _ in range(n):
        a = a[...]
    return a


def of_a_branch(n):
    return np.zeros(()) if n > 1 else np.ones(())


def of_one_branch(n):
    return np.zeros(()) if n > 1 else np.float64(1)


def of_no_iteration(n):
    a = np.zeros(())
    for _ in range(n):
        a = a + 1
    return a


@pytest.mark.parametrize("make", [of_a_loop, of_a_branch, of_one_branch, of_no_iteration])
def test_a_view_of_an_array_without_dimensions_is_not_written(make):
    """Such an array stays one through staged statements, so a write to its view is not lost."""

    def written(n):
        a = make(n)
        view = a.reshape(-1)
        view[0] = 7
        return a

    assert ag.function(make)(np.int64(3)) == make(np.int64(3))
    with pytest.raises(ag.AliasError, match="is a view that cannot be written to"):
        ag.function(written)(np.int64(3))


def test_an_iteration_writes_to_an_array_without_dimensions():
    def f(n):
        total = np.zeros(())
        other = total
        for i in range(n):
            total += i
        return other

    assert ag.function(f)(np.int64(4)) == f(np.int64(4)) == 6


def view_of_what_an_iteration_wrote(x, n):
    y = x / n
    z = y * 2
    k = 0
    while k < n:
        y -= 1
        z = y[:]
        k = k + 1
    return z


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_view_leaves_with_what_it_showed(n):
    """The name of the base is not used after the loop, and its value there is the one before it."""
    f, x = view_of_what_an_iteration_wrote, np.arange(3.0)
    np.testing.assert_array_equal(ag.function(f)(x, np.int64(n)), f(x, n), strict=True)


@pytest.mark.parametrize("view", [lambda a: a[:], lambda a: a[0], lambda a: a.T, lambda a: a.squeeze()])
def test_a_view_would_miss_the_write_of_the_first_iteration(view):
    def f(x, n):
        a = x * 2
        other = view(a)
        for i in range(n):
            a += n
            a = x * i
        return a, other

    with pytest.raises(ag.AliasError, match="assigns another array to 'a', and also writes to the original"):
        ag.function(f)(np.ones((2, 3)), np.int64(2))


def test_a_plain_array_that_changes_after_a_condition_has_selected_it():
    """Whether the selected array changes, too, is known only when the graph runs."""

    def select(x, write):
        buffer, y = np.arange(3.0), np.zeros(3)
        if x > 0:
            y = buffer
        if write:
            buffer[0] = 9.0
        return y + buffer

    with pytest.raises(ag.AliasError, match="selects is changed afterwards"):
        ag.function(select)(np.float64(1.0), True)
    assert np.array_equal(ag.function(select)(np.float64(1.0), False), [0.0, 2.0, 4.0])
