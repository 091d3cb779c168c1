"""Threads that run parts of a region beside the thread that calls it.

A chain of operations takes some 0.1 ms, as long as the system takes to wake a thread. So a worker that has
run a part looks for the next one in machine code for a while before it sleeps.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from .background import is_compiling
from .codegen.layout import SHARED_FUNCTIONS
from .codegen.parts import LISTENS, WORKER_WORDS
from .linking.calls import NativeCode

MEASURED_CALLS, CALLS_IN_SUCCESSION = 24, 6
"""The calls of each way of which the median decides whether several threads are faster."""
CALLS_UNTIL_MEASURED = 2000
"""The calls after which that is decided anew: by then, other programs may run on the machine, or none."""
_CALL_PARTS, _WORK = SHARED_FUNCTIONS
_APART = 128
"""The bytes between what two processors write, which would else wait for each other."""


def thread_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Worker:
    """A thread that runs parts of regions. `native` is a region, whose machine code it waits in."""

    def __init__(self, native: NativeCode):
        self._native = native
        buffer = (ctypes.c_char * (3 * _APART))()
        begin = -ctypes.addressof(buffer) % _APART
        self._words = (ctypes.c_int64 * WORKER_WORDS).from_buffer(buffer, begin)
        self.address = ctypes.addressof(self._words)
        self._is_called = threading.Event()
        threading.Thread(target=self._run, name="autograph_rs worker", daemon=True).start()

    def _run(self) -> None:
        work = self._native.method(_WORK)
        while True:
            self._is_called.wait()
            self._is_called.clear()
            work(self.address)

    def wake(self) -> None:
        if not self._words[LISTENS]:
            self._is_called.set()


_workers: list[Worker] = []


def workers(count: int, native: NativeCode) -> Sequence[Worker]:
    """Return workers of this process, which are created when they are first needed."""
    while len(_workers) < count:
        _workers.append(Worker(native))
    return _workers[:count]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.clear)  # the threads do not exist there


class SharedCall:
    """Calls of a region in one loop, of which each thread runs a part."""

    def __init__(self, native: NativeCode):
        self._native, self._fill = native, native.filler()
        self._call = native.method(_CALL_PARTS)

    def __call__(self, values: Sequence[Any], size: int, count: int) -> bool:
        """Run `count` parts of arrays of `size` elements. Return whether none gave up."""
        step = -(-size // count)

        def cut(start: int) -> list[Any]:
            end = start + step
            return [v[start:end] if isinstance(v, np.ndarray) and v.ndim else v for v in values]

        parts = [cut(start) for start in range(0, size, step)]
        frames = [frame for part in parts if (frame := self._fill(*part)) is not None]
        if len(frames) < len(parts):
            self._native.pool.free.extend(frames)
            return False
        status = self._run(frames)
        for frame in frames:
            self._native.release(frame)
        return not status

    def _run(self, frames: Sequence[Any]) -> int:
        places = [0]  # the calling thread has none
        for worker in workers(len(frames) - 1, self._native):
            worker.wake()
            places.append(worker.address)
        words = [len(frames)]
        for (_, address, *_), place in zip(frames, places, strict=True):
            words += [address, place]
        table = ctypes.create_string_buffer(struct.pack(f"{len(words)}q", *words))
        return self._call(ctypes.addressof(table))


class FasterOf:
    """Functions with the same results, of which the fastest runs. Now and then each runs, to be measured.

    Several threads may take longer than one: others use the processors, or the memory is the limit. Calls may
    also be so rare that the workers sleep in between, hence each function runs several times in succession.
    While regions are compiled, the last function runs and nothing is measured.
    """

    def __init__(self, *functions: Callable[..., tuple]):
        self._functions = functions
        self._seconds: list[list[float]] = [[] for _ in functions]
        self._fastest = functions[-1]
        self._calls_left = 0

    def __call__(self, *arguments: Any) -> tuple:
        if self._calls_left > 0:
            self._calls_left -= 1
            return self._fastest(*arguments)
        return self._measured(*arguments)

    def _measured(self, *arguments: Any) -> tuple:
        if is_compiling():
            return self._functions[-1](*arguments)
        times = self._seconds  # other threads may measure, too
        turn = sum(map(len, times)) // CALLS_IN_SUCCESSION % len(times)
        began = perf_counter()
        results = self._functions[turn](*arguments)
        times[turn].append(perf_counter() - began)
        if len(times[-1]) >= MEASURED_CALLS:
            medians = list(map(median, times))
            self._fastest = self._functions[medians.index(min(medians))]
            self._calls_left = CALLS_UNTIL_MEASURED
            self._seconds = [[] for _ in times]
        return results
