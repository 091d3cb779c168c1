"""Test harness: declare samples, run them, and compare outcomes.

A *sample* is a plain function with argument tuples, attached by `@samples`. *Plain* tuples hold Python and
NumPy values. *Staged* tuples are passed to `ag.function`, which stages NumPy arrays and scalars; other values
stay static. An *outcome* is everything that a call did: its value or error, its output, and its arguments
afterwards.
"""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import importlib.util
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from autograph_rs.runtime.debugging.tracebacks import register_user_folder

F = TypeVar("F", bound=Callable[..., Any])
Arguments = tuple[Any, ...]

register_user_folder(os.path.dirname(__file__))  # samples count as user code
NUMBER = (bool, int, float, complex, np.generic, np.ndarray)


# Samples


@dataclass(frozen=True)
class Sample:
    """A function from a case file, and the arguments to call it with."""

    function: Callable[..., Any]
    file: Path
    plain: tuple[Arguments, ...]
    staged: tuple[Arguments, ...]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def id(self) -> str:
        return f"{self.file.name}::{self.name}"


def samples(*plain: Arguments, staged: Sequence[Arguments] | None = None) -> Callable[[F], F]:
    """Attach argument tuples to a function.

    By default, the plain tuples are staged too, with Python numbers converted to NumPy scalars. `staged=()`
    declares that the function is for plain values only; its docstring gives the reason.

    >>> @samples((3,), (-2,))
    ... def absolute(x):
    ...     return x if x > 0 else -x
    """
    if staged is None:
        staged = [tuple(map(as_numpy, arguments)) for arguments in plain]

    def attach(function: F) -> F:
        vars(function)["__samples__"] = plain, tuple(staged)
        return function

    return attach


def as_numpy(value: Any) -> Any:
    """Convert a Python number to a NumPy scalar, which is staged; return any other value unchanged."""
    kinds = {bool: np.bool_, int: np.int64, float: np.float64}
    return kinds[type(value)](value) if type(value) in kinds else value


def files(folder: Path) -> list[Path]:
    """Return the case files that this version of Python can parse; `x_py312.py` requires Python 3.12."""
    versions = {file: re.search(r"_py3(\d+)$", file.stem) for file in sorted(folder.glob("[!_]*.py"))}
    return [file for file, match in versions.items() if match is None or int(match[1]) <= sys.version_info[1]]


def load(file: Path) -> list[Sample]:
    """Return the samples of a case file, in source order.

    The module gets a name outside this package, so that its samples count as user code.
    """
    name = f"autograph_rs_cases.{file.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return [
        Sample(value, file, *value.__samples__)
        for value in vars(sys.modules[name]).values()
        if inspect.isfunction(value) and hasattr(value, "__samples__")
    ]


@functools.cache
def all_samples() -> tuple[Sample, ...]:
    """Return every sample that this version of Python can parse.

    >>> [sample.name for sample in all_samples() if sample.file.name == "if_.py"][:2]
    ['absolute', 'both_branches_bind']
    """
    [folder] = importlib.import_module("autograph_rs.testing.cases").__path__
    return tuple(sample for file in files(Path(folder)) for sample in load(file))


# Running


@dataclass(frozen=True)
class Outcome:
    """The effects of one call."""

    value: Any
    error: BaseException | None
    stdout: str
    arguments: Arguments


def run(function: Callable[..., Any], arguments: Arguments) -> Outcome:
    """Call a function on copies of its arguments, and exhaust a generator that it returns."""
    arguments = copy.deepcopy(arguments)
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        try:
            value = function(*arguments)
            if inspect.isgenerator(value):
                value = "generator", list(value)
        except Exception as caught:  # noqa: BLE001 - any error is part of the outcome
            error = caught
    return Outcome(value, error, stdout.getvalue(), arguments)


# Comparison


def require(condition: bool, message: str) -> None:
    """Raise an AssertionError if a condition is false, even under `python -O`."""
    if not condition:
        raise AssertionError(message)


def check_same(actual: Any, expected: Any, at: str, *, exact: bool) -> None:
    """Raise an AssertionError, with the path `at`, if two values differ."""
    message = f"{at}: {actual!r} ({type(actual).__name__}), not {expected!r} ({type(expected).__name__})"
    if isinstance(expected, NUMBER):
        require(isinstance(actual, NUMBER), message)
        check_number(actual, expected, message, exact=exact)
        return
    if not exact and isinstance(expected, str):
        require(isinstance(actual, str) and actual == expected, message)
        return
    require(type(actual).__name__ == type(expected).__name__, message)
    if isinstance(expected, Mapping):
        require(list(actual) == list(expected), message)
        for key in expected:
            check_same(actual[key], expected[key], f"{at}[{key!r}]", exact=exact)
    elif isinstance(expected, list | tuple):
        require(len(actual) == len(expected), message)
        for i, pair in enumerate(zip(actual, expected, strict=True)):
            check_same(*pair, f"{at}[{i}]", exact=exact)
    elif isinstance(expected, enum.Enum):
        require(actual.name == expected.name, message)
    elif hasattr(expected, "__dict__") and not callable(expected):
        check_same(vars(actual), vars(expected), f"vars({at})", exact=exact)
    else:
        require(actual == expected, message)


def check_number(actual: Any, expected: Any, message: str, *, exact: bool) -> None:
    require(not exact or type(actual) is type(expected), message)
    arrays = np.asarray(actual), np.asarray(expected)
    require(arrays[0].shape == arrays[1].shape, message)
    if exact or (isinstance(expected, np.ndarray) and expected.ndim > 0):
        require(arrays[0].dtype == arrays[1].dtype, message)
    try:
        if exact or not any(np.issubdtype(array.dtype, np.inexact) for array in arrays):
            np.testing.assert_array_equal(*arrays)
        else:
            np.testing.assert_allclose(*arrays, rtol=1e-12)
    except AssertionError:
        raise AssertionError(message) from None
