"""The harness of the samples: what a sample is, how it is run, what counts as the same.

A *sample* is a plain function with tuples of arguments, attached by `@samples`. Its *plain*
tuples hold Python and NumPy values; its *staged* tuples are what `ag.function` is called with,
where a NumPy array or scalar is staged and any other value stays a static Python value.
An *outcome* is all that one call did: its value or error, what it printed, and its arguments
afterwards.
"""

from __future__ import annotations

import contextlib
import copy
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

from autograph_rs.runtime.tracebacks import show

F = TypeVar("F", bound=Callable[..., Any])
Arguments = tuple[Any, ...]

show(os.path.dirname(__file__))  # samples and what calls them, as in tests of a user's own
NUMBER = (bool, int, float, complex, np.generic, np.ndarray)


# What a sample is ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """A function of a case file, with the arguments it is called with."""

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

    Without `staged`, the plain tuples are staged with each Python number as a NumPy scalar.
    `staged=()` says that the function is about plain values only; its docstring says why.

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
    """A Python number as the NumPy scalar that stages; any other value as it is."""
    kinds = {bool: np.bool_, int: np.int64, float: np.float64}
    return kinds[type(value)](value) if type(value) in kinds else value


def files(folder: Path) -> list[Path]:
    """The case files of a folder that this Python can read: `x_py312.py` has syntax of Python 3.12."""
    newest = {file: re.search(r"_py3(\d+)$", file.stem) for file in sorted(folder.glob("[!_]*.py"))}
    return [file for file, found in newest.items() if found is None or int(found[1]) <= sys.version_info[1]]


def load(file: Path) -> list[Sample]:
    """The samples of a case file, in the order in which they are written.

    Its module is called as no module of this package is: a sample is a user's code.
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
    """Every sample that this Python can read.

    >>> [sample.name for sample in all_samples() if sample.file.name == "if_.py"][:2]
    ['absolute', 'both_branches_bind']
    """
    [folder] = importlib.import_module("autograph_rs.testing.cases").__path__
    return tuple(sample for file in files(Path(folder)) for sample in load(file))


# How it is run ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """All that one call did."""

    value: Any
    error: BaseException | None
    stdout: str
    arguments: Arguments


def run(function: Callable[..., Any], arguments: Arguments) -> Outcome:
    """Call `function` on a copy of `arguments`; a generator is run to its end."""
    arguments = copy.deepcopy(arguments)
    value = error = None
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        try:
            value = function(*arguments)
            if inspect.isgenerator(value):
                value = "generator", list(value)
        except Exception as caught:  # noqa: BLE001 - whatever it raises is what is compared
            error = caught
    return Outcome(value, error, stdout.getvalue(), arguments)


# What counts as the same -----------------------------------------------------------------------


def must(holds: bool, told: str) -> None:
    """Raise an AssertionError unless something holds, under `python -O` too."""
    if not holds:
        raise AssertionError(told)


def check_same(actual: Any, expected: Any, at: str, *, exact: bool) -> None:
    """Raise an AssertionError that names the place `at` which `actual` differs."""
    shown = f"{at}: {actual!r} ({type(actual).__name__}), not {expected!r} ({type(expected).__name__})"
    if isinstance(expected, NUMBER):
        must(isinstance(actual, NUMBER), shown)
        check_number(actual, expected, shown, exact=exact)
        return
    if not exact and isinstance(expected, str):
        must(isinstance(actual, str) and actual == expected, shown)
        return
    must(type(actual).__name__ == type(expected).__name__, shown)
    if isinstance(expected, Mapping):
        must(list(actual) == list(expected), shown)
        for key in expected:
            check_same(actual[key], expected[key], f"{at}[{key!r}]", exact=exact)
    elif isinstance(expected, list | tuple):
        must(len(actual) == len(expected), shown)
        for i, pair in enumerate(zip(actual, expected, strict=True)):
            check_same(*pair, f"{at}[{i}]", exact=exact)
    elif hasattr(expected, "__dict__") and not callable(expected):
        check_same(vars(actual), vars(expected), f"vars({at})", exact=exact)
    else:
        must(actual == expected, shown)


def check_number(actual: Any, expected: Any, shown: str, *, exact: bool) -> None:
    must(not exact or type(actual) is type(expected), shown)
    arrays = np.asarray(actual), np.asarray(expected)
    must(arrays[0].shape == arrays[1].shape, shown)
    if exact or (isinstance(expected, np.ndarray) and expected.ndim > 0):
        must(arrays[0].dtype == arrays[1].dtype, shown)
    try:
        if exact or not any(np.issubdtype(array.dtype, np.inexact) for array in arrays):
            np.testing.assert_array_equal(*arrays)
        else:
            np.testing.assert_allclose(*arrays, rtol=1e-12)
    except AssertionError:
        raise AssertionError(shown) from None
