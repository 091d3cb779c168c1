"""Run the independent iterations of a loop in several threads.

Each thread runs a part of the range. If machine code gives up in one of them, all is run again in one thread.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from time import perf_counter
from typing import Any

import numpy as np

from .independence import Independence
from .workers import thread_count

MIN_SECONDS = 0.0005
"""The time of a loop in one thread from which several pay."""


@functools.cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_count(), thread_name_prefix="autograph_rs parallel")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_executor.cache_clear)  # its threads do not exist there


class ParallelLoop:
    """A loop over a range. Calling it maps the inputs of the region to the carried values.

    Args:
        serial: runs the loop in one thread.
        part: runs a part of the loop; it returns None if it gives up, and then restores nothing.
        form: which of the carried values are arrays and which are sums.
        carried: the number of carried values. Before them are the test, the start and the stop of the range.
        step: of the range.
    """

    def __init__(
        self,
        serial: Callable[..., tuple],
        part: Callable[..., tuple | None],
        form: Independence,
        carried: int,
        step: int,
    ):
        self.serial, self.part, self.form = serial, part, form
        self.carried, self.step = carried, step
        self._seconds_per_iteration = 0.0

    def __call__(self, *arguments: Any) -> tuple:
        test, start, stop = arguments[:3]
        whole = range(int(start), int(stop), self.step) if test else range(0)
        count = len(whole)
        if count * self._seconds_per_iteration < MIN_SECONDS or count < 2 or _has_both_signs(whole):
            return self._run_serially(count, arguments)
        results = self._run_parts(whole, arguments)
        return results if results is not None else self._run_serially(count, arguments)

    def _run_serially(self, count: int, arguments: tuple) -> tuple:
        began = perf_counter()
        results = self.serial(*arguments)
        if count:
            self._seconds_per_iteration = (perf_counter() - began) / count
        return results

    def _run_parts(self, whole: range, arguments: tuple) -> tuple | None:
        """Run the parts at the same time; return None if one gives up."""
        initial = list(arguments[3 : 3 + self.carried])
        captured = arguments[3 + self.carried :]
        if not all(type(initial[i]) is np.ndarray for i in self.form.arrays):
            return None
        before = [initial[i].copy() for i in self.form.arrays]
        values = [0 if i in self.form.sums else v for i, v in enumerate(initial)]
        size = -(-len(whole) // thread_count())
        parts = [whole[i : i + size] for i in range(0, len(whole), size)]
        futures = [
            _executor().submit(
                copy_context().run, self.part, True, part.start, part.stop, *values, *captured
            )  # with the caller's `np.errstate`
            for part in parts
        ]
        results = [future.result() for future in futures]
        if any(result is None for result in results):
            for i, array in zip(self.form.arrays, before, strict=True):
                initial[i][...] = array
            return None
        return tuple(
            [
                initial[i] + sum(r[i] for r in results) if i in self.form.sums else initial[i]  # type: ignore[index]
                for i in range(self.carried)
            ]
        )


def _has_both_signs(counters: range) -> bool:
    """Return whether two counters may be the index of one row: -1 is that of the last one."""
    return (counters[0] < 0) != (counters[-1] < 0)
