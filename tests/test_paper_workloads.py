"""The workloads of `benchmarks/paper`: all programs of a row compute the same."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from backends.support import required

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def rows():
    """Return the module `paper.rows`, and leave nothing of the benchmarks importable by its short name."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("paper.rows")
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in [n for n in set(sys.modules) - before if n.partition(".")[0] == "paper"]:
            del sys.modules[name]


NAMES = ("rnn", "sgd", "beam_search", "lbfgs", "maml", "seq2seq", "treelstm")


@pytest.fixture
def page(rows, monkeypatch, tmp_path):
    """Return the module that writes the page, with a page of its own."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("page")
    monkeypatch.delitem(sys.modules, "page")
    monkeypatch.setattr(module, "PAGE", tmp_path / "benchmarks.md")
    return module


def close(first, second):
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("framework", ["graph", "jax", "tensorflow", "torch"])
def test_programs_agree(rows, framework, name):
    """The plain function, the converted one, and those written by hand have equal results."""
    if framework != "graph":
        required(framework)
    system = rows.load(framework)
    module = rows.WORKLOADS[name][0]
    for row in rows.programs(system, name, module.SMALL).values():
        expected, *others = (system.leaves(run()) for run in row.values())
        assert all(np.isfinite(leaf).all() for leaf in expected)
        for other in others:
            close(expected, other)


@pytest.mark.parametrize("name", NAMES)
def test_plain_numpy_agrees(rows, name):
    """Without HIPS autograd, the gradients of the plain function are those of this package."""
    system, module = rows.load("graph"), rows.WORKLOADS[name][0]
    given = rows.single(module.arguments(np.random.default_rng(3), **module.SMALL))
    close(system.leaves(module.program(system.xp)(*given)), system.leaves(system.BY_HAND[name](*given)))


def test_all_workloads_are_tested(rows):
    assert tuple(rows.WORKLOADS) == NAMES


def test_a_section_of_the_page_is_replaced(page):
    """The other sections stay as they are, and a missing section is added at the end."""
    titles = "# Benchmarks\n\nText.\n", page.section("run.py", [], "1"), page.section("gradients.py", [], "2")
    page.PAGE.write_text("\n".join(titles))
    page.replace_section("run.py", ["--rounds", "3"], "3")
    page.replace_section("paper", [], "4")
    sections = page.section("run.py", ["--rounds", "3"], "3"), titles[2], page.section("paper", [], "4")
    assert page.PAGE.read_text() == "\n".join([titles[0], *sections])
