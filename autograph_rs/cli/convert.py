"""`autograph-rs convert`: convert files and packages ahead of time."""

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
from .jobs import Job, Outcome, Result, run_job
from .targets import InputFile, Selection, Walk, is_source


@dataclass(frozen=True)
class Destination:
    """Where converted files are written: to a folder, to one file, in place, or nowhere."""

    folder: Path | None = None
    file: Path | None = None
    in_place: bool = False

    @classmethod
    def from_options(cls, output: str | None, paths: Sequence[str], *, in_place: bool) -> Destination:
        if output is None:
            return cls(in_place=in_place)
        is_single_file = len(paths) == 1 and not os.path.isdir(paths[0])
        if is_single_file and (is_source(output) or (os.path.exists(output) and not os.path.isdir(output))):
            return cls(file=Path(output))
        if STDIN in paths:
            raise click.UsageError("standard input has no file name: pass a file as --output")
        if any(os.path.isdir(path) and is_same(Path(path), Path(output)) for path in paths):
            raise click.UsageError(f"{output} is the input: use --in-place to replace it")
        if is_source(output) and not os.path.isdir(output):
            raise click.UsageError(f"{output} is not a folder: several files cannot be written to one file")
        if os.path.exists(output) and not os.path.isdir(output):
            raise click.UsageError(f"{output} is not a folder")
        return cls(folder=Path(output))

    def target_of(self, file: InputFile) -> Path | None:
        if self.in_place:
            return None if file.path == STDIN else Path(file.path)
        return self.folder / file.relative if self.folder is not None else self.file

    def walk(self, selection: Selection) -> Walk:
        if self.folder is None:
            return Walk(selection)
        return Walk(selection, (self.folder.resolve(),), with_data_files=True, identify=os.path.abspath)


def jobs_for(
    paths: Sequence[str],
    destination: Destination,
    selection: Selection,
    *,
    writes: bool,
    diff: bool,
    mapped: bool,
    staged_only: bool,
) -> Iterator[Job | Outcome]:
    """Yield a job for each file to process, and an outcome for each file that is skipped or unreadable."""
    targets: dict[str, str] = {}
    for file in destination.walk(selection).files(paths):
        if file.problem:
            yield Outcome(file.path, Result.FAILED, message=f"{file.path}: {file.problem}")
            continue
        target = destination.target_of(file)
        if target is not None and not destination.in_place:
            if file.path != STDIN and is_same(target, Path(file.path)):
                raise click.UsageError(f"{target} is the input: use --in-place to replace it")
            other = targets.setdefault(os.path.abspath(target), file.path)
            if other != file.path:
                raise click.UsageError(f"{other} and {file.path} would both be written to {target}")
        if destination.in_place and file.leads_outside:
            message = f"{file.path}: skipped: it links to a file outside the folder"
            yield Outcome(file.path, Result.SKIPPED, message=message)
            continue
        converts = file.is_selected or not file.is_in_folder
        yield Job(file.path, target, converts, writes, diff, mapped, staged_only)


@click.command()
@options.paths
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=options.PATH,
    help="Output folder, or output file for a single input file; - is standard output.",
)
@click.option("--in-place", is_flag=True, help="Replace each file with its converted form.")
@click.option("--stdout", is_flag=True, help="Print the converted files.")
@click.option("--diff", is_flag=True, help="Print a diff; write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit with code 1 if anything would change.")
@click.option("--source-map", is_flag=True, help="Write source maps, so that errors show the original lines.")
@click.option("--staged-only", is_flag=True, help="Write functions in their staged form alone.")
@options.selection
@options.jobs
@options.verbosity
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
    staged_only: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Convert the functions in files, packages, folders, or standard input (-).

    A converted file imports only autograph_rs.runtime. Its functions run the code that you wrote, and their
    staged form while a graph is built. Code outside functions is not changed. Converting a file again does
    not change it.

    \b
    autograph-rs convert model.py -o model_converted.py
    autograph-rs convert src/package -o build        # creates build/package
    autograph-rs convert src --in-place --exclude 'test_*.py'
    autograph-rs convert src --check --diff
    autograph-rs convert - < model.py > converted.py

    A package keeps its name in DIR, and its other files are copied. A GLOB may match a file's path relative
    to the given folder, any leading part of that path, or any single name in it.
    """
    if output in (STDIN, "/dev/stdout"):
        output, stdout = None, True
    options.require_exclusive(**{"--output": output, "--in-place": in_place, "--stdout": stdout})
    options.require_exclusive(**{"--stdout": stdout, "--diff": diff})
    options.require_exclusive(**{"--stdout": stdout, "--check": check})
    if quiet and verbose:  # the command line overrides pyproject.toml
        quiet, verbose = (options.is_on_command_line(context, name) for name in ("quiet", "verbose"))
    options.require_exclusive(**{"--quiet": quiet, "--verbose": verbose})
    if not (output or in_place or stdout or diff or check):
        if paths != (STDIN,):
            raise click.UsageError("choose an output: --output DIR, --in-place, --stdout, --diff or --check")
        stdout = True
    if in_place and STDIN in paths:
        raise click.UsageError("standard input cannot be converted in place")
    if not output and options.is_on_command_line(context, "source_map"):
        raise click.UsageError(
            "--source-map requires --output: the map refers to the original file, which must remain"
        )
    destination = Destination.from_options(output, paths, in_place=in_place or not (output or stdout))
    selection = Selection(include, exclude)
    mapped = source_map and bool(output)
    todo = [
        *jobs_for(
            paths, destination, selection,
            writes=not (diff or check), diff=diff, mapped=mapped, staged_only=staged_only,
        )
    ]  # fmt: skip
    report = Report(quiet=quiet, verbose=verbose, check=check)
    if not todo:
        batch.messages.print(options.NO_FILES)
    results = batch.run_jobs(run_job, todo, crashed, count=batch.process_count(jobs, len(todo)))
    for outcome in batch.with_progress(results, len(todo), shown=not (quiet or stdout or diff)):
        report.add(outcome)
    report.finish(is_many=len(todo) != 1 or todo[0].path not in paths)
    context.exit(report.exit_code)


def crashed(job: Job | Outcome) -> Outcome:
    return Outcome(job.path, Result.FAILED, message=f"{job.path}: the process that converted it crashed")


class Report:
    """Progress report that prints each outcome as it arrives, and a summary at the end."""

    def __init__(self, *, quiet: bool, verbose: bool, check: bool) -> None:
        self.quiet, self.verbose, self.check = quiet, verbose, check
        self.counts = Counter({str(result): 0 for result in Result})
        self.changes = 0
        self.started = time.perf_counter()
        self.output = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def add(self, outcome: Outcome) -> None:
        self.counts[outcome.result] += 1
        self.changes += outcome.changes
        if outcome.result is Result.FAILED or (outcome.message and not self.quiet):
            batch.messages.print(
                outcome.message, style="red" if outcome.result is Result.FAILED else "yellow"
            )
        elif self.verbose:
            batch.messages.print(f"{outcome.path}: {outcome.result}")
        elif self.check and outcome.changes and not self.quiet:
            batch.messages.print(f"{outcome.path}: would change")
        if outcome.printed:
            self._print_output(outcome.printed)

    def _print_output(self, data: bytes) -> None:
        if not self.output.is_terminal or not data.startswith(b"--- "):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        for line in data.decode("utf-8", "replace").splitlines():
            self.output.print(line, style={"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))

    def finish(self, *, is_many: bool) -> None:
        if self.verbose or (is_many and not self.quiet):
            batch.messages.print(batch.summary(self.counts, time.perf_counter() - self.started))

    @property
    def exit_code(self) -> int:
        if self.counts[Result.FAILED]:
            return options.FAILURE
        return options.FINDINGS if self.check and self.changes else 0
