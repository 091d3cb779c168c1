"""NumPy's functions and methods on staged arrays, between and inside control flow."""

import numpy as np

from autograph_rs.testing import samples

A = np.array([[1.0, 2.0], [3.0, 4.0]])
V = np.array([1.0, -1.0, 0.5])
W = np.array([2.0, 3.0, 4.0])


@samples((V,), (-V,))
def where(xs):
    return np.where(xs > 0, xs, xs * 0.1)


@samples((np.array([1, 6, 27, 7]),))
def collatz_step(ns):
    return np.where(ns % 2 == 0, ns // 2, 3 * ns + 1)


@samples((V, W), (V, -W), staged=())
def dot_and_maximum(xs, ys):
    """Plain only: the branches return arrays of different ranks."""
    if np.dot(xs, ys) > 0:
        return np.maximum(xs, ys)
    return np.minimum(xs, ys) @ ys


@samples((A,), (A - 5,))
def sums_by_axis(a):
    return np.sum(a), a.sum(axis=0), np.sum(a, axis=1, keepdims=True), a.mean(), np.prod(a)


@samples((V,), (W,))
def softmax(xs):
    weights = np.exp(xs - np.max(xs))
    return weights / weights.sum()


@samples(
    (A, V[:2]),
)
def broadcasting(a, v):
    return a + v, a * v[:, None], (v[:, None] - v[None, :]).shape, a - 1


@samples((A,), (np.array([[2.0, 0.0], [1.0, 1.0]]),))
def linear_algebra(a):
    if np.linalg.det(a) < 0:
        a = a @ a.T
    return np.trace(a), a.T, np.linalg.norm(a), np.linalg.solve(a, np.ones(2))


@samples(
    (V, W),
)
def stack_and_concatenate(xs, ys):
    return np.stack([xs, ys]), np.concatenate([xs, ys[1:]]), np.array([xs[0], ys[0], 1.0])


@samples((A,))
def reshape(a):
    return a.reshape(-1), a.ravel()[1:], a.reshape((1, 4)).shape, np.transpose(a)


@samples((V,), (W,))
def arg_functions(xs):
    best = np.argmax(xs)
    order = np.argsort(xs)
    return best, xs[best], xs[order], np.sort(xs), np.cumsum(xs)


@samples((V,), (W,))
def logic(xs):
    positive = xs > 0
    if np.all(positive):
        return np.logical_not(positive)
    return np.logical_and(positive, xs < 1) | ~positive


@samples(
    (V, 0.0, 0.75),
)
def clip_and_round(xs, low, high):
    return np.clip(xs, low, high), np.round(xs * 1.26, 1), np.abs(xs), np.floor(xs)


@samples((3,), (1,))
def made_by_length(n):
    return np.zeros(n), np.ones((n, 2)).sum(), np.arange(n) * 2, np.eye(n).trace()


@samples((V,), (W,))
def types(xs):
    counts = xs.astype(int)
    return counts, counts.dtype == np.int64, xs.astype(np.float32).sum(), xs.ndim, xs.size


@samples((np.array([1.0, np.nan, 3.0]),), (np.array([1.0, 2.0, 3.0]),))
def nan_in_array(xs):
    if np.isnan(xs).any():
        xs = np.where(np.isnan(xs), 0.0, xs)
    return xs.mean(), np.count_nonzero(xs)


@samples((np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])))
def shapes_that_do_not_fit(xs, ys):
    return xs + ys


@samples((np.array([3 + 4j, 1 - 1j]),))
def complex_numbers(zs):
    total = 0
    for z in zs:
        if z.imag > 0:
            total = total + abs(z)
    return total, zs.real, np.conj(zs)


@samples((A, 3), (A, 0))
def matrix_in_loop(a, n):
    result = np.eye(2)
    for _ in range(n):
        result = result @ a
    return result


@samples((np.array(["a", "bc"]), "x"))
def strings(names, suffix):
    return np.char.add(names, suffix)


@samples((V,), (W,))
def ufunc_methods(xs):
    return np.add.reduce(xs), np.multiply.accumulate(xs), np.subtract.outer(xs, xs[:2])


@samples((V, 2), (V, -2))
def einsum_in_branch(xs, n):
    if n > 0:
        return np.einsum("i,j->ij", xs, xs)
    return np.outer(xs, xs) * n


@samples((np.array([[1, 2], [3, 4]]),))
def dtype_of_sum(a):
    halves = a / 2
    return a.sum(), halves.sum(), (a > 1).sum(), a.max(axis=0), a.astype(bool).all()
