"""Conformance tests for backend authors: the package's own samples, as a pytest class.

`BackendConformance` runs each sample on a tensor system and compares the outcome with plain Python. Importing
this package requires only NumPy; running the tests requires pytest.
"""

from __future__ import annotations

import os

from ..runtime.staging.loop_options import set_loop_options
from .conformance import BackendConformance, Verdict
from .harness import Outcome, Sample, all_samples, samples

__all__ = ["BackendConformance", "Outcome", "Sample", "Verdict", "all_samples", "samples", "set_loop_options"]

# In a checkout the samples are in tests/cases, not in this package.
_checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if os.path.isfile(os.path.join(_checkout, "pyproject.toml")):
    __path__.append(os.path.join(_checkout, "tests"))
