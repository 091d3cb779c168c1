"""Wrong programs, each with the message that its author gets and with the program repaired.

A *program* is a file of `programs/`, written as a user would write it. It has

    def wrong():        # called without arguments, raises
        ...  # <-- here    the line that the error has to name; several lines if it may be any of them
    def repaired():     # what the remedy of the message makes of it
        ...
    EXPECTED = ...      # what `repaired` gives
    PLAIN = "reason"    # only where the repaired program gives another value, or none, without a graph
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import re
import tempfile
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import autograph_rs as ag
from autograph_rs.runtime.debugging.tracebacks import internal_files
from autograph_rs.runtime.staging import loop_unrolling

FOLDER = Path(__file__).parent / "programs"
HERE = "# <-- here"
FEW_ROUNDS = 97
"""After as many rounds a Python loop counts as endless here; what is said of it has the number of users."""


@dataclass(frozen=True)
class Program:
    """A wrong program, and what is said of it."""

    file: Path

    @property
    def golden(self) -> Path:
        return self.file.with_suffix(".txt")

    @cached_property
    def source(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @property
    def framework(self) -> str:
        """The framework that the program needs, if any."""
        found = re.match(r"# needs: (\w+)", self.source)
        return found[1] if found else ""

    @property
    def marked(self) -> list[int]:
        """The lines that the error may name."""
        return [n for n, line in enumerate(self.source.splitlines(), 1) if HERE in line]

    def load(self) -> types.ModuleType:
        """The program's module, made anew."""
        spec = importlib.util.spec_from_file_location(f"wrong_{self.file.stem}", self.file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @functools.cache  # noqa: B019 - one run serves all tests
    def error(self) -> BaseException:
        """Return the error that the faulty program raises."""
        try:
            with mock.patch.object(loop_unrolling, "MAX_UNROLLED", FEW_ROUNDS):
                self.load().wrong()
        except Exception as error:
            return error
        raise AssertionError(f"{self.file.name} raised nothing")


def programs() -> list[Program]:
    """All programs, by name."""
    return [Program(file) for file in sorted(FOLDER.glob("*.py"))]


def text_of(error: BaseException) -> str:
    """An error's class, text and note of ours, with the files of programs by their names alone."""
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith("while this was staged:")]
    said = "\n".join([f"{name}: {error}", *notes, ""]).replace(str(FOLDER) + os.sep, "")
    said = said.replace(
        f" within {FEW_ROUNDS} iterations", f" within {loop_unrolling.MAX_UNROLLED} iterations"
    )
    said = said.replace(" -h' for help", " --help' for help")  # which of the two depends on click's version
    return re.sub(re.escape(tempfile.gettempdir()) + r"[/\\]tmp\w+[/\\]", "", said)


def named_line(error: BaseException) -> int | None:
    """The line that an error names: its place, or where a traceback ends in the program.

    The place may be in a text that the program makes; then it is the traceback that names the program's line.
    """
    place = getattr(error, "place", None)
    if place is not None and Path(place.file).parent == FOLDER:
        return place.line
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent == FOLDER]
    return frames[-1].lineno if frames else None


def own_frames(error: BaseException) -> list[str]:
    """Frames of this package in the tracebacks of an error and of what led to it."""
    found: list[str] = []
    seen: BaseException | None = error
    while seen is not None:
        found += [
            f.filename for f in traceback.extract_tb(seen.__traceback__) if f.filename in internal_files()
        ]
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return found


@contextlib.contextmanager
def without_graphs(framework: str) -> Iterator[None]:
    """Everything runs in plain Python."""
    ag.run_functions_eagerly(True)
    try:
        with _disabled(framework):
            yield
    finally:
        ag.run_functions_eagerly(False)


@contextlib.contextmanager
def _disabled(framework: str) -> Iterator[None]:
    if framework == "jax":
        with importlib.import_module("jax").disable_jit():
            yield
    elif framework == "tensorflow":
        eagerly: Callable[[bool], None] = importlib.import_module("tensorflow").config.run_functions_eagerly
        eagerly(True)
        try:
            yield
        finally:
            eagerly(False)
    else:
        yield


def is_equal(first: Any, second: Any) -> bool:
    """Return whether a result equals the expected one, including arrays in structures."""
    if isinstance(second, (tuple, list)):
        return len(first) == len(second) and all(map(is_equal, first, second))
    if isinstance(second, (str, type(None), dict, set)):
        return first == second
    return np.allclose(np.asarray(first), np.asarray(second), equal_nan=True)
