"""Writes `docs/benchmarks.md`: what the other scripts here print, one after the other on one machine.

    python benchmarks/page.py [--rounds N]

Where one fails, the page stays as it is.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
PACKAGES = ("numpy", "gast", "diastatic-malt", "autograd", "tensorflow-cpu", "tensorflow", "jax", "torch")
SCRIPTS = {
    "run.py": "Conversion, and runs on plain values",
    "costs.py": "Calls, imports, traces, loops, memory, threads, files",
    "staged.py": "Functions that run as graphs",
    "gradients.py": "Gradients",
    "scaling.py": "Conversion of functions of ten times the lines, which takes at most twelve times as long",
}
ROUND = ("run.py", "costs.py")
INTRO = """# Benchmarks

Made by `nox -s bench`, one script after the other on one machine: {machine}.
{versions}.

In the first two tables each system runs in a process of its own, the systems in turns; in the third all run
in one process. Other machines give other figures; what holds elsewhere too is about how they compare.
[Performance](performance.md) says where the time goes, and holds the figures against what we aim at.
"""


def processor() -> str:
    """The model of the processor, where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.processor() or platform.machine()


def versions() -> str:
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def output(script: str, options: list[str]) -> str:
    """Return the output of a script, and show it as it arrives."""
    command = [sys.executable, str(HERE / script), *options]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if running.returncode:
        sys.exit(f"{script} failed; {PAGE.name} stays as it is")
    return "".join(lines).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", help="for the scripts that go round")
    rounds = parser.parse_args().rounds
    python = f"CPython {platform.python_version()}"
    machine = f"{processor()}, {os.cpu_count()} cores, {platform.system()}, {python}"
    parts = [INTRO.format(machine=machine, versions=versions())]
    for script, title in SCRIPTS.items():
        print(f"\n{title}\n", flush=True)
        options = ["--rounds", rounds] if rounds and script in ROUND else []
        command = " ".join(["python", f"benchmarks/{script}", *options])
        parts.append(
            f"## {title}\n\n`{command}`\n\n<!-- picture -->\n```text\n{output(script, options)}\n```\n"
        )
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
