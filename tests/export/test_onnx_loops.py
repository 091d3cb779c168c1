"""The loops of a model that become a `Scan`, and the equality of all results with NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag

onnx = required("onnx")
required("onnxruntime")

from onnx_support import session  # noqa: E402


def smoothed(x):
    total = np.zeros(3)
    for row in x:
        total = total * 0.5 + row
    return total


def nested(x):
    total = 0.0
    for row in x:
        for v in row:
            total += v * v
    return total


def conditional(x):
    largest = x[0]
    for row in x:
        if row[0] > 0:
            largest = np.maximum(largest, row)
    return largest


def only_counted(x):
    total = 1.5
    for _ in x:
        total = total * 2
    return total


def last(x):
    found = x[0]
    for row in x:
        found = row
    return found


def placed(x):
    total = 0.0
    for i, row in enumerate(x):
        total += i * row[0]
    return total


def ended(x):
    total = 0.0
    for row in x:
        if row[0] > 1:
            break
        total += row[1]
    return total


def grown(x):
    found = np.zeros(0)
    for row in x:
        found = np.append(found, row[0])
    return found


def counted(x):
    count = 0
    for row in x:
        count += int(row[0] > 0)
    return count


def listed(x):
    return [row * 2 for row in x]


def bounded(x):
    total = 0.0
    for row in x:
        ag.set_loop_options(maximum_iterations=2)
        total += row[0]
    return total


KNOWN = {
    **{f: {"Scan"} for f in (smoothed, nested, conditional, only_counted, last)},
    **{f: {"Loop"} for f in (placed, ended, grown, counted, listed, bounded)},
}
X = np.array([[0.5, -1.0, 2.0], [-3.0, 4.0, 0.25], [2.0, 1.0, -1.0], [0.75, 0.0, 3.0]])


def operators(graph: Any) -> Iterator[str]:
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from operators(attribute.g)


@pytest.mark.parametrize("f", KNOWN)
def test_loops_over_rows(f: Callable[[Any], Any], tmp_path: Any) -> None:
    """Of a known number; where it is open there may be none, of which onnxruntime makes no `Scan`."""
    path = str(tmp_path / "model.onnx")
    some = [X, X[:1]] if f in (conditional, last) else [X, X[:1], X[:0]]
    for spec, inputs in ((ag.TensorSpec(X.shape), [X]), (ag.TensorSpec((None, 3)), some)):
        concrete = ag.function(f).get_concrete_function(spec)
        concrete.to_onnx(path)
        loops = {kind for kind in operators(onnx.load(path).graph) if kind in ("Loop", "Scan")}
        assert loops == KNOWN[f] if inputs is not some else "Loop" in loops
        for x in inputs:
            [made] = session(path).run(None, {"x": x})
            np.testing.assert_allclose(made, np.asarray(concrete(x)).reshape(made.shape), rtol=1e-12)
