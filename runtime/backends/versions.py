"""Supported versions of the frameworks that have a built-in backend.

A version older than the first supported one is unsupported. A version newer than the last tested one is
tried, because most releases change nothing that staging needs. It is unsupported only if its backend cannot
be imported, that is, if an interface without a fallback is missing.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Supported:
    """The versions of a framework that the tests cover, both ends included."""

    title: str
    oldest: tuple[int, int]
    newest: tuple[int, int]
    package: str
    """The name that pip installs the framework by."""

    @property
    def needed(self) -> str:
        return f"{self.title} {_text(self.oldest)} or later, tested up to {_text(self.newest)}"


SUPPORTED = {
    "jax": Supported("JAX", (0, 6), (0, 10), "jax"),
    "pytensor": Supported("PyTensor", (3, 0), (3, 0), "pytensor"),
    "tensorflow": Supported("TensorFlow", (2, 18), (2, 21), "tensorflow"),
    "torch": Supported("PyTorch", (2, 12), (2, 15), "torch"),
}


@dataclass(frozen=True)
class Problem:
    """Why an imported framework cannot be staged, and how to fix it."""

    framework: str
    version: str
    why: str
    remedy: str

    @property
    def found(self) -> str:
        """The framework with the version that is imported."""
        return f"{SUPPORTED[self.framework].title} {self.version}"

    @property
    def needed(self) -> str:
        return SUPPORTED[self.framework].needed


def version_of(framework: str) -> str:
    """Return the version that an imported framework declares, or "of unknown version"."""
    version: Any = getattr(sys.modules[framework], "__version__", None)
    return str(version) if isinstance(version, str) else "of unknown version"


def check_version(framework: str) -> Problem | None:
    """Return why the version of an imported framework is unsupported, or None if staging can be tried."""
    supported, version = SUPPORTED[framework], version_of(framework)
    oldest = _text(supported.oldest)
    install = f"pip install '{supported.package}>={oldest}'"
    found = _parse(version)
    if found is None:
        return Problem(framework, version, "it declares no version that can be compared", install)
    if found < supported.oldest:
        why = f"versions before {oldest} lack interfaces that staging needs"
        return Problem(framework, version, why, install)
    return None


def missing_interface(framework: str, error: ImportError | AttributeError) -> Problem:
    """Describe a framework whose backend cannot be imported because of `error`."""
    supported, version = SUPPORTED[framework], version_of(framework)
    later = _text((supported.newest[0], supported.newest[1] + 1))
    install = f"pip install '{supported.package}>={_text(supported.oldest)},<{later}'"
    is_later = (_parse(version) or supported.oldest) > supported.newest
    remedy = f"upgrade autograph_rs, or {install}" if is_later else f"install it again: {install}"
    return Problem(framework, version, f"an interface that staging needs is missing: {error}", remedy)


def _parse(version: str) -> tuple[int, int] | None:
    """Return the first two numbers of a version, ignoring suffixes such as `rc1`, `.dev2` and `+cpu`."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else None


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
