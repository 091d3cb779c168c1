"""Convert the standard library and popular packages by the command line, and run tests of the packages.

    python tests/packages/run.py [NAME ...] [--keep DIR] [--timeout SECONDS]

A name is `stdlib` or one of `packages.toml`. An environment of its own gets the packages, of the
versions that the index has, and this tree. Each folder is converted twice, into two folders. A file
of which nothing came must be one that Python itself does not compile, such as some that the standard
library has for its tests; these are counted as `no Python`. What was made must compile, be the same
both times, and stay as it is when it is converted again.

Then the packages' own tests run, with the originals and with the converted packages before them on
the path. A test that passes on the originals must pass converted. If one does not, the originals are
tried again, and a test that does not pass twice does not count. `inside.toml` lists the tests that
look inside, where a converted package cannot be as it was, each with the reason.

Ends with status 0 if all of that holds, and none of the tests that are listed passes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import tomllib
import venv
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stdlib"))

from environment import Run, process
from report import Report, listed, table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STDLIB = "stdlib"
LEFT_OUT = ("site-packages", "__pycache__")  # of the folder of the standard library
HOUR = 3600.0
NO_PYTHON = 3  # the status of the command when there were files that it could not convert


@dataclass(frozen=True)
class Package:
    """One row of `packages.toml`."""

    name: str
    install: str
    folders: tuple[str, ...]
    tests: str
    needs: tuple[str, ...]


@dataclass
class Converted:
    """Results of converting the files of one package."""

    name: str
    files: int = 0
    lines: int = 0
    no_python: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def row(self) -> list[str]:
        rate = self.files / self.seconds if self.seconds else 0.0
        counts = (self.files, self.lines, self.no_python, len(self.faults))
        return [self.name, *(f"{count:,}" for count in counts), f"{self.seconds:.1f}", f"{rate:.1f}"]


class Workshop:
    """An environment with this tree and some packages, and the folders that are made of these."""

    def __init__(self, folder: Path, packages: Iterable[Package], timeout: float) -> None:
        self.folder = folder
        self.timeout = timeout
        root = folder / "environment"
        venv.create(root, clear=True, with_pip=True, symlinks=os.name != "nt")
        self.python = venv.EnvBuilder().ensure_directories(root).env_exe
        base = {"base": str(root), "platbase": str(root)}
        self.installed = Path(sysconfig.get_path("purelib", "venv", base))
        tree = folder / "tree"  # a copy, since building leaves files behind
        shutil.rmtree(tree, ignore_errors=True)
        kept_out = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
        shutil.copytree(ROOT, tree, ignore=kept_out)
        wanted = {requirement for package in packages for requirement in (package.install, *package.needs)}
        self.pip("install", str(tree), *sorted(wanted))

    def pip(self, *arguments: str) -> None:
        command = [self.python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
        subprocess.run(command, env=environ(), stdout=sys.stderr, check=True, timeout=HOUR)

    def convert(self, name: str, folders: list[Path]) -> Converted:
        """Convert folders twice, and check what came of it."""
        done = Converted(name)
        shutil.rmtree(self.folder / name, ignore_errors=True)
        out, again = self.folder / name / "converted", self.folder / name / "again"
        start = time.monotonic()
        said = self.command(done, [*map(str, folders), "-o", str(out)])
        done.seconds = time.monotonic() - start
        check_files(done, folders, out, said)
        self.command(done, [*map(str, folders), "-o", str(again)])
        done.faults += [f"{file}: another one the second time" for file in differences(out, again)]
        self.command(done, [str(out), "--check"], may_fail=False)
        shutil.rmtree(again, ignore_errors=True)
        print(*done.row(), file=sys.stderr, flush=True)
        return done

    def command(self, done: Converted, arguments: list[str], *, may_fail: bool = True) -> str:
        """Run `autograph-rs convert`; what it said."""
        command = [self.python, "-P", "-m", "autograph_rs", "convert", *arguments]
        ended = subprocess.run(
            command,
            env=environ(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=HOUR,
            check=False,
        )
        statuses = (0, NO_PYTHON) if may_fail else (0,)
        if ended.returncode not in statuses or "Traceback" in ended.stderr:
            done.faults.append(f"{' '.join(arguments)}: status {ended.returncode}\n{ended.stderr[-2000:]}")
        return ended.stderr

    def check(self, package: Package) -> Report:
        """Run a package's own tests on the originals, and on what was made of them."""
        tests = self.tests(package)
        report = Report(package.name)
        report.before = self.run(package, tests, "plain")
        report.inside = listed(HERE / "inside.toml", report.before.outcomes)
        report.after = self.run(package, tests, "converted", self.folder / package.name / "converted")
        if report.lost and report.whole:
            report.again = self.run(package, tests, "plain-again")
        print(*suite_row(report), file=sys.stderr, flush=True)
        return report

    def tests(self, package: Package) -> list[str]:
        """Return the arguments with which pytest finds a package's tests."""
        if package.tests == "pyargs":
            return ["--pyargs", *package.folders]
        found = self.folder / package.name / "sdist"
        self.pip("download", "--no-deps", "--no-binary", ":all:", "--dest", str(found), package.install)
        archive = next(found.glob("*.tar.gz"))
        with tarfile.open(archive) as packed:
            packed.extractall(found, filter="data")
        return [str(found / archive.name.removesuffix(".tar.gz") / "tests")]

    def run(self, package: Package, tests: list[str], kind: str, converted: Path | None = None) -> Run:
        """Run tests; on a converted package, if its folder is given."""
        records = self.folder / package.name / f"{kind}.xml"
        current = self.folder / package.name / f"{kind}-tests"  # where no folder has a package's name
        current.mkdir(parents=True, exist_ok=True)
        records.unlink(missing_ok=True)
        own = {"PYTHONPATH": str(converted)} if converted is not None else {}
        start, processor_start = time.monotonic(), children_seconds()
        ended, tail = process(
            [self.python, "-P", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
             f"--junitxml={records}", *tests],
            environ() | {"PYTHONHASHSEED": "0"} | own, current, current.with_suffix(".txt"), self.timeout,
        )  # fmt: skip
        run = Run(seconds=time.monotonic() - start, processor_seconds=children_seconds() - processor_start)
        if records.exists():
            read(records, run)
        else:
            run.fault = f"{ended}\n{tail}"
        if converted is not None:
            run.fault = run.fault or self.misplaced(package, converted)
        return run

    def misplaced(self, package: Package, converted: Path) -> str:
        """Return the modules that would not be imported from the converted package."""
        code = "import importlib, sys\nfor n in sys.argv[1:]: print(importlib.import_module(n).__file__)"
        said = subprocess.run(
            [self.python, "-P", "-c", code, *package.folders],
            env=environ() | {"PYTHONPATH": str(converted)}, capture_output=True, text=True, check=False,
            timeout=300,
        )  # fmt: skip
        others = [file for file in said.stdout.splitlines() if converted not in Path(file).parents]
        return said.stderr or ", ".join(others)


def children_seconds() -> float:
    """The processor's time of all processes that this one has started, and that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def environ() -> dict[str, str]:
    """The environment without what leads Python to other packages."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


def check_files(done: Converted, folders: list[Path], out: Path, said: str) -> None:
    """Check that each file of the folders was converted and compiles, or could not be converted."""
    for folder in folders:
        base = folder.parent if (folder / "__init__.py").exists() else folder
        for file in sorted(folder.rglob("*.py")):
            if {*LEFT_OUT} & {*file.relative_to(base).parts}:
                continue
            made = out / file.relative_to(base)
            done.files += 1
            done.lines += file.read_bytes().count(b"\n")
            if made.exists():
                error = syntax_error(made)
                done.faults += [f"{made}: {error}"] if error else []
            elif syntax_error(file):
                done.no_python += 1
            else:
                reasons = [line for line in said.splitlines() if line.startswith(f"{file}:")]
                done.faults += reasons or [f"{file}: nothing came of it"]


def syntax_error(file: Path) -> str:
    """Why Python does not compile a file, if it does not."""
    with warnings.catch_warnings(action="ignore"):
        try:
            compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError) as error:
            return str(error)
    return ""


def differences(one: Path, other: Path) -> list[str]:
    """The paths of the files that two folders do not both have, or not with the same bytes."""
    contents = [dict(digests(folder)) for folder in (one, other)]
    return sorted({path for path, _ in contents[0].items() ^ contents[1].items()})


def digests(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            yield path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).digest()


def read(records: Path, run: Run) -> None:
    """Fill `run` from the XML that pytest wrote."""
    for case in ET.parse(records).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        bad = next((element for element in case if element.tag in ("failure", "error")), None)
        if bad is not None:
            run.outcomes[test] = "failed"
            run.details[test] = bad.text or bad.get("message", "")
        elif case.find("skipped") is not None:
            run.outcomes.setdefault(test, "skipped")
        else:
            run.outcomes.setdefault(test, "passed")


def known() -> dict[str, Package]:
    rows = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))
    return {
        name: Package(name, row["install"], tuple(row.get("folders", [name])), row.get("tests", ""),
                      tuple(row.get("needs", ())))
        for name, row in rows.items()
    }  # fmt: skip


def suite_row(report: Report) -> list[str]:
    """The row of a report without what it says of the conversion."""
    name, _, _, _, *cells = report.row()
    return [name, *cells]


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{STDLIB} or packages; all, if none is named"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in DIR and leave it there")
    parser.add_argument("--timeout", type=float, default=HOUR, help="seconds for one run of tests")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    packages = known()
    names = options.names or [STDLIB, *packages]
    unknown = [name for name in names if name not in (STDLIB, *packages)]
    if unknown:
        print(f"packages.toml lacks {', '.join(unknown)}.")
        return 2
    chosen = [packages[name] for name in names if name in packages]
    with tempfile.TemporaryDirectory(prefix="packages-", ignore_cleanup_errors=True) as temporary:
        workshop = Workshop((options.keep or Path(temporary)).resolve(), chosen, options.timeout)
        found = [workshop.convert(p.name, [workshop.installed / f for f in p.folders]) for p in chosen]
        if STDLIB in names:
            found.insert(0, workshop.convert(STDLIB, [Path(sysconfig.get_path("stdlib"))]))
        reports = [workshop.check(package) for package in chosen if package.tests]
    head = ["package", "files", "lines", "no Python", "faults", "s", "files/s"]
    print(table([head, *(done.row() for done in found)]))
    if reports:
        head = ["tests of", "tests", "passed before", "passed after", "listed", "lost", "s before", "s after"]
        print(f"\n{table([head, *map(suite_row, reports)])}")
    for fault in [fault for done in found for fault in done.faults]:
        print(f"\n{fault}")
    for remark in [remark for report in reports for remark in report.remarks()]:
        print(f"\n{remark}")
    return 0 if not any(done.faults for done in found) and all(report.good for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
