"""Many files: jobs on several processes, a progress bar, a summary, and an orderly end when interrupted."""

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
D = TypeVar("D")

WORTH_A_PROCESS = 16  # files: fewer take less time than another process takes to start
AHEAD = 4  # jobs that wait for each process, so that an interruption has little to wait for

messages = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
"""Where what is said about files goes; what is made of them goes to standard output."""


def processes(jobs: int | None, files: int) -> int:
    """How many processes do so many files; as many as there are processors if `jobs` does not say."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(jobs or available, files // WORTH_A_PROCESS))


def each(do: Callable[[J], D], jobs: Iterable[J], lost: Callable[[J], D], *, count: int) -> Iterator[D]:
    """What becomes of each job, in the order of the jobs, done by so many processes.

    An interruption ends it when the jobs that were begun are done. `lost` says what becomes of a job that
    ends its process, such as one that needs more memory than there is.
    """
    if count == 1:
        yield from map(do, jobs)
        return
    rest = iter(jobs)
    waiting: deque[tuple[J, Future[D]]] = deque()
    pool = _pool(count)
    try:
        while True:
            for job in itertools.islice(rest, count * AHEAD - len(waiting)):
                with _uninterrupted():
                    waiting.append((job, pool.submit(do, job)))
            if not waiting:
                return
            job, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:  # by this job, or by one of those that follow
                yield _alone(do, job, lost)
                pool = _pool(count)
                waiting = deque((other, pool.submit(do, other)) for other, _ in waiting)
    finally:
        with _uninterrupted():
            pool.shutdown(cancel_futures=True)


def _pool(count: int) -> ProcessPoolExecutor:
    spawning = multiprocessing.get_context("spawn")  # the copy of a process with threads would be none
    return ProcessPoolExecutor(count, mp_context=spawning, initializer=_serve)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """No interruption in here, nor where signals are inherited in the processes that begin in here."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve() -> None:
    """Leave interruptions to the process that began this one, and end when it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _alone(do: Callable[[J], D], job: J, lost: Callable[[J], D]) -> D:
    with _pool(1) as pool:
        try:
            return pool.submit(do, job).result()
        except BrokenProcessPool:
            return lost(job)


def with_progress(results: Iterator[D], total: int, *, shown: bool) -> Iterator[D]:
    """The results as they come, with a bar that counts them; `shown` says whether a person would see it."""
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=messages, transient=True, disable=not (shown and messages.is_terminal and total > 1),
    ) as bar:  # fmt: skip
        task = bar.add_task("files", total=total)
        for done in results:
            bar.advance(task)
            yield done


def summary(counts: dict[str, int], seconds: float) -> str:
    """`3 converted, 1 failed: 4 files in 0.2 s (20.0 files/s)`"""
    files = sum(counts.values())
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    rate = f" ({files / seconds:,.1f} files/s)" if seconds > 0 else ""
    return f"{parts or 'nothing to do'}: {files:,} file{'s' * (files != 1)} in {seconds:.1f} s{rate}"
