"""What every test shares: tests/ on the path, golden files, tests in several processes, checks of graphs."""

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


def pytest_configure(config):
    if config.getoption("--update-golden") and config.getoption("numprocesses", 0):
        raise pytest.UsageError("several tests write one file: --update-golden and -n exclude each other")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `-n` alone, a process takes tests that follow each other: those of a file share its fixtures."""
    if config.getoption("dist") != "load":
        return None  # the one that was asked for
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def _verified_graphs():
    """Every graph is checked as it was traced, and after each optimisation."""

    def optimise_and_verify(graph, names=ALL):
        verify(graph)
        optimise(graph, names, check=verify)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concrete, "optimise", optimise_and_verify)
        yield
