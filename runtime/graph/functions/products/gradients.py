"""Gradients of products of vectors and matrices."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...gradient.cotangents import element_count, ndim_of, shape_of, unbroadcast
from ...gradient.unsupported import unsupported_argument


def _refuse_axes(name: str, axes: Any) -> None:
    if axes is not None:
        raise unsupported_argument(f"numpy.{name}", "axes=")


def matmul_rule(
    ct: Any, y: Any, a: Any, b: Any, /, *, axes: Any = None, dtype: Any = None, casting: Any = None
) -> Any:
    _refuse_axes("matmul", axes)
    return (lambda: _matmul_left(ct, a, b)), (lambda: _matmul_right(ct, a, b))


def _matmul_left(ct: Any, a: Any, b: Any) -> Any:
    if ndim_of(a) == 1 and ndim_of(b) == 1:
        return ct * b
    if ndim_of(b) == 1:
        return unbroadcast(ct[..., None] * b, a)
    if ndim_of(a) == 1:
        result = np.matmul(b, ct) if ndim_of(b) == 2 else np.matmul(b, ct[..., None])[..., 0]
        return unbroadcast(result, a)
    return unbroadcast(np.matmul(ct, np.swapaxes(b, -1, -2)), a)


def _matmul_right(ct: Any, a: Any, b: Any) -> Any:
    if ndim_of(a) == 1 and ndim_of(b) == 1:
        return ct * a
    if ndim_of(a) == 1:
        return unbroadcast(a[:, None] * ct[..., None, :], b)
    if ndim_of(b) == 1:
        result = (
            np.matmul(ct, a) if ndim_of(a) == 2 else np.matmul(np.swapaxes(a, -1, -2), ct[..., None])[..., 0]
        )
        return unbroadcast(result, b)
    return unbroadcast(np.matmul(np.swapaxes(a, -1, -2), ct), b)


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    if not ndim_of(a) or not ndim_of(b):
        return a * b
    if ndim_of(b) <= 2 and ndim_of(a) <= 2:
        return np.matmul(a, b)
    return np.tensordot(a, b, (-1, -1 if ndim_of(b) == 1 else -2))


def _vecdot(x1: Any, x2: Any, /, *, axis: int = -1, axes: Any = None, dtype: Any = None) -> Any:
    _refuse_axes("vecdot", axes)
    return np.sum(np.conj(x1) * x2, axis)


def _matvec(x1: Any, x2: Any, /, *, axes: Any = None, dtype: Any = None) -> Any:
    _refuse_axes("matvec", axes)
    return np.matmul(x1, np.expand_dims(x2, -1))[..., 0]


def _vecmat(x1: Any, x2: Any, /, *, axes: Any = None, dtype: Any = None) -> Any:
    _refuse_axes("vecmat", axes)
    return np.matmul(np.expand_dims(np.conj(x1), -2), x2)[..., 0, :]


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    na, nb = ndim_of(a), ndim_of(b)
    if isinstance(axes, int):
        of_a, of_b = list(range(na - axes, na)), list(range(axes))
    else:
        of_a, of_b = (list(x) if isinstance(x, (list, tuple)) else [x] for x in axes)
    of_a, of_b = [x % na for x in of_a], [x % nb for x in of_b]
    free_a = [i for i in range(na) if i not in of_a]
    free_b = [i for i in range(nb) if i not in of_b]
    sa, sb = shape_of(a), shape_of(b)
    inner = element_count([sa[i] for i in of_a])
    left = np.reshape(np.transpose(a, (*free_a, *of_a)), (element_count([sa[i] for i in free_a]), inner))
    right = np.reshape(np.transpose(b, (*of_b, *free_b)), (inner, element_count([sb[i] for i in free_b])))
    return np.reshape(np.matmul(left, right), (*(sa[i] for i in free_a), *(sb[i] for i in free_b)))


def _kron(a: Any, b: Any) -> Any:
    ndim = max(ndim_of(a), ndim_of(b))
    sa, sb = ((1,) * (ndim - ndim_of(v)) + shape_of(v) for v in (a, b))
    left = np.reshape(a, tuple(part for n in sa for part in (n, 1)))
    right = np.reshape(b, tuple(part for n in sb for part in (1, n)))
    return np.reshape(left * right, tuple(n * m for n, m in zip(sa, sb, strict=True)))


def _cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    three_a, three_b = shape_of(a)[-1] == 3, shape_of(b)[-1] == 3
    a2, b2 = (a[..., 2] if three_a else 0), (b[..., 2] if three_b else 0)
    last = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if not three_a and not three_b:
        return last
    parts = [a[..., 1] * b2 - a2 * b[..., 1], a2 * b[..., 0] - a[..., 0] * b2, last]
    return np.moveaxis(np.stack(parts, -1), -1, axisc)


def convolve_rule(ct: Any, y: Any, a: Any, v: Any, mode: Any = "full") -> Any:
    if not ndim_of(a):
        a = np.reshape(a, (1,))
    if not ndim_of(v):
        v = np.reshape(v, (1,))
    n, m = shape_of(a)[0], shape_of(v)[0]
    if not isinstance(n, int) or not isinstance(m, int):
        raise unsupported_argument("numpy.convolve", "arrays of unknown length")
    mode = {0: "valid", 1: "same", 2: "full"}.get(mode, mode)
    low = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    whole = np.pad(ct, (low, n + m - 1 - low - shape_of(ct)[0]))
    return (
        lambda: np.reshape(np.convolve(whole, np.flip(v), "valid"), (n,)),
        lambda: np.convolve(whole, np.flip(a), "valid"),
    )


def _correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    n, m = shape_of(a)[0], shape_of(v)[0]
    if m > n and mode != "full":
        return np.flip(np.convolve(np.conj(v), np.flip(a), mode))
    return np.convolve(a, np.flip(np.conj(v)), mode)


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _parse_subscripts(subscripts: str, operands: Any) -> tuple[list[str], str]:
    """Return the labels of each operand and of the result, with letters replacing the ellipsis."""
    text = subscripts.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    labels = inputs.split(",")
    unused = [letter for letter in LETTERS if letter not in text]
    most = max(
        (ndim_of(o) - len(x.replace("...", "")) for x, o in zip(labels, operands, strict=True) if "..." in x),
        default=0,
    )
    dots = "".join(unused[:most])

    def written_out(x: str, ndim: int) -> str:
        count = ndim - len(x.replace("...", ""))
        return x.replace("...", dots[len(dots) - count :] if count else "")

    labels = [written_out(x, ndim_of(o)) for x, o in zip(labels, operands, strict=True)]
    if not arrow:
        joined = "".join(labels)
        result = dots + "".join(sorted(x for x in set(joined) - set(dots) if joined.count(x) == 1))
    return labels, result.replace("...", dots)


def einsum_rule(
    ct: Any, y: Any, subscripts: Any, *operands: Any, optimize: Any = False, **options: Any
) -> Any:
    if not isinstance(subscripts, str) or options:
        raise unsupported_argument("numpy.einsum", "subscripts that are not a string, or options")
    labels, output = _parse_subscripts(subscripts, operands)
    if len(set(output)) != len(output):
        raise unsupported_argument("numpy.einsum", "a letter that occurs twice in the result")

    def operand_cotangent(i: int) -> Any:
        own = labels[i]
        eyes, names = [], ""
        for place, letter in enumerate(own):  # off-diagonal elements have a zero cotangent
            if letter in names:
                new = next(x for x in LETTERS if x not in subscripts and x not in names and x not in own)
                n = shape_of(operands[i])[place]
                if not isinstance(n, int):
                    raise unsupported_argument("numpy.einsum", "the diagonal of an array of unknown shape")
                eyes.append((letter + new, np.eye(n)))
                names += new
            else:
                names += letter
        others = [(x, o) for j, (x, o) in enumerate(zip(labels, operands, strict=True)) if j != i] + eyes
        available = set(output).union(*(x for x, _ in others))
        kept_names = "".join(x for x in names if x in available)
        text = ",".join([output, *(x for x, _ in others)]) + "->" + kept_names
        result = np.einsum(text, ct, *(o for _, o in others), optimize=optimize)
        result = np.reshape(result, tuple(
            shape_of(result)[kept_names.index(x)] if x in available else 1 for x in names
        ))  # fmt: skip
        result = np.broadcast_to(result, shape_of(operands[i])) if kept_names != names else result
        return unbroadcast(result, operands[i])

    return None, tuple((lambda i=i: operand_cotangent(i)) for i in range(len(operands)))


RULES: dict[Any, Any] = {np.matmul: matmul_rule, np.linalg.matmul: matmul_rule, np.convolve: convolve_rule,
                         np.einsum: einsum_rule}  # fmt: skip

DEFINITIONS: dict[Any, Any] = {
    np.dot: _dot,
    np.inner: lambda a, b, /: a * b if not ndim_of(a) or not ndim_of(b) else np.tensordot(a, b, (-1, -1)),
    np.vdot: lambda a, b, /: np.sum(np.conj(np.reshape(a, (-1,))) * np.reshape(b, (-1,))),
    np.outer: lambda a, b, out=None: np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1)),
    np.linalg.outer: lambda x1, x2, /: np.outer(x1, x2),
    np.vecdot: _vecdot,
    np.linalg.vecdot: _vecdot,
    **{
        getattr(np, name): result
        for name, result in (("matvec", _matvec), ("vecmat", _vecmat))
        if hasattr(np, name)
    },
    np.tensordot: _tensordot,
    np.linalg.tensordot: lambda x1, x2, /, *, axes=2: _tensordot(x1, x2, axes),
    np.kron: _kron,
    np.cross: _cross,
    np.linalg.cross: lambda x1, x2, /, *, axis=-1: _cross(x1, x2, axis=axis),
    np.linalg.multi_dot: lambda arrays, *, out=None: functools.reduce(np.matmul, arrays),
    np.correlate: _correlate,
}
