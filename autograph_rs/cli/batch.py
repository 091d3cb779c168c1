"""Process many files in several processes, with a progress bar, a summary and clean interruption."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

J = TypeVar("J")
R = TypeVar("R")

FILES_PER_PROCESS = 16  # fewer files take less time than starting a process
QUEUED_JOBS = 4  # per process; a short queue lets an interruption end quickly

messages = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
"""The console for messages about files; converted text goes to standard output."""


def process_count(jobs: int | None, files: int) -> int:
    """Return how many processes to use for `files` files; `jobs` defaults to the number of processors."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(jobs or available, files // FILES_PER_PROCESS))


def run_jobs(
    run: Callable[[J], R], jobs: Iterable[J], crashed: Callable[[J], R], *, count: int
) -> Iterator[R]:
    """Run jobs in `count` processes, and yield their results in order.

    After an interruption, running jobs finish and no others start. `crashed` returns the result to report
    for a job that kills its process, for example by running out of memory.
    """
    if count == 1:
        yield from map(run, jobs)
        return
    rest = iter(jobs)
    waiting: deque[tuple[J, Future[R]]] = deque()
    pool = _start_pool(count)
    try:
        while True:
            for job in itertools.islice(rest, count * QUEUED_JOBS - len(waiting)):
                with _ignoring_interrupts():
                    waiting.append((job, pool.submit(run, job)))
            if not waiting:
                return
            job, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:  # caused by this job or a later one
                yield _run_alone(run, job, crashed)
                pool = _start_pool(count)
                waiting = deque((other, pool.submit(run, other)) for other, _ in waiting)
    finally:
        with _ignoring_interrupts():
            pool.shutdown(cancel_futures=True)


def _start_pool(count: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # forking a process with threads is unsafe
    return ProcessPoolExecutor(count, mp_context=context, initializer=_initialize_worker)


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Ignore interruptions in this block and in processes started in it, which inherit the signal handler."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _initialize_worker() -> None:
    """Ignore interruptions, which the parent process handles, and exit when the parent exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _run_alone(run: Callable[[J], R], job: J, crashed: Callable[[J], R]) -> R:
    with _start_pool(1) as pool:
        try:
            return pool.submit(run, job).result()
        except BrokenProcessPool:
            return crashed(job)


def with_progress(results: Iterator[R], total: int, *, shown: bool) -> Iterator[R]:
    """Yield the results. If `shown`, display a progress bar on a terminal."""
    if not (shown and messages.is_terminal and total > 1):
        yield from results  # rich before 14.3 prints an empty line for a disabled bar
        return
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=messages, transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task("files", total=total)
        for result in results:
            bar.advance(task)
            yield result


def summary(counts: dict[str, int], seconds: float) -> str:
    """Return a summary such as `3 converted, 1 failed: 4 files in 0.2 s (20.0 files/s)`."""
    files = sum(counts.values())
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    rate = f" ({files / seconds:,.1f} files/s)" if seconds > 0 else ""
    return f"{parts or 'nothing to do'}: {files:,} file{'s' * (files != 1)} in {seconds:.1f} s{rate}"
