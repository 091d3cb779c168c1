"""Fixtures of the transpiler's tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from modules import module  # noqa: F401 - a fixture
from two_forms import converted  # noqa: F401 - a fixture
