"""The checks, each in an environment of its own; `nox` alone runs what every change must pass."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "types", "tests", "docs", "site", "examples", "package"]

HERE = Path(__file__).parent
DEV = nox.project.load_toml(HERE / "pyproject.toml")["project"]["optional-dependencies"]["dev"]


def tool(name: str) -> str:
    """The requirement of a tool, with its version, as the extra `dev` has it."""
    return next(requirement for requirement in DEV if requirement.startswith(name))


def install(session: nox.Session, extras: str = "") -> None:
    """Install the package as a user gets it: copied, with its folders in their places."""
    shutil.rmtree(HERE / "build", ignore_errors=True)  # setuptools would pack what is left there
    session.install(f".{extras}")


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style of the code, its layout, and the form of the workflows."""
    session.install(tool("ruff"), tool("check-jsonschema"))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check")
    workflows = [str(file) for file in sorted(HERE.glob(".github/workflows/*.yml"))]
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the installed package: a checkout has its folders side by side."""
    install(session)
    session.install(tool("mypy"))
    session.chdir(session.create_tmp())  # where no folder `autograph_rs` hides the installed one
    session.run("mypy", "--config-file", str(HERE / "pyproject.toml"), "--package", "autograph_rs")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests on the installed package."""
    install(session, "[test]")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples in docstrings, in the README and in the other documents."""
    install(session, "[test]")
    session.run("pytest", "tests/test_docs.py", *session.posargs)


@nox.session
def site(session: nox.Session) -> None:
    """Build the documentation into `site/`; a warning is an error."""
    install(session, "[docs]")
    session.run("mkdocs", "build", "--strict", *session.posargs)


@nox.session
def examples(session: nox.Session) -> None:
    """Run each example and show what it prints."""
    install(session, "[examples,jax,onnx,native]")
    for script in sorted(HERE.glob("examples/*.py")):
        session.run("python", str(script))


@nox.session
def package(session: nox.Session) -> None:
    """Build and check the distributions, and use the wheel in a fresh environment; `--out DIR` keeps them."""
    session.install(tool("build"), tool("check-wheel-contents"), tool("twine"))
    session.run("python", "tests/release/run.py", *session.posargs)


@nox.session
def stdlib(session: nox.Session) -> None:
    """Run CPython's own tests on converted modules of the standard library."""
    install(session)
    session.run("python", "tests/stdlib/run.py", *session.posargs)


@nox.session
def packages(session: nox.Session) -> None:
    """Convert the standard library and twelve packages, and run the tests of four on what came of them."""
    session.run("python", "tests/packages/run.py", *session.posargs)


@nox.session
def versions(session: nox.Session) -> None:
    """Run the conformance samples on the oldest and newest versions, each in a fresh environment."""
    session.run("python", "tests/backends/versions.py", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Run generated programs converted and unconverted."""
    install(session, "[test]")
    session.run("python", "tests/fuzzing/run.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure speed, beside peers and against length, and write it into docs/benchmarks.md."""
    install(session, "[native]")
    tensorflow = "tensorflow-cpu" if sys.platform == "linux" else "tensorflow"
    peers = ["diastatic-malt", "autograd", "jax", "numba", tensorflow, "torch"]
    session.install(*peers)
    session.run("python", "benchmarks/page.py", *session.posargs)


@nox.session
def pennylane(session: nox.Session) -> None:
    """Run PennyLane's tests of autograph on the example that embeds the transpiler, with PennyLane's JAX."""
    install(session, "[test]")
    session.install("pennylane>=0.45,<0.46", "diastatic-malt", "jax==0.7.1", "pytest-mock")
    session.run("pytest", "tests/transpiler/test_pennylane.py", "tests/test_examples.py", "-k", "pennylane")


@nox.session
def pytensor(session: nox.Session) -> None:
    """Run the tests that need PyTensor, with the numba that it requires."""
    install(session, "[test,pytensor]")
    tests = ["backends/test_pytensor.py", "backends/test_conformance.py", "backends/test_versions.py"]
    tests += ["test_docs.py", "test_examples.py"]
    environ = {"AG_REQUIRE_BACKENDS": "pytensor"}
    session.run("pytest", "-n", "auto", *[f"tests/{name}" for name in tests], "-k", "pytensor", env=environ)
