"""Random programs run three ways: plain NumPy, the graph as traced and optimised, on one of the engines.

The same means the same bits, dtypes, shapes and Python types, the same arguments afterwards, and the
same type of exception. A program that does not return all that it computes may spare an error that
only unused work raises.
"""

from __future__ import annotations

import copy
import linecache
import re
import warnings
from collections import Counter
from typing import Any

import numpy as np
from graph_programs import Program, program
from whole_graphs import compile_whole

import autograph_rs as ag
from autograph_rs.runtime.graph.compile import buffers

buffers.MIN_SIZE = 0  # reuse the buffers of small arrays too

REFUSED = (ag.StagingError, ag.MismatchError, ag.UnsupportedFunctionError)


class DifferenceError(AssertionError):
    """A program gives something else as a graph."""


def outcome(function: Any, arguments: tuple) -> tuple[Any, Any, tuple]:
    """Result, exception, and the arguments afterwards."""
    arguments = copy.deepcopy(arguments)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*arguments), None, arguments
    except Exception as error:
        return None, error, arguments


def compiled(source: str, seed: int) -> Any:
    """The function of a source, which the converter finds again."""
    filename = f"<program {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, filename, "exec"), space)
    return space["program"]


def check(made: Program, seed: int, variants: tuple = (False, True), engine: str = "numpy") -> str:
    """Run a program all ways; `same`, `raised` or `refused: ...`.

    Raises:
        DifferenceError: the program gives something else as a graph.
    """
    function = compiled(made.source, seed)
    otherwise = False
    try:
        expected = outcome(function, made.arguments)
        for variant in variants:
            staged = ag.function(function, optimise=variant, engine=engine)
            actual = outcome(staged, made.arguments)
            if engine == "native" and actual[1] is None and compile_whole(staged):
                actual = outcome(staged, made.arguments)
            if isinstance(actual[1], REFUSED):
                return f"refused: {type(actual[1]).__name__}: {_words(actual[1])}"
            if expected[1] is not None and actual[1] is not None and type(actual[1]) is not type(expected[1]):
                expected, otherwise = actual, True  # types alone told that another statement cannot work
            reason = difference(actual, expected, lenient=not made.complete)
            if reason:
                raise DifferenceError(
                    f"seed {seed}, optimise={variant}, engine={engine}: {reason}\n"
                    f"{made.source}\n{made.arguments!r}"
                ) from actual[1]
    finally:
        linecache.cache.pop(f"<program {seed}>", None)
    return "same" if expected[1] is None else "raised otherwise" if otherwise else "raised"


def _words(error: BaseException) -> str:
    """The words of an error that tell its kind, without types and places."""
    return re.sub(r"\([^)]*\)|of type [\w, [\]?]+", "", str(error))[:70]


def difference(actual: tuple, expected: tuple, *, lenient: bool) -> str:
    if expected[1] is not None:
        if actual[1] is None:
            return "" if lenient else f"missing {expected[1]!r}"
        same = type(actual[1]) is type(expected[1])
        return "" if same else f"{actual[1]!r}, not {expected[1]!r}"
    if actual[1] is not None:
        return f"unexpected {actual[1]!r}"
    for i, pair in enumerate(zip(actual[0], expected[0], strict=True)):
        if not same_value(*pair):
            return f"result {i} is {shown(pair[0])}, not {shown(pair[1])}"
    for i, pair in enumerate(zip(actual[2], expected[2], strict=True)):
        if not same_value(*pair):
            return f"argument {i} is {shown(pair[0])} afterwards, not {shown(pair[1])}"
    return ""


def same_value(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and bits(a) == bits(b)
    return repr(a) == repr(b)


def bits(value: Any) -> bytes:
    """Return the bytes of an array or a number. Those of NaN are left out: processors choose them."""
    if value.dtype.kind in "fc":
        value = np.where(np.isnan(value), np.array(np.nan, value.dtype), value)
    return value.tobytes()


def shown(value: Any) -> str:
    return f"{value!r} ({type(value).__name__})"


def fuzz(
    first: int, count: int, limit: int = 1, engine: str = "numpy"
) -> tuple[Counter[str], list[DifferenceError]]:
    """Check the programs of consecutive seeds; how often each verdict was, and the differences found."""
    verdicts: Counter[str] = Counter()
    found: list[DifferenceError] = []
    for seed in range(first, first + count):
        try:
            verdicts[check(program(seed), seed, engine=engine)] += 1
        except DifferenceError as error:
            verdicts["different"] += 1
            found.append(error)
            if len(found) >= limit:
                break
    return verdicts, found
