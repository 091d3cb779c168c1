"""Where code belongs: to the standard library, an installed package, or the user.

Code is *installed* if it lies in a folder of the import path where an installer records distributions in
`*.dist-info`. An editable install leaves the code where the user edits it, so it counts as user code.
"""

from __future__ import annotations

import functools
import os
import re
import site
import sys
import types
from collections.abc import Iterable

LIBRARIES = {
    "numpy", "scipy", "ml_dtypes", "opt_einsum",
    "jax", "jaxlib", "tensorflow", "keras", "tf_keras", "torch", "torchgen", "functorch", "numba",
    "pytensor",
    "onnx", "onnxruntime", "gast", "astunparse", "click", "rich",
    "pytest", "_pytest", "pluggy", "IPython", "ipykernel", "pydevd", "debugpy", "coverage",
}  # fmt: skip
"""Top-level packages that stay unconverted like the standard library: tensor systems, and tools."""
USER_FOLDERS: list[str] = []
"""Folders whose code is user code, even inside an installed package."""


def is_in_user_folder(filename: str) -> bool:
    return filename.startswith(tuple(USER_FOLDERS))


def _spellings(path: str) -> tuple[str, ...]:
    """Return a path as it is written and with its links resolved, or nothing if it is not a valid path."""
    try:
        return tuple({os.path.abspath(path), os.path.realpath(path)})
    except (OSError, TypeError, ValueError):
        return ()


@functools.cache
def _standard_folders() -> tuple[frozenset[str], frozenset[str]]:
    """Return the folders of the standard library, and those of installed packages."""
    import sysconfig  # noqa: PLC0415 - plain runs need no folders

    standard = map(sysconfig.get_path, ("stdlib", "platstdlib"))
    site_packages: list[str] = getattr(
        site, "getsitepackages", list
    )()  # old virtualenvs have a `site` without it
    packages = [*map(sysconfig.get_path, ("purelib", "platlib")), *site_packages, site.getusersitepackages()]
    return _with_separators(standard), _with_separators(packages)


def _with_separators(folders: Iterable[str | None]) -> frozenset[str]:
    return frozenset(path + os.sep for folder in folders if folder for path in _spellings(folder))


@functools.cache
def _recorded_modules(folder: str) -> frozenset[str]:
    """Return the top-level modules of the distributions that are installed in a folder."""
    names: set[str] = set()
    try:
        for info in os.listdir(folder):
            record = os.path.join(folder, info, "RECORD")
            if info.endswith(".dist-info") and os.path.isfile(record):
                with open(record, encoding="utf-8", errors="replace") as lines:
                    names.update(re.split(r"[/,]", line, maxsplit=1)[0].partition(".")[0] for line in lines)
    except OSError:
        pass
    return frozenset(names)


@functools.cache
def installed_package(filename: str) -> str | None:
    """Return the top-level package or module of an installed file, or None for any other file."""
    if is_in_user_folder(filename):
        return None
    standard = _standard_folders()[1]
    others = _with_separators(f for f in sys.path if type(f) is str) - standard
    for path in _spellings(filename):
        for folder in sorted((f for f in (*others, *standard) if path.startswith(f)), key=len, reverse=True):
            name = path[len(folder) :].partition(os.sep)[0].partition(".")[0]
            if folder in standard or name in _recorded_modules(folder):
                return name
    return None


def register_library(filename: str) -> None:
    """Add the installed package of a file to `LIBRARIES`, because it defines a tensor system."""
    package = installed_package(filename)
    if package is not None and package != __name__.partition(".")[0]:
        LIBRARIES.add(package)
        is_library.cache_clear()


def module_file(function: types.FunctionType) -> str:
    """Return the file of a function's code or, if it does not exist, that of its module.

    Code that is imported without its source names the file that it was compiled from elsewhere.
    """
    name = function.__code__.co_filename
    file = function.__globals__.get("__file__")
    return file if isinstance(file, str) and not os.path.exists(name) else name


@functools.cache
def is_library(filename: str) -> bool:
    """Return whether a file belongs to the standard library or to a package of `LIBRARIES`."""
    if filename.startswith("<frozen "):
        return True
    if is_in_user_folder(filename):
        return False
    package = installed_package(filename)
    if package is not None:
        return package in LIBRARIES
    standard, packages = (tuple(folders) for folders in _standard_folders())
    return any(p.startswith(standard) and not p.startswith(packages) for p in _spellings(filename))
