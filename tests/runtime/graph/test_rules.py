"""Every type rule agrees with NumPy, function by function."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from test_rules_support import Constant, Python, assorted, calls, compare, filled, matrix, outcome

from autograph_rs.runtime.errors import StagingError
from autograph_rs.runtime.graph.ir.types import ArrayType, ListType, ScalarType
from autograph_rs.runtime.graph.rules import METHODS, TYPE_RULES
from autograph_rs.runtime.graph.rules.methods import flat_histogramdd, sum_to
from autograph_rs.runtime.graph.rules.writes import WRITES, WRITES_AT

N = None
F4, F8, I4, I8, B1, C8 = np.float32, np.float64, np.int32, np.int64, np.bool_, np.complex128

# Before NumPy 2.1 a few functions lack an argument, or take a special case otherwise.
MODERN = hasattr(np, "unstack")

ANY = assorted()
FEW = assorted(dtypes=(np.bool_, np.int32, np.float32, np.complex128))
REAL = assorted(dtypes=(np.bool_, np.int32, np.int64, np.float32, np.float64))
VECTORS = assorted(shapes=((1,), (3,), (5,)))
REAL_VECTORS = assorted(shapes=((1,), (4,)), dtypes=(np.bool_, np.int32, np.float32, np.float64))
MATRICES = [matrix(t, *s) for t in (I4, F4, F8, C8) for s in ((2, 2), (3, 3), (4, 2, 2), (0, 0))]
TALL = [filled(t, *s) for t in (I4, F4, F8, C8) for s in ((3, 2), (2, 3), (2, 4, 3))]
PAIRS = [
    (filled(t, *left), filled(u, *right))
    for t, u in ((F4, F4), (I4, F4), (B1, I8), (F8, C8), (B1, B1))
    for left, right in (
        ((), ()),
        ((3,), (3,)),
        ((3,), ()),
        ((2, 3), (3, 2)),
        ((2, 3), (3,)),
        ((3,), (4,)),
        ((2, 4, 3), (5, 3, 2)),
        ((0,), (0,)),
        ((2, 3), (4, 3)),
    )
]


def with_(*args: Any, **kwargs: Any) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a call after its array."""
    return args, kwargs


call = with_
plain = with_()
mask, index = np.array([True, False, True]), np.array([0, 2, 1, 0])

REDUCTION = [with_(), with_(0), with_(axis=-1, keepdims=True), with_(axis=(0, 1)), with_(5)]
SCAN = [with_(), with_(0), with_(axis=-1, dtype=F8), with_(3)]
RANK = [with_(50), with_(0.5, 0), with_([0.25, 1], axis=-1, keepdims=True), with_(Python(0.5))]
LIKE = [plain]


def of(arrays: Any, *argument_lists: Any) -> list[Any]:
    return list(calls(arrays, *argument_lists))


def pairs(*argument_lists: Any) -> list[Any]:
    return [((*pair, *args), kw) for pair in PAIRS for args, kw in argument_lists or LIKE]


def pairs_of_vectors() -> list[Any]:
    return [
        call(filled(t, m), filled(u, n))
        for t, u in ((F4, I4), (I4, I4), (F8, C8))
        for m in (1, 3)
        for n in (1, 2)
    ]


TABLE: dict[str, list[Any]] = {
    # reductions
    **{
        name: of(ANY, *REDUCTION)
        for name in (
            "sum prod min max amin amax any all ptp mean median argmin argmax count_nonzero nansum "
            "nanprod nanmin nanmax nanmean nanmedian nanargmin nanargmax"
        ).split()
    },
    **{name: of(ANY, *REDUCTION, with_(ddof=1)) for name in "std var nanstd nanvar".split()},
    **{
        name: of([a for a in REAL if a.size], *RANK)
        for name in "quantile nanquantile percentile nanpercentile".split()
    },
    **{name: of(ANY, *SCAN) for name in "cumsum cumprod nancumsum nancumprod".split()},
    "cumulative_sum": of(ANY, with_(axis=0, include_initial=True), plain),
    "cumulative_prod": of(ANY, with_(axis=0), plain),
    "average": [
        *of(ANY, with_(), with_(0), with_(axis=-1, keepdims=True), with_(returned=True)),
        *of([filled(F4, 3, 2)], with_(0, [1, 2, 3]), with_(0, filled(F8, 3), returned=True)),
    ],
    "trace": of(FEW, with_(), with_(1), with_(0, -2, -1), with_(dtype=F8)),
    "linalg.trace": of(FEW, with_(), with_(offset=1)),
    "linalg.norm": of(FEW, with_(), with_(axis=0), with_(axis=-1, keepdims=True), with_(1), with_(2)),
    "linalg.vector_norm": of(FEW, with_(), with_(axis=0, keepdims=True), with_(ord=1)),
    "linalg.matrix_norm": of(MATRICES, with_(), with_(keepdims=True), with_(ord=1)),
    # elements
    **{name: of(ANY, plain) for name in "real imag angle sinc iscomplex isreal nan_to_num".split()},
    **{name: of(REAL, plain) for name in "i0 isposinf isneginf fix".split()},
    **{name: of(ANY, with_(), with_(2), with_(Python(1))) for name in ("round", "around")},
    "unwrap": of(REAL, with_(), with_(axis=0)),
    "interp": [
        call(filled(t, *s), filled(F8, 3), filled(u, 3))
        for t in (F4, I4)
        for s in ((), (2, 2))
        for u in (F4, C8)
    ]
    + [call(Python(1.5), filled(F4, 3), [1, 2, 3]), call(filled(F4, 2), [1, 2], [3, 4])],
    "polyval": [*of(VECTORS, with_(filled(F4, 2, 2)), with_(Python(2))), call([1, 2], filled(I4, 3))],
    "clip": [
        *of(ANY, with_(1, 3), with_(0.5, None), with_(None, filled(F8, 3)), with_(Python(1), Python(2))),
        *of(
            [filled(F4, 3)],
            *[with_(min=1, max=2)] * MODERN,
            with_(filled(F4, 2, 1), 3),
            with_(filled(F4, 4), 3),
        ),
    ],
    "isclose": pairs(with_(), with_(rtol=0.1)),
    "allclose": pairs(),
    "array_equal": pairs(),
    "array_equiv": pairs(),
    "shape": of(ANY, plain),
    "size": of(ANY, with_(), with_(0)),
    "ndim": of(ANY, plain),
    "iscomplexobj": of(ANY, plain),
    "isrealobj": of(ANY, plain),
    "isscalar": [call(3)],
    "result_type": pairs(),
    "can_cast": [call(filled(F4, 3).dtype, F8)],
    "common_type": [call(filled(F4, 3), filled(F8, 2))],
    "min_scalar_type": of(VECTORS, plain),
    "iterable": of(ANY, plain),
    # polynomials
    "polymul": pairs_of_vectors(),
    "polydiv": pairs_of_vectors(),
    "polyint": of(VECTORS, plain, with_(2), with_(m=3, k=[1, 2, 3]), with_(0), with_(-1)),
    "poly": [*of(REAL_VECTORS, plain), *of([m for m in MATRICES if m.dtype != C8 and m.ndim == 2], plain)],
    "sort_complex": of(FEW, plain),
    "real_if_close": of(REAL, plain),
    # indices
    **{
        name: [
            *of([filled(F4, 3, 3), filled(F4, 2, 4), filled(F4, 3)], plain, with_(1), with_(-1)),
            call(4, 0),
        ][:9]
        for name in ("tril_indices_from", "triu_indices_from")
    },
    **{
        name: [call(3), call(3, 1), call(3, -1, 5), call(0), call(Python(3)), call(3, Python(1))]
        for name in ("tril_indices", "triu_indices")
    },
    "diag_indices": [call(3), call(3, 3), call(Python(3))],
    "diag_indices_from": of([filled(F4, 3, 3), filled(F4, 2, 2, 2), filled(F4, 2, 3), filled(F4, 3)], plain),
    # bits
    "packbits": of([filled(t, *s) for t in (B1, I4, F4) for s in ((9,), (3, 8), (0,))], plain, with_(-1)),
    "unpackbits": of(
        [filled(np.uint8, *s) for s in ((3,), (2, 3))], plain, with_(0), with_(count=5), with_(1, -3)
    ),
    # windows
    **{
        name: [call(5), call(1), call(0), call(Python(4))]
        for name in "bartlett blackman hamming hanning".split()
    },
    "kaiser": [call(5, 14.0), call(5, Python(2.0)), call(Python(4), 3.0), call(5, filled(F4)[()])],
    "lib.stride_tricks.sliding_window_view": of(
        [filled(F4, 5), filled(I4, 4, 6)], with_(3), with_((2, 3)), with_(2, axis=0), with_(9)
    ),
    "histogram2d": [
        call(filled(t, 5), filled(u, 5), *args, **kw)
        for t, u in ((F4, F4), (I4, F8))
        for args, kw in (
            with_(),
            with_(3),
            with_([2, 4]),
            with_(filled(F8, 4).cumsum()),
            with_([filled(F8, 4).cumsum(), 3]),
            with_(3, [[0, 1], [0, 2]]),
        )
    ]
    + [call(filled(F4, 3), filled(F4, 4))],
    "einsum_path": [
        call("ij,jk->ik", filled(F4, 2, 3), filled(F4, 3, 4)),
        call("ij,j", filled(F4, 2, 3), filled(F4, 3)),
    ],
    # shapes
    "reshape": of(
        ANY,
        with_(-1),
        with_((3, -1)),
        with_((1, 3)),
        with_((0, -1)),
        with_((-1, -1)),
        with_(()),
        with_([2, 4], order="F"),
    )
    + of(
        [filled(F4, 2, 3)],
        with_((Python(3), 2)),
        with_((Python(3), -1)),
        with_(Python(6)),
        with_(np.int64(6)),
    ),
    "ravel": of(ANY, with_(), with_("F")),
    "transpose": of(ANY, with_(), with_((1, 0)), with_([0, 2, 1])),
    "matrix_transpose": of(FEW, plain),
    "linalg.matrix_transpose": of(TALL, plain),
    "swapaxes": of(FEW, with_(0, 1), with_(-1, 0)),
    "moveaxis": of(FEW, with_(0, -1), with_([0, 1], [1, 0])),
    "rollaxis": of(FEW, with_(1), with_(0, 2)),
    "expand_dims": of(FEW, with_(0), with_((0, 2)), with_(4)),
    "squeeze": of(ANY, with_(), with_(0), with_(1), with_(axis=(1,))),
    "rot90": of(FEW, with_(), with_(2), with_(1, (1, 2))),
    "flip": of(FEW, with_(), with_(0), with_((0, 1)), with_(7)),
    "fliplr": of(FEW, plain),
    "flipud": of(FEW, plain),
    "roll": of(FEW, with_(1), with_(Python(1), 0), with_((1, 2), (0, 1)), with_(1, 4)),
    "fft.fftshift": of(FEW, with_(), with_(0), with_((0, 1)), with_(4)),
    "fft.ifftshift": of(FEW, with_(), with_(-1)),
    **{f"atleast_{n}d": [*of(FEW, plain), call(filled(F4, 2), Python(3), [1, 2])] for n in (1, 2, 3)},
    "resize": of(FEW, with_((2, 2)), with_(5), with_((Python(2), 3))),
    "tile": of(FEW, with_(2), with_((2, 1)), with_([2, 1, 3, 1]), with_(Python(2))),
    "repeat": of(FEW, with_(2), with_([1, 0, 2]), with_(2, 0), with_([1, 2], axis=-1), with_(Python(2)))
    + of([filled(F4, 3)], with_(np.array([1, 2, 0])), with_(Constant(np.array([1, 2])))),
    "pad": of(
        FEW,
        with_(1),
        with_((1, 2)),
        with_(((1, 2),), "edge"),
        with_(-1),
        with_(0, "constant", constant_values=2),
    ),
    "broadcast_to": of(FEW, with_((3,)), with_((2, 2, 3)), with_(4), with_((Python(3),))),
    "broadcast_arrays": pairs(with_(), with_(filled(B1, 2, 1))),
    "tril": of(FEW, with_(), with_(1)),
    "triu": of(FEW, with_(), with_(Python(1))),
    "diagonal": of(FEW, with_(), with_(1), with_(-1, 1, 0), with_(Python(1)), with_(0, 0, 0)),
    "linalg.diagonal": of(TALL, with_(), with_(offset=-1)),
    "diag": of(FEW, with_(), with_(1), with_(-2), with_(Python(1))),
    "diagflat": of(FEW, with_(), with_(1)),
    # joining
    "concatenate": [
        *[call(p) for p in PAIRS],
        *[call(list(p), axis=-1) for p in PAIRS],
        *[call(p, None) for p in PAIRS],
        call([filled(F4, 2, 3), [[1, 2, 3]]], dtype=F8),
        call([filled(F8, 2), filled(I4, 2)], dtype=I4, casting="safe"),
        call([filled(F4, 2, 3), filled(F4, 2, 4)]),
        call(filled(I4, 2, 3)),
        call([]),
    ],
    "stack": [call([a, a], *args) for a in FEW for args in ((), (1,), (-1,))]
    + [call([filled(F4, 3), filled(I8, 3), [1, 2, 3]]), call(PAIRS[5]), call([Python(1), 2.5])],
    **{
        name: [call([a, a]) for a in FEW]
        + [call(p) for p in PAIRS]
        + [call([filled(F4, 3), [1, 2, 3]]), call([Python(1), filled(F4)])]
        for name in "vstack row_stack hstack dstack".split()
    },
    "column_stack": [call([a, a]) for a in FEW] + [call([filled(F4, 3), filled(I8, 3, 2)])],
    "append": [*pairs(with_(), with_(0)), call(filled(F4, 3), Python(2)), call(filled(I4, 2), [1.5])],
    "block": [
        call([filled(F4, 2), filled(I4, 3)]),
        call([[filled(F4, 2, 2), filled(F8, 2, 1)], [filled(F4, 1, 2), filled(F4, 1, 1)]]),
        call([[filled(F4, 2)], [filled(F4, 2)]]),
        call(filled(F4, 2)),
        call([filled(F4), Python(2)]),
    ],
    # cutting
    "split": of(
        FEW, with_(1), with_(2), with_(3, -1), with_([1, 2]), with_([-1]), with_([Python(1)]), with_(0)
    ),
    "array_split": of(FEW, with_(2), with_(4, -1), with_([1, 5]), with_(Constant(np.array([2])))),
    "hsplit": of(FEW, with_(1), with_([1])),
    "vsplit": of(FEW, with_(1), with_([1])),
    "dsplit": of(FEW, with_(2), with_([1])),
    "unstack": of(FEW, with_(), with_(axis=1)),
    "insert": of(FEW, with_(0, 9), with_([0], 9, 0), with_(slice(0, 2), 1), with_(-1, 2, -1), with_(7, 1))
    + of(
        [filled(F4, 2, 3)],
        with_(1, filled(F4, 4, 2), axis=1),
        with_([1], filled(F4, 2, 4), axis=1),
        with_(1, filled(F4, 5), axis=0),
        with_([1, 2], filled(F4, 4)),
        with_(np.array([1, 2]), 0, 0),
        with_(Python(1), 0, 0),
        *[with_(Constant(np.array([True, False, True])), 5, 1)] * MODERN,
    ),
    "delete": of(
        FEW, with_(0), with_([0, 0], 0), with_(slice(0, 2)), with_(-1, -1), with_(7), with_(Python(0))
    )
    + of([filled(F4, 4)], with_(np.array([1, 2])), with_(Constant(mask[[0, 1, 0, 1]])), with_([])),
    "trim_zeros": of(VECTORS, plain),
    # searching
    "take": of(
        FEW, with_(index[:0]), with_(0), with_([[0, 0]], 0), with_(np.array([0]), axis=-1), with_(Python(0))
    )
    + of([filled(F4, 3, 3)], with_(index), with_(index, 1), with_(np.int64(1), 0)),
    "take_along_axis": of(
        [filled(F4, 3, 2)], with_(np.zeros((1, 2), int), 0), with_(np.zeros((3, 5), int), 1)
    )
    + of([filled(F4, 3, 2)], with_(np.zeros((4, 3), int), 0), with_(np.zeros(4, int), None), with_(index, 0)),
    "where": [
        *[call(filled(B1, 3), *p) for p in PAIRS],
        *of(ANY, with_(), with_(1, 2.5), with_(Python(1), filled(F4))),
        call(filled(B1, 3), 1),
    ],
    "select": [
        call([filled(B1, 3), filled(B1, 2, 1)], [filled(F4, 3), 2], 0.5),
        call([filled(B1, 3)], [filled(I4, 3)]),
        call([filled(B1, 3)], [Python(2)], Python(1.5)),
        call([], []),
    ],
    "choose": [
        call(filled(I8, 3) % 2, [filled(F4, 3), filled(I4, 3)]),
        call(filled(I8, 3) % 2, filled(F8, 2, 3)),
        call(filled(I8, 2, 1) % 2, [1, 2.5]),
    ],
    "compress": [
        call(mask, filled(F4, 3)),
        call(Constant(mask), filled(F4, 3)),
        call([0, 1], filled(F4, 3, 2), 1),
        call(mask, filled(F4, 3, 2), axis=0),
        call(mask, filled(F4, 3, 2), axis=4),
        call(filled(B1, 2, 2), filled(F4, 4)),
    ],
    "extract": [call(filled(F4, 2, 3) > 2, filled(I4, 2, 3)), call(Constant(mask), filled(F4, 3))],
    "nonzero": of(ANY[1:], plain),
    "flatnonzero": of(ANY, plain),
    "argwhere": of(ANY, plain),
    **{name: of(ANY, with_(), with_(0), with_(None), with_(3)) for name in ("sort", "argsort")},
    **{
        name: of(ANY, with_(0), with_(1, 0), with_([0, 1], -1), with_(-7))
        for name in ("partition", "argpartition")
    },
    "lexsort": [
        call((filled(F4, 3), filled(I4, 3))),
        call(filled(F4, 2, 3)),
        call([filled(F4, 3), filled(F4, 2)]),
    ],
    "searchsorted": of(
        REAL_VECTORS, with_(filled(F4, 2, 2)), with_(2), with_([1, 2], "right"), with_(Python(2.0))
    ),
    "digitize": [*of(REAL, with_([1, 2, 3]), with_(filled(F8, 3))), call(Python(1.5), [1, 2])],
    "unique": of(ANY, with_(), with_(True, True, True), with_(return_inverse=True), with_(return_counts=True))
    + of(
        [filled(F4, 2, 3)],
        with_(axis=0),
        with_(axis=1, return_inverse=True, return_index=True),
        with_(axis=4),
    ),
    **{f"unique_{kind}": of(ANY, plain) for kind in "all counts inverse values".split()},
    **{name: pairs() for name in "union1d setdiff1d setxor1d isin in1d".split()},
    "intersect1d": pairs(with_(), with_(return_indices=True)),
    "bincount": of([filled(I4, 3), filled(B1, 3)], with_(), with_(minlength=9), with_(filled(F4, 3))),
    "histogram": of(
        REAL, with_(), with_(4), with_([0, 1, 2]), with_(filled(F4, 3)), with_("auto"), with_(3, (0, 5))
    )
    + of([filled(F4, 3)], with_(Python(3)), with_(weights=filled(I4, 3)), with_(density=True), with_(0))
    + of([filled(F4, 3)], with_(weights=filled(I4, 4))),
    "histogram_bin_edges": of(REAL, with_(), with_(4), with_([0, 1, 2]), with_(3, (0, 5))),
    "unravel_index": [call(index, (2, 3)), call(2, (3,)), call(np.int64(2), (Python(2), 3))],
    "ravel_multi_index": [call((index, index), (4, 5)), call(np.array([[1, 0], [0, 1]]), (2, 2))],
    # products
    **{name: pairs() for name in "dot inner vdot outer kron".split()},
    "linalg.outer": pairs(),
    "tensordot": pairs(with_(0), with_(1), with_(([0], [0])), with_(([0], [-1])), with_((-1, 0))),
    "linalg.tensordot": pairs(with_(axes=0)),
    "cross": [
        *pairs(with_(), with_(axisb=0)),
        call(filled(F4, 2), filled(F4, 3)),
        call(filled(F4, 2), filled(I4, 2)),
    ],
    "linalg.cross": pairs(),
    "linalg.matmul": pairs(),
    "linalg.vecdot": pairs(),
    "linalg.multi_dot": [
        call([filled(F4, 2, 3), filled(I4, 3, 4), filled(F8, 4)]),
        call([filled(F4, 3), filled(F4, 3, 4), filled(F4, 4)]),
        call([filled(F4, 2, 3), filled(F4, 4, 3)]),
        call([filled(F4, 2, 3)]),
    ],
    "einsum": [
        call("ij,jk->ik", filled(F4, 2, 3), filled(I4, 3, 4)),
        call("ij,jk", filled(F4, 2, 3), filled(F4, 3, 4)),
        call("ii", filled(I4, 3, 3)),
        call("ii->i", filled(F4, 3, 3)),
        call("...i,...i->...", filled(F4, 2, 3), filled(F4, 4, 1, 3)),
        call("i...->...", filled(F4, 2, 3)),
        call("...ij->...ji", filled(F4, 5, 2, 3)),
        call("ba", filled(F4, 2, 3)),
        call(filled(F4, 2, 3), [0, 1], filled(F4, 3), [1], [0]),
        call(filled(F4, 2, 3), [1, 0]),
        call("ij,j->iz", filled(F4, 2, 3), filled(F4, 3)),
        call("ij", filled(F4, 3)),
    ],
    "convolve": pairs(with_(), with_("same"), with_("valid")),
    "correlate": pairs(with_(), with_("same"), with_("full")),
    # calculus
    "diff": of(
        ANY, with_(), with_(2), with_(1, 0), with_(0), with_(-1), with_(prepend=0), with_(append=[1.5])
    ),
    "ediff1d": [*of(FEW, with_()), call(filled(F8, 3), [1, 2], 3), call(filled(F4, 2, 2), filled(F4, 2))],
    "gradient": of(
        assorted(shapes=((1,), (3,), (2, 3), (2, 3, 4)), dtypes=(I4, F4, F8, C8)), with_(), with_(2.0)
    )
    + of([filled(F4, 3, 4)], with_(axis=0), with_(filled(F8, 3), 2), with_(axis=(0, 1)), with_(1, 2, 3)),
    **{
        name: of(ANY[1:], with_(), with_(dx=2, axis=0))
        + of(
            [filled(F4, 2, 3)],
            with_([1, 2, 3]),
            with_(filled(F8, 2, 3)),
            with_(filled(F8, 2), axis=0),
            with_(index),
        )
        for name in ("trapezoid", "trapz")
    },
    **{
        name: [call(filled(t, *s), filled(F4, 3)) for t in (B1, I4, F8, C8) for s in ((), (3,), (5,))]
        for name in ("polyadd", "polysub")
    },
    "polyder": of(VECTORS, with_(), with_(2), with_(Python(1))),
    "polyfit": [call(filled(t, 4), filled(u, 4), 1) for t in (F4, I4) for u in (F4, C8)]
    + [call(filled(F8, 5), filled(F8, 5, 2), 2)],
    "cov": of(
        assorted(shapes=((3,), (1, 3), (2, 3))[:: 1 if MODERN else 2]),
        with_(),
        with_(rowvar=False),
        with_(bias=True),
    )
    + of([filled(F4, 2, 3)], with_(filled(F4, 3)), with_(dtype=F4), with_(aweights=[1, 2, 3])),
    "corrcoef": of(assorted(shapes=((3,), (2, 3))), with_(), with_(rowvar=False))
    + of([filled(F4, 3)], with_(filled(F4, 3))),
    # linear algebra
    **{
        f"linalg.{name}": of([*MATRICES, *TALL[:2], filled(F4, 3)], plain)
        for name in "det slogdet inv cholesky eigh eigvalsh svd svdvals cond qr".split()
    },
    "linalg.pinv": of([a for a in [*MATRICES, *TALL] if a.size], plain),
    "linalg.eig": of([a for a in MATRICES if a.dtype == C8], plain),
    "linalg.eigvals": of([a for a in MATRICES if a.dtype == C8], plain),
    "linalg.solve": of(
        [matrix(F4, 3, 3), matrix(I4, 2, 3, 3)],
        with_(filled(F8, 3)),
        with_(filled(C8, 3, 2)),
        with_(filled(F4, 2, 3, 1)),
        with_(filled(F4, 4)),
        with_(filled(F4, 2, 2)),
    ),
    "linalg.lstsq": of([filled(F4, 3, 2), filled(I4, 2, 3)], with_(filled(F4, 3)), with_(filled(C8, 2, 4))),
    "linalg.matrix_rank": [
        *of([a for a in [*FEW, *MATRICES] if a.size], with_()),
        call(matrix(F4, 2, 2), filled(F8, 3)),
    ],
    "linalg.matrix_power": of([*MATRICES, TALL[0]], with_(0), with_(3), with_(-2), with_(1.5)),
    "linalg.tensorinv": [call(np.eye(6).reshape(2, 3, 6)), call(np.eye(6, dtype=F4).reshape(6, 3, 2), 1)],
    "linalg.tensorsolve": [call(np.eye(6).reshape(2, 3, 6), filled(F4, 2, 3))],
    # fft
    **{
        f"fft.{name}": of(ANY, with_(), with_(4), with_(axis=0), with_(None, 0, "ortho"), with_(Python(4)))
        for name in "fft ifft".split()
    },
    **{
        f"fft.{name}": of(REAL, with_(), with_(4), with_(5, 0), with_(0))
        for name in "rfft irfft hfft ihfft".split()
    },
    **{f"fft.{name}": of(FEW, with_(), with_((4, 5)), with_(axes=(0, 1))) for name in "fft2 ifft2".split()},
    **{f"fft.{name}": of(FEW, with_(), with_((4,), (0,)), with_(axes=(0,))) for name in "fftn ifftn".split()},
    **{f"fft.{name}": of([a for a in REAL if a.ndim], plain) for name in "rfftn irfftn".split()},
    **{
        f"fft.{name}": of([filled(F4, 4, 3), filled(I4, 2, 3, 5)], with_(), with_((4, 6)))
        for name in "rfft2 irfft2".split()
    },
    "fft.fftfreq": [call(5), call(Python(5)), call(np.int64(4), 0.5), call(2.5)],
    "fft.rfftfreq": [call(5), call(Python(5)), call(4, Python(0.5))],
    # creation
    **{
        name: [
            call(3),
            call((2, 3), F4),
            call((Python(2), 3)),
            call([np.int64(2)], dtype=bool),
            call(-1),
            call(()),
        ]
        for name in "zeros ones empty".split()
    },
    "full": [
        call((2, 3), 1),
        call(Python(3), filled(F4)),
        call((2, 3), filled(I4, 3)),
        call((2, 3), filled(I4, 4)),
        call(2, 1.5, I4),
    ],
    "eye": [call(3), call(Python(3)), call(2, 3, 1, F4), call(-1)],
    "identity": [call(3), call(Python(3), F4)],
    "tri": [call(3), call(2, Python(3)), call(2, 4, 1, F4), call(-1)],
    **{
        name: of(ANY, with_(), with_(I4), with_(shape=(2, 2)), with_(None, "C", True, Python(4)))
        for name in "zeros_like ones_like empty_like".split()
    },
    "full_like": of(ANY, with_(1.5), with_(filled(F4)), with_(2, F4), with_(filled(F4, 3))),
    "copy": of(ANY, plain),
    **{name: of(ANY, with_(), with_(C8)) for name in "asarray asanyarray asarray_chkfinite require".split()},
    "astype": of(ANY, with_(C8)),
    "ascontiguousarray": of(ANY, with_(), with_(C8)),
    "asfortranarray": of(ANY, with_(), with_(C8)),
    "array": [
        *of(ANY, with_(), with_(C8), with_(ndmin=2)),
        call([filled(F4, 3), filled(I8, 3)]),
        call([[Python(1), 2.5], [3, filled(F4)]]),
        call([Python(True), 2]),
        call((filled(F4), 1.5), dtype=I4),
        call([filled(F4, 3), filled(F4, 4)]),
        call([filled(F4, 3), 1]),
        call([[filled(F4, 3)], [filled(F4, 2)]]),
    ],
    "arange": [
        call(5),
        call(Python(5)),
        call(np.int32(5)),
        call(1, 7, 2),
        call(0, 1, 0.25),
        call(3, Python(1.5)),
        call(5, 0, -2),
        call(5, 0),
        call(Python(2), dtype=F4),
        call(F4(1), 3.5),
        call(),
    ],
    **{
        name: [
            call(1, 2),
            call(1.0, filled(F4), 5),
            call(filled(F4, 3), 2, 4),
            call(filled(C8, 3), filled(F4, 2, 1), 4, axis=1),
            call(1, 3, Python(4)),
            call(1, 3, 4, False, dtype=I4),
            call(1, 3, 0),
            call(1, 3, -2),
        ]
        for name in "linspace logspace geomspace".split()
    },
    "meshgrid": [
        call(filled(F4, 2), filled(I4, 3)),
        call(filled(F4, 2), filled(I4, 3), filled(I4), indexing="ij"),
        call(filled(F4, 2), [1, 2, 3], sparse=True),
        call(filled(F4, 2), indexing="no"),
    ],
    "ix_": [call(filled(I4, 2), filled(B1, 3)), call([1, 2], Constant(mask)), call(filled(I4, 2, 2))],
    "indices": [call((2, 3)), call((Python(2), 3), F4), call((2, 3), sparse=True)],
    "vander": of(VECTORS, with_(), with_(2), with_(Python(2), True)),
}

# Where several arrays would take one mask, an error text or a size may still hang on the data.
LINSPACE = with_(retstep=True)
TABLE["linspace"] += [((1.0, 2.0), LINSPACE[1]), ((filled(F4, 2), 3, 4), LINSPACE[1])]


# Where the data decide a dimension, a rule that knows all shapes may leave it unknown.
DATA_DEPENDENT = frozenset(
    "where nonzero flatnonzero argwhere compress extract repeat delete trim_zeros unique unique_all "
    "unique_counts unique_inverse unique_values union1d setdiff1d setxor1d intersect1d bincount "
    "histogram histogram_bin_edges linalg.lstsq insert ix_ polymul polydiv".split()
)


def found(name: str) -> Any:
    try:
        return attrgetter(name)(np)
    except AttributeError:
        return None


OTHER_WORDS = ("cross", "linalg.cross") if np.lib.NumpyVersion(np.__version__) >= "2.5.0" else ()
"""Functions that refuse more, and in other words, since NumPy 2.5."""


@pytest.mark.parametrize("name", [name for name in TABLE if found(name) is not None])
def test_rule_agrees_with_numpy(name: str) -> None:
    """The rule says what NumPy does: dtype, shape, several results, and errors."""
    function = found(name)
    for args, kwargs in TABLE[name]:
        if name in OTHER_WORDS and outcome(function, args, kwargs)[1] is not None:
            continue  # the graph raises NumPy's own error when it runs
        try:
            compare(function, TYPE_RULES[function], args, kwargs, exact=name not in DATA_DEPENDENT)
        except Exception as error:
            error.add_note(f"in np.{name}(*{args}, **{kwargs})")
            raise


def test_every_rule_is_of_a_public_function_and_has_a_case() -> None:
    """The table of cases covers the table of rules."""
    functions = {f for f in map(found, TABLE) if f is not None}
    adapters = {f for f in METHODS.values() if getattr(f, "__module__", "") == METHODS["reshape"].__module__}
    adapters |= {*WRITES.values(), *WRITES_AT.values(), flat_histogramdd}
    assert len(TYPE_RULES) >= 170
    assert TYPE_RULES.keys() - adapters - {sum_to} == functions
    assert all(f.__module__.startswith("numpy") for f in functions)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("reshape", (-1,)),
        ("reshape", (3, 2)),
        ("reshape", ((3, 2),)),
        ("transpose", ()),
        ("transpose", (1, 0)),
        ("transpose", ((1, 0),)),
        ("astype", (F8,)),
        ("flatten", ()),
        ("clip", (1, 2)),
        ("compress", ([True, False], 0)),
        ("item", (2,)),
        ("sum", (0,)),
        ("mean", ()),
        ("argmax", (1,)),
        ("take", ([0, 1], 1)),
        ("searchsorted", (2,)),
        ("swapaxes", (0, 1)),
        ("dot", (filled(F8, 3),)),
        ("conjugate", ()),
    ],
)
def test_methods_are_functions(name: str, args: Any) -> None:
    """The function behind a method does what the method does, and its rule knows it."""
    array = filled(F4, 6) if name == "searchsorted" else filled(F4, 2, 3)
    function = METHODS[name]
    np.testing.assert_array_equal(function(array, *args), getattr(array, name)(*args))
    if not isinstance(function, np.ufunc):
        compare(function, TYPE_RULES[function], (array, *args), {})


def test_every_method_has_a_rule() -> None:
    """A method is that of a ufunc, or its function is in the table."""
    for name, function in METHODS.items():
        assert hasattr(np.ndarray, name)
        assert isinstance(function, np.ufunc) or function in TYPE_RULES


REAL_MATRIX = ArrayType(np.dtype(F8), (3, 3))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("linalg.eig", (REAL_MATRIX,)),
        ("squeeze", (ArrayType(np.dtype(F8), (None, 3)),)),
        ("cov", (ArrayType(np.dtype(F8), (None, 3)),)),
        ("sum", (REAL_MATRIX, ScalarType(int))),
        ("zeros", (ArrayType(np.dtype(int), (None,)),)),
        ("array", ([ScalarType(str)],)),
        ("unstack", (ArrayType(np.dtype(F8), (None, 3)),)),
    ],
)
def test_a_type_that_only_run_time_tells_is_refused(name: str, args: Any) -> None:
    """A rule that cannot infer a type raises instead of guessing."""
    if found(name) is not None:
        with pytest.raises(StagingError, match=r"known|depending on the data"):
            TYPE_RULES[found(name)](*args)


ROW = ListType(ArrayType(np.dtype(F4), (3,)))


@pytest.mark.parametrize(
    ("name", "args", "shape"),
    [
        ("stack", (ROW,), (None, 3)),
        ("stack", (ROW, 1), (3, None)),
        ("array", (ROW,), (None, 3)),
        ("concatenate", (ROW,), (None,)),
        ("vstack", (ROW,), (None, 3)),
        ("hstack", (ROW,), (None,)),
        ("sum", (ROW, 0), (3,)),
    ],
)
def test_a_staged_list_is_a_sequence_of_unknown_length(name: str, args: Any, shape: Any) -> None:
    """Joining a staged list leaves one dimension to run time."""
    assert TYPE_RULES[found(name)](*args) == ArrayType(np.dtype(F4), shape)


@pytest.mark.parametrize("name", ["array_split", "split"])
def test_staged_places_to_cut(name: str) -> None:
    """The parts between staged places are as many as is known."""
    places = ArrayType(np.dtype(int), (2,))
    parts = TYPE_RULES[found(name)](ArrayType(np.dtype(F4), (7, 2)), places)
    assert parts == [ArrayType(np.dtype(F4), (None, 2))] * 3


def test_types_cost_no_memory() -> None:
    """No rule makes an array as large as the user's."""
    huge = ArrayType(np.dtype(F8), (10**9, 10**9))
    assert TYPE_RULES[np.transpose](huge).shape == huge.shape
    assert TYPE_RULES[np.dot](huge, huge).shape == huge.shape
    assert TYPE_RULES[np.linalg.inv](huge).shape == huge.shape
    assert TYPE_RULES[np.arange](10**12).shape == (10**12,)
    assert TYPE_RULES[np.linspace](0, ScalarType(float), 10**12).shape == (10**12,)
    assert TYPE_RULES[np.repeat](huge, 10**9, axis=0).shape == (10**18, 10**9)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((2, 3), (2, 3)), ((4, 2, 3), (1, 3))],
)
def test_sum_to(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """The function of reverses that is ours, and its rule."""
    made = sum_to(np.ones(shape), wanted)
    assert (np.shape(made), np.sum(made)) == (wanted, math.prod(shape))
    assert TYPE_RULES[sum_to](ArrayType(np.dtype(float), (None,) * len(shape)), wanted).shape == wanted
