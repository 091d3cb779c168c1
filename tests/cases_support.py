"""Helpers for tests of the samples in tests/cases: comparison of outcomes, and golden files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autograph_rs.testing import Outcome, Sample, all_samples
from autograph_rs.testing.harness import check_same

CASES = Path(__file__).parent / "cases"
ALL = all_samples()


# Comparison of outcomes ------------------------------------------------------------------------


def check_plain(actual: Outcome, expected: Outcome) -> None:
    """Check that two outcomes are identical: values and their types, errors, stdout, changed arguments."""
    check_error(actual, expected)
    assert chained(actual.error) == chained(expected.error)
    assert actual.stdout == expected.stdout
    check_same(actual.value, expected.value, "value", exact=True)
    check_same(actual.arguments, expected.arguments, "arguments", exact=True)


def check_staged(actual: Outcome, expected: Outcome) -> None:
    """Check that two outcomes agree, except for rounding and number types (0 or 0.0, Python's or NumPy's)."""
    check_error(actual, expected, exact=False)
    assert actual.stdout == expected.stdout
    check_same(actual.value, expected.value, "value", exact=False)
    if expected.error is None:
        check_same(actual.arguments, expected.arguments, "arguments", exact=False)


def check_error(actual: Outcome, expected: Outcome, *, exact: bool = True) -> None:
    if actual.error is not None and expected.error is None:
        raise AssertionError(f"unexpected {actual.error!r}") from actual.error
    if expected.error is not None:
        assert actual.error is not None, f"missing {expected.error!r}; got {actual.value!r}"
        texts = [describe(error) for error in (actual.error, expected.error)]
        if not exact:  # the text of a KeyError shows the type of a number: np.int64(2), 2
            texts = [(name, re.sub(r"np\.\w+\(([^()]*)\)", r"\1", text)) for name, text in texts]
        if texts[0] != texts[1]:
            raise AssertionError(f"{actual.error!r}, not {expected.error!r}") from actual.error


def describe(error: BaseException) -> tuple:
    """Return the name of the error's type, since a sample may define its own type, and its text."""
    return type(error).__name__, str(error)


def chained(error: BaseException | None) -> list:
    """Return descriptions of the errors that a traceback shows before `error`, most recent first."""
    if error is None:
        return []
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return [] if before is None else [describe(before), *chained(before)]


# Arguments that share a trace ------------------------------------------------------------------


def traced_alike(arguments: tuple[Any, ...]) -> str:
    """Return a key that is equal for arguments for which every function uses the same trace.

    Numbers in arrays do not affect it. Everything else does, such as which arguments are the same object.
    """
    seen: list[Any] = []

    def told(value: Any) -> str:
        if isinstance(value, (np.ndarray, list, dict)):
            known = next((i for i, other in enumerate(seen) if other is value), None)
            if known is not None:
                return f"the {known}th"
            seen.append(value)
        if type(value) is np.ndarray and value.base is None and value.dtype.kind in "biufc":
            return f"array{value.dtype.str}{value.shape}{value.strides}{value.flags.writeable}"
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return f"scalar{value.dtype.str}"
        if type(value) in (list, tuple):
            return f"{type(value).__name__}({', '.join(map(told, value))})"
        if type(value) is dict:
            return f"dict({', '.join(f'{told(k)}: {told(v)}' for k, v in value.items())})"
        if type(value) in (int, float, bool, str, bytes, complex, type(None)):
            return repr(value)
        return f"object {id(value)}"

    return told(arguments)


# Golden files ----------------------------------------------------------------------------------


def golden_of(sample: Sample) -> Path:
    """Return the golden file with the reviewed code, which is not installed with the sample."""
    return CASES / f"{sample.file.stem}.golden"


def read_golden(file: Path) -> dict[str, str]:
    """Return the sections of a golden file by function name, or no sections if the file is missing."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    parts = re.split(r"^### (\w+)\n", text, flags=re.MULTILINE)
    return {name: code.strip("\n") for name, code in zip(parts[1::2], parts[2::2], strict=True)}


def write_golden(file: Path, sections: Mapping[str, str]) -> None:
    """Write the sections in the given order, each below the name of its function."""
    text = "\n\n".join(f"### {name}\n{code}\n" for name, code in sections.items())
    file.write_text(text, encoding="utf-8")
