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


def test_a_loop_that_runs_no_round_raises():
    staged = ag.function(lambda n: last(range(n)))
    with pytest.raises(AssertionError, match="ran no iterations, and only its body assigns found"):
        staged(np.int64(0))


def test_a_key_that_only_the_body_adds():
    staged = ag.function(countdown)
    assert staged(np.int64(3)) == 1
    with pytest.raises(KeyError, match="at"):
        staged(np.int64(0))


def test_a_length_that_the_trace_does_not_know():
    def positive(xs):
        return last(xs[xs > 0])

    staged = ag.function(positive)
    assert staged(np.array([1.0, -2.0, 3.0])) == 3.0
    with pytest.raises(AssertionError, match="a staged loop ran no iterations"):
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


def test_rounds_before_the_loop_is_staged_count():
    def counted(xs):
        n = 0
        while True:
            ag.set_loop_options(maximum_iterations=3)
            n = n + 1
            if xs[n] > 100:
                break
        return n

    assert ag.function(counted)(np.zeros(10)) == 3


def test_none_becomes_a_tuple():
    def f(xs):
        best = None
        for i, x in enumerate(xs):
            if best is None or x > best[0]:
                best = (x, i)
        return best

    assert ag.function(f)(np.array([1.0, 3.0, 2.0])) == (3.0, 1)


def test_a_zip_that_the_trace_knows_to_be_empty():
    def rise(xs):
        best = None
        for a, b in zip(xs, xs[1:], strict=False):  # noqa: RUF007 - as users write it
            if best is None or b - a > best:
                best = b - a
        return best

    staged = ag.function(rise)
    assert staged(np.array([3.0])) is None
    assert staged(np.array([3.0, 4.0, 6.0])) == 2.0


def test_each_name_is_told_once():
    def f(n):
        best = None

        def note(x):
            nonlocal best
            best = x

        while n > 0:
            note(n)
            n = n - 1
        return best

    staged = ag.function(f)
    assert staged(np.int64(2)) == 1
    with pytest.raises(AssertionError, match="only its body assigns best"):
        staged(np.int64(0))


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
    with pytest.raises(
        ag.MismatchError, match=r"found: None before the loop \| float64\[\] after an iteration"
    ):
        ag.function(lambda: last(numbers))()


def test_another_type_before_the_loop_is_refused():
    def f(xs):
        found = "none"
        for x in xs:
            found = x
        return found

    with pytest.raises(
        ag.MismatchError, match=r"found: str before the loop \| float64\[\] after an iteration"
    ):
        ag.function(f)(np.ones(2))


def test_none_on_one_path_of_the_first_round():
    """A value that is None on one path of the first round may be None in each round."""

    def f(xs):
        found = None
        for x in xs:
            if x > 0:
                found = x
        return found

    assert ag.function(f)(np.ones(2)) == 1.0
    assert ag.function(f)(-np.ones(2)) is None
