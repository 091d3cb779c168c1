"""`explain` with arguments of a framework: what happens under its own compiler."""

from __future__ import annotations

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag

jax = required("jax")
tensorflow = required("tensorflow")
torch = required("torch")

MAKERS = {"jax": jax.numpy.asarray, "tensorflow": tensorflow.constant, "torch": torch.tensor}
each_system = pytest.mark.parametrize("system", MAKERS)


def settle(x, rounds, name="plain"):
    for _ in range(3):
        if x > 2:
            x = x - 1
    steps = 0
    while x > 1:
        x = x / 2
        steps = steps + 1
    if name == "other":
        return x
    return x, steps, name


def check(report, system):
    assert report.error is None, repr(report.error)
    assert report.backend == system
    assert report.graph is None
    found = {s.line - report.line: s for s in report}
    assert (found[1].what, found[1].times) == ("unrolled", 3)
    assert (found[2].what, found[2].backend, found[2].operator, found[2].state) == (
        "staged", system, "if_stmt", ("x",),
    )  # fmt: skip
    assert found[3].what == "staged"
    assert (found[5].operator, sorted(found[5].state)) == ("while_stmt", ["steps", "x"])
    assert found[8].what == "plain"
    assert found[9].what == "not run"


@each_system
def test_by_the_arguments(system):
    """Arguments other than arrays and numbers stay as they are; nothing is computed."""
    check(ag.explain(settle, MAKERS[system](8.0), 3, name="mine"), system)
    check(ag.explain(ag.convert(settle), MAKERS[system](8.0), rounds=3), system)


@pytest.mark.filterwarnings("ignore:`torch.jit")  # torch's own compiler, when it is first used
@each_system
def test_what_was_compiled(system):
    """A compiled function says by itself which system it is for."""
    check(ag.explain(ag.function(settle, backend=system), MAKERS[system](8.0), 3), system)


def repeated(x, rounds):
    for _ in range(rounds):
        x = x * 2
    return x


STATIC = [{"static_argnames": "rounds"}, {"static_argnums": 1}, {"static_argnums": -1}]


@pytest.mark.parametrize("options", STATIC, ids=str)
def test_what_jax_takes_as_static(options):
    """By name or by position, as the user's own `jax.jit` says."""
    report = ag.explain(jax.jit(ag.convert(repeated), **options), MAKERS["jax"](8.0), 3)
    loop = report[report.line + 1]
    assert (loop.what, loop.times) == ("unrolled", 3)
    assert ag.explain(ag.convert(repeated), MAKERS["jax"](8.0), 3).statements[0].what == "staged"


def test_what_jax_takes_as_static_by_name():
    made = jax.jit(ag.convert(repeated), static_argnums=1)
    assert ag.explain(made, 8.0, rounds=3).statements[0].what == "unrolled"


class Holder(tensorflow.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    @tensorflow.function(autograph=False)
    @ag.convert
    def scaled(self, x):
        if x > 0:
            return x * self.scale
        return x


def test_a_method_of_tensorflow():
    """It is the user's, and not the wrapper in which TensorFlow keeps it."""
    holder = Holder()
    report = ag.explain(holder.scaled, MAKERS["tensorflow"](1.0))
    assert (report.name, report.backend, report.error, report.left) == (
        "Holder.scaled", "tensorflow", None, "",
    )  # fmt: skip
    assert report.statements[0].operator == "if_stmt"


def test_an_array_of_numpy_for_a_compiled_function():
    assert ag.explain(ag.function(settle, backend="jax"), np.float32(8), 3).backend == "jax"
    assert ag.explain(settle, np.float32(8), 3).backend == "graph"


def test_inside_a_trace():
    """During a trace, the function runs in that trace."""
    reports = []

    def outer(x):
        reports.append(ag.explain(settle, x, 3))
        return x

    jax.jit(outer)(8.0)
    tensorflow.function(outer, autograph=False)(tensorflow.constant(8.0))
    for system, report in zip(("jax", "tensorflow"), reports, strict=True):
        check(report, system)


class Layer(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x


def test_a_module():
    for module in (Layer(), ag.convert_module(Layer())):
        report = ag.explain(module, torch.ones(2))
        assert report.error is None, repr(report.error)
        assert report.name == "Layer.forward"
        assert report.statements[0].operator == "if_stmt"


def mismatched(x):
    if x > 0:
        y = x
    else:
        y = "text"
    return y


@each_system
def test_an_error(system):
    report = ag.explain(mismatched, MAKERS[system](1.0))
    assert isinstance(report.error, ag.MismatchError)
    assert report.error_line == report.line + 1
    assert report.statements[-1].what == "not run"
