"""Loops whose first round runs on its own: a variable is None, or has no value, before them."""

from dataclasses import dataclass

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


def test_none_is_left_of_a_loop_that_runs_no_round():
    staged = ag.function(lambda n: last(range(n)))
    assert staged(np.int64(0)) is None
    assert staged(np.int64(3)) == 2


def test_an_unbound_variable_is_left_of_a_loop_that_runs_no_round():
    def f(n):
        for i in range(n):
            found = i
        return found

    staged = ag.function(f)
    assert staged(np.int64(3)) == 2
    with pytest.raises(UnboundLocalError, match="'found'"):
        staged(np.int64(0))


def test_a_use_of_the_none_that_is_left_raises_as_python_does():
    def f(xs, n):
        return last(xs[i] for i in range(n)) * 2

    staged = ag.function(f)
    assert staged(np.array([1.0, 3.0]), np.int64(2)) == 6.0
    with pytest.raises(TypeError, match="'NoneType' and 'int'"):
        staged(np.array([1.0, 3.0]), np.int64(0))


def test_the_exit_of_the_first_round_counts():
    def f(xs):
        found = None
        for x in xs:
            if x > 2:
                break
            found = x
        return found

    staged = ag.function(f)
    assert staged(np.array([3.0])) is None
    assert staged(np.array([1.0])) == 1.0


@dataclass
class Best:
    value: object
    at: int


def greatest_of_tuples(xs, n):
    best = None
    for i in range(n):
        if best is None or xs[i] > best[0]:
            best = (xs[i], i)
    return best


def greatest_of_objects(xs, n):
    best = None
    for i in range(n):
        if best is None or xs[i] > best.value:
            best = Best(xs[i], i)
    return None if best is None else (best.value, best.at)


def rows_of_growing_length(xs, n):
    rows = None
    for i in range(n):
        if rows is None:
            rows = []
        rows.append(xs[i])
    return rows


def sums_in_an_array(xs, n):
    total = None
    for i in range(n):
        if total is None:
            total = np.zeros(3)
        total[i] += xs[i]
    return total


def rises(xs, n):
    previous, i = None, 0
    while i < n:
        if previous is not None and xs[i] < previous:
            break
        previous = xs[i]
        i += 1
    return previous, i


def greatest_of_prefixes(xs, n):
    total = 0.0
    for j in range(n):
        best = None
        for i in range(j):
            if best is None or xs[i] > best:
                best = xs[i]
        if best is not None:
            total += best
    return total


def greatest_in_nested_loops(xs, n):
    best = None
    for j in range(n):
        for i in range(j):
            if best is None or xs[i] > best:
                best = xs[i]
    return best


def last_two(xs, n):
    last = before = None
    for i in range(n):
        last, before = xs[i], last
    return last, before


def last_three(xs, n):
    a = b = c = None
    while n > 0:
        n = n - 1
        a, b, c = xs[n], a, b
    return a, b, c


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize(
    "f",
    [
        greatest_of_tuples,
        greatest_of_objects,
        rows_of_growing_length,
        sums_in_an_array,
        rises,
        greatest_of_prefixes,
        greatest_in_nested_loops,
        last_two,
        last_three,
    ],
)
def test_any_number_of_rounds(f, engine):
    if engine == "native":
        pytest.importorskip("llvmlite")
    staged = ag.function(f, engine=engine)
    for xs in ([1.0, 3.0, 2.0], [3.0, 1.0, 2.0]):
        for n in range(4):
            expected, got = f(np.array(xs), n), staged(np.array(xs), np.int64(n))
            assert repr(got).replace("np.int64", "") == repr(expected).replace("np.int64", "") or (
                np.array_equal(got, expected)
            ), (xs, n)


def test_the_derivative_with_a_loop_that_may_run_no_round():
    def f(x, n):
        power = None
        for _ in range(n):
            power = x if power is None else power * x
        return 1.0 if power is None else power

    gradient = ag.grad(ag.function(f))
    assert [float(gradient(np.float64(3.0), np.int64(n))) for n in range(4)] == [0.0, 1.0, 6.0, 27.0]


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
    assert staged(np.array([-1.0, -2.0, -3.0])) is None
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


def test_a_variable_of_an_inner_function():
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
    assert staged(np.int64(0)) is None


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


def test_the_gradient_of_what_a_loop_without_rounds_leaves():
    """It is None, so a function that returns it has no gradient then."""

    def f(x, n):
        power = None
        for _ in range(n):
            power = x if power is None else power * x
        return power

    gradient = ag.grad(f)
    assert gradient(np.float64(3.0), np.int64(3)) == 27.0
    with pytest.raises(TypeError, match=r"float\(\) argument must be .* not 'NoneType'"):
        gradient(np.float64(3.0), np.int64(0))
