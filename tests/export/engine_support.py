"""Helpers of the engines' tests."""

from __future__ import annotations

from typing import Any

import numpy as np


def same(first: Any, second: Any) -> None:
    """Two results of the same types, and nearly the same numbers."""
    assert type(first) is type(second)
    if isinstance(first, (list, tuple)):
        assert len(first) == len(second)
        for a, b in zip(first, second, strict=True):
            same(a, b)
    elif isinstance(first, dict):
        same(list(first.items()), list(second.items()))
    elif isinstance(first, (np.ndarray, np.generic)):
        assert (first.dtype, first.shape) == (second.dtype, second.shape)
        np.testing.assert_allclose(first, second, rtol=1e-12) if first.dtype.kind != "U" else None
        assert first.dtype.kind != "U" or np.all(first == second)
    elif isinstance(first, float):
        np.testing.assert_allclose(first, second, rtol=1e-12)
    else:
        assert first == second
