"""What every test shares: tests/ on the path, and the flag that rewrites golden files."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/cases/*.golden from to_code")
