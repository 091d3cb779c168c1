"""Tests for those who write a backend: the samples that ours are tested with, as a class for pytest.

`BackendConformance` runs each sample on a system and compares it with plain Python. It needs pytest to be
run, and nothing but NumPy to be imported.
"""

from __future__ import annotations

import os

from .conformance import BackendConformance, Verdict
from .harness import Outcome, Sample, all_samples, samples

__all__ = ["BackendConformance", "Outcome", "Sample", "Verdict", "all_samples", "samples"]

# In a checkout the samples lie among the tests, not below this room.
_checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if os.path.isfile(os.path.join(_checkout, "pyproject.toml")):
    __path__.append(os.path.join(_checkout, "tests"))
