"""Compare functions as expressions of Polars, by `examples/embed_polars.py`, with `map_elements`.

    python benchmarks/expressions.py [--rows N] [--rounds N]

Prints the milliseconds for all rows of a lazy query: the median of several runs of each expression, and one
run of `map_elements`, which gets a struct if the function has several parameters. The target is a tenth of
that time. The results of both are compared. The functions are those of `tests/expressions/row_functions.py`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import functools
import inspect
import os
import runpy
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from figures import Sample, geometric_mean, number, table

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "expressions"))

import row_functions  # noqa: E402

TARGET = 10
KINDS = {float: pl.Float64, int: pl.Int64, str: pl.String, bool: pl.Boolean}
TEXTS_IN_EACH_ROW = (
    "country_rate", "display_name", "fizzbuzz", "greeting", "hour_label", "initial", "last_letter", "quarter",
)  # fmt: skip
TEXTS = ["DE", "FR-2", "XA", "it", "AT", "CH-Zug", " anna ", "Bob", "x", ""]


def column(name: str, rows: int, random: np.random.Generator) -> pl.Series:
    """Return values for a parameter. Every tenth is null if the name begins with `maybe_`."""
    kind = name.removeprefix("maybe_")
    if kind in ("name", "code"):
        values = pl.Series(TEXTS).gather(random.integers(0, len(TEXTS), rows))
    elif kind == "day":
        values = pl.Series([dt.date(2000, 1, 1)]).gather(np.zeros(rows, int)) + pl.Series(
            random.integers(0, 9000, rows)
        ).cast(pl.Duration("ms")) * (24 * 3600 * 1000)
    elif kind == "flag":
        values = pl.Series(random.random(rows) < 0.5)
    elif kind in ("n", "m", "score"):
        values = pl.Series(random.integers(0, 120, rows))
    elif kind in ("month", "hour"):
        values = pl.Series(random.integers(1, 13, rows))
    else:
        scale = {"income": 40_000, "height": 1}.get(kind, 30)
        values = pl.Series(random.normal(scale / 3, scale, rows).round(2))
        values = values.abs() + 0.5 if kind in ("height", "weight") else values
    if kind != name:
        values = (
            values.to_frame("v").select(pl.when(pl.Series(random.random(rows) > 0.1)).then("v")).to_series()
        )
    return values.alias(name)


def elements(f: Callable[..., Any], names: list[str]) -> pl.Expr:
    """Return `map_elements` of a function, as it is written for these columns."""
    kind = f.__annotations__["return"]
    wanted = {"return_dtype": KINDS[kind], "skip_nulls": False}
    if kind is not float:  # Polars refuses an int in a column of floats
        call = f if len(names) == 1 else lambda row: f(**row)
    elif len(names) == 1:
        call = lambda value: None if (result := f(value)) is None else float(result)  # noqa: E731
    else:
        call = lambda row: None if (result := f(**row)) is None else float(result)  # noqa: E731
    return (pl.col(names[0]) if len(names) == 1 else pl.struct(names)).map_elements(call, **wanted)


def or_null(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns None where `f` raises, as the expression does."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return f(*args, **kwargs)
        except Exception:
            return None

    return call


def timed(frame: pl.DataFrame, expr: pl.Expr) -> tuple[float, pl.Series]:
    started = time.perf_counter()
    result = frame.lazy().select(result=expr).collect().to_series()
    return time.perf_counter() - started, result


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore", pl.exceptions.PolarsInefficientMapWarning)
    expression = runpy.run_path(str(ROOT / "examples" / "embed_polars.py"))["expression"]
    random = np.random.default_rng(0)
    functions = [f for _, f in inspect.getmembers(row_functions, inspect.isfunction)]
    rows, ratios = [], {}
    for f in functions:
        names = [n for n, p in inspect.signature(f).parameters.items() if p.default is p.empty]
        frame = pl.DataFrame([column(name, options.rows, random) for name in names])
        expr = expression(f)(*map(pl.col, names))
        try:
            theirs, expected = timed(frame, elements(f, names))
        except Exception:
            theirs, expected = timed(frame, elements(or_null(f), names))
        runs = [timed(frame, expr) for _ in range(options.rounds)]
        if not (found := runs[0][1]).equals(expected):
            difference = (
                (found != expected).sum() if found.dtype != pl.Float64 else (found - expected).abs().max()
            )
            if (
                found.dtype != pl.Float64
                or not found.is_null().equals(expected.is_null())
                or difference > 1e-9
            ):
                sys.exit(f"{f.__name__} gives other results: {difference}")
        ours = Sample(seconds for seconds, _ in runs).median
        ratios[f.__name__] = theirs / ours
        rows.append([f.__name__, number(1e3 * ours), number(1e3 * theirs), f"{theirs / ours:.0f}x"])
    print(table(["ms", "expression", "map_elements", "ratio"], rows))
    texts, others = (
        [ratio for name, ratio in ratios.items() if (name in TEXTS_IN_EACH_ROW) is is_text]
        for is_text in (True, False)
    )
    print(
        f"\n{len(ratios)} functions, {options.rows:,} rows, Polars {pl.__version__}, {os.cpu_count()} cores."
    )
    means = geometric_mean(others), geometric_mean(texts)
    print(f"Geometric mean of the ratios: {means[0]:.0f} for {len(others)} functions that select values,")
    print(f"and {means[1]:.0f} for {len(texts)} that make a new text for each row.")
    slow = [name for name, ratio in ratios.items() if ratio < TARGET]
    print(f"Less than {TARGET} times as fast: {', '.join(slow) or 'none'}.")


if __name__ == "__main__":
    main()
