"""Times of calls, and readable figures: medians with their spread, geometric means, tables."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Sample(list[float]):
    """Repeated measurements of one thing."""

    @property
    def median(self) -> float:
        return statistics.median(self)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The bounds of the middle half of the values."""
        if len(self) < 2:
            return self[0], self[0]
        low, _, high = statistics.quantiles(self, n=4, method="inclusive")
        return low, high


def number(value: float) -> str:
    """Format a number with three significant digits and no exponent."""
    digits = next((n for n, bound in enumerate((100, 10, 1)) if value >= bound), 3)
    return f"{value:,.{digits}f}"


def spread(sample: Sample) -> str:
    """Format the median and the middle half."""
    low, high = sample.quartiles
    return f"{number(sample.median)} ({number(low)}-{number(high)})"


def geometric_mean(values: Iterable[float]) -> float:
    return statistics.geometric_mean(values)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table: the first column is left-aligned, the others right-aligned."""
    rows = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def best(run: Callable[[], Any], seconds: float) -> float:
    """Return the seconds per call: the best of several runs. A call that takes longer is timed once more."""
    start = time.perf_counter()
    run()
    once = time.perf_counter() - start
    count = max(1, int(seconds / 10 / max(once, 1e-7)))
    times = []
    for _ in range(5 if once < seconds else 1):
        start = time.perf_counter()
        for _ in range(count):
            run()
        times.append((time.perf_counter() - start) / count)
    return min(times)
