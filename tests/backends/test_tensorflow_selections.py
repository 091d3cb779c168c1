"""Conditions that TensorFlow computes as selections, where computing both branches is faster than an `If`."""

from __future__ import annotations

import pytest
from support import required

import autograph_rs as ag

tf = required("tensorflow")


def until_large(xs, rounds, function):
    count = 0
    while count < rounds and not function(xs):
        xs = xs * 2
        count += 1
    return xs, count


TESTS = [
    lambda xs: tf.reduce_all(xs > 5),
    lambda xs: tf.reduce_any(xs > 5),
    lambda xs: tf.reduce_max(tf.abs(xs)) > 5,
    lambda xs: tf.reduce_sum(xs) - tf.reduce_min(xs) > 5,
]


def staged(function):
    return tf.function(ag.convert(lambda xs, rounds: until_large(xs, rounds, function)), autograph=False)


def has_conditions(size, function):
    concrete = staged(function).get_concrete_function(tf.TensorSpec([size]), tf.TensorSpec([], tf.int32))
    definition = concrete.graph.as_graph_def()
    operations = [node.op for f in definition.library.function for node in f.node_def]
    return any(op in ("If", "StatelessIf") for op in operations)


@pytest.mark.parametrize("function", TESTS)
def test_a_loop_tests_small_tensors_without_a_condition(function):
    """A larger tensor, or one of unknown size, is tested only if the first operand of `and` is true."""
    assert not has_conditions(4, function)
    assert has_conditions(5000, function)
    assert has_conditions(None, function)


@pytest.mark.parametrize("function", TESTS)
@pytest.mark.parametrize(("rounds", "start"), [(9, 0.3), (2, 0.3), (0, 0.3), (9, 30.0)])
def test_results(function, rounds, start):
    xs = tf.constant([start, start / 2])
    found, expected = staged(function)(xs, tf.constant(rounds)), until_large(xs, rounds, function)
    assert (found[0].numpy().tolist(), int(found[1])) == (expected[0].numpy().tolist(), expected[1])
