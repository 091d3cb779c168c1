"""Run CPython's tests of some modules and write what became of each, one JSON record a line.

    python run_tests.py JOB

`environment.py` starts this in the environment that it made. JOB is a JSON file:

- `tests`: the names of the modules of tests
- `only`: if given, the ids of the tests to run
- `modules`: the modules and packages under test
- `records`: the file to write to

Records are written as tests end, so that a run which hangs or crashes still tells how far it
came. The last record tells which files the modules under test were loaded from, and what of them
in the tests' namespaces came from elsewhere.
"""

from __future__ import annotations

import json
import sys
import traceback
import types
import unittest

MARK = "ag__"  # what a converted module calls the runtime


class Recorder(unittest.TestResult):
    """A result that writes a record for each test: its id, its outcome, a traceback if any."""

    def __init__(self, out) -> None:
        super().__init__()
        self.out = out
        self.seen: dict[str, int] = {}
        self.failed_subtests: list[str] = []

    def write(self, record: dict) -> None:
        self.out.write(json.dumps(record) + "\n")
        self.out.flush()

    def record(self, test: unittest.TestCase, outcome: str, detail: str = "") -> None:
        self.write({"id": numbered(test, self.seen), "outcome": outcome, "detail": detail})

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.failed_subtests = []

    def stopTest(self, test: unittest.TestCase) -> None:
        if self.failed_subtests:
            self.record(test, "failed", "\n".join(self.failed_subtests))
        super().stopTest(test)

    def addSubTest(self, test, subtest, err) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed_subtests.append(f"{subtest.id()}\n{formatted(err)}")

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.record(test, "passed")

    def addFailure(self, test: unittest.TestCase, err) -> None:
        super().addFailure(test, err)
        self.record(test, "failed", formatted(err))

    def addError(self, test: unittest.TestCase, err) -> None:
        super().addError(test, err)
        self.record(test, "failed", formatted(err))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.record(test, "skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err) -> None:
        super().addExpectedFailure(test, err)
        self.record(test, "passed")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self.record(test, "failed", "unexpected success")


def numbered(test: unittest.TestCase, seen: dict[str, int]) -> str:
    """The id of a test; those that share one are counted."""
    name = test.id()
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else f"{name} ({seen[name]})"


def formatted(err) -> str:
    return "".join(traceback.format_exception(*err))


def loaded(name: str) -> unittest.TestSuite:
    """The tests of a module; none where the module says that they do not apply here."""
    try:
        return unittest.defaultTestLoader.loadTestsFromName(name)
    except unittest.SkipTest:
        return unittest.TestSuite()


def flat(suite):
    """The tests of a suite, in their order."""
    if not isinstance(suite, unittest.TestSuite):
        yield suite
        return
    for item in suite:
        yield from flat(item)


def select(suite: unittest.TestSuite, only) -> unittest.TestSuite:
    """The tests of a suite that have these ids."""
    seen: dict[str, int] = {}
    return unittest.TestSuite([test for test in flat(suite) if numbered(test, seen) in only])


def functions_of(value):
    """The Python functions that `value` is or, being a class, defines."""
    for item in vars(value).values() if isinstance(value, type) else [value]:
        plain = getattr(item, "__func__", None) or getattr(item, "fget", None) or item
        if isinstance(plain, types.FunctionType):
            yield plain


def within(name, modules) -> bool:
    """Whether a module is one of those under test, or lies in a package of them."""
    return isinstance(name, str) and name.partition(".")[0] in modules


def strays(namespace: dict, modules, files) -> list[str]:
    """The names in a `namespace` of tests that come from other copies of the modules under test."""
    found = []
    for key, value in namespace.items():
        if isinstance(value, types.ModuleType):
            file = getattr(value, "__file__", None)
            stray = within(value.__name__, modules) and file not in files
        elif within(getattr(value, "__module__", None), modules):
            origins = [
                f.__globals__.get("__file__") for f in functions_of(value) if within(f.__module__, modules)
            ]
            stray = any(file is not None and file not in files for file in origins)
        else:
            stray = False
        if stray:
            found.append(key)
    return found


def main(job: str) -> None:
    with open(job, encoding="utf-8") as file:
        settings = json.load(file)
    modules = settings["modules"]
    from test import support

    support.use_resources = []  # as CPython runs them: no network, no display, not much time or disk
    with open(settings["records"], "w", encoding="utf-8") as out:
        result = Recorder(out)
        for name in settings["tests"]:
            suite = loaded(name)
            (suite if settings["only"] is None else select(suite, settings["only"])).run(result)
        under_test = [
            module for module in sys.modules.values() if within(getattr(module, "__name__", None), modules)
        ]
        files = {getattr(module, "__file__", None): MARK in vars(module) for module in under_test}
        tests = [vars(sys.modules[name]) for name in settings["tests"] if name in sys.modules]
        found = [key for namespace in tests for key in strays(namespace, modules, files)]
        result.write({"files": {file: mark for file, mark in files.items() if file}, "strays": found})


if __name__ == "__main__":
    main(*sys.argv[1:])
