"""Documented behaviour of TensorFlow for variables that are unset or None, compared with ours.

`docs/tensorflow.md` lists these behaviours. Where the two differ, a test asserts what `theirs` does as well.
"""

from __future__ import annotations

import pytest
from tensorflow_support import BOTH, Box, T, compiled, tf, theirs, values


def only_if(x):
    if x > 0:
        y = x
    return y


def only_in_the_loop(x):
    while x > 0:
        y = x
        x -= 1
    return y


@pytest.mark.parametrize(("f", "x", "result"), [(only_if, 3, 3), (only_in_the_loop, 3, 1)])
def test_a_variable_that_one_path_binds_may_be_read_after_it(f, x, result):
    """TensorFlow documents that both are refused; its AutoGraph has a loop's variable checked as we do."""
    made = compiled(f)
    assert values(made(T(x))) == result
    with pytest.raises(tf.errors.OpError, match="UnboundLocalError: cannot access local variable 'y'"):
        made(T(-1))
    if f is only_if:
        with pytest.raises(ValueError, match="must also be initialized in the else branch"):
            theirs(f)(T(x))
    else:
        assert values(theirs(f)(T(x))) == result


def test_the_variable_of_a_for_that_did_not_run_is_unbound():
    """TensorFlow's AutoGraph gives zero."""

    def f(n):
        for i in tf.range(n):  # noqa: B007 - read after the loop
            pass
        return i

    made = compiled(f)
    assert values(made(T(3))) == 2
    with pytest.raises(tf.errors.OpError, match="UnboundLocalError"):
        made(T(0))
    assert values(theirs(f)(T(0))) == 0


@BOTH
def test_a_variable_that_is_not_read_afterwards_is_local(compiler):
    def f(x):
        total = 0
        while x > 0:
            doubled = x * 2
            total += doubled
            x -= 1
        if total > 10:
            rest = total - 10
            total = rest
        return total

    made = compiler(f)
    assert [values(made(T(x))) for x in (3, 2, -1)] == [2, 6, 0]


@BOTH
def test_a_default_before_the_branch(compiler):
    def f(x):
        y = 0
        if x > 0:
            y = x
        return y

    assert [values(compiler(f)(T(x))) for x in (2, -1)] == [2, 0]


def test_none_before_a_loop_that_gives_a_tensor():
    """TensorFlow's AutoGraph takes it for a missing value; both fail where the loop does not run."""

    def f(n):
        last = None
        for i in tf.range(n):
            last = i
        return last

    assert values(compiled(f)(T(3))) == values(theirs(f)(T(3))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="only its body assigns last"):
        compiled(f)(T(0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once"):
        theirs(f)(T(0))


def key_in_a_loop(n):
    table = {}
    for i in tf.range(n):
        table["key"] = i
    return table


def attribute_in_a_loop(n):
    box = Box(0)
    for i in tf.range(n):
        box.added = i
    return box.added


@pytest.mark.parametrize(
    ("f", "name", "result"),
    [(key_in_a_loop, "a key of table", {"key": 2}), (attribute_in_a_loop, "box.added", 2)],
)
def test_a_new_key_or_attribute_in_a_loop(f, name, result):
    """TensorFlow documents that it is refused, but its AutoGraph takes both for variables."""
    assert values(compiled(f)(T(3))) == values(theirs(f)(T(3))) == result
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"only its body assigns {name}"):
        compiled(f)(T(0))


def test_none_before_a_loop_over_a_dataset():
    def f(dataset):
        best = None
        for x in dataset:
            if best is None or x > best:
                best = x
        return best

    numbers = tf.data.Dataset.from_tensor_slices([1, 3, 2])
    assert values(compiled(f)(numbers)) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="only its body assigns best"):
        compiled(f)(numbers.take(0))
    with pytest.raises(ValueError, match="'best' is not allowed to be None before the loop"):
        theirs(f)(numbers)


def lambda_of_an_if(x):
    if x > 0:
        y = x
    read = lambda: y + 1  # noqa: E731 - a lambda is what is tried
    return read()


def comprehension_of_a_loop(x):
    while x > 0:
        y = x
        x -= 1
    return [y + i for i in range(2)]


@pytest.mark.parametrize(("f", "result"), [(lambda_of_an_if, 4), (comprehension_of_a_loop, [1, 2])])
def test_a_variable_that_one_path_binds_may_be_read_in_an_inner_scope(f, result):
    made = compiled(f)
    assert values(made(T(3))) == result
    with pytest.raises(tf.errors.OpError, match="UnboundLocalError: cannot access local variable 'y'"):
        made(T(-1))
