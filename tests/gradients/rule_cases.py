"""A call of each function that has a gradient, and the shapes of what it is differentiated by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A call, and how its arguments are drawn: shapes, and from where to where.

    `complex` arguments have two parts; `positive` matrices are symmetric with positive eigenvalues.
    """

    name: str
    call: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    low: float = -2.0
    high: float = 2.0
    complex: bool = False
    positive: bool = False


CASES: list[Case] = []


def _holed(a: Any) -> Any:
    """An array with NaN in the place of some items, never of a whole row."""
    return np.where(np.arange(a.size).reshape(a.shape) % 4 == 1, np.nan, a)


def _after_writing(a: Any, write: Callable[[Any], None]) -> Any:
    """A copy of an array, after a function has written to it."""
    copy = a * 1.0
    write(copy)
    return copy * copy


def case(name: str, call: Callable[..., Any], *shapes: tuple[int, ...], **options: Any) -> None:
    CASES.append(Case(f"{name}-{sum(c.name.startswith(name + '-') for c in CASES)}", call, shapes, **options))


# --- ufuncs ------------------------------------------------------------------------------------

for _name in (
    "negative positive absolute fabs exp exp2 expm1 square cbrt sin cos tan sinh cosh tanh arcsinh arctan "
    "degrees radians rad2deg deg2rad conjugate sign"
).split():
    case(_name, getattr(np, _name), (3, 2))
for _name in "floor ceil trunc rint".split():
    case(_name, lambda a, _name=_name: getattr(np, _name)(a) * a, (3, 2), low=0.6, high=0.9)
for _name in "log log2 log10 log1p sqrt reciprocal".split():
    case(_name, getattr(np, _name), (3, 2), low=0.5, high=3.0)
for _name in "arcsin arccos arctanh".split():
    case(_name, getattr(np, _name), (4,), low=-0.9, high=0.9)
case("arccosh", np.arccosh, (4,), low=1.5, high=3.0)
for _name in (
    "add subtract multiply arctan2 hypot logaddexp logaddexp2 maximum minimum fmax fmin copysign"
).split():
    for _shapes in (((3, 2), (3, 2)), ((3, 2), (2,)), ((3, 1), (1, 2)), ((), (2, 3))):
        case(_name, getattr(np, _name), *_shapes)
for _shapes in (((3, 2), (3, 2)), ((3, 1), (2,)), ((), (2,))):
    case("divide", np.divide, *_shapes, low=0.5, high=2.5)
    case("power", np.power, *_shapes, low=0.5, high=2.5)
    case("float_power", np.float_power, *_shapes, low=0.5, high=2.5)
    case("remainder", lambda a, b: np.remainder(10 * a, b), *_shapes, low=1.1, high=1.9)
    case("fmod", lambda a, b: np.fmod(-10 * a, b), *_shapes, low=1.1, high=1.9)
    case("floor_divide", np.floor_divide, *_shapes, low=0.5, high=2.5)
    case("heaviside", np.heaviside, *_shapes)
case("divmod", lambda a, b: np.divmod(10 * a, b)[1], (3,), (3,), low=1.1, high=1.9)
case("ldexp", lambda a: np.ldexp(a, np.array([1, 2, 3])), (3,))
case("modf", lambda a: np.modf(a)[0] * 2, (3,))
case("frexp", lambda a: np.frexp(a)[0], (3,), low=1.1, high=1.9)
case("matmul", np.matmul, (2, 3), (3, 4))
case("matmul", np.matmul, (3,), (3,))
case("matmul", np.matmul, (3,), (3, 2))
case("matmul", np.matmul, (2, 3), (3,))
case("matmul", np.matmul, (5, 2, 3), (3, 2))
case("matmul", np.matmul, (2, 3), (5, 3, 2))
case("matmul", np.matmul, (5, 2, 3), (3,))
case("matmul", np.matmul, (3,), (5, 3, 2))
case("matmul", np.matmul, (4, 1, 2, 3), (5, 3, 2))
case(
    "operators",
    lambda a, b: a + b * a - a / b + -a + abs(b) + a**2 + a**b + (a @ b),
    (3,),
    (3,),
    low=0.5,
    high=2,
)

# --- reductions --------------------------------------------------------------------------------

for _name in "sum mean prod max min std var ptp median amax amin nansum nanmean nanprod nanmax nanmin nanstd nanvar".split():
    _f = getattr(np, _name)
    case(_name, _f, (3, 4))
    case(_name, lambda a, _f=_f: _f(a, axis=1), (3, 4))
    case(_name, lambda a, _f=_f: _f(a, 0, keepdims=True) + 0 * a, (3, 4))
for _name in "sum mean prod max min std var".split():
    _f = getattr(np, _name)
    case(_name, lambda a, _f=_f: _f(a, axis=(0, -1)), (2, 3, 4))
case("prod", lambda a: np.prod(a * np.array([1.0, 0.0, 2.0])), (3,))
case("var", lambda a: np.var(a, ddof=1, axis=0), (3, 4))
case("sum", lambda a: np.sum(a, where=np.array([True, False, True])), (3,))
case("mean", lambda a: np.mean(a, where=np.array([True, False, True])), (3,))
case("prod", lambda a: np.prod(a, initial=2.0), (3,))
for _name in "cumsum cumprod nancumsum nancumprod".split():
    _f = getattr(np, _name)
    case(_name, _f, (2, 3))
    case(_name, lambda a, _f=_f: _f(a, axis=1), (2, 3))
case("cumprod", lambda a: np.cumprod(a * np.array([1.0, 0.0, 2.0, 0.0, 1.0])), (5,))
for _name in "cumulative_sum cumulative_prod".split():
    if hasattr(np, _name):
        case(_name, lambda a, _name=_name: getattr(np, _name)(a, axis=1, include_initial=True), (2, 3))
case("average", np.average, (3, 4))
case("average", lambda a, w: np.average(a, axis=0, weights=w), (3, 4), (3,), low=0.5, high=2)
case("average", lambda a, w: np.average(a, weights=w), (3, 4), (3, 4), low=0.5, high=2)
case("trace", lambda a: np.trace(a, 1), (3, 4))
case("quantile", lambda a: np.quantile(a, [0.2, 0.55], axis=1), (3, 5))
case("percentile", lambda a: np.percentile(a, 30), (3, 5))
for _method in ("lower", "higher", "nearest", "midpoint"):
    case("quantile", lambda a, _method=_method: np.quantile(a, [[0.2], [0.7]], 0, method=_method), (4, 2))
case("quantile", lambda a: np.quantile(a, 0.4, axis=(0, 2), keepdims=True), (2, 3, 4))
case("quantile", lambda a, q: np.quantile(a, 0.5 + 0.1 * q, axis=1), (3, 5), ())
case("median", lambda a: np.median(a, axis=(0, 1)), (2, 3, 2))
case("nanquantile", lambda a: np.nanquantile(_holed(a), [0.25, 0.6], axis=1), (3, 5))
case("nanpercentile", lambda a: np.nanpercentile(_holed(a), 40), (3, 5))
case("nanmedian", lambda a: np.nanmedian(_holed(a), axis=0, keepdims=True), (5, 3))
case("add.reduce", lambda a: np.add.reduce(a, axis=1), (2, 3))
case("multiply.reduce", np.multiply.reduce, (2, 3))
case("maximum.reduce", np.maximum.reduce, (2, 3))
case("minimum.reduce", np.minimum.reduce, (2, 3))
case("add.accumulate", np.add.accumulate, (2, 3))
case("multiply.accumulate", np.multiply.accumulate, (2, 3))
for _ord in (None, 1, np.inf, "fro", "nuc", 2):
    case("norm", lambda a, _ord=_ord: np.linalg.norm(a, _ord), (3, 2))
for _ord in (None, 1, 2, 3, np.inf, -np.inf):
    case("norm", lambda a, _ord=_ord: np.linalg.norm(a, _ord, axis=0), (3, 2))
case("vector_norm", lambda a: np.linalg.vector_norm(a, axis=1), (3, 2))
case("matrix_norm", lambda a: np.linalg.matrix_norm(a), (2, 3, 2))

# --- shapes ------------------------------------------------------------------------------------

case("reshape", lambda a: np.reshape(a, (3, 2)), (2, 3))
case("reshape", lambda a: np.reshape(a, (3, 2), order="F"), (2, 3))
case("reshape", lambda a: a.reshape(-1) * a.reshape((6,)), (2, 3))
case("ravel", np.ravel, (2, 3))
case("flatten", lambda a: a.flatten(), (2, 3))
case("transpose", np.transpose, (2, 3))
case("transpose", lambda a: np.transpose(a, (1, 2, 0)), (2, 3, 4))
case("transpose", lambda a: a.transpose(2, 0, 1) * 1.0, (2, 3, 4))
case("T", lambda a: a.T, (2, 3))
case("swapaxes", lambda a: np.swapaxes(a, 0, 2), (2, 3, 4))
case("moveaxis", lambda a: np.moveaxis(a, (0, 1), (2, 0)), (2, 3, 4))
case("rollaxis", lambda a: np.rollaxis(a, 2), (2, 3, 4))
case("matrix_transpose", lambda a: np.linalg.matrix_transpose(a), (2, 3, 4))
case("squeeze", np.squeeze, (2, 1, 3))
case("expand_dims", lambda a: np.expand_dims(a, (0, 2)), (2, 3))
case("rot90", lambda a: np.rot90(a, 3), (2, 3))
case("flip", np.flip, (2, 3))
case("fliplr", np.fliplr, (2, 3))
case("flipud", np.flipud, (2, 3))
case("roll", lambda a: np.roll(a, (1, 2), (0, 1)), (2, 3))
case("roll", lambda a: np.roll(a, 2), (2, 3))
case("fftshift", np.fft.fftshift, (3, 4))
case("ifftshift", np.fft.ifftshift, (3, 4))
case("broadcast_to", lambda a: np.broadcast_to(a, (4, 2, 3)), (2, 3))
case("broadcast_to", lambda a: np.broadcast_to(a, (2, 3)), (2, 1))
case(
    "broadcast_arrays",
    lambda a, b: np.broadcast_arrays(a, b)[0] * 2 + np.broadcast_arrays(a, b)[1],
    (2, 1),
    (3,),
)
case("tril", lambda a: np.tril(a, 1), (3, 4))
case("triu", np.triu, (3, 4))
case("tile", lambda a: np.tile(a, (2, 1, 3)), (2, 3))
case("repeat", lambda a: np.repeat(a, 3), (2, 3))
case("repeat", lambda a: np.repeat(a, [1, 2, 0], axis=1), (2, 3))
case("resize", lambda a: np.resize(a, (3, 4)), (2, 3))
for _mode in ("constant", "edge", "wrap", "reflect", "symmetric"):
    case("pad", lambda a, _mode=_mode: np.pad(a, ((1, 2), (0, 1)), mode=_mode), (3, 4))
case("diagonal", lambda a: np.diagonal(a, 1), (3, 4))
case("diag", np.diag, (3,))
case("diag", lambda a: np.diag(a, -1), (3, 4))
case("diagflat", np.diagflat, (3,))
case("atleast_2d", np.atleast_2d, (3,))
case("atleast_1d", lambda a, b: np.atleast_1d(a, b)[0] * 2.0 + np.atleast_1d(a, b)[1], (), (2,))

# --- joining, cutting, making ------------------------------------------------------------------

case("concatenate", lambda a, b: np.concatenate([a, b], 1), (2, 3), (2, 1))
case("concatenate", lambda a, b: np.concatenate([a, b], None), (2, 3), (2,))
case("stack", lambda a, b: np.stack([a, b], -1), (2, 3), (2, 3))
for _name in "vstack hstack dstack column_stack".split():
    case(_name, lambda a, b, _name=_name: getattr(np, _name)([a, b]), (3,), (3,))
case("append", lambda a, b: np.append(a, b), (2, 2), (3,))
case("append", lambda a, b: np.append(a, b, 0), (2, 2), (1, 2))
case("block", lambda a, b: np.block([[a, b], [b, a]]), (2, 2), (2, 2))
case("array", lambda a, b: np.array([[a, b], [b, a * b]]), (), ())
case("array", lambda a, b: np.array([a, b]), (3,), (3,))
case("asarray", np.asarray, (3,))
case("copy", lambda a: a.copy() + np.copy(a), (3,))
case("astype", lambda a: a.astype(np.float64), (3,))
case("split", lambda a: np.split(a, 3)[1] * 2, (6, 2))
case("array_split", lambda a: np.array_split(a, 3)[2], (7,))
case("hsplit", lambda a: np.hsplit(a, [1])[1], (2, 3))
case("vsplit", lambda a: np.vsplit(a, 2)[0], (2, 3))
if hasattr(np, "unstack"):
    case("unstack", lambda a: np.unstack(a)[1] * np.unstack(a)[0], (2, 3))
case("insert", lambda a, b: np.insert(a, 1, b, axis=0), (3, 2), (2,))
case("delete", lambda a: np.delete(a, [0, 2], axis=1), (2, 4))
case("full", lambda a: np.full((2, 3), a), ())
case("full_like", lambda a, b: np.full_like(a, b), (2, 3), ())
case("linspace", lambda a, b: np.linspace(a, b, 5), (), ())
case("linspace", lambda a, b: np.linspace(a, b, 5, endpoint=False), (3,), (3,))
case("logspace", lambda a, b: np.logspace(a, b, 4), (), ())
case("geomspace", lambda a, b: np.geomspace(a, b, 4), (), (), low=0.5, high=3)
case("meshgrid", lambda a, b: np.meshgrid(a, b)[0] * np.meshgrid(a, b)[1], (2,), (3,))
case("vander", lambda a: np.vander(a, 4), (3,))

# --- items -------------------------------------------------------------------------------------

case("getitem", lambda a: a[1:, ::-1] * 2, (3, 4))
case("getitem", lambda a: a[1], (3, 4))
case("getitem", lambda a: a[[0, 2, 0]], (3, 4))
case("getitem", lambda a: a[..., None, 1], (3, 4))
case("getitem", lambda a: a[np.array([0, 1]), np.array([2, 2])], (3, 4))
case("getitem", lambda a: a[np.array([True, False, True])], (3, 4))


def _written(a, b):
    c = a * 2
    c[1:] = b
    c[0, 0] = c[1, 1] * c[0, 1]
    c[[0, 2]] += 1.5 * b[0]
    return c * a


case("setitem", _written, (3, 2), (2, 2))
case("take", lambda a: np.take(a, [0, 2, 0], axis=1), (2, 3))
case("take", lambda a: np.take(a, [[0, 5], [1, 0]]), (2, 3))
case("take", lambda a: a.take([-1, 7], mode="wrap"), (5,))
case("take_along_axis", lambda a: np.take_along_axis(a, np.array([[0, 0], [2, 1]]), 1), (2, 3))
case("sort", np.sort, (3, 4))
case("sort", lambda a: np.sort(a, axis=0), (3, 4))
case("sort", lambda a: np.sort(a, axis=None), (3, 4))
case("partition", lambda a: np.partition(a, 2), (3, 4))
case("where", lambda a, b: np.where(a > b, a * b, b), (3, 2), (2,))
case("select", lambda a: np.select([a > 1, a < -1], [a * a, -a], 3.0 * a), (6,))
case("choose", lambda a, b: np.choose(np.array([0, 1, 1]), [a, b]), (3,), (3,))
case("compress", lambda a: np.compress([True, False, True], a, axis=0), (3, 2))
case("extract", lambda a: np.extract(np.array([True, False, True]), a), (3,))
case("clip", lambda a: np.clip(a, -1, 1), (3, 4))
case("clip", lambda a, lo: a.clip(lo, 1.5), (3, 4), (4,))

# --- products ----------------------------------------------------------------------------------

case("dot", np.dot, (2, 3), (3, 2))
case("dot", np.dot, (2, 3), (3,))
case("dot", np.dot, (2, 3, 4), (2, 4, 3))
case("dot", np.dot, (), (3,))
case("inner", np.inner, (2, 3), (4, 3))
case("outer", np.outer, (2,), (3,))
case("vdot", np.vdot, (4,), (4,))
case("vecdot", np.vecdot, (2, 3), (2, 3))
case("tensordot", lambda a, b: np.tensordot(a, b, ([0, 2], [1, 0])), (2, 3, 4), (4, 2, 5))
case("tensordot", np.tensordot, (2, 3, 4), (3, 4))
case("kron", np.kron, (2, 2), (2, 3))
case("cross", np.cross, (2, 3), (2, 3))
case("multi_dot", lambda a, b, c: np.linalg.multi_dot([a, b, c]), (2, 3), (3, 4), (4, 2))
for _mode in ("full", "same", "valid"):
    case("convolve", lambda a, b, _mode=_mode: np.convolve(a, b, _mode), (5,), (3,))
    case("convolve", lambda a, b, _mode=_mode: np.convolve(a, b, _mode), (2,), (5,))
    case("correlate", lambda a, b, _mode=_mode: np.correlate(a, b, _mode), (5,), (3,))
    case("correlate", lambda a, b, _mode=_mode: np.correlate(a, b, _mode), (2,), (4,))
case("einsum", lambda a, b: np.einsum("ij,jk->ik", a, b), (2, 3), (3, 4))
case("einsum", lambda a, b: np.einsum("ij,kj", a, b), (2, 3), (4, 3))
case("einsum", lambda a: np.einsum("ii->i", a), (3, 3))
case("einsum", lambda a: np.einsum("ii", a), (3, 3))
case("einsum", lambda a, b: np.einsum("...i,...i->...", a, b), (2, 4, 3), (4, 3))
case("einsum", lambda a, b: np.einsum("i,j->", a, b), (2,), (3,))
case("einsum", lambda a, b, c: np.einsum("bi,ij,bj->b", a, b, c), (2, 3), (3, 3), (2, 3))

# --- linear algebra ----------------------------------------------------------------------------


def _both(z):
    return np.real(z) * 1.5 + np.imag(z)


_well = {"low": 0.1, "high": 1.0}


def _regular(a):
    return a + 2 * np.eye(3)


case("inv", lambda a: np.linalg.inv(_regular(a)), (3, 3), **_well)
case("inv", lambda a: np.linalg.inv(_regular(a)), (2, 3, 3), **_well)
case("solve", lambda a, b: np.linalg.solve(_regular(a), b), (3, 3), (3,), **_well)
case("solve", lambda a, b: np.linalg.solve(_regular(a), b), (3, 3), (3, 2), **_well)
case("solve", lambda a, b: np.linalg.solve(_regular(a), b), (2, 3, 3), (3, 2), **_well)
case("det", np.linalg.det, (3, 3))
case("det", np.linalg.det, (2, 3, 3))
case("slogdet", lambda a: np.linalg.slogdet(_regular(a))[1], (3, 3), **_well)
case("cholesky", lambda a: np.linalg.cholesky(a @ a.T + np.eye(3)), (3, 3))
case("eigh", lambda a: np.linalg.eigh(a + a.T)[0], (3, 3))
case("eigh", lambda a: abs(np.linalg.eigh(a + a.T)[1]), (3, 3))
case("eigvalsh", lambda a: np.linalg.eigvalsh(a + a.T), (3, 3))
case("eig", lambda a, b: _both(np.linalg.eig(a + 1j * b)[0]), (3, 3), (3, 3))
case("eig", lambda a, b: abs(np.linalg.eig(a + 1j * b)[1]), (3, 3), (3, 3))
case("eigvals", lambda a, b: _both(np.linalg.eigvals(a + 1j * b)), (3, 3), (3, 3))
case("svd", lambda a: np.linalg.svd(a, full_matrices=False)[1], (3, 2))
case("svd", lambda a: abs(np.linalg.svd(a, full_matrices=False)[0]), (3, 2))
case("svd", lambda a: abs(np.linalg.svd(a, full_matrices=False)[2]), (2, 3))
case("svd", lambda a: np.linalg.svd(a, compute_uv=False), (3, 2))
if hasattr(np.linalg, "svdvals"):
    case("svdvals", lambda a: np.linalg.svdvals(a), (3, 2))
case("qr", lambda a: np.linalg.qr(a)[0] * 2, (3, 2))
case("qr", lambda a: np.linalg.qr(a)[1], (3, 3))
case("pinv", np.linalg.pinv, (3, 2))
case("pinv", np.linalg.pinv, (2, 3))
case("lstsq", lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], (5, 3), (5,))
case("cond", lambda a: np.linalg.cond(_regular(a)), (3, 3), **_well)
case("matrix_power", lambda a: np.linalg.matrix_power(a, 5), (3, 3), **_well)
case("matrix_power", lambda a: np.linalg.matrix_power(_regular(a), -2), (3, 3), **_well)
case("tensorinv", lambda a: np.linalg.tensorinv(a + np.eye(6).reshape(6, 2, 3), ind=1), (6, 2, 3), **_well)
case(
    "tensorsolve",
    lambda a, b: np.linalg.tensorsolve(a + np.eye(6).reshape(2, 3, 2, 3), b),
    (2, 3, 2, 3),
    (2, 3),
    **_well,
)

# --- Fourier -----------------------------------------------------------------------------------


for _name in "fft ifft rfft ihfft".split():
    _f = getattr(np.fft, _name)
    case(_name, lambda a, _f=_f: _both(_f(a)), (6,))
    case(_name, lambda a, _f=_f: _both(_f(a, 4)), (2, 6))
    case(_name, lambda a, _f=_f: _both(_f(a, 7, axis=0, norm="ortho")), (5, 2))
for _name in "irfft hfft".split():
    _f = getattr(np.fft, _name)
    case(_name, lambda a, b, _f=_f: _f(a + 1j * b), (5,), (5,))
    case(_name, lambda a, b, _f=_f: _f(a + 1j * b, 7), (2, 5), (2, 5))
for _name in "fft2 ifft2 rfft2 fftn ifftn rfftn".split():
    _f = getattr(np.fft, _name)
    case(_name, lambda a, _f=_f: _both(_f(a)), (3, 4))
for _name in "fftn ifftn".split():
    _f = getattr(np.fft, _name)
    case(_name, lambda a, _f=_f: _both(_f(a, axes=())), (3, 4))
    case(_name, lambda a, _f=_f: _both(_f(np.sum(a))), (3,))
for _name in "irfft2 irfftn".split():
    _f = getattr(np.fft, _name)
    case(_name, lambda a, b, _f=_f: _f(a + 1j * b), (3, 4), (3, 4))

# --- calculus, statistics, cases ---------------------------------------------------------------

case("diff", np.diff, (3, 4))
case("diff", lambda a: np.diff(a, 2, axis=0), (4, 3))
case("diff", lambda a: np.diff(a, prepend=1.0, append=a[:, :1]), (3, 4))
case("ediff1d", lambda a: np.ediff1d(a, to_end=a[0] * 2), (4,))
case("trapezoid", np.trapezoid, (5,))
case("trapezoid", lambda a, x: np.trapezoid(a, x), (2, 5), (5,))
case("gradient", np.gradient, (5,))
case("gradient", lambda a: np.gradient(a, 2.0, axis=1, edge_order=2), (3, 5))
case("gradient", lambda a: np.gradient(a, np.array([0.0, 1.0, 3.0, 4.0])), (4,))
case("polyadd", np.polyadd, (3,), (4,))
case("polysub", np.polysub, (3,), (2,))
case("polyder", np.polyder, (4,))
case("polyint", lambda p: np.polyint(p, 2), (4,))
case("polyint", lambda p, k: np.polyint(p, 2, k), (4,), (2,))
case("poly", np.poly, (4,))
case("real_if_close", lambda a: np.real_if_close(a) ** 2, (4,))
case("copyto", lambda a, v: _after_writing(a, lambda x: np.copyto(x, v)), (2, 3), (3,))
case("copyto", lambda a, v: _after_writing(a, lambda x: np.copyto(x, v, where=x > 0)), (4,), (4,))
case("put", lambda a, v: _after_writing(a, lambda x: np.put(x, [0, 5, 2], v)), (2, 3), (3,))
case("putmask", lambda a, v: _after_writing(a, lambda x: np.putmask(x, x > 0, v)), (4,), (4,))
case("fill_diagonal", lambda a, v: _after_writing(a, lambda x: np.fill_diagonal(x, v)), (3, 4), ())
case("at", lambda a, v: _after_writing(a, lambda x: np.add.at(x, [0, 2, 0], v)), (4,), (3,))
case("at", lambda a, v: _after_writing(a, lambda x: np.subtract.at(x, [0, 2, 0], v)), (4,), (3,))
case("polyval", np.polyval, (4,), (3,))
case("polyfit", lambda y: np.polyfit(np.arange(6.0), y, 2), (6,))
case("cov", np.cov, (3, 5))
case("corrcoef", np.corrcoef, (3, 5))
case("interp", lambda x, f: np.interp(x, np.arange(-3.0, 4.0), f), (4,), (7,))
case("nan_to_num", np.nan_to_num, (3,))
case("real", lambda a, b: np.real((a + 1j * b) ** 2), (3,), (3,))
case("imag", lambda a, b: np.imag((a + 1j * b) ** 2), (3,), (3,))
case("angle", lambda a, b: np.angle(a + 1j * b), (3,), (3,))
case("absolute", lambda a, b: abs(a + 1j * b), (3,), (3,))
case("exp", lambda a, b: _both(np.exp(a + 1j * b)), (3,), (3,))
case("sinc", np.sinc, (4,))
case("i0", np.i0, (4,))
case("unwrap", lambda a: np.unwrap(a * 4), (6,))
case("bincount", lambda w: np.bincount(np.array([0, 2, 2, 1]), w), (4,))
for _name in "asanyarray ascontiguousarray asfortranarray require atleast_3d".split():
    case(_name, getattr(np, _name), (3, 2))
case("dsplit", lambda a: np.dsplit(a, 2)[1] ** 2, (2, 3, 4))
case("arange", lambda a, b: np.arange(a, a + 2.5, 1 + 0 * b), (), ())
if hasattr(np, "matvec"):
    case("matvec", np.matvec, (2, 3, 4), (2, 4))
    case("vecmat", np.vecmat, (2, 3), (2, 3, 4))
case("nextafter", lambda a, b: np.nextafter(a, b) * a, (3,), (3,))
case("heaviside", lambda a, b: np.heaviside(a, b) * b, (3,), (3,))
