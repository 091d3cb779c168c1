"""Converted modules, and an environment whose interpreters take them in place of the originals."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import signal
import site
import subprocess
import sys
import sysconfig
import time
import tokenize
import venv
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from autograph_rs.ahead_of_time.modules import convert_module

HERE = Path(__file__).resolve().parent
TESTS = {"test", "tests", "idle_test", "__pycache__"}  # folders in packages that hold none of their code


@dataclass
class Run:
    """Outcomes of the tests that one process ran."""

    outcomes: dict[str, str] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    seconds: float = 0.0
    processor_seconds: float = 0.0

    @property
    def passed(self) -> set[str]:
        return {test for test, outcome in self.outcomes.items() if outcome == "passed"}


@dataclass(frozen=True)
class Row:
    """Modules and packages under one name, and the modules of tests for them."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass
class Conversion:
    """Results of converting the functions of some modules."""

    functions: int = 0
    converted: int = 0
    refused: int = 0
    refusals: list[str] = field(default_factory=list)
    originals: list[str] = field(default_factory=list)


class Environment:
    """A virtual environment whose interpreters take converted modules in place of originals."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        root = folder / "environment"
        venv.create(root, clear=True, symlinks=os.name != "nt")
        self.python = venv.EnvBuilder().ensure_directories(root).env_exe
        base = {"base": str(root), "platbase": str(root)}
        packages = Path(sysconfig.get_path("purelib", "venv", base))
        shutil.copy(HERE / "in_place.py", packages / "sitecustomize.py")
        sites = [
            *site.getsitepackages(),
            *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []),
        ]
        (packages / "in_place.json").write_text(json.dumps({"sites": sites}), encoding="utf-8")

    def convert(self, row: Row) -> Conversion:
        """Convert the modules and packages of a row by the command line."""
        out = self.folder / row.name / "modules"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        done = Conversion()
        for module in row.modules:
            spec = PathFinder.find_spec(module)  # not the frozen one
            if spec is None or spec.origin is None or Path(spec.origin).suffix != ".py":
                done.refusals.append(f"this interpreter has no source of {module}")
                continue
            source = Path(spec.origin)
            for place in spec.submodule_search_locations or ():  # tests in it stay, data beside it counts
                shutil.copytree(place, out / module, ignore=shutil.ignore_patterns("__pycache__"))
                source = Path(place)
            files = (
                [f for f in source.rglob("*.py") if not TESTS & {*f.parts}] if source.is_dir() else [source]
            )
            for file in files:
                convert(file, out / file.relative_to(source.parent), done)
        return done

    def run(
        self,
        row: Row,
        kind: str,
        timeout: float,
        originals: Collection[str] = (),
        only: Collection[str] | None = None,
    ) -> Run:
        """The tests of a row; with its modules replaced, if `originals` names the files that are."""
        folder = self.folder / row.name
        current, records, converted = folder / kind, folder / f"{kind}.jsonl", folder / "modules"
        current.mkdir(parents=True, exist_ok=True)
        records.unlink(missing_ok=True)
        job = {
            "tests": row.tests, "only": None if only is None else [*only], "modules": row.modules,
            "originals": [*originals], "records": str(records),
        }  # fmt: skip
        (folder / f"{kind}.json").write_text(json.dumps(job), encoding="utf-8")
        command = [self.python, "-P", str(HERE / "run_tests.py"), str(folder / f"{kind}.json")]
        environ = os.environ | {
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
        }  # signals go to any thread
        environ["AUTOGRAPH_RS_IN_PLACE"] = str(converted) if originals else ""
        start = time.monotonic()
        ended, tail = process(command, environ, current, folder / f"{kind}.txt", timeout)
        run = Run(seconds=time.monotonic() - start)
        last = read(records, run)
        if last is None:
            run.fault = f"{ended} after {len(run.outcomes)} tests\n{tail}".rstrip()
        elif originals:
            run.fault = misplaced(converted, row.modules, last)
        return run


def process(
    command: list[str], environ: dict[str, str], current: Path, output: Path, timeout: float
) -> tuple[str, str]:
    """Run a command, and end all that it started; how it ended, and the end of its output."""
    with open(output, "w+", encoding="utf-8", errors="replace") as file:
        started = subprocess.Popen(
            command, cwd=current, env=environ, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            ended = f"ended with status {started.wait(timeout)}"
        except subprocess.TimeoutExpired:
            ended = f"did not end within {timeout:g} s"
        finally:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(started.pid, signal.SIGKILL)
            started.kill()
            started.wait()
        file.seek(0)
        return ended, "".join(file.readlines()[-15:])


def read(records: Path, run: Run) -> dict[str, Any] | None:
    """Fill `run` from the records; the closing record, where the run came to its end."""
    lines = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
    record: dict[str, Any]
    for record in map(json.loads, lines):
        if "files" in record:
            return record
        run.outcomes[record["id"]] = record["outcome"]
        run.details[record["id"]] = record["detail"]
    return None


def convertible(file: Path) -> bool:
    """Return whether a file has anything to convert: one with constants only stays as it is."""
    with tokenize.open(file) as source:
        text = source.read()
    return convert_module(text, str(file)) is not None


def misplaced(folder: Path, modules: Collection[str], last: dict[str, Any]) -> str:
    """Why the tests did not see the converted modules, if they did not."""
    files = {Path(file): marked for file, marked in last["files"].items()}
    others = sorted(str(file) for file in files if folder not in file.parents)
    unmarked = sorted(
        str(file) for file, marked in files.items()
        if not marked and not TESTS & {*file.parts} and convertible(file)
    )  # fmt: skip
    unseen = sorted(
        module for module in modules
        if not any(file.relative_to(folder).parts[0] in (module, f"{module}.py") for file in files
                   if folder in file.parents)
    )  # fmt: skip
    if others:
        return f"the tests saw {', '.join(others)}"
    if unmarked:
        return f"not converted: {', '.join(unmarked)}"
    if unseen:
        return f"the tests never loaded {', '.join(unseen)}"
    if last["strays"]:
        return f"the tests saw other copies under the names {last['strays']}"
    return ""


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """The functions that lie in no other function, with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def rewritten(original: ast.AST, converted: ast.AST) -> int:
    """Count the functions of `original` that call operators in `converted`."""

    def uses_operators(node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id == "ag__" for n in ast.walk(node))

    names = Counter(name for name, _ in functions(original))
    found = Counter(name for name, node in functions(converted) if uses_operators(node))
    return (names & found).total()


def parsed(file: Path) -> ast.AST:
    with tokenize.open(file) as text:
        return ast.parse(text.read())


def convert(source: Path, out: Path, done: Conversion) -> None:
    """Convert a file by the command line, and add to `done` what became of its functions."""
    original = parsed(source)
    done.originals.append(str(source))
    count = sum(1 for _ in functions(original))
    done.functions += count
    command = [sys.executable, "-P", "-m", "autograph_rs", "convert", str(source), "-o", str(out)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if ended.returncode == 0 and out.exists():
        done.converted += rewritten(original, parsed(out))
    else:
        done.refused += count
        said = (ended.stderr or ended.stdout).strip()
        done.refusals.append(said or f"{source}: ended with status {ended.returncode}")
