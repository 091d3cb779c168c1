"""What gradient graphs do not contain: conversions, copies and stored values that nothing needs."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.runtime.graph.ir.types import ArrayType


def body_of(trace, op):
    """Return the body of the first loop of a graph that contains an op."""
    bodies = [n.attrs["body"] for n in trace.graph.nodes if n.op in ("for", "while")]
    return next(body for body in bodies if body.count(op))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.maximum(x, 0.0)),
        lambda x: np.sum(np.minimum(x, x[::-1])),
        lambda x: np.max(x),  # noqa: PLW0108 - NumPy's function itself is not user code
        lambda x: np.sum(np.min(x, axis=0) * x[0]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_extremes_are_differentiated_in_their_dtype(f, dtype):
    """A tie is divided among equal elements without a detour over float64."""
    x = np.array([[0.0, -1.0], [2.0, 2.0], [2.0, -3.0]], dtype)
    trace = ag.grad(f).get_concrete_function(x)
    dtypes = {node.type.dtype for node in trace.graph.nodes if isinstance(node.type, ArrayType)}
    assert {kind for kind in dtypes if kind.kind == "f"} <= {
        np.dtype(dtype),
        np.result_type(dtype, np.float32),
    }
    expected = ag.grad(f)(x.astype(np.float64))
    np.testing.assert_allclose(trace(x), expected, rtol=1e-3)


def test_a_sum_needs_no_array_of_its_cotangent():
    graph = ag.grad(lambda x: np.sum(np.tanh(x))).get_concrete_function(np.ones((3, 4))).graph
    assert [graph.count(f"numpy.{name}") for name in ("expand_dims", "broadcast_to", "ndarray.copy")] == [
        0,
        0,
        0,
    ]


def test_the_gradient_of_a_broadcast_operand_is_not_copied():
    inner = ag.grad(lambda b, x: np.sum(np.tanh(x + b)))
    graph = ag.function(lambda b, x: 2 * inner(b, x)).get_concrete_function(np.ones(3), np.ones((4, 3))).graph
    assert graph.count("sum_to") == 1
    assert graph.count("numpy.ndarray.copy") == 0


def test_views_are_made_again_instead_of_stored():
    """The second derivative of a loop reads `w`, which no iteration changes, and its transpose."""

    def loss(w, xs):
        total = 0.0
        for x in xs:
            inner = ag.grad(lambda v, x=x: np.sum(np.tanh(x @ v) @ v))(w)
            total = total + np.sum((x @ inner) ** 2)
        return total

    w, xs = np.array([[0.5, 0.1], [-0.3, 0.8]]), np.ones((3, 2, 2)) * np.arange(12.0).reshape(3, 2, 2) / 9
    trace = ag.grad(loss).get_concrete_function(w, xs)
    body = body_of(trace, "list_append")
    assert body.count("numpy.ndarray.copy") == 0
    step = 1e-6
    for place in np.ndindex(w.shape):
        change = np.zeros_like(w)
        change[place] = step
        slope = (loss(w + change, xs) - loss(w - change, xs)) / (2 * step)
        np.testing.assert_allclose(trace(w, xs)[place], slope, rtol=1e-4)
