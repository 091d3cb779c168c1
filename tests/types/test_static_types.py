"""What mypy and pyright make of code that uses the installed package."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import autograph_rs as ag
from autograph_rs import runtime

USER_CODE = Path(__file__).with_name("user_code.py")
LINES = USER_CODE.read_text(encoding="utf-8").splitlines()
REVEALED = {
    number: match[1]
    for number, line in enumerate(LINES, 1)
    if (match := re.search(r"reveal_type\(.*\)  # (.+)", line))
}
ERRORS = {number for number, line in enumerate(LINES, 1) if line.endswith("  # error")}


def required(checker: str) -> None:
    """Skip a test unless the checker and the package are installed; fail where both must be."""
    missing = ""
    if importlib.util.find_spec(checker) is None:
        missing = f"{checker} is not installed"
    elif not Path(sysconfig.get_path("purelib"), "autograph_rs/runtime/__init__.py").exists():
        missing = "the package is not installed, or only as a link to the checkout"
    if missing:
        assert not os.environ.get("AG_REQUIRE_BACKENDS"), missing
        pytest.skip(missing)


def run(folder: Path, *command: str) -> str:
    """Run a checker on the user's code, in a folder where no checkout hides the installed package."""
    shutil.copy(USER_CODE, folder)
    environment = {n: value for n, value in os.environ.items() if n not in ("MYPYPATH", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", *command, USER_CODE.name],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


Found = tuple[dict[int, str], dict[int, str]]


def mypy(folder: Path) -> Found:
    """The revealed types and the errors, by line."""
    output = run(folder, "mypy", "--strict", "--cache-dir", str(folder / "cache"), "--no-error-summary")
    revealed, errors = {}, {}
    for line in output.splitlines():
        match = re.match(r"user_code\.py:(\d+): (error|note): (.*)", line)
        assert match is not None, line
        number, kind, text = int(match[1]), match[2], match[3]
        if kind == "error":
            errors[number] = text
        elif text.startswith("Revealed type is "):
            revealed[number] = text.removeprefix("Revealed type is ").strip('"')
    return revealed, errors


def pyright(folder: Path) -> Found:
    """The revealed types and the errors, by line."""
    output = run(folder, "pyright", "--outputjson", "--pythonpath", sys.executable)
    revealed, errors = {}, {}
    for item in json.loads(output)["generalDiagnostics"]:
        number, text = item["range"]["start"]["line"] + 1, item["message"]
        if item["severity"] == "error":
            errors[number] = text
        elif match := re.fullmatch(r'Type of ".*" is "(.*)"', text, re.DOTALL):
            revealed[number] = match[1]
    return revealed, errors


def normalized(text: str) -> str:
    """A type without modules and values of defaults, with the parameters of a `Function` in brackets.

    >>> normalized('autograph_rs.functions.function.Function[[x: builtins.int, y: str =], float]')
    'Function[[x: int, y: str = ...], float]'
    >>> normalized('Function[(x: int, y: str = ""), float]')
    'Function[[x: int, y: str = ...], float]'
    >>> normalized('def (body: def (), x: int =)')
    '(body: () -> None, x: int = ...) -> None'
    """
    text = text.replace("Unknown", "Any")
    text = re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=\w)", "", text)
    text = re.sub(r" =(?: [^,)\]]+)?(?=[,)\]])", " = ...", text)
    while match := re.search(r"\bdef (?=\()", text):
        end = closing(text, match.end())
        result = "" if text.startswith(" -> ", end) else " -> None"
        text = text[: match.start()] + text[match.end() : end] + result + text[end:]
    while match := re.search(r"Function\[(?=\()", text):
        end = closing(text, match.end())
        text = f"{text[: match.end()]}[{text[match.end() + 1 : end - 1]}]{text[end:]}"
    return text


def closing(text: str, start: int) -> int:
    """The position after the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] in "([") - (text[index] in ")]")
        if not depth:
            return index + 1
    raise ValueError(text)


@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
def test_user_code(checker, tmp_path):
    """A checker shows the types in the comments, and reports the marked lines and no others."""
    required(checker.__name__)
    revealed, errors = checker(tmp_path)
    assert {number: normalized(text) for number, text in revealed.items()} == REVEALED
    assert {number: errors[number] for number in errors.keys() - ERRORS} == {}
    assert {number: LINES[number - 1] for number in ERRORS - errors.keys()} == {}


def test_the_user_code_says_enough():
    """So many types and wrong calls are compared."""
    assert len(REVEALED) >= 40
    assert len(ERRORS) >= 15


def test_public_names_have_types():
    """The names that type checkers see are those that the package loads on first use."""
    text = Path(ag.__file__).read_text(encoding="utf-8")
    declared = set(re.findall(r"^    from \S+ import (\w+) as \1\b", text, re.MULTILINE))
    assert declared == set(ag.__all__)
    for module, name in re.findall(r"^    from (\S+) import (\w+) as \2\b", text, re.MULTILINE):
        assert getattr(importlib.import_module(module, ag.__name__), name) is getattr(ag, name)


def test_operators_have_types():
    """The exported names of the runtime, which type checkers read as text, are its operators and more."""
    assert set(runtime.OPERATORS) < set(runtime.__all__)
    assert all(hasattr(runtime, name) for name in runtime.__all__)
