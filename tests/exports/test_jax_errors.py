"""What `to_jax` refuses: each error names the op, and the user's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backends.support import required

jax = required("jax")
from jax_samples import finished  # noqa: E402

import autograph_rs as ag  # noqa: E402

XS = np.array([3.0, -1.0, 2.0])


def masked(x, n):
    return x[x > n]


def bounded(x, n):
    return x[:n].sum()


def sized(x, n):
    return np.zeros(n)


def listed(x, n):
    found = []
    for v in x:
        if v > n:
            found.append(v)
    return np.array(found)


def of_two_shapes(x, n):
    if n > 1:
        x = x[1:]
    return x


def drawing(x, n):
    return np.random.default_rng(3).normal(size=3)


def calling(x, n):
    return ag.py_function(lambda v: v, [x], ag.TensorSpec((3,)))


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        (masked, ag.ValueNeededError, "operation getitem has a shape that depends on values"),
        (bounded, ag.ValueNeededError, "operation getitem has a shape"),
        (sized, ag.ValueNeededError, "operation numpy.zeros has a shape"),
        (listed, ag.ValueNeededError, "operation numpy.array takes a list whose length depends"),
        (of_two_shapes, ag.MismatchError, "what cond gives has no single type"),
        (drawing, ag.UnsupportedFunctionError, "operation default_rng cannot be run"),
        (calling, ag.UnsupportedFunctionError, "operation py_function cannot be run"),
    ],
)
def test_refused(function: Callable[..., Any], kind: type[ag.AutographError], text: str) -> None:
    """The place is in the function, and there is a remedy."""
    run = ag.function(function).get_concrete_function(XS, np.int64(1)).to_jax()
    with pytest.raises(kind, match=text) as caught:
        jax.jit(run)(XS, np.int64(1))
    assert caught.value.place is not None
    assert caught.value.place.function == function.__name__
    assert caught.value.why
    assert caught.value.remedy


def test_a_slice_of_known_size() -> None:
    """`x[i : i + 2]` has two items, or the program raises."""
    run = jax.jit(ag.function(lambda x, i: x[i : i + 2]).get_concrete_function(XS, np.int64(0)).to_jax())
    np.testing.assert_array_equal(run(XS, np.int64(1)), XS[1:3])
    with pytest.raises(jax.errors.JaxRuntimeError, match="slice of 2 items reaches beyond"):
        finished(run, XS, np.int64(2))


def test_no_silent_loss_of_precision() -> None:
    """With 32 bits a graph of 64 is refused, and one of 32 goes."""
    wide = ag.function(lambda x: x + 1).get_concrete_function(ag.TensorSpec((3,), "float64")).to_jax()
    narrow = ag.function(lambda x: np.tanh(x) * 2 + 1).get_concrete_function(ag.TensorSpec((3,), "float32"))
    with jax.enable_x64(False):
        with pytest.raises(
            ag.OptionError, match="argument 'x' computes with float64, and this JAX has 32 bits"
        ):
            jax.jit(wide)(XS)
        made = jax.jit(narrow.to_jax())(XS.astype("float32"))
    assert made.dtype == "float32"
    np.testing.assert_allclose(made, np.tanh(XS.astype("float32")) * 2 + 1, rtol=1e-6)


def test_arguments() -> None:
    """They must be those of the trace; `variables` is a word."""
    concrete = ag.function(lambda x: x + 1).get_concrete_function(XS)
    with pytest.raises(ag.SignatureError, match="was traced as float64"):
        concrete.to_jax()(XS.astype("float32"))
    with pytest.raises(ag.OptionError, match="variables= is 'read' or 'explicit'"):
        concrete.to_jax(variables="both")
    weight = ag.Variable(1.0)
    reading = ag.function(lambda x: x * weight).get_concrete_function(XS)
    with pytest.raises(ag.OptionError, match="has 1 Variables, and 2 values are given"):
        reading.to_jax(variables="explicit")((1.0, 2.0), XS)


def test_containers_that_are_changed() -> None:
    """JAX's functions change nothing."""

    def note(seen, x):
        seen.append(x)

    with pytest.raises(ag.StateError, match="changes a list, dict or object"):
        ag.function(note).get_concrete_function([], np.float64(1)).to_jax()
