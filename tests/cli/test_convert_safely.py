"""`autograph-rs convert` on files of all kinds, on a full disk, interrupted and killed: nothing is lost."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from breadth import some
from cli_support import PATH, PROGRAM, ROOT, SECONDS, command
from convert_support import FUNCTION, below, is_converted, said

LINUX = sys.platform == "linux"


# Files of all kinds -------------------------------------------------------------------------------


@pytest.mark.skipif(not LINUX, reason="links, modes and bytes in names as Linux has them")
def test_one_bad_file_does_not_stop_the_rest(folder: Path) -> None:
    (folder / "pkg/bad.py").write_text("x = = 1\n")
    (folder / "pkg/binary.py").write_bytes(b"\x7fELF\0\0")
    (folder / "pkg/gone.py").symlink_to("nowhere.py")
    (folder / "pkg/loop").symlink_to(".")
    (folder / "pkg/loop.py").symlink_to("loop.py")
    (folder / "pkg/named.py").symlink_to("core.py")
    (folder / "pkg/outside.py").symlink_to("../script.py")
    (folder / "pkg/fixed.py").write_text(FUNCTION)
    (folder / "pkg/fixed.py").chmod(0o444)
    (folder / os.fsdecode(b"pkg/caf\xe9.py")).write_text(FUNCTION)
    os.mkfifo(folder / "pkg/pipe.py")
    (folder / "pkg/piped.py").symlink_to("pipe.py")
    done = command("convert", "pkg", "--in-place", cwd=folder)
    lines = said(done).splitlines()
    assert (done.returncode, done.stdout) == (3, b"")
    assert [re.sub(r"binary.py.*", "binary.py", line) for line in lines[:-1]] == [
        "pkg/bad.py:1:5: invalid syntax",
        "pkg/binary.py",
        "pkg/fixed.py: the file is read-only",
        "pkg/gone.py: No such file or directory",
        "pkg/loop.py: Too many levels of symbolic links",
        "pkg/outside.py: skipped: it links to a file outside the folder",
    ]
    assert lines[-1].startswith("4 converted, 1 unchanged, 1 skipped, 5 failed: 11 files")
    assert is_converted((folder / "pkg/core.py").read_bytes())
    assert is_converted((folder / os.fsdecode(b"pkg/caf\xe9.py")).read_bytes())
    assert (folder / "pkg/named.py").is_symlink()
    assert (folder / "script.py").read_text() == PROGRAM
    assert (folder / "pkg/fixed.py").read_text() == FUNCTION


def confined(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """A command that may read and write only what modes allow, whoever runs the tests."""
    prefix = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read and write anything")
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    return subprocess.run(
        [*prefix, sys.executable, "-m", "autograph_rs", *arguments],
        cwd=cwd, env=os.environ | {"PYTHONPATH": PATH}, capture_output=True, check=False, timeout=SECONDS,
    )  # fmt: skip


@pytest.mark.skipif(not LINUX, reason="modes as Linux has them")
def test_what_is_closed_is_reported_with_the_rest(folder: Path) -> None:
    """Files, folders that cannot be listed, and those whose files cannot be had."""
    for name, mode in (("listed", 0o444), ("shut", 0)):
        (folder / "pkg" / name).mkdir()
        (folder / "pkg" / name / "inner.py").write_text(FUNCTION)
        (folder / "pkg" / name).chmod(mode)
    (folder / "pkg/unread.py").write_text(FUNCTION)
    (folder / "pkg/unread.py").chmod(0)
    closed = [f"pkg/{name}: Permission denied" for name in ("unread.py", "listed/inner.py", "shut")]
    done = confined("convert", "pkg", "-o", "out", cwd=folder)
    assert (done.returncode, said(done).splitlines()[:-1]) == (3, closed)
    assert set(below(folder / "out")) >= {"pkg/core.py", "pkg/sub/__init__.py"}
    checked = confined("check", "pkg", cwd=folder)
    assert (checked.returncode, said(checked).splitlines()[:-1]) == (3, closed)
    named = confined("convert", "pkg/shut", "pkg/core.py", "pkg/unread.py", "--check", cwd=folder)
    assert (named.returncode, said(named).splitlines()[:-1]) == (
        3,
        ["pkg/shut: Permission denied", "pkg/core.py: would change", "pkg/unread.py: Permission denied"],
    )
    into = confined("convert", "script.py", "-o", "pkg/shut/made.py", cwd=folder)
    assert (into.returncode, said(into)) == (3, "pkg/shut/made.py: Permission denied\n")
    for name in ("listed", "shut"):
        (folder / "pkg" / name).chmod(0o755)


@pytest.mark.skipif(not LINUX, reason="a folder that is used stays elsewhere")
def test_a_working_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"rmdir {gone}; exec {sys.executable} -m autograph_rs check {tmp_path}"
    environ = os.environ | {"PYTHONPATH": ROOT}  # Python itself fails there where a path of it is relative
    done = subprocess.run(
        ["sh", "-c", script], cwd=gone, env=environ, capture_output=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout) == (3, b"")
    assert said(done) == "the working directory: No such file or directory\n"


def starting_with(first: str, *arguments: str | Path) -> list[str | Path]:
    """The command in a process that does something else first; a fork would warn where threads run."""
    return [sys.executable, "-c", f"{first}; from autograph_rs.cli import main; main()", *arguments]


def test_a_full_disk_leaves_the_old_files(folder: Path) -> None:
    """A limit on the size of files stands for it: each write ends in the middle."""
    limit = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (400, 400))"
    before = below(folder)
    done = subprocess.run(
        starting_with(limit, "convert", "script.py", "pkg", "--in-place"),
        cwd=folder, env=os.environ | {"PYTHONPATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 3
    assert "script.py: File too large\n" in said(done)
    assert below(folder) == before


# Ended in the middle ------------------------------------------------------------------------------

MANY = 20


@pytest.fixture(scope="module")
def before_and_after(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Files that take some time, as they are and as they become."""
    top = tmp_path_factory.mktemp("files")
    (top / "many").mkdir()
    body = "".join(f"    if x > {n}:\n        x = g{n}(x)  # so\n" for n in range(40))
    for number in range(MANY):
        (top / f"many/m{number:02}.py").write_text(f"def f(x):\n{body}    return x\n" * 2)
    command("convert", "many", "-o", "expected", cwd=top)
    return below(top / "many"), below(top / "expected")


@pytest.fixture
def many(
    tmp_path: Path, before_and_after: tuple[dict[str, bytes], dict[str, bytes]]
) -> tuple[Path, dict[str, bytes], dict[str, bytes]]:
    """A folder of such files, what is in it, and what becomes of that."""
    before, after = before_and_after
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path, before, after


SIGNALLING = """
import os, sys

steps, left, number, whom, again = FOUND

def hear(event, arguments):
    global left, again
    if event in steps and any(str(argument).startswith(FOLDER) for argument in arguments[:2]):
        left -= 1
        if left == 0 or left < 0 < again:
            again -= left < 0
            os.kill(os.getppid() if whom else 0, number)

sys.addaudithook(hear)
"""
"""Code that sends a signal from inside, at a step of what is written: no clock decides where it ends."""
RENAMES, STEPS = ("os.rename",), ("open", "os.link", "os.chmod", "os.rename", "os.remove")


@dataclass
class Signal:
    """Signal that a process sends to its group, or to its parent, before one of its steps.

    Args:
        number: the signal.
        at: the step in the folder before which it is sent, from 1.
        steps: the kinds of steps that count.
        to_parent: whether the parent gets it instead of the group.
        again: how many more follow, one at each of the next steps.
    """

    number: int
    at: int
    steps: tuple[str, ...] = RENAMES
    to_parent: bool = False
    again: int = 0


def in_place(folder: Path, *options: str, send: Signal | None = None) -> subprocess.Popen[bytes]:
    """The command, which heeds interrupts also where the tests, run in the background of a shell, do not."""
    heed = "import signal as s; s.signal(s.SIGINT, s.default_int_handler)"
    path = PATH
    if send is not None:
        site = Path(tempfile.mkdtemp(dir=folder.parent), "site")
        site.mkdir()
        found = repr((send.steps, send.at, int(send.number), send.to_parent, send.again))
        text = SIGNALLING.replace("FOUND", found).replace("FOLDER", repr(str(folder)))
        (site / "sitecustomize.py").write_text(text, encoding="utf-8")
        path = os.pathsep.join([str(site), PATH])
    return subprocess.Popen(
        starting_with(heed, "convert", folder, "--in-place", *options),
        env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


@pytest.mark.slow
def test_killed_at_any_moment(many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """Each file is as it was or as it becomes, and a later run does the rest."""
    folder, before, after = many
    moments = int(os.environ.get("AG_KILLS", some(2, 4)))
    chosen = random.Random(20)
    partly = 0
    for moment in range(moments):
        for name, data in before.items():
            (folder / name).write_bytes(data)
        if moment % 2:
            send = Signal(signal.SIGKILL, chosen.randrange(1, 4 * MANY), STEPS)
        else:
            send = Signal(signal.SIGKILL, chosen.randrange(2, MANY))
        process = in_place(folder, "-j", str(1 + moment % 2), send=send)
        process.communicate(timeout=SECONDS)
        assert process.returncode == -signal.SIGKILL
        now = below(folder)
        assert set(before) <= set(now)
        for name, data in now.items():
            assert data in ((before[name], after[name]) if name in before else after.values()), name
        partly += before != now != after
        for name in set(now) - set(before):
            (folder / name).unlink()
    assert partly
    last = in_place(folder)
    last.communicate(timeout=SECONDS)
    assert last.returncode == 0
    assert below(folder) == after


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted(jobs: str, many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """Ctrl-C ends it at once, in one line, with the exit code of shells; what was begun is whole."""
    folder, before, after = many
    process = in_place(folder, "-j", jobs, send=Signal(signal.SIGINT, 3))
    stdout, stderr = process.communicate(timeout=SECONDS)
    assert (process.returncode, stdout) == (130, b"")
    lines = stderr.decode().splitlines()
    assert lines[-1] == "interrupted: each file is either unchanged or converted"
    assert "Traceback" not in stderr.decode()
    now = below(folder)
    assert set(now) == set(before)
    assert all(data in (before[name], after[name]) for name, data in now.items())


def test_interrupted_again_and_again(many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """However often and early Ctrl-C comes, it ends, in the same line."""
    folder, _, _ = many
    for number in range(20, 40):
        shutil.copy(folder / "m00.py", folder / f"m{number}.py")
    process = in_place(folder, "-j", "2", send=Signal(signal.SIGINT, 1, STEPS, again=10))
    _, stderr = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert stderr.decode().splitlines()[-1] == "interrupted: each file is either unchanged or converted"
    assert b"Traceback" not in stderr


def test_processes_end_with_the_one_that_began_them(
    many: tuple[Path, dict[str, bytes], dict[str, bytes]],
) -> None:
    """A signal to the first process does not reach the others, which keep its output open until they end."""
    folder, _, _ = many
    for number in range(20, 40):
        shutil.copy(folder / "m00.py", folder / f"m{number}.py")
    process = in_place(folder, "-j", "2", send=Signal(signal.SIGTERM, 1, to_parent=True))
    process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGTERM
