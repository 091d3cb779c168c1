"""What keeps the house in order: the arrows between its rooms, what it offers, the size of its files."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograph_rs as ag

ROOT = Path(__file__).resolve().parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
FOLDERS = {package: ROOT / folder for package, folder in SETUPTOOLS["package-dir"].items()}

# What each room may import beside the standard library and itself.
ROOMS = {
    "autograph_rs.converters": {"gast"},
    "autograph_rs.runtime": {"numpy"},
    "autograph_rs.cli": {"autograph_rs", "autograph_rs.runtime", "click", "rich"},
    "autograph_rs.testing.cases": {"autograph_rs.testing", "numpy"},
    "autograph_rs.testing": {"autograph_rs", "autograph_rs.runtime", "autograph_rs.testing.cases", "numpy"},
    "autograph_rs": {"autograph_rs.converters", "autograph_rs.runtime", "gast", "numpy"},
}
# Modules that may import more; a backend's own modules are the only ones that know its framework.
ALSO = {
    "autograph_rs.__main__": {"autograph_rs.cli"},
    "autograph_rs.explaining.report": {"rich"},
    "autograph_rs.runtime.exports.onnx.engine": {"onnxruntime"},
}
FRAMEWORKS = ("jax", "onnx", "tensorflow", "torch")
LONGEST = 400
LONG: dict[str, str] = {  # the files that are longer all the same, each with its reason
    "runtime/graph/backend.py": "the backend protocol, method by method",
    "runtime/graph/staged.py": "the methods of an array, which are as many as NumPy's protocols ask for",
    "tests/runtime/graph/test_rules.py": "the table of calls that the rules are compared on",
    "tests/test_staged_equivalence.py": "a list of functions as users write them",
}
PUBLIC = {
    "GradientError",
    "GradientTape",
    "grad",
    "value_and_grad",
    "vjp",
    "AmbiguousSourceError",
    "ArgumentError",
    "AssignmentError",
    "AliasError",
    "AutographError",
    "Backend",
    "ConcreteFunction",
    "ConversionError",
    "DamagedFileError",
    "FormatError",
    "Function",
    "Graph",
    "LeakError",
    "LoadedFunction",
    "MismatchError",
    "MissingFileError",
    "MissingFrameworkError",
    "NestingError",
    "NumericsError",
    "OptionError",
    "PassError",
    "ReservedNameError",
    "MissingValueError",
    "RaiseInTryError",
    "Report",
    "RetraceWarning",
    "SaveError",
    "SideEffectWarning",
    "SignatureError",
    "SourceError",
    "SourceSyntaxError",
    "SpecError",
    "StagedRecursionError",
    "StagingError",
    "StaleSourceError",
    "StaleValueError",
    "StateError",
    "TensorSpec",
    "Transpiler",
    "UnrolledLoopError",
    "UnsupportedFunctionError",
    "UnsupportedPlaceError",
    "ValueNeededError",
    "Variable",
    "VersionError",
    "check_numerics",
    "convert",
    "convert_module",
    "data",
    "do_not_convert",
    "explain",
    "function",
    "init_scope",
    "load",
    "print",
    "py_function",
    "register_backend",
    "run_functions_eagerly",
    "save",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
}


def modules() -> Iterator[tuple[str, str, Path]]:
    """Each module of the package: its name, that of the package which holds it, its file."""
    for package, folder in FOLDERS.items():
        for file in sorted(folder.glob("*.py")):
            yield package if file.stem == "__init__" else f"{package}.{file.stem}", package, file


def imports(tree: ast.AST, package: str) -> Iterator[str]:
    """The full names of what a module of `package` imports, wherever in it; `from a import b` is `a.b`."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                above = package.split(".")[: -(node.level - 1) or None] if node.level else []
                base = [*above, *([node.module] if node.module else [])]
                yield from (".".join([*base, alias.name]) for alias in node.names)
            case ast.Call(
                func=ast.Name("__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(str(name)), *_],
            ):
                yield name


def room_of(name: str) -> str | None:
    """The room in which `name` lies, or None for what is not ours."""
    return next((room for room in ROOMS if f"{name}.".startswith(f"{room}.")), None)


def framework_of(module: str) -> str | None:
    """The framework that a module is about, which it alone may import."""
    rooms = ("autograph_rs.runtime.backends", "autograph_rs.runtime.exports")
    return next((f for f in FRAMEWORKS for room in rooms if module.startswith(f"{room}.{f}")), None)


def wrong_arrows(module: str, package: str, tree: ast.AST) -> list[str]:
    room = room_of(module)
    assert room is not None
    allowed = ROOMS[room] | ALSO.get(module, set()) | {framework_of(module), room} | sys.stdlib_module_names
    found = {name: room_of(name) or name.split(".")[0] for name in imports(tree, package)}
    return sorted(name for name, target in found.items() if target not in allowed)


@pytest.mark.parametrize(("module", "package", "file"), [*modules()], ids=str)
def test_arrows(module: str, package: str, file: Path) -> None:
    """A room imports what it may, and never a room that it must not know."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert wrong_arrows(module, package, tree) == []


@pytest.mark.parametrize(
    ("module", "code", "wrong"),
    [
        ("converters.names", "import gast, ast, autograph_rs.converters.trees", []),
        ("converters.names", "from . import trees", []),
        ("converters.names", "from .trees import load", []),
        ("converters.passes.base", "from ..trees import at; from .. import names", []),
        ("converters.names", "import numpy.linalg", ["numpy.linalg"]),
        ("converters.names", "from .. import runtime", ["autograph_rs.runtime"]),
        ("converters.names", "from ..runtime import calls", ["autograph_rs.runtime.calls"]),
        ("converters.passes.base", "from ... import api", ["autograph_rs.api"]),
        ("converters.names", "import autograph_rs", ["autograph_rs"]),
        ("runtime.errors", "def f(): from ..converters import trees", ["autograph_rs.converters.trees"]),
        ("runtime.errors", "import gast", ["gast"]),
        ("runtime.errors", "importlib.import_module('torch')", ["torch"]),
        ("api", "from .converters import trees; from . import runtime, loader", []),
        ("api", "import click", ["click"]),
        ("api", "from . import cli", ["autograph_rs.cli"]),
        ("cli.files", "import click, rich.progress; from ..modules import convert_source", []),
        ("cli.files", "import gast", ["gast"]),
        ("api", "from . import testing", ["autograph_rs.testing"]),
        ("testing.harness", "import autograph_rs as ag; from . import cases", []),
        ("testing.conformance", "import pytest", ["pytest"]),
        ("testing.cases.if_", "from autograph_rs.testing import samples", []),
        ("testing.cases.if_", "import autograph_rs as ag", ["autograph_rs"]),
    ],
)
def test_a_wrong_arrow_is_seen(module: str, code: str, wrong: list[str]) -> None:
    """The test above can fail: it sees absolute, relative, local and dynamic imports."""
    module = f"autograph_rs.{module}"
    assert wrong_arrows(module, module.rpartition(".")[0], ast.parse(code)) == wrong


def test_every_package_is_installed() -> None:
    """A folder that `pyproject.toml` forgets would be missing from the wheel alone."""
    rooms = [FOLDERS[room] for room in ROOMS]
    folders = {file.parent for room in rooms for file in room.rglob("*.py")}
    assert set(FOLDERS.values()) == folders
    assert set(SETUPTOOLS["packages"]) == set(FOLDERS)
    assert all((folder / "__init__.py").exists() for folder in folders)


def test_public_names() -> None:
    """What users may rely on changes on purpose only; each name is there."""
    assert set(ag.__all__) == PUBLIC
    assert all(hasattr(ag, name) for name in PUBLIC)


def test_files_have_one_subject_each() -> None:
    """A long file is split, or has its reason here; a reason whose file has become short goes."""
    folders = [*FOLDERS.values(), *(ROOT / name for name in ("benchmarks", "examples", "tests"))]
    files = {*ROOT.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.py"))}
    lengths = {file.relative_to(ROOT).as_posix(): len(file.read_text("utf-8").splitlines()) for file in files}
    assert {file for file, length in lengths.items() if length > LONGEST} == set(LONG)
