"""`autograph-rs check`, the command: how it says what it finds, what it reads, how it ends."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from cli_support import command

from autograph_rs.ahead_of_time.reports import RULES
from autograph_rs.cli import options

CODES = {rule.code: rule for rule in RULES}

# How it is said ----------------------------------------------------------------------------------

PROGRAM = """\
def f(x):
    print("never run")
    if x > 0:
        yield x


def g(x):
    return [é for é in x if (y := é)]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a,b").mkdir()
    (tmp_path / "a,b" / "100%:é.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "fine.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    for hidden in (".hidden", "__pycache__"):
        (tmp_path / hidden).mkdir()
        (tmp_path / hidden / "x.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no Python (")
    return tmp_path


def test_text(folder: Path) -> None:
    done = command("check", ".", "fine.py", cwd=folder, PYTHONUTF8="1")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        (
            "a,b/100%:é.py:3:8: AG001 'if' cannot be staged: it contains 'yield' (line 4), and only the "
            "function itself can be suspended; loop directly over the call of a generator function, or "
            "move the condition to a separate function"
        ),
        (
            "a,b/100%:é.py:8:30: AG005 'if in a comprehension' cannot be staged: only comprehensions, and "
            "generator expressions that are consumed at once, can be staged, without ':=' and 'await', and "
            "in a lambda only with one 'for'; use a list comprehension, as in sum([...]), or a loop"
        ),
    ]
    assert done.stderr == b"2 findings in 1 of 2 files\n"


def test_no_finding(folder: Path) -> None:
    done = command("check", "fine.py", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"0 findings in 0 of 1 file\n")


def test_json(folder: Path) -> None:
    done = command("check", "--format", "json", "a,b", cwd=folder, PYTHONUTF8="1")
    first, second = json.loads(done.stdout)
    rule = CODES["AG001"]
    assert first == {
        "path": "a,b/100%:é.py",
        "line": 3,
        "column": 8,
        "end_line": 3,
        "end_column": 13,
        "code": rule.code,
        "name": rule.name,
        "reason": "'if' cannot be staged: it contains 'yield' (line 4), and only the function itself can be "
        "suspended",
        "remedy": rule.remedy,
    }
    assert (second["column"], second["end_column"]) == (30, 36)
    assert json.loads(command("check", "--format", "json", "fine.py", cwd=folder).stdout) == []


def test_github(folder: Path) -> None:
    done = command("check", "--format", "github", "a,b", cwd=folder, PYTHONUTF8="1")
    first = done.stdout.decode().splitlines()[0]
    assert first.startswith(
        "::warning file=a%2Cb/100%25%3Aé.py,line=3,endLine=3,col=8,endColumn=13,title=AG001 suspends::'if' "
    )


def test_sarif(folder: Path) -> None:
    """The output has the fields that the standard and GitHub require."""
    done = command("check", "--format", "sarif", ".", cwd=folder, PYTHONUTF8="1")
    log = json.loads(done.stdout)
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    [run] = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "autograph-rs"
    assert [rule["id"] for rule in driver["rules"]] == [*CODES]
    for rule in driver["rules"]:
        assert rule["name"] == CODES[rule["id"]].name
        for key in ("shortDescription", "fullDescription", "help"):
            assert rule[key]["text"]
            assert not re.search(r"[{}]", rule[key]["text"])
    assert [result["ruleId"] for result in run["results"]] == ["AG001", "AG005"]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == "warning"
        assert result["message"]["text"]
        [location] = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "a%2Cb/100%25%3A%C3%A9.py"}
        assert set(place["region"]) == {"startLine", "startColumn", "endLine", "endColumn"}
        assert all(number >= 1 for number in place["region"].values())
    elsewhere = command("check", "--format", "sarif", folder / "a,b", cwd=folder.parent / "..")
    [run] = json.loads(elsewhere.stdout)["runs"]
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert not uri.startswith(("/", "..", "file:"))
    empty = json.loads(command("check", "--format", "sarif", "fine.py", cwd=folder).stdout)
    assert empty["runs"][0]["results"] == []


# What is read ------------------------------------------------------------------------------------


def test_standard_input(tmp_path: Path) -> None:
    done = command("check", "-", cwd=tmp_path, data=PROGRAM.encode())
    assert done.returncode == 1
    assert done.stdout.startswith(b"<stdin>:3:8: AG001 ")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_places_in_any_file(newline: bytes, tmp_path: Path) -> None:
    """The ends of lines, a byte order mark and an encoding move no place; nor does a form feed."""
    text = "# coding: latin-1\n\x0c\ndef f(x):\n\ta = 'é\x0c'; b = [(yield) if x else 'é']\n"
    (tmp_path / "latin.py").write_bytes(text.encode("latin-1").replace(b"\n", newline))
    marked = text.replace("latin-1", "utf-8").encode()
    (tmp_path / "marked.py").write_bytes(b"\xef\xbb\xbf" + marked.replace(b"\n", newline))
    done = command("check", ".", cwd=tmp_path)
    places = [line.split(" ")[0] for line in done.stdout.decode().splitlines()]
    assert places == ["latin.py:4:28:", "marked.py:4:28:"]


def test_unreadable_files_do_not_stop_the_others(folder: Path) -> None:
    (folder / "a.py").write_bytes(b"x = 1\nif x:\n    y = = 2\n")
    (folder / "b.py").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (folder / "c.py").write_bytes(b"x = " + b"(" * 300 + b")" * 300)
    (folder / "d.py").write_bytes(b"x = " + b"-" * 100_000 + b"1")
    (folder / "e.py").mkdir()
    (folder / "f.py").symlink_to("nowhere")
    (folder / "g.py").write_bytes(b"def f(x):\n    ag__ = x\n")
    (folder / "h.py").write_bytes(b"def f(x):\n    return " + b"-" * 2_000 + b"1\n")
    done = command("check", ".", "missing.py", cwd=folder, PYTHONUTF8="1")
    assert done.returncode == 3
    assert done.stdout.count(b"\n") == 2
    said = done.stderr.decode().splitlines()
    assert [re.split(r"[:]", line)[0] for line in said[:-1]] == [
        *(f"{name}.py" for name in "abcdfg"),
        "missing.py",
    ]
    assert said[0] == "a.py:3:9: invalid syntax"
    assert said[-1] == "2 findings in 1 of 10 files; 7 cannot be read"
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root and Windows may read any folder")
def test_an_unreadable_folder(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    done = command("check", ".", cwd=tmp_path)
    (tmp_path / "closed").chmod(0o755)
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, b"closed: Permission denied")


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text are Linux's")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.py")).write_text(PROGRAM, encoding="utf-8")
    for form in ("text", "json", "github", "sarif"):
        done = command("check", "--format", form, ".", cwd=tmp_path, PYTHONUTF8="1")
        assert (done.returncode, done.stderr) == (1, b"2 findings in 1 of 1 file\n")


def test_an_empty_folder(tmp_path: Path) -> None:
    """Also one that the globs make so: that nothing was looked at is said in any case."""
    (tmp_path / "a.py").write_text("")
    for arguments in (["check", "."], ["check", ".", "--quiet"], ["convert", ".", "--check", "--quiet"]):
        done = command(*arguments, "--exclude", "*.py", cwd=tmp_path)
        said = done.stderr.decode().splitlines()
        assert (done.returncode, said[0]) == (0, options.NO_FILES)
        assert said[1:] == ["0 findings in 0 of 0 files"] * (len(arguments) == 2)


def test_wrong_usage(tmp_path: Path) -> None:
    assert command("check", cwd=tmp_path).returncode == 2
    assert command("check", "--format", "xml", ".", cwd=tmp_path).returncode == 2


def test_converted_files_have_no_places(folder: Path) -> None:
    source = folder / "a,b" / "100%:é.py"
    assert command("convert", source, "-o", "made.py", cwd=folder).returncode == 0
    assert command("check", "made.py", cwd=folder).returncode == 0
