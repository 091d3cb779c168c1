"""Programs with values that may be None or unbound that fuzzing has found."""

import numpy as np
import pytest

import autograph_rs as ag


def dict_changed_in_loops_with_a_return(flag, xs, ks):
    found = {}
    for _ in ks:
        for x in xs:
            if flag:
                return (found,)
            found.pop(5, x)
    return None


def tuple_that_a_loop_returns(k):
    pair = (k,)
    if k:
        pair = None
    if pair:
        for _ in [0]:
            return pair
    return None


@pytest.mark.parametrize("flag", [False, True])
def test_a_dict(flag):
    arguments = np.array([1.0, 2.0]), np.array([3, 0])
    assert ag.function(dict_changed_in_loops_with_a_return)(np.bool_(flag), *arguments) == (
        dict_changed_in_loops_with_a_return(flag, *arguments)
    )


@pytest.mark.parametrize("k", [0, 1])
def test_a_tuple(k):
    """Its marker stays one where the tuple is known not to be None."""
    assert ag.function(tuple_that_a_loop_returns)(np.int64(k)) == tuple_that_a_loop_returns(k)


def test_a_list_on_one_path_of_a_try():
    def f(n, x):
        if n:
            try:
                return [x]
            except ValueError:
                pass
        return None

    staged = ag.function(f)
    assert [staged(np.int64(n), np.float64(0.5)) for n in (0, 1)] == [None, [0.5]]
