"""What every test shares: tests/ on the path, the flag that rewrites golden files, checks of graphs."""

import sys
from pathlib import Path

import pytest

from autograph_rs.runtime.graph import concrete
from autograph_rs.runtime.graph.optimise import ALL, optimise
from autograph_rs.runtime.graph.verify import verify

sys.path.insert(0, str(Path(__file__).parent))

from convert_support import folder  # noqa: F401 - a fixture; the path comes first


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/cases/*.golden from to_code")


@pytest.fixture(scope="session", autouse=True)
def _verified_graphs():
    """Every graph is checked as it was traced, and after each optimisation."""

    def optimise_and_verify(graph, names=ALL):
        verify(graph)
        optimise(graph, names, check=verify)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concrete, "optimise", optimise_and_verify)
        yield
