"""`autograph-rs explain`: what becomes of each statement, where it stands."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from cases_support import CASES
from cli_support import command
from test_house import ROOT

from autograph_rs.ahead_of_time.reports import report_source
from autograph_rs.testing.harness import files

PROGRAM = '''\
print("never run")


def total_above(xs, limit):
    """The sum of what is greater."""
    total = 0.0
    for x in xs:
        if (
            x > limit
            and x < 100
        ):
            total += x
    return total


class Box:
    @property
    def sign(self):
        return 1 if self.x else 2

    def items(self):
        yield from self.x
'''


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "model.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def becomes(text: str) -> dict[int, list[str]]:
    """Return the outcome of the first statement of each line."""
    found: dict[int, list[str]] = {}
    for function in report_source(textwrap.dedent(text)):
        for statement in function.statements:
            found.setdefault(statement.line, [*statement.becomes])
    return found


def test_plain_text(program: Path) -> None:
    """In a pipe, whatever the width of the terminal."""
    done = command("explain", "model.py", cwd=program.parent, COLUMNS="20")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == textwrap.dedent("""\
        model.py:4: total_above
             5  \"\"\"The sum of what is greater.\"\"\"
                    # unchanged
             6  total = 0.0
                    # unchanged
             7  for x in xs:
                    # ag__.for_stmt: a staged loop if its iterable is staged; carries total
             8      if (
                        # ag__.if_stmt: a staged conditional if its test is staged; carries total
                        # ag__.and_: 'and' becomes a conditional if an operand is staged
            12          total += x
                            # unchanged
            13  return total
                    # unchanged
        model.py:17: Box.sign
            19  return 1 if self.x else 2
                    # ag__.if_exp: 'if else' becomes a conditional if its test is staged
        model.py:21: Box.items
            22  yield from self.x
                    # suspends the function
        """)


@pytest.mark.parametrize(
    ("line", "function", "marked"),
    [(4, "total_above", None), (10, "total_above", 8), (12, "total_above", 12), (17, "Box.sign", None)],
)
def test_a_line(line: int, function: str, marked: int | None, program: Path) -> None:
    """It may lie inside a statement of several; a decorator belongs to its function."""
    done = command("explain", f"model.py:{line}", cwd=program.parent)
    assert done.returncode == 0
    text = done.stdout.decode()
    assert re.match(rf"model\.py:\d+: {re.escape(function)}[:\n]", text)
    assert text.count("model.py") == 1
    assert re.findall(r"^> +(\d+)", text, re.MULTILINE) == ([] if marked is None else [str(marked)])


def test_a_line_outside_functions(program: Path) -> None:
    done = command("explain", "model.py:1", cwd=program.parent)
    assert (done.returncode, done.stdout) == (0, b"model.py:1: not inside a function: unchanged\n")


def test_a_line_that_is_not_there(program: Path) -> None:
    for line in ("0", "23"):
        done = command("explain", f"model.py:{line}", cwd=program.parent)
        assert done.returncode == 2
        assert f"line {line} is out of range: ".encode() in done.stderr


def test_standard_input(tmp_path: Path) -> None:
    done = command("explain", "--", "-:8", cwd=tmp_path, data=PROGRAM.encode())
    assert done.stdout.startswith(b"<stdin>:4: total_above\n")
    nothing = command("explain", "-", cwd=tmp_path)
    assert (nothing.returncode, nothing.stdout) == (0, b"<stdin>: no functions: unchanged\n")


@pytest.mark.parametrize("width", [40, 200])
def test_a_terminal(width: int, program: Path) -> None:
    """A table that is no wider than the terminal."""
    environ = {"FORCE_COLOR": "1", "COLUMNS": str(width), "TERM": "xterm", "PYTHONUTF8": "1"}
    done = command("explain", "model.py:9", cwd=program.parent, **environ)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout.decode()).splitlines()
    assert max(map(len, lines)) == width
    assert any("conversion" in line for line in lines)
    assert "ag__.for_stmt" in "".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("environ", [{}, {"FORCE_COLOR": "1"}], ids=["pipe", "terminal"])
def test_any_encoding(encoding: str, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x):\n    日本 = x\n", encoding="utf-8")
    done = command("explain", "model.py", cwd=tmp_path, PYTHONIOENCODING=encoding, **environ)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b" = x" in done.stdout


def test_the_document_shows_it(tmp_path: Path) -> None:
    document = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    [shown] = re.findall(
        r"^\$ autograph-rs explain model.py:4\n(.*?)^```", document, re.MULTILINE | re.DOTALL
    )
    statements = re.findall(r"^.{6}  ( *[^# ].*)$", shown, re.MULTILINE)
    text = "def total_above(xs, limit):\n" + "".join(f"    {statement}\n" for statement in statements)
    (tmp_path / "model.py").write_text(text)
    assert command("explain", "model.py:4", cwd=tmp_path).stdout.decode() == shown


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = (\n", b"<stdin>:1:5: '(' was never closed\n"),
        (b"\x89PNG\r\n\x1a\n\0\0", b"<stdin>"),
        (b"x = " + b"-" * 100_000 + b"1", b"<stdin>: the code is nested too deeply\n"),
        (
            b"def f(x):\n    ag__ = x\n",
            b"<stdin>:2:5: the name 'ag__' is reserved for converted code; rename it",
        ),
    ],
)
def test_input_that_is_no_python(data: bytes, said: bytes, tmp_path: Path) -> None:
    done = command("explain", "-", cwd=tmp_path, data=data)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(said)
    assert done.stderr.count(b"\n") == 1
    assert command("explain", "missing.py:3", cwd=tmp_path).returncode == 3


def test_jumps() -> None:
    found = becomes("""
        def f(xs):
            for x in xs:
                if x > 0:
                    break
                if x < 5:
                    continue
                if x == 3:
                    return x
                print(x)
            return 1
            x = 2
        """)
    assert found[3] == ["ag__.for_stmt: a staged loop if its iterable is staged"]
    assert found[5] == ["a flag that the loop tests"]
    assert found[7] == ["the rest of the loop's body becomes a branch"]
    assert found[9] == ["the value is carried out of the branches and loops around it"]
    assert found[10] == ["ag__.callee: print runs with the graph if an argument is staged"]
    assert found[11] == ["returns, unless a branch or loop has returned"]


def test_what_stays() -> None:
    found = becomes("""
        def f(x):
            if x is ...:
                x = {k for k in x}
            with open(x) as file:
                locals()
            match x:
                case [a] | [a, _]:
                    pass
            class A:
                y = 1
            try:
                raise E
            except E:
                x = (k for k in x)
        """)
    assert found[3] == ["stays in Python: its test is always plain"]
    assert found[4][0].startswith("ag__.list_comp: a staged map")
    assert found[5][0].startswith("its body is converted")
    assert found[7][0] == "stays in Python"
    assert "AG004" not in found[7][1]
    assert found[7][1].startswith("'match' cannot be staged: Python itself")
    assert found[10] == ["methods are converted; Python runs the body"]
    assert found[11] == ["in a class body, which Python runs"]
    assert found[12][0].startswith("its parts are converted")
    assert found[13][0].startswith("unchanged; under a staged condition")
    assert found[15] == ["a generator expression stays in Python"]


def test_expressions() -> None:
    found = becomes("""
        def f(x, y, i):
            y[i] = x if x > 0 else 2
            assert 0 < x < y, f"{x}"
            return [a for a in y if a not in x] or not y[i]
        """)
    assert [line.partition(":")[0] for line in found[3]] == ["ag__.if_exp", "ag__.set_item"]
    assert [line.partition(":")[0] for line in found[4]] == ["ag__.assert_stmt", "ag__.and_", "ag__.text"]
    assert {line.partition(":")[0] for line in found[5]} == {
        "ag__.list_comp",
        "ag__.keep",
        "ag__.not_in",
        "ag__.or_",
        "ag__.not_",
        "ag__.get_item",
    }


def test_code_that_never_runs() -> None:
    found = becomes(
        "def f(x):\n    if x:\n        return 1\n        if x > 2:\n            x = 3\n    return 2\n"
    )
    assert found[4] == ["never runs"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [*files(CASES), *files(ROOT / "tests" / "converters" / "nasty")], ids=lambda file: file.name
)
def test_every_sample_is_explained(file: Path) -> None:
    """Each statement has its text and what becomes of it; each finding lies in its function."""
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    for function in report_source(text, str(file)):
        assert function.statements
        for statement in function.statements:
            assert statement.becomes
            assert statement.text
            assert statement.text in lines[statement.line - 1]
            assert function.line <= statement.line <= statement.end_line <= function.end_line
        for finding in function.findings:
            assert function.line <= finding.line <= finding.end_line <= function.end_line
            assert (finding.line, finding.column) < (finding.end_line, finding.end_column)
            assert any(finding in statement.findings for statement in function.statements)
