"""Random loops as machine code against the same graphs as NumPy calls and against plain Python.

Machine code gives what NumPy gives: the same bits, types, warnings and errors, with the same line of the
program, and the same arguments afterwards.
"""

from __future__ import annotations

import copy
import linecache
import random
import warnings
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
from graph_fuzzing import REFUSED, DifferenceError, same_value, shown
from random_loops import LoopProgram, loop_program
from whole_graphs import compile_whole

import autograph_rs as ag

MODES = ({}, {}, {"all": "ignore"}, {"all": "raise"}, {"over": "ignore", "divide": "raise"}, {"all": "warn"})


def function_of(source: str, filename: str) -> Any:
    """The function of a source, which the converter finds again."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"np": np, "math": __import__("math")}
    exec(compile(source, filename, "exec"), space)
    return space["program"]


def outcome(function: Any, arguments: tuple, mode: dict[str, str], filename: str) -> tuple[Any, ...]:
    """Result, error, arguments afterwards and warnings. An error has its type, text and line."""
    arguments = copy.deepcopy(arguments)
    result = error = None
    with warnings.catch_warnings(record=True) as log, np.errstate(**mode):
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except REFUSED:
            raise
        except Exception as caught:
            lines, frame = [], caught.__traceback__
            while frame is not None:
                lines += [frame.tb_lineno] if frame.tb_frame.f_code.co_filename == filename else []
                frame = frame.tb_next
            error = type(caught).__name__, str(caught), lines[-1:]
    return result, error, arguments, [(w.category.__name__, str(w.message)) for w in log]


def differences(actual: tuple[Any, ...], expected: tuple[Any, ...]) -> str:
    """Return how two outcomes differ, or an empty string."""
    if actual[1] != expected[1]:
        return f"error {actual[1]}, not {expected[1]}"
    if (actual[0] is None) != (expected[0] is None):
        return "one of the engines raises"
    for what, ours, theirs in (
        ("result", actual[0] or (), expected[0] or ()),
        ("argument", actual[2], expected[2]),
    ):
        for i, pair in enumerate(zip(ours, theirs, strict=True)):
            if not same_number(*pair):
                return f"{what} {i} is {shown(pair[0])}, not {shown(pair[1])}"
    ours, theirs = (shared_memory((*(o[0] or ()), *o[2])) for o in (actual, expected))
    if ours != theirs:
        return f"results and arguments share memory as {ours}, not {theirs}"
    return "" if actual[3] == expected[3] else f"warnings {actual[3]}, not {expected[3]}"


def shared_memory(values: tuple[Any, ...]) -> list[tuple[int, int]]:
    """Return the pairs of arrays that share memory, by their positions."""
    arrays = [(i, v) for i, v in enumerate(values) if isinstance(v, np.ndarray)]
    return [(i, j) for (i, a), (j, b) in combinations(arrays, 2) if np.shares_memory(a, b)]


def same_number(a: Any, b: Any) -> bool:
    """Return whether values have the same bits, apart from those of NaN, which processors choose."""
    return same_value(a, b) or (type(a) is type(b) and same_value(_plain_nan(a), _plain_nan(b)))


def _plain_nan(value: Any) -> Any:
    if not isinstance(value, (np.ndarray, np.floating)) or value.dtype.kind != "f":
        return value
    return np.where(np.isnan(value), value.dtype.type(np.nan), value)


def unlike_python(actual: tuple[Any, ...], plain: tuple[Any, ...]) -> str:
    """Return how an outcome differs from plain Python, apart from types that a branch decides."""
    for i, (ours, theirs) in enumerate(zip((*actual[0], *actual[2]), (*plain[0], *plain[2]), strict=True)):
        if type(ours) is type(theirs) and not same_number(ours, theirs):
            return f"value {i} is {shown(ours)}, in plain Python {shown(theirs)}"
    return ""


def check_loops(made: LoopProgram, seed: int) -> str:
    """Run a program all ways; `native`, `python`, `mixed` or `refused: ...`.

    Raises:
        DifferenceError: machine code does not do what NumPy does.
    """
    filename = f"<loops {seed}>"
    plain = function_of(made.source, filename)
    signature = [ag.TensorSpec(*spec) for spec in made.specs]
    modes = random.Random(seed)
    optimise = modes.random() < 0.8
    try:
        numpy, native = (
            ag.function(plain, input_signature=signature, optimise=optimise, engine=e)
            for e in ("numpy", "native")
        )
        for arguments in made.calls:
            mode = modes.choice(MODES)
            expected = outcome(numpy, arguments, mode, filename)
            actual = outcome(native, arguments, mode, filename)
            compile_whole(native)  # for the following calls
            reason = differences(actual, expected)
            if (reason and expected[1]) or (not reason and expected[1] is None and not mode):
                python = outcome(plain, arguments, mode, filename)
                if python[1] is None and not reason:  # else a part raises that no result of the graph needs
                    reason = unlike_python(actual, python)
                elif actual[1] == python[1]:  # NumPy calls of several lines may be one expression
                    reason = differences(actual, (expected[0], actual[1], *expected[2:]))
            if reason:
                raise DifferenceError(
                    f"seed {seed}, optimise={optimise}, {mode}: {reason}\n{made.source}\n{arguments!r}"
                )
    except REFUSED as error:
        return f"refused: {str(error)[:60]!r}"
    finally:
        linecache.cache.pop(filename, None)
    return _share(native)


def _share(function: Any) -> str:
    """Return how many loops of a function are machine code: all (native), some (mixed) or none (python)."""
    engines = [concrete.engine for concrete in function._traces.values()]
    compiled, refused = (sum(len(getattr(e, name)) for e in engines) for name in ("regions", "refused"))
    return "mixed" if compiled and refused else "native" if compiled else "python"


def fuzz_loops(first: int, count: int, limit: int = 1) -> tuple[Counter[str], list[DifferenceError]]:
    """Check the programs of consecutive seeds; how often each verdict was, and the differences found."""
    verdicts: Counter[str] = Counter()
    found: list[DifferenceError] = []
    for seed in range(first, first + count):
        try:
            verdicts[check_loops(loop_program(seed), seed)] += 1
        except DifferenceError as error:
            verdicts["different"] += 1
            found.append(error)
            if len(found) >= limit:
                break
    return verdicts, found
