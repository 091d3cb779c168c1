"""What a release consists of: metadata, versions that agree, supported versions, and workflow files."""

from __future__ import annotations

import ast
import importlib.resources
import os
import re
import zipfile
from importlib.metadata import distribution, entry_points
from pathlib import Path
from typing import Any

import pytest
from backends.support import required
from cli_support import python
from packaging.requirements import Requirement
from release.run import differing_files
from test_house import ROOT

import autograph_rs as ag

DISTRIBUTION = distribution("autograph_rs")
METADATA = DISTRIBUTION.metadata
REQUIREMENTS = [Requirement(line) for line in DISTRIBUTION.requires or ()]
REPOSITORY = "https://github.com/autograph-rs/autograph_rs"
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def found(pattern: str, name: str) -> list[Any]:
    return re.findall(pattern, text(name), re.MULTILINE)


# Metadata -----------------------------------------------------------------------------------------


def test_license() -> None:
    """An SPDX expression, the file, and no classifier, which indexes reject beside an expression."""
    assert METADATA["License-Expression"] == "Apache-2.0"
    (file,) = [f for f in DISTRIBUTION.files or () if f.name == "LICENSE"]
    assert file.read_text() == text("LICENSE")
    assert not [c for c in METADATA.get_all("Classifier") if c.startswith("License")]


def test_authors_and_addresses() -> None:
    urls = dict(line.split(", ") for line in METADATA.get_all("Project-URL"))
    assert METADATA["Author"] == "The autograph_rs developers"
    assert {*urls} == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith(REPOSITORY) for url in urls.values())
    files = [url.partition("/blob/main/")[2] for url in urls.values() if "/blob/main/" in url]
    assert files
    assert all((ROOT / file).is_file() for file in files)


def test_classifiers() -> None:
    """The oldest Python is the one required, and each that CI sets up is named."""
    versions = [c.split(" :: ")[-1] for c in METADATA.get_all("Classifier") if re.search(r":: 3\.\d+$", c)]
    assert METADATA["Requires-Python"] == f">={versions[0]}"
    assert sorted(versions) == sorted(found(r"^ +(3\.\d+)$", ".github/workflows/ci.yml"))
    assert {"Typing :: Typed", "Operating System :: OS Independent"} <= {*METADATA.get_all("Classifier")}
    assert (importlib.resources.files("autograph_rs") / "py.typed").is_file()


def test_the_command_is_installed_with_what_it_needs() -> None:
    (command,) = entry_points(group="console_scripts", name="autograph-rs")
    assert command.value == "autograph_rs.cli:main"
    assert callable(command.load())
    assert {r.name for r in REQUIREMENTS if not r.marker} == {"click", "gast", "numpy", "rich"}


def test_requirements_are_ranges() -> None:
    """Users choose newer versions themselves; only tools of development have upper bounds."""
    bounds = {r.name: {s.operator for s in r.specifier} for r in REQUIREMENTS if "dev" not in str(r.marker)}
    assert {name: found for name, found in bounds.items() if found != {">="}} == {}


def test_an_import_of_the_package_needs_no_click(tmp_path: Path) -> None:
    """Only the command imports click and rich."""
    program = (
        "import sys, autograph_rs as ag; [getattr(ag, name) for name in ag.__all__];"
        "print({'click', 'rich'} & {*sys.modules})"
    )
    done = python("-c", program, cwd=tmp_path)
    assert (done.stdout.strip(), done.stderr) == (b"set()", b"")


def test_the_description_leads_to_files_of_the_repository() -> None:
    """On the package index, links of the README are absolute and name the tag; each file exists."""
    links = re.findall(r"\]\(([^)]*)\)", METADATA["Description"] or METADATA.get_payload())
    base = f"{REPOSITORY}/blob/v{METADATA['Version']}/"
    files = [link.removeprefix(base).partition("#")[0] for link in links if link.startswith(base)]
    assert METADATA["Description-Content-Type"] == "text/markdown"
    assert len(files) > 20
    assert all((ROOT / file).exists() for file in files)
    assert [link for link in links if not link.startswith("https://")] == []


# Versions -----------------------------------------------------------------------------------------


def test_versions_agree() -> None:
    """The package, the newest release of the changelog and the citation have one version, and one date."""
    released = found(r"^## \[(\d.*)\] - (\d{4}-\d\d-\d\d)$", "CHANGELOG.md")
    cited = found(r"^version: (.*)\ndate-released: (.*)$", "CITATION.cff")
    assert METADATA["Version"] == ag.__version__ == released[0][0]
    assert cited == released[:1]
    links = found(r"^\[(\d.*)\]: (.*)$", "CHANGELOG.md")
    assert links == [(version, f"{REPOSITORY}/releases/tag/v{version}") for version, _ in released]


def test_supported_versions_are_those_required() -> None:
    """docs/stability.md names the oldest version of all that the package can be installed with."""
    rows = dict(found(r"^\| (\w+) \| ([\d.]+) \|", "docs/stability.md"))
    assert f">={rows.pop('CPython')}" == METADATA["Requires-Python"]
    names = {"pytorch": "torch"}
    oldest = {names.get(name.lower(), name.lower()): f">={version}" for name, version in rows.items()}
    extras = ("jax", "tensorflow", "torch", "onnx", "native")
    used = [r for r in REQUIREMENTS if not r.marker or any(r.marker.evaluate({"extra": e}) for e in extras)]
    assert oldest == {r.name.removesuffix("-cpu"): str(r.specifier) for r in used}


def test_the_oldest_versions_are_tested() -> None:
    """The core tests in CI run with the oldest click and rich."""
    pinned = dict(found(r"'(click|rich)==([\d.]+)'", ".ci/run"))
    bounds = {r.name: str(r.specifier) for r in REQUIREMENTS if r.name in ("click", "rich")}
    assert {name: f">={version}" for name, version in pinned.items()} == bounds


# Distributions and workflows ----------------------------------------------------------------------


def test_a_difference_of_wheels_is_seen(tmp_path: Path) -> None:
    wheels = [tmp_path / "one.whl", tmp_path / "other.whl"]
    for wheel, module in zip(wheels, (b"x = 1", b"x = 2"), strict=True):
        with zipfile.ZipFile(wheel, "w") as packed:
            packed.writestr("same.py", b"")
            packed.writestr("module.py", module)
    assert differing_files(*wheels) == ["module.py"]
    assert differing_files(wheels[0], wheels[0]) == []


def sessions() -> set[str]:
    """The sessions of noxfile.py."""
    functions = [node for node in ast.parse(text("noxfile.py")).body if isinstance(node, ast.FunctionDef)]
    return {f.name for f in functions if "nox.session" in map(ast.unparse, f.decorator_list)}


def unknown(command: str) -> list[str]:
    """The files and sessions that a command of a workflow names and the repository lacks."""
    named = re.findall(r"(?<!\S)(?:tests/|\.)[\w./]+\w", command)
    called = re.findall(r"nox (?:-s|--sessions) ((?:\w+ ?)+)", command)
    missing = {name for names in called for name in names.split()} - sessions()
    return [*(file for file in named if not (ROOT / file).exists()), *sorted(missing)]


@pytest.mark.needs("yaml")
@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflows_name_what_exists(file: Path) -> None:
    workflow = required("yaml").safe_load(file.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job.get("steps", [job])]
    assert workflow["permissions"] == {"contents": "read"}
    assert all("run" in step or "uses" in step for step in steps)
    assert [name for step in steps for name in unknown(step.get("run", step.get("uses", "")))] == []


@pytest.mark.parametrize("command", ["nox --sessions no_such", "pytest tests/no_such", ".ci/no_such"])
def test_an_unknown_name_in_a_workflow_is_seen(command: str) -> None:
    assert unknown(command)


def test_scripts_of_workflows_can_be_run() -> None:
    """A workflow starts .ci/run by its name."""
    assert any(".ci/run" in file.read_text(encoding="utf-8") for file in WORKFLOWS)
    if os.name == "posix":
        assert os.access(ROOT / ".ci" / "run", os.X_OK)
