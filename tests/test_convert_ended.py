"""`autograph-rs convert` ended in the middle: killed, interrupted, and what becomes of its processes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_support import PATH, command
from test_convert_many import below

MANY = 20


@pytest.fixture
def many(tmp_path: Path) -> tuple[Path, dict[str, bytes], dict[str, bytes]]:
    """A folder of files that take some time, as they are and as they become."""
    folder = tmp_path / "many"
    folder.mkdir()
    body = "".join(f"    if x > {n}:\n        x = g{n}(x)  # so\n" for n in range(40))
    for number in range(MANY):
        (folder / f"m{number:02}.py").write_text(f"def f(x):\n{body}    return x\n" * 2)
    command("convert", "many", "-o", "expected", "-j", "1", cwd=tmp_path)
    return folder, below(folder), below(tmp_path / "expected")


def in_place(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "autograph_rs", "convert", folder, "--in-place", *options],
        env=os.environ | {"PYTHONPATH": PATH}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def test_killed_at_any_moment(many: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """Each file is as it was or as it becomes, and a later run does the rest."""
    folder, before, after = many
    moments = int(os.environ.get("AG_KILLS", "6"))
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
        time.sleep(chosen.uniform(0.1, 1.0) * whole)
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
