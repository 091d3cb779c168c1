"""The exports' tests compute in 64 bits, as NumPy does, and leave JAX as it was."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def in_64_bits() -> Iterator[None]:
    jax = sys.modules.get("jax")
    if jax is None:
        yield
        return
    with jax.enable_x64(True):
        yield
