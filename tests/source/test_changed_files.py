"""A source file that has changed since it was imported: what matters is noticed, what does not is not."""

from __future__ import annotations

import importlib
import linecache
import os
import sys
from pathlib import Path

import pytest

import autograph_rs as ag

TEXT = """import functools

CONSTANT = 1


def f(x, k=2):
    # says nothing
    def inner(y):
        return y if y > 0 else -y

    return inner(x) * k if (x, -0.0, (1, True)) else 0


class Owner:
    def method(self, x):
        return x if x > 0 else CONSTANT
"""
LONGER = TEXT.replace("import functools", "import functools\nimport itertools\n\nNUMBERS = [\n    1,\n]")


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The module of the text, and a function that gives its file another one."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "changing.py"
    path.write_text(TEXT, encoding="utf-8")
    os.utime(path, (1, 1))

    def change(text: str, at: int = 2) -> None:
        path.write_text(text, encoding="utf-8")
        os.utime(path, (at, at))

    yield importlib.import_module("changing"), change
    del sys.modules["changing"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-y", "+y"),
        ("y > 0", "y > 1"),
        ("(x, -0.0, (1, True))", "(x, 0.0, (1, True))"),
        ("(x, -0.0, (1, True))", "(x, -0.0, (1, 1))"),
        ("(1, True)", "(1.0, True)"),
        ("def f(x, k=2)", "def f(k, x=2)"),
        ("inner", "other"),
        ("def f(", "def g("),
        ("        return y if y > 0 else -y", "        return y"),
        (TEXT, ""),
        (TEXT, "def f(x, k=2):\n    return x * k\n"),
        (TEXT, "def f(x, k=2):"),
    ],
)
@pytest.mark.parametrize("shifted", [False, True], ids=["in its place", "on other lines"])
def test_noticed(imported, old: str, new: str, shifted: bool):
    module, change = imported
    change((LONGER if shifted and old != TEXT else TEXT).replace(old, new))
    with pytest.raises(ag.ConversionError, match=r"changing\.py"):
        ag.to_graph(module.f)


@pytest.mark.parametrize(
    "text",
    [
        LONGER,
        TEXT.replace("    # says nothing\n", ""),
        TEXT.replace("# says nothing", "# another comment"),
        TEXT.replace("x > 0", "x   >   0"),
        TEXT.replace("k=2", "k = 2"),
        TEXT.replace("CONSTANT = 1", "CONSTANT = 5"),
        TEXT.replace("\n\n\nclass", "\n\n\ndef more():\n    pass\n\n\nclass"),
        TEXT.replace("return y if y > 0 else -y", "return y if y > 0 else \\\n            -y"),
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        TEXT.rstrip(),
        TEXT.replace("def f", "\x0cdef f"),
    ],
)  # fmt: skip
def test_of_no_account(imported, text: str):
    """Lines, spaces, comments and other functions may change: it is still the source of what runs."""
    module, change = imported
    change(text)
    assert ag.to_graph(module.f)(-3) == module.f(-3) == 6
    assert ag.to_graph(module.Owner().method)(-3) == 1


def test_of_the_same_size_and_time(imported):
    """linecache takes it for the file that it knows; if that is not what was imported, it is noticed."""
    module, change = imported
    linecache.getlines(module.__file__)
    change(TEXT.replace("-y", "+y"), at=1)
    assert ag.to_graph(module.f)(-3) == 6
    linecache.clearcache()
    with pytest.raises(ag.ConversionError, match="has changed since"):
        ag.to_code(fresh(module.f))


def fresh(function):
    """The function with a code object of its own, which was not converted before."""
    function.__code__ = function.__code__.replace()
    return function


def test_reloaded(imported):
    module, change = imported
    before = module.f
    change(TEXT.replace("-y", "-y * 2"))
    importlib.reload(module)
    assert ag.to_graph(module.f)(-3) == 12
    with pytest.raises(ag.ConversionError, match="has changed since"):
        ag.to_graph(before)


def test_what_was_converted_before_stays(imported):
    module, change = imported
    converted = ag.to_graph(module.f)
    change("")
    assert converted(-3) == ag.to_graph(module.f)(-3) == 6


def test_another_function_in_its_place(imported):
    """Its text on the same lines, under the same name, is not taken."""
    module, change = imported
    change(TEXT.replace("return inner(x) * k", "return inner(k) * x"))
    with pytest.raises(ag.ConversionError, match=r"(?s)has changed since.*reload the module"):
        ag.to_graph(module.f)


def test_where_a_moved_function_stands(imported):
    """The lines of converted code are those where the text is now, which a traceback shows."""
    module, change = imported
    change(LONGER.replace("return x if x > 0 else CONSTANT", "return x if x > 0 else CONSTANT  # here"))
    line = ag.to_graph(module.Owner.method).__code__.co_firstlineno
    assert linecache.getline(module.__file__, line).strip() == "def method(self, x):"
