"""Checks of the code base: imports between folders, public names, file sizes."""

from __future__ import annotations

import ast
import functools
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograph_rs as ag

ROOT = Path(__file__).resolve().parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]

# What each room may import besides the standard library and itself.
ROOMS = {
    "autograph_rs.converters": {"gast"},
    "autograph_rs.runtime": {"numpy"},
    "autograph_rs.cli": {"autograph_rs", "autograph_rs.runtime", "click", "rich"},
    "autograph_rs.testing.cases": {"autograph_rs.testing", "numpy"},
    "autograph_rs.testing": {"autograph_rs", "autograph_rs.runtime", "autograph_rs.testing.cases", "numpy"},
    "autograph_rs": {"autograph_rs.converters", "autograph_rs.runtime", "gast", "numpy"},
}
# Modules that may import more. Only a backend's own modules may import its framework.
ALSO = {
    "autograph_rs.__main__": {"autograph_rs.cli"},
    "autograph_rs.explaining.report": {"rich"},
    "autograph_rs.runtime.core.annotations": {"annotationlib"},  # of the standard library since Python 3.14
    "autograph_rs.runtime.export.onnx.engine": {"onnxruntime"},
    "autograph_rs.runtime.graph.native.linking.llvm": {"llvmlite"},
}
FRAMEWORKS = ("jax", "onnx", "pytensor", "tensorboard", "tensorflow", "torch")

# The folders, lowest first. A module may import only from its own folder and folders on earlier lines.
FLOORS = """
    runtime/core
    runtime/debugging
    runtime/errors
    runtime/files
    runtime/values runtime/backends
    runtime/staging/state
    runtime/staging/branches
    runtime/staging/rolling
    runtime/staging
    runtime/staging/attempts
    runtime/containers
    runtime/operators runtime/backends/functional
    runtime/backends/jax runtime/backends/pytensor runtime/backends/tensorflow runtime/backends/torch runtime
    runtime/graph/ir
    runtime/graph/rules runtime/graph/optimise runtime/export/onnx/builder runtime/export
    runtime/graph/tracing
    runtime/graph/tracing/containers
    runtime/graph/state runtime/graph/native/assembly
    runtime/graph/native/operations
    runtime/graph/native/codegen
    runtime/graph/native/linking
    runtime/graph/compile runtime/graph/backend/builtins
    runtime/graph/backend
    runtime/graph/concrete runtime/graph/gradient runtime/graph/native
    runtime/graph/serialization runtime/graph/functions/elementwise
    runtime/graph/functions/reductions runtime/graph/functions/fourier runtime/graph/functions/linear_algebra
    runtime/graph/functions/shaping
    runtime/graph/functions/searching runtime/graph/functions/joining runtime/graph/functions/creation
    runtime/graph/functions/products runtime/graph/functions/calculus runtime/graph/functions/indexing
    runtime/graph/functions/calling runtime/graph/functions/scipy
    runtime/graph/functions
    runtime/graph runtime/export/onnx
    converters/trees
    converters/analysis
    converters/passes
    converters/expressions
    converters
    converters/diagnostics
    autograph_rs/source autograph_rs/logging
    autograph_rs/transpiler
    autograph_rs/ahead_of_time autograph_rs/frameworks autograph_rs/expressions
    autograph_rs/functions
    autograph_rs/saving autograph_rs/gradients autograph_rs/explaining
    autograph_rs/profiling
    autograph_rs
    autograph_rs/cli autograph_rs/testing
"""
FLOOR_OF = {
    folder: floor for floor, line in enumerate(FLOORS.strip().splitlines()) for folder in line.split()
}

SAMPLES = (
    "tests/cases"  # installed as `autograph_rs.testing.cases`; samples and their harness import each other
)

LONGEST = 400
LONG: dict[str, str] = {  # the files that may be longer, each with the reason
    "converters/passes/control_flow.py": "one pass: each statement becomes an operator with its closures",
    "runtime/graph/tracing/tensor.py": "the methods of an array, as many as NumPy's protocols require",
    "tests/expressions/row_functions.py": "a list of functions as users write them",
    "tests/expressions/loop_functions.py": "a list of functions as users write them",
    "tests/expressions/statements.py": "a list of functions as users write them",
    "tests/gradients/rule_cases.py": "the table of calls whose gradients are checked",
    "tests/runtime/graph/test_rules.py": "the table of calls with which the rules are checked",
    "tests/runtime/staging/test_staged_equivalence.py": "a list of functions as users write them",
}
SHORTEST = 40
SHORT: dict[str, str] = {  # the modules that may be shorter, each with the reason
    "runtime/debugging/loggers.py": "the documented names of the loggers",
    "runtime/graph/tracing/modes.py": "a public function and the modes that it sets",
}
MOST_FILES = 14
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
    "EngineReport",
    "ExpressionOperators",
    "FormatError",
    "Function",
    "Graph",
    "GraphOperators",
    "LeakError",
    "LoadedFunction",
    "MismatchError",
    "MissingFileError",
    "MissingFrameworkError",
    "NestingError",
    "NumericsError",
    "OptionError",
    "PassError",
    "Profile",
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
    "SymbolOperators",
    "TensorSpec",
    "Transpiler",
    "Undefined",
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
    "profile",
    "py_function",
    "register_backend",
    "run_functions_eagerly",
    "save",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
}


def folder_of(package: str) -> Path:
    """Return the folder of a package: below the folder that pyproject.toml maps its root package to."""
    root = max((p for p in SETUPTOOLS["package-dir"] if f"{package}.".startswith(f"{p}.")), key=len)
    return ROOT.joinpath(SETUPTOOLS["package-dir"][root], *package.removeprefix(root).split(".")[1:])


FOLDERS = {package: folder_of(package) for package in SETUPTOOLS["packages"]}


def modules() -> Iterator[tuple[str, str, Path]]:
    """Yield the name, the containing package and the file of each module."""
    for package, folder in FOLDERS.items():
        for file in sorted(folder.glob("*.py")):
            yield package if file.stem == "__init__" else f"{package}.{file.stem}", package, file


FILES = {module: (package, file) for module, package, file in modules()}


def imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the full names that a module of `package` imports anywhere. `from a import b` imports `a.b`."""
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
    """Return the room that contains the module `name`, or None for other packages."""
    return next((room for room in ROOMS if f"{name}.".startswith(f"{room}.")), None)


def framework_of(module: str) -> str | None:
    """Return the framework that a module supports, and so may import, or None."""
    rooms = ("autograph_rs.runtime.backends", "autograph_rs.runtime.export")
    return next((f for f in FRAMEWORKS for room in rooms if module.startswith(f"{room}.{f}")), None)


def wrong_arrows(module: str, package: str, tree: ast.AST) -> list[str]:
    room = room_of(module)
    assert room is not None
    allowed = ROOMS[room] | ALSO.get(module, set()) | {framework_of(module), room} | sys.stdlib_module_names
    found = {name: room_of(name) or name.split(".")[0] for name in imports(tree, package)}
    return sorted(name for name, target in found.items() if target not in allowed)


@functools.cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_arrows() -> None:
    """Each room imports only the rooms and packages that it may."""
    wrong = {module: wrong_arrows(module, package, tree_of(file)) for module, package, file in modules()}
    assert {module: names for module, names in wrong.items() if names} == {}


@pytest.mark.parametrize(
    ("module", "code", "wrong"),
    [
        ("converters.names", "import gast, ast, autograph_rs.converters.trees", []),
        ("converters.names", "from . import trees", []),
        ("converters.names", "from .trees import load", []),
        ("converters.passes.base", "from ..trees import at; from .. import names", []),
        ("converters.names", "import numpy.linalg", ["numpy.linalg"]),
        ("converters.names", "from .. import runtime", ["autograph_rs.runtime"]),
        ("converters.names", "from ..runtime import operators", ["autograph_rs.runtime.operators"]),
        ("converters.passes.base", "from ... import functions", ["autograph_rs.functions"]),
        ("converters.names", "import autograph_rs", ["autograph_rs"]),
        ("runtime.errors", "def f(): from ..converters import trees", ["autograph_rs.converters.trees"]),
        ("runtime.errors", "import gast", ["gast"]),
        ("runtime.errors", "importlib.import_module('torch')", ["torch"]),
        ("debugging", "from .converters import trees; from . import runtime, source", []),
        ("debugging", "import click", ["click"]),
        ("debugging", "from . import cli", ["autograph_rs.cli"]),
        ("cli.files", "import click, rich.progress; from ..ahead_of_time import modules", []),
        ("cli.files", "import gast", ["gast"]),
        ("debugging", "from . import testing", ["autograph_rs.testing"]),
        ("testing.harness", "import autograph_rs as ag; from . import cases", []),
        ("testing.conformance", "import pytest", ["pytest"]),
        ("testing.cases.if_", "from autograph_rs.testing import samples", []),
        ("testing.cases.if_", "import autograph_rs as ag", ["autograph_rs"]),
    ],
)
def test_a_wrong_arrow_is_seen(module: str, code: str, wrong: list[str]) -> None:
    """`wrong_arrows` finds absolute, relative, local and dynamic imports."""
    module = f"autograph_rs.{module}"
    assert wrong_arrows(module, module.rpartition(".")[0], ast.parse(code)) == wrong


@functools.cache
def imported_modules(module: str) -> set[str]:
    """Return the modules of this package that a module imports."""
    package, file = FILES[module]
    names = [*imports(tree_of(file), package)]
    found = {name if name in FILES else name.rpartition(".")[0] for name in names}
    return {name for name in found if name in FILES and name != module}


def floor_folder(module: str) -> str:
    return FILES[module][1].parent.relative_to(ROOT).as_posix()


def is_private(name: str) -> bool:
    """Whether an import is of a private name, or of a module that a framework keeps to itself."""
    root, *parts = name.split(".")
    return root in FRAMEWORKS and (
        any(part.startswith("_") and not part.startswith("__") for part in parts)
        or f"{name}.".startswith(("jax.extend.", "tensorflow.python."))
    )


@pytest.mark.slow
def test_private_interfaces_stand_in_one_module() -> None:
    """Of each framework only `private.py` imports what a version may take away, of torch `dynamo.py`, too."""
    found = {
        module for module, package, file in modules() if any(map(is_private, imports(tree_of(file), package)))
    }
    assert found == {
        "autograph_rs.runtime.backends.torch.dynamo",
        *(f"autograph_rs.runtime.backends.{name}.private" for name in ("pytensor", "tensorflow", "torch")),
    }
    assert is_private("jax._src.core.trace_state_clean")
    assert is_private("jax.extend.core")
    assert not is_private("jax.lax.scan")


def test_imports_go_down() -> None:
    """A folder imports only folders on lower floors, so no folders import each other."""
    upward = {
        (module, name)
        for module in FILES
        if not module.startswith("autograph_rs.testing.cases") and module != "autograph_rs.__main__"
        for name in imported_modules(module)
        if floor_folder(name) not in (floor_folder(module), SAMPLES)
        and FLOOR_OF[floor_folder(name)] >= FLOOR_OF[floor_folder(module)]
    }
    assert upward == set()


def test_no_files_import_each_other() -> None:
    """Imports form no cycles, even within a folder."""
    graph = {module: imported_modules(module) for module in FILES}
    while free := {module for module, names in graph.items() if not names & graph.keys()}:
        graph = {module: names for module, names in graph.items() if module not in free}
    assert graph == {}


def test_folders_hold_few_files() -> None:
    """No folder has more modules than a reader can take in at a glance."""
    folders = [folder for package, folder in FOLDERS.items() if package != "autograph_rs.testing.cases"]
    assert {str(f) for f in folders if len([*f.glob("*.py")]) > MOST_FILES} == set()


def test_modules_are_worth_a_file() -> None:
    """Every module shorter than `SHORTEST` lines has a reason in `SHORT`, and no others do."""
    lengths = {
        file.relative_to(ROOT).as_posix(): len(file.read_text("utf-8").splitlines())
        for package, file in FILES.values()
        if file.stem not in ("__init__", "__main__") and package != "autograph_rs.testing.cases"
    }
    assert {file for file, length in lengths.items() if length < SHORTEST} == set(SHORT)


def test_every_package_is_installed() -> None:
    """`pyproject.toml` lists every folder: an omission would only show in the wheel."""
    roots = [FOLDERS[room] for room in ROOMS]
    folders = {file.parent for root in roots for file in root.rglob("*.py")}
    assert set(FOLDERS.values()) == folders
    assert all((folder / "__init__.py").exists() for folder in folders)


def test_public_names() -> None:
    """The public names exist, and change only intentionally."""
    assert set(ag.__all__) == PUBLIC
    assert all(hasattr(ag, name) for name in PUBLIC)


def test_files_have_one_subject_each() -> None:
    """Every file longer than `LONGEST` lines has a reason in `LONG`, and no others do."""
    folders = [*FOLDERS.values(), *(ROOT / name for name in ("benchmarks", "examples", "tests"))]
    files = {*ROOT.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.py"))}
    lengths = {file.relative_to(ROOT).as_posix(): len(file.read_text("utf-8").splitlines()) for file in files}
    assert {file for file, length in lengths.items() if length > LONGEST} == set(LONG)


@pytest.mark.slow
def test_helpers_of_tests_have_names_of_their_own() -> None:
    """No two folders import different files by one bare name: one process would give both the first."""
    found: dict[str, set[Path]] = {}
    for folder in {file.parent for file in (ROOT / "tests").rglob("test_*.py")}:
        helpers = {file.stem: file for file in folder.glob("*.py")}
        imported = {name.split(".")[0] for file in helpers.values() for name in imports(tree_of(file), "")}
        for name in helpers.keys() & imported:
            found.setdefault(name, set()).add(helpers[name])
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
