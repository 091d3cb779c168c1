"""The two forms of a converted file: that with each function's own body, and `--staged-only`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cli_support import command, program, python

HERE = Path(__file__).parent

LAYOUTS = r'''#!/usr/bin/env python
"""Functions as people lay them out."""

LIMIT = 3


def above(xs, limit=LIMIT):  # the function
    """Return the sum of those above a limit.

    Each counts once.
    """
    # The first comment belongs to the body.

    total = 0
    for x in xs:  # a loop
        if x > limit:
            total += x  # it counts
    return total


def one(x): return x and not x  # on one line
def two(x): """Text."""; return x or [
    LIMIT]
def three(x): \
    return x or LIMIT


class Model:
  def __init__(self, x): self.x = x

  @property
  def positive(self):
    # Two spaces.
    return (
        self.x  # as it is
        if self.x > 0
        else -self.x
    )

  def untouched(self): return self . x   # nothing to convert

  async def each(self):
    for n in self.x:
      yield n or 1  # an asynchronous generator


def outer(n, /, *args, key=None, **options):
    count = 0

    def inner(x):
        nonlocal count
        count += 1
        return x if x > n else key

    items = (inner(x) for x in args if x)  # may run later
    return inner, sorted(args, key=lambda x: x or
                         n), all(x or n for x in args), items


def rounds(x):
    while x > 1:
        x = (yield x / 2) or x / 2


if __name__ == "__main__":
    inner, *rest, items = outer(2, 3, 1)
    print(above([1, 5, 4]), one(1), two(0), three(1), Model(-2).positive)
    print(inner(1), rest, list(items), list(zip(range(2), rounds(4))), Model.untouched(Model(7)))
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "layouts.py").write_text(LAYOUTS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("form", ["two_forms", "staged_only"])
def test_golden(form: str, folder: Path, request: pytest.FixtureRequest) -> None:
    """The output equals the reviewed file, which --update-golden rewrites, and runs as the original does."""
    options = ["--staged-only"] if form == "staged_only" else []
    done = command("convert", "layouts.py", "--stdout", *options, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    header, golden = b"# Made by autograph_rs ", HERE / f"{form}.golden"
    text = "".join(
        line for line in done.stdout.decode().splitlines(True) if not line.startswith(header.decode())
    )
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    (folder / "made.py").write_bytes(done.stdout)
    plain, made = (program(name, cwd=folder) for name in ("layouts.py", "made.py"))
    assert (plain.returncode, made.returncode, made.stdout) == (0, 0, plain.stdout), made.stderr


def test_own_bodies_are_kept(folder: Path) -> None:
    """Each line of a function that is not on its `def` line, with its comment."""
    made = command("convert", "layouts.py", "--stdout", cwd=folder).stdout.decode().splitlines()
    asynchronous = [
        "      yield n or 1  # an asynchronous generator",
        "    for n in self.x:",
        "  async def each(self):",
    ]
    moved = (
        "def one",
        "def two",
        "def three",
        "  def __init__",
        "    items =",
        "    return inner",
        " " * 25 + "n)",
    )
    kept = [line for line in LAYOUTS.splitlines() if line and not line.startswith(moved)]
    assert [line for line in kept if line not in [*made, *asynchronous]] == []


def test_converting_again_changes_nothing(folder: Path) -> None:
    assert command("convert", "layouts.py", "--in-place", cwd=folder).returncode == 0
    before = (folder / "layouts.py").read_bytes()
    for options in ([], ["--staged-only"]):
        assert command("convert", "layouts.py", "--check", *options, cwd=folder).returncode == 0
        assert command("convert", "layouts.py", "--in-place", *options, cwd=folder).returncode == 0
    assert (folder / "layouts.py").read_bytes() == before


def test_diff(folder: Path) -> None:
    """No line of a body is removed."""
    done = command("convert", "layouts.py", "--diff", cwd=folder)
    hunk = done.stdout.decode().partition("def one")[0]
    assert not [line for line in hunk.splitlines()[2:] if line.startswith("-") and line != "-"]
    assert "+    if ag__.STAGING:" in hunk


def test_the_setting(folder: Path) -> None:
    expected = command("convert", "layouts.py", "--stdout", "--staged-only", cwd=folder).stdout
    (folder / "pyproject.toml").write_text("[tool.autograph-rs]\nstaged-only = true\n")
    assert command("convert", "layouts.py", "--stdout", cwd=folder).stdout == expected
    assert b"ag__.STAGING" not in expected


IMPORTED_LATER = """
import sys
import made
from autograph_rs import runtime

assert made.three(0) == 3
assert runtime.STAGING is False
assert "jax" not in sys.modules
import jax
import jax.numpy as jnp

assert jax.jit(made.above)(jnp.arange(6.0), 2.0) == 12.0
assert made.above([1, 5], 2) == 5
"""


def test_a_framework_that_is_imported_later(folder: Path) -> None:
    """The flag is False until then, and its first use under the framework is staged."""
    pytest.importorskip("jax")
    assert command("convert", "layouts.py", "-o", "made.py", cwd=folder).returncode == 0
    done = python("-c", IMPORTED_LATER, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")


TRACED = """
import autograph_rs as ag, numpy as np, made
from autograph_rs import runtime

found = []
def f(x):
    found.append(runtime.STAGING)
    return made.three(x)

assert runtime.STAGING is False
assert ag.function(f)(np.int64(0)) == 3
assert found[0] is not False
assert runtime.STAGING is False
"""


def test_the_flag_during_a_trace(folder: Path) -> None:
    """It is an object while a graph is built, and False again afterwards."""
    assert command("convert", "layouts.py", "-o", "made.py", cwd=folder).returncode == 0
    done = python("-c", TRACED, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")


SPECIALIZED = """
import dis, made
from autograph_rs import runtime

for _ in range(1000):
    made.three(0)
names = [i.opname for i in dis.get_instructions(made.three, adaptive=True) if i.argval == "STAGING"]
assert names == ["LOAD_ATTR_MODULE"], names
try:
    runtime.absent
except AttributeError as error:
    assert str(error) == "module 'autograph_rs.runtime' has no attribute 'absent'", error
else:
    raise AssertionError
"""


@pytest.mark.skipif(
    sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="is about the interpreter with the GIL",
)
def test_the_flag_is_read_fast(folder: Path) -> None:
    """CPython specializes the access to the flag once the module has no `__getattr__`."""
    assert command("convert", "layouts.py", "-o", "made.py", cwd=folder).returncode == 0
    done = python("-c", SPECIALIZED, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
