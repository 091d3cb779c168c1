"""Which files a command is about, and where what becomes of each goes."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .files import STDIN

LEFT_OUT = ("__pycache__", "node_modules", "site-packages")


@dataclass(frozen=True)
class Selection:
    """Globs that a file below a folder must and must not match.

    A glob is compared with the file's path below the folder, with each folder on that way, and with its name.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: Path) -> bool:
        return (not self.include or _matches(path, self.include)) and not _matches(path, self.exclude)


def _matches(path: Path, globs: Sequence[str]) -> bool:
    parts = path.parts
    ways = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    texts = [*ways, *parts]
    return any(fnmatch.fnmatchcase(text, glob.strip("/")) for glob in globs for text in texts)


@dataclass(frozen=True)
class Found:
    """A file that was named, or is below a folder that was.

    Args:
        path: the file.
        below: its path below the folder, with the name of the folder if that is a package.
        is_in_folder: whether the folder was named, not the file.
        selected: whether the globs take it.
        is_outside: whether it is a link to what is not in the folder.
        problem: why it cannot be had.
    """

    path: str
    below: Path
    is_in_folder: bool = False
    selected: bool = True
    is_outside: bool = False
    problem: str = ""


@dataclass
class Walk:
    """The files of some paths, each once, in the order of their names.

    Named files are always taken; below folders Python files that the selection takes. Hidden folders,
    caches and installed packages are left out, links to folders are not followed.

    Args:
        selection: which Python files of folders are taken.
        leave: folders that are not entered.
        others: whether the other files of packages come too, whatever the selection says.
        same: what two paths have in common that are one file.
    """

    selection: Selection = Selection()
    leave: tuple[Path, ...] = ()
    others: bool = False
    same: Callable[[str], str] = os.path.realpath
    _seen: set[str] = field(default_factory=set)

    def files(self, paths: Sequence[str]) -> Iterator[Found]:
        for path in paths:
            if path != STDIN and os.path.isdir(path):
                yield from self._below(Path(path))
            elif path == STDIN or self._is_new(path):
                yield Found(path, Path(os.path.basename(path)))

    def _below(self, folder: Path) -> Iterator[Found]:
        problems: list[OSError] = []
        packages = {folder: os.path.exists(folder / "__init__.py")}
        base = Path(folder.resolve().name) if packages[folder] else Path()
        for top, folders, names in os.walk(folder, onerror=problems.append):
            at = Path(top)
            is_package = packages.setdefault(at, packages.get(at.parent, False) or "__init__.py" in names)
            folders[:] = sorted(name for name in folders if self._enters(at / name))
            for name in sorted(names):
                path = at / name
                inside = path.relative_to(folder)
                selected = is_source(name) and self.selection.takes(inside)
                taken = selected or (self.others and is_package)
                if taken and _is_file_or_unknown(path) and self._is_new(str(path)):
                    real = Path(os.path.realpath(path))
                    is_outside = os.path.islink(path) and not real.is_relative_to(os.path.realpath(folder))
                    yield Found(str(path), base / inside, True, selected, is_outside)
        for error in problems:
            yield Found(error.filename, Path(), problem=error.strerror or str(error))

    def _enters(self, folder: Path) -> bool:
        is_left = (
            folder.name.startswith(".") or folder.name in LEFT_OUT or os.path.exists(folder / "pyvenv.cfg")
        )
        return not is_left and not os.path.islink(folder) and folder.resolve() not in self.leave

    def _is_new(self, path: str) -> bool:
        key = self.same(path)
        known = key in self._seen
        self._seen.add(key)
        return not known


def _is_file_or_unknown(path: Path) -> bool:
    """Whether a path is no pipe or device; what cannot be had is reported when it is read."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def is_source(name: str) -> bool:
    return name.endswith((".py", ".pyw"))
