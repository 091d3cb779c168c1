# ruff: noqa: E501 - texts of programs
"""Hostile input: the right function, or an error of ours, in bounded time; nothing half-written, no crash."""

from __future__ import annotations

import ast
import contextlib
import faulthandler
import linecache
import os
import re
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import cli_support
import pytest
from breadth import FULL, some
from convert_support import convert_source
from modules import executed

import autograph_rs as ag
from autograph_rs.source import definitions
from autograph_rs.source.recursion_limit import guarded_conversion

BOUND = 300  # seconds of this process, many times what the slowest takes; those of others do not count
HANGS = 3600  # seconds on any clock: what waits and does not compute
DEEP = "nested too deeply"


@pytest.fixture(autouse=True)
def bounded():
    """Every test ends in bounded time."""
    started = time.process_time()
    faulthandler.dump_traceback_later(HANGS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    assert time.process_time() - started < BOUND


# Long and deep code -------------------------------------------------------------------------------


def returns(expression: str) -> str:
    return f"def f(x):\n    return {expression}\n"


def lines(*parts: str) -> str:
    return "def f(x):\n" + "".join(f"    {part}\n" for part in parts) + "    return x\n"


def nested(*heads: str, depth: int, inside: str = "x = x + 1") -> str:
    blocks = "".join(
        "    " * (i + 1) + heads[i % len(heads)].replace("#", str(i)) + "\n" for i in range(depth)
    )
    return f"def f(x):\n{blocks}{'    ' * (depth + 1)}{inside}\n    return x\n"


BIG = {
    "20,000 lines": lines(*(f"x = x + {i}" for i in range(20_000))),
    "5,000 statements in a line": lines("; ".join(f"x = x + {i}" for i in range(5000))),
    "2,000 branches in a row": lines(*(f"if x > {i}: x = x + 1" for i in range(2000))),
    "700 branches of 'elif'": lines("if x: pass", *(f"elif x == {i}: x = {i}" for i in range(700))),
    "1,000 branches in a chain": lines("match x:", *(f"    case {i}: x = x + {i}" for i in range(1000))),
    "2,000 variables": lines(*(f"v{i} = x if x else {i}" for i in range(2000)), "x = v1999"),
    "500 early returns": lines(*(f"if x == {i}: return {i}" for i in range(500))),
    "300 jumps in a loop": lines("for i in range(5):", *(f"    if i == {i}: continue" for i in range(300))),
    "5,000 operands of 'and'": returns(" and ".join(["x"] * 5000)),
    "2,000 values in an f-string": returns("f'" + "{x}" * 2000 + "'"),
    "50,000 items in a line": returns("[" + ", ".join(map(str, range(50_000))) + "][x]"),
    "a string of 5 MB": returns("'" + "a" * 5_000_000 + "'[x]"),
    "3,000 parameters": f"def f(x, {', '.join(f'a{i}=1' for i in range(3000))}):\n    return a2999 if x else 0\n",
    "2,000 decorators": lines(*["@(lambda g: g)"] * 2000, "def g(): return 1", "x = g()"),
    "90 nested blocks": nested("if x > -#:", depth=90),
    "18 nested loops": nested("while x < #:", "for _ in range(1):", depth=18),
    "90 nested functions": nested("def g#(y):", depth=90, inside="return 1"),
    "90 nested classes": nested("class A#:", depth=90, inside="y = 1"),
    "150 nested lambdas": returns("(" + "lambda: " * 150 + "x) and x"),
    "15 nested comprehensions": returns("[" * 15 + "x" + " for _ in range(1)]" * 15),
    "100 nested operands": returns("".join(f"({i} if x == {i} else " for i in range(100)) + "-1" + ")" * 100),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*BIG][:: some(2, 1)])
def test_big_functions(name: str):
    """Long code and code as deep as Python takes it converts, and does the same."""
    f = executed(BIG[name], f"<{name}>").f
    made = ag.to_graph(f)
    for x in (0, 3):
        assert made(x) == f(x)


TOO_DEEP = {
    "2,000 nested operators": returns("-" * 2000 + "x"),
    "2,000 nested 'not'": returns("not " * 2000 + "x"),
    "2,000 nested sums": returns(" + ".join(["x"] * 2000)),
    "1,100 nested conditions": returns("".join(f"{i} if x == {i} else " for i in range(1100)) + "-1"),
    "1,100 comparisons in a chain": returns(" < ".join(["x"] * 1100)),
    "2,000 attributes": returns("x" + ".real" * 2000),
    "2,000 calls": returns("x" + "()" * 2000),
    "2,000 indexes": returns("x" + "[0]" * 2000),
    "2,000 methods": returns("x" + ".m()" * 2000),
    "1,100 nested lambdas": returns("lambda: " * 1100 + "x"),
    "2,000 nested parentheses": returns("(" * 2000 + "x" + ")" * 2000),
    "10,000 nested parentheses": returns("(" * 10_000 + "x" + ")" * 10_000),
    "10,000 open brackets": returns("[" * 10_000),
    "3,200 branches of 'elif'": lines(
        "if x: pass", *(f"elif x == {i}: x = {i}" for i in range(3200))
    ),
    "200 nested blocks": nested("if x > #:", depth=200),
    "30 nested loops": nested("while x > #:", depth=30),
    "30 nested tries": nested("with x:", depth=30),
    "300 nested functions": nested("def g#(y):", depth=300, inside="return 1"),
    "200 nested f-strings": returns("f'{" * 200 + "x" + "}'" * 200),
    "30 nested generator expressions": returns("(" * 300 + "x" + " for _ in x)" * 300),
}  # fmt: skip


SLOW = {"3,200 branches of 'elif'", "1,100 comparisons in a chain"}  # seconds each: in a full run


@pytest.mark.slow
@pytest.mark.parametrize("name", some([name for name in TOO_DEEP if name not in SLOW], [*TOO_DEEP]))
def test_too_deep(name: str):
    """Deeper code is converted as long as Python can compile it, or refused: here, and in a file."""
    text = TOO_DEEP[name]
    for convert in (lambda: ag.to_graph(plain(text), source=text), lambda: compiled(convert_source(text))):
        with contextlib.suppress(ag.ConversionError):
            convert()


def plain(text: str) -> Any:
    """A function that stands where `text` says that `f` stands: Python may be unable to compile that."""
    return executed("def f(x):\n    return x\n", "<deep>", keep=False).f


def compiled(text: str) -> Any:
    return compile(text, "<converted>", "exec")


@pytest.mark.parametrize(
    "name",
    some(
        ("2,000 nested operators",),
        ("2,000 nested operators", "2,000 nested sums", "1,100 nested conditions", "2,000 calls"),
    ),
)
def test_too_deep_functions(name: str):
    """The function may exist although no tree of it can be compiled."""
    try:
        f = executed(TOO_DEEP[name], f"<{name}>").f
    except RecursionError:
        return
    try:
        made = ag.to_graph(f)
        ag.to_code(f)
    except ag.ConversionError:
        return
    assert outcome(made, 1) == outcome(f, 1)


def outcome(f: Any, x: Any) -> Any:
    try:
        return f(x)
    except Exception as error:
        return repr(error)


# Text that is not what it seems -------------------------------------------------------------------

NAMES = {
    "variable": "def f(x):\n    ag__ = 5\n    return ag__ if x else 1\n",
    "parameter": "def f(ag__):\n    return 1 if ag__ else 2\n",
    "keyword": "def f(x, *, ag__=1):\n    return ag__ if x else 2\n",
    "global": "ag__ = 7\ndef f(x):\n    return ag__ if x else 2\n",
    "declared": "def f(x):\n    global ag__\n    ag__ = 3\n    return ag__ if x else 2\n",
    "function": "def f(x):\n    def ag__(): return 3\n    return ag__() if x else 2\n",
    "class": "def f(x):\n    class ag__: y = 3\n    return ag__.y if x else 2\n",
    "import": "def f(x):\n    import sys as ag__\n    return ag__ if x else 2\n",
    "error": "def f(x):\n    try: pass\n    except KeyError as ag__: return ag__ if x else 2\n",
    "item": "def f(x):\n    return [ag__ if ag__ else 0 for ag__ in x]\n",
    "lambda": "def f(x):\n    return lambda ag__: ag__ if ag__ else 0\n",
    "walrus": "def f(x):\n    return (ag__ := x) if x else 0\n",
    "pattern": "def f(x):\n    match x:\n        case [ag__, *_]: return ag__\n",
    "prefix": "def f(x):\n    ag__return_value_2 = 5\n    return ag__return_value_2 if x else 1\n",
    "function's own": "def ag__f(x):\n    return ag__f.__name__ if x else 0\nf = ag__f\n",
    "wide letters": "def f(x):\n    \uff41\uff47__ = 5\n    return \uff41g__ if x else 1\n",
}


@pytest.mark.parametrize("name", NAMES)
def test_our_name_is_taken(name: str):
    f = executed(NAMES[name], f"<{name}>").f
    with pytest.raises(
        ag.ReservedNameError, match=r"'ag__\w*' is reserved for converted code\n  File \"<.*>\", line \d"
    ):
        ag.to_graph(f)
    with pytest.raises(ag.ReservedNameError, match=r"'ag__\w*' is reserved for converted code"):
        convert_source(NAMES[name])


@pytest.mark.parametrize(
    "text",
    [
        "class A: ag__ = 4\ndef f(x):\n    return A.ag__ if x else 2\n",
        "def f(x):\n    return dict(ag__=x if x else 0)\n",
        "def f(x):\n    return_value = return_value_1 = x\n    if x: return 1\n    return return_value, return_value_1\n",
        "def f(x):\n    factory = hole__body = x\n    if x: hole__body = 5\n    return factory, hole__body\n",
        "def f(x):\n    return '\\ud800' if x else '\\x00'\n",
        "def f(x):\n    \ufb01 = x\n    if fi: \u00aa = 2\n    else: \u00aa = 3\n    return a\n",
        "def f(\ufb01):\n    return (lambda *, fi: fi if fi else 1)(\ufb01=\ufb01)\n",
        "def f(x):\n\tif x:\n\t        return 1\n\treturn 2\n",
        "def f(x):\n\x0c    if x:\n\x0c        return 1\n    return 2\n",
        "def f(x):\n    if x: return '\x0c\t\x0b' \\\n        '\\\n'\n    return 2 # \x00"[:-1],
    ],
)
def test_odd_names_and_letters(text: str):
    f = executed(text, "<odd>").f
    assert [ag.to_graph(f)(x) for x in (0, 1)] == [f(x) for x in (0, 1)]


# Files that are not what they seem ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a\0b", "/", ".", "", "x" * 5000, "\ud800.py", "con\n.py", "<stdin>", sys.executable]
)
def test_no_text(name: str):
    """A function may say that it comes from anywhere."""
    f = executed("def f(x):\n    return x if x else 1\n", "<said>", keep=False).f
    f.__code__ = f.__code__.replace(co_filename=name)
    with pytest.raises(ag.ConversionError, match=r"(?s)is not available.*pass its text"):
        ag.to_graph(f)
    assert ag.function(lambda: f(0))() == 1  # it is called as it is


@pytest.mark.parametrize(
    "raw",
    [b"", b"\0" * 100, b"def f(x):\n    return x\0\n", b"\x7fELF\x02\x01\x01\0\xff\xfe", b"def f(x) return x\n",
     b"\xff\xfed\0e\0f\0", b"# -*- coding: no-such -*-\ndef f(x):\n    return x if x else 1\n", b"return\n" * 3,
     b"def f(x):\n    return '\xff' if x else 1\n", b"(" * 10_000, b"def f(x):\n    break\n", b"\xef\xbb\xbf"],
)  # fmt: skip
def test_a_file_becomes_something_else(module, raw: bytes):
    made = module("def f(x):\n    return x if x else 1\n")
    Path(made.__file__).write_bytes(raw)
    os.utime(made.__file__, (1, 1))
    with pytest.raises(ag.ConversionError):
        ag.to_graph(made.f)


def test_a_file_that_goes(module):
    made = module("def f(x):\n    return x if x else 1\n")
    os.remove(made.__file__)
    with pytest.raises(ag.ConversionError, match="is not available"):
        ag.to_graph(made.f)
    os.mkdir(made.__file__)
    with pytest.raises(ag.ConversionError, match="is not available"):
        ag.to_graph(made.f)


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_file_that_is_being_written(module, monkeypatch: pytest.MonkeyPatch, part: float):
    """A file that another program is writing may be read half-written."""
    made = module("def g(x):\n    return x\n\n\ndef f(x):\n    y = x\n    return y if x else 1\n")
    text = Path(made.__file__).read_text(encoding="utf-8")
    half = text[: int(part * len(text))].splitlines(keepends=True)
    monkeypatch.setattr(linecache, "getlines", lambda *_: half)
    with pytest.raises(ag.ConversionError):
        ag.to_graph(made.f)


def test_code_that_is_not_the_source(module):
    made = module("def f(x):\n    return x if x else 1\ndef g(x):\n    return x if x else 2\n")
    made.f.__code__ = made.g.__code__.replace(co_firstlineno=1, co_name="f", co_qualname="f")
    with pytest.raises(ag.ConversionError, match="has changed"):
        ag.to_graph(made.f)
    for line in (0, 2, 2**31 - 1):
        made.g.__code__ = made.g.__code__.replace(co_firstlineno=line)
        assert ag.to_graph(made.g)(0) == 2  # its text is where it was all the same


@pytest.mark.parametrize(
    "text",
    ["\0", "def f(x):\n    return x\0", "def f(x): return '\ud800'", "(" * 10_000, "f(", "\ufeff\ufeff"],
)
def test_given_text(text: str):
    f = executed("def f(x):\n    return x\n", "<given>", keep=False).f
    with pytest.raises(ag.ConversionError):
        ag.to_graph(f, source=text)
    with warnings.catch_warnings(action="ignore"), pytest.raises(ag.ConversionError):
        convert_source(text)


# The command line ---------------------------------------------------------------------------------

PLAIN = "def f(x):\n    return '\u00e9' if x else 1\n"
BRANCHES = TOO_DEEP["3,200 branches of 'elif'"]


def too_deep_for_python(text: str) -> bool:
    try:
        compiled(text)
    except RecursionError:
        return True
    return False


FILES = {  # what a file holds, and what the command says of it; nothing where it converts
    "empty": (b"", ""),
    "one byte": (b"\0", "null bytes"),
    "null bytes": (b"def f(x):\n    return x\0\n", "null bytes"),
    "utf-16": (PLAIN.encode("utf-16"), "(?i)utf-8|encoding|null bytes|non-UTF"),
    "utf-16 by its cookie": (f"# coding: utf-16\n{PLAIN}".encode(), "(?i)utf-16|encoding|decode|null|truncated"),
    "byte order mark": (b"\xef\xbb\xbf" + PLAIN.encode(), ""),
    "two byte order marks": (b"\xef\xbb\xbf\xef\xbb\xbf" + PLAIN.encode(), "(?i)invalid"),
    "latin-1": (f"# coding: latin-1\n{PLAIN}".encode("latin-1"), ""),
    "mark against cookie": (b"\xef\xbb\xbf# coding: latin-1\n", "(?i)encoding"),
    "no such encoding": (b"# coding: no-such\nx = 1\n", "(?i)encoding"),
    "encoding of bytes": (b"# coding: base64\nx = 1\n", "(?i)encoding|base64"),
    "not utf-8": (b"x = '\xff'\n", "(?i)utf-8"),
    "binary": (b"\x7fELF\x02\x01\x01\0\0\xff\xfe" * 100, "(?i)null bytes|utf-8|invalid"),
    "crlf": (PLAIN.replace("\n", "\r\n").encode(), ""),
    "cr": (PLAIN.replace("\n", "\r").encode(), ""),
    "tabs and form feeds": (b"\x0cdef f(x):\n\x0c\tif x:\n\t\treturn 1\n", ""),
    "inconsistent tabs": (b"def f(x):\n\tif x:\n        return 1\n", "(?i)tabs"),
    "syntax error": (b"def f(x) return x\n", r"given\.py:1:\d+: "),
    "return outside": (b"return 1\n", "'return' outside function"),
    "parentheses": (b"(" * 10_000 + b")" * 10_000, "too many nested parentheses"),
    "deep": (TOO_DEEP["1,100 nested conditions"].encode(), DEEP),
    "a long line": (b"x = [" + b"1, " * 50_000 + b"]\n", ""),
    "our name": (NAMES["variable"].encode(), "'ag__' is reserved for converted code"),
}  # fmt: skip

if FULL:
    FILES["elif"] = (BRANCHES.encode(), DEEP if too_deep_for_python(BRANCHES) else "")


def command(*arguments: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command, and what it says."""
    done = cli_support.command(*arguments, cwd=folder)
    return done.returncode, done.stderr.decode("utf-8", "replace").replace(os.linesep, "\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_command_line(tmp_path: Path, name: str):
    """A file converts, or the command says why not and writes nothing."""
    raw, message = FILES[name]
    (tmp_path / "given.py").write_bytes(raw)
    code, said = command("convert", "given.py", "-o", "made.py", folder=tmp_path)
    assert "Traceback" not in said
    if message:
        assert code == 3
        assert re.search(message, said), said
        assert len(said) < 1000
        assert [file.name for file in tmp_path.iterdir()] == ["given.py"]
    else:
        assert (code, said) == (0, "")
        compile((tmp_path / "made.py").read_bytes(), "made.py", "exec")
    assert (tmp_path / "given.py").read_bytes() == raw


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX")
def test_command_line_with_a_file_that_never_ends(tmp_path: Path):
    done = command("convert", "/dev/zero", "-o", "made.py", folder=tmp_path)
    assert done == (3, "/dev/zero: larger than 64 MiB, the limit for source files\n")


def test_what_python_does_not_compile_is_told_from_what_is_too_deep():
    """A converted tree that is not valid Python is reported as a bug of ours."""
    expected = r"(?s)^it cannot be converted\n.*this is a bug in autograph_rs; .*outside"
    with (
        pytest.raises(ag.ConversionError, match=expected),
        guarded_conversion("it", ast.Pass(), "<it>"),
    ):
        compile("return 1", "<it>", "exec")


def test_command_line_without_a_file(tmp_path: Path):
    closed = tmp_path / "closed.py"
    closed.write_text(PLAIN, encoding="utf-8")
    closed.chmod(0)
    names = ["missing.py", "x" * 300 + ".py"]
    if not os.access(closed, os.R_OK):  # to the superuser nothing is closed
        names.append("closed.py")
    for name in names:
        code, said = command("convert", name, "-o", "made.py", folder=tmp_path)
        assert (code, "Traceback" in said, name[:50] in said) == (3, False, True)
    (tmp_path / "given.py").write_text(PLAIN, encoding="utf-8")
    code, said = command("convert", "given.py", "-o", "closed.py/made.py", folder=tmp_path)
    assert (code, "Traceback" in said) == (3, False)
    assert {file.name for file in tmp_path.iterdir()} == {"closed.py", "given.py"}


def test_texts_of_hostile_files_are_forgotten():
    """Large texts are not kept longer than small ones."""
    assert len(definitions._files) <= definitions.MAX_FILES
