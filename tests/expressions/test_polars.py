"""Tests of `examples/embed_polars.py`: functions of rows as expressions equal `map_elements`."""

from __future__ import annotations

import datetime as dt
import inspect
import itertools
import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import row_functions
from backends.support import required

import autograph_rs as ag

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


def limited(x, limit=10):
    if x < limit:
        return x
    return limit


def test_plain_values_give_plain_values(example: dict[str, Any]) -> None:
    assert example["fee"](3.0, "DE") == 7.5
    assert example["fee"](None, "DE") is None


def test_functions_call_each_other_and_take_constants(polars: Any, example: dict[str, Any]) -> None:
    """A function that is an expression, too, can be a helper; other arguments stay plain."""
    inner = example["expression"](limited)

    def outer(x, factor):
        return inner(x, limit=factor) + 1, {"twice": inner(x) * 2}

    first, second = example["expression"](outer)(polars.col("x"), 5)
    frame = polars.DataFrame({"x": [1, 7, 30, None]})
    result = frame.select(first=first, twice=second["twice"], named=inner(x=polars.col("x"), limit=8))
    assert result.rows() == [(2, 2, 1), (6, 14, 7), (6, 20, 8), (None, None, None)]


@pytest.mark.parametrize("kind", ["Int8", "UInt8", "Int16", "UInt32", "Int32"])
def test_arithmetic_does_not_overflow_narrow_columns(polars: Any, example: dict[str, Any], kind: str) -> None:
    def computed(a, b):
        return a * b - 250 if a > 100 else a - b

    frame = polars.DataFrame(
        {"a": [100, 120, 3], "b": [110, 100, 5]}, schema=dict.fromkeys("ab", getattr(polars, kind))
    )
    result = frame.select(example["expression"](computed)(polars.col("a"), polars.col("b"))).to_series()
    assert result.to_list() == [computed(*row) for row in frame.rows()] == [-10, 11_750, -2]


def test_one_column_has_no_numbers_and_text(polars: Any, example: dict[str, Any]) -> None:
    """The conversion refuses what it can see, and Polars what it learns of a column."""
    convert = example["expression"]
    with pytest.raises(ag.MismatchError, match="number on one path and text on the other"):
        convert(lambda x: x * 2 if x > 0 else "none")(polars.col("x"))
    mixed = convert(lambda x: x if x > 0 else "none")(polars.col("x"))
    with pytest.raises(polars.exceptions.PolarsError, match="expected `String`, got `i64`"):
        polars.DataFrame({"x": [1, -1]}).select(mixed)


def test_an_expression_that_doubles_in_each_iteration_is_refused(
    polars: Any, example: dict[str, Any]
) -> None:
    def collatz(n):
        steps = 0
        for _ in range(40):
            if n == 1:
                break
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    with pytest.raises(ag.StagingError, match="more than 100000 operations") as caught:
        example["expression"](collatz)(polars.col("n"))
    assert "n = n // 2 if n % 2 == 0 else 3 * n + 1" in str(caught.value)


def test_caught_failures_are_refused(polars: Any, example: dict[str, Any]) -> None:
    def ratio(x):
        try:
            return 1 / x
        except ZeroDivisionError:
            return 0

    with pytest.raises(ag.RaiseInTryError, match="ZeroDivisionError"):
        example["expression"](ratio)(polars.col("x"))


def test_nan_equals_nothing_and_is_not_ordered(polars: Any, example: dict[str, Any]) -> None:
    def compared(x, y):
        nan = math.nan
        return x == y, x != y, x < y, x <= y, x > y, x >= y, x < nan, nan < x, x == nan, x != nan, nan >= x

    rows = list(itertools.product([1.0, math.nan, -math.inf, math.inf], repeat=2))
    frame = polars.DataFrame(rows, schema=["x", "y"], orient="row")
    tests = example["expression"](compared)(polars.col("x"), polars.col("y"))
    result = frame.select(test.alias(str(i)) for i, test in enumerate(tests))
    assert result.rows() == [compared(*row) for row in rows]
