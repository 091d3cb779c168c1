"""Where code belongs: to the standard library, an installed package, or the user.

Code is *installed* if it lies in a folder of the import path where an installer records distributions in
`*.dist-info`. An editable install leaves the code where the user edits it, so it counts as user code.
"""

from __future__ import annotations

import functools
import os
import site
import sys

LIBRARIES = {
    "numpy", "scipy", "ml_dtypes", "opt_einsum",
    "jax", "jaxlib", "tensorflow", "keras", "tf_keras", "torch", "torchgen", "functorch", "numba",
    "onnx", "onnxruntime", "gast", "astunparse", "click", "rich",
    "pytest", "_pytest", "pluggy", "IPython", "ipykernel", "pydevd", "debugpy", "coverage",
}  # fmt: skip
"""Top-level packages that stay unconverted like the standard library: tensor systems, and tools."""
USER_FOLDERS: list[str] = []
"""Folders whose code is user code, even inside an installed package."""


def is_in_user_folder(filename: str) -> bool:
    return filename.startswith(tuple(USER_FOLDERS))


@functools.cache
def _standard_folders() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders of the standard library, and those of installed packages inside them."""
    import sysconfig  # noqa: PLC0415 - plain runs need no folders

    standard = map(sysconfig.get_path, ("stdlib", "platstdlib"))
    packages = (
        *map(sysconfig.get_path, ("purelib", "platlib")), *site.getsitepackages(), site.getusersitepackages()
    )  # fmt: skip
    return tuple(_with_separator(f) for f in standard), tuple(_with_separator(f) for f in packages)


def _with_separator(folder: str) -> str:
    return os.path.realpath(folder) + os.sep


@functools.cache
def _records_distributions(folder: str) -> bool:
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder))
    except OSError:
        return False


@functools.cache
def installed_package(filename: str) -> str | None:
    """Return the top-level package or module of an installed file, or None for any other file."""
    path = _real_path(filename)
    if path is None or is_in_user_folder(filename):
        return None
    packages = _standard_folders()[1]
    others = [_with_separator(f) for f in sys.path if type(f) is str]
    folders = [f for f in (*packages, *others) if path.startswith(f)]
    folder = max(folders, key=len, default="")
    if not folder or not (folder in packages or _records_distributions(folder)):
        return None
    return path[len(folder) :].partition(os.sep)[0].partition(".")[0]


def _real_path(filename: str) -> str | None:
    try:
        return os.path.realpath(filename)
    except ValueError:  # not a valid file name
        return None


@functools.cache
def is_library(filename: str) -> bool:
    """Return whether a file belongs to the standard library or to a package of `LIBRARIES`."""
    if filename.startswith("<frozen "):
        return True
    path = _real_path(filename)
    if path is None or is_in_user_folder(filename):
        return False
    package = installed_package(filename)
    return path.startswith(_standard_folders()[0]) if package is None else package in LIBRARIES
