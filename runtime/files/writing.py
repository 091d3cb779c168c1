"""Write files atomically, and report paths that cannot be written."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import ArgumentError, MissingFileError, describe


def checked_path(path: Any) -> Path:
    """Return the path of a file as a `Path`, or raise `ArgumentError` if it is invalid."""
    if isinstance(path, str) or (hasattr(path, "__fspath__") and isinstance(os.fspath(path), str)):
        file = Path(path)
        if file.name and "\0" not in file.name:
            return file
    raise ArgumentError(
        f"the path of a file must be a str or pathlib.Path that ends in a file name, not {describe(path)}",
        why="a function is saved or exported to a single file",
        remedy="pass a path such as 'model.json'",
    )


def checked_folder(path: Any) -> Path:
    """Return the path of a folder, which is created if it does not exist.

    Raises:
        ArgumentError: `path` is not a path, or it or one of its parents is a file.
    """
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str) or "\0" in str(path):
        raise ArgumentError(
            f"the path of a folder must be a str or pathlib.Path, not {describe(path)}",
            why="several files may be written to it",
            remedy="pass a path such as 'runs/model'",
        )
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise ArgumentError(
            f"{str(folder)!r} is not a folder",
            why="a file has this name, or that of a folder above it",
            remedy="pass the path of a folder, which may be new",
        ) from error
    return folder


def missing_file_error(what: str, why: str, remedy: str, error: OSError) -> MissingFileError:
    """Build a `MissingFileError` to raise in place of an `OSError`."""
    missing = MissingFileError(what, why=why, remedy=remedy)
    missing.errno, missing.filename = error.errno, error.filename
    return missing


def save(path: Path, data: bytes) -> None:
    try:
        write(path, data)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        why = "a function is saved or exported to a single file in an existing directory"
        if path.is_dir():
            what = f"{str(path)!r} is a directory"
            raise missing_file_error(what, why, "pass the path of a file in that directory", error) from error
        if not path.parent.is_dir():
            what = f"the directory {str(path.parent)!r} does not exist"
            raise missing_file_error(what, why, "create it first, or pass another path", error) from error
        raise


def write(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace the contents of a file atomically: the file has either the old or the new contents.

    Symbolic links are followed. By default an existing file keeps its permissions.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a device or a pipe
        return
    if mode is None and target.exists():
        mode = permissions(target)
    temporary = target.with_name(f".autograph-rs-{secrets.token_hex(8)}")
    try:
        if not _create_linked(temporary, data):
            with temporary.open("xb") as file:
                _write_through(file, data)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def permissions(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def _create_linked(path: Path, data: bytes) -> bool:
    """Write an unnamed file and then name it `path`; return False if the system does not support this."""
    try:
        descriptor = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (AttributeError, OSError):
        return False
    with open(descriptor, "wb") as file:
        _write_through(file, data)
        try:
            os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)
        except OSError:
            return False
    return True


def _write_through(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())
