"""A framework that a test needs: where it must be there, a missing one fails the test."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def required(framework: str) -> Any:
    """The framework, imported; without it the module's tests are skipped, or fail where all must run."""
    if os.environ.get("AG_REQUIRE_BACKENDS"):
        return importlib.import_module(framework)
    return pytest.importorskip(framework)
