"""NumPy functions with several results, with functions as arguments, and with sizes that are known late."""

import numpy as np

from autograph_rs.testing import samples

V = np.array([1.0, -1.0, 0.5])
W = np.array([2.0, 3.0, 4.0])


@samples((V,), (W,))
def piecewise(xs):
    return np.piecewise(xs, [xs < 0, xs > 2], [lambda x: -x, lambda x: x**2, 1.0])


@samples((np.int64(4),), (np.int64(1),))
def windows(n):
    return np.hamming(n), np.hanning(n), np.bartlett(n), np.blackman(n), np.kaiser(n, 3.0)


@samples((V, W), (W, V))
def line_fit(xs, ys):
    line, residuals, rank, singular, threshold = np.polyfit(xs, ys, 1, full=True)
    return np.round(line, 6), rank, threshold


@samples((V, W), (W, V))
def histogram_of_pairs(xs, ys):
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=2)
    return counts, x_edges, y_edges


@samples((np.array([3, 200, 7], np.uint8),), (np.array([0, 255, 1], np.uint8),))
def packed_bits(bytes_):
    ones = np.unpackbits(bytes_)
    return np.packbits(ones[::-1]), np.bitwise_count(bytes_) if hasattr(np, "bitwise_count") else ones
