"""One file's conversion, as a job that any process can do."""

from __future__ import annotations

import difflib
import enum
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from autograph_rs.runtime.source_maps import SUFFIX

from ..modules import convert_module
from .files import STDIN, FileError, Source, is_same, mode_of, refusals, write
from .options import VERSION


class Result(enum.StrEnum):
    """What became of a file."""

    CONVERTED = "converted"
    UNCHANGED = "unchanged"
    COPIED = "copied"
    LEFT = "left"
    FAILED = "failed"


@dataclass(frozen=True)
class Job:
    """A file, and what is to be done with it.

    Args:
        path: the file.
        target: where what becomes of it goes; None if nowhere.
        converts: whether it is converted, or copied as it is.
        writes: whether the target is written, or only compared.
        diff: whether the difference that it makes is shown, or all of it.
        mapped: whether a source map is put beside the target.
    """

    path: str
    target: Path | None
    converts: bool = True
    writes: bool = True
    diff: bool = False
    mapped: bool = False


@dataclass(frozen=True)
class Done:
    """What became of a file; whether its target changes; what to show of it; why it failed."""

    path: str
    result: Result
    changes: bool = False
    shown: bytes = b""
    message: str = ""


def do(job: Job) -> Done:
    """Do a job; what is wrong with its file is told, not raised."""
    try:
        return _converted(job) if job.converts else _copied(job)
    except FileError as error:
        return Done(job.path, Result.FAILED, message=str(error))


def _converted(job: Job) -> Done:
    source = Source.read(job.path)
    made = source.convert(convert_module, header=_header(source), mapped=job.mapped)
    data = source.data if made is None else source.encode(made.lines)
    outputs = {} if job.target is None else {job.target: data}
    if job.mapped and made is not None and job.target is not None:
        original = os.path.relpath(os.path.abspath(job.path), os.path.realpath(job.target.parent))
        text = made.source_map(Path(original).as_posix()).to_json(job.target.name)
        outputs = {job.target.with_name(job.target.name + SUFFIX): text.encode("utf-8", "replace"), **outputs}
    changes = _put(job, outputs) if outputs else made is not None
    shown = _difference(job, source, data) if job.diff else data if job.target is None else b""
    return Done(job.path, Result.UNCHANGED if made is None else Result.CONVERTED, changes, shown)


def _copied(job: Job) -> Done:
    assert job.target is not None
    with refusals(job.path):
        data = Path(job.path).read_bytes()
    return Done(job.path, Result.COPIED, _put(job, {job.target: data}))


def _header(source: Source) -> str:
    name = ascii(os.path.basename(source.name))[1:-1]
    digest = hashlib.sha256(source.data).hexdigest()
    maker = f"autograph_rs {VERSION}".rstrip()
    return f"# Made by {maker} from {name}, sha256 {digest}"


def _put(job: Job, outputs: dict[Path, bytes]) -> bool:
    """Write what is not there yet; whether there is any such."""
    changed = [path for path, data in outputs.items() if _content(path) != data]
    for path in changed if job.writes else ():
        with refusals(str(path)):
            is_own = is_same(path, Path(job.path))
            if _is_read_only(path) and (is_own or not _is_read_only(Path(job.path))):
                raise FileError(f"{path}: is read-only")
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, outputs[path], None if is_own or job.path == STDIN else mode_of(Path(job.path)))
    return bool(changed)


def _content(path: Path) -> bytes | None:
    with refusals(str(path)):
        return path.read_bytes() if path.is_file() else None


def _is_read_only(path: Path) -> bool:
    return path.is_file() and not (os.access(path, os.W_OK) and mode_of(path) & 0o222)


def _difference(job: Job, source: Source, data: bytes) -> bytes:
    """The difference between what is in the target, or in the source, and what would be."""
    before = source.data if job.target is None else _content(job.target) or b""
    name = str(job.target or source.name)
    lines = difflib.diff_bytes(
        difflib.unified_diff, before.splitlines(keepends=True), data.splitlines(keepends=True),
        name.encode("utf-8", "surrogateescape"), name.encode("utf-8", "surrogateescape"),
    )  # fmt: skip
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines
    )
