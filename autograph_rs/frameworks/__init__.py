"""Optional frameworks, imported on demand."""

from __future__ import annotations

import importlib
from typing import Any

from autograph_rs.runtime.errors import MissingFrameworkError

PACKAGES = {"jax": "jax", "jaxlib": "jax", "tensorflow": "tensorflow", "torch": "torch"}
"""The framework to which the arrays of each package belong."""
EXTRAS = {"onnxruntime": "onnx", "llvmlite": "native"}
"""The extra that installs a framework, if their names differ."""


def import_framework(framework: str, feature: str) -> Any:
    """Import the framework that a feature needs, or raise `MissingFrameworkError`."""
    try:
        return importlib.import_module(framework)
    except ImportError as error:
        missing = MissingFrameworkError(
            f"{feature} needs {framework}, which is not installed",
            why="frameworks are optional dependencies of this package",
            remedy=f"pip install 'autograph_rs[{EXTRAS.get(framework, framework)}]'",
        )
        missing.name = framework
        raise missing from error
