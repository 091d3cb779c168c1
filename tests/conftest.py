"""Fixtures and hooks for all tests: import path, golden files, xdist, missing frameworks, graphs, caches."""

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
from convert_support import folder  # noqa: F401 - a fixture, importable only after the path is set


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/cases/*.golden from to_code")
    parser.addoption("--slow", action="store_true", help="run the tests that are marked slow, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(module): the test requires this optional module")
    config.addinivalue_line(
        "markers", "slow: the test takes seconds; it runs with --slow, or when it is named"
    )
    if config.getoption("--update-golden") and config.getoption("numprocesses", 0):
        raise pytest.UsageError("--update-golden excludes -n, because several tests write the same file")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Unless `--dist` is given, run consecutive tests in one process, which share their file's fixtures."""
    if config.getoption("dist") != "load":
        return None  # use the scheduler that the user selected
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_modifyitems(config, items):
    """Deselect slow tests, unless they are asked for, and those that need a missing framework.

    Of the latter, keep one in each file, which is skipped with that reason. If AG_REQUIRE_BACKENDS is set,
    keep all of them, so that they fail.
    """
    if not config.getoption("--slow") and not any("::" in argument for argument in config.args):
        deselect(config, items, [item for item in items if item.get_closest_marker("slow")])
    if os.environ.get("AG_REQUIRE_BACKENDS"):
        return
    seen, dropped = set(), []
    for item in items:
        missing = {(item.path, name) for name in needs(item) if importlib.util.find_spec(name) is None}
        if missing and missing <= seen:
            dropped.append(item)
        seen |= missing
    deselect(config, items, dropped)


def deselect(config, items, dropped):
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        unwanted = set(dropped)
        items[:] = [item for item in items if item not in unwanted]


FRAMEWORKS = {
    "jax", "tensorflow", "torch", "pytensor", "onnx", "onnxruntime", "onnxscript", "llvmlite", "polars",
}  # fmt: skip


def needs(item: pytest.Item) -> Iterator[str]:
    """Yield the modules that a test requires, named by its `needs` marks or by framework parameters."""
    for mark in item.iter_markers("needs"):
        yield from mark.args
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        for value in item.callspec.params.values():
            name = getattr(value, "framework", value)
            if isinstance(name, str) and name in FRAMEWORKS:
                yield name


@pytest.fixture(scope="session", autouse=True)
def _own_native_cache(tmp_path_factory):
    """Keep machine code that tests compile out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRAPH_RS_CACHE", str(tmp_path_factory.mktemp("native")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _verified_graphs():
    """Verify every graph before and after it is optimised and, in a full run, after each optimisation."""

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
