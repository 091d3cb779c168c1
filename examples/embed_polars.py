"""Scalar Python functions as Polars expressions: `if` and `return` become `when`, `then` and `otherwise`.

python examples/embed_polars.py

None stands for null. A row for which Python would raise, as for `None > 3` and `1 / 0`, gives null. Numbers
have 64 bits, but the sum of two columns has their type. Remainders and digits of floats are those of Polars.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
from collections.abc import Callable
from typing import Any

import polars as pl
import polars.selectors as cs

import autograph_rs as ag

ONE = pl.lit(1, pl.Int64)  # a product with it has 64 bits
FALSE = pl.lit(False)


def is_text(expr: pl.Expr) -> pl.Expr:
    return pl.dtype_of(expr).matches(cs.string())


def is_nan(expr: pl.Expr) -> pl.Expr:
    return expr.cast(pl.Float64, strict=False).is_nan().fill_null(FALSE) & ~is_text(expr)


def power(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    return a.pow(b) if b.meta.is_literal() and pl.select(b >= 0).item() else a.cast(pl.Float64).pow(b)


def truth(expr: pl.Expr) -> pl.Expr:
    test = pl.when(is_text(expr)).then(expr.cast(pl.String) != "")
    return test.otherwise(expr.cast(pl.Float64, strict=False) != 0).fill_null(FALSE)


def text(expr: pl.Expr) -> pl.Expr:
    shown, is_bool = expr.cast(pl.String), pl.dtype_of(expr).matches(cs.boolean())
    named = pl.when(shown == "true").then(pl.lit("True")).otherwise(pl.lit("False"))
    return pl.when(is_bool).then(named).otherwise(shown)


def number(kind: Any, function: Callable[..., pl.Expr] = lambda x: x, of: type = float) -> Callable[..., Any]:
    """Return a function whose results are cast to a type. Where one is no number, Python raises."""

    def cast(value: Any, *args: Any) -> Any:
        found = POLARS.call(of, lambda *exprs: function(*exprs).cast(kind, strict=False), value, *args)
        POLARS.fail_if(POLARS.made(pl.Expr.is_null, bool, found), ValueError("it is no number"))
        return found

    return cast


def affix(name: str) -> Callable[..., pl.Expr]:
    """Return a test for one of several affixes."""
    return lambda s, affixes: pl.any_horizontal(
        getattr(s.str, name)(part) for part in (affixes if isinstance(affixes, tuple) else (affixes,))
    )


def root(value: Any) -> Any:
    POLARS.fail_if(value < 0, ValueError("math domain error"))
    return POLARS.call(float, pl.Expr.sqrt, value)


def rounded(value: Any, digits: int | None = None) -> Any:
    kind = pl.Int64 if digits is None else pl.Float64
    return number(kind, lambda x: x.round(digits or 0, mode="half_to_even"))(value)


class Polars(ag.SymbolOperators):
    """Python's operators on expressions of Polars."""

    constants = (int, float, str, dt.date, dt.timedelta)
    allows_none, failure = True, None
    operations = {
        "where": lambda test, first, second: pl.when(test).then(first).otherwise(second),
        "not_": operator.invert, "is_none": pl.Expr.is_null, "truth": truth,
        "eq": pl.Expr.eq_missing, "is_nan": is_nan,
        "mul": lambda a, b: a * ONE * b, "sub": lambda a, b: a * ONE - b, "neg": lambda a: a * -ONE,
        "pow": power, "abs": lambda a: (a * ONE).abs(), "len": lambda s: s.str.len_chars().cast(pl.Int64),
        "getitem": lambda s, i: s.str.slice(i, 1), "slice": lambda s, start, size: s.str.slice(start, size),
        "contains": lambda s, part: s.str.contains(part, literal=True),
        "str": text, "text": lambda *parts: pl.concat_str(parts),
    }  # fmt: skip
    builtins = {
        int: number(pl.Int64), float: number(pl.Float64), round: rounded,
        math.floor: number(pl.Int64, pl.Expr.floor), math.ceil: number(pl.Int64, pl.Expr.ceil),
        math.sqrt: root, math.isnan: lambda x: POLARS.call(bool, pl.Expr.is_nan, x),
    }  # fmt: skip
    methods = {
        "startswith": (bool, affix("starts_with")), "endswith": (bool, affix("ends_with")),
        "replace": (str, lambda s, old, new: s.str.replace_all(old, new, literal=True)),
        "upper": (str, lambda s: s.str.to_uppercase()), "lower": (str, lambda s: s.str.to_lowercase()),
        "strip": (str, lambda s, *characters: s.str.strip_chars(*characters)),
        "weekday": (int, lambda d: d.dt.weekday().cast(pl.Int64) - 1),
    }  # fmt: skip
    attributes = {
        name: (int, lambda d, name=name: getattr(d.dt, name)().cast(pl.Int64))
        for name in ("year", "month", "day", "hour", "minute", "second")
    }

    def literal(self, value: Any) -> pl.Expr:
        return pl.lit(value, dtype={int: pl.Int64, float: pl.Float64}.get(type(value)))

    def checked(self, expr: pl.Expr, kind: type) -> pl.Expr:
        return expr * ONE if kind is not str else expr.str.slice(0)  # of another type, this is an error


POLARS = Polars()


def expression(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes and returns expressions of Polars. Other arguments are constants."""
    converted = POLARS.convert(f)

    def symbol(value: Any) -> Any:
        return POLARS.symbol(value, nullable=True) if isinstance(value, pl.Expr) else value

    @ag.do_not_convert
    def build(*args: Any, **kwargs: Any) -> Any:
        result = converted(*map(symbol, args), **{name: symbol(value) for name, value in kwargs.items()})
        has_expressions = any(isinstance(value, pl.Expr) for value in (*args, *kwargs.values()))
        return POLARS.expression(result) if has_expressions else result

    return build


@expression
def fee(weight, country):
    if weight is None:
        return None
    price = 5.0 if country in ("DE", "AT") else 9.0
    for limit, factor in [(1, 1.0), (5, 1.5)]:
        if weight <= limit:
            return price * factor
    return price * 2


if __name__ == "__main__":
    frame = pl.DataFrame({"weight": [0.5, 3.0, 20.0, None], "country": ["DE", "FR", None, "AT"]})
    print(frame.select(fee=fee(pl.col("weight"), pl.col("country")))["fee"].to_list())
