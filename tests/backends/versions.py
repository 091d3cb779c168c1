"""The conformance samples on the oldest and the newest supported version of each framework, and of NumPy.

    python tests/backends/versions.py [SUBJECT...] [--every N] [--write]
    python tests/backends/versions.py --smoke

Each version gets a fresh environment, one after the other. `--write` puts the results into
docs/conformance.md; `--smoke` runs ten samples on the oldest JAX and the oldest TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from table import FILE, read

ROOT = Path(__file__).resolve().parents[2]
SUITE = Path(__file__).with_name("conformance.py")
KINDS = ("staged", "unrolled", "error", "differs", "wrong")
MOST_REFUSED = 0.02
"""The share of the samples that the oldest version may refuse and the newest may not."""
SMOKE = ("jax", "tensorflow")
SMOKE_EVERY = 80
"""One sample in so many makes ten."""


@dataclass(frozen=True)
class Subject:
    """What has an oldest and a newest version, and the system of the suite that is run with them."""

    package: str
    system: str
    oldest: dict[str, str]
    """The oldest versions, also of what the package needs."""
    every: int = 1
    """One sample in so many is run: torch takes a second for each."""


OLD = {"numpy": "2.0.2", "gast": "0.6.0"}
SUBJECTS = {
    "jax": Subject("jax", "jax", {"jax": "0.6.0", "jaxlib": "0.6.0", **OLD}),
    "tensorflow": Subject("tensorflow-cpu", "tensorflow", {"tensorflow-cpu": "2.18.0", **OLD}),
    "torch": Subject("torch", "torch", {"torch": "2.12.0", **OLD}, every=5),
    "numpy": Subject("numpy", "graph", {"numpy": "2.0.0", "gast": "0.6.0"}),
}


@dataclass(frozen=True)
class Column:
    """The outcome of each sample on one version."""

    name: str
    kinds: dict[str, str]

    @property
    def refused(self) -> set[str]:
        return {sample for sample, kind in self.kinds.items() if kind in ("error", "foreign")}

    @property
    def wrong(self) -> set[str]:
        return {sample for sample, kind in self.kinds.items() if kind in ("wrong", "foreign")}


def wheel(folder: Path) -> Path:
    """Build the package in a copy of the tree, because setuptools packs what earlier builds left."""
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "build", "*.egg-info", "site"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, tree]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def column(subject: Subject, requirements: Sequence[str | Path], every: int) -> Column:
    """Run the samples in a fresh environment with these requirements."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        python = Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
        environ = {**os.environ, "PYTHONNOUSERSITE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        environ.pop("PYTHONPATH", None)
        install = [sys.executable, "-m", "pip", "--python", folder, "install", "--quiet", *requirements]
        subprocess.run(install, check=True, env=environ)
        asked = f"import importlib.metadata as m; print(m.version({subject.package!r}))"
        version = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout
        file = Path(folder, "column.json")
        command = [python, SUITE, subject.system, "--every", str(every), "--column", file]
        done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        kinds = json.loads(file.read_text(encoding="utf-8"))
    return Column(f"{subject.package.removesuffix('-cpu')} {version.split('+')[0].strip()}", kinds)


def both_ends(subject: Subject, package: Path, every: int) -> tuple[Column, Column]:
    """Return the columns of the oldest versions and of the newest that pip finds."""
    oldest = [f"{name}=={version}" for name, version in subject.oldest.items()]
    return (
        column(subject, [*oldest, package], every),
        column(subject, [*subject.oldest, "--upgrade", package], every),
    )


def counts(oldest: Column, newest: Column) -> list[str]:
    """Return the rows of the oldest and the newest version."""
    more = len(oldest.refused - newest.refused) / len(oldest.kinds)
    rows = []
    for this, share in ((oldest, f"{more:.1%}"), (newest, "")):
        count = Counter("wrong" if sample in this.wrong else kind for sample, kind in this.kinds.items())
        rows.append(f"| `{this.name}` | {' | '.join(str(count[k]) for k in KINDS)} | {share} |")
    return rows


def differences(oldest: Column, newest: Column) -> list[str]:
    """Return a row for each sample whose outcomes differ."""
    return [
        f"| {sample} | `{oldest.name}`: {kind} | `{newest.name}`: {newest.kinds[sample]} |"
        for sample, kind in sorted(oldest.kinds.items())
        if newest.kinds[sample] != kind
    ]


def text(ends: Sequence[tuple[Column, Column]]) -> str:
    """Return both tables."""
    rows = [row for pair in ends for row in counts(*pair)]
    different = [row for pair in ends for row in differences(*pair)]
    head = [f"| version | {' | '.join(KINDS)} | refused more |", f"|---{'|---' * (len(KINDS) + 1)}|"]
    lines = [*head, *rows]
    if different:
        lines += [
            "",
            "These samples have different outcomes:",
            "",
            "| sample | oldest | newest |",
            "|---|---|---|",
        ]
    return "\n".join([*lines, *different])


def write(tables: str) -> None:
    before, start, rest = FILE.read_text(encoding="utf-8").partition("<!-- versions -->")
    _, end, after = rest.partition("<!-- counts -->")
    FILE.write_text(f"{before}{start}\n\n{tables}\n\n{end}{after}", encoding="utf-8")


def problems(ends: Sequence[tuple[Column, Column]]) -> list[str]:
    """Return what the support of these versions must not have."""
    found = [
        f"{c.name}: {sample} is {c.kinds[sample]}"
        for pair in ends
        for c in pair
        for sample in sorted(c.wrong)
    ]
    for oldest, newest in ends:
        if len(oldest.refused - newest.refused) > MOST_REFUSED * len(oldest.kinds):
            found.append(f"{oldest.name} refuses more than {MOST_REFUSED:.0%} that {newest.name} does not")
    return found


def smoke(package: Path) -> list[str]:
    """Run ten samples on the oldest JAX and TensorFlow; return those that are wrong or refused only there."""
    found = []
    newest = read()
    for subject in map(SUBJECTS.__getitem__, SMOKE):
        requirements = [f"{name}=={version}" for name, version in subject.oldest.items()]
        made = column(subject, [*requirements, package], SMOKE_EVERY)
        print(made.name, dict(Counter(made.kinds.values())), flush=True)
        found += [
            f"{made.name}: {sample} is {made.kinds[sample]}"
            for sample in sorted(made.wrong | made.refused)
            if sample in made.wrong or newest[sample][subject.system] != made.kinds[sample]
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("subjects", nargs="*", choices=[*SUBJECTS, []], metavar="SUBJECT")  # [] is none
    parser.add_argument("--every", type=int, default=1, help="one sample in so many")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/conformance.md")
    parser.add_argument("--smoke", action="store_true", help="ten samples on the oldest JAX and TensorFlow")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        package = wheel(Path(folder))
        if options.smoke:
            found = smoke(package)
        else:
            ends = []
            for subject in map(SUBJECTS.__getitem__, options.subjects or SUBJECTS):
                ends.append(both_ends(subject, package, max(options.every, subject.every)))
                print("\n".join(counts(*ends[-1])), flush=True)
            print(text(ends))
            if options.write:
                write(text(ends))
            found = problems(ends)
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
