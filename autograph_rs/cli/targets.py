"""Select the files that a command processes."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .files import STDIN

SKIPPED_FOLDERS = ("__pycache__", "node_modules", "site-packages")


@dataclass(frozen=True)
class Selection:
    """Globs that a file in a folder must match (`include`) and must not match (`exclude`).

    A glob may match the file's path relative to the folder, any leading part of that path, or any single name
    in it.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def accepts(self, path: Path) -> bool:
        return (not self.include or _matches(path, self.include)) and not _matches(path, self.exclude)


def _matches(path: Path, globs: Sequence[str]) -> bool:
    parts = path.parts
    prefixes = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    names = [*prefixes, *parts]
    return any(fnmatch.fnmatchcase(name, glob.strip("/")) for glob in globs for name in names)


@dataclass(frozen=True)
class InputFile:
    """A file given on the command line, or found in a folder given there.

    `relative` is its path in the folder, preceded by the folder's name if the folder is a package. `problem`
    is the reason why the file cannot be read, or "".
    """

    path: str
    relative: Path
    is_in_folder: bool = False
    is_selected: bool = True
    leads_outside: bool = False
    problem: str = ""


@dataclass
class Walk:
    """Search paths for the files to process. Each file is yielded once; folders are walked in name order.

    Files given by name are always included. A folder adds the Python files that the selection accepts; with
    `with_data_files`, a package also adds its other files. Hidden folders, caches and installed packages are
    skipped. Links to folders are not followed. `identify` returns equal keys for paths to the same file.
    """

    selection: Selection = Selection()
    skip: tuple[Path, ...] = ()
    with_data_files: bool = False
    identify: Callable[[str], str] = os.path.realpath
    _seen: set[str] = field(default_factory=set)

    def files(self, paths: Sequence[str]) -> Iterator[InputFile]:
        for path in paths:
            if path != STDIN and os.path.isdir(path):
                yield from self._files_in(Path(path))
            elif path == STDIN or self._is_new(path):
                yield InputFile(path, Path(os.path.basename(path)))

    def _files_in(self, folder: Path) -> Iterator[InputFile]:
        problems: list[OSError] = []
        packages = {folder: os.path.exists(folder / "__init__.py")}
        base = Path(folder.resolve().name) if packages[folder] else Path()
        for top, folders, names in os.walk(folder, onerror=problems.append):
            at = Path(top)
            is_package = packages.setdefault(at, packages.get(at.parent, False) or "__init__.py" in names)
            folders[:] = sorted(name for name in folders if self._should_enter(at / name))
            for name in sorted(names):
                path = at / name
                inside = path.relative_to(folder)
                is_selected = is_source(name) and self.selection.accepts(inside)
                is_included = is_selected or (self.with_data_files and is_package)
                if is_included and _may_be_regular_file(path) and self._is_new(str(path)):
                    real = Path(os.path.realpath(path))
                    leads_outside = os.path.islink(path) and not real.is_relative_to(os.path.realpath(folder))
                    yield InputFile(str(path), base / inside, True, is_selected, leads_outside)
        for error in problems:
            yield InputFile(error.filename, Path(), problem=error.strerror or str(error))

    def _should_enter(self, folder: Path) -> bool:
        is_skipped = (
            folder.name.startswith(".")
            or folder.name in SKIPPED_FOLDERS
            or os.path.exists(folder / "pyvenv.cfg")
        )
        return not is_skipped and not os.path.islink(folder) and folder.resolve() not in self.skip

    def _is_new(self, path: str) -> bool:
        key = self.identify(path)
        was_seen = key in self._seen
        self._seen.add(key)
        return not was_seen


def _may_be_regular_file(path: Path) -> bool:
    """Return False for pipes and devices, and True for inaccessible files, which are reported when read."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def is_source(name: str) -> bool:
    return name.endswith((".py", ".pyw"))
