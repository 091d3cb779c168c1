"""The command line, run in processes of its own; some of them are started as a user starts them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from cli_support import PATH, PROGRAM, command, python
from cli_support import program as run

Done: TypeAlias = "subprocess.CompletedProcess[bytes]"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def convert(data: bytes, folder: Path, run: Callable[..., Done] = run) -> bytes:
    """Convert a file that contains `data` in `folder`, and return the result."""
    (folder / "given.py").write_bytes(data)
    done = run("-m", "autograph_rs", "convert", "given.py", "-o", "made.py", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert {file.name for file in folder.iterdir()} == {"given.py", "made.py"}
    return (folder / "made.py").read_bytes()


def run_converted(data: bytes, folder: Path) -> bytes:
    """Check that a file that contains `data` prints the same when converted; return its output."""
    convert(data, folder)
    plain, made = (run(name, cwd=folder) for name in ("given.py", "made.py"))
    assert (plain.returncode, plain.stderr) == (0, b"")
    assert (made.returncode, made.stderr, made.stdout) == (0, b"", plain.stdout)
    return plain.stdout


def refused(data: bytes, folder: Path) -> str:
    """The message for a file that cannot be converted; nothing is written."""
    (folder / "given.py").write_bytes(data)
    done = command("convert", "given.py", "-o", "made.py", cwd=folder)
    assert (done.returncode, done.stdout) == (3, b"")
    assert [file.name for file in folder.iterdir()] == ["given.py"]
    message = done.stderr.decode()
    assert message.count("\n") == 1, message
    return message


# What is said -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--help", ["Exit codes", "code", "convert", "staged-only"]),
        ("code --help", ["MODULE:QUALNAME"]),
        ("convert -h", ["PATH...", "--output", "--in-place"]),
    ],
)
def test_help(arguments: str, words: list[str], tmp_path: Path) -> None:
    done = command(*arguments.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert all(word in done.stdout.decode() for word in words)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", ["no-such", "convert", "convert program.py", "code no_colon", "code :name", "code module:"]
)
def test_wrong_usage(arguments: str, program: Path) -> None:
    done = command(*arguments.split(), cwd=program.parent)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Usage:" in done.stderr


def test_click_is_asked_for_in_one_line(tmp_path: Path) -> None:
    """If the package was installed without its dependencies, the command says what to install."""
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('no click', name='click')")
    done = python("-m", "autograph_rs", "--help", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().splitlines() == ["autograph-rs needs click: pip install click"]


# code ---------------------------------------------------------------------------------------------


def code(function: str, folder: Path) -> str:
    done = command("code", function, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_code_of_a_function_in_a_file(program: Path) -> None:
    assert "ag__.while_stmt(" in code("program.py:collatz", program.parent)
    assert "ag__.while_stmt(" in code(f"{program}:collatz", program.parent)


def test_code_of_a_method(tmp_path: Path) -> None:
    text = "class A:\n    class B:\n        def f(self, x):\n            if x:\n                self.y = x\n"
    (tmp_path / "nested.py").write_text(text)
    assert "ag__.if_stmt(" in code("nested:A.B.f", tmp_path)


def test_code_of_a_function_in_a_package(tmp_path: Path) -> None:
    """Neither the module nor the packages around it are executed; they need no `__init__.py`."""
    folder = tmp_path / "outer" / "middle" / "inner"
    folder.mkdir(parents=True)
    stop = "raise SystemExit('executed')\n"
    (tmp_path / "outer" / "__init__.py").write_text(stop)
    (folder / "__init__.py").write_text(stop + PROGRAM)
    (folder / "module.py").write_text(stop + PROGRAM)
    assert "ag__.while_stmt(" in code("outer.middle.inner.module:collatz", tmp_path)
    assert "ag__.while_stmt(" in code("outer.middle.inner:collatz", tmp_path)


def test_code_of_the_standard_library(tmp_path: Path) -> None:
    assert "ag__." in code("textwrap:dedent", tmp_path)
    assert "ag__." in code("email.utils:formataddr", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("no_such_module:f", "no_such_module: no module named no_such_module"),
        ("email.nothing.more:f", "email.nothing.more: no module named email.nothing"),
        ("textwrap.dedent:f", "textwrap.dedent: no module named textwrap.dedent"),
        ("..:f", "..: no module named "),
        ("sys:exit", "sys: the module has no Python source"),
        ("missing.py:f", "missing.py: No such file or directory"),
    ],
)
def test_a_module_that_is_not_there(function: str, message: str, tmp_path: Path) -> None:
    done = command("code", function, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (3, b"", f"{message}{os.linesep}")


def test_a_function_that_is_not_there(program: Path) -> None:
    done = command("code", "program:nothing", cwd=program.parent)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (3, b"", 1)
    assert b"nothing" in done.stderr


def test_code_of_standard_input(program: Path) -> None:
    done = command("code", "-:collatz", cwd=program.parent, data=PROGRAM.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == code("program.py:collatz", program.parent)


@pytest.mark.slow
def test_closed_streams(program: Path) -> None:
    """One line says which is closed."""
    for arguments, words in (
        ("code program.py:collatz >&-", b"standard output is closed\n"),
        ("convert - <&-", b"<stdin>: standard input is closed\n"),
    ):
        script = f"exec {sys.executable} -m autograph_rs {arguments}"
        done = subprocess.run(
            ["sh", "-c", script], cwd=program.parent, env=os.environ | {"PYTHONPATH": PATH},
            capture_output=True, check=False, timeout=300,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (3, b"", words)


# convert ------------------------------------------------------------------------------------------


def test_a_converted_file_does_what_the_original_does(tmp_path: Path) -> None:
    assert run_converted(PROGRAM.encode(), tmp_path) == b"[(27, 111), (6, 8), (1, 0)] 4 []\n"
    text = (tmp_path / "made.py").read_text()
    assert "from autograph_rs import runtime as ag__" in text
    assert "ag__.while_stmt(" in text


def test_a_converted_file_loads_the_runtime_alone(program: Path) -> None:
    """The converters, gast and click stay where they are."""
    command("convert", "program.py", "-o", "made.py", cwd=program.parent)
    probe = "import sys, made; print({'autograph_rs.converters', 'gast', 'click'} & set(sys.modules))"
    done = python("-c", probe, cwd=program.parent)
    assert (done.stdout.strip(), done.stderr) == (b"set()", b"")


def test_converting_executes_nothing(tmp_path: Path) -> None:
    """Not the module, its imports, decorators, defaults or annotations."""
    trap = "open('executed', 'w').close()"
    (tmp_path / "trap.py").write_text(trap)
    lines = [
        f"import trap; {trap}",
        f"@{trap}",
        f"def f(x={trap}) -> {trap}:",
        "    if x: return x",
        f"class A({trap}):",
        "    def f(self):",
        "        while self.x: pass",
    ]
    (tmp_path / "given.py").write_text("\n".join(lines))
    for arguments in (["convert", "given.py", "-o", "made.py"], ["code", "given:f"], ["code", "given:A.f"]):
        assert command(*arguments, cwd=tmp_path).returncode == 0
    assert (tmp_path / "made.py").exists()
    assert not (tmp_path / "executed").exists()


def test_converting_twice(tmp_path: Path) -> None:
    """The same input gives the same bytes, and an output that is converted again stays as it is."""
    once = convert(PROGRAM.encode(), tmp_path)
    assert convert(PROGRAM.encode(), tmp_path, python) == once  # with other hashes
    assert convert(once, tmp_path) == once


def test_standard_input_and_output(program: Path) -> None:
    """`-` on either side, with the bytes that files get."""
    command("convert", "program.py", "-o", "made.py", cwd=program.parent)
    expected = (program.parent / "made.py").read_bytes()
    expected = expected.replace(b" from program.py,", b" from <stdin>,")
    for destination in (["-o", "-"], ["--stdout"], []):
        both = command("convert", "-", *destination, cwd=program.parent, data=PROGRAM.encode())
        assert (both.returncode, both.stdout, both.stderr) == (0, expected, b"")
    into = command("convert", "-", "-o", "other.py", cwd=program.parent, data=PROGRAM.encode())
    assert (into.returncode, into.stdout, into.stderr) == (0, b"", b"")
    assert (program.parent / "other.py").read_bytes() == expected
    bad = command("convert", "-", "-o", "-", cwd=program.parent, data=b"x = (\n")
    assert (bad.returncode, bad.stdout, bad.stderr[:12]) == (3, b"", b"<stdin>:1:5:")


# What a file keeps --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_ends_are_kept(newline: bytes, tmp_path: Path) -> None:
    """Also in strings, where Python reads each of them as a plain one."""
    program = PROGRAM + 'TEXT = """a\nb"""\nprint(repr(TEXT))\n'
    made = convert(program.encode().replace(b"\n", newline), tmp_path)
    assert made.count(newline) > 10
    assert not set(b"\r\n") & set(made.replace(newline, b""))
    assert b"'a\\nb'" in run_converted(program.encode().replace(b"\n", newline), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "head",
    [
        "# -*- coding: latin-1 -*-\n",
        "#!/usr/bin/env python3\n# coding: latin-1\n",
        "# A program.\n# vim: set fileencoding=latin-1 :\n",
        "\n# coding=latin-1\n",
    ],
)
def test_the_encoding_is_kept(head: str, tmp_path: Path) -> None:
    program = head + "def f(x):\n    if x:\n        return 'caf\u00e9'\n\nprint(ascii(f(1)))\n"
    assert run_converted(program.encode("latin-1"), tmp_path) == b"'caf\\xe9'\n"
    made = (tmp_path / "made.py").read_bytes()
    assert made.startswith(head.encode())
    assert b"caf\xe9" in made


def test_text_that_the_encoding_lacks(tmp_path: Path) -> None:
    """Converted code may name a character that the original wrote as an escape."""
    program = (
        "#!/usr/bin/python\n# coding: latin-1\n"
        "def f(x):\n    if x:\n        return '\\u20ac\u00e9'\n\nprint(ascii(f(1)))\n"
    )
    assert run_converted(program.encode("latin-1"), tmp_path) == b"'\\u20ac\\xe9'\n"
    assert (tmp_path / "made.py").read_bytes().startswith(b"#!/usr/bin/python\n")


def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    program = b"\xef\xbb\xbf" + "print('caf\u00e9'.encode())\n".encode()
    run_converted(program, tmp_path)
    assert (tmp_path / "made.py").read_bytes().startswith(b"\xef\xbb\xbf")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_the_shebang_and_the_mode_are_kept(program: Path) -> None:
    """So a converted script is as executable as the original was."""
    program.write_text(f"#!{sys.executable}\n{PROGRAM}", encoding="utf-8")
    program.chmod(0o750)
    made = program.with_name("made.py")
    made.write_text("old")
    assert command("convert", "program.py", "-o", "made.py", cwd=program.parent).returncode == 0
    assert stat.S_IMODE(made.stat().st_mode) == 0o750
    environ = os.environ | {"PYTHONPATH": PATH}
    done = subprocess.run([made, "x"], env=environ, capture_output=True, check=True, timeout=300)
    assert done.stdout == b"[(27, 111), (6, 8), (1, 0)] 4 ['x']\n"


def test_a_file_without_functions_keeps_its_meaning(tmp_path: Path) -> None:
    assert run_converted(b"", tmp_path) == b""
    assert run_converted(b"print(1)", tmp_path) == b"1\n"


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_stays_a_link(program: Path) -> None:
    link = program.with_name("link.py")
    link.symlink_to("real.py")
    assert command("convert", "program.py", "-o", "link.py", cwd=program.parent).returncode == 0
    assert link.is_symlink()
    assert "ag__" in program.with_name("real.py").read_text()


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "start"),
    [
        (b"x = 1\nif x:\n    y = = 2\n", "given.py:3:9: invalid syntax"),
        (b"x = (\n", "given.py:1:5: '(' was never closed"),
        (b"def f():\n  x = 1\n   y = 2\n", "given.py:3:"),
        (b"return 1\n", "given.py:1:1: 'return' outside function"),
        (b"x = 1\0\n", "given.py"),
        (b"\x89PNG\r\n\x1a\n\0\0", "given.py"),
        (b"x = 'caf\xe9'\n", "given.py"),
        (b"# coding: no-such-codec\n", "given.py"),
        (b"# coding: rot13\nk = 1\n", "given.py"),
        (
            b"# coding: unicode_escape\nk = 1\n",
            "given.py: the encoding unicode_escape does not preserve line endings",
        ),
        (b"x = " + b"(" * 300 + b")" * 300, "given.py:1:"),
        (b"x = " + b"-" * 100_000 + b"1", "given.py"),
    ],
)
def test_input_that_is_no_python(data: bytes, start: str, tmp_path: Path) -> None:
    """One line says where and why; exit code 3; nothing is written."""
    assert refused(data, tmp_path).startswith(start)


def test_dubious_syntax_is_not_our_business(tmp_path: Path) -> None:
    """Code that Python only warns about is converted silently."""
    convert(b"def f(x):\n    if x is 1:\n        return '\\d'\n", tmp_path)


def test_files_that_cannot_be_read_or_written(program: Path) -> None:
    """One line names the file; nothing remains."""
    here = program.parent
    (here / "closed").mkdir(mode=0o555)
    pairs = [("missing.py", "made.py"), ("program.py", "program.py/made.py")]
    if not os.access(here / "closed", os.W_OK):  # root may write anywhere
        pairs.append(("program.py", "closed/made.py"))
    for given, made in pairs:
        done = command("convert", given, "-o", made, cwd=here)
        assert (done.returncode, done.stdout) == (3, b"")
        assert done.stderr.decode().startswith(f"{made if given == 'program.py' else given}: ")
        assert done.stderr.count(b"\n") == 1
    assert {file.name for file in here.rglob("*")} == {"program.py", "closed"}


def test_the_input_is_not_overwritten(program: Path) -> None:
    """Under whatever name it goes."""
    here = program.parent
    (here / "link.py").symlink_to(program)
    os.link(program, here / "hard.py")
    for output in ("program.py", "./program.py", str(program), "link.py", "hard.py"):
        done = command("convert", "program.py", "-o", output, cwd=here)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"is the input: use" in done.stderr
    assert program.read_text(encoding="utf-8") == PROGRAM


def test_a_failed_write_leaves_the_old_file(program: Path) -> None:
    """A disk that is full is met in the middle of a write: the old file stays, and nothing else."""
    here = program.parent
    (here / "made.py").write_text("old")
    limited = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "sys.argv = ['autograph-rs', 'convert', 'program.py', '-o', 'made.py']\n"
        "runpy.run_module('autograph_rs', run_name='__main__')\n"
    )
    pytest.importorskip("resource", reason="limits on files are Unix's")
    done = python("-B", "-c", limited, cwd=here)
    assert (done.returncode, done.stderr.count(b"\n")) == (3, 1)
    assert (here / "made.py").read_text() == "old"
    assert {file.name for file in here.iterdir()} == {"program.py", "made.py"}
