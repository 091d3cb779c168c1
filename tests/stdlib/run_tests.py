"""Run CPython's tests of one module and write what became of each, one JSON record a line.

    python run_tests.py MODULE RECORDS

`run.py` starts this in the environment that it made. Records are written as tests end, so that
a run which hangs or crashes still tells how far it came. The last record tells which file the
module was loaded from, and what of it in the tests' namespace came from elsewhere.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import traceback
import types
import unittest
from collections import Counter
from collections.abc import Iterator
from typing import Any, TextIO


class Recorder(unittest.TestResult):
    """A result that writes a record for each test: its id, its outcome, a traceback if any."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self.out = out
        self.seen: Counter[str] = Counter()
        self.failed_subtests: list[str] = []

    def write(self, record: dict[str, Any]) -> None:
        self.out.write(json.dumps(record) + "\n")
        self.out.flush()

    def record(self, test: unittest.TestCase, outcome: str, detail: str = "") -> None:
        name = test.id()
        self.seen[name] += 1
        if self.seen[name] > 1:
            name = f"{name} ({self.seen[name]})"
        self.write({"id": name, "outcome": outcome, "detail": detail})

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.failed_subtests = []

    def stopTest(self, test: unittest.TestCase) -> None:
        if self.failed_subtests:
            self.record(test, "failed", "\n".join(self.failed_subtests))
        super().stopTest(test)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed_subtests.append(f"{subtest.id()}\n{formatted(err)}")

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.record(test, "passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self.record(test, "failed", formatted(err))

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self.record(test, "failed", formatted(err))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.record(test, "skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.record(test, "passed")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self.record(test, "failed", "unexpected success")


def formatted(err: Any) -> str:
    return "".join(traceback.format_exception(*err))


def functions_of(value: Any) -> Iterator[types.FunctionType]:
    """The Python functions that `value` is or, being a class, defines."""
    for item in vars(value).values() if isinstance(value, type) else [value]:
        plain = getattr(item, "__func__", None) or getattr(item, "fget", None) or item
        if isinstance(plain, types.FunctionType):
            yield plain


def strays(namespace: dict[str, Any], name: str, file: str) -> list[str]:
    """The names in the tests' `namespace` that come from another copy of module `name`."""
    found = []
    for key, value in namespace.items():
        if isinstance(value, types.ModuleType):
            stray = value.__name__ == name and value.__file__ != file
        elif getattr(value, "__module__", None) == name:
            stray = any(
                f.__globals__.get("__file__") != file for f in functions_of(value) if f.__module__ == name
            )
        else:
            stray = False
        if stray:
            found.append(key)
    return found


def main(name: str, records: str) -> None:
    random.seed(0)
    tests = f"test.test_{name}"
    with open(records, "w", encoding="utf-8") as out:
        result = Recorder(out)
        unittest.defaultTestLoader.loadTestsFromName(tests).run(result)
        module = importlib.import_module(name)
        file = module.__file__ or ""
        namespace = vars(sys.modules[tests]) if tests in sys.modules else {}
        result.write(
            {
                "file": file,
                "converted": "ag__" in vars(module),
                "strays": strays(namespace, name, file),
            }
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
