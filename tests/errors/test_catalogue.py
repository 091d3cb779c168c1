"""Every wrong program of `programs/`: its message, the line it names, and the program repaired."""

from __future__ import annotations

import re

import pytest
from backends.support import required
from catalogue import (
    Program,
    is_equal,
    named_line,
    own_frames,
    programs,
    text_of,
    without_graphs,
)

import autograph_rs as ag

# With its scope, the tests of one program follow each other, so that it runs once, whatever process has it.
each_program = pytest.mark.parametrize(
    "program", [pytest.param(p, id=p.file.stem) for p in programs()], scope="module"
)


@pytest.fixture(autouse=True)
def _framework(request: pytest.FixtureRequest) -> None:
    program = request.node.callspec.params.get("program") if hasattr(request.node, "callspec") else None
    if program is not None and program.framework:
        required(program.framework)


@each_program
def test_message(program: Program, request: pytest.FixtureRequest) -> None:
    """The text is the one that was reviewed; --update-golden rewrites it."""
    said = text_of(program.error())
    if request.config.getoption("--update-golden"):
        program.golden.write_text(said, encoding="utf-8")
    assert program.golden.exists(), f"{program.golden.name} is missing: --update-golden"
    assert said == program.golden.read_text(encoding="utf-8")


@each_program
def test_is_complete(program: Program) -> None:
    """An error names its line, with no frame of ours; one of ours has a reason, a remedy and a page."""
    error = program.error()
    assert program.marked, "no line is marked"
    assert named_line(error) in program.marked
    assert own_frames(error) == []
    if isinstance(error, ag.AutographError):
        assert error.why
        assert error.remedy
        assert getattr(ag, type(error).__name__) is type(error)
    assert not re.search(r"\bag__[.\w]|\b0x[0-9a-f]{6,}|<object object|runtime\.\w+", text_of(error))


@pytest.mark.slow
@each_program
def test_repaired(program: Program) -> None:
    """The program works after applying the remedy, staged and in plain Python."""
    module = program.load()
    assert is_equal(module.repaired(), module.EXPECTED)
    if not hasattr(module, "PLAIN"):
        with without_graphs(program.framework):
            assert is_equal(program.load().repaired(), module.EXPECTED)


def test_golden_files_have_no_strays() -> None:
    """A golden file whose program is gone is deleted with it."""
    known = {program.golden.name for program in programs()}
    folder = programs()[0].file.parent
    assert {file.name for file in folder.glob("*.txt")} == known


def test_there_are_enough_programs() -> None:
    assert len(programs()) >= 60
