"""`autograph-rs` in a terminal, and in a pipe: a progress bar and colours are for people."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import PATH, command

FUNCTION = "def f(x):\n    if x:\n        x = 1\n    return x\n"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(12):
        (tmp_path / f"m{number:02}.py").write_text(FUNCTION * 20)
    return tmp_path


def in_terminal(*arguments: str, cwd: Path, **environment: str) -> tuple[int, str]:
    """The exit code of a command whose three streams are a terminal, and all that it shows."""
    ours, theirs = pty.openpty()
    environ = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    environ |= {"PYTHONPATH": PATH, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen(
        [sys.executable, "-m", "autograph_rs", *arguments],
        cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=environ | environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while select.select([ours], [], [], 300)[0] and (chunk := os.read(ours, 1 << 16)):
            shown += chunk
    except OSError:  # Linux says so when nobody has the other end any more
        pass
    os.close(ours)
    return process.wait(timeout=300), shown.decode()


def test_a_progress_bar_counts_files(folder: Path) -> None:
    """It is gone at the end; what went wrong, and the summary, remain."""
    (folder / "m05.py").write_text("x = = 1\n")
    code, shown = in_terminal("convert", ".", "-o", "out", cwd=folder)
    assert code == 3
    assert re.search(r"files .*\d+/12", ESCAPE.sub("", shown))
    assert "\x1b[31mm05.py:1:5: invalid syntax\x1b[0m" in shown
    last = ESCAPE.sub("", shown).strip().splitlines()[-1]
    assert re.fullmatch(r"11 converted, 1 failed: 12 files in [\d.]+ s \([\d.]+ files/s\)", last)


def test_quiet_in_a_terminal(folder: Path) -> None:
    assert in_terminal("convert", ".", "-o", "out", "--quiet", cwd=folder) == (0, "")


def test_one_file_needs_no_bar(folder: Path) -> None:
    assert in_terminal("convert", "m00.py", "-o", "made.py", cwd=folder)[1].strip() == ""


@pytest.mark.slow
def test_a_difference_is_coloured(folder: Path) -> None:
    """Unless the user wants none, or something else reads it; the text is the same."""
    code, shown = in_terminal("convert", "m00.py", "--diff", cwd=folder)
    assert code == 0
    assert "\x1b[32m+from autograph_rs import runtime as ag__\x1b[0m" in shown
    piped = command("convert", "m00.py", "--diff", cwd=folder).stdout.decode()
    assert "\x1b" not in piped
    assert ESCAPE.sub("", shown).replace("\r\n", "\n") == piped
    assert "\x1b[3" not in in_terminal("convert", "m00.py", "--diff", cwd=folder, NO_COLOR="1")[1]


def test_a_pipe_gets_plain_lines(folder: Path) -> None:
    (folder / "m05.py").write_text("x = = 1\n")
    done = command("convert", ".", "-o", "out", cwd=folder)
    first, last = done.stderr.decode().splitlines()
    assert (done.stdout, first) == (b"", "m05.py:1:5: invalid syntax")
    assert last.startswith("11 converted, 1 failed: 12 files in ")


def test_a_reader_that_has_enough(folder: Path) -> None:
    """`autograph-rs convert ... | head` ends without a traceback."""
    process = subprocess.Popen(
        [sys.executable, "-m", "autograph_rs", "convert", "m00.py", "--stdout"],
        cwd=folder, env=os.environ | {"PYTHONPATH": PATH}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    assert process.communicate(timeout=300)[1] == b""
    assert process.returncode == 3


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full is Linux's")
@pytest.mark.parametrize(
    "arguments", ["convert m00.py --stdout", "check m00.py", "explain m00.py", "code m00.py:f", "--help"]
)
def test_output_that_cannot_be_written(arguments: str, folder: Path) -> None:
    """One line, and the exit code of a failure."""
    (folder / "m00.py").write_text("def f(xs):\n    return {x for x in xs}\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "autograph_rs", *arguments.split()], cwd=folder, check=False,
            env=os.environ | {"PYTHONPATH": PATH}, stdout=full, stderr=subprocess.PIPE, timeout=300,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (3, b"standard output: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_of_words(shell: str, tmp_path: Path) -> None:
    """The shell's own script, and what it asks for."""
    variable = "_AUTOGRAPH_RS_COMPLETE"
    script = (
        "import sys; from autograph_rs.cli import main; sys.argv[0] = 'autograph-rs';"
        "main(prog_name='autograph-rs')"
    )
    run = [sys.executable, "-c", script]
    environ = os.environ | {"PYTHONPATH": PATH}
    source = subprocess.run(
        run, env=environ | {variable: f"{shell}_source"}, capture_output=True, check=False, cwd=tmp_path,
        timeout=300,
    )  # fmt: skip
    if shell == "bash" and b"Couldn't detect Bash version" in source.stderr:
        pytest.skip("there is no bash")
    assert variable.encode() in source.stdout
    words = {"COMP_WORDS": "autograph-rs convert --in", "COMP_CWORD": "--in" if shell == "fish" else "2"}
    asked = subprocess.run(
        run, env=environ | words | {variable: f"{shell}_complete"}, capture_output=True, check=False,
        cwd=tmp_path, timeout=300,
    )  # fmt: skip
    assert b"--in-place" in asked.stdout
    assert b"--include" in asked.stdout
