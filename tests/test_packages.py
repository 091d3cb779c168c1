"""Tests of converted packages: click, and rich in a full run. `packages/run.py` tests twelve."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from breadth import some
from packages.run import Converted, check_files, differences

import autograph_rs

ROOT = str(Path(autograph_rs.__file__).parents[1])

PROGRAMS = {
    "click": '''
import click
from click.testing import CliRunner

@click.group()
@click.version_option("1.2")
def tool():
    """Do things with names."""

@tool.command()
@click.argument("names", nargs=-1, required=True)
@click.option("-c", "--count", type=click.IntRange(1, 3), default=1, show_default=True, help="How often.")
@click.option("--loud/--quiet", envvar="TOOL_LOUD", help="With capitals.")
@click.option("--style", type=click.Choice(["plain", "long"]), multiple=True)
def greet(names, count, loud, style):
    """Greet each of NAMES."""
    for name in names * count:
        text = f"hello {name} {style}"
        click.echo(text.upper() if loud else text)

@tool.command()
@click.option("--size", prompt=True, type=int)
@click.confirmation_option(prompt="Sure?")
def drop(size):
    click.secho(f"dropped {size}", fg="red")

for line, answers in [
    ("--help", ""), ("--version", ""), ("greet --help", ""), ("greet", ""), ("nothing", ""),
    ("greet a b -c 2 --loud", ""), ("greet a -c 7", ""), ("greet --style long --style plain -- -x", ""),
    ("greet a --style lng", ""), ("drop", "many\\n3\\ny\\n"), ("drop --size 3", "n\\n"),
]:
    done = CliRunner().invoke(tool, line.split(), input=answers, prog_name="tool")
    print(line, done.exit_code, done.exception, done.output, sep="\\n")
''',
    "rich": """
from rich.columns import Columns
from rich.console import Console
from rich.json import JSON
from rich.markdown import Markdown
from rich.panel import Panel
from rich.pretty import Pretty
from rich.table import Table
from rich.tree import Tree

table = Table("name", "what it [b]does[/b]", title="Things", show_lines=True)
table.add_column("n", justify="right", style="cyan")
for n, name in enumerate(["plain", "[red]red[/red]", "wide \\u4e16\\u754c", "long " * 9]):
    table.add_row(name, f"it is number {n}", str(n * 1000))
tree = Tree("root")
tree.add("[bold]branch[/bold]").add("leaf :rocket:")
shown = [
    table, tree, Panel.fit("in a panel", title="panel"), Columns([f"item {n}" for n in range(12)]),
    JSON('{"a": [1, 2.5, null, true]}'), Markdown("# Head\\n\\n* one\\n* `two`\\n\\n> quoted *text*"),
    Pretty({"key": [*range(40)], "nested": {"more": ("x", 1)}}, expand_all=True),
]
for options in ({}, {"force_terminal": True, "color_system": "truecolor"}, {"legacy_windows": False}):
    console = Console(width=50, **options)
    for each in shown:
        console.print(each)
try:
    console.print("[b]closed twice[/b][/b]")
except Exception as error:
    print(type(error), error)
""",
}


PACKAGES = some(["click"], [*PROGRAMS])


def folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def run(*arguments: str, first: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python, with the folder `first` at the front of its path."""
    path = os.pathsep.join(filter(None, [str(first or ""), ROOT, os.environ.get("PYTHONPATH")]))
    variables = os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        env=variables, capture_output=True, text=True, encoding="utf-8", timeout=600, check=False,
    )  # fmt: skip


def convert(*arguments: str | Path) -> str:
    done = run("-m", "autograph_rs", "convert", *map(str, arguments))
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("converted")
    done = Converted(" and ".join(PACKAGES))
    folders = [*map(folder, PACKAGES)]
    check_files(done, folders, out, convert(*folders, "-o", out))
    assert not done.faults
    assert done.files > some(10, 100)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_a_converted_package_does_what_the_original_does(package: str, converted: Path) -> None:
    wanted, done = (run("-c", PROGRAMS[package], first=first) for first in (None, converted))
    assert (wanted.returncode, wanted.stderr) == (0, "")
    assert (done.returncode, done.stdout, done.stderr) == (0, wanted.stdout, "")
    where = run("-c", f"import {package}; print({package}.__file__)", first=converted).stdout.strip()
    assert Path(where) == converted / package / "__init__.py"


@pytest.mark.slow
def test_conversion_is_the_same_each_time(converted: Path, tmp_path: Path) -> None:
    convert(folder("click"), "-o", tmp_path, "-j", 1)
    assert differences(tmp_path / "click", converted / "click") == []


def test_a_difference_is_found(tmp_path: Path) -> None:
    for name, text in (("one", "x = 1\n"), ("other", "x = 2\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.py").write_text("y = 1\n", encoding="utf-8")
        (tmp_path / name / "module.py").write_text(text, encoding="utf-8")
    (tmp_path / "other" / "more.py").touch()
    assert differences(tmp_path / "one", tmp_path / "other") == ["module.py", "more.py"]


@pytest.mark.slow
def test_what_is_converted_stays_when_it_is_converted_again(converted: Path) -> None:
    convert(converted, "--check")
