"""A loop over a Python `range` is written out; with loop options in its body it is one staged loop."""

from __future__ import annotations

import numpy as np
import pytest
from support import required, root
from torch_support import Calls, torch

jax = required("jax")
tf = required("tensorflow")

import jax.numpy as jnp  # noqa: E402

import autograph_rs as ag  # noqa: E402


def counted(a, limit, rounds):
    n = 0
    for i in range(3, 3 + 2 * rounds, 2):
        ag.set_loop_options(maximum_iterations=1000)
        a = a * 0.5 + i
        if a > limit:
            break
        n += 1
    else:
        n = 1000
    return a, n, i


def chosen(a, limit, rounds):
    """No options: every round is written out, and a dict has its keys."""
    factors = {i: float(i + 1) for i in range(rounds)}
    for i in range(rounds):
        a = a * factors[i]
        if a > limit:
            break
    return a


def weighted(a, limit, rounds):
    """A list of numbers is one of Python numbers, which take the dtype of `a`."""
    factors = [float(i + 1) for i in range(rounds)]
    for i in range(rounds):
        ag.set_loop_options(maximum_iterations=1000)
        a = a * factors[i]
        if a > limit:
            break
    return a


def on_jax(f, a, limit, rounds):
    program = ag.convert(lambda a, limit: f(a, limit, rounds))
    size = len(jax.make_jaxpr(program)(a, limit).eqns)
    return jax.jit(program)(a, limit), size


def on_tensorflow(f, a, limit, rounds):
    made = tf.function(ag.convert(f), autograph=False)
    given = tf.constant(a), tf.constant(limit), rounds
    results = tf.nest.map_structure(np.asarray, made(*given))
    return results, len(made.get_concrete_function(*given).graph.get_operations())


def on_torch(f, a, limit, rounds):
    given = torch.tensor(a), torch.tensor(limit)
    exported = torch.export.export(Calls(lambda a, limit: f(a, limit, rounds)), given, strict=False)
    return exported.module()(*given), len(list(exported.graph.nodes))


SYSTEMS = pytest.mark.parametrize("system", [on_jax, on_tensorflow, on_torch])


@SYSTEMS
@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (root, (9.0, 1e-3)),
        (root, (9.0, -1.0)),
        (counted, (1.0, 30.0)),
        (counted, (1.0, 1e9)),
        (counted, (300.0, 1.0)),
        (chosen, (1.0, 200.0)),
        (weighted, (1.0, 200.0)),
        (weighted, (1.0, 1e9)),
    ],
)
@pytest.mark.parametrize("rounds", [1, 3, 5, 6, 9])
def test_as_python(system, f, arguments, rounds):
    results, _ = system(f, *map(np.float32, arguments), rounds)
    expected = f(*arguments, rounds)
    pairs = zip(*(r if isinstance(r, tuple) else (r,) for r in (results, expected)), strict=True)
    for made, plain in pairs:
        assert float(made) == pytest.approx(plain, rel=1e-5)
        assert (np.asarray(made).dtype.kind == "i") == isinstance(plain, int)


@SYSTEMS
@pytest.mark.parametrize("f", [root, counted, weighted])
def test_one_loop(system, f):
    assert len({system(f, np.float32(2), np.float32(50), rounds)[1] for rounds in (8, 80)}) == 1


@SYSTEMS
def test_written_out_without_options(system):
    sizes = [system(chosen, np.float32(2), np.float32(50), rounds)[1] for rounds in (8, 80)]
    assert sizes[1] > 5 * sizes[0]


def test_derivatives():
    f = ag.convert(lambda a: root(a, 1e-4, 50))
    assert float(jax.jit(f)(9.0)) == 3.0
    for derivative in (jax.grad(f), jax.jit(jax.grad(f)), jax.jacfwd(f), jax.jacrev(f)):
        assert float(derivative(9.0)) == pytest.approx(1 / 6, rel=1e-4)
    assert float(jax.hessian(f)(9.0)) == pytest.approx(-1 / 108, rel=1e-3)
    values = jnp.array([4.0, 9.0, 16.0])
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(values), 0.5 / jnp.sqrt(values), rtol=1e-3)


def test_derivatives_through_a_break():
    def summed(xs, w):
        total = 0.0
        for x in xs:
            total = total + jnp.tanh(x * w)
            if total > 2.0:
                break
        return total

    xs = jnp.arange(1.0, 7.0)
    made = jax.value_and_grad(ag.convert(summed), (0, 1))(xs, 0.5)
    by_hand = jax.value_and_grad(lambda xs, w: jnp.sum(jnp.tanh(xs[:3] * w)), (0, 1))(xs, 0.5)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), made, by_hand)


def test_derivatives_of_a_loop_that_may_raise():
    def f(x):
        while x < 100.0:
            ag.set_loop_options(maximum_iterations=np.int64(20))
            assert x > 0
            x = x * x + 1.0
        return x

    def by_hand(x):
        for _ in range(4):
            x = x * x + 1.0
        return x

    assert float(jax.grad(ag.convert(f))(1.0)) == float(jax.grad(by_hand)(1.0))


@pytest.mark.filterwarnings(
    "ignore::autograph_rs.SideEffectWarning"
)  # the iterator also advances after the break
def test_what_the_host_does_is_done_in_each_round():
    def f(x, numbers):
        for i in range(8):
            x += next(numbers) * 2**-i
            if x > 100:
                break
        return x

    made = jax.jit(lambda x: ag.convert(f)(x, iter(range(8))))(1.5)
    assert float(made) == pytest.approx(f(1.5, iter(range(8))))


def test_a_range_without_a_break():
    def f(x, rounds):
        for i in range(rounds):
            ag.set_loop_options(maximum_iterations=1000)
            x = x * 0.5 + i
        return x

    for system in (on_jax, on_tensorflow, on_torch):
        found = {
            rounds: system(lambda x, _, n: f(x, n), np.float32(1), np.float32(0), rounds)
            for rounds in (8, 80)
        }
        assert {rounds: pytest.approx(float(made)) for rounds, (made, _) in found.items()} == {
            rounds: f(1.0, rounds) for rounds in (8, 80)
        }
        assert len({size for _, size in found.values()}) == 1


def test_a_bounded_while_ends_early():
    rounds = []

    def f(x):
        while x < 100.0:
            ag.set_loop_options(maximum_iterations=50)
            jax.debug.callback(lambda: rounds.append(1))
            x = x * x + 1.0
        return x

    assert float(jax.jit(ag.convert(f))(1.0)) == 677.0
    jax.effects_barrier()
    assert len(rounds) == 4


def test_a_dtype_is_kept():
    made = jax.jit(ag.convert(lambda a: weighted(a, 1e4, 9)))(jnp.float16(1))
    assert (made.dtype, float(made)) == (jnp.float16, 40320.0)
