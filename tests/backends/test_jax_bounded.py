"""Arrays of staged length on JAX: slices, masks, and what they take part in."""

from __future__ import annotations

import numpy as np
import pytest
from support import required

jax = required("jax")
import jax.numpy as jnp  # noqa: E402

import autograph_rs as ag  # noqa: E402

X = np.array([3.0, -1.0, 0.5, 2.0, 4.0], np.float32)
W = np.array([1.0, 2.0, -3.0, 0.5, 1.5], np.float32)
M = np.arange(10, dtype=np.float32).reshape(5, 2) - 4.0
COUNTS = (1, 2, 3, 5, 7, -1, -3)

OF_SLICES = [
    lambda x, w, m, n: x[:n].sum(),
    lambda x, w, m, n: x[n:].sum(),
    lambda x, w, m, n: x[:n],
    lambda x, w, m, n: x[n:],
    lambda x, w, m, n: x[n : n + 2],
    lambda x, w, m, n: x[n - 1 : n + 1],
    lambda x, w, m, n: x[n + 1 : n - 1],
    lambda x, w, m, n: x[1:n],
    lambda x, w, m, n: x[n:4],
    lambda x, w, m, n: x[n:-1],
    lambda x, w, m, n: x[::-1][:n],
    lambda x, w, m, n: x[n::-1],
    lambda x, w, m, n: x[:n:-1],
    lambda x, w, m, n: x[:n:2],
    lambda x, w, m, n: x[n::2],
    lambda x, w, m, n: x[n::-2],
    lambda x, w, m, n: m[:n],
    lambda x, w, m, n: m[:n, 0],
    lambda x, w, m, n: m[:n, ::-1],
    lambda x, w, m, n: m.T[1, :n],
    lambda x, w, m, n: m[:n].sum(axis=1),
    lambda x, w, m, n: m[:n].sum(axis=0),
    lambda x, w, m, n: m[:n].sum(),
    lambda x, w, m, n: m[:n] @ w[:2],
    lambda x, w, m, n: m[:n] + w[:2],
    lambda x, w, m, n: w[:n] @ m[:n],
    lambda x, w, m, n: m[:n][:, 1],
    lambda x, w, m, n: len(x[:n]),
    lambda x, w, m, n: x[:n].shape[0] + m[:n].shape[1] + m[:n].size + m[:n].ndim,
    lambda x, w, m, n: x[:n].sum() / len(x[:n]),
    lambda x, w, m, n: (x[:n] * w[:n]).sum(),
    lambda x, w, m, n: x[:n] @ w[:n],
    lambda x, w, m, n: np.dot(x[:n], w[:n]),
    lambda x, w, m, n: np.dot(x[:n], 2.0),
    lambda x, w, m, n: 2 - x[:n] ** 2 / 3,
    lambda x, w, m, n: -abs(x[:n]) % 2 // 1,
    lambda x, w, m, n: (x[:n] > 0) & ~(w[:n] > 1) | (x[:n] == w[:n]),
    lambda x, w, m, n: W[0] * x[:n] + 1,
    lambda x, w, m, n: np.exp(x[:n]) + np.sqrt(np.abs(x[:n])),
    lambda x, w, m, n: np.where(x[:n] > 0, x[:n], 0.0),
    lambda x, w, m, n: np.maximum(x[:n], w[:n]).clip(0.0, 2.0),
    lambda x, w, m, n: np.clip(x[:n], 0.0, 1.0),
    lambda x, w, m, n: x[:n].astype(int),
    lambda x, w, m, n: np.round(x[:n] * 1.3, 1),
    lambda x, w, m, n: [x[:n].prod(), np.prod(x[:n])],
    lambda x, w, m, n: [x[:n].any(), np.all(x[:n] > 0), any(x[:n] > 3), all(x[:n] > -2)],
    lambda x, w, m, n: np.cumsum(x[:n]),
    lambda x, w, m, n: x[:n].cumprod(),
    lambda x, w, m, n: np.sort(x[:n]),
    lambda x, w, m, n: sorted(x[:n]),
    lambda x, w, m, n: sorted(x[:n], reverse=True),
    lambda x, w, m, n: np.argsort(x[:n]),
    lambda x, w, m, n: np.flip(x[:n]),
    lambda x, w, m, n: np.diff(x[:n]),
    lambda x, w, m, n: np.linalg.norm(x[:n]),
    lambda x, w, m, n: np.count_nonzero(x[:n] > 0),
    lambda x, w, m, n: np.searchsorted(np.sort(x[:n]), 1.0),
    lambda x, w, m, n: np.searchsorted(np.sort(x[:n]), w, side="right"),
    lambda x, w, m, n: np.append(x[:n], 9.0),
    lambda x, w, m, n: np.append(x[:n], [9.0, 8.0]),
    lambda x, w, m, n: np.append(w, x[:n]),
    lambda x, w, m, n: np.concatenate([x[:n], w[n:], w]),
    lambda x, w, m, n: np.concatenate([m[:n], m]),
    lambda x, w, m, n: np.concatenate([m[:n], m[:n]], axis=1),
    lambda x, w, m, n: np.append(m[:n], m[:1], axis=0),
    lambda x, w, m, n: np.hstack([x[:n], w[:n]]),
    lambda x, w, m, n: np.insert(np.append(x[:n], 1.0), 0, 7.0),
    lambda x, w, m, n: np.delete(np.append(x[:n], [1.0, 2.0]), -2),
    lambda x, w, m, n: np.zeros_like(x[:n]) + np.ones_like(x[:n]) + np.full_like(x[:n], 2.5),
    lambda x, w, m, n: np.array(x[:n]) + x[:n].copy(),
    lambda x, w, m, n: np.array_equal(x[:n], w[:n]) or np.array_equal(x[:n], x[: n + 0]),
    lambda x, w, m, n: 0.5 in x[:n],
    lambda x, w, m, n: 1.0 in x[:n],
    lambda x, w, m, n: x[:n][:2],
    lambda x, w, m, n: x[:n][1:],
    lambda x, w, m, n: x[:n][::2],
    lambda x, w, m, n: x[:n][-2:],
    lambda x, w, m, n: x[:n][x[:n] > 0],
    lambda x, w, m, n: x[x > n],
    lambda x, w, m, n: x[(x > 0) & (x < n)].sum(),
    lambda x, w, m, n: w[x > 0][:n],
    lambda x, w, m, n: m[x > n],
    lambda x, w, m, n: m[m > n],
    lambda x, w, m, n: m[x > n, 1],
    lambda x, w, m, n: len(x[x > n]),
    lambda x, w, m, n: sum(x[:n]) + sum(m[:n][:, 0], 2.0),
    lambda x, w, m, n: max(x[:n], default=-5.0) + min(x[:n], default=7.0),
]
"""Functions of arrays and a staged number, for any number."""

OF_ITEMS = [
    lambda x, w, m, n: x[:n].max() + x[:n].min(),
    lambda x, w, m, n: max(x[:n]) - min(x[:n]),
    lambda x, w, m, n: np.max(m[:n], axis=0),
    lambda x, w, m, n: m[:n].max(axis=1),
    lambda x, w, m, n: x[:n].argmax() + np.argmin(x[:n]),
    lambda x, w, m, n: [x[:n].mean(), x[:n].var(), np.std(x[:n])],
    lambda x, w, m, n: np.mean(m[:n], axis=0),
    lambda x, w, m, n: np.median(x[:n]),
    lambda x, w, m, n: np.ptp(x[:n]),
    lambda x, w, m, n: np.average(x[:n], weights=np.abs(w[:n])),
    lambda x, w, m, n: [x[:n][0], x[:n][-1], x[:n][len(x[:n]) - 1]],
    lambda x, w, m, n: m[:n][0],
    lambda x, w, m, n: m[:n][-1, 1],
    lambda x, w, m, n: x[:n][np.array([0, -1])],
    lambda x, w, m, n: w[np.argsort(x[:n])],
]
"""Functions that raise for no items."""


def values(functions, *arguments):
    return [f(*arguments) for f in functions]


def check_same(found, expected):
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    else:
        found = np.asarray(found)
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def staged(f):
    return jax.jit(ag.convert(f))


def run(f, *arguments):
    """Run a compiled function to its end, so that its errors are raised."""
    jax.block_until_ready(staged(f)(*arguments))
    jax.effects_barrier()


def grouped(functions):
    """One program that returns the results of all functions."""
    return staged(lambda x, w, m, n: values(functions, x, w, m, n))


@pytest.mark.parametrize(("functions", "counts"), [(OF_SLICES, (0, *COUNTS)), (OF_ITEMS, (1, 3, 9, -1))])
def test_items_by_a_staged_slice(functions, counts):
    compiled = grouped(functions)
    for n in counts:
        found = compiled(X, W, M, n)
        for f, one in zip(functions, found, strict=True):
            with np.errstate(invalid="ignore"):
                expected = f(X, W, M, n)
            try:
                check_same([*one] if isinstance(expected, list) and isinstance(one, list) else one, expected)
            except AssertionError as error:
                raise AssertionError(f"line {f.__code__.co_firstlineno}, n = {n}: {error}") from None


def test_no_items_at_all():
    compiled = staged(lambda x, n: (x[:n], x[n:].sum(), len(x[:n]), x[x > n], np.append(x[:n], 1.0)))
    check_same(compiled(np.zeros(0, np.float32), 2), (np.zeros(0), 0.0, 0, np.zeros(0), np.ones(1)))


def written(x, w, n):
    x, w = x.copy(), w.copy()
    x[:n] = 0.0
    x[n:] += 1
    w[n:] = x[n:] * 5
    w[w > 20] = -1
    w[w < 2] *= 3
    part = x[: n + 2].copy()
    part[0] = 9
    part[-1] += 4
    part[1:n] = w[1:n]
    part[part > 3] = 0.5
    return x, w, part


def matrix_written(m, n):
    m = m.copy()
    m[:n, 0] = 7.0
    m[1, n:] = -1.0
    m[m < -n] = 0.0
    return m


def test_writes_to_slices_and_masks():
    compiled = staged(written), staged(matrix_written)
    for n in (1, 2, 3, 5):
        check_same(compiled[0](X, W, n), written(X, W, n))
        check_same(compiled[1](M, n), matrix_written(M, n))


def test_loops_over_parts():
    def looped(x, w, n):
        total = 0.0
        for i, v in enumerate(x[:n]):
            total = total + i * v
        for a, b in zip(x[:n], w[1:], strict=False):
            total = total + a * b
        for v in reversed(x[n:]):
            total = total * 0.5 + v
        return total, [v * 2 for v in x[:n] if v > 0], x[:n] if n > 1 else x

    compiled = staged(looped)
    for n in (0, 1, 3, 7):
        check_same(compiled(X, W, n), looped(X, W, n))


def test_text(capfd):
    def shown(x, n):
        print(x[:n], f"{len(x[:n])} of {x[:n].sum():.2f}")
        return n

    staged(shown)(X, 2)
    jax.effects_barrier()
    assert capfd.readouterr().out == "[ 3. -1.] 2 of 2.00\n"


# Gradients


@pytest.mark.parametrize(
    "f",
    [
        lambda x, w, n: np.log(x[:n]).sum() * w,
        lambda x, w, n: (w / (x[:n] - 1)).sum(),
        lambda x, w, n: np.linalg.norm(x[:n]) + x[:n].std() * w,
        lambda x, w, n: (w ** x[:n]).max() + np.sort(x[:n])[0],
        lambda x, w, n: np.append(np.sqrt(x[:n]), w)[-2] * np.arccos(x[:n] / 4).prod(),
        lambda x, w, n: (x[x > 1] * w).sum() + x[n - 1 : n + 1].sum(),
    ],
)
def test_padding_has_no_part_in_a_gradient(f):
    x = jnp.array([3.0, 2.0, 0.5, 0.0, -4.0])
    gradient = jax.jit(jax.grad(ag.convert(f), (0, 1)))
    for n in (2, 3):
        expected = jax.grad(lambda x, w, n=n: of_jax(f, x, w, n), (0, 1))(x, 1.5)
        for found, value in zip(gradient(x, 1.5, n), expected, strict=True):
            assert np.isfinite(found).all()
            np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-6)


def of_jax(f, x, w, n):
    """The value of a function of known `n`, converted only to call JAX in place of NumPy."""
    return ag.convert(f)(x, w, n)


def test_vmap():
    ns = jnp.arange(6)
    sums = jax.vmap(ag.convert(lambda x, n: x[:n].sum()), (None, 0))
    np.testing.assert_allclose(sums(X, ns), [X[:n].sum() for n in ns], rtol=1e-6)
    gradients = jax.jit(jax.vmap(jax.grad(ag.convert(lambda x, n: (x[:n] ** 2).sum())), (None, 0)))
    np.testing.assert_allclose(gradients(X, ns), [2 * X * (np.arange(5) < n) for n in ns], rtol=1e-6)
    largest = jax.vmap(ag.convert(lambda x, n: x[:n].max()), (None, 0))
    np.testing.assert_allclose(largest(X, ns[1:]), [X[:n].max() for n in ns[1:]])


# Results


def test_the_result_of_a_compiled_function_has_the_items():
    found = staged(lambda x, n: x[:n])(X, 3)
    assert (len(found), found.length.item(), found.data.shape) == (3, 3, (5,))
    assert found.mask.tolist() == [True, True, True, False, False]
    assert [*map(float, found)] == found.tolist() == X[:3].tolist()
    assert repr(found) == repr(jnp.asarray(X[:3]))
    check_same(
        (found + 1, found @ found, found.sum(), found[::2], found[-1]),
        (X[:3] + 1, X[:3] @ X[:3], X[:3].sum(), X[:3:2], X[2]),
    )
    check_same((np.asarray(found, float), found.reshape(3, 1)), (X[:3], X[:3, None]))
    assert bool(found[:1]) and 0.5 in found and 9.0 not in found


def test_another_compiled_function_takes_a_result():
    found = staged(lambda x, n: x[:n])(X, 3)
    assert float(jax.jit(lambda part: jnp.sum(part.data, where=part.mask))(found)) == X[:3].sum()
    assert float(staged(lambda part: part[1:].sum())(found)) == X[1:3].sum()
    assert str(jax.eval_shape(lambda part: part, found)) == "BoundedArray(float32, bound=5)"


# Errors


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x, n: x[:n] * x[n:], "ValueError: operands could not be broadcast together"),
        (lambda x, n: x[:n] * x[:4], "ValueError: operands could not be broadcast together"),
        (lambda x, n: x[:n] @ x[n:], "ValueError: matmul"),
        (lambda x, n: x[n * 3 :].max(), "ValueError: zero-size array to reduction operation maximum"),
        (lambda x, n: x[n * 3 :].argmin(), "ValueError: attempt to get argmin of an empty sequence"),
        (lambda x, n: max(x[n * 3 :]), r"ValueError: max\(\) iterable argument is empty"),
        (lambda x, n: np.delete(x[:n], 3), "IndexError: index is out of bounds"),
    ],
)
def test_errors_of_the_program(f, message):
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        run(f, X, 2)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x, n: np.linalg.det(x[:n]), r"det\(\)"),
        (lambda x, n: jnp.fft.fft(x[:n]), r"fft\(\)"),
        (lambda x, n: np.outer(x[:n], x), r"outer\(\)"),
        (lambda x, n: np.stack([x[:n], x[:n]]), r"stack\(\)"),
        (lambda x, n: np.average(x, weights=x[:n]), r"average\(\)"),
        (lambda x, n: x[:n].reshape(-1, 1), "'reshape'"),
        (lambda x, n: x[:, None] * x[:n], "along another axis"),
        (lambda x, n: x[:n][None], "NoneType"),
        (lambda x, n: x[None, :n], "another place than the first|NoneType"),
        (lambda x, n: x[::n], "a staged step"),
        (lambda x, n: list(x[:n]), r"list\(\)"),
        (lambda x, n: max(x[:n], key=lambda v: -v), "max|known only"),
        (lambda x, n: [*x[:n]], "number of items of an array is needed"),
        (lambda x, n: float(x[:n]), r"float\(\)"),
        (lambda x, n: np.zeros(n), "static"),
    ],
)
def test_what_cannot_be_staged_says_so(f, message):
    with pytest.raises(ag.AutographError, match=message):
        staged(f)(X, 2)


@pytest.mark.parametrize(
    ("f", "kind", "message"),
    [
        (lambda x, n: 1 if x[:n] else 2, ValueError, "truth value of an array"),
        (lambda x, n: x[: n * 1.0], TypeError, "slice indices must be integers"),
        (lambda x, n: x[:n:0], ValueError, "step cannot be zero"),
        (lambda x, n: x[:n, 0], IndexError, "too many indices"),
        (lambda x, n: x[x[:3] > n], IndexError, "boolean index"),
    ],
)
def test_errors_of_the_trace(f, kind, message):
    with pytest.raises(kind, match=message):
        staged(f)(X, 2)
