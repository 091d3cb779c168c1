"""`autograph-rs convert` on folders and packages: where files go, what is said, and that nothing is lost."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import PATH, ROOT, command, python
from test_cli import PROGRAM

FUNCTION = "def f(x):\n    if x:\n        x = 1\n    return x\n"
LINUX = sys.platform == "linux"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package with a subpackage, data, and what is not converted; a script beside it."""
    files = {
        "script.py": PROGRAM,
        "pkg/__init__.py": '"""A package."""\n',
        "pkg/core.py": FUNCTION,
        "pkg/table.json": "{}",
        "pkg/sub/__init__.py": FUNCTION,
        "pkg/sub/test_core.py": FUNCTION,
        "pkg/__pycache__/core.cpython.pyc": "no",
        ".hidden/secret.py": FUNCTION,
        "environment/pyvenv.cfg": "",
        "environment/lib.py": FUNCTION,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def below(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def is_converted(data: bytes) -> bool:
    return b"ag__.if_stmt(" in data and data.startswith(b"# Made by autograph_rs ")


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode()


# Where files go -----------------------------------------------------------------------------------


def test_a_package_keeps_its_name_and_its_data(folder: Path) -> None:
    """So the folder of the output takes the place of that of the input on the path."""
    done = command("convert", "pkg", "-o", "out", cwd=folder)
    assert (done.returncode, done.stdout) == (0, b"")
    made = below(folder / "out")
    assert set(made) == {f"pkg/{n}" for n in ("__init__.py", "core.py", "table.json")} | {
        "pkg/sub/__init__.py",
        "pkg/sub/test_core.py",
    }
    assert is_converted(made["pkg/core.py"])
    assert made["pkg/__init__.py"] == b'"""A package."""\n'
    ran = python("-c", "import pkg.core; print(pkg.core.f(2), pkg.__file__)", cwd=folder / "out")
    assert ran.stdout.split()[0] == b"1"
    assert re.match(r"3 converted, 1 unchanged, 1 copied: 5 files in \d", said(done))


def test_a_folder_that_is_no_package(folder: Path) -> None:
    """Its files go right below DIR; hidden folders, caches, environments and DIR itself are not entered."""
    command("convert", ".", "-o", "out", cwd=folder)
    once = below(folder / "out")
    assert set(once) == {"script.py", *(name for name in once if name.startswith("pkg/"))}
    assert len(once) == 6
    done = command("convert", ".", "-o", "out", cwd=folder)
    assert (done.returncode, below(folder / "out")) == (0, once)


def test_files_are_put_beside_each_other(folder: Path) -> None:
    done = command("convert", "script.py", "pkg/core.py", "-o", "out", cwd=folder)
    assert (done.returncode, set(below(folder / "out"))) == (0, {"script.py", "core.py"})


def test_in_place(folder: Path) -> None:
    """A second time changes nothing, not even the times of files."""
    before = below(folder)
    assert command("convert", ".", "--in-place", cwd=folder).returncode == 0
    after = below(folder)
    assert set(after) == set(before)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"script.py", "pkg/core.py", "pkg/sub/__init__.py", "pkg/sub/test_core.py"}
    times = {name: (folder / name).stat().st_mtime_ns for name in after}
    again = command("convert", ".", "--in-place", cwd=folder)
    assert (again.returncode, below(folder)) == (0, after)
    assert times == {name: (folder / name).stat().st_mtime_ns for name in after}
    assert said(again).startswith("5 unchanged: 5 files")


def test_stdout_has_one_file_after_another(folder: Path) -> None:
    done = command("convert", "pkg/core.py", "script.py", "--stdout", cwd=folder)
    parts = [command("convert", name, "--stdout", cwd=folder).stdout for name in ("pkg/core.py", "script.py")]
    assert (done.returncode, done.stdout) == (0, b"".join(parts))


def test_include_and_exclude(folder: Path) -> None:
    """Globs are compared with paths below the folder, with folders on the way, and with names."""

    def converted(*options: str) -> set[str]:
        done = command("convert", ".", "--check", *options, cwd=folder)
        return {line.partition(":")[0] for line in said(done).splitlines() if "would change" in line}

    everything = {"script.py", "pkg/core.py", "pkg/sub/__init__.py", "pkg/sub/test_core.py"}
    assert converted() == everything
    assert converted("--exclude", "test_*.py") == everything - {"pkg/sub/test_core.py"}
    assert converted("--exclude", "sub") == {"script.py", "pkg/core.py"}
    assert converted("--exclude", "pkg/sub/*", "--exclude", "script.py") == {"pkg/core.py"}
    assert converted("--include", "pkg") == everything - {"script.py"}
    assert converted("--include", "pkg/*", "--exclude", "core.py") == everything - {
        "script.py",
        "pkg/core.py",
    }
    named = command("convert", "script.py", "--check", "--exclude", "script.py", cwd=folder)
    assert named.returncode == 1


def test_what_is_excluded_is_copied_with_its_package(folder: Path) -> None:
    command("convert", "pkg", "-o", "out", "--exclude", "test_*", cwd=folder)
    assert (folder / "out/pkg/sub/test_core.py").read_text() == FUNCTION


# Without writing ----------------------------------------------------------------------------------


def test_check(folder: Path) -> None:
    """1 where something would change, 0 where nothing would; nothing is written."""
    before = below(folder)
    done = command("convert", ".", "--check", cwd=folder)
    assert (done.returncode, done.stdout, below(folder)) == (1, b"", before)
    assert "pkg/core.py: would change\n" in said(done)
    command("convert", ".", "--in-place", cwd=folder)
    assert command("convert", ".", "--check", cwd=folder).returncode == 0
    assert command("convert", "-", "--check", cwd=folder, data=FUNCTION.encode()).returncode == 1
    assert command("convert", "-", "--check", cwd=folder, data=b"x = 1\n").returncode == 0


def test_check_of_an_output(folder: Path) -> None:
    """Whether what is in DIR is still what the input becomes."""
    arguments = ("convert", "pkg", "-o", "out")
    assert command(*arguments, "--check", cwd=folder).returncode == 1
    assert not (folder / "out").exists()
    command(*arguments, cwd=folder)
    assert command(*arguments, "--check", cwd=folder).returncode == 0
    (folder / "pkg/core.py").write_text(FUNCTION + "\n")
    assert command(*arguments, "--check", cwd=folder).returncode == 1


def test_diff(folder: Path) -> None:
    """The difference applied to the input is the output."""
    before = below(folder)
    done = command("convert", "pkg/core.py", "script.py", "--diff", cwd=folder)
    assert (done.returncode, below(folder)) == (0, before)
    patch = shutil.which("patch")
    if patch is None:
        assert done.stdout.startswith(b"--- pkg/core.py\n+++ pkg/core.py\n")
    else:
        subprocess.run([patch, "-p0", "--quiet"], cwd=folder, input=done.stdout, check=True)
        expected = command("convert", "script.py", "--stdout", cwd=folder)
        assert is_converted((folder / "pkg/core.py").read_bytes())
        assert expected.stdout == (folder / "script.py").read_bytes()
    assert command("convert", "pkg", "--diff", "--check", cwd=folder).returncode == 1


# What is said -------------------------------------------------------------------------------------


def test_quiet_and_verbose(folder: Path) -> None:
    (folder / "pkg/bad.py").write_text("def f(:\n")
    quiet = command("convert", "pkg", "-o", "out", "--quiet", cwd=folder)
    assert (quiet.returncode, said(quiet)) == (3, "pkg/bad.py:1:7: invalid syntax\n")
    verbose = said(command("convert", "pkg", "-o", "out", "--verbose", cwd=folder)).splitlines()
    assert "pkg/core.py: converted" in verbose
    assert "pkg/__init__.py: unchanged" in verbose
    assert "pkg/table.json: copied" in verbose


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("pkg", "say where to"),
        ("pkg -o out --in-place", "--output and --in-place exclude each other"),
        ("pkg --stdout --diff", "exclude each other"),
        ("pkg -o out -q -v", "exclude each other"),
        ("- --in-place", "standard input"),
        ("- -o out", "standard input has no name"),
        ("pkg --in-place --source-map", "--source-map needs --output"),
        ("pkg -o script.py", "script.py is no folder"),
        ("pkg/core.py pkg/sub/../core.py pkg/sub/__init__.py pkg/__init__.py -o out", "would both become"),
        ("pkg -o .", "is the input itself"),
        ("pkg -o out --jobs 0", "jobs"),
    ],
)
def test_wrong_usage(arguments: str, words: str, folder: Path) -> None:
    before = below(folder)
    done = command("convert", *arguments.split(), cwd=folder)
    assert (done.returncode, done.stdout, below(folder)) == (2, b"", before)
    assert words in said(done)


def test_several_processes_do_what_one_does(tmp_path: Path) -> None:
    """The same files, the same order of messages."""
    (tmp_path / "src").mkdir()
    for number in range(40):
        text = "def f(:\n" if number % 10 == 7 else FUNCTION.replace("f(", f"f{number}(")
        (tmp_path / f"src/m{number:02}.py").write_text(text)
    one, two = (
        command("convert", "src", "-o", f"out{n}", "-j", str(n), "--verbose", cwd=tmp_path) for n in (1, 2)
    )
    assert one.returncode == two.returncode == 3
    assert said(one).splitlines()[:-1] == said(two).splitlines()[:-1]
    assert below(tmp_path / "out1") == below(tmp_path / "out2")
    assert len(below(tmp_path / "out1")) == 36


# Settings -----------------------------------------------------------------------------------------


def test_settings_of_the_project(folder: Path) -> None:
    """The nearest `pyproject.toml` counts, and an option that is given counts more."""
    (folder / "pyproject.toml").write_text('[tool.autograph-rs]\nexclude = ["sub", "script.py"]\njobs = 1\n')
    done = command("convert", ".", "--check", cwd=folder)
    assert [line for line in said(done).splitlines() if "would" in line] == ["pkg/core.py: would change"]
    other = said(command("convert", ".", "--check", "--exclude", "pkg", cwd=folder))
    assert [line for line in other.splitlines() if "would" in line] == ["script.py: would change"]
    for other in ("[tool.other]\n", "tool = 3\n"):
        (folder / "pkg/pyproject.toml").write_text(other)
        assert said(command("convert", ".", "--check", cwd=folder / "pkg")).count("would change") == 3


def test_maps_by_default(folder: Path) -> None:
    """A setting of the project is about outputs only: other ways of use stay possible."""
    (folder / "pyproject.toml").write_text("[tool.autograph-rs]\nsource-map = true\n")
    for arguments, code in ((["--check"], 1), (["--stdout"], 0), (["-o", "made.py"], 0), (["--in-place"], 0)):
        assert command("convert", "script.py", *arguments, cwd=folder).returncode == code
    assert [file.name for file in folder.glob("*.map")] == ["made.py.map"]
    assert b"mapped" not in (folder / "script.py").read_bytes()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.autograph-rs]\nexcludes = []\n", "has no key 'excludes'"),
        ("[tool.autograph-rs]\nexclude = 'sub'\n", "exclude = 'sub': a list of texts is wanted"),
        ("[tool.autograph-rs]\njobs = true\n", "jobs = True: a number is wanted"),
        ("[tool.autograph-rs]\nquiet = 1\n", "quiet = 1: true or false is wanted"),
        ("[tool.autograph-rs]\nin-place = true\n", "has no key 'in-place'"),
        ("[tool]\nautograph-rs = 3\n", "[tool.autograph-rs] is no table"),
        ("[tool.autograph-rs\n", "pyproject.toml: "),
        ("\xff", "pyproject.toml: "),
    ],
)
def test_settings_that_are_wrong(text: str, words: str, folder: Path) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="latin-1")
    done = command("convert", ".", "--check", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in said(done)


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


def test_a_full_disk_leaves_the_old_files(folder: Path) -> None:
    """A limit on the size of files stands for it: each write ends in the middle."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    before = below(folder)
    done = subprocess.run(
        [sys.executable, "-m", "autograph_rs", "convert", "script.py", "pkg", "--in-place"],
        cwd=folder, env=os.environ | {"PYTHONPATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, check=False, preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode == 3
    assert "script.py: File too large\n" in said(done)
    assert below(folder) == before
