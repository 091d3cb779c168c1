"""Object code on disk, shared by the processes of one user.

An entry is found by the hash of the graph, the versions of what compiled it, and the CPU. A file has a
header with the hash of its contents, so a damaged one is ignored. Entries are written to a temporary file
that is then renamed. They are spread over subdirectories by the first digit of their names. The oldest of a
subdirectory are deleted once it exceeds its share of `MAX_BYTES`, so a new entry never costs a look at all
others. The cache is used only if its directory belongs to the user and nobody else may write to it, since
object code is executed.

`AUTOGRAPH_RS_CACHE` names another directory, or disables the cache with "off".
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
from pathlib import Path

MAX_BYTES = 256 * 1024 * 1024
DIRECTORIES = 16
"""The number of digits that the name of an entry can begin with."""
_MAGIC = b"autograph_rs native 3\n"
_SETTING = "AUTOGRAPH_RS_CACHE"


def cache_directory() -> Path | None:
    """Return the directory of the cache, or None if the cache is disabled."""
    setting = os.environ.get(_SETTING)
    if setting == "off":
        return None
    if setting:
        return Path(setting)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "autograph_rs" / "native"


def key_of(*parts: str) -> str:
    """Return the name of an entry."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def load(key: str) -> bytes | None:
    """Return the object code of an entry, or None if there is none that can be trusted."""
    directory = _trusted_directory(key)
    if directory is None:
        return None
    path = directory / f"{key}.o"
    try:
        if not _is_private(path):
            return None
        data = path.read_bytes()
        header, code = data[: len(_MAGIC) + 32], data[len(_MAGIC) + 32 :]
        if header != _MAGIC + hashlib.sha256(code).digest():
            return None
    except OSError:
        return None
    with contextlib.suppress(OSError):  # of a file system that is read-only
        os.utime(path)
    return code


def store(key: str, code: bytes) -> None:
    """Write an entry. Failures are ignored: the next process compiles again."""
    directory = _trusted_directory(key)
    if directory is None:
        return
    temporary = directory / f".{secrets.token_hex(8)}.tmp"
    with contextlib.suppress(OSError):
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(descriptor, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(code).digest() + code)
        temporary.replace(directory / f"{key}.o")
        _evict(directory)
    with contextlib.suppress(OSError):
        temporary.unlink(missing_ok=True)


def _trusted_directory(key: str) -> Path | None:
    """Return the subdirectory for an entry, or None if another user may write to it."""
    directory = cache_directory()
    if directory is None:
        return None
    try:
        for part in (directory, directory / key[0]):
            part.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not part.is_dir() or not _is_private(part):
                return None
    except OSError:
        return None
    return directory / key[0]


def _is_private(path: Path) -> bool:
    """Return whether a path belongs to this user, and no other user may write to it."""
    status = path.lstat()
    if not hasattr(os, "getuid"):
        return True  # a profile directory of Windows is private
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _evict(directory: Path) -> None:
    """Delete the entries that were not used for longest until the rest fits."""
    entries = []
    with os.scandir(directory) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                status = entry.stat()
                entries.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= MAX_BYTES // DIRECTORIES:
            break
        Path(path).unlink(missing_ok=True)
        total -= size
