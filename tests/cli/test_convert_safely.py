"""`autograph-rs convert` on files of all kinds, on a full disk, interrupted and killed: nothing is lost."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_support import PATH, PROGRAM, ROOT, command
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
        "pkg/fixed.py: is read-only",
        "pkg/gone.py: No such file or directory",
        "pkg/loop.py: Too many levels of symbolic links",
        "pkg/outside.py: left as it is: a link to a file outside of the folder",
    ]
    assert lines[-1].startswith("4 converted, 1 unchanged, 1 left, 5 failed: 11 files")
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
        cwd=cwd, env=os.environ | {"PYTHONPATH": PATH}, capture_output=True, check=False, timeout=60,
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
    done = subprocess.run(["sh", "-c", script], cwd=gone, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (3, b"")
    assert said(done) == "the working folder: No such file or directory\n"


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
        capture_output=True, check=False,
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


def in_place(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    """The command, which heeds interrupts also where the tests, run in the background of a shell, do not."""
    heed = "import signal as s; s.signal(s.SIGINT, s.default_int_handler)"
    return subprocess.Popen(
        starting_with(heed, "convert", folder, "--in-place", *options),
        env=os.environ | {"PYTHONPATH": PATH}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def changed(folder: Path, before: dict[str, bytes]) -> int:
    return sum(before.get(name) != data for name, data in below(folder).items())


def test_killed_at_any_moment(many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """Each file is as it was or as it becomes, and a later run does the rest."""
    folder, before, after = many
    moments = int(os.environ.get("AG_KILLS", "4"))
    chosen = random.Random(20)
    started = time.perf_counter()
    in_place(folder).communicate()
    whole = time.perf_counter() - started
    assert below(folder) == after
    partly = 0
    for moment in range(moments):
        for name, data in before.items():
            (folder / name).write_bytes(data)
        process = in_place(folder, "-j", str(1 + moment % 2))
        if moment % 2:
            time.sleep(chosen.uniform(0.1, 1.0) * whole)
        else:  # at some file, however fast the machine is just then
            changes = chosen.randrange(1, 4)
            while changed(folder, before) < changes and process.poll() is None:
                time.sleep(0.001)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        now = below(folder)
        assert set(before) <= set(now)
        for name, data in now.items():
            assert data in ((before[name], after[name]) if name in before else after.values()), name
        partly += before != now != after
        for name in set(now) - set(before):
            (folder / name).unlink()
    assert partly
    last = in_place(folder)
    last.communicate()
    assert last.returncode == 0
    assert below(folder) == after


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted(jobs: str, many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """Ctrl-C ends it at once, in one line, with the exit code of shells; what was begun is whole."""
    folder, before, after = many
    process = in_place(folder, "-j", jobs)
    while below(folder) == before:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    lines = stderr.decode().splitlines()
    assert lines[-1] == "interrupted: each file is as it was, or converted"
    assert "Traceback" not in stderr.decode()
    now = below(folder)
    assert set(now) == set(before)
    assert all(data in (before[name], after[name]) for name, data in now.items())


def test_interrupted_again_and_again(many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """However often and early Ctrl-C comes, it ends, in the same line."""
    folder, _, _ = many
    for number in range(20, 40):
        shutil.copy(folder / "m00.py", folder / f"m{number}.py")
    before = below(folder)
    process = in_place(folder, "-j", "2")
    while below(folder) == before:
        time.sleep(0.01)
    for _ in range(20):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.01)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.decode().splitlines()[-1] == "interrupted: each file is as it was, or converted"
    assert b"Traceback" not in stderr


def test_processes_end_with_the_one_that_began_them(
    many: tuple[Path, dict[str, bytes], dict[str, bytes]],
) -> None:
    """What ends the first of them does not reach the others: they hold its output open until they end."""
    folder, _, _ = many
    for number in range(20, 40):
        shutil.copy(folder / "m00.py", folder / f"m{number}.py")
    before = below(folder)
    process = in_place(folder, "-j", "2")
    while below(folder) == before:
        time.sleep(0.01)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
