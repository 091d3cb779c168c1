"""Fixtures and hooks of all tests: the path, golden files, processes, missing frameworks, graph checks."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograph_rs.runtime.graph.concrete import concrete_graph
from autograph_rs.runtime.graph.optimise import ALL, optimise
from autograph_rs.runtime.graph.serialization.verification import verify

sys.path.insert(0, str(Path(__file__).parent))

from breadth import FULL
from convert_support import folder  # noqa: F401 - a fixture; the path comes first


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/cases/*.golden from to_code")


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(module): the test asks for this module, which may be missing")
    if config.getoption("--update-golden") and config.getoption("numprocesses", 0):
        raise pytest.UsageError("several tests write one file: --update-golden and -n exclude each other")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `-n` alone, a process takes tests that follow each other: those of a file share its fixtures."""
    if config.getoption("dist") != "load":
        return None  # the one that was asked for
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_modifyitems(config, items):
    """If a framework is missing, keep and skip one test of each file that needs it, with that reason.

    With AG_REQUIRE_BACKENDS all stay, and fail.
    """
    if os.environ.get("AG_REQUIRE_BACKENDS"):
        return
    seen, kept, dropped = set(), [], []
    for item in items:
        missing = {(item.path, name) for name in needs(item) if importlib.util.find_spec(name) is None}
        (dropped if missing and missing <= seen else kept).append(item)
        seen |= missing
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


FRAMEWORKS = {"jax", "tensorflow", "torch", "onnx", "onnxruntime"}


def needs(item: pytest.Item) -> Iterator[str]:
    """The modules that a test says that it needs: by its mark, or by a parameter that names a framework."""
    for mark in item.iter_markers("needs"):
        yield from mark.args
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        for value in item.callspec.params.values():
            name = getattr(value, "framework", value)
            if isinstance(name, str) and name in FRAMEWORKS:
                yield name


@pytest.fixture(scope="session", autouse=True)
def _verified_graphs():
    """Every graph is checked as traced and as optimised; in a full run after each optimisation."""

    def optimise_and_verify(graph, names=ALL):
        verify(graph)
        if FULL:
            optimise(graph, names, check=verify)
        else:
            optimise(graph, names)
            verify(graph)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concrete_graph, "optimise", optimise_and_verify)
        yield
