"""Tests of `examples/embed_polars.py`: functions of rows as expressions equal `map_elements`."""

from __future__ import annotations

import datetime as dt
import inspect
import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import row_functions
from backends.support import required

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "embed_polars.py"
FUNCTIONS = [
    f for _, f in inspect.getmembers(row_functions, inspect.isfunction) if f.__module__ == "row_functions"
]  # fmt: skip
NUMBERS = [
    0.5,
    -3.0,
    25.0,
    None,
    12.0,
    0.0,
    1.0,
    -0.0,
    7.25,
    90.0,
    31_000.5,
    math.nan,
    math.inf,
    -15.5,
    2.5,
    18.5,
]
INTEGERS = [0, 1, -1, 15, -7, 100, None, 2000, 1900, 12, 9, 3, -28, 2_000_000_000, 23, 10]
TEXTS = ["DE", "FR-2", "", "x", None, "XA", "anna", " Bob ", "it", "nan", "AT", "-", "0", "Ü", "DEU", "FR"]
DAYS = [dt.date(2020 + i, 1 + (5 * i) % 12, 1 + 24 * (i % 2)) if i % 7 != 5 else None for i in range(16)]
FLAGS = [True, False, None, False] * 4


@pytest.fixture(scope="module")
def polars() -> Any:
    required("polars")
    import polars as pl

    return pl


@pytest.fixture(scope="module")
def example(polars: Any) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


def columns() -> dict[str, list[Any]]:
    """Return values for each parameter, in several combinations."""
    found: dict[str, list[Any]] = {}
    for shift, name in enumerate(sorted({n for f in FUNCTIONS for n in inspect.signature(f).parameters})):
        if name in ("lower", "upper"):
            continue
        kind = name.removeprefix("maybe_")
        values: list[Any] = INTEGERS if kind in ("n", "m", "month", "hour", "score") else NUMBERS
        values = {"name": TEXTS, "code": TEXTS, "day": DAYS, "flag": FLAGS}.get(kind, values)
        found[name] = [values[(i * (1 + shift % 5) + shift + i // 16) % 16] for i in range(160)]
    return found


def computed(f: Callable[..., Any], row: dict[str, Any]) -> Any:
    try:
        result = f(**row)
        return None if result is None else f.__annotations__["return"](result)
    except (TypeError, AttributeError, ArithmeticError, ValueError):
        return None


def is_equal(first: Any, second: Any) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-14) or (math.isnan(first) and math.isnan(second))
    return bool(first == second)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_an_expression_equals_map_elements(
    polars: Any, example: dict[str, Any], f: Callable[..., Any]
) -> None:
    names = [n for n, p in inspect.signature(f).parameters.items() if p.default is p.empty]
    frame = polars.DataFrame({name: columns()[name] for name in names}, strict=False)
    kinds = {float: polars.Float64, int: polars.Int64, str: polars.String, bool: polars.Boolean}
    kind = kinds[f.__annotations__["return"]]
    result = frame.select(
        python=polars.struct(names).map_elements(
            lambda row: computed(f, row), return_dtype=kind, skip_nulls=False
        ),
        expression=example["expression"](f)(*map(polars.col, names)),
    )
    wrong = [row for row, pair in zip(frame.rows(), result.rows(), strict=True) if not is_equal(*pair)]
    assert wrong == []
    assert any(value is not None for value in result["expression"])
