"""The samples of tests/cases as our own tests take them: what counts as the same, golden files."""

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


# What is traced in the same way ----------------------------------------------------------------


def traced_alike(arguments: tuple[Any, ...]) -> str:
    """A text that is the same for arguments of which every function has one trace.

    The numbers in arrays do not matter, but for which arguments are one object; all else does.
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
    """The file with the code that was reviewed; it is not installed with the sample."""
    return CASES / f"{sample.file.stem}.golden"


def read_golden(file: Path) -> dict[str, str]:
    """The sections of a golden file by function name; none where there is no file."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    parts = re.split(r"^### (\w+)\n", text, flags=re.MULTILINE)
    return {name: code.strip("\n") for name, code in zip(parts[1::2], parts[2::2], strict=True)}


def write_golden(file: Path, sections: Mapping[str, str]) -> None:
    """Write the sections in their order, each below its function's name."""
    text = "\n\n".join(f"### {name}\n{code}\n" for name, code in sections.items())
    file.write_text(text, encoding="utf-8")
