"""The calls and the access to source code that TensorFlow documents for its AutoGraph: what differs.

`docs/tensorflow.md` lists these behaviours. Where the two differ, a test asserts what `theirs` does as well.
"""

from __future__ import annotations

import functools
import pdb  # noqa: T100 - a call of it is what a test tries
import sys

import pytest
from tensorflow_support import BOTH, NOT_A_BOOL, T, compiled, tf, theirs, values

import autograph_rs as ag

# Calls


def scaled(x, *, scale=1):
    if x > 0:
        return x * scale
    return -x


@BOTH
def test_what_is_called_is_converted_too(compiler):
    def f(x):
        return scaled(x, scale=3), functools.partial(scaled, scale=4)(x)

    assert [values(compiler(f)(T(x))) for x in (2, -2)] == [(6, 8), (2, 2)]


@BOTH
def test_what_is_not_converted_is_called_as_it_is(compiler):
    def f(x):
        return max(1, 2), sorted([2, 1]), tf.add(x, y=x), functools.reduce(lambda a, b: a + b, [x, x])

    assert values(compiler(f)(T(2))) == (2, [1, 2], 4, 4)


def adding(k):
    def add(x):
        if x > 0:
            return x + k
        return x - k

    return add


@BOTH
def test_closures_of_one_function_keep_their_variables(compiler):
    one, ten = adding(1), adding(10)

    def f(x):
        return one(x), ten(x), one(x)

    assert values(compiler(f)(T(2))) == (3, 12, 3)


@BOTH
def test_a_nested_function_that_is_returned_is_converted(compiler):
    def f(x):
        return adding(5)(x)

    assert [values(compiler(f)(T(x))) for x in (2, -2)] == [7, -7]


class Absolute:
    def __init__(self, x):
        if x > 0:
            self.value = x
        else:
            self.value = -x


def test_constructors_are_converted():
    """TensorFlow's AutoGraph leaves them as they are."""

    def f(x):
        return Absolute(x).value

    assert [values(compiled(f)(T(x))) for x in (2, -2)] == [2, 2]
    with pytest.raises(NOT_A_BOOL):
        theirs(f)(T(2))


class Doubled:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        if self.x > 0:
            self.x = self.x * 2
        return self.x

    def __exit__(self, *error):
        return False


class Counter(Doubled):
    def __iter__(self):
        return self

    def __next__(self):
        if self.x > 3:
            raise StopIteration
        return self.x


def with_manager(x):
    with Doubled(x) as doubled:
        return doubled


def with_iterator(x):
    return sum(Counter(x))


def test_methods_that_python_itself_calls_are_converted():
    """TensorFlow's AutoGraph leaves them as they are."""
    assert [values(compiled(with_manager)(T(x))) for x in (1, -1)] == [2, -1]
    with pytest.raises(NOT_A_BOOL):
        theirs(with_manager)(T(1))


def test_an_iterator_that_a_staged_condition_ends_is_refused():
    message = r'(?s)_documented_calls.py", line \d+.*the graph selects one of them at run time'
    with pytest.raises(ag.StagingError, match=message):
        compiled(with_iterator)(T(1))
    with pytest.raises(NOT_A_BOOL):
        theirs(with_iterator)(T(1))


def test_a_function_that_tensorflow_calls_is_converted():
    def nested(x):
        def double(y):
            return scaled(y, scale=2)

        return tf.map_fn(double, tf.stack([x, -x]))

    def outer(x):
        return tf.map_fn(scaled, tf.stack([x, -x]))

    def over_a_dataset(x):
        total = x
        for item in tf.data.Dataset.range(3).map(scaled):
            total += tf.cast(item, tf.int32)
        return total

    assert values(compiled(nested)(T(2))) == values(theirs(nested)(T(2))) == [4, 2]
    assert values(compiled(outer)(T(2))) == values(theirs(outer)(T(2))) == [2, 2]
    assert values(compiled(over_a_dataset)(T(2))) == values(theirs(over_a_dataset)(T(2))) == 5


@pytest.mark.parametrize("convert", [ag.convert, ag.to_graph])
def test_a_function_that_was_converted_is_not_converted_again(convert, caplog):
    """TensorFlow's AutoGraph does so where a dataset or `tf.function` is given a function."""
    numbers = tf.data.Dataset.range(4)
    tf.get_logger().addHandler(caplog.handler)
    try:
        assert [int(v) for v in numbers.map(convert(scaled))] == [0, 1, 2, 3]
        assert [int(v) for v in numbers.filter(convert(lambda x: x > 1 and x < 3))] == [2]
        assert int(tf.function(convert(scaled))(T(-3))) == 3
    finally:
        tf.get_logger().removeHandler(caplog.handler)
    assert not caplog.records


def test_a_debugger_stops_in_the_users_file(monkeypatch):
    """TensorFlow's AutoGraph runs a generated file."""
    files = []
    monkeypatch.setattr(pdb, "set_trace", lambda: files.append(sys._getframe(1).f_code.co_filename))

    def f(x):
        if x > 0:
            pdb.set_trace()  # noqa: T100
        return x

    compiled(f)(T(1))
    theirs(f)(T(1))
    assert files[0] == __file__
    assert "__autograph_generated_file" in files[1]


# Source code


def written(text):
    """The function `f` of a text that is in no file."""
    made = {"tf": tf}
    exec(text, made)
    return made["f"]


BRANCHING = "def f(x):\n    if x > 0:\n        x = x * 2\n    return x\n"


def test_a_function_without_source_is_refused():
    """TensorFlow's AutoGraph warns and calls it as it is, which fails where a condition is staged."""
    with pytest.raises(ag.ConversionError, match="the source of 'f' is not available"):
        compiled(written(BRANCHING))(T(2))
    with pytest.raises(NOT_A_BOOL):
        theirs(written(BRANCHING))(T(2))
    assert values(theirs(written("def f(x):\n    return x * 2\n"))(T(2))) == 4


def test_the_text_of_a_function_without_source_can_be_given():
    made = tf.function(ag.to_graph(written(BRANCHING), source=BRANCHING), autograph=False)
    assert [values(made(T(x))) for x in (2, -2)] == [4, -2]


@BOTH
def test_what_a_function_calls_needs_no_source_unless_it_branches(compiler):
    plain, branching = written("f = lambda x: x + 1"), written(BRANCHING)

    def f(x, is_plain):
        return plain(x) if is_plain else branching(x)

    made = compiler(f)
    assert values(made(T(2), True)) == 3
    with pytest.raises((ag.StagingError, NOT_A_BOOL)):
        made(T(2), False)


# fmt: off
nested = lambda x: lambda x: (x + 1 if x > 0 else x)  # noqa: E731
first, second = (lambda x: x if x > 0 else -x), (lambda x: -x if x > 0 else x)
# fmt: on


def test_lambdas_of_one_line_are_told_apart():
    """TensorFlow's AutoGraph warns that they have identical signatures, and leaves them as they are."""

    def f(x):
        return nested(x)(x), first(x), second(x)

    assert [values(compiled(f)(T(x))) for x in (2, -2)] == [(3, 2, -2), (-2, 2, -2)]
    for g in (nested, first, second):
        with pytest.raises(NOT_A_BOOL):
            theirs(lambda x, g=g: g(x) if g is not nested else g(x)(x))(T(2))


several = (
    "text",
    lambda y: lambda x: x * y
    - y if x > 0 else y,
)  # fmt: skip


@BOTH
def test_a_lambda_of_several_lines(compiler):
    def f(x):
        return several[1](x)(x)

    assert [values(compiler(f)(T(x))) for x in (3, -2)] == [6, -2]
