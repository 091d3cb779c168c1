"""`match` on structures with staged parts: classes of the parts, and what is refused."""

from __future__ import annotations

import collections

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


def pairs_in_a_list(xs, n):
    found = [(i, x) for i, x in enumerate(xs) if x > 0]
    match found:
        case [(0, x), *_]:
            return x
        case [(i, x)] if i == n:
            return x * 10
        case [(i, _), (j, _), *_]:
            return i * 10.0 + j
    return -1.0


def lists_in_a_list(xs, n):
    rows = [[x, x + 1] for x in xs if x > 0]
    match rows:
        case [[a, 4.0], *_]:
            return a
        case [_, [b, c], *_]:
            return b * c
        case [[a, *rest]]:
            return a + rest[0]
    return 0.0


def names_of_the_whole(xs, n):
    match [x for x in xs if x > 0]:
        case [(3.0 | 5.0) as a, *rest] as whole:
            return a, rest, whole
        case [] | [_]:
            return -1.0, [0.0], [1.0]
        case other:
            return 0.0, other, [2.0]


def a_staged_deque(xs, n):
    queue = collections.deque()
    for x in xs:
        if x > 0:
            queue.append(x)
    match queue:
        case [a, *rest]:
            return a, rest
    return 0.0, [0.0]


def a_staged_range(xs, n):
    match range(n):
        case []:
            return -1
        case [a]:
            return a
        case [a, *_, b]:
            return a * 10 + b


def no_sequences(xs, n):
    matched = []
    for subject in (xs, n, {int(x): x for x in xs if x > 0}):
        match subject:
            case [a]:  # noqa: F841
                matched.append(1)
            case _:
                matched.append(2)
    return matched


def subjects_of_many_kinds(xs, n):
    matched = []
    for subject in (
        [], [1], (1, 2), "ab", b"x", {1: 2}, {1}, None, 3, range(2), collections.deque([4, 5]),
        [[1, 2], 3], (n, [n, 1]),
    ):  # fmt: skip
        match subject:
            case []:
                matched.append("empty")
            case [[a, b], c]:  # noqa: F841
                matched.append(("nested", c))
            case [x, [y, *z]]:  # noqa: F841
                matched.append(("rest", y, z))
            case [a]:
                matched.append(("one", a))
            case [a, *rest]:
                matched.append(("more", a, rest))
            case None:
                matched.append("none")
            case _:
                matched.append("other")
    return matched


XS = np.array([3.0, -1.0, 4.0, 1.0, 5.0])


@pytest.mark.parametrize(
    "f",
    [
        pairs_in_a_list, lists_in_a_list, names_of_the_whole, a_staged_deque, a_staged_range, no_sequences,
        subjects_of_many_kinds,
    ],
)  # fmt: skip
def test_sequence_patterns(f):
    function, plain = ag.function(f), ag.to_graph(f)
    for xs, n in ((XS, 4), (XS, 0), (-XS, 1), (XS[1:3], 2), (XS[3:], 3), (-abs(XS), 1), (XS[2:4], 0)):
        expected = f(xs, np.int64(n))
        np.testing.assert_equal(plain(xs, np.int64(n)), expected)
        np.testing.assert_equal(function(xs, np.int64(n)), expected)


def test_alternatives_that_bind_names_are_refused():
    @ag.function
    def matched(xs):
        found = [x for x in xs if x > 0]
        match found:
            case [x] | [x, _]:
                return x
        return 0.0

    with pytest.raises(ag.UnsupportedPlaceError, match="'match' depends on a staged value"):
        matched(XS)
