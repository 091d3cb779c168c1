"""Fenced blocks of the documents: how each is classified and run.

The language of a block and the comments directly before it, which pages do not show, determine its kind:

    <!-- needs: jax -->                       a block that runs only if JAX is installed
    <!-- file: model.py -->                   a file in the folder that the page's commands run in
    <!-- raises: TypeError -->                a program that must raise this error
    <!-- exits: 1 -->                         commands that must exit with this code
    <!-- picture -->                          text that is not the output of a program
    <!-- tested: tests/test_x.py::test_y -->  a block that this test runs

Blocks run in order. The programs and sessions of a page share one namespace, and its commands one folder.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import linecache
import os
import re
import shutil
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cli_support
from test_house import ROOT

OPTIONS = doctest.ELLIPSIS
COMMENT = re.compile(r"<!-- (needs|file|raises|exits|picture|tested)(?:: (.*))? -->")
MARKS = re.compile(r"^ *[~^]+ *\n", re.MULTILINE)
KINDS = {"python": ("session", "program", "file"), "toml": ("file",), "console": ("commands",),
         "sh": ("commands",), "text": ("output", "picture"), "json": ()}  # fmt: skip
NOT_RUN = {  # prefixes of commands that the tests do not run, and where they are run instead
    "python -m pip install": ".ci/run, in a fresh environment",
}


@dataclass(frozen=True)
class Fence:
    document: Path
    line: int  # the number of its first line of text
    language: str
    text: str
    says: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{os.path.relpath(self.document, ROOT)}:{self.line}"

    @property
    def kind(self) -> str:
        """The kind of the block, which selects the method of `Run` that handles it."""
        for said in ("file", "picture", "tested"):
            if said in self.says:
                return said
        if self.language == "python":
            return "session" if self.text.startswith(">>> ") else "program"
        return {"text": "output", "console": "commands", "sh": "commands"}.get(self.language, "nothing")

    def commands(self) -> Iterator[tuple[str, str | None]]:
        """Yield each command with its expected output, or None if any output is accepted."""
        if self.language == "sh":
            yield from ((line.split("  #")[0].strip(), None) for line in self.text.splitlines() if line)
            return
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def fences(document: Path) -> list[Fence]:
    """Return the fenced blocks of a document, in order."""
    found: list[Fence] = []
    opened: tuple[int, str] | None = None
    lines = document.read_text(encoding="utf-8").splitlines()
    says: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if opened is None and line.startswith("```"):
            opened = number + 1, line[3:]
        elif line == "```" and opened is not None:
            first, language = opened
            text = "".join(f"{line}\n" for line in lines[first - 1 : number - 1])
            found.append(Fence(document, first, language, text, says))
            opened, says = None, {}
        elif opened is None:
            comment = COMMENT.fullmatch(line)
            says = says | {comment[1]: comment[2] or ""} if comment else says if not line else {}
    assert opened is None, f"{document}: a fenced block is not closed"
    return found


def fault(fence: Fence, before: Fence | None, after: list[Fence]) -> str | None:
    """Return why a block would not be run or its text not be compared, or None if it is handled."""
    if fence.language not in KINDS:
        return f"blocks in the language {fence.language!r} are not supported"
    if fence.kind == "tested":
        file, _, test = fence.says["tested"].partition("::")
        known = (ROOT / file).is_file() and f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")
        return None if known else f"there is no test {fence.says['tested']}"
    if fence.kind not in KINDS[fence.language]:
        return f"a block of the kind {fence.kind!r} cannot be in the language {fence.language!r}"
    if fence.kind == "output" and (before is None or before.kind not in ("program", "tested")):
        return "no program precedes this output"
    if fence.kind == "file" and not any(fence.says["file"] in f.text for f in after if f.kind == "commands"):
        return "no command uses the file" if fence.language != "toml" else None
    return None


def faults(document: Path) -> list[str]:
    """Return a message for each block or example of a document that would not be tested."""
    found = fences(document)
    befores = [None, *found]
    said = [(fence, fault(fence, befores[at], found[at + 1 :])) for at, fence in enumerate(found)]
    lines = document.read_text(encoding="utf-8").splitlines()
    inside = {fence.line + at for fence in found for at in range(-1, fence.text.count("\n") + 1)}
    hidden = [
        f"{document.name}:{number}: an example or fence that is not at the top level of the page"
        for number, line in enumerate(lines, 1)
        if number not in inside and re.match(r"\s*>>> |\s+```|\s*~~~|\s*>\s*```", line)
    ]
    return [f"{fence.place}: {why}" for fence, why in said if why] + hidden


class Run:
    """One run of the blocks of a page, in order."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed: str | None = None  # the output of the last program, until it has been compared
        self._tools = folder / "bin"

    def run(self, fence: Fence) -> None:
        if self.printed and fence.kind != "output":
            raise AssertionError(f"{fence.place}: the preceding program prints\n{self.printed}")
        getattr(self, f"_{fence.kind}")(fence)

    def end(self) -> None:
        assert not self.printed, f"a program prints what the page does not show:\n{self.printed}"

    def _session(self, fence: Fence) -> None:
        test = doctest.DocTestParser().get_doctest(fence.text, self.names, fence.place, None, fence.line - 1)
        test.globs = self.names
        report: list[str] = []
        results = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append, clear_globs=False)
        for number, example in enumerate(test.examples):  # a later block may convert its functions
            _remember(f"<doctest {test.name}[{number}]>", example.source)
        assert results.failed == 0, "".join(report)

    def _program(self, fence: Fence) -> None:
        _remember(f"<{fence.place}>", fence.text)
        out = io.StringIO()
        error = None
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(fence.text, f"<{fence.place}>", "exec"), self.names)
            except Exception as raised:
                error = raised
        expected = fence.says.get("raises")
        if error is not None and type(error).__name__ != expected:
            raise error
        assert (error is None) == (expected is None), f"{fence.place}: no {expected} was raised"
        said = "" if error is None else "".join(traceback.format_exception_only(error))
        self.printed = out.getvalue() + said

    def _output(self, fence: Fence) -> None:
        assert same(fence.text, self.printed or ""), f"{fence.place}: the program prints\n{self.printed}"
        self.printed = None

    def _file(self, fence: Fence) -> None:
        if fence.language == "python":
            ast.parse(fence.text)
        else:
            tomllib.loads(fence.text)
        file = self.folder / fence.says["file"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(fence.text, encoding="utf-8")

    def _commands(self, fence: Fence) -> None:
        code = int(fence.says.get("exits", "0"))
        for command, expected in fence.commands():
            if any(command.startswith(start) for start in NOT_RUN):
                continue
            done = self._shell(command)
            printed = done.stdout + done.stderr
            assert done.returncode == code, (
                f"{fence.place}: {command}\nends with {done.returncode}\n{printed}"
            )
            if expected is not None:
                assert same(expected, printed), f"{fence.place}: {command}\nprints\n{printed}"

    def _shell(self, command: str) -> subprocess.CompletedProcess[str]:
        if not self._tools.exists():
            self._tools.mkdir()
            tool = self._tools / "autograph-rs"
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m autograph_rs "$@"\n')
            tool.chmod(0o755)
            shutil.copytree(ROOT / "examples", self.folder / "examples", dirs_exist_ok=True)
        path = os.pathsep.join([str(self._tools), str(Path(sys.executable).parent), os.environ["PATH"]])
        environ = os.environ | {"PATH": path, "PYTHONPATH": cli_support.PATH, "COLUMNS": "120"}
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environ, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip

    def _nothing(self, fence: Fence) -> None:
        raise AssertionError(f"{fence.place}: blocks in the language {fence.language!r} are not supported")

    def _picture(self, fence: Fence) -> None:
        pass

    def _tested(self, fence: Fence) -> None:
        pass


def same(expected: str, printed: str) -> bool:
    """Return whether the output matches the expected text, in which `...` matches anything."""
    if sys.version_info >= (3, 13):  # tracebacks also mark a call that is a whole line
        expected, printed = (MARKS.sub("", text) for text in (expected, printed))
    return doctest.OutputChecker().check_output(expected, printed, OPTIONS)


def _remember(name: str, text: str) -> None:
    """Make the source of functions that a page defines available to `inspect`."""
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name


def run_document(document: Path, folder: Path, framework: str | None = None) -> dict[str, Any]:
    """Run the blocks of a page that need no framework, and those that need `framework`; return its names."""
    run = Run(folder)
    for fence in fences(document):
        if fence.says.get("needs") in (None, framework):
            run.run(fence)
    run.end()
    return run.names


def frameworks(document: Path) -> list[Any]:
    """Return the frameworks that blocks of a page need, preceded by None for blocks without one."""
    return [None, *sorted({fence.says["needs"] for fence in fences(document) if "needs" in fence.says})]
