"""NumPy functions with more to them: writes at indices, functions of the user, grids, several results."""

import numpy as np

from autograph_rs.testing import samples

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
V = np.array([1.0, -1.0, 0.5])
W = np.array([2.0, 3.0, 4.0])
I = np.array([0, 2, 0])  # noqa: E741 - indices


@samples((V, W, I), (W, V, I))
def add_at(xs, weights, places):
    np.add.at(xs, places, weights)
    np.maximum.at(xs, [1], 0.25)
    return xs


@samples((V, W), (W, -V))
def copy_where(xs, ys):
    np.copyto(xs, ys, where=xs < ys)
    np.putmask(ys, ys > 3, 3)
    return xs, ys


@samples((A, 5.0), (-A, 0.5))
def fill_diagonal_in_branch(a, v):
    if a[0, 0] > 0:
        np.fill_diagonal(a, v)
    else:
        np.put(a, [0, -1], v)
    return a


@samples((V,), (W,))
def square_root_where_positive(xs):
    result = np.zeros_like(xs)
    np.sqrt(xs, where=xs > 0, out=result)
    return result


@samples((A,), (A.T - 2,))
def rows_by_function(a):
    def spread(row):
        low, high = row.min(), row.max()
        if high - low > 3:
            return high
        return high - low

    return np.apply_along_axis(spread, 1, a), np.apply_over_axes(np.sum, a, [0])


@samples((V,), (W,))
def piecewise(xs):
    return np.piecewise(xs, [xs < 0, xs > 2], [lambda x: -x, lambda x: x**2, 1.0])


@samples((V,), (W,))
def vectorized_branch(xs):
    def step(x):
        if x > 1:
            return x * 2.0
        return x - 1.0

    return np.vectorize(step)(xs)


@samples((np.int64(4),), (np.int64(1),))
def windows(n):
    return np.hamming(n), np.hanning(n), np.bartlett(n), np.blackman(n), np.kaiser(n, 3.0)


@samples((V, W), (W, V))
def concatenated_by_subscript(xs, ys):
    return np.r_[xs, 0.0, ys], np.c_[xs, ys], np.r_[0:3, xs], np.r_["0,2", xs, ys]


@samples((np.int64(3),), (np.int64(0),))
def grids(n):
    rows, columns = np.mgrid[0:n, 0:2]
    x, y = np.ogrid[0:n, 0:2]
    return rows * 2 + columns, x + y


@samples((A,), (A * 2,))
def triangles(a):
    upper = a[np.triu_indices_from(a, 1)]
    a[np.diag_indices_from(a)] = 0.0
    return upper, a, np.tril_indices(2)


@samples((V, W), (W, V))
def polynomials(p, q):
    quotient, rest = np.polydiv(p, q)
    return np.polymul(p, q), quotient, rest, np.polyint(p), np.polyval(p, q), np.poly(p)


@samples((V, W), (W, V))
def fit(xs, ys):
    line, residuals, rank, singular, threshold = np.polyfit(xs, ys, 1, full=True)
    return np.round(line, 6), rank, threshold


@samples((A,), (A + 1,))
def named_results(a):
    decomposition = np.linalg.eigh(a)
    if np.linalg.slogdet(a).sign > 0:
        return decomposition.eigenvalues
    return np.linalg.svd(a).S


@samples((V, W), (W, V))
def histogram_of_pairs(xs, ys):
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=2)
    return counts, x_edges, y_edges


@samples((np.array([3, 200, 7], np.uint8),), (np.array([0, 255, 1], np.uint8),))
def bits(bytes_):
    ones = np.unpackbits(bytes_)
    return np.packbits(ones[::-1]), np.bitwise_count(bytes_) if hasattr(np, "bitwise_count") else ones


@samples((W,), (V,))
def moving_mean(xs):
    return np.lib.stride_tricks.sliding_window_view(xs, 2).mean(axis=1)


@samples((V,), (W,))
def elements_with_indices(xs):
    total = 0.0
    for (i,), x in np.ndenumerate(xs):
        total += i * x
    return total


@samples((V, W), (-V, W))
def array_namespace(xs, ys):
    xp = xs.__array_namespace__()
    return xp.sum(xp.where(xs > 0, xs, ys)), xp.astype(xs, xp.float32), xp.concat([xs, ys])
