"""Build the source distribution and the wheel, check both, and use the wheel as its users will.

    python tests/release/run.py [--out DIR] [--tag TAG]

The wheel is built from the source distribution. It must hold the same files as a wheel built from the
checkout, and the source distribution must hold every file that git tracks. `twine` and
`check-wheel-contents` check both.

A fresh environment then gets the wheel and its dependencies, nothing else. There, outside the checkout, the
sessions of README.md run, and so do its example and its commands. A converted program prints what the
original does.

With --out, the two files are copied to DIR. With --tag, the version must be that of a tag such as v1.2.3.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "autograph-rs"
GENERATED = ("PKG-INFO", "setup.cfg", "autograph_rs.egg-info/")  # in a source distribution, by setuptools
MINUTES = 10.0
PROGRAM = """\
def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


print(collatz(27))
"""


def environ() -> dict[str, str]:
    """The environment without variables that lead Python to other packages."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_"))}


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command that must succeed, and return its output."""
    print("$", shlex.join(map(str, command)), flush=True)
    done = subprocess.run(
        command, cwd=cwd, env=environ(), capture_output=True, text=True, check=False, timeout=60 * MINUTES
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nexit code {done.returncode}")
    return done.stdout


# Build --------------------------------------------------------------------------------------------


def build(out: Path, *options: str) -> None:
    for leftover in (
        "build",
        "autograph_rs.egg-info",
    ):  # setuptools would pack what an earlier build left there
        shutil.rmtree(ROOT / leftover, ignore_errors=True)
    run(sys.executable, "-m", "build", *options, "--outdir", out, ROOT)


def listed_files(*options: str) -> set[str]:
    """The files of the checkout that `git ls-files` lists."""
    names = run("git", "-C", ROOT, "ls-files", "-z", *options).split("\0")
    return {name for name in names if name and (ROOT / name).is_file()}


def wrong_files(sdist: Path) -> list[str]:
    """Files that git tracks and the source distribution lacks (-), and files in it that git ignores (+)."""
    with tarfile.open(sdist) as packed:
        names = [member.name.partition("/")[2] for member in packed if member.isfile()]
    found = {name for name in names if not name.startswith(GENERATED)}
    tracked, new = listed_files(), listed_files("--others", "--exclude-standard")
    lacking, ignored = sorted(tracked - found), sorted(found - tracked - new)
    return [*(f"- {name}" for name in lacking), *(f"+ {name}" for name in ignored)]


def differing_files(one: Path, other: Path) -> list[str]:
    """The paths of the files that two wheels do not both have, or not with the same bytes."""
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(other) as second:
        contents = [{(entry.filename, entry.CRC) for entry in wheel.infolist()} for wheel in (first, second)]
    return sorted({name for name, _ in contents[0] ^ contents[1]})


def distributions(folder: Path) -> tuple[Path, Path]:
    """Build and check the source distribution and the wheel."""
    build(folder / "dist")
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    build(folder / "direct", "--wheel")
    if differing := differing_files(wheel, folder / "direct" / wheel.name):
        sys.exit("A wheel built from the checkout differs:\n" + "\n".join(differing))
    if (ROOT / ".git").exists() and (wrong := wrong_files(sdist)):
        sys.exit(
            "The source distribution lacks tracked files (-), or has ignored ones (+):\n" + "\n".join(wrong)
        )
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    run(sys.executable, "-m", "check_wheel_contents", "--config", ROOT / "pyproject.toml", wheel)
    return sdist, wheel


# Use ----------------------------------------------------------------------------------------------


def install(wheel: Path, folder: Path) -> tuple[str, str]:
    """Install a wheel in a fresh environment; return the paths of its Python and of its command."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    context = venv.EnvBuilder().ensure_directories(folder)
    python, command = context.env_exe, Path(context.bin_path, COMMAND)
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", wheel)
    run(*pip, "check")
    return python, str(command)


def try_installed(python: str, command: str, folder: Path) -> None:
    """Run the sessions, the example and the commands of README.md, and a program and its conversion."""
    folder.mkdir()
    readme = Path(shutil.copy(ROOT / "README.md", folder))
    shutil.copytree(ROOT / "examples", folder / "examples")
    place = run(python, "-I", "-c", "import autograph_rs; print(autograph_rs.__file__)", cwd=folder)
    if ROOT in Path(place).parents:
        sys.exit(f"The checkout would be tried: {place}")
    run(python, "-I", "-m", "doctest", "README.md", cwd=folder)
    run(python, "-I", "examples/quickstart.py", cwd=folder)
    lines = [line for line in readme.read_text("utf-8").splitlines() if line.startswith(f"{COMMAND} ")]
    if not lines:
        sys.exit(f"README.md shows no command {COMMAND}.")
    for line in [f"{COMMAND} --help", *lines]:
        run(command, *shlex.split(line, comments=True)[1:], cwd=folder)
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    run(command, "convert", "program.py", "-o", "made.py", cwd=folder)
    printed = [run(python, "-I", name, cwd=folder) for name in ("program.py", "made.py")]
    if printed != ["111\n"] * 2:
        sys.exit(f"The program and its conversion print {printed}.")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, metavar="DIR", help="copy the distributions to DIR")
    parser.add_argument("--tag", help="the tag that must name the version")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="release-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        sdist, wheel = distributions(folder)
        if options.tag not in (None, f"v{wheel.name.split('-')[1]}"):
            sys.exit(f"The tag {options.tag} does not name the version of {wheel.name}.")
        python, command = install(wheel, folder / "environment")
        try_installed(python, command, folder / "tried")
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            for file in (sdist, wheel):
                shutil.copy(file, options.out)
    print(f"{sdist.name} and {wheel.name} can be published.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
