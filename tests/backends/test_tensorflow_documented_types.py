"""The types and shapes that TensorFlow documents for its AutoGraph: what holds here, what differs.

`docs/tensorflow.md` lists these behaviours. Where the two differ, a test asserts what `theirs` does as well.
"""

from __future__ import annotations

import pytest
from tensorflow_support import BOTH, Box, T, compiled, tf, theirs, values

import autograph_rs as ag

# What a condition may leave


@BOTH
@pytest.mark.parametrize(("x", "result"), [(1, {"a": (1, [1])}), (-1, {"a": (0, [1])})])
def test_branches_leave_structures_of_one_form(compiler, x, result):
    def f(x):
        if x > 0:
            made = {"a": (x, [x])}
        else:
            made = {"a": (0, [1])}
        return made

    assert values(compiler(f)(T(x))) == result


@pytest.mark.parametrize(
    ("first", "second", "describe"),
    [
        (
            lambda x: (x, x),
            lambda x: (x,),
            r"y: \(int32\[\], int32\[\]\) if true \| \(int32\[\],\) if false \(the structures differ\)",
        ),
        (
            lambda x: tf.square,
            lambda x: tf.negative,
            r"y: the function square if true \| the function neg if false",
        ),
    ],
)
def test_branches_that_leave_what_is_no_tensor_or_another_structure_are_refused(first, second, describe):
    """So does TensorFlow, with an error of its own; ours has a row for the variable."""

    def f(x):
        if x > 0:
            y = first(x)
        else:
            y = second(x)
        return y

    with pytest.raises(ag.MismatchError, match=describe):
        compiled(f)(T(1))
    with pytest.raises((TypeError, ValueError)):
        theirs(f)(T(1))


@BOTH
def test_what_is_no_tensor_may_be_used_inside_a_branch(compiler):
    def f(x):
        if x > 0:
            box = Box(2)
            y = box.value + x
        else:
            y = x
        return y

    assert [values(compiler(f)(T(x))) for x in (1, -1)] == [3, -1]


# Shapes and dtypes


@BOTH
def test_a_static_shape_decides_when_it_is_traced(compiler):
    def f(x):
        if x.shape[0] is not None and x.shape[0] > 4:
            return x[4]
        return -1

    made = compiler(f)
    assert [values(made(T(xs))) for xs in ([1, 2, 3], [1, 2, 3, 4, 5])] == [-1, 5]


def fifth(x):
    if tf.shape(x)[0] > 4:
        y = x[4]
    else:
        y = -1
    return y


@BOTH
def test_a_static_shape_is_checked_on_a_path_that_would_not_run(compiler):
    with pytest.raises(ValueError, match="out of bounds"):
        compiler(fifth)(T([1, 2, 3]))


@BOTH
def test_a_dynamic_shape_is_not_checked(compiler):
    made = compiler(fifth, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert [values(made(T(xs))) for xs in ([1, 2, 3], [1, 2, 3, 4, 5])] == [-1, 5]


def dtypes_of_branches(x):
    if x > 0:
        y = tf.constant(1, tf.int32)
    else:
        y = tf.constant(2.5, tf.float32)
    return y


def dtypes_of_numbers(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y


def dtypes_of_a_loop(x):
    y = tf.constant(1, tf.int32)
    while x <= 0:
        y = tf.constant(2.5, tf.float32)
        x += 1
    return y


def dtypes_of_a_sum(x):
    y = 1
    while x <= 0:
        y = y + tf.constant(1.5)
        x += 1
    return y


@pytest.mark.parametrize("f", [dtypes_of_branches, dtypes_of_numbers, dtypes_of_a_loop, dtypes_of_a_sum])
def test_two_dtypes_become_the_one_that_holds_both(f):
    """TensorFlow refuses them."""
    made = compiled(f)
    assert [values(made(T(x))) for x in (1, 0)] == [1.0, 2.5]
    assert made(T(1)).dtype == tf.float32
    with pytest.raises(TypeError, match=r"dtype|type float32"):
        theirs(f)(T(1))


def test_a_number_meets_what_a_dataset_holds():
    def f(items):
        total = 0
        for item in items:
            total += item
        return total

    assert values(compiled(f)(tf.data.Dataset.range(6))) == 15
    with pytest.raises(TypeError, match="int64"):
        theirs(f)(tf.data.Dataset.range(6))


@BOTH
def test_shapes_of_branches_may_differ(compiler):
    def f(x):
        if x > 0:
            y = tf.constant([1, 2])
        else:
            y = tf.constant([[1, 2, 3]])
        return y

    assert [values(compiler(f)(T(x))) for x in (1, -1)] == [[1, 2], [[1, 2, 3]]]


def test_the_rank_changes_in_a_loop():
    """TensorFlow refuses that, and a size that changes, unless `shape_invariants` allow it."""

    def f(n):
        y = tf.constant(1)
        while n > 0:
            y = tf.constant((1, 2, 3))
            n -= 1
        return y

    assert [values(compiled(f)(T(n))) for n in (2, 0)] == [[1, 2, 3], 1]
    with pytest.raises(ValueError, match="shape"):
        theirs(f)(T(2))


@BOTH
def test_tensorflows_own_directive_is_understood(compiler):
    def f(n):
        y = tf.constant([7])
        while n > 0:
            tf.autograph.experimental.set_loop_options(
                maximum_iterations=2, shape_invariants=[(y, tf.TensorShape([None]))]
            )
            y = tf.concat([y, [n]], axis=0)
            n -= 1
        return y

    assert values(compiler(f)(T(5))) == [7, 5, 4]
