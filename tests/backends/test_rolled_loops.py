"""Loops over a plain `range` that a staged condition ends, on JAX, TensorFlow and PyTorch."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import rolling_effects as effects
from support import required
from torch_support import QUIET, Calls, torch

jax = required("jax")
tf = required("tensorflow")

import jax.numpy as jnp  # noqa: E402

import autograph_rs as ag  # noqa: E402
from autograph_rs.runtime.staging import loop_rolling  # noqa: E402

pytestmark = QUIET
X = np.array([1.0, 2.0, 1.5, 0.5], np.float32)
N = 12


def newton(a, n):
    x = a
    for _ in range(n):
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-4:
            break
    return x


def counting(x, n):
    total, last = x, 0
    for i in range(1, 3 * n, 3):
        total = total * 0.9 + i * 0.01
        last = i
        if total > 2.5:
            return total, last, i
    return total, last, -1


def on_jax(f, x, n):
    program = ag.convert(lambda x: f(x, n))
    return jax.jit(program)(jnp.asarray(x)), len(str(jax.make_jaxpr(program)(jnp.asarray(x))).splitlines())


def on_tensorflow(f, x, n):
    made = tf.function(ag.convert(f), autograph=False)
    graph = made.get_concrete_function(tf.constant(x), n).graph
    return made(tf.constant(x), n), len(graph.as_graph_def().node)


def on_torch(f, x, n):
    program = torch.export.export(Calls(lambda x: f(x, n)), (torch.tensor(x),), strict=False)
    return program.module()(torch.tensor(x)), len(list(program.graph.nodes))


SYSTEMS = pytest.mark.parametrize("system", [on_jax, on_tensorflow, on_torch])


def numbers(result):
    return [np.asarray(v) for v in (result if isinstance(result, tuple) else (result,))]


def unrolled():
    return mock.patch.object(loop_rolling, "MIN_ROLLED", 1 << 60)


@SYSTEMS
@pytest.mark.parametrize("f", [newton, counting])
def test_a_program_does_not_grow_with_the_range(system, f):
    x = np.float32(9.0)
    result, size = system(f, x, 100)
    _, largest = system(f, x, 10_000)
    assert abs(largest - size) <= 5
    assert size < 120
    for a, b in zip(numbers(result), numbers(f(x, 100)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    with unrolled():
        again, longest = system(f, x, N)
    assert longest > size
    short, _ = system(f, x, N)
    for a, b in zip(numbers(short), numbers(again), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-6)


def powers(x, _):
    for i in range(40):
        x = x + 1.0 / 2**i
        if x > 1e6:
            break
    return x


def rounded(x, _):
    for i in range(N):
        x = x + (1.0 if i * 0.1 > 0.3 else 0.25)
        if x > 1e6:
            break
    return x


def factorials(x, _):
    for i in range(18):
        product = 1
        for k in range(1, i + 1):
            product = product * k
        x = x + 1.0 / product
        if x > 1e6:
            break
    return x


def large(x, _):
    for i in range(100_000, 100_000 + N):
        x = x * 0.5 + i * i % 7
        if x > 1e6:
            break
    return x


def looked_up(x, _):
    for i in range(N):
        x = x + {3: 5.0}.get(i, 0.25)
        if x > 1e6:
            break
    return x


def out_of_range(x, _):
    weights = [0.5, 0.25, 0.125]
    for i in range(N):
        x = x + weights[i % 3 - 1]
        if x > 1e6:
            break
    return x


def inspected(x, _):
    for i in range(N):
        x = x + (1.0 if isinstance(i, int) else 2.0)
        if x > 1e6:
            break
    return x


@SYSTEMS
@pytest.mark.parametrize("f", [powers, rounded, factorials, large, looked_up, out_of_range, inspected])
def test_numbers_computed_from_the_counter_are_those_of_python(system, f):
    result, _ = system(f, np.float32(1.0), 0)
    np.testing.assert_allclose(np.asarray(result), f(1.0, 0), rtol=1e-5)


EFFECTS = [n for n in effects.PROGRAMS if "plain_range" not in n and n != "counted"]


@pytest.mark.parametrize(
    ("system", "name"),
    [
        *((on_jax, name) for name in EFFECTS),
        *((system, name) for system in (on_tensorflow, on_torch) for name in EFFECTS[::6]),  # seconds each
    ],
)
@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")
def test_effects_of_the_body_are_those_of_the_unrolled_loop(system, name):
    def run(system):
        effects.reset()
        result, _ = system(lambda x, _: effects.PROGRAMS[name](x), np.float32(0.0), 0)
        return np.asarray(result), effects.effects()

    with unrolled():
        result, left = run(system)
    assert run(system) == (result, left)
    plain, expected = run(lambda f, x, n: (f(x, n), 0))
    if "draws" not in name:
        np.testing.assert_allclose(result, plain, rtol=1e-6)
        assert "staged" in left or max(left) % max(expected) == 0  # some systems trace more than once


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint8", "int16"])
def test_dtypes_on_jax(dtype):
    def f(x, k):
        for i in range(N):
            k = k + i
            x = x * 0.8
            if x.sum() < 1.0:
                break
        return k, i

    def types(*arguments):
        return [(v.dtype, v.weak_type) for v in jax.eval_shape(ag.convert(f), *arguments)]

    arguments = jnp.asarray(X), jnp.array([1, 2], dtype)
    rolled = types(*arguments)
    with unrolled():
        assert types(*arguments) == rolled
    assert rolled[0][0] == dtype


def test_double_precision_on_tensorflow_and_torch():
    def f(x):
        for i in range(N):
            x = x + i * 0.1 + 1 / (i + 1)
            if x > 1e6:
                break
        return x

    expected = pytest.approx(f(1.0), rel=1e-14)
    assert float(tf.function(ag.convert(f), autograph=False)(tf.constant(1.0, tf.float64))) == expected
    given = torch.tensor(1.0, dtype=torch.float64)
    assert float(torch.export.export(Calls(f), (given,), strict=False).module()(given)) == expected


def smooth(x):
    for i in range(40):
        x = x * 0.9 + jnp.sin(x) * 0.01 * i
        if jnp.sum(x) < 1.5:
            break
        if i % 7 == 3:
            continue
        x = x * 0.99
    return jnp.sum(x * x)


def triangular(x):
    for i in range(10):
        for _ in range(i):
            x = x * 0.97
        if jnp.sum(x) < 0.5:
            break
    return jnp.sum(x)


@pytest.mark.parametrize("f", [smooth, triangular])
def test_gradients_on_jax(f):
    gradient = jax.jit(jax.grad(ag.convert(f)))(X)
    np.testing.assert_allclose(gradient, jax.grad(f)(X), rtol=1e-4)
    with unrolled():
        np.testing.assert_allclose(jax.jit(jax.grad(ag.convert(f)))(X), gradient, rtol=1e-4)
    step = 1e-2
    numeric = [(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(4, dtype=np.float32)]
    np.testing.assert_allclose(gradient, np.array(numeric), rtol=2e-2)


def test_gradients_on_tensorflow():
    def f(x):
        for i in range(40):
            x = x * 0.9 + tf.sin(x) * 0.01 * i
            if tf.reduce_sum(x) < 1.5:
                break
        return tf.reduce_sum(x * x)

    def gradient(f):
        with tf.GradientTape() as tape:
            x = tf.constant(X)
            tape.watch(x)
            result = f(x)
        return tape.gradient(result, x)

    rolled = gradient(tf.function(ag.convert(f), autograph=False))
    np.testing.assert_allclose(rolled, gradient(f), rtol=1e-4)


def test_gradients_on_torch():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = torch.nn.Parameter(torch.tensor(0.9))

        def forward(self, x):
            for i in range(40):
                x = x * self.rate + torch.sin(x) * 0.01 * i
                if x.sum() < 1.5:
                    break
            return (x * x).sum()

    plain, given = Model(), torch.tensor(X, requires_grad=True)
    plain(given).backward()
    program = torch.export.export(ag.convert_module(Model()), (torch.tensor(X),), strict=False).module()
    leaf = torch.tensor(X, requires_grad=True)
    program(leaf).backward()
    np.testing.assert_allclose(leaf.grad, given.grad, rtol=1e-4)
    np.testing.assert_allclose(program.rate.grad, plain.rate.grad, rtol=1e-4)


class Counted(torch.overrides.TorchFunctionMode):
    """A mode of the program that sees each call of torch."""

    calls = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        Counted.calls += 1
        return func(*args, **(kwargs or {}))


def test_a_loop_is_rolled_in_a_mode_of_the_program():
    def f(x):
        for _ in range(100):
            x = x * 0.9
            if x.sum() < 0.5:
                break
        return x

    class Model(torch.nn.Module):
        def forward(self, x):
            with Counted():
                return ag.convert(f)(x)

    x = torch.tensor(X)
    program = torch.export.export(Model(), (x,), strict=False)
    assert Counted.calls and len(program.graph.nodes) < 120
    np.testing.assert_allclose(program.module()(x), f(x), rtol=1e-5)


@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")
def test_numbers_drawn_during_the_trace_are_those_of_the_unrolled_loop():
    def f(x):
        generator = np.random.default_rng(3)
        for _ in range(N):
            x = x * 0.8 + generator.normal()
            if x.sum() > 1e6:
                break
        return x

    np.testing.assert_allclose(jax.jit(ag.convert(f))(jnp.asarray(X)), f(X), rtol=1e-5)


def test_prints_of_a_counter(capsys):
    def f(x):
        for i in range(N):
            print("iteration", i, f"{i:02d}")
            x = x * 0.8
            if x.sum() < 2.5:
                break
        return x

    f(X)
    expected = capsys.readouterr().out
    jax.jit(ag.convert(f))(jnp.asarray(X))
    jax.effects_barrier()
    assert capsys.readouterr().out == expected
    torch.export.export(Calls(f), (torch.tensor(X),), strict=False).module()(torch.tensor(X))
    assert capsys.readouterr().out == expected
