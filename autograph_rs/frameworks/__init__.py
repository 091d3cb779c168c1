"""Frameworks, imported where they are asked for."""

from __future__ import annotations

import importlib
from typing import Any

from autograph_rs.runtime.errors import MissingFrameworkError

EXTRAS = {"onnxruntime": "onnx"}
"""The extra that brings a framework, where it has another name."""


def imported(framework: str, what: str) -> Any:
    """A framework that `what` needs.

    Raises:
        MissingFrameworkError: it is not installed.
    """
    try:
        return importlib.import_module(framework)
    except ImportError as error:
        missing = MissingFrameworkError(
            f"{what} needs {framework}, which is not installed",
            why="this package works with frameworks, and brings none of them",
            remedy=f"pip install 'autograph_rs[{EXTRAS.get(framework, framework)}]'",
        )
        missing.name = framework
        raise missing from error
