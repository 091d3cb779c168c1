"""The harness of tests/cases: what a sample is, how it is run, what counts as the same.

A *sample* is a plain function with tuples of arguments, attached by `@samples`. Its *plain*
tuples hold Python and NumPy values; its *staged* tuples are what `ag.function` is called with,
where a NumPy array or scalar is staged and any other value stays a static Python value.
An *outcome* is all that one call did: its value or error, what it printed, and its arguments
afterwards.
"""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import inspect
import io
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

CASES = Path(__file__).parent / "cases"

NUMBER = (bool, int, float, complex, np.generic, np.ndarray)


# What a sample is ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """A function of a case file, with the arguments it is called with."""

    function: Callable
    plain: tuple[tuple, ...]
    staged: tuple[tuple, ...]
    file: Path

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def id(self) -> str:
        return f"{self.file.name}::{self.name}"

    @property
    def golden(self) -> Path:
        return self.file.with_suffix(".golden")


def samples(*plain: tuple, staged: tuple[tuple, ...] | list[tuple] | None = None):
    """Attach argument tuples to a function.

    Without `staged`, the plain tuples are staged with each Python number as a NumPy scalar.
    `staged=()` says that the function is about plain values only; its docstring says why.
    """
    if staged is None:
        staged = [tuple(map(as_numpy, arguments)) for arguments in plain]

    def attach(function):
        function.__samples__ = plain, tuple(staged)
        return function

    return attach


def as_numpy(value: Any) -> Any:
    """A Python number as the NumPy scalar that stages; any other value as it is."""
    kinds = {bool: np.bool_, int: np.int64, float: np.float64}
    return kinds[type(value)](value) if type(value) in kinds else value


def load(file: Path) -> list[Sample]:
    """The samples of a case file, in the order in which they are written."""
    name = f"cases.{file.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return [
        Sample(value, *value.__samples__, file)
        for value in vars(sys.modules[name]).values()
        if inspect.isfunction(value) and hasattr(value, "__samples__")
    ]


def files(folder: Path) -> list[Path]:
    """The case files of a folder that this Python can read: `x_py312.py` has syntax of Python 3.12."""
    newest = {file: re.search(r"_py3(\d+)$", file.stem) for file in sorted(folder.glob("*.py"))}
    return [file for file, found in newest.items() if found is None or int(found[1]) <= sys.version_info[1]]


ALL = [sample for file in files(CASES) for sample in load(file)]


# How it is run ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """All that one call did."""

    value: Any
    error: BaseException | None
    stdout: str
    arguments: tuple


def run(function: Callable, arguments: tuple) -> Outcome:
    """Call `function` on a copy of `arguments`; a generator is run to its end."""
    arguments = copy.deepcopy(arguments)
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        try:
            value = function(*arguments)
            if inspect.isgenerator(value):
                value = "generator", list(value)
        except Exception as caught:
            error = caught
    return Outcome(value, error, stdout.getvalue(), arguments)


# What counts as the same -----------------------------------------------------------------------


def check_plain(actual: Outcome, expected: Outcome) -> None:
    """Exactly the same: values and their types, error, stdout, changes to the arguments."""
    check_error(actual, expected)
    assert chained(actual.error) == chained(expected.error)
    assert actual.stdout == expected.stdout
    check_same(actual.value, expected.value, "value", exact=True)
    check_same(actual.arguments, expected.arguments, "arguments", exact=True)


def check_staged(actual: Outcome, expected: Outcome) -> None:
    """The same up to rounding, and up to the type of a number (0 or 0.0, Python's or NumPy's)."""
    check_error(actual, expected)
    assert actual.stdout == expected.stdout
    check_same(actual.value, expected.value, "value", exact=False)
    if expected.error is None:
        check_same(actual.arguments, expected.arguments, "arguments", exact=False)


def check_error(actual: Outcome, expected: Outcome) -> None:
    if actual.error is not None and expected.error is None:
        raise AssertionError(f"unexpected {actual.error!r}") from actual.error
    if expected.error is not None:
        assert actual.error is not None, f"missing {expected.error!r}; got {actual.value!r}"
        if describe(actual.error) != describe(expected.error):
            raise AssertionError(f"{actual.error!r}, not {expected.error!r}") from actual.error


def describe(error: BaseException) -> tuple:
    """The type, by name as a sample may define its own, and the text."""
    return type(error).__name__, str(error)


def chained(error: BaseException | None) -> list:
    """The errors that a traceback of `error` shows before it."""
    if error is None:
        return []
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return [] if before is None else [describe(before), *chained(before)]


def check_same(actual: Any, expected: Any, at: str, *, exact: bool) -> None:
    """Raise an AssertionError that names the place `at` which `actual` differs."""
    shown = f"{at}: {actual!r} ({type(actual).__name__}), not {expected!r} ({type(expected).__name__})"
    if isinstance(expected, NUMBER):
        assert isinstance(actual, NUMBER), shown
        check_number(actual, expected, shown, exact=exact)
        return
    if not exact and isinstance(expected, str):
        assert isinstance(actual, str) and actual == expected, shown
        return
    assert type(actual).__name__ == type(expected).__name__, shown
    if isinstance(expected, Mapping):
        assert list(actual) == list(expected), shown
        for key in expected:
            check_same(actual[key], expected[key], f"{at}[{key!r}]", exact=exact)
    elif isinstance(expected, list | tuple):
        assert len(actual) == len(expected), shown
        for i, pair in enumerate(zip(actual, expected, strict=True)):
            check_same(*pair, f"{at}[{i}]", exact=exact)
    elif hasattr(expected, "__dict__") and not callable(expected):
        check_same(vars(actual), vars(expected), f"vars({at})", exact=exact)
    else:
        assert actual == expected, shown


def check_number(actual: Any, expected: Any, shown: str, *, exact: bool) -> None:
    if exact:
        assert type(actual) is type(expected), shown
    arrays = np.asarray(actual), np.asarray(expected)
    assert arrays[0].shape == arrays[1].shape, shown
    if exact or (isinstance(expected, np.ndarray) and expected.ndim > 0):
        assert arrays[0].dtype == arrays[1].dtype, shown
    if exact or not any(np.issubdtype(array.dtype, np.inexact) for array in arrays):
        np.testing.assert_array_equal(*arrays, err_msg=shown)
    else:
        np.testing.assert_allclose(*arrays, rtol=1e-12, err_msg=shown)


# Golden files ----------------------------------------------------------------------------------


def read_golden(file: Path) -> dict[str, str]:
    """The sections of a golden file by function name; none where there is no file."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    parts = re.split(r"^### (\w+)\n", text, flags=re.MULTILINE)
    return {name: code.strip("\n") for name, code in zip(parts[1::2], parts[2::2], strict=True)}


def write_golden(file: Path, sections: Mapping[str, str]) -> None:
    """Write the sections in their order, each below its function's name."""
    text = "\n\n".join(f"### {name}\n{code}\n" for name, code in sections.items())
    file.write_text(text, encoding="utf-8")
