"""`autograph-rs convert` on folders and packages: where files go, and what is said."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cli_support import command, python
from convert_support import FUNCTION, below, is_converted, said

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
    """`--check` compares DIR with the conversion of the input."""
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
        subprocess.run([patch, "-p0", "--quiet"], cwd=folder, input=done.stdout, check=True, timeout=300)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("pkg", "choose an output"),
        ("pkg -o out --in-place", "--output and --in-place cannot be used together"),
        ("pkg --stdout --diff", "cannot be used together"),
        ("pkg -o out -q -v", "cannot be used together"),
        ("- --in-place", "standard input"),
        ("- -o out", "standard input has no file name"),
        ("pkg --in-place --source-map", "--source-map requires --output"),
        ("pkg -o script.py", "script.py is not a folder"),
        (
            "pkg/core.py pkg/sub/../core.py pkg/sub/__init__.py pkg/__init__.py -o out",
            "would both be written to",
        ),
        ("pkg -o .", "is the input: use"),
        ("pkg -o pkg", "pkg is the input: use --in-place"),
        ("script.py pkg -o ./pkg/", "is the input: use --in-place"),
        ("pkg -o out --jobs 0", "jobs"),
    ],
)
def test_wrong_usage(arguments: str, words: str, folder: Path) -> None:
    before = below(folder)
    done = command("convert", *arguments.split(), cwd=folder)
    assert (done.returncode, done.stdout, below(folder)) == (2, b"", before)
    assert words in said(done)


def test_an_output_folder_inside_the_input_is_no_input(folder: Path) -> None:
    for _ in range(2):
        done = command("convert", "pkg", "-o", "pkg/out", "--quiet", cwd=folder)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (folder / "pkg/out/pkg/core.py").exists()
        assert not (folder / "pkg/out/pkg/out").exists()


@pytest.mark.slow
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


def test_what_is_given_counts_more_than_what_is_set(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.autograph-rs]\nquiet = true\n")
    assert said(command("convert", "pkg", "-o", "out", cwd=folder)) == ""
    assert "pkg/core.py: converted" in said(command("convert", "pkg", "-o", "out", "-v", cwd=folder))


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
        ("[tool.autograph-rs]\nexcludes = []\n", "unknown key 'excludes'"),
        ("[tool.autograph-rs]\nexclude = 'sub'\n", "'exclude' must be a list of strings, got 'sub'"),
        ("[tool.autograph-rs]\njobs = true\n", "'jobs' must be an integer, got True"),
        ("[tool.autograph-rs]\nquiet = 1\n", "'quiet' must be true or false, got 1"),
        ("[tool.autograph-rs]\nin-place = true\n", "unknown key 'in-place'"),
        ("[tool]\nautograph-rs = 3\n", "[tool.autograph-rs] must be a table"),
        ("[tool.autograph-rs\n", "pyproject.toml: "),
        ("\xff", "pyproject.toml: "),
    ],
)
def test_settings_that_are_wrong(text: str, words: str, folder: Path) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="latin-1")
    done = command("convert", ".", "--check", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in said(done)
