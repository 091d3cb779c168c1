"""Python's errors about None are part of the program in the branches that raise them."""

import numpy as np
import pytest

import autograph_rs as ag


def adds(x):
    best = None
    return best + 1 if x > 0 else 2


def unpacks(x):
    best = None
    if x > 0:
        first, _ = best
    else:
        first = 2
    return first


def reads_an_attribute(x):
    best = None
    if x > 0:
        first = best.value
    else:
        first = 2
    return first


def measures(x):
    best = None
    if x > 0:
        first = len(best)
    else:
        first = 2
    return first


@pytest.mark.parametrize("f", [adds, unpacks, reads_an_attribute, measures])
def test_the_error_comes_where_the_branch_runs(f):
    staged = ag.function(f)
    assert staged(np.float64(-1.0)) == 2
    with pytest.raises(Exception, match="NoneType") as expected:
        f(1.0)
    with pytest.raises(expected.type) as raised:
        staged(np.float64(1.0))
    assert str(raised.value) == str(expected.value)


class Extremes:
    """Two attributes that are None at first, of which only one is tested."""

    def __init__(self):
        self.total = self.least = None

    def push(self, x):
        if self.total is None:
            self.total = self.least = x
            return
        self.total += x
        self.least = min(self.least, x)


def extremes_of_positive(xs):
    extremes = Extremes()
    for x in xs:
        if x > 0:
            extremes.push(x)
    return extremes.total, extremes.least


@pytest.mark.parametrize("xs", [[1.0, -2.0, 3.0], [-1.0, 2.0], [-1.0]])
def test_attributes_that_are_assigned_together(xs):
    assert ag.function(extremes_of_positive)(np.array(xs)) == extremes_of_positive(np.array(xs))


def first_calls(x, limit):
    """An exception that carries None, or a tuple, to its handler."""
    best = None
    try:
        for i in range(4):
            if i >= limit:
                raise OverflowError(best)
            if best is None or x[i] < best[0]:
                best = x[i], i
        found = "all", best[1]
    except OverflowError as error:
        _, i = error.args[0]
        found = "some", i
    return found


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_what_an_exception_carries_is_none_at_first(limit):
    xs = np.array([3.0, 2.0, 1.0, 4.0])
    assert ag.function(first_calls)(xs, np.int64(limit)) == first_calls(xs, limit)


def test_none_is_unpacked_by_a_handler():
    with pytest.raises(TypeError, match="cannot unpack non-iterable NoneType object"):
        ag.function(first_calls)(np.ones(4), np.int64(0))


def caught(x):
    try:
        if x > 0:
            found = 1 + "a"
        else:
            found = 2
    except TypeError:
        found = 3
    return found


def caught_from_a_loop(x):
    found = 0
    for _ in range(3):
        try:
            if x > 0:
                found += undefined_name
            else:
                found += 2
        except NameError:
            found += 3
    return found


@pytest.mark.parametrize("f", [caught, caught_from_a_loop])
def test_an_error_of_plain_values_reaches_the_handler_where_its_branch_runs(f):
    staged = ag.function(f)
    assert [staged(np.float64(x)) for x in (-1.0, 1.0)] == [f(-1.0), f(1.0)]


def test_an_error_about_staged_values_is_no_exception_of_the_program():
    """Python might not raise it, and the handler would run for all values of x."""

    def f(x):
        try:
            if x > 0:
                found = divmod("a", x)
            else:
                found = 2
        except TypeError:
            found = 3
        return found

    with pytest.raises(ag.RaiseInTryError, match="TypeError is raised while a branch is traced"):
        ag.function(f)(np.float64(-1.0))


def test_none_may_be_an_index():
    """In an index, it adds an axis, and raises nothing."""

    def f(xs):
        place = None
        for i, x in enumerate(xs):
            if x > 9:
                place = i
        try:
            xs[place] = 0.0
            return xs[place].sum()
        except TypeError:
            return -1.0

    for values in ([0.0, 1.0], [10.0, 1.0]):
        given, expected = np.array(values), np.array(values)
        assert ag.function(f)(given) == f(expected)
        assert np.array_equal(given, expected)


def test_the_identity_of_two_values_that_may_be_none_is_refused():
    def f(xs):
        a = b = None
        for x in xs:
            if x > 0:
                a = x
            else:
                b = x
        return a is b

    with pytest.raises(ag.AliasError, match="the identity of"):
        ag.function(f)(np.zeros(0))


def test_python_catches_what_is_raised_outside_of_branches():
    def f(x):
        try:
            found = x + None
        except TypeError:
            found = x
        return found

    assert ag.function(f)(np.float64(2.0)) == 2.0


def handles_none(x, n):
    best = None
    for _ in range(n):
        best = x
    try:
        found = 1 / best if best > 0 else best + 1
    except (TypeError, ZeroDivisionError) as error:
        found = -float(len(str(error)))
    return found


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_a_handler_takes_the_error_of_a_value_that_is_none(x):
    staged = ag.function(handles_none)
    for n in range(3):
        assert staged(np.float64(x), np.int64(n)) == handles_none(x, n)


def best_pair(xs):
    best = None
    for x in xs:
        if x > 1:
            best = (x, 2 * x)
    return best


def test_functions_of_sequences_take_a_tuple_that_may_be_none():
    """NumPy and the builtins do not see the class that stands for it."""

    def f(xs):
        best = best_pair(xs)
        if best is None:
            return None
        return np.round(best, 1), np.array(best), np.max(best), max(best), min(best), sorted(best), sum(best)

    staged = ag.function(f)
    for xs in (np.array([0.5, 2.567]), np.array([0.5, 0.25])):
        assert repr(staged(xs)) == repr(f(xs))
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        ag.function(lambda xs: np.round(best_pair(xs)))(np.array([0.5, 0.25]))
