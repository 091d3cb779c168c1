"""Converted functions under JAX's transformations."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import required

jax = required("jax")
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.extend.core import jaxprs_in_params  # noqa: E402

import autograph_rs as ag  # noqa: E402


def equations(jaxpr: Any) -> int:
    """All equations of a jaxpr, those of its inner ones included."""
    count = 0
    for equation in jaxpr.eqns:
        count += 1
        for inner in jaxprs_in_params(equation.params):
            count += equations(inner)
    return count


def count(f: Callable[..., Any], *arguments: Any) -> int:
    return equations(jax.make_jaxpr(f)(*arguments).jaxpr)


def leaky(x):
    if x > 0:
        return x
    return 0.1 * x


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def power(x, n):
    result = 1.0
    for _ in range(n):
        result = result * x
    return result


def relu_sum(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x
    return total


def newton(a):
    x = a
    for _ in range(50):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-6:
            return new
        x = new
    return x


# Transformations ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "arguments"), [(leaky, (3.0,)), (leaky, (-3.0,)), (collatz, (27,)), (newton, (2.0,))]
)
def test_jit(f, arguments):
    made = jax.jit(ag.convert(f))(*arguments)
    assert isinstance(made, jax.Array)
    np.testing.assert_allclose(made, f(*arguments), rtol=1e-5)


def test_grad():
    grad = jax.grad(ag.convert(leaky))
    assert (float(grad(3.0)), float(grad(-3.0))) == pytest.approx((1.0, 0.1))
    assert float(jax.jit(grad)(-3.0)) == pytest.approx(0.1)
    value, gradient = jax.value_and_grad(jax.jit(ag.convert(relu_sum)))(jnp.array([1.0, -2.0, 3.0]))
    assert float(value) == 4.0
    assert gradient.tolist() == [1.0, 0.0, 1.0]


def test_reverse_mode_through_a_loop_of_known_length():
    f = ag.convert(power)
    assert float(jax.jit(jax.grad(lambda x: f(x, 3)))(2.0)) == pytest.approx(12.0)
    assert float(jax.grad(jax.jit(lambda x: f(x, 5)))(1.5)) == pytest.approx(5 * 1.5**4)


def test_reverse_mode_through_an_early_return():
    assert float(jax.jit(jax.grad(ag.convert(newton)))(2.0)) == pytest.approx(0.5 / 2**0.5, rel=1e-3)


def test_reverse_mode_through_a_bounded_while():
    def halvings(x):
        steps = 0.0
        while x > 1.0:
            ag.set_loop_options(maximum_iterations=20)
            x = x / 2
            steps = steps + x
        return steps

    f = ag.convert(halvings)
    assert float(jax.jit(f)(40.0)) == pytest.approx(halvings(40.0))
    assert float(jax.jit(jax.grad(f))(40.0)) == pytest.approx(sum(0.5**i for i in range(1, 7)))


def test_vmap():
    xs = jnp.arange(-3.0, 4.0)
    np.testing.assert_allclose(jax.vmap(ag.convert(leaky))(xs), [leaky(float(x)) for x in xs], rtol=1e-6)
    ns = jnp.arange(1, 20)
    assert jax.vmap(ag.convert(collatz))(ns).tolist() == [collatz(int(n)) for n in ns]
    assert jax.jit(jax.vmap(ag.convert(newton)))(jnp.array([1.0, 2.0, 9.0])).shape == (3,)
    assert jax.vmap(jax.grad(ag.convert(leaky)))(xs).shape == (7,)


def test_scan_and_nesting():
    step = ag.convert(lambda carry, x: (carry + (x if x > 0 else -x), carry))
    total, seen = jax.jit(lambda xs: lax.scan(step, 0.0, xs))(jnp.array([1.0, -2.0, 3.0]))
    assert (float(total), seen.tolist()) == (6.0, [0.0, 1.0, 3.0])

    @jax.jit
    @ag.convert
    def outer(x):
        inner = jax.jit(ag.convert(leaky))
        if x > 1:
            return inner(x) + jax.grad(ag.convert(leaky))(x)
        return inner(x)

    assert (float(outer(2.0)), float(outer(-2.0))) == pytest.approx((3.0, -0.2))


def test_shard_map():
    mesh = jax.make_mesh((1,), ("rows",))
    spec = jax.sharding.PartitionSpec("rows")
    f = ag.convert(lambda xs: jnp.where(xs > 0, xs, 0.0) if xs.sum() > 0 else -xs)
    given = jax.device_put(jnp.array([1.0, -2.0]), jax.sharding.NamedSharding(mesh, spec))
    made = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec))(given)
    assert made.tolist() == [-1.0, 2.0]


@pytest.mark.parametrize("wide", [False, True])
def test_precision(wide: bool):
    with jax.enable_x64(wide):
        made = jax.jit(ag.convert(collatz))(27)
        assert (int(made), made.dtype) == (111, jnp.int64 if wide else jnp.int32)
        made = jax.jit(ag.convert(power), static_argnums=1)(2.0, 4)
        assert made.dtype == (jnp.float64 if wide else jnp.float32)


# The size of what is made ---------------------------------------------------------------------------


def lax_leaky(x):
    return lax.cond(x > 0, lambda: x, lambda: 0.1 * x)


def lax_collatz(n):
    def body(state):
        n, steps = state
        return lax.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), steps + 1

    return lax.while_loop(lambda state: state[0] != 1, body, (n, 0))[1]


def lax_relu_sum(xs):
    def body(total, x):
        return lax.cond(x > 0, lambda: total + x, lambda: total), None

    return lax.scan(body, 0.0, xs)[0]


def lax_power(x, n):
    return lax.fori_loop(0, n, lambda _, result: result * x, 1.0)


@pytest.mark.parametrize(
    ("f", "by_hand", "arguments", "more"),
    [
        (leaky, lax_leaky, (2.0,), 0),
        (collatz, lax_collatz, (27,), 1),  # the first test of a `while`, which is made before the loop
        (relu_sum, lax_relu_sum, (jnp.ones(3),), 0),
        (power, lax_power, (2.0, 5), 0),
    ],
)
def test_no_more_equations_than_by_hand(f, by_hand, arguments, more):
    assert count(ag.convert(f), *arguments) <= count(by_hand, *arguments) + more


# Arrays, lists and structures ------------------------------------------------------------------------


def test_items_are_written():
    @jax.jit
    @ag.convert
    def f(xs, i):
        xs[i] = 5.0
        xs[0] += 1.0
        xs[1:3] *= 2.0
        return xs

    given = jnp.array([1.0, 2.0, 3.0, 4.0])
    assert f(given, 3).tolist() == [2.0, 4.0, 6.0, 5.0]
    assert given.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_appends_of_a_loop_of_known_length_are_outputs_of_a_scan():
    def running(xs):
        total, seen = 0.0, []
        for x in xs:
            total = total + x
            seen.append(total)
        return jnp.stack(seen)

    f = ag.convert(running)
    assert jax.jit(f)(jnp.array([1.0, 2.0, 3.0])).tolist() == [1.0, 3.0, 6.0]
    assert "scan[" in str(jax.make_jaxpr(f)(jnp.ones(3)))
    assert jax.jit(jax.grad(lambda xs: f(xs).sum()))(jnp.ones(3)).tolist() == [3.0, 2.0, 1.0]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    position: Any
    speed: Any


def test_structures_are_carried():
    def fall(state, steps):
        for _ in range(steps):
            state = State(state.position + state.speed, state.speed - 1.0)
            if state.position < 0:
                state = State(0.0 * state.position, -state.speed)
        return state

    expected = fall(State(3.0, 0.0), 6)
    made = jax.jit(ag.convert(fall))(State(3.0, 0.0), 6)
    assert isinstance(made, State)
    assert (float(made.position), float(made.speed)) == (expected.position, expected.speed)

    def counts(words):
        found = {"small": 0, "big": (0, [0.0])}
        for word in words:
            if word > 2:
                found["big"] = (found["big"][0] + 1, [found["big"][1][0] + word])
            else:
                found["small"] += 1
        return found

    made = jax.jit(ag.convert(counts))(jnp.array([1.0, 3.0, 5.0]))
    assert jax.tree.map(float, made) == {"small": 1.0, "big": (2.0, [8.0])}


def test_keys_of_random_numbers():
    def walk(key, steps):
        place = 0.0
        while steps > 0:
            key, now = jax.random.split(key)
            if jax.random.uniform(now) > 0.5:
                place += 1.0
            else:
                place -= 1.0
            steps -= 1
        return place

    for key in (jax.random.key(0), jax.random.PRNGKey(0)):
        assert float(jax.jit(ag.convert(walk))(key, 9)) == float(walk(key, 9))


def test_concrete_arrays_are_plain():
    """Nothing is staged outside of a transformation: Python branches, and one branch runs."""
    ran = []

    @ag.to_graph
    def f(x):
        if x > 0:
            ran.append("positive")
        else:
            ran.append("negative")
        return x

    f(jnp.array(1.0))
    assert ran == ["positive"]
    jax.jit(lambda y: f(jnp.array(-1.0)) if False else y)(1.0)
    with jax.ensure_compile_time_eval():
        f(jnp.array(-1.0))
    assert ran == ["positive", "negative"]


def test_prints_of_structures_show_values(capfd):
    @jax.jit
    @ag.convert
    def f(x):
        print([x, 1], {"a": (x,)})
        return x

    f(2.0).block_until_ready()
    jax.effects_barrier()
    printed = capfd.readouterr().out
    assert "2.0" in printed
    assert "Tracer" not in printed


# Errors --------------------------------------------------------------------------------------------------


def test_errors_are_raised_when_the_program_runs():
    @jax.jit
    @ag.convert
    def root(x):
        if x < 0:
            raise ValueError(f"no root of {x}")
        assert x < 100, "too big"
        return x**0.5

    assert float(root(4.0)) == 2.0
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"ValueError: no root of -1\.0"):
        root(-1.0).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="AssertionError: too big"):
        root(101.0).block_until_ready()


@pytest.mark.parametrize(
    ("f", "arguments", "message"),
    [
        (lambda x: jnp.zeros(2) if x > 0 else jnp.zeros(3), (1,), r"float32\[2\] if true \| float32\[3\]"),
        (lambda x: "positive" if x > 0 else "negative", (1,), "'positive'"),
        (lambda n: np.zeros(n) + 1, (3,), "static"),
    ],
)
def test_what_cannot_be_staged_says_so(f, arguments, message):
    with pytest.raises(ag.AutographError, match=message):
        jax.jit(ag.convert(f))(*arguments)


def test_another_name_of_a_written_array():
    def change(xs):
        xs[0] = 7.0

    def f(xs):
        change(xs)
        return xs

    with pytest.raises(ag.StagingError, match="jax arrays are immutable"):
        jax.jit(ag.convert(f))(jnp.ones(3))


def size(x):
    if x > 0:
        return x * 2
    return -x


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: 2 * jax.grad(size)(x), 4.0),
        (lambda x: jax.vmap(size)(jnp.stack([x, -x])), [4.0, 2.0]),
        (lambda x: jax.lax.switch(1, [jnp.sin, size], x), 4.0),
        (lambda x: jax.lax.map(size, jnp.stack([x, -x])), [4.0, 2.0]),
        (lambda x: jax.tree.map(size, [x, -x]), [4.0, 2.0]),
        (lambda x: -jax.jit(jax.checkpoint(size))(x), -4.0),
        (lambda x: functools.reduce(lambda a, b: size(a) + b, [x, x]), 6.0),
    ],
)
def test_functions_of_a_module_that_others_call(call, expected):
    np.testing.assert_allclose(jax.jit(ag.convert(call))(2.0), expected)


def test_what_an_except_catches():
    def f(x):
        try:
            if x < 0:
                raise ValueError(x)
        except ValueError:
            return -x
        return x

    assert [jax.jit(ag.convert(f))(x) for x in (1.0, -2.0)] == [1.0, 2.0]
