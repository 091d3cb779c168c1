"""Tracebacks of functions under JAX's transformations."""

from __future__ import annotations

import logging

import pytest
from failing import FILE, Failing, Scaled, lines_of, name, raised
from support import required
from tracebacks import (
    LATE_ONES,
    TRACED_ONES,
    check_run,
    check_traced,
    describe,
    error_of,
    keeps_frames,
    no_frame_of_ours,
    text_of,
)  # fmt: skip

jax = required("jax")
import jax.numpy as jnp  # noqa: E402

import autograph_rs as ag  # noqa: E402


def jit(program):
    return jax.jit(ag.convert(program))(2.0)


def finished(program):
    jit(program).block_until_ready()
    jax.effects_barrier()


@TRACED_ONES
def test_errors_of_a_trace(failing: Failing):
    check_traced(jit, failing)


@pytest.mark.parametrize(
    "transformed",
    [
        lambda f: jax.jit(ag.to_graph(f))(2.0),
        lambda f: jax.jit(jax.grad(ag.convert(f)))(2.0),
        lambda f: jax.vmap(ag.convert(f))(jnp.arange(3.0)),
        lambda f: jax.lax.scan(lambda c, x: (ag.convert(f)(x), None), 0.0, jnp.arange(3.0)),
        lambda f: ag.function(f, backend="jax")(2.0),
        lambda f: jax.make_jaxpr(ag.convert(f))(2.0),
    ],
    ids=["to_graph", "grad", "vmap", "scan", "function", "make_jaxpr"],
)
@pytest.mark.parametrize("failing", [Failing(name, NameError)], ids=["name"])
def test_errors_under_every_transformation(transformed, failing):
    check_traced(transformed, failing)


def test_a_bound_method():
    error = error_of(lambda f: jax.jit(ag.convert(f))(2.0), Scaled(2).scale)
    no_frame_of_ours(error)
    assert str(error) == "'Scaled' object has no attribute 'factor'"


# What JAX itself refuses -------------------------------------------------------------------------


def shapes(x):
    if x > 0:
        x = x + (jnp.ones((2, 3)) @ jnp.ones((2, 3))).sum()  # line
    return x


def a_shape(x):
    if x > 0:
        x = x + jnp.zeros(int(x)).sum()  # line
    return x


def a_value(x):
    n = x.item()  # line
    return x if n > 0 else -x


def a_key(x):
    if x > 0:
        x = x + jnp.arange(3)[:x].sum()  # line
    return x


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (shapes, TypeError),
        (a_shape, TypeError),
        (a_value, jax.errors.ConcretizationTypeError),
        (a_key, (IndexError, TypeError)),
    ],
)
def test_errors_of_jax_tell_the_users_line_once(program, kind):
    """They are raised while it is traced, under a staged condition too, with the type that JAX gives them."""
    error = error_of(jit, program)
    no_frame_of_ours(error)
    assert isinstance(error, kind)
    with open(__file__, encoding="utf-8") as file:
        source = file.read().splitlines()
    first = program.__code__.co_firstlineno
    line = next(n for n, text in enumerate(source, 1) if n > first and text.endswith("# line"))
    assert describe(error).count(f'File "{__file__}", line {line}, in {program.__name__}') == 1


# When the program runs ---------------------------------------------------------------------------


@LATE_ONES
def test_errors_of_the_program(failing: Failing):
    """JAX has an error of its own for them, in which the user's stands."""
    error = error_of(finished, failing.program)
    assert isinstance(error, jax.errors.JaxRuntimeError)
    check_run(error, failing)


def test_jax_logs_them_with_the_users_line(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.ERROR):
        error_of(finished, raised)
    [record] = [r for r in caplog.records if r.exc_info]
    logged = record.exc_info[1]
    assert type(logged).__name__ == "Custom"
    assert logged.args == (7, "bad")
    no_frame_of_ours(logged)
    assert f'File "{FILE}", line {lines_of("raised")[-1]}, in raised' in text_of(logged)


def test_every_frame_where_it_is_asked_for():
    keeps_frames("import jax", "jax.jit(ag.convert(failing.name))(2.0)")
