"""Loops whose first round runs on its own: a variable is None, or has no value, before them."""

import numpy as np
import pytest

import autograph_rs as ag


def last(xs):
    found = None
    for x in xs:
        found = x
    return found


def countdown(n):
    seen = {}
    while n > 0:
        seen["at"] = n
        n = n - 1
    return seen["at"]


@pytest.mark.parametrize(
    ("f", "given", "name"),
    [(lambda n: last(range(n)), np.int64(0), "found"), (countdown, np.int64(0), "a key of seen")],
)
def test_a_loop_that_runs_no_round_raises(f, given, name):
    staged = ag.function(f)
    with pytest.raises(AssertionError, match=f"a staged loop runs no round, and {name}, which it gives"):
        staged(given)


def test_a_length_that_the_trace_does_not_know():
    def positive(xs):
        return last(xs[xs > 0])

    staged = ag.function(positive)
    assert staged(np.array([1.0, -2.0, 3.0])) == 3.0
    with pytest.raises(AssertionError, match="a staged loop runs no round"):
        staged(np.array([-1.0, -2.0, -3.0]))
    assert len(staged.traces()) == 1


def test_no_round_of_a_loop_that_the_trace_knows_to_be_empty():
    assert ag.function(last)(np.zeros(0)) is None


def test_the_first_round_counts():
    def bounded(n):
        found = None
        while n > 0:
            ag.set_loop_options(maximum_iterations=3)
            found = n
            n = n - 1
        return found

    assert ag.function(bounded)(np.int64(10)) == 8


def test_nothing_is_left_of_what_was_tried():
    """The body is traced before it is known that its first round runs on its own."""

    def f(xs):
        best, seen = None, []
        for x in xs:
            seen.append(x)
            best = x if best is None else best * x
        return best, len(seen)

    assert ag.function(f)(np.array([2.0, 3.0])) == (6.0, 2)


def test_what_no_first_item_can_be_taken_of_is_refused():
    numbers = ag.data.from_iterable([1.0, 2.0])
    with pytest.raises(ag.MismatchError, match=r"found: None \| float"):
        ag.function(lambda: last(numbers))()


def test_another_type_before_the_loop_is_refused():
    def f(xs):
        found = "none"
        for x in xs:
            found = x
        return found

    with pytest.raises(ag.MismatchError, match=r"found: str \| float64\[\]"):
        ag.function(f)(np.ones(2))


def test_none_on_one_path_of_the_first_round_is_refused():
    def f(xs):
        found = None
        for x in xs:
            if x > 0:
                found = x
        return found

    with pytest.raises(ag.MismatchError, match="branches of an 'if'"):
        ag.function(f)(np.ones(2))
