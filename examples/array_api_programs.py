"""Array-API programs whose loops depend on data, compiled unchanged on NumPy, JAX, TensorFlow and PyTorch.

python -m pip install array-api-compat
python examples/array_api_programs.py              # NumPy
python examples/array_api_programs.py jax torch    # these systems, of numpy, jax, tensorflow and torch

Each program takes the namespace `xp` first, and calls only functions of the array API in it. The script
stages each program, compares its results with those of plain NumPy, and shows what the system alone makes of
it. Names of programs among the arguments select programs.
"""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_rs as ag

# Programs


def hits(xp, links, most=100, tolerance=1e-10):
    """Hubs and authorities of a graph (Kleinberg), as in the array API's tutorial."""
    hubs = xp.sum(links, axis=1)
    for _ in range(most):
        last = hubs
        authorities = links.T @ hubs
        hubs = links @ authorities
        hubs = hubs / xp.sum(hubs)
        if xp.sum(xp.abs(hubs - last)) < tolerance:
            break
    else:
        raise ValueError("the iteration does not converge")
    return hubs, authorities / xp.sum(authorities)


def elliptic(xp, kc, p, a, b):
    """General complete elliptic integral cel(kc, p, a, b), by Bulirsch's iteration."""
    k, positive = xp.abs(kc), p > 0
    gap = xp.where(positive, xp.ones_like(p), 1 - p)
    root = xp.sqrt(xp.where(positive, p, (k * k - p) / gap))
    moved = (a - b) / gap
    b = xp.where(positive, b / root, (a * p - b) * (1 - k * k) / (gap * gap * root) + moved * root)
    a, p, e, m = xp.where(positive, a, moved), root, k, xp.ones_like(k)
    while True:
        a, b, p = a + b / p, 2 * (b + a * e / p), p + e / p
        last, m = m, m + k
        if xp.all(xp.abs(last - k) <= 1e-8 * last):
            return math.pi / 2 * (b + a * m) / (m * (m + p))
        k = 2 * xp.sqrt(e)
        e = k * m


def lambertw(xp, x):
    """Lambert's W, the solution of w exp(w) = x, by Halley's iteration."""
    w = xp.log1p(x)
    while True:
        e = xp.exp(w)
        f = w * e - x
        step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2))
        w = w - step
        if xp.all(xp.abs(step) <= 1e-12):
            return w


def kepler(xp, mean, eccentricity):
    """Eccentric anomaly E with E - e sin(E) = M, by Newton's iteration."""
    angle = mean + eccentricity * xp.sin(mean)
    error = angle - eccentricity * xp.sin(angle) - mean
    while xp.any(xp.abs(error) > 1e-13):
        angle = angle - error / (1 - eccentricity * xp.cos(angle))
        error = angle - eccentricity * xp.sin(angle) - mean
    return angle


def log_gamma(xp, x):
    """Logarithm of the gamma function for x > 0: shifted until Stirling's series holds."""
    shift = xp.zeros_like(x)
    while xp.any(x < 10):
        small = x < 10
        shift = xp.where(small, shift + xp.log(x), shift)
        x = xp.where(small, x + 1, x)
    y = 1 / (x * x)
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
    return (x - 0.5) * xp.log(x) - x + math.log(2 * math.pi) / 2 + series - shift


def gammainc(xp, a, x):
    """Regularized lower incomplete gamma function, by its series."""
    n, term = a, 1 / a
    total = term
    while xp.any(xp.abs(term) > 1e-16 * xp.abs(total)):
        n = n + 1
        term = term * x / n
        total = total + term
    return total * xp.exp(a * xp.log(x) - x - log_gamma(xp, a))


def betainc(xp, a, b, x):
    """Regularized incomplete beta function, by Lentz's method for its continued fraction."""
    mirrored = x > (a + 1) / (a + b + 2)
    a, b, x = xp.where(mirrored, b, a), xp.where(mirrored, a, b), xp.where(mirrored, 1 - x, x)
    c, d = xp.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    fraction, m = d, 0
    while True:
        m += 1
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = 1 + factor / c, 1 / (1 + factor * d)
            fraction = fraction * c * d
        if xp.all(xp.abs(c * d - 1) < 1e-15):
            break
    logarithm = log_gamma(xp, a + b) - log_gamma(xp, a) - log_gamma(xp, b)
    result = xp.exp(logarithm + a * xp.log(x) + b * xp.log(1 - x)) * fraction / a
    return xp.where(mirrored, 1 - result, result)


def bessel_j(xp, x, order=3):
    """Bessel function of the first kind and an integer order, for x > 0, by Miller's downward recurrence."""
    k = 2 * xp.floor(xp.max(x) / 2) + 2 * order + 30
    above, value = xp.zeros_like(x), xp.ones_like(x) * 1e-30
    total, result = xp.zeros_like(x), xp.zeros_like(x)
    while k > 0:
        above, value = value, 2 * k / x * value - above
        k = k - 1
        if k == order:
            result = value
        if k % 2 == 0:
            total = total + value * (1.0 if k == 0 else 2.0)
        if xp.any(xp.abs(value) > 1e100):
            scale = xp.where(xp.abs(value) > 1e100, 1e-100 * xp.ones_like(x), xp.ones_like(x))
            above, value, total, result = above * scale, value * scale, total * scale, result * scale
    return result / total


def erf(xp, x):
    """Error function, by its series."""
    n, term = 0, x
    total = term
    while xp.any(xp.abs(term) > 1e-17 * xp.abs(total)):
        n += 1
        term = term * 2 * x * x / (2 * n + 1)
        total = total + term
    return 2 / math.sqrt(math.pi) * xp.exp(-x * x) * total


def erfinv(xp, y):
    """Inverse of the error function, by Newton's iteration on its series."""
    logarithm = xp.log(1 - y * y)
    guess = 4.33 + logarithm / 2
    x = xp.sign(y) * xp.sqrt(xp.sqrt(guess * guess - logarithm / 0.147) - guess)
    step = y - erf(xp, x)
    while xp.any(xp.abs(step) > 1e-14):
        x = x + step * math.sqrt(math.pi) / 2 * xp.exp(x * x)
        step = y - erf(xp, x)
    return x


def find_root(xp, f, low, high):
    """Root of f between low and high, where its signs differ, by bisection until neighbors are reached."""
    rising = f(high) > 0
    while xp.any(high - low > 4e-16 * (xp.abs(low) + xp.abs(high))):
        middle = low + (high - low) / 2
        value = f(middle)
        if xp.all(value == 0):
            return middle
        below = (value > 0) != rising
        low, high = xp.where(below, middle, low), xp.where(below, high, middle)
    return low + (high - low) / 2


def find_minimum(xp, f, low, high):
    """Place of the minimum of f between low and high, by golden-section search."""
    golden = (math.sqrt(5) - 1) / 2
    while xp.any(high - low > 1e-8):
        left, right = high - golden * (high - low), low + golden * (high - low)
        lower = f(left) < f(right)
        low, high = xp.where(lower, low, left), xp.where(lower, right, high)
    return (low + high) / 2


def integrate(xp, f, low, high, tolerance=1e-10):
    """Integral of f from low to high, by the tanh-sinh rule, halving the step until the error is small."""
    middle, half = (low + high) / 2, (high - low) / 2
    total = math.pi / 2 * f(middle)
    result, h, stride = half * total, xp.ones_like(low), xp.ones_like(low)
    while True:
        t = h
        while xp.any(t < 3):
            angle = math.pi / 2 * xp.sinh(t)
            place = half * xp.tanh(angle)
            weight = math.pi / 2 * xp.cosh(t) / xp.cosh(angle) ** 2
            total = total + weight * (f(middle - place) + f(middle + place))
            t = t + h * stride
        last, result = result, half * h * total
        if xp.all(xp.abs(result - last) <= tolerance * xp.abs(result)):
            return result
        h, stride = h / 2, 2 * xp.ones_like(h)


# Systems: each runs a program, converted or as it is


def on_numpy(program, arguments, convert):
    program = functools.partial(program, np)
    return (ag.function(program) if convert else program)(*arguments)


def on_jax(program, arguments, convert):
    jax = importlib.import_module("jax")
    program = functools.partial(program, jax.numpy)
    with jax.enable_x64(True):
        return jax.jit(ag.convert(program) if convert else program)(*arguments)


def on_tensorflow(program, arguments, convert):
    tf = importlib.import_module("tensorflow")
    tf.experimental.numpy.experimental_enable_numpy_behavior()  # gives tensors the attribute T
    program = functools.partial(program, tf.experimental.numpy)
    compiled = tf.function(ag.convert(program), autograph=False) if convert else tf.function(program)
    return compiled(*map(tf.constant, arguments))


def on_torch(program, arguments, convert):
    xp, torch = importlib.import_module("array_api_compat.torch"), importlib.import_module("torch")

    class Module(torch.nn.Module):
        def forward(self, *tensors):
            return program(xp, *tensors)

    tensors = tuple(map(torch.tensor, arguments))
    module = ag.convert_module(Module()) if convert else Module()
    return torch.export.export(module, tensors, strict=False).module()(*tensors)


SYSTEMS = {"numpy": on_numpy, "jax": on_jax, "tensorflow": on_tensorflow, "torch": on_torch}

# Runs


def root_of(xp, c):
    """Square roots as roots of x^2 - c."""
    return find_root(xp, lambda x: x * x - c, xp.zeros_like(c), c + 1)


def lowest(xp, low):
    """Place of the minimum of cos(x) + x / 4 within 5 of `low`."""
    return find_minimum(xp, lambda x: xp.cos(x) + x / 4, low, low + 5)


def bell(xp, high):
    """Integral of exp(-x^2) cos(x) from 0 to `high`."""
    return integrate(xp, lambda x: xp.exp(-x * x) * xp.cos(x), xp.zeros_like(high), high)


LINKS = np.array([[0, 1, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0.0]])
RUNS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "hits": (hits, (LINKS,)),
    "elliptic": (elliptic, tuple(np.array([[0.1, 1, 1, 1], [0.5, 1.5, 1, 0.25], [0.9, -0.4, 1, 2]]).T)),
    "lambertw": (lambertw, (np.array([-0.3, 0.5, 3.0, 100.0]),)),
    "kepler": (kepler, (np.array([0.2, 1.5, 3.0]), np.array([0.9, 0.3, 0.6]))),
    "log_gamma": (log_gamma, (np.array([0.1, 1.5, 12.0]),)),
    "gammainc": (gammainc, (np.array([0.5, 2.0, 7.5]), np.array([0.1, 3.0, 6.0]))),
    "betainc": (betainc, (np.array([0.5, 2.0, 8.0]), np.array([3.0, 2.0, 1.5]), np.array([0.1, 0.5, 0.9]))),
    "bessel_j": (bessel_j, (np.array([0.5, 4.0, 30.0]),)),
    "erfinv": (erfinv, (np.array([-0.9, 0.1, 0.999]),)),
    "find_root": (root_of, (np.array([2.0, 9.0, 0.5]),)),
    "find_minimum": (lowest, (np.array([0.0, 1.0, 0.5]),)),
    "integrate": (bell, (np.array([0.5, 1.0, 2.0]),)),
}  # fmt: skip


def check(system: str, name: str, convert: bool = True) -> None:
    """Raise an AssertionError if a program on a system gives another result than plain NumPy."""
    program, arguments = RUNS[name]
    expected = program(np, *arguments)
    found = SYSTEMS[system](program, arguments, convert)
    several = isinstance(expected, tuple)
    for wanted, result in zip(
        expected if several else [expected], found if several else [found], strict=True
    ):
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-12)


def alone(system: str, name: str) -> str:
    """What a program does on a system without this package: the name of its error, or that it works."""
    try:
        check(system, name, convert=False)
    except Exception as error:
        return type(error).__name__
    return "works"


if __name__ == "__main__":
    for system in [name for name in sys.argv[1:] if name in SYSTEMS] or ["numpy"]:
        for name in [name for name in sys.argv[1:] if name in RUNS] or RUNS:
            check(system, name)
            print(f"{system}: {name}: staged, equal to plain NumPy; alone: {alone(system, name)}", flush=True)
