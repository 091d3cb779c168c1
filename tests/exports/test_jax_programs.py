"""Programs through `to_jax`: control flow, JAX's transformations, Variables, several devices."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from backends.support import required

jax = required("jax")
import jax.numpy as jnp  # noqa: E402
from jax_samples import finished  # noqa: E402

import autograph_rs as ag  # noqa: E402

XS = np.array([3.0, -1.0, 2.0, -5.0, 0.5])


def made(f: Any, *args: Any, **options: Any) -> Any:
    return ag.function(f).get_concrete_function(*args).to_jax(**options)


# Control flow ----------------------------------------------------------------------------------


def nested_loops(xs, n):
    total = 0.0
    for i in range(n):
        for x in xs:
            if x > i:
                total += x * i
            else:
                total -= 1
    return total


def jumps(xs, n):
    total, last = 0.0, -1.0
    for i, x in enumerate(xs):
        if x < -n:
            continue
        if total > 4:
            break
        if x == 100:
            return total, last
        last = x + i
        total += x
    return total, last


def while_with_else(xs, n):
    k = 0
    while k < n:
        if k * k > 10:
            break
        k += 1
    else:
        k = -k
    return k, xs[k]


def collected(xs, n):
    squares, odd = [], []
    for i, x in enumerate(xs):
        squares.append(x * x)
        if i % 2:
            odd.append((i, x))
    return squares, odd, len(odd), np.stack(squares)


def in_rounds_of_n(xs, n):
    found = [0.0]
    for i in range(n):
        found.append(found[-1] + xs[i])
    last = found.pop()
    return found, last, sum(found)


def unbound(xs, n):
    for x in xs[:3]:
        if x > n:
            biggest = x
    return biggest


def doubled(xs, n):
    while np.sum(np.abs(xs)) < 100:
        xs = xs * 2
    return xs


def said(xs, n):
    word = "many" if n > 2 else f"few: {n}"
    return f"{word}!", xs.mean()


def matrices(xs, n):
    m = np.outer(xs, xs) + n * np.eye(5)
    return np.linalg.solve(m, xs), m.T[1, ::2], np.sort(xs)[::-1], np.where(xs > 0, xs, n)


PROGRAMS = [
    nested_loops, jumps, while_with_else, collected, in_rounds_of_n, unbound, doubled, said, matrices,
]  # fmt: skip


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, (jax.Array, np.ndarray, np.generic, int, float)):
        return np.asarray(value)
    return str(value) if not hasattr(value, "__iter__") or isinstance(value, str) else list(map(plain, value))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_program(function: Any, n: int) -> None:
    """As in plain Python, called as it is and compiled."""
    given = XS.copy(), np.int64(n)
    run = made(function, *given, list_room=8)
    try:
        expected = plain(function(*given))
    except UnboundLocalError:
        for call in (run, jax.jit(run)):
            with pytest.raises(jax.errors.JaxRuntimeError, match=r"UnboundLocalError.*'biggest'"):
                finished(call, *given)
        return
    for call in (run, jax.jit(run)):
        jax.tree.map(np.testing.assert_allclose, plain_numbers(call(*given)), plain_numbers(expected))


def plain_numbers(value: Any) -> Any:
    """The parts of a result; of a text, a number for it."""
    leaves = jax.tree.leaves(plain(value))
    return [hash(leaf) if isinstance(leaf, str) else leaf for leaf in leaves]


def test_room_for_lists() -> None:
    """Without room such a loop is refused; a program that needs more raises."""
    with pytest.raises(ag.ValueNeededError, match=r"the loop for makes a list longer") as caught:
        made(in_rounds_of_n, XS, np.int64(3))(XS, np.int64(3))
    assert caught.value.place.function == "in_rounds_of_n"
    run = jax.jit(made(in_rounds_of_n, XS, np.int64(3), list_room=2))
    with pytest.raises(jax.errors.JaxRuntimeError, match="more than 2 rounds"):
        finished(run, XS, np.int64(3))


def test_lengths_that_nobody_knows() -> None:
    """One trace for arrays of any length, which are what they are when JAX traces."""
    run = jax.jit(made(lambda x: x.sum() / len(x), ag.TensorSpec((None,))))
    assert float(run(np.ones(3))) == 1
    assert float(run(np.arange(5.0))) == 2


def test_structures_and_names() -> None:
    """Nested arguments, by position and by name; the result in its structure."""

    def f(pair, *, scale):
        return {"a": pair[0] * scale, "b": [pair[1], 3]}

    concrete = ag.function(f).get_concrete_function((XS, np.float64(2)), scale=np.float64(3))
    run = concrete.to_jax()
    result = jax.jit(lambda p, s: run(p, scale=s))((XS, np.float64(2)), np.float64(3))
    np.testing.assert_array_equal(result["a"], XS * 3)
    assert isinstance(result["b"], list)
    assert [float(v) for v in result["b"]] == [2, 3]


# Transformations -------------------------------------------------------------------------------


def two_branches(x):
    if np.sum(x) > 0:
        return np.sum(x * x)
    return np.sum(np.sin(x))


def loop_over_items(x):
    total = 1.0
    for v in x:
        total = total * (1 + v * v) if v > 0 else total - v
    return total


def known_rounds(x):
    y = x
    for _ in range(4):
        y = np.tanh(y) + x
    return np.sum(y)


def ends_early(x):
    total = 0.0
    for v in x:
        total += v * v
        if total > 5:
            break
    return total


def listed(x):
    parts = []
    for v in x:
        parts.append(np.exp(v))
    return np.sum(np.stack(parts) ** 2)


def written(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + y[i]
    return np.sum(y * y)


LOSSES = [
    two_branches, loop_over_items, known_rounds, ends_early, listed, written,
    lambda x: np.mean(x**2), lambda x: np.prod(x), lambda x: np.max(x), lambda x: np.linalg.norm(x),
    lambda x: np.sum(np.where(x > 0, x, np.exp(x))), lambda x: np.dot(x, x[::-1]),
    lambda x: np.sum(np.cumsum(x) ** 2), lambda x: np.log(np.sum(np.exp(x))), lambda x: x[1] * x[-1],
    lambda x: np.std(x), lambda x: np.sum(np.outer(x, x) * np.eye(5)), lambda x: np.sum(np.sort(x)[:2] ** 3),
    lambda x: np.sum(np.maximum(x, 0) + np.abs(x)), lambda x: np.einsum("i,i->", x, np.sqrt(x * x + 1)),
    lambda x: np.sum(np.concatenate([x, x * x])[2:8]),
]  # fmt: skip


@pytest.mark.parametrize("function", LOSSES, ids=lambda f: f"{f.__name__}_{f.__code__.co_firstlineno}")
def test_grad(function: Any) -> None:
    """JAX's gradient of the program is the embedded graph's own."""
    expected = ag.grad(function)(XS)
    run = made(function, XS)
    np.testing.assert_allclose(jax.grad(run)(XS), expected, rtol=1e-10)
    np.testing.assert_allclose(jax.jit(jax.grad(run))(XS), expected, rtol=1e-10)


@pytest.mark.parametrize("function", [two_branches, loop_over_items, ends_early, known_rounds])
def test_vmap(function: Any) -> None:
    """A program over rows, of which each takes its own way."""
    rows = np.stack([XS, -XS, XS * 3])
    expected = [function(row) for row in rows]
    np.testing.assert_allclose(jax.jit(jax.vmap(made(function, XS)))(rows), expected, rtol=1e-12)


def test_ahead_of_time() -> None:
    """`lower` and `compile`, under the function's own name."""
    lowered = jax.jit(made(known_rounds, XS)).lower(jax.ShapeDtypeStruct((5,), "float64"))
    assert "known_rounds" in lowered.as_text()
    np.testing.assert_allclose(lowered.compile()(XS), known_rounds(XS))


def test_a_loop_of_known_rounds_is_a_scan() -> None:
    """So it has a reverse mode; one that a condition ends is a while loop."""
    assert "scan[" in str(jax.make_jaxpr(made(loop_over_items, XS))(XS))
    assert "while[" in str(jax.make_jaxpr(made(doubled, XS, np.int64(1)))(XS, np.int64(1)))


SHARDED = """
import jax, numpy as np, autograph_rs as ag
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)

def f(x, w):
    y = x
    for _ in range(3):
        y = np.tanh(y @ w)
    total = 0.0
    for row in y:
        if row[0] > 0:
            total += np.sum(row)
    return total, y

x, w = np.arange(32.0).reshape(8, 4) / 32 - 0.5, np.eye(4) * 0.5 + 0.1
run = jax.jit(ag.function(f).get_concrete_function(x, w).to_jax())
mesh = Mesh(np.array(jax.devices()), ("rows",))
placed = jax.device_put(x, NamedSharding(mesh, P("rows", None)))
total, y = run(placed, w)
expected = f(x, w)
np.testing.assert_allclose(total, expected[0])
np.testing.assert_allclose(y, expected[1])
print(len(jax.devices()), len(y.sharding.device_set))
"""


def test_several_devices(tmp_path: Any) -> None:
    """An array that lies on four devices is computed with on all four."""
    file = tmp_path / "sharded.py"
    file.write_text(SHARDED, encoding="utf-8")
    environment = {
        **os.environ,
        "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        "JAX_PLATFORMS": "cpu",
    }
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, file], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "4"]


# Variables, and arrays that are written --------------------------------------------------------


def test_variables_that_are_read() -> None:
    """Their values are those at the call; explicit ones can be differentiated by."""
    weight = ag.Variable([1.0, 2.0], name="weight")
    concrete = ag.function(lambda x: np.sum(weight * x)).get_concrete_function(ag.TensorSpec((2,)))
    run, x = concrete.to_jax(), np.array([3.0, 4.0])
    assert float(run(x)) == 11
    weight.assign([0.0, 1.0])
    assert float(run(x)) == 4
    explicit = concrete.to_jax(variables="explicit")
    gradient = jax.grad(lambda values: explicit(values, x)[0])((jnp.array([5.0, 6.0]),))
    np.testing.assert_array_equal(gradient[0], x)


def test_variables_that_are_written() -> None:
    """They are lost unless they are explicit, so that is refused."""
    total = ag.Variable(1.0, name="total")
    concrete = ag.function(lambda x: total.assign_add(x) * 2).get_concrete_function(np.float64(2))
    with pytest.raises(ag.StateError, match="writes 'total'"):
        concrete.to_jax()
    result, left = jax.jit(concrete.to_jax(variables="explicit"))((jnp.float64(10),), np.float64(3))
    assert (float(result), [float(v) for v in left]) == (26, [13])
    assert float(total.value) == 1


def test_arrays_that_are_written() -> None:
    """An argument that the function writes comes back after the Variables."""

    def f(x):
        x[0] = 7
        return x.sum()

    concrete = ag.function(f).get_concrete_function(XS)
    with pytest.raises(ag.StateError, match="writes 'x'"):
        concrete.to_jax()
    result, [left] = concrete.to_jax(variables="explicit")((), XS)
    assert float(result) == XS[1:].sum() + 7
    np.testing.assert_array_equal(left, [7, *XS[1:]])
    assert XS[0] == 3


def test_a_loaded_function(tmp_path: Any) -> None:
    """What was saved needs no source to run by JAX."""
    double = ag.function(lambda x: x * 2)
    double(XS)
    ag.save(double, tmp_path / "double.json")
    [concrete] = ag.load(tmp_path / "double.json").concrete_functions
    np.testing.assert_array_equal(jax.jit(concrete.to_jax())(XS), XS * 2)
