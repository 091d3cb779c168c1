"""Every row of the tables: a model with open lengths gives what the embedded graph gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backends.numpy_calls import functions
from backends.support import required

import autograph_rs as ag
from autograph_rs.testing.harness import check_same

required("onnx")
required("onnxruntime")

from onnx_support import Exported, session  # noqa: E402

from autograph_rs.runtime.export.onnx.builder.kernels import KERNELS  # noqa: E402

A = np.array([[1.5, -2.5, 3.0], [0.5, 4.0, -6.0], [1.5, 4.0, 0.0]])
V = np.array([3.0, -1.0, 2.0, 2.0, 0.5])
N = np.array([4, -7, 9, -3, 0, 9])
S = np.array([[2.0, 1.0], [1.0, 3.0]])
T = np.arange(24.0).reshape(2, 3, 4)
NANS = np.array([2.0, np.nan, -1.0, np.inf, np.nan, -np.inf, 0.0])
MODES = ["reflect", "symmetric", "wrap", "edge"]
I = np.array([1, 0, -1])  # noqa: E741 - indexes

ROWS: list[tuple[str, Callable[..., Any], list[Any]]] = [
    # items
    ("negative index", lambda x: x[-1] + x[0], [V, V[:1]]),
    ("index by number", lambda x, i: x[i], [(V, np.array(2)), (V, np.array(-1))]),
    ("steps", lambda x: (x[::2], x[::-1], x[3:0:-2], x[-2:], x[:-1], x[10:]), [V, V[:1], V[:0]]),
    ("computed bounds", lambda x, n: (x[:n], x[n:], x[-n:], x[n::-1]), [(V, np.array(2)), (V, np.array(9))]),
    ("computed step", lambda x, n: x[::n], [(V, np.array(2)), (V, np.array(-2))]),
    ("new axes", lambda x: (x[None, :, 1], x[..., None], x[0, None, 1:]), [A, A[:1]]),
    ("mask", lambda x: x[x > 1], [V, A, A[:0], V[:1]]),
    ("mask of rows", lambda x, m: x[m], [(A, np.array([True, False, True]))]),
    ("mask and number", lambda x, m: x[m, 0], [(A, np.array([True, False, True]))]),
    ("fancy", lambda x, i: (x[i], x[i, i], x[:, i], x[i, 1:]), [(A, I), (A, I[:1]), (A, I[:0])]),
    ("fancy of two axes", lambda x, i: x[i[:, None], i], [(A, I)]),
    ("fancy apart", lambda x, i: (x[i, :, i], x[:, i, i], x[0, :, i]), [(T, I[:2])]),
    ("take", lambda x, i: (np.take(x, i), np.take(x, i, axis=1), np.take(x, i, mode="wrap")), [(A, I)]),
    ("take along", lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1), [A, A[:1]]),
    # writes
    ("set number", lambda x, i: _set(x, i, 7.0), [(V, np.array(2)), (V, np.array(-1))]),
    ("set row", lambda x, v: _set(x, 1, v), [(A, V[:3]), (A, V[:1])]),
    ("set slice", lambda x: _set(x, slice(None, None, 2), -1.0), [V, V[:2], V[:0], A]),
    ("set mask", lambda x: _set(x, x > 1, 0.0), [V, A]),
    ("set fancy", lambda x, i: _set(x, i, x[i] * 10), [(V, I), (A, I)]),
    ("set item of matrix", lambda x: _set(x, (0, -1), 9.0), [A, A[:1]]),
    ("add in place", lambda x: _add(x, slice(1, None), 2.0), [V, A]),
    # shapes
    ("reshape", lambda x: (x.reshape(-1), x.reshape(3, -1), np.reshape(x, (-1, 1))), [A, A[:2]]),
    ("by its shape", lambda x: x.reshape(x.shape[1], x.shape[0]), [A, A[:2]]),
    ("axes", lambda x: (x.T, np.moveaxis(x, 0, -1), np.swapaxes(x, 0, 2), x.transpose(1, 0, 2)), [T, T[:1]]),
    ("expand", lambda x: (np.expand_dims(x, (0, 2)), np.squeeze(x[:, None], 1)), [V]),
    ("join", lambda x: (np.concatenate([x, x]), np.stack([x, x], 1), np.hstack([x, x])), [V, V[:0]]),
    ("split", lambda x: np.array_split(x, 3), [V, V[:2]]),
    ("flip and roll", lambda x: (np.flip(x), np.roll(x, 2), np.roll(x, -1, 0), np.rot90(x)), [A, A[:1]]),
    ("wide pads", lambda x: [np.pad(x, ((1, 9), (3, 0)), mode=m) for m in MODES], [A, A[:1], A[:, :1]]),
    ("more axes", lambda x: (np.array(x, ndmin=3), np.array(x, ndmin=1)), [V, A]),
    ("pad", lambda x: (np.pad(x, 1), np.pad(x, ((1, 0), (0, 2)), mode="edge")), [A]),
    ("tile", lambda x: (np.tile(x, 2), np.repeat(x, 3), np.repeat(x, 2, axis=0)), [A, A[:1]]),
    ("triangles", lambda x: (np.tril(x), np.triu(x, 1), np.diag(x), np.trace(x)), [S, A, A[:2]]),
    ("diagonal matrix", lambda x: (np.diag(x), np.diag(x, 1), np.diag(x, -2)), [V, V[:1]]),
    ("broadcast", lambda x, y: x + y, [(A, V[:3]), (A, A[:1]), (A[:0], V[:3]), (T, A[:, :1] + T[0])]),
    # creation
    ("counts", lambda n: (np.arange(n), np.zeros(n), np.ones((n, 2)), np.eye(n)), [np.array(3), np.array(0)]),
    ("like", lambda x: (np.zeros_like(x), np.full_like(x, 2), np.full(x.shape, 3.5)), [A, N]),
    ("linspace", lambda x: np.linspace(x, 5.0, 7), [np.array(1.0)]),
    # reductions
    ("sums", lambda x: (x.sum(), x.sum(0), x.sum(1, keepdims=True), x.mean(0)), [A, A[:1], N[:, None]]),
    ("means", lambda x: (x.mean(), x.mean(1), x.mean(keepdims=True)), [A, A[:1], N[:, None]]),
    ("spread", lambda x: (x.std(), x.var(0), np.ptp(x), np.median(x), np.average(x)), [A, A[:1]]),
    ("products", lambda x: (x.prod(), np.cumsum(x), np.cumprod(x, 0), np.diff(x)), [V, N]),
    ("extremes", lambda x: (x.max(), x.min(), x.argmax(), x.argmin()), [V, N, NANS, V[:1]]),
    ("extremes by axis", lambda x: (x.max(0), x.min(1), x.argmax(0), x.argmin(1)), [A, N.reshape(2, 3)]),
    ("options by position", lambda x: (np.max(x, 0, None, True), x.min(1, None, True),
     np.nanmax(x, 0, None, True), np.maximum.reduce(x, 1, None, None, True), x.sum(0, None, None, True)),
     [A]),
    ("without nan", lambda x: (np.nansum(x), np.nanmax(x), np.nanmin(x), np.isnan(x)), [NANS, V]),
    ("truth", lambda x: (np.any(x > 1), np.all(x > 1), np.count_nonzero(x), (x > 1).sum()), [V, V[:0], N]),
    ("empty sums", lambda x: (x.sum(), x.prod(), np.any(x), np.all(x)), [V[:0]]),
    ("large sums", lambda x: (x.sum(), x.sum(0), x.prod(1)), [np.array([[2**62 + 1, 5], [-(2**60), 3]])]),
    ("largest", lambda x, y: (x // y, x % y), [(np.array([-(2**63), 7, 0]), np.array([-1, 0, -1]))]),
    ("wrapping powers", lambda x, n: x**n, [(np.array([3, -7, 2, 1]), np.array([100, 2**40 + 1, 64, 0]))]),
    ("methods", lambda x: (np.add.reduce(x), np.maximum.accumulate(x), np.multiply.outer(x, x)), [V, N]),
    ("order with nan", lambda x: (np.median(x), np.quantile(x, 0.3), np.percentile(x, [10, 60])),
     [V, NANS, NANS[3:4], V[:4]]),
    ("order by axis", lambda x: (np.median(x, 0), np.median(x, 1, keepdims=True)), [A]),
    ("small integers", lambda x: (np.linalg.norm(x), np.std(x), np.trace(x), np.median(x)),
     [np.array([[100, 50], [7, 120]], np.int8), np.array([[200, 3], [4, 250]], np.uint8)]),
    ("norms", lambda x: (np.linalg.norm(x), np.linalg.norm(x, 1), np.linalg.norm(x, np.inf)), [V]),
    # order
    ("sort", lambda x: (np.sort(x), np.argsort(x, kind="stable")), [V, N, NANS, V[:0]]),
    ("sort by axis", lambda x: (np.sort(x, 0), np.argsort(x, 1, kind="stable")), [A, N.reshape(2, 3)]),
    ("search", lambda x: (np.searchsorted(np.sort(x), 2), np.isin(x, [2, 3]), np.nonzero(x)), [V, N]),
    ("where", lambda x, y: (np.where(x > y, x, y), np.where(x > 0, 1, 0), np.clip(x, -1, 2)), [(V, V[::-1])]),
    ("bins", lambda x: (np.bincount(np.abs(x)), np.digitize(x, [0, 5, 10]), np.unique(x)), [N]),
    ("edges", lambda x, e: (np.digitize(x, e), np.digitize(x, e, right=True)),
     [(NANS, V[:0]), (NANS, np.sort(V)), (NANS, -np.sort(V)), (V, V[2:4])]),
    ("close", lambda x: (np.isclose(x, 2.0), np.allclose(x, x), np.array_equal(x, x)), [V, N]),
    # products of matrices
    ("matmul", lambda x: (x @ x, x @ x[0], x[0] @ x, x[0] @ x[1], np.dot(x, x)), [S, A]),
    ("unsigned products", lambda x: x @ x, [np.array([[2**63 + 5, 3], [7, 2**40 + 1]], np.uint64)]),
    ("einsum", lambda x: (np.einsum("ij,kj->ik", x, x), np.einsum("ij->j", x)), [A, A[:2]]),
    ("tensors", lambda x: (np.tensordot(x, x, 1), np.outer(x[0], x[1]), np.kron(x, x)), [S, A]),
    ("batches", lambda x: x @ np.swapaxes(x, 1, 2), [T, T[:1]]),
    ("determinant", lambda x: np.linalg.det(np.reshape(x, (3, 3))), [A]),
    # numbers
    ("rounding", lambda x: (np.round(x), np.round(x, 1), np.floor(x), np.trunc(x), np.rint(x * 2.5)), [V, A]),
    ("int division", lambda x, y: (x // y, x % y, np.fmod(x, y)), [(N, np.array(-4)), (N, N[::-1])]),
    ("float division", lambda x, y: (x // y, x % y, x / y), [(V, np.array(2.0)), (V, np.array(-0.75))]),
    ("int powers", lambda x: (x**2, x**3, x**5, x**0), [N]),
    ("large powers", lambda x, n: x**n, [(np.array([3, -3, 7]), np.array(19))]),
    ("float powers", lambda x: (x**2, np.abs(x) ** 0.5, x**3), [V]),
    ("roots", lambda x: (x**0.5, x[-2] ** 0.5), [NANS]),
    ("bits", lambda x: (x & 5, x | 8, x ^ 3, ~x, x << 3, x >> 2), [N]),
    ("dtypes", lambda x: (x.astype(np.int8), x.astype(bool), x.astype(np.float32), x > 2), [V, N]),
    ("python numbers", lambda x: (float(x[0]), int(x[1]), bool(x[2]), round(float(x[0]))), [V, N]),
    ("math", lambda x: (math.sqrt(x), math.exp(x), math.floor(x), math.atan2(x, 2.0)), [np.array(2.5)]),
    ("logarithms", lambda x: (math.log(x, 3), math.log(2, x)), [np.array(2.5)]),
    ("common divisors", lambda x, y: (math.gcd(x), math.gcd(x, y), math.gcd(x, y, 30), np.gcd(x, y)),
     [(np.array(12), np.array(-18)), (np.array(2**63 - 1), np.array(-(2**63))), (np.array(4), np.array(0))]),
    ("angles", lambda x: (np.tan(x), np.arctan(x), np.sinh(x), np.arcsinh(x), np.tanh(x)), [V, A]),
    ("bounded angles", lambda x: (np.arcsin(x), np.arccos(x), np.arctanh(x * 0.9)), [V / 3, NANS[:1] / 9]),
]  # fmt: skip


def _set(x: Any, key: Any, value: Any) -> Any:
    y = x.copy()
    y[key] = value
    return y


def _add(x: Any, key: Any, value: Any) -> Any:
    y = x.copy()
    y[key] += value
    return y


def opened(array: np.ndarray) -> ag.TensorSpec:
    return ag.TensorSpec((None,) * array.ndim, array.dtype)


@pytest.mark.parametrize(("function", "calls"), [pytest.param(f, c, id=name) for name, f, c in ROWS])
def test_row(function: Callable[..., Any], calls: list[Any]) -> None:
    """One model for each dtype and rank, and every size through it."""
    models: dict[Any, Any] = {}
    for call in calls:
        args = call if isinstance(call, tuple) else (call,)
        specs = tuple(map(opened, args))
        if specs not in models:
            concrete = ag.function(function).get_concrete_function(*specs)
            models[specs] = concrete, Exported(concrete)
        concrete, model = models[specs]
        with np.errstate(all="ignore"):
            check_same(model(*args), concrete(*args), str(args), exact=False)


REFUSED = {
    "convolve", "linalg.inv", "linalg.cholesky", "linalg.eigvalsh", "linalg.pinv",
    "linalg.slogdet", "linalg.solve",
}  # fmt: skip


def test_calls_of_numpy() -> None:
    """Calls as users make them give what NumPy gives, or are of one of a few functions."""
    refused, count = set(), 0
    for (name, args, kwargs), function, arrays, expected in functions():
        if isinstance(expected, Exception):
            continue
        try:
            with np.errstate(all="ignore"):
                concrete = ag.function(function).get_concrete_function(*[a.copy() for a in arrays])
        except ag.AutographError:
            continue
        try:
            model = Exported(concrete)
        except ag.SaveError:
            refused.add(name)
            continue
        given = [a.copy() for a in arrays]
        with np.errstate(all="ignore"):
            check_same(model(*given), concrete(*arrays), f"{name}{args}{kwargs}", exact=False)
        count += 1
    assert refused == REFUSED
    assert count > 250


FLOATS = [0.0, 1.0, -1.0, 2.5, -7.25, 1e10, 1e-10, -1e-10, np.inf, -np.inf, np.nan, 20.0, 0.99, -0.5]
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 12, 100, -100, 63, 13, -5]
DTYPES = "bool int8 int32 int64 uint8 uint32 float16 float32 float64".split()
PAIRS = [
    tuple(pair.split("-"))
    for pair in (
        "int64-int64 int32-int64 float64-float64 float32-int32 bool-float64 int8-int8 uint8-int16 "
        "float16-float16 bool-bool float32-float64"
    ).split()
]
WITHOUT = {"spacing", "frexp", "nextafter", "ldexp", "bitwise_count"}
TOLERANCE = {2: 4e-3, 4: 1e-5, 8: 1e-9}


def numbers(dtype: str) -> np.ndarray:
    kind = np.dtype(dtype).kind
    values = np.array(FLOATS if kind == "f" else INTS)
    with np.errstate(all="ignore"):
        return (np.abs(values) if kind == "u" else values % 2 if kind == "b" else values).astype(dtype)


UFUNCS = sorted(
    {f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin < 3 and not f.signature}
)


@pytest.mark.parametrize("name", [name for name in UFUNCS if hasattr(np, name)])
def test_ufunc(name: str) -> None:
    """Numbers of every dtype, with infinities and NaNs; a zero may have lost its sign."""
    function = getattr(np, name)
    taken, refused = set(), set()
    for dtypes in [(d,) for d in DTYPES] if function.nin == 1 else PAIRS:
        given = [numbers(d) for d in dtypes]
        if function.nin == 2:
            given = [np.repeat(given[0], len(FLOATS)), np.tile(given[1], len(FLOATS))]
            if name in ("power", "left_shift", "right_shift") and given[1].dtype.kind in "iu":
                given[1] = np.abs(given[1]) % 7
        with np.errstate(all="ignore"):
            called = ag.function(lambda *a: function(*a))  # noqa: PLW0108 - a ufunc has no source
            try:
                function(*given)
            except TypeError:  # NumPy has none for these dtypes
                with pytest.raises((ag.AutographError, TypeError)):
                    called.get_concrete_function(*map(opened, given))
                continue
            taken.add("-".join(dtypes))
            concrete = called.get_concrete_function(*map(opened, given))
            expected = concrete(*given)
            try:
                made = Exported(concrete)(*given)
            except ag.SaveError:
                refused.add("-".join(dtypes))
                continue
        several = isinstance(expected, tuple)
        for mine, theirs in zip(
            made if several else [made], expected if several else [expected], strict=True
        ):
            assert mine.dtype == theirs.dtype
            if theirs.dtype.kind == "f":
                bound = TOLERANCE[theirs.dtype.itemsize]
                np.testing.assert_allclose(mine, theirs, rtol=bound, atol=1e-30 if bound == 1e-9 else 1e-6)
            else:
                np.testing.assert_array_equal(mine, theirs)
    assert refused == {d for d in taken if name in WITHOUT or (name == "reciprocal" and "float" not in d)}


ATTRIBUTES: dict[str, dict[str, Any]] = {
    "BitShift": {"direction": "LEFT"}, "CumSum": {}, "ArgMax": {"axis": 0}, "ArgMin": {"axis": 0},
    "Einsum": {"equation": "i,i->i"}, "Mod": {"fmod": 1},
}  # fmt: skip
AFTER = {
    "ReduceSum": [0], "ReduceProd": [0], "ReduceMax": [0], "ReduceMin": [0], "CumSum": 0, "CumProd": 0,
    "TopK": [1], "Pad": [1, 1],
}  # fmt: skip
TWO = ("Add Sub Mul Div Mod Less LessOrEqual Greater GreaterOrEqual Equal Max Min Pow BitwiseAnd BitwiseOr "
       "BitwiseXor BitShift Einsum MatMul").split()  # fmt: skip


NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 str".split()
INEXACT = {("Einsum", "int32"), ("Einsum", "int64"), ("Pow", "int32"), ("Pow", "int64")}


@pytest.mark.parametrize("kind", KERNELS)
def test_kernels(kind: str) -> None:
    """onnxruntime computes each operator with the dtypes that the table says, and with no others."""
    run = {dtype for dtype in NUMBERS if (kind, dtype) not in INEXACT and is_run(kind, dtype)}
    assert run == KERNELS[kind]


def is_run(kind: str, dtype: str) -> bool:
    import onnx
    from onnx import helper

    from autograph_rs.runtime.export.onnx.model import IR_VERSION, OPSET

    element = onnx.TensorProto.STRING if dtype == "str" else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    shape = [2, 2] if kind in ("Det", "Trilu") else [2]
    fixed = {"test": np.array([True, False])} if kind == "Where" else {}
    fixed |= {"after": np.array(AFTER[kind])} if kind in AFTER else {}
    names = ["x", "x"] if kind in TWO else ["test", "x", "x"] if kind == "Where" else ["x"]
    node = helper.make_node(
        kind,
        [*names, *(["after"] if kind in AFTER else [])],
        ["y", "order"][: 1 + (kind == "TopK")],
        **ATTRIBUTES.get(kind, {}),
    )
    graph = helper.make_graph(
        [node],
        "kernel",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_empty_tensor_value_info("y")],
        [onnx.numpy_helper.from_array(v, k) for k, v in fixed.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    x = np.array(["a", "b"], dtype=object) if dtype == "str" else np.ones(shape, dtype)
    try:
        made = onnx.shape_inference.infer_shapes(made)
        return bool(session(made.SerializeToString()).run(None, {"x": x}))
    except Exception:
        return False
