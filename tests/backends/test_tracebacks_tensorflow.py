"""Tracebacks of functions in `tf.function`."""

from __future__ import annotations

import pytest
from failing import Failing, Scaled, name
from tensorflow_support import compiled, tf
from tracebacks import (
    LATE_ONES,
    TRACED_ONES,
    check_run,
    check_traced,
    describe,
    error_of,
    keeps_frames,
    no_frame_of_ours,
    user_lines,
)  # fmt: skip

import autograph_rs as ag


def run(program):
    return compiled(program)(tf.constant(2.0))


@TRACED_ONES
def test_errors_of_a_trace(failing: Failing):
    """TensorFlow itself raises every error of a trace again without its context."""
    error = check_traced(run, failing, keeps_context=False)
    assert error.__suppress_context__


@pytest.mark.parametrize(
    "transformed",
    [
        lambda f: tf.function(ag.to_graph(f), autograph=False)(tf.constant(2.0)),
        lambda f: tf.function(ag.convert(f), autograph=False, jit_compile=True)(tf.constant(2.0)),
        lambda f: tf.data.Dataset.from_tensors(2.0).map(ag.convert(f)),
        lambda f: ag.function(f, backend="tensorflow")(tf.constant(2.0)),
    ],
    ids=["to_graph", "xla", "dataset", "function"],
)
def test_errors_in_every_kind_of_graph(transformed):
    error = error_of(transformed, name)
    no_frame_of_ours(error)
    assert isinstance(error, NameError)
    assert user_lines(error) == Failing(name, NameError).lines


def test_a_bound_method():
    error = error_of(run, Scaled(2).scale)
    no_frame_of_ours(error)
    assert str(error) == "'Scaled' object has no attribute 'factor'"


def shapes(x):
    if x > 0:
        x = x + tf.reduce_sum(tf.ones((2, 3)) @ tf.ones((2, 3)))
    return x


def not_a_key(x):
    if x > 0:
        x = x + max([x, x], key=lambda y: {y: 1}[y])
    return x


def in_keras(x):
    if x > 0:
        x = x + tf.keras.layers.Dense(2)(x)
    return x


@pytest.mark.parametrize(
    ("program", "kind"),
    [(shapes, ValueError), (not_a_key, TypeError), (in_keras, ValueError)],
    ids=["shapes", "not_a_key", "in_keras"],
)
def test_errors_of_tensorflow_tell_the_users_line_once(program, kind):
    error = error_of(run, program)
    no_frame_of_ours(error)
    assert isinstance(error, kind)
    line = program.__code__.co_firstlineno + 2
    assert describe(error).count(f'File "{__file__}", line {line}, in ') == 1


@LATE_ONES
@pytest.mark.parametrize("kind", [run], ids=["tf.function"])
def test_errors_of_the_program(kind, failing: Failing):
    """TensorFlow has errors of its own for them, in which the user's stands."""
    error = error_of(kind, failing.program)
    assert isinstance(error, tf.errors.OpError)
    check_run(error, failing)


def test_every_frame_where_it_is_asked_for():
    keeps_frames(
        "import tensorflow as tf\ntf.debugging.disable_traceback_filtering()",
        "tf.function(ag.convert(failing.name), autograph=False)(tf.constant(2.0))",
    )
