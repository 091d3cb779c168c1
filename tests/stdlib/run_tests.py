"""Run CPython's tests of some modules and write what became of each, one JSON record a line.

    python run_tests.py JOB

`environment.py` starts this in the environment that it made. JOB is a JSON file:

- `tests`: the names of the modules of tests
- `only`: if given, the ids of the tests to run
- `modules`: the modules and packages under test
- `originals`: the files of their originals
- `records`: the file to write to

Records are written as tests end, so that a run which hangs or crashes still tells how far it
came. The last record tells which files the modules under test were loaded from, and what of them
in the tests' namespaces came from elsewhere.
"""

from __future__ import annotations

import importlib
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


def name_of(module) -> str:
    """The name under which a module was loaded: those that the interpreter begins with go by another."""
    spec = getattr(module, "__spec__", None)
    return getattr(spec or module, "name" if spec else "__name__", "")


def within(name: str, modules) -> bool:
    """Return whether a module is under test, or belongs to a package that is."""
    return name.partition(".")[0] in modules


def strays(namespace: dict, originals) -> list[str]:
    """The names in a `namespace` of tests that come from the originals."""
    found = []
    for key, value in namespace.items():
        if isinstance(value, types.ModuleType):
            stray = getattr(value, "__file__", None) in originals
        else:
            stray = any(f.__code__.co_filename in originals for f in functions_of(value))
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
        for name in modules:
            importlib.import_module(name)  # tests may have taken a copy of their own, and put it away
        under_test = [module for module in [*sys.modules.values()] if within(name_of(module), modules)]
        files = {getattr(module, "__file__", None): MARK in vars(module) for module in under_test}
        files = {file: marked for file, marked in files.items() if file and file.endswith(".py")}
        tests = [vars(sys.modules[name]) for name in settings["tests"] if name in sys.modules]
        originals = {*settings["originals"], *(f"<frozen {name}>" for name in modules)}
        found = [key for namespace in tests for key in strays(namespace, originals)]
        result.write({"files": files, "strays": found})


if __name__ == "__main__":
    main(*sys.argv[1:])
