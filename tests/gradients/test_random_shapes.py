"""Rules against finite differences over shapes that are drawn: broadcasting, axes, indices."""

from __future__ import annotations

import numpy as np
import pytest
from breadth import some
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from test_differences import differences

import autograph_rs as ag

drawing = settings(
    derandomize=True, deadline=None, max_examples=some(4, 8), suppress_health_check=[HealthCheck.too_slow]
)
shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=3)
lengthy = npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=3)
seeds = st.integers(0, 2**31)

UNARY = [
    (np.exp, -2, 2), (np.log, 0.5, 3), (np.sqrt, 0.5, 3), (np.tanh, -2, 2), (np.sin, -2, 2),
    (np.arcsin, -0.9, 0.9), (np.abs, 0.5, 2), (np.square, -2, 2), (np.reciprocal, 0.5, 2), (np.cbrt, 0.5, 2),
    (np.negative, -2, 2), (np.log1p, -0.5, 2), (np.arctan, -2, 2), (np.cosh, -2, 2), (np.ravel, -2, 2),
    (np.transpose, -2, 2), (np.sum, -2, 2), (np.mean, -2, 2), (np.prod, 0.5, 2), (np.squeeze, -2, 2),
    (np.atleast_3d, -2, 2), (np.flip, -2, 2), (lambda x: x.T * 2, -2, 2),
]  # fmt: skip
BINARY = [
    np.add, np.subtract, np.multiply, np.divide, np.power, np.arctan2, np.hypot, np.logaddexp, np.maximum,
    np.minimum, np.fmax, lambda a, b: np.where(a > b, a * b, b), lambda a, b: np.clip(a, 0.8, b + 3),
    lambda a, b: np.stack(np.broadcast_arrays(a, b)), np.multiply.outer,
]  # fmt: skip
ALONG = [
    np.sum, np.mean, np.prod, np.max, np.min, np.std, np.var, np.cumsum, np.cumprod, np.sort, np.median,
    np.nansum, np.ptp, np.flip, np.linalg.norm, lambda x, axis: np.roll(x, 1, axis=axis),
    lambda x, axis: np.concatenate([x, 2 * x], axis=axis), lambda x, axis: np.stack([x, x * x], axis=axis),
    lambda x, axis: np.repeat(x, 2, axis=axis), lambda x, axis: np.take(x, [0, 0, -1], axis=axis),
    lambda x, axis: np.expand_dims(x, axis), lambda x, axis: np.moveaxis(x, 0, axis), np.argmax,
    lambda x, axis: np.sum(x, axis=axis, keepdims=True) * x, lambda x, axis: np.diff(x, axis=axis, prepend=0),
    lambda x, axis: np.array_split(x, 2, axis=axis)[0],
    lambda x, axis: np.take_along_axis(x, np.argsort(x, axis=axis), axis=axis),
]  # fmt: skip


def check(f, *arguments, seed):
    weights = np.random.default_rng(seed).normal(size=np.shape(f(*arguments)))

    def total(*given):
        return np.sum(f(*given) * weights)

    found = ag.grad(total, tuple(range(len(arguments))))(*arguments)
    for gradient, argument, wanted in zip(found, arguments, differences(total, arguments, 1e-3), strict=True):
        assert np.shape(gradient) == np.shape(argument)
        scale = max(1.0, np.max(np.abs(wanted), initial=0.0))
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-6 * scale)


def values(shape, seed, low=0.5, high=2.5):
    """Numbers that are apart, so that no two change places in a difference."""
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    spread = low + (high - low) * (np.arange(count) + rng.uniform(0.3, 0.7, count)) / max(count, 1)
    return rng.permutation(spread).reshape(shape)


@pytest.mark.slow
@pytest.mark.parametrize(("f", "low", "high"), UNARY)
@drawing
@given(shape=shapes, seed=seeds)
def test_of_one_array(f, low, high, shape, seed):
    check(f, values(shape, seed, low, high), seed=seed)


@pytest.mark.parametrize("f", BINARY)
@drawing
@given(drawn=npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3), seed=seeds)
def test_broadcasting(f, drawn, seed):
    first, second = drawn.input_shapes
    check(f, values(first, seed), values(second, seed + 1, 0.55, 2.45), seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("f", ALONG)
@drawing
@given(shape=lengthy, data=st.data(), seed=seeds)
def test_axes(f, shape, data, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    assume(f is not np.std or shape[axis] > 1)  # which has no slope at 0
    check(lambda x: f(x, axis=axis), values(shape, seed), seed=seed)


@drawing
@given(shape=lengthy, data=st.data(), seed=seeds)
def test_several_axes(shape, data, seed):
    axes = data.draw(npst.valid_tuple_axes(len(shape), min_size=1))
    for f in (np.sum, np.mean, np.prod, np.max, np.var):
        check(lambda x, f=f: f(x, axis=axes), values(shape, seed), seed=seed)
    order = data.draw(st.permutations(range(len(shape))))
    check(lambda x: np.transpose(x, order), values(shape, seed), seed=seed)


@pytest.mark.parametrize(
    "f", [np.matmul, np.vecdot, np.dot, np.inner, np.tensordot, np.kron], ids=lambda f: f.__name__
)
@drawing
@given(data=st.data(), seed=seeds)
def test_products(f, data, seed):
    if f in (np.matmul, np.vecdot):
        signature = "(m?,n),(n,p?)->(m?,p?)" if f is np.matmul else "(n),(n)->()"
        drawn = data.draw(npst.mutually_broadcastable_shapes(signature=signature, max_dims=2, max_side=3))
        first, second = drawn.input_shapes
    else:
        n = data.draw(st.integers(1, 3))
        rest = data.draw(st.tuples(*[npst.array_shapes(min_dims=0, max_dims=2, max_side=3)] * 2))
        first = (*rest[0], n)
        second = {np.dot: (n,), np.inner: (*rest[1], n), np.tensordot: (*rest[0], n)}.get(f, rest[1] or (2,))
        if f is np.tensordot:
            first, second = (*rest[0], 2, n), (2, n, *rest[1])
    check(f, values(first, seed), values(second, seed + 1), seed=seed)


@drawing
@given(shape=lengthy, data=st.data(), seed=seeds)
def test_items(shape, data, seed):
    x = values(shape, seed)
    index = data.draw(npst.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    check(lambda x: x[index], x, seed=seed)
    check(lambda x: written(x, index), x, seed=seed)
    rows = data.draw(
        npst.integer_array_indices(shape, result_shape=npst.array_shapes(max_dims=2, max_side=3))
    )
    check(lambda x: x[rows], x, seed=seed)
    check(lambda x: written(x, rows[0]), x, seed=seed)
    mask = x > np.median(x)
    check(lambda x: x[mask], x, seed=seed)


def written(x, index):
    y = x * 2
    y[index] = y[index] ** 2
    y[index] *= 3
    return y * x


@drawing
@given(shape=shapes, other=shapes, seed=seeds)
def test_shapes_that_hold_as_much(shape, other, seed):
    x = values(shape, seed)
    check(lambda x: np.reshape(x, (-1, 1)), x, seed=seed)
    check(lambda x: np.broadcast_to(x, (2, *shape)), x, seed=seed)
    check(lambda x: np.tile(x, other), x, seed=seed)
    check(lambda x: np.pad(x, 1), x, seed=seed) if shape else None


@drawing
@given(n=st.integers(1, 3), batch=npst.array_shapes(min_dims=0, max_dims=2, max_side=2), seed=seeds)
def test_matrices(n, batch, seed):
    a = values((*batch, n, n), seed) * 0.3 + np.eye(n)
    check(np.linalg.inv, a, seed=seed)
    check(np.linalg.det, a, seed=seed)
    check(np.linalg.solve, a, values((*batch, n, 2), seed + 1), seed=seed)
    check(lambda a: np.linalg.cholesky(a @ np.swapaxes(a, -1, -2) + np.eye(n)), a, seed=seed)
    check(lambda a: np.linalg.slogdet(a)[1], a, seed=seed)
