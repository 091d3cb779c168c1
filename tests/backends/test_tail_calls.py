"""Tail-recursive functions become loops on JAX, TensorFlow and PyTorch; other recursion is refused."""

import pytest

import autograph_rs as ag


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


def collatz(n, steps=0):
    """Return the length of a Collatz sequence."""
    return (
        steps if n == 1 else collatz(n // 2, steps + 1) if n % 2 == 0 else collatz(3 * n + 1, steps=steps + 1)
    )


def newton(a):
    def improve(x):
        better = 0.5 * (x + a / x)
        if abs(better - x) < 1e-3:
            return better
        return improve(better)

    return improve(a)


def swapped(a, b, n):
    if n == 0:
        return a - b
    return swapped(b, a, n - 1)


class Adder:
    def __init__(self, step):
        self.step = step

    def run(self, k, total):
        if k <= 0:
            return total
        return self.run(k - 1, total + self.step)


class Doubler(Adder):
    def run(self, k, total):
        return super().run(k, total * 2)


def method(n):
    return Adder(3).run(n, 0)


def factories(n):
    def adding(step):
        def go(n, total):
            return total if n == 0 else go(n - 1, total + step)

        return go

    return adding(2)(n, 0) + adding(5)(n, 0)


@ag.convert
def decorated(n, total):
    if n == 0:
        return total
    return decorated(n - 1, total * 2)


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def overridden(n):
    return Doubler(1).run(n, 1)


LOOPS = [
    (gcd, (48, 18)), (collatz, (27,)), (newton, (2.0,)), (swapped, (5, 2, 3)), (method, (4,)),
    (factories, (3,)), (decorated, (4, 1)),
]  # fmt: skip
REFUSED = [(factorial, (4,)), (even, (4,)), (overridden, (3,))]


def on_jax(f, arguments):
    jax = pytest.importorskip("jax")
    return jax.jit(ag.convert(f))(*arguments).item()


def on_tensorflow(f, arguments):
    tf = pytest.importorskip("tensorflow")
    return tf.function(ag.convert(f), autograph=False)(*map(tf.constant, arguments)).numpy().item()


def on_torch(f, arguments):
    torch = pytest.importorskip("torch")

    class Module(torch.nn.Module):
        def forward(self, *given):
            return ag.convert(f)(*given)

    given = tuple(map(torch.tensor, arguments))
    return torch.export.export(Module(), given).module()(*given).item()


SYSTEMS = pytest.mark.parametrize("run", [on_jax, on_tensorflow, on_torch])


@SYSTEMS
@pytest.mark.parametrize(("f", "arguments"), LOOPS)
def test_tail_calls_become_a_loop(run, f, arguments):
    assert run(f, arguments) == pytest.approx(f(*arguments))


@SYSTEMS
@pytest.mark.parametrize(("f", "arguments"), REFUSED)
def test_other_recursion_is_refused(run, f, arguments):
    with pytest.raises(ag.StagedRecursionError):
        run(f, arguments)


def test_the_depth_of_a_loop_is_not_limited():
    def count(n, steps):
        if n == 0:
            return steps
        return count(n - 1, steps + 1)

    assert on_jax(count, (20_000, 0)) == 20_000
