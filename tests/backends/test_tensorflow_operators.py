"""TensorFlow's own operators of AutoGraph, plugged in as they are."""

# ruff: noqa: E402 - the level of TensorFlow's log is set before it is imported

from __future__ import annotations

import os
import types

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import pytest
from support import required

import autograph_rs as ag
from autograph_rs.converters import FEATURES

tf = required("tensorflow")

from tensorflow.python.autograph import operators
from tensorflow.python.autograph.core import converter
from tensorflow.python.autograph.impl import api


def staged(f, *args, transpiler=None):
    """Return the result of a function in a TensorFlow graph, as a NumPy value."""
    mine = transpiler or ag.Transpiler(operators=operators)
    results = tf.function(mine.to_graph(f), autograph=False)(*map(tf.constant, args))
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if hasattr(t, "numpy") else t, results)


def stepped(x, table):
    if x > 0.0:
        y = table[tf.cast(x, tf.int32)]
    else:
        y = 0.5
    assert y > 0.0
    while y < 10.0 and not y < 0.0:
        y = y * 2.0 + 1.0
    for t in table:
        if t > 100.0:
            break
        y += t
    return y, (1.0 if x > 0.0 or y > 100.0 else 2.0)


@pytest.mark.parametrize("x", [1.5, -1.0])
def test_control_flow_and_expressions(x):
    table = [1.0, 3.0, 200.0, 7.0]
    plain = stepped(x, table) if x < 0 else stepped(1, table)
    assert staged(stepped, x, table) == plain


def unbound(x):
    if x > 0.0:
        y = x
    return y


def test_missing_values():
    mine = ag.Transpiler(operators=operators)
    assert mine.to_graph(unbound)(1.0) == 1.0
    with pytest.raises(UnboundLocalError, match="y"):
        mine.to_graph(unbound)(-1.0)
    with pytest.raises(ValueError, match="'y' must also be initialized in the else branch"):
        staged(unbound, 1.0)


def grown(x):
    found = []
    found.append(x)
    found.append(x + 1.0)
    return found


def test_lists_are_tensor_lists():
    """Not in a graph: there TensorFlow's own cannot append to an empty list."""
    made = ag.Transpiler(operators=operators).to_graph(grown)(tf.constant(1.0))
    assert made.dtype == tf.variant
    stacked = tf.raw_ops.TensorListStack(input_handle=made, element_shape=[], element_dtype=tf.float32)
    assert stacked.numpy().tolist() == [1.0, 2.0]


def test_lists_stay_lists_without_the_feature():
    mine = ag.Transpiler(operators=operators, features=FEATURES.keys() - {"lists"})
    assert staged(grown, 1.0, transpiler=mine) == [1.0, 2.0]


def convert_lists(x):
    found = [x, x * 2.0]
    found.append(x * 3.0)
    last = found.pop()
    return tf.stack(found), last, found[0]


def test_lists_with_elements():
    assert staged(convert_lists, 1.0) == ([1.0, 2.0], 3.0, 1.0)


def size(x):
    if x > 0.0:
        return x
    return -x


def calls(x):
    return size(x) + abs(x)


def test_calls_through_their_operator():
    own = types.SimpleNamespace(
        converted_call=api.converted_call, ConversionOptions=converter.ConversionOptions
    )
    made = ag.Transpiler(operators=own).to_graph(calls)
    assert tf.function(made)(tf.constant(-3.0)).numpy() == 6.0  # converts for it what the function calls
