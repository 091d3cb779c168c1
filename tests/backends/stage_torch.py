"""Compile a function with PyTorch for the conformance suite: export it, then run it.

The samples are written for NumPy, so while one is traced tensors have the methods of arrays that torch
gives other names, numbers without dimensions are not written in place, and they print as NumPy's do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
import torch._numpy as tnp
from torch.overrides import TorchFunctionMode

import autograph_rs as ag
from autograph_rs.runtime.backends.torch.inplace_updates import mark_number
from autograph_rs.runtime.backends.torch.numpy import call_numpy
from autograph_rs.runtime.values.structures import flatten, unflatten
from autograph_rs.testing import BackendConformance

NUMBERS_IN_TEXT = "the text of an error shows a number as Python does, not as NumPy"


class System(BackendConformance):
    differs = {
        "promotion.py::python_int_grows": "integers have the width of their dtype and wrap",
        "numpy_.py::types": "a dtype is no dtype of NumPy, and `size` is a method",
        "promotion.py::float32_stays": "a dtype is no dtype of NumPy",
        "keyed.py::lookup_of_a_missing_key": NUMBERS_IN_TEXT,
        "keyed.py::counts_of_a_missing_key": NUMBERS_IN_TEXT,
        "ordering.py::position_in_a_plain_list": NUMBERS_IN_TEXT,
    }

    def prepare(self, f: Callable[..., Any]) -> Callable[..., Any]:
        converted = ag.convert(f)
        return lambda *arguments: as_numpy_has_them(converted(*arguments))

    def stage(self, f: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arrays: Any) -> list[Any]:
            tensors = [torch.tensor(a) for a in arrays]
            module = Module(f)
            with like_numpy(), wide_floats():
                program = torch.export.export(module, (tensors,), strict=False)
                results = program.module()(tensors)
            return [r.detach().numpy() if isinstance(r, torch.Tensor) else r for r in results]

        return call


def as_numpy_has_them(results: Any) -> Any:
    """Sizes as tensors and tuples."""
    leaves, spec = flatten(_plain(results))
    return unflatten(spec, [torch.full((), v) if isinstance(v, torch.SymInt) else v for v in leaves])


def _plain(value: Any) -> Any:
    """Sizes, and the pairs that torch's `max` gives, as NumPy has them."""
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, torch.return_types.max):
        return value.values
    return type(value)(map(_plain, value)) if type(value) in (tuple, list) else value


class Module(torch.nn.Module):
    def __init__(self, f: Callable[..., Any]):
        super().__init__()
        self.f = f

    def forward(self, arrays: Sequence[torch.Tensor]) -> tuple[Any, ...]:
        for array in arrays:
            if array.ndim == 0:
                mark_number(array)
        with _Scalars(), _makes_tensors():
            return tuple(self.f(*arrays))


class _Scalars(TorchFunctionMode):
    """Return values without dimensions as numbers, like NumPy's scalars."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.ndim == 0:
            result = result.clone() if func.__name__ in ("__getitem__", "unbind") else result
            mark_number(result)
        return result


def _method(name: str) -> Callable[..., Any]:
    def method(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        args = [
            getattr(tnp, a.__name__, a) if isinstance(a, type) and a.__module__ == "numpy" else a
            for a in args
        ]
        made = getattr(tnp.ndarray(self), name)(*args, **kwargs)
        return made.tensor if isinstance(made, tnp.ndarray) else made

    return method


def _maker(name: str) -> Callable[..., Any]:
    original = getattr(np, name)

    @ag.do_not_convert
    def make(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(leaf, torch.Tensor) for leaf in flatten([args, kwargs])[0]):
            return call_numpy(original, args, kwargs)
        made = original(*args, **kwargs)
        return torch.tensor(made) if made.dtype.kind in "biufc" else made

    return make


_METHODS = ("astype", "copy")
_MAKERS = ("array", "asarray", "zeros", "ones", "empty", "full", "eye", "arange", "linspace", "identity")
_MADE = {name: _maker(name) for name in _MAKERS}
_ORIGINALS = {name: getattr(np, name) for name in _MAKERS}


@contextlib.contextmanager
def like_numpy() -> Iterator[None]:
    """Tensors have more methods of arrays, print like them, and are what NumPy's functions make."""
    shown, transpose = torch.Tensor.__repr__, torch.Tensor.transpose
    torch.Tensor.transpose = lambda self, *dims: (
        transpose(self, *dims) if dims else self.permute(*range(self.ndim)[::-1])
    )
    for name in _METHODS:
        setattr(torch.Tensor, name, _method(name))
    torch.Tensor.__repr__ = lambda self, **_: shown(self) if _is_staged(self) else str(self.numpy()[()])
    try:
        yield
    finally:
        torch.Tensor.__repr__, torch.Tensor.transpose = shown, transpose
        for name in _METHODS:
            delattr(torch.Tensor, name)


@contextlib.contextmanager
def wide_floats() -> Iterator[None]:
    """As Python's numbers are, and NumPy's by default."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def _makes_tensors() -> Iterator[None]:
    for name, make in _MADE.items():
        setattr(np, name, make)
    try:
        yield
    finally:
        for name, original in _ORIGINALS.items():
            setattr(np, name, original)


def _is_staged(tensor: torch.Tensor) -> bool:
    return type(tensor) is not torch.Tensor
