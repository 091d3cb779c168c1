"""Arrays on JAX whose number of items is staged: slices, masks, and what grows in loops with `maximum_size`."""

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


def grouped(functions):
    """Each function's results for all counts, from one program for each function: a list for each count."""
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
