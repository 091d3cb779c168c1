"""`autograph-rs convert`: files and packages, converted ahead of time."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from . import batch, options
from .files import STDIN, is_same
from .jobs import Done, Job, Result, do
from .targets import Found, Selection, Walk, is_source


@dataclass(frozen=True)
class Destination:
    """Where converted files go: into a folder, one file, their own place, or nowhere."""

    folder: Path | None = None
    file: Path | None = None
    in_place: bool = False

    @classmethod
    def of(cls, output: str | None, paths: Sequence[str], *, in_place: bool) -> Destination:
        if output is None:
            return cls(in_place=in_place)
        is_one = len(paths) == 1 and not os.path.isdir(paths[0])
        if is_one and (is_source(output) or (os.path.exists(output) and not os.path.isdir(output))):
            return cls(file=Path(output))
        if STDIN in paths:
            raise click.UsageError("standard input has no name: give a file as --output")
        if is_source(output) and not os.path.isdir(output):
            raise click.UsageError(f"{output} is no folder, which several files need")
        if os.path.exists(output) and not os.path.isdir(output):
            raise click.UsageError(f"{output} is no folder")
        return cls(folder=Path(output))

    def of_file(self, found: Found) -> Path | None:
        if self.in_place:
            return None if found.path == STDIN else Path(found.path)
        return self.folder / found.below if self.folder is not None else self.file

    def walk(self, selection: Selection) -> Walk:
        if self.folder is None:
            return Walk(selection)
        return Walk(selection, leave=(self.folder.resolve(),), others=True, same=os.path.abspath)


def jobs_for(
    paths: Sequence[str],
    destination: Destination,
    selection: Selection,
    *,
    writes: bool,
    diff: bool,
    mapped: bool,
) -> Iterator[Job | Done]:
    """A job for each file; for a file that is not converted what is said of it.

    Raises:
        UsageError: a file would be written over another one that is read or written.
    """
    targets: dict[str, str] = {}
    for found in destination.walk(selection).files(paths):
        if found.problem:
            yield Done(found.path, Result.FAILED, message=f"{found.path}: {found.problem}")
            continue
        target = destination.of_file(found)
        if target is not None and not destination.in_place:
            if found.path != STDIN and is_same(target, Path(found.path)):
                raise click.UsageError(f"{target} is the input itself: --in-place replaces it")
            other = targets.setdefault(os.path.abspath(target), found.path)
            if other != found.path:
                raise click.UsageError(f"{other} and {found.path} would both become {target}")
        if destination.in_place and found.is_outside:
            message = f"{found.path}: left as it is: a link to a file outside of the folder"
            yield Done(found.path, Result.LEFT, message=message)
            continue
        converts = found.selected or not found.is_in_folder
        yield Job(found.path, target, converts, writes, diff, mapped)


@click.command()
@options.paths
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=options.PATH,
    help="Put the converted files there; - is standard output.",
)
@click.option("--in-place", is_flag=True, help="Replace each file by its converted form.")
@click.option("--stdout", is_flag=True, help="Print the converted files.")
@click.option("--diff", is_flag=True, help="Print what would change, and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if anything would change.")
@click.option(
    "--source-map", is_flag=True, help="Put source maps beside the files: errors name original lines."
)
@options.selection
@options.jobs
@options.loudness
@click.pass_context
def convert(
    context: click.Context,
    paths: tuple[str, ...],
    output: str | None,
    in_place: bool,
    stdout: bool,
    diff: bool,
    check: bool,
    source_map: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Convert the functions of files, packages, folders, or of standard input (-).

    A converted file runs on its own: it imports no more than autograph_rs.runtime. What is outside of
    functions stays as it is written. A file that is converted again stays as it is.

    \b
    autograph-rs convert model.py -o model_converted.py
    autograph-rs convert src/package -o build        # makes build/package
    autograph-rs convert src --in-place --exclude 'test_*.py'
    autograph-rs convert src --check --diff
    autograph-rs convert - < model.py > converted.py

    A package keeps its name below DIR, and its other files are copied. A GLOB is compared with the path of a
    file below the folder that is given, with each folder on that way, and with the name of each.
    """
    if output in (STDIN, "/dev/stdout"):
        output, stdout = None, True
    options.exclusive(**{"--output": output, "--in-place": in_place, "--stdout": stdout})
    options.exclusive(**{"--stdout": stdout, "--diff": diff})
    options.exclusive(**{"--stdout": stdout, "--check": check})
    if quiet and verbose:  # one that is given counts more than one that is set
        quiet, verbose = (options.is_given(context, name) for name in ("quiet", "verbose"))
    options.exclusive(**{"--quiet": quiet, "--verbose": verbose})
    if not (output or in_place or stdout or diff or check):
        if paths != (STDIN,):
            raise click.UsageError("say where to: --output DIR, --in-place, --stdout, --diff or --check")
        stdout = True
    if in_place and STDIN in paths:
        raise click.UsageError("standard input has no place of its own")
    if not output and options.is_given(context, "source_map"):
        raise click.UsageError("--source-map needs --output: the original stays, and the map names its lines")
    destination = Destination.of(output, paths, in_place=in_place or not (output or stdout))
    chosen = Selection(include, exclude)
    found = jobs_for(
        paths, destination, chosen, writes=not (diff or check), diff=diff, mapped=source_map and bool(output)
    )
    report = Report(quiet=quiet, verbose=verbose, check=check)
    todo = [*found]
    if not todo:
        batch.messages.print(options.NOTHING)
    results = batch.each(do_or_tell, todo, lost, count=batch.processes(jobs, len(todo)))
    for done in batch.with_progress(results, len(todo), shown=not (quiet or stdout or diff)):
        report.add(done)
    report.end(is_many=len(todo) != 1 or todo[0].path not in paths)
    context.exit(report.exit_code)


def do_or_tell(job: Job | Done) -> Done:
    return do(job) if isinstance(job, Job) else job


def lost(job: Job | Done) -> Done:
    return Done(job.path, Result.FAILED, message=f"{job.path}: ended the process that converted it")


class Report:
    """What is said about the files, as they are done and at the end."""

    def __init__(self, *, quiet: bool, verbose: bool, check: bool) -> None:
        self.quiet, self.verbose, self.check = quiet, verbose, check
        self.counts = Counter({str(result): 0 for result in Result})
        self.changes = 0
        self.started = time.perf_counter()
        self.page = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def add(self, done: Done) -> None:
        self.counts[done.result] += 1
        self.changes += done.changes
        if done.result is Result.FAILED or (done.message and not self.quiet):
            batch.messages.print(done.message, style="red" if done.result is Result.FAILED else "yellow")
        elif self.verbose:
            batch.messages.print(f"{done.path}: {done.result}")
        elif self.check and done.changes and not self.quiet:
            batch.messages.print(f"{done.path}: would change")
        if done.shown:
            self.show(done.shown)

    def show(self, data: bytes) -> None:
        if not self.page.is_terminal or not data.startswith(b"--- "):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        for line in data.decode("utf-8", "replace").splitlines():
            self.page.print(line, style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))

    def end(self, *, is_many: bool) -> None:
        if self.verbose or (is_many and not self.quiet):
            batch.messages.print(batch.summary(self.counts, time.perf_counter() - self.started))

    @property
    def exit_code(self) -> int:
        if self.counts[Result.FAILED]:
            return options.FAILURE
        return options.FINDINGS if self.check and self.changes else 0
