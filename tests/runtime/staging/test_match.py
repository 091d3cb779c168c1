"""`match` on structures with staged parts: classes of the parts, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def classes_of_numbers(x, n):
    match (x, n):
        case (int(), _):
            return 1
        case (float(a), np.integer() as b) if a > 0:
            return a + b
        case (float() | complex(), b):
            return b


def class_of_the_subject(x):
    match x:
        case int():
            return 1
        case float(value) if value > 0:
            return value
        case np.floating():
            return -1.0


@pytest.mark.parametrize("x", [1.5, -2.5])
def test_a_staged_number_has_the_class_of_its_value(x):
    """NumPy's float64 is a float, and its int64 is no int."""
    x, n = np.float64(x), np.int64(3)
    assert ag.function(classes_of_numbers)(x, n) == classes_of_numbers(x, n)
    assert ag.function(class_of_the_subject)(x) == class_of_the_subject(x)


def test_a_list_of_staged_length_has_no_structure():
    """In Python, whether a list matches depends on its length."""

    def matched(xs):
        positive = [x for x in xs if x > 0]
        match (positive, 1):
            case ([], n):
                return n
            case (_, n):
                return n + 1

    with pytest.raises(ag.UnsupportedPlaceError, match="'match' depends on a staged value"):
        ag.function(matched)(np.array([1.0, -1.0]))


def test_a_pattern_of_no_class_raises_as_in_python():
    kinds = (int, float)

    def matched(x):
        match x:
            case kinds():
                return 1

    with pytest.raises(TypeError) as expected:
        matched(1)
    with pytest.raises(TypeError) as raised:
        ag.to_graph(matched)(1)
    assert str(raised.value) == str(expected.value)


def test_a_class_with_the_name_of_a_builtin_one():
    """Its subpattern would get an attribute, not the whole subject."""

    class float:  # noqa: A001
        __match_args__ = ("x",)

        def __init__(self, x):
            self.x = x

    def matched(value):
        match value:
            case float(x):
                return x

    assert matched(float(3)) == 3
    with pytest.raises(ag.UnsupportedPlaceError, match="'float' of a builtin class"):
        ag.to_graph(matched)(float(3))


def test_objects_are_captured_as_they_are():
    """A capture is the object itself, so a change to it is one to the object."""

    def written(x):
        items = [2.0, 3.0]
        match (items, x):
            case (first, value) if value > 0:
                first[1] = value
            case _:
                items[0] = 5.0
        return items

    for x in (2.0, -2.0):
        np.testing.assert_array_equal(ag.function(written)(np.float64(x)), written(x))
