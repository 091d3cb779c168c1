"""Convert or copy one file, as a job that any process can run."""

from __future__ import annotations

import difflib
import enum
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from autograph_rs.runtime.debugging.source_maps import SUFFIX
from autograph_rs.runtime.files.writing import permissions, write

from ..ahead_of_time.modules import convert_module
from .files import STDIN, FileError, Source, file_errors, is_same
from .options import VERSION


class Result(enum.StrEnum):
    """The result of a job, as counted in the summary."""

    CONVERTED = "converted"
    UNCHANGED = "unchanged"
    COPIED = "copied"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True)
class Job:
    """A file to process.

    `target` is None for standard output. Without `converts`, the file is copied; without `writes`, the output
    is only compared with the target. `diff` prints a diff instead of the output. `mapped` writes a source map
    beside the target. `staged_only` leaves out the users' own bodies of functions.
    """

    path: str
    target: Path | None
    converts: bool = True
    writes: bool = True
    diff: bool = False
    mapped: bool = False
    staged_only: bool = False


@dataclass(frozen=True)
class Outcome:
    """The result of a job, and what to print or report about it."""

    path: str
    result: Result
    changes: bool = False
    """Whether the target changes."""
    printed: bytes = b""
    """The converted text or diff to print."""
    message: str = ""
    """The reason why the job failed or was skipped."""


def run_job(job: Job | Outcome) -> Outcome:
    """Run a job, and report file errors in its outcome. If `job` is an outcome already, return it."""
    if isinstance(job, Outcome):
        return job
    try:
        if job.converts:
            return _convert(job)
        assert job.target is not None
        with file_errors(job.path):
            data = Path(job.path).read_bytes()
        return Outcome(job.path, Result.COPIED, _write_changed(job, {job.target: data}))
    except FileError as error:
        return Outcome(job.path, Result.FAILED, message=str(error))


def _convert(job: Job) -> Outcome:
    source = Source.read(job.path)
    converted = source.convert(
        convert_module, header=_header(source), mapped=job.mapped, staged_only=job.staged_only
    )
    data = source.data if converted is None else source.encode(converted.lines)
    outputs = {} if job.target is None else {job.target: data}
    if job.mapped and converted is not None and job.target is not None:
        original = os.path.relpath(os.path.abspath(job.path), os.path.realpath(job.target.parent))
        text = converted.source_map(Path(original).as_posix()).to_json(job.target.name)
        outputs = {job.target.with_name(job.target.name + SUFFIX): text.encode("utf-8", "replace"), **outputs}
    changes = _write_changed(job, outputs) if outputs else converted is not None
    printed = _diff(job, source, data) if job.diff else data if job.target is None else b""
    return Outcome(job.path, Result.UNCHANGED if converted is None else Result.CONVERTED, changes, printed)


def _header(source: Source) -> str:
    name = ascii(os.path.basename(source.name))[1:-1]
    digest = hashlib.sha256(source.data).hexdigest()
    producer = f"autograph_rs {VERSION}".rstrip()
    return f"# Made by {producer} from {name}, sha256 {digest}"


def _write_changed(job: Job, outputs: dict[Path, bytes]) -> bool:
    """Write the outputs that differ from the existing files, and return whether any differ."""
    changed = [path for path, data in outputs.items() if _content(path) != data]
    for path in changed if job.writes else ():
        with file_errors(str(path)):
            is_input = is_same(path, Path(job.path))
            if _is_read_only(path) and (is_input or not _is_read_only(Path(job.path))):
                raise FileError(f"{path}: the file is read-only")
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, outputs[path], None if is_input or job.path == STDIN else permissions(Path(job.path)))
    return bool(changed)


def _content(path: Path) -> bytes | None:
    with file_errors(str(path)):
        return path.read_bytes() if path.is_file() else None


def _is_read_only(path: Path) -> bool:
    return path.is_file() and not (os.access(path, os.W_OK) and permissions(path) & 0o222)


def _diff(job: Job, source: Source, data: bytes) -> bytes:
    """Return the diff from the target, or from the source if there is no target, to the new data."""
    before = source.data if job.target is None else _content(job.target) or b""
    name = str(job.target or source.name)
    lines = difflib.diff_bytes(
        difflib.unified_diff, before.splitlines(keepends=True), data.splitlines(keepends=True),
        name.encode("utf-8", "surrogateescape"), name.encode("utf-8", "surrogateescape"),
    )  # fmt: skip
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines
    )
